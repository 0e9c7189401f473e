"""Hooks as Claude Code's settings and Codex's hooks.json hold them.

    {"hooks": {EVENT: [{"matcher": …, "hooks": [{"type": "command", "command": …, "timeout": …}, …]}, …]}}

An event has groups, a group has handlers. Handlers of other people, in our groups too, are never touched. New groups
go to the end: Codex trusts a hook by its place among the others, so theirs keep their places.
"""

from __future__ import annotations

from dataclasses import dataclass

from neotoma_hooks.install import json_edit
from neotoma_hooks.install.json_text import Document, Node, member, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from neotoma_hooks.errors import InstallError
    from neotoma_hooks.install.commands import OurCommand

    Recognise = Callable[[str, Sequence[str]], OurCommand | None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One handler that is to be registered: `command` for `event`, with the time limit in the agent's own unit."""

    event: str
    hook: str
    command: str
    timeout: int
    matcher: str | None = None

    @property
    def handler(self) -> dict[str, Any]:
        """The handler as the settings hold it."""
        return {"type": "command", "command": self.command, "timeout": self.timeout}

    @property
    def group(self) -> dict[str, Any]:
        """A group of its own with the handler."""
        return {**({} if self.matcher is None else {"matcher": self.matcher}), "hooks": [self.handler]}


@dataclass(frozen=True, slots=True)
class Place:
    """A handler of ours in a text: where it stands (`group` and `handler` count from 0), and what it is.

    `value` is the handler, `offset` its place in the text.
    """

    event: str
    group: int
    handler: int
    matcher: object
    value: dict[str, Any]
    ours: OurCommand
    offset: int

    def fits(self, wanted: Wanted) -> bool:
        """Whether this handler is the one that is wanted, perhaps in an older form.

        Events that take no matcher ignore one (measured with Claude Code 2.1.332), so it makes no difference there.
        """
        is_same = self.event == wanted.event and self.ours.hook == wanted.hook
        return is_same and wanted.matcher in (None, self.matcher)

    def is_current(self, wanted: Wanted) -> bool:
        """Whether nothing about this handler has to change."""
        handler = {key: str(value) if key == "timeout" else value for key, value in wanted.handler.items()}
        return self.fits(wanted) and self.value == handler


def places(document: Document, recognise: Recognise) -> list[Place]:
    """Every handler that runs one of our hooks, in file order.

    Whatever has another shape than the one above is skipped: it is somebody else's, and no agent runs it.
    """
    found: list[Place] = []
    for event, group_index, group, handler_index, handler in _handlers(document):
        command, arguments = member(handler, "command"), member(handler, "args")
        if command is None or not isinstance(command.node.value, str):
            continue
        words = plain(arguments.node) if arguments is not None and arguments.node.kind == "array" else []
        ours = recognise(command.node.value, [word for word in words if isinstance(word, str)])
        if ours is not None:
            matcher = member(group, "matcher")
            found.append(
                Place(
                    event,
                    group_index,
                    handler_index,
                    None if matcher is None else plain(matcher.node),
                    plain(handler),
                    ours,
                    handler.start,
                )
            )
    return found


def with_ours(text: str, file: str, wanted: Sequence[Wanted], recognise: Recognise) -> str:
    """The text with exactly the wanted handlers of ours in it.

    One that is there in another form is rewritten where it stands, a second one of the same goes, one that is missing
    comes in a group of its own at the end. Raises InstallError for a text that cannot be parsed, or that has something
    else where a container must be.
    """
    document = Document(text, file)
    check_shape(document, {one.event for one in wanted})
    found = [place for place in places(document, recognise) if place.ours.is_alone]
    kept: dict[int, Place] = {}
    for place in found:
        for index, one in enumerate(wanted):
            if index not in kept and place.fits(one):
                kept[index] = place
                break
    for index, place in kept.items():
        if not place.is_current(wanted[index]):
            document = Document(json_edit.replaced(document, _node(document, place), wanted[index].handler), file)
    for index, one in enumerate(wanted):
        if index not in kept:
            document = Document(_with_group(document, one), file)
    extra = [place for place in found if place not in kept.values()]
    return _without(document, extra, keep=()).text


def without_ours(text: str, file: str, recognise: Recognise, keep: Collection[tuple[str, ...]] = ()) -> str:
    """The text with no handler of ours in it.

    A container that is empty without ours goes as well, but for those in `keep` (see `containers`). Raises
    InstallError for a text that cannot be parsed.
    """
    document = Document(text, file)
    return _without(document, [place for place in places(document, recognise) if place.ours.is_alone], keep).text


def containers(document: Document) -> set[tuple[str, ...]]:
    """The containers that the text has: ("hooks",) and, for each event, ("hooks", EVENT)."""
    hooks = member(document.root, "hooks")
    if hooks is None:
        return set()
    return {("hooks",), *(("hooks", str(event.key)) for event in hooks.node.elements)}


def others(document: Document, recognise: Recognise) -> object:
    """Everything in the text that is not ours, to be compared before and after a change; empty containers count not."""
    if document.root is None:
        return {}
    whole = plain(document.root)
    hooks = whole.get("hooks") if isinstance(whole, dict) else None
    if not isinstance(hooks, dict):
        return whole
    for place in reversed([place for place in places(document, recognise) if place.ours.is_alone]):
        groups = hooks[place.event]
        del groups[place.group]["hooks"][place.handler]
        if not groups[place.group]["hooks"]:
            del groups[place.group]
    whole["hooks"] = {event: groups for event, groups in hooks.items() if groups != []}
    if not whole["hooks"]:
        del whole["hooks"]
    return whole


def check_shape(document: Document, events: Collection[str]) -> None:
    """Raises InstallError when something else stands where the containers of these events must be."""
    if document.root is None:
        return
    _check(document, document.root, "object", "the settings")
    hooks = member(document.root, "hooks")
    if hooks is None:
        return
    _check(document, hooks.node, "object", '"hooks"')
    for event in hooks.node.elements:
        if event.key in events:
            _check(document, event.node, "array", f'"{event.key}"')


def _check(document: Document, node: Node, kind: str, name: str) -> None:
    if node.kind == kind:
        return
    error: InstallError = document.refusal(
        node.start, f"{name} must be an {kind}, and here is {_named(node)}", f"make it an {kind}, or remove it"
    )
    raise error


def _named(node: Node) -> str:
    if node.kind == "literal":
        return "null" if node.value is None else str(node.value).lower()
    return f"an {node.kind}" if node.kind in ("object", "array") else f"a {node.kind}"


def _handlers(document: Document) -> Iterator[tuple[str, int, Node, int, Node]]:
    hooks = member(document.root, "hooks")
    for event in hooks.node.elements if hooks is not None and hooks.node.kind == "object" else ():
        for group_index, group in enumerate(event.node.elements if event.node.kind == "array" else ()):
            handlers = member(group.node, "hooks")
            if handlers is None or handlers.node.kind != "array":
                continue
            for handler_index, handler in enumerate(handlers.node.elements):
                kind = member(handler.node, "type")
                if kind is not None and kind.node.value == "command":
                    yield str(event.key), group_index, group.node, handler_index, handler.node


def _containers_of(document: Document, place: Place) -> tuple[Node, Node, Node, Node]:
    """The nodes around a handler: root, hooks, the event's groups, the group's handlers."""
    hooks = member(document.root, "hooks")
    groups = member(hooks.node if hooks else None, place.event)
    assert document.root is not None
    assert hooks is not None
    assert groups is not None
    handlers = member(groups.node.elements[place.group].node, "hooks")
    assert handlers is not None
    return document.root, hooks.node, groups.node, handlers.node


def _node(document: Document, place: Place) -> Node:
    return _containers_of(document, place)[3].elements[place.handler].node


def _with_group(document: Document, wanted: Wanted) -> str:
    if document.root is None:
        return json_edit.created(document, {"hooks": {wanted.event: [wanted.group]}})
    hooks = member(document.root, "hooks")
    if hooks is None:
        return json_edit.inserted(document, document.root, {wanted.event: [wanted.group]}, "hooks")
    groups = member(hooks.node, wanted.event)
    if groups is None:
        return json_edit.inserted(document, hooks.node, [wanted.group], wanted.event)
    return json_edit.inserted(document, groups.node, wanted.group)


def _without(document: Document, extra: Sequence[Place], keep: Collection[tuple[str, ...]]) -> Document:
    """The document without these handlers; from the last to the first, so that the places of the others stay true."""
    for place in reversed(extra):
        root, hooks, groups, handlers = _containers_of(document, place)
        container, index = handlers, place.handler
        if len(handlers.elements) == 1:
            container, index = groups, place.group
            if len(groups.elements) == 1 and ("hooks", place.event) not in keep:
                container, index = hooks, _index(hooks, place.event)
                if len(hooks.elements) == 1 and ("hooks",) not in keep:
                    container, index = root, _index(root, "hooks")
        document = Document(json_edit.removed(document, container, index), document.file)
    return document


def _index(node: Node, key: str) -> int:
    return next(index for index, element in enumerate(node.elements) if element.key == key)
