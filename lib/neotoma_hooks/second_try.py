"""Events that their hooks could not handle, handled by the courier."""

from __future__ import annotations

import time

from neotoma_hooks import hooklog
from neotoma_hooks.errors import EventError, NeotomaHooksError, StateError, described, note
from neotoma_hooks.exclusion import NOT_RECORDED, is_excluded
from neotoma_hooks.state import set_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.stores.base import Store

PATIENCE_SECONDS = 10.0
"""How long one event may take: for a lock, and for a transcript that is behind."""


def handle_set_aside(settings: Settings, paths: Paths, store: Store, until: float) -> set[str]:
    """Bring their messages to the outbox (or into a local store) now, in order, without context for the agent.

    Begins none after `until` (on `time.monotonic`'s clock); one that is begun has the time it needs, because what it
    does not find then is given up for good. Returns the names of those that could not be handled now either, and of
    later ones of their conversations.
    """
    left: set[str] = set()
    held: set[str] = set()
    for name in set_aside.waiting(paths.set_aside):
        conversation = set_aside.conversation_digest(name)
        must_wait = conversation in held or (held and set_aside.UNKNOWN in (conversation, *held))
        if must_wait or time.monotonic() >= until:
            left.add(name)
            continue
        try:
            if not _is_handled(name, settings, paths, store):
                held.add(conversation)
                left.add(name)
        except StateError:
            # A file that is not ours to read or to delete keeps no other from the store; `doctor` names it
            left.add(name)
    return left


def _is_handled(name: str, settings: Settings, paths: Paths, store: Store) -> bool:
    """Whether the event is out of the way now, one way or the other. Raises StateError for the file itself."""
    from neotoma_hooks.handling import handle
    from neotoma_hooks.stdin import parse

    event = set_aside.load(paths.set_aside, name)
    if event is None:
        set_aside.give_up(paths.set_aside, name)
        return True
    line: dict[str, Any] = {"hook": event.hook, "late": True}
    hopeless = ""
    try:
        handle(
            parse(event.raw),
            event.agent,
            settings,
            paths,
            store,
            time.monotonic() + PATIENCE_SECONDS,
            line,
            is_late=True,
        )
    except EventError as error:
        hopeless = str(error)
    except NeotomaHooksError as error:
        note(line, str(error))
        _log({**line, "outcome": "set aside"}, paths)
        return False
    except Exception as error:  # noqa: BLE001 - one event that we fail at must not keep all others from the store
        hopeless = f"cannot be handled: {described(error)}"
    if hopeless and is_excluded(event.raw, settings):
        line["outcome"] = NOT_RECORDED
    elif hopeless:
        note(line, hopeless)
        event.again, event.reason = False, hopeless
        set_aside.keep(paths.set_aside, event)
    _log(line, paths)
    set_aside.forget(paths.set_aside, name)
    return True


def _log(line: dict[str, Any], paths: Paths) -> None:
    """Write the line; a log that takes none keeps no event from being handled."""
    try:
        hooklog.append(paths.log_file, line)
    except StateError:
        return
