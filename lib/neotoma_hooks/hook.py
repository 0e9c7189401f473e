"""A hook's process: stdin, stdout, its time and its one guard.

Whatever happens, it exits with 0, writes nothing to stderr, prints one JSON object or nothing, and is done in time
(G1).
"""

from __future__ import annotations

import gc
import os
import sys
import time

from neotoma_hooks.alarm import OutOfTime, limit_time, stop_the_clock
from neotoma_hooks.ending import Progress, finish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

MARGIN_SECONDS = 0.2
"""How long before the budget's end the hook gives up: time for setting the event aside and for a log line."""


def main(hook: str) -> NoReturn:
    """Handle the event on stdin and end the process; `hook` names the executable ("prompt_submit", "stop")."""
    try:
        # What a tenth of a second leaves is not worth looking for; imports alone would start it dozens of times
        gc.disable()
        _be_quiet()
        progress = Progress(hook, _hint(sys.argv), time.monotonic())
        try:
            try:
                _run(progress)
            except BaseException as error:  # noqa: BLE001 - the one guard: an agent must never be troubled by us (G1)
                progress.explain(error)
            stop_the_clock()
        # It may strike here as well, but only once
        except OutOfTime as error:
            progress.explain(error)
        finish(progress)
    finally:
        os._exit(0)


def _be_quiet() -> None:
    """Nothing goes to stderr, and no file of ours takes the number of a descriptor that the agent has closed."""
    try:
        descriptor = os.open(os.devnull, os.O_RDWR)
        while descriptor < 2:
            descriptor = os.dup(descriptor)
        if descriptor > 2:
            os.dup2(descriptor, 2)
            os.close(descriptor)
    # Nothing of ours writes there; this is for the day when something does
    except OSError:
        return


def _run(progress: Progress) -> None:
    from neotoma_hooks.errors import SettingsError
    from neotoma_hooks.paths import find_paths
    from neotoma_hooks.settings import is_disabled, read_settings

    paths = progress.paths = find_paths(os.environ)
    try:
        if is_disabled(os.environ):
            _leave(progress)
        limit_time(progress.started + 2.0 - MARGIN_SECONDS)
        settings = progress.settings = read_settings(paths.settings_file, os.environ)
    except SettingsError as error:
        if progress.hook == "prompt_submit":
            _tell_once(f"neotoma-hooks records nothing: {error}", progress)
        raise
    if settings.disable:
        _leave(progress)
    budget = settings.prompt_seconds if progress.hook == "prompt_submit" else settings.stop_seconds
    deadline = progress.started + budget - MARGIN_SECONDS
    limit_time(deadline)
    from neotoma_hooks.stdin import parse, read_event

    raw = read_event(progress.pieces)
    from neotoma_hooks.handling import handle
    from neotoma_hooks.stores.opening import open_store

    payload = parse(raw)
    store = open_store(settings, paths)
    if not store.is_local:
        from neotoma_hooks.stores.lean import do_without

        do_without()
    answer = handle(payload, progress.hint, settings, paths, store, deadline, progress.line)
    progress.is_safe = answer.firing.is_safe
    progress.wants_courier = answer.firing.queued
    progress.print(answer.output)
    if answer.context:
        progress.line["context_characters"] = len(answer.context)


def _leave(progress: Progress) -> NoReturn:
    """End as if we were not here."""
    try:
        progress.print_nothing()
    finally:
        os._exit(0)


def _tell_once(sentence: str, progress: Progress) -> None:
    """Show the person one sentence where the agent has a channel for it; the same one never again."""
    from neotoma_hooks.agents.registry import NAMES, agent
    from neotoma_hooks.state.notices import is_first

    if progress.hint not in NAMES or progress.paths is None:
        return
    known = agent(progress.hint)
    told = known.notice_output(sentence)
    if told and is_first(progress.paths.notices, sentence):
        progress.print(known.printed(told))


def _hint(arguments: list[str]) -> str:
    """The agent named by `--agent NAME` or `--agent=NAME`, "" when there is none."""
    for index, argument in enumerate(arguments):
        if argument == "--agent" and index + 1 < len(arguments):
            return arguments[index + 1]
        if argument.startswith("--agent="):
            return argument.partition("=")[2]
    return ""
