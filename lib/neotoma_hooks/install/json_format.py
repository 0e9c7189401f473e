"""Settings in JSON: what its formats have in common; where in the text hooks stand is each format's own."""

from __future__ import annotations

import json
from dataclasses import dataclass

from neotoma_hooks.install import json_edit
from neotoma_hooks.install.format import Format, Place
from neotoma_hooks.install.json_text import Document, Element, Node, member, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from typing import Any

    from neotoma_hooks.install.format import Recognise, Wanted

    Path = tuple[str | int, ...]

_COMMAND_KEYS = ("command", "bash", "powershell")


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry, ours or not: its event, its path from the root (keys and indices), its node, its group's node."""

    event: str
    path: Path
    node: Node
    group: Node | None = None


class JsonFormat(Format):
    """A JSON file with lists of entries in it.

    `root` is the path of the container that the lists stand in, `new_file` the text that a file without hooks has.
    """

    def __init__(self, root: tuple[str, ...], new_file: str = "{}") -> None:
        self.root = root
        self.new_file = new_file

    def entries(self, document: Document) -> Iterator[Entry]:
        """Every entry that the agent would read, in file order."""
        raise NotImplementedError

    def list_path(self, event: str) -> tuple[str, ...]:
        """The path of the list that holds what is registered for the event."""
        return (*self.root, event)

    def lists(self, document: Document) -> Iterator[tuple[str, list[Element]]]:
        """Each event under `root`, and what its list holds."""
        node = document.root
        for key in self.root:
            found = member(node, key)
            node = found.node if found is not None else None
        for event in node.elements if node is not None and node.kind == "object" else ():
            if event.node.kind == "array":
                yield str(event.key), event.node.elements

    def element(self, wanted: Wanted) -> Mapping[str, Any]:
        """What is put into that list for a new entry."""
        return wanted.value

    def levels(self, path: Path) -> list[Path]:
        """What can be taken out when the entry at `path` goes and leaves nothing: innermost first."""
        return [path[:length] for length in range(len(path), 0, -1)]

    def command_of(self, entry: Node) -> str | None:
        """The command line that an entry runs."""
        found = (member(entry, key) for key in _COMMAND_KEYS)
        return next((str(one.node.value) for one in found if one is not None and one.node.kind == "string"), None)

    def places(self, text: str, file: str, recognise: Recognise) -> list[Place]:
        """As `Format` says."""
        return self._places(Document(text, file), recognise)

    def _places(self, document: Document, recognise: Recognise) -> list[Place]:
        found: list[Place] = []
        for entry in self.entries(document):
            command = self.command_of(entry.node)
            if command is None:
                continue
            arguments = member(entry.node, "args")
            words = plain(arguments.node) if arguments is not None and arguments.node.kind == "array" else []
            ours = recognise(command, [word for word in words if isinstance(word, str)])
            if ours is not None:
                group = {} if entry.group is None else plain(entry.group)
                found.append(Place(entry.event, entry.path, plain(entry.node), command, ours, group))
        return found

    def with_ours(self, text: str | None, file: str, wanted: Sequence[Wanted], recognise: Recognise) -> str:
        """As `Format` says."""
        document = Document(text or "", file)
        self._check_shape(document, wanted)
        if document.root is None:
            document = Document(json_edit.created(document, json.loads(self.new_file)), file)
        kept, extra = self.sorted_out(self._places(document, recognise), wanted)
        for index, place in kept.items():
            if not self.is_current(place, wanted[index]):
                node = _nodes(document, place.at)[-1]
                document = Document(json_edit.replaced(document, node, dict(wanted[index].value)), file)
        for index, one in enumerate(wanted):
            if index not in kept:
                document = Document(self._with_element(document, one), file)
        return self._with_version(self._without(document, extra, keep=())).text

    def without_ours(self, text: str, file: str, recognise: Recognise, before: str | None = None) -> str | None:
        """As `Format` says."""
        document = Document(text, file)
        keep = self._containers(Document(before, file)) if before is not None else set()
        return self._without(
            document, [one for one in self._places(document, recognise) if one.ours.is_alone], keep
        ).text

    def is_blank(self, text: str, file: str) -> bool:
        """As `Format` says."""
        root = Document(text, file).root
        return root is None or plain(root) in ({}, self._new())

    def others(self, text: str, file: str, recognise: Recognise) -> object:
        """As `Format` says."""
        document = Document(text, file)
        whole = {} if document.root is None else plain(document.root)
        if not isinstance(whole, dict):
            return whole
        for place in reversed([one for one in self._places(document, recognise) if one.ours.is_alone]):
            for level in self.levels(place.at):
                container: Any = whole
                for step in level[:-1]:
                    container = container[step]
                if level == place.at or not container[level[-1]] or _is_emptied_group(container[level[-1]]):
                    del container[level[-1]]
        # What we would put there ourselves is not theirs to lose
        new = self._new()
        whole = {key: value for key, value in whole.items() if key not in new or value != new[key]}
        return _without_empty(whole, self.root)

    def extensions(self, text: str, file: str) -> dict[str, str]:
        """As `Format` says."""
        document = Document(text, file)
        return {kind: document.at(place) for kind, place in document.extensions.items()}

    def is_current(self, place: Place, wanted: Wanted) -> bool:
        """As `Format` says; numbers are compared as they are spelled."""
        return self.fits(place, wanted) and place.value == _spelled(wanted.value)

    def _new(self) -> Any:
        return _spelled(json.loads(self.new_file))

    def _check_shape(self, document: Document, wanted: Sequence[Wanted]) -> None:
        """Raises InstallError when something else stands where the containers of these entries must be."""
        if document.root is None:
            return
        document.check(document.root, "object", "the settings")
        for one in wanted:
            path = self.list_path(one.event)
            node = document.root
            for depth, key in enumerate(path, 1):
                found = member(node, key)
                if found is None:
                    break
                node = found.node
                document.check(node, "array" if depth == len(path) else "object", f'"{key}"')

    def _with_element(self, document: Document, wanted: Wanted) -> str:
        assert document.root is not None
        node, missing = document.root, list(self.list_path(wanted.event))
        while missing and (found := member(node, missing[0])) is not None:
            node = found.node
            missing.pop(0)
        value: Any = dict(self.element(wanted))
        if not missing:
            return json_edit.inserted(document, node, value)
        value = [value]
        for key in reversed(missing[1:]):
            value = {key: value}
        return json_edit.inserted(document, node, value, missing[0])

    def _with_version(self, document: Document) -> Document:
        """The document with the version that the agent asks for, where a file that was there has none."""
        version = json.loads(self.new_file).get("version")
        if version is None or document.root is None or member(document.root, "version") is not None:
            return document
        return Document(json_edit.inserted(document, document.root, version, "version"), document.file)

    def _containers(self, document: Document) -> set[Path]:
        """The paths of the containers that the text has: those on the way to `root`, and the lists within."""
        found: set[Path] = set()
        node = document.root
        for depth, key in enumerate(self.root, 1):
            step = member(node, key)
            if step is None:
                return found
            node = step.node
            found.add(self.root[:depth])
        if node is not None and node.kind == "object":
            found |= {(*self.root, str(element.key)) for element in node.elements}
        return found

    def _without(self, document: Document, extra: Sequence[Place], keep: Collection[Path]) -> Document:
        """The document without these entries; from the last to the first, so that the places of the others stay
        true."""
        for place in reversed(extra):
            levels = self.levels(place.at)
            level = levels[0]
            for outer in levels[1:]:
                if outer in keep or not _holds_nothing_else(document, _nodes(document, level)[-2]):
                    break
                level = outer
            container = _nodes(document, level)[-2]
            document = Document(json_edit.removed(document, container, _index(container, level[-1])), document.file)
        return document


def _nodes(document: Document, path: Path) -> list[Node]:
    """The nodes on the way to a path, the root first."""
    assert document.root is not None
    nodes = [document.root]
    for step in path:
        nodes.append(nodes[-1].elements[_index(nodes[-1], step)].node)
    return nodes


def _holds_nothing_else(document: Document, container: Node) -> bool:
    """Whether a container has one element and no comment beside it."""
    first = container.elements[0]
    around = document.text[container.start + 1 : first.start] + document.text[first.end : container.end - 1]
    return len(container.elements) == 1 and not around.strip(" \t\r\n,")


def _index(node: Node, step: str | int) -> int:
    if isinstance(step, int):
        return step
    return next(index for index, element in enumerate(node.elements) if element.key == step)


def _spelled(value: object) -> Any:
    """The value as it is read back from a text."""
    root = Document(json.dumps(value), "").root
    assert root is not None
    return plain(root)


def _is_emptied_group(value: object) -> bool:
    return isinstance(value, dict) and value.get("hooks") == []


def _without_empty(whole: dict[str, Any], root: tuple[str, ...]) -> dict[str, Any]:
    """The settings without those containers of hooks that hold nothing."""
    if not root:
        return {key: value for key, value in whole.items() if value not in ([], {})}
    inner = whole.get(root[0])
    if isinstance(inner, dict):
        whole = {**whole, root[0]: _without_empty(inner, root[1:])}
    return {key: value for key, value in whole.items() if key != root[0] or value not in ([], {})}
