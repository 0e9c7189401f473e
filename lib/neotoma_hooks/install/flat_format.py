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
        node = document.root
        for key in self.root:
            found = member(node, key)
            node = found.node if found is not None else None
        for event in node.elements if node is not None and node.kind == "object" else ():
            for index, handler in enumerate(event.node.elements if event.node.kind == "array" else ()):
                kind = member(handler.node, "type")
                if kind is None or kind.node.value == "command":
                    yield Entry(str(event.key), (*self.root, str(event.key), index), handler.node)

    def list_path(self, event: str) -> tuple[str, ...]:
        """As `JsonFormat` says."""
        return (*self.root, event)
