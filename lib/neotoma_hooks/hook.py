"""A hook's process: stdin, stdout, its time and its one guard.

Whatever happens, it exits with 0, writes nothing to stderr, prints one JSON object or nothing, and is done in time
(G1).
"""

from __future__ import annotations

import gc
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Any, NoReturn

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings

MARGIN_SECONDS = 0.2
"""How long before the budget's end the hook gives up: time for setting the event aside and for a log line."""


class OutOfTime(BaseException):
    """The hook's budget is used up; raised wherever it happens to be."""


def main(hook: str) -> NoReturn:
    """Handle the event on stdin and end the process; `hook` names the executable ("prompt_submit", "stop")."""
    started = time.monotonic()
    # What a tenth of a second leaves is not worth looking for; imports alone would start it dozens of times
    gc.disable()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    line: dict[str, Any] = {"hook": hook}
    state = _State()
    try:
        try:
            _run(hook, started, line, state)
        except BaseException as error:  # noqa: BLE001 - the one guard: an agent must never be troubled by us (G1)
            _explain(error, line, state)
        _stop_the_clock()
    # It may strike here as well, but only once
    except OutOfTime as error:
        _explain(error, line, state)
    try:
        _finish(hook, started, line, state)
    finally:
        os._exit(0)


class _State:
    """What is known of the event so far, for the guard."""

    __slots__ = ("hint", "is_hopeless", "is_safe", "is_unsettled", "paths", "pieces", "settings", "wants_courier")

    def __init__(self) -> None:
        self.hint = ""
        self.pieces: list[bytes] = []
        self.paths: Paths | None = None
        self.settings: Settings | None = None
        self.is_unsettled = False
        self.is_safe = False
        self.is_hopeless = False
        self.wants_courier = False


def _run(hook: str, started: float, line: dict[str, Any], state: _State) -> None:
    if os.environ.get("NEOTOMA_HOOKS_DISABLE", "") not in ("", "0"):
        state.is_safe = True
        os._exit(0)
    from neotoma_hooks.errors import SettingsError
    from neotoma_hooks.paths import find_paths
    from neotoma_hooks.settings import read_settings

    state.hint = line["agent"] = _hint(sys.argv)
    state.paths = find_paths(os.environ)
    _limit_time(started + 2.0)
    try:
        settings = state.settings = read_settings(state.paths.settings_file, os.environ)
    except SettingsError as error:
        if hook == "prompt_submit":
            _tell_once(f"neotoma-hooks records nothing: {error}", state)
        raise
    if settings.disable:
        os._exit(0)
    deadline = started + (settings.prompt_seconds if hook == "prompt_submit" else settings.stop_seconds)
    _limit_time(deadline)
    from neotoma_hooks.stdin import read_event

    raw = read_event(state.pieces)
    from neotoma_hooks.firing import handle, parse
    from neotoma_hooks.stores.opening import open_store

    payload = parse(raw)
    store = open_store(settings, state.paths)
    if not store.is_local:
        from neotoma_hooks.stores.lean import do_without

        do_without()
    answer = handle(payload, state.hint, settings, state.paths, store, deadline - MARGIN_SECONDS, line)
    state.is_safe = answer.firing.is_safe
    state.wants_courier = answer.firing.queued
    if answer.output:
        _print(answer.output)
        line["context_characters"] = len(answer.output)


def _print(output: bytes) -> None:
    view = memoryview(output)
    while view:
        view = view[os.write(1, view) :]


def _tell_once(sentence: str, state: _State) -> None:
    """Show the person one sentence where the agent has a channel for it; the same one never again."""
    import json

    from neotoma_hooks.agents.registry import agent
    from neotoma_hooks.state.notices import is_first

    told = agent(state.hint).notice_output(sentence)
    if told and state.paths is not None and is_first(state.paths.notices, sentence):
        _print(json.dumps(told).encode("ascii"))


def _hint(arguments: list[str]) -> str:
    """The agent named by `--agent NAME` or `--agent=NAME`, "" when there is none."""
    for index, argument in enumerate(arguments):
        if argument == "--agent" and index + 1 < len(arguments):
            return arguments[index + 1]
        if argument.startswith("--agent="):
            return argument.partition("=")[2]
    return ""


def _limit_time(deadline: float) -> None:
    """Raise OutOfTime shortly before `deadline` (on `time.monotonic`'s clock), wherever the hook is by then."""
    import signal

    if not hasattr(signal, "setitimer"):
        return

    def out_of_time(_number: int, _frame: FrameType | None) -> None:
        raise OutOfTime

    signal.signal(signal.SIGALRM, out_of_time)
    signal.setitimer(signal.ITIMER_REAL, max(0.01, deadline - MARGIN_SECONDS - time.monotonic()))


def _stop_the_clock() -> None:
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _explain(error: BaseException, line: dict[str, Any], state: _State) -> None:
    """Put the cause into the log line, and whether it can ever be otherwise."""
    from neotoma_hooks.errors import EventError, ReplyNotThereYet, SettingsError, described

    line["error"] = "out of time" if isinstance(error, OutOfTime) else described(error)
    state.is_hopeless = isinstance(error, EventError) and not isinstance(error, ReplyNotThereYet)
    state.is_unsettled = isinstance(error, SettingsError)


def _finish(hook: str, started: float, line: dict[str, Any], state: _State) -> None:
    """Set aside what is not safe yet, wake the courier, write the log line; each whether or not the others could."""
    from neotoma_hooks.errors import NeotomaHooksError

    if state.paths is None:
        return
    try:
        if "error" in line and not state.is_safe and not state.is_unsettled:
            _set_aside(hook, line, state)
    except (NeotomaHooksError, OutOfTime) as error:
        line["error"] += f"; the event is not kept: {error}"
    try:
        if state.wants_courier and state.settings is not None:
            from neotoma_hooks.courier import start_courier

            start_courier(state.settings, state.paths, os.environ)
    except (NeotomaHooksError, OSError) as error:
        line["error"] = f"cannot start the courier: {error}"
    from neotoma_hooks import hooklog

    line.setdefault("ms", {})["total"] = round((time.monotonic() - started) * 1000, 1)
    hooklog.append(state.paths.log_file, line)


def _set_aside(hook: str, line: dict[str, Any], state: _State) -> None:
    from neotoma_hooks.protocol.privacy import event_without_private
    from neotoma_hooks.settings import read_settings
    from neotoma_hooks.state import set_aside
    from neotoma_hooks.stdin import as_far_as_it_came

    assert state.paths is not None
    if state.settings is None:
        # Whatever it was that took all the time may do so again
        _limit_time(time.monotonic() + 2 * MARGIN_SECONDS)
        state.settings = read_settings(state.paths.settings_file, os.environ)
        _stop_the_clock()
        if state.settings.disable:
            return
    raw = b"".join(state.pieces) if state.is_hopeless else as_far_as_it_came(state.pieces)
    if not raw.strip():
        return
    reason = str(line["error"])
    event = set_aside.SetAside(
        event_without_private(raw),
        hook,
        state.hint,
        reason,
        again=not state.is_hopeless,
        created=time.time_ns(),
        conversation=line.get("conversation", ""),
    )
    line["set_aside"] = set_aside.keep(state.paths.set_aside, event)
    state.wants_courier = event.again
    line.setdefault("outcome", "set aside")
