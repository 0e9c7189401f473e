"""What is left for a hook to do when its event was handled, or could not be: each step whether or not the others can.

Each has a time of its own, so that a hook ends also where a disk hangs.
"""

from __future__ import annotations

import os
import time

from neotoma_hooks.alarm import OutOfTime, limit_time, stop_the_clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings

STEP_SECONDS = 1.0
"""The most that a step may take; where no disk hangs it takes milliseconds."""

KEEPING_SECONDS = 3.0
"""The most for setting an event aside: a hook that is late is better than a message that is lost."""

SETTINGS_SECONDS = 0.4


class Progress:
    """How far a hook has come, and its one answer to the agent.

    `hint` is the agent named on the command line, `pieces` what was read from stdin. `line` becomes the hook log's
    line. `is_safe` says that the message is durable, or that there is none; `is_hopeless` that the event can never be
    handled, `is_unsettled` that nobody knows whether it may be recorded.
    """

    __slots__ = (
        "hint",
        "hook",
        "is_answered",
        "is_hopeless",
        "is_safe",
        "is_unsettled",
        "line",
        "paths",
        "pieces",
        "settings",
        "started",
        "wants_courier",
    )

    def __init__(self, hook: str, hint: str, started: float) -> None:
        self.hook = hook
        self.hint = hint
        self.started = started
        self.line: dict[str, Any] = {"hook": hook, "agent": hint}
        self.pieces: list[bytes] = []
        self.paths: Paths | None = None
        self.settings: Settings | None = None
        self.is_answered = False
        self.is_unsettled = False
        self.is_safe = False
        self.is_hopeless = False
        self.wants_courier = False

    def print(self, output: bytes) -> None:
        """Write the answer to stdout. Raises OSError."""
        self.is_answered = True
        view = memoryview(output)
        while view:
            view = view[os.write(1, view) :]

    def print_nothing(self) -> None:
        """Write what the agent takes for no answer, unless it has one. Raises OSError."""
        from neotoma_hooks.agents.registry import WANT_AN_ANSWER, agent

        if not self.is_answered and self.hint in WANT_AN_ANSWER:
            self.print(agent(self.hint).printed({}))

    def explain(self, error: BaseException) -> None:
        """Put the cause into the log line, and note whether it can ever be otherwise."""
        from neotoma_hooks.errors import EventError, ReplyNotThereYet, SettingsError, note

        note(self.line, _in_words(error))
        self.is_hopeless = isinstance(error, EventError) and not isinstance(error, ReplyNotThereYet)
        self.is_unsettled = isinstance(error, SettingsError)


def finish(progress: Progress) -> None:
    """Answer, set aside what is not safe yet, wake the courier, write the log line."""
    is_lost = "error" in progress.line and not progress.is_safe and not progress.is_unsettled
    _step(progress, Progress.print_nothing, "cannot answer the agent")
    if progress.paths is None:
        return
    if is_lost and progress.settings is None:
        # Whatever it was that took all the time may do so again
        _step(progress, _settle, "the event is not kept", SETTINGS_SECONDS)
    if is_lost and progress.settings is not None:
        _step(progress, _set_aside, "the event is not kept", KEEPING_SECONDS)
    if progress.wants_courier:
        _step(progress, _wake_courier, "cannot start the courier")
    _step(progress, _log, "cannot write this line")


def _step(progress: Progress, take: Callable[[Progress], None], failure: str, seconds: float = STEP_SECONDS) -> None:
    try:
        try:
            limit_time(time.monotonic() + seconds)
            take(progress)
        finally:
            stop_the_clock()
    except BaseException as error:  # noqa: BLE001 - no step may keep the next from being taken
        from neotoma_hooks.errors import note

        note(progress.line, f"{failure}: {_in_words(error)}")


def _in_words(error: BaseException) -> str:
    from neotoma_hooks.errors import described

    return "out of time" if isinstance(error, OutOfTime) else described(error)


def _settle(progress: Progress) -> None:
    from neotoma_hooks.settings import read_settings

    assert progress.paths is not None
    progress.settings = read_settings(progress.paths.settings_file, os.environ)
    if progress.settings.disable:
        os._exit(0)


def _set_aside(progress: Progress) -> None:
    from neotoma_hooks.exclusion import NOT_RECORDED, is_excluded
    from neotoma_hooks.protocol.privacy import event_without_private
    from neotoma_hooks.state import set_aside
    from neotoma_hooks.stdin import as_far_as_it_came

    assert progress.paths is not None
    assert progress.settings is not None
    raw = b"".join(progress.pieces) if progress.is_hopeless else as_far_as_it_came(progress.pieces)
    if not raw.strip():
        return
    if is_excluded(raw, progress.settings):
        progress.line["outcome"] = NOT_RECORDED
        return
    # An object that had no end by now will never have one
    is_cut = not progress.is_hopeless and not raw.rstrip().endswith(b"}")
    if is_cut:
        from neotoma_hooks.errors import note

        note(progress.line, "the event did not come to its end")
    event = set_aside.SetAside(
        event_without_private(raw),
        progress.hook,
        progress.hint,
        str(progress.line["error"]),
        again=not (progress.is_hopeless or is_cut),
        created=time.time_ns(),
        conversation=progress.line.get("conversation", ""),
    )
    progress.line["set_aside"] = set_aside.keep(progress.paths.set_aside, event)
    progress.wants_courier = event.again
    progress.line.setdefault("outcome", "set aside")


def _wake_courier(progress: Progress) -> None:
    from neotoma_hooks.courier import start_courier

    if progress.settings is not None and progress.paths is not None:
        start_courier(progress.settings, progress.paths)


def _log(progress: Progress) -> None:
    from neotoma_hooks import hooklog

    assert progress.paths is not None
    progress.line.setdefault("ms", {})["total"] = round((time.monotonic() - progress.started) * 1000, 1)
    hooklog.append(progress.paths.log_file, progress.line)
