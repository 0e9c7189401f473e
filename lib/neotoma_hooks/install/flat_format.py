"""Hooks as agents hold them that know no groups.

    {"hooks": {EVENT: [HANDLER, …]}}

with a version beside it, or more, as the agent asks; Antigravity has a name of our choice in the place of "hooks".
"""

from __future__ import annotations

from neotoma_hooks.install.json_format import Entry, JsonFormat
from neotoma_hooks.install.json_text import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from neotoma_hooks.install.json_text import Document


class FlatFormat(JsonFormat):
    """Events, and a list of handlers for each."""

    def entries(self, document: Document) -> Iterator[Entry]:
        """As `JsonFormat` says; a handler without a type is a command."""
        for event, handlers in self.lists(document):
            for index, handler in enumerate(handlers):
                kind = member(handler.node, "type")
                if kind is None or kind.node.value == "command":
                    yield Entry(event, (*self.root, event, index), handler.node)
