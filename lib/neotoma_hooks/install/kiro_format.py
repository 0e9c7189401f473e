"""Hooks as Kiro's third generation holds them: one list, in which each entry names its trigger.

{"version": "v1", "hooks": [{"name": …, "trigger": EVENT, "action": {"type": "command", "command": …}, …}]}
"""

from __future__ import annotations

from neotoma_hooks.install.json_format import Entry, JsonFormat
from neotoma_hooks.install.json_text import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from neotoma_hooks.install.json_text import Document, Node


class KiroFormat(JsonFormat):
    """One list for all events."""

    def entries(self, document: Document) -> Iterator[Entry]:
        """As `JsonFormat` says."""
        hooks = member(document.root, self.root[0])
        for index, entry in enumerate(hooks.node.elements if hooks is not None and hooks.node.kind == "array" else ()):
            trigger = member(entry.node, "trigger")
            if trigger is not None and isinstance(trigger.node.value, str):
                yield Entry(trigger.node.value, (*self.root, index), entry.node)

    def list_path(self, event: str) -> tuple[str, ...]:
        """As `JsonFormat` says."""
        return self.root

    def command_of(self, entry: Node) -> str | None:
        """The command of its action."""
        action = member(entry, "action")
        return super().command_of(action.node) if action is not None else None
