"""Files that are ours as a whole: a script that runs a hook, a plugin that calls the hooks.

They are written whole and taken away whole. Another file of that name is somebody else's, and is refused.
"""

from __future__ import annotations

import json
import re
import shlex

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install.format import Format, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from neotoma_hooks.install.format import Recognise, Wanted

_PLUGIN_COMMANDS = re.compile(r"^const COMMANDS = (\{.*\})$", re.MULTILINE)


class WholeFile(Format):
    """A file whose text is `whole` when it is registered as it should be."""

    def __init__(self, whole: str) -> None:
        self.whole = whole

    def is_ours(self, text: str, recognise: Recognise) -> bool:
        """Whether we wrote the text, perhaps in an older form."""
        raise NotImplementedError

    def with_ours(self, text: str | None, file: str, wanted: Sequence[Wanted], recognise: Recognise) -> str:
        """The whole. Raises InstallError for a file that is not ours."""
        if text and not self.is_ours(text, recognise):
            raise InstallError(f"{file}: is there already and is not ours; move it away first")
        return self.whole

    def without_ours(self, text: str, file: str, recognise: Recognise, before: str | None = None) -> str | None:
        """None for a file of ours; somebody else's stays as it is."""
        return None if self.is_ours(text, recognise) else text

    def is_blank(self, text: str, file: str) -> bool:
        """As `Format` says."""
        return not text

    def others(self, text: str, file: str, recognise: Recognise) -> object:
        """The text of somebody else's file."""
        return "" if self.is_ours(text, recognise) else text


class ScriptFile(WholeFile):
    """A script that runs one hook for one event; `around` is what stands before and behind its command line.

    `command` is the command line by which the agent runs the script.
    """

    def __init__(self, whole: str, around: tuple[str, str], event: str, command: str) -> None:
        super().__init__(whole)
        self.around = around
        self.event = event
        self.command = command

    def is_ours(self, text: str, recognise: Recognise) -> bool:
        """Whether it does nothing but run a hook of ours."""
        return bool(self.places(text, "", recognise))

    def places(self, text: str, file: str, recognise: Recognise) -> list[Place]:
        """The one entry that the file is."""
        before, behind = self.around
        if not text.startswith(before) or not text.endswith(behind):
            return []
        ours = recognise(text[len(before) : len(text) - len(behind)], [])
        value = {"text": text}
        return [Place(self.event, (), value, self.command, ours)] if ours is not None and ours.is_alone else []


class PluginFile(WholeFile):
    """A plugin that calls the hooks; how its first line begins, up to a colon, is the mark by which ours is known.

    `events` tells which of the agent's events runs which hook.
    """

    def __init__(self, whole: str, events: Sequence[tuple[str, str]]) -> None:
        super().__init__(whole)
        self.events = events

    def is_ours(self, text: str, recognise: Recognise) -> bool:
        """Whether it has our mark."""
        return text.startswith(self.whole.partition(":")[0] + ":")

    def places(self, text: str, file: str, recognise: Recognise) -> list[Place]:
        """The command lines that it calls."""
        found = _PLUGIN_COMMANDS.search(text)
        if not found or not self.is_ours(text, recognise):
            return []
        try:
            commands = json.loads(found.group(1))
        except ValueError:
            return []
        listed: list[Place] = []
        for event, hook in self.events:
            words = commands.get(hook)
            if isinstance(words, list):
                command = shlex.join(str(word) for word in words)
                ours = recognise(command, [])
                if ours is not None:
                    listed.append(Place(event, (), {"text": text}, command, ours))
        return listed
