"""What is asked of a format: find our entries in a settings file's text, put them in, take them out, leave the rest."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from neotoma_hooks.install.commands import OurCommand

    Recognise = Callable[[str, Sequence[str]], OurCommand | None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """One entry that is to be registered: `value` is what stands in the settings for `event`, and runs `hook`.

    `matcher` is the pattern of tool names, for events that take one.
    """

    event: str
    hook: str
    value: Mapping[str, Any]
    matcher: str | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """An entry of ours in a text.

    `at` tells where it stands, in the format's own terms; `value` is the entry, as it is spelled; `command` the command
    line that the agent runs for it; `around` what the group that it is in says beside it.
    """

    event: str
    at: tuple[str | int, ...]
    value: object
    command: str
    ours: OurCommand
    around: Mapping[str, Any] = field(default_factory=dict)


class Format:
    """One shape of settings file.

    `text` is a file's whole text, `file` its name for error messages, `recognise` tells which command lines are ours.
    Every method raises InstallError for a text that cannot be parsed.
    """

    def places(self, text: str, file: str, recognise: Recognise) -> list[Place]:
        """Every entry that runs one of our hooks, in file order; what has another shape is somebody else's."""
        raise NotImplementedError

    def with_ours(self, text: str | None, file: str, wanted: Sequence[Wanted], recognise: Recognise) -> str:
        """The text with exactly the wanted entries of ours in it; `text` is None where there is no file.

        One that is there in another form is rewritten where it stands, a second one of the same goes, one that is
        missing comes last. Raises InstallError where something else stands where a container must be.
        """
        raise NotImplementedError

    def without_ours(self, text: str, file: str, recognise: Recognise, before: str | None = None) -> str | None:
        """The text with no entry of ours in it; None when the file was ours as a whole.

        A container that is empty without ours goes as well, unless it was there in `before`, the text that the file had
        before us.
        """
        raise NotImplementedError

    def is_blank(self, text: str, file: str) -> bool:
        """Whether the text says nothing, or no more than a new file of ours says without our entries."""
        raise NotImplementedError

    def others(self, text: str, file: str, recognise: Recognise) -> object:
        """Everything in the text that is not ours, to be compared before and after a change; empty containers count
        not."""
        raise NotImplementedError

    def extensions(self, text: str, file: str) -> dict[str, str]:
        """What the text has that not every reader of such files takes: kinds, such as "comment", and where in words."""
        return {}

    def fits(self, place: Place, wanted: Wanted) -> bool:
        """Whether the entry is the one that is wanted, perhaps in an older form."""
        return place.event == wanted.event and place.ours.hook == wanted.hook

    def is_current(self, place: Place, wanted: Wanted) -> bool:
        """Whether nothing about the entry has to change."""
        return self.fits(place, wanted) and place.value == wanted.value

    def sorted_out(self, found: Sequence[Place], wanted: Sequence[Wanted]) -> tuple[dict[int, Place], list[Place]]:
        """Which entry is kept for which of `wanted`, by its index, and which entries are too many.

        An entry whose command line runs more than our hook is nobody's to change, and is in neither.
        """
        kept: dict[int, Place] = {}
        extra: list[Place] = []
        for place in found:
            if not place.ours.is_alone:
                continue
            fitting = (index for index, one in enumerate(wanted) if index not in kept and self.fits(place, one))
            index = next(fitting, None)
            if index is None:
                extra.append(place)
            else:
                kept[index] = place
        return kept, extra
