"""Hooks as Claude Code's settings hold them, and those of the many agents that took its shape over.

    {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …, "timeout": …}, …]}, …]}}

An event has groups, a group has handlers. Handlers of other people, in our groups too, are never touched. New groups
go to the end: Codex trusts a hook by its place among the others, so theirs keep their places. Some agents have files
with nothing around the events, one wants something more in each group.
"""

from __future__ import annotations

from neotoma_hooks.install.json_format import Entry, JsonFormat
from neotoma_hooks.install.json_text import member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from neotoma_hooks.install.format import Place, Wanted
    from neotoma_hooks.install.json_format import Path
    from neotoma_hooks.install.json_text import Document


class ClaudeFormat(JsonFormat):
    """Events, groups, handlers. `group` is what each group says beside its handlers."""

    def __init__(
        self, root: tuple[str, ...] = ("hooks",), new_file: str = "{}", group: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(root, new_file)
        self.group = dict(group or {})

    def entries(self, document: Document) -> Iterator[Entry]:
        """As `JsonFormat` says; a handler without a type is run by no agent."""
        for event, groups in self.lists(document):
            for group_index, group in enumerate(groups):
                handlers = member(group.node, "hooks")
                if handlers is None or handlers.node.kind != "array":
                    continue
                for index, handler in enumerate(handlers.node.elements):
                    kind = member(handler.node, "type")
                    if kind is not None and kind.node.value == "command":
                        path: Path = (*self.root, event, group_index, "hooks", index)
                        yield Entry(event, path, handler.node, group.node)

    def element(self, wanted: Wanted) -> Mapping[str, Any]:
        """A group of its own."""
        return {**self._around(wanted), "hooks": [dict(wanted.value)], **self.group}

    def levels(self, path: Path) -> list[Path]:
        """A group goes as a whole when its last handler goes."""
        return [path, *super().levels(path[:-2])]

    def fits(self, place: Place, wanted: Wanted) -> bool:
        """As `Format` says.

        Events that take no matcher ignore one (measured with Claude Code 2.1.332), so it makes no difference there.
        """
        around = {**self._around(wanted), **self.group}
        return super().fits(place, wanted) and all(place.around.get(key) == around[key] for key in around)

    def _around(self, wanted: Wanted) -> dict[str, Any]:
        return {} if wanted.matcher is None else {"matcher": wanted.matcher}
