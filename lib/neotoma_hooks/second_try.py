"""Events whose hook could not handle them: their messages become durable now, without context for the agent."""

from __future__ import annotations

import time

from neotoma_hooks.errors import EventError, NeotomaHooksError, described
from neotoma_hooks.state import set_aside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.paths import Paths
    from neotoma_hooks.settings import Settings

SECONDS_FOR_ONE = 10.0


def try_again(settings: Settings, paths: Paths) -> str:
    """Handle each event that is set aside for it, oldest first; returns what went wrong last, "" when nothing did.

    One that turns out to make no sense stays, and is not tried again; one that fails on the machine's state, or on a
    bug of ours, stays for the next time with the reason. Raises StateError.
    """
    from neotoma_hooks.firing import handle, parse

    problem = ""
    for name in set_aside.waiting(paths.set_aside):
        event = set_aside.load(paths.set_aside, name)
        if event is None:
            continue
        try:
            handle(parse(event.raw), event.agent, settings, paths, time.monotonic() + SECONDS_FOR_ONE, {}, is_late=True)
        except EventError as error:
            event.again, event.reason = False, str(error)
        except NeotomaHooksError as error:
            problem = str(error)
            continue
        except Exception as error:  # noqa: BLE001 - a bug that one event meets must not keep the others from the store
            problem = event.reason = described(error)
        else:
            set_aside.forget(paths.set_aside, name)
            continue
        if set_aside.keep(paths.set_aside, event) != name:
            set_aside.forget(paths.set_aside, name)
    return problem
