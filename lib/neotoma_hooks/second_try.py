"""Events that their hooks could not handle, handled by the courier."""

from __future__ import annotations

import time

from neotoma_hooks import hooklog
from neotoma_hooks.errors import EventError, NeotomaHooksError, described, note
from neotoma_hooks.exclusion import NOT_RECORDED, is_excluded
from neotoma_hooks.state import set_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings
    from neotoma_hooks.stores.base import Store

PATIENCE_SECONDS = 10.0


def handle_set_aside(settings: Settings, paths: Paths, store: Store) -> set[str]:
    """Bring their messages to the outbox (or into a local store) now, in order, without context for the agent.

    Returns the names of those that could not be handled now either, and of later ones of their conversations.
    """
    from neotoma_hooks.firing import handle, parse

    left: set[str] = set()
    held: set[str] = set()
    for name in set_aside.waiting(paths.set_aside):
        conversation = set_aside.conversation_digest(name)
        must_wait = conversation in held or (held and set_aside.UNKNOWN in (conversation, *held))
        if must_wait:
            left.add(name)
            continue
        event = set_aside.load(paths.set_aside, name)
        if event is None:
            set_aside.give_up(paths.set_aside, name)
            continue
        hopeless = ""
        line: dict[str, Any] = {"hook": event.hook, "late": True}
        try:
            until = time.monotonic() + PATIENCE_SECONDS
            handle(parse(event.raw), event.agent, settings, paths, store, until, line, is_late=True)
        except EventError as error:
            hopeless = str(error)
        except NeotomaHooksError:
            held.add(conversation)
            left.add(name)
            continue
        except Exception as error:  # noqa: BLE001 - one event that we fail at must not keep all others from the store
            hopeless = f"cannot be handled: {described(error)}"
        if hopeless and is_excluded(event.raw, settings):
            line["outcome"] = NOT_RECORDED
        elif hopeless:
            note(line, hopeless)
            event.again, event.reason = False, hopeless
            set_aside.keep(paths.set_aside, event)
        set_aside.forget(paths.set_aside, name)
        hooklog.append(paths.log_file, line)
    return left
