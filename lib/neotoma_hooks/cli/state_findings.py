"""What `doctor` finds in the state folder: what waits, what was refused or set aside, and files in the way of ours."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from neotoma_hooks.cli.common import age
from neotoma_hooks.cli.findings import MOVE_AWAY, Finding, checked, rights_back, unread, wrong_folder
from neotoma_hooks.errors import InstallError, LockTimeout, StateError
from neotoma_hooks.install import registering
from neotoma_hooks.paths import Paths
from neotoma_hooks.state import files, set_aside
from neotoma_hooks.state.lock import locked
from neotoma_hooks.state.outbox import Entry, Outbox

OLD_SECONDS = 600.0
"""A write that waits for longer than this is worth a word."""


def state_findings(paths: Paths) -> Iterator[Finding]:
    """What is to be said of the state folder, folder by folder; what is wrong with one hides no other."""
    if wrong := wrong_folder(paths.state, paths.state):
        yield wrong
        return
    looks = {
        paths.outbox: ("outbox", _waiting),
        paths.rejected: ("refused", _refused),
        paths.set_aside: ("set aside", _set_aside),
        paths.pending: ("pending turns", _pending),
        paths.notices: ("notices", _nothing),
        paths.install_records: ("registrations", _records),
    }
    for folder, (subject, look) in looks.items():
        if wrong := wrong_folder(folder, paths.state):
            yield wrong
        else:
            yield from checked(subject, look, paths)
    yield from checked("courier", _courier, paths)


def _nothing(_paths: Paths) -> Iterator[Finding]:
    """What is in there is worth no word."""
    return iter(())


def _waiting(paths: Paths) -> Iterator[Finding]:
    found = list(_loaded("outbox", paths, is_rejected=False))
    entries = [one for one in found if isinstance(one, Entry)]
    oldest = max((time.time() - entry.created / 1e9 for entry in entries), default=0.0)
    seen = f"{len(entries)} writes wait, the oldest for {age(oldest)}" if entries else "empty"
    mend = "run `neotoma-hooks flush` to deliver them and see what stands in the way" if oldest > OLD_SECONDS else ""
    yield Finding("outbox", seen, mend)
    yield from (one for one in found if isinstance(one, Finding))


def _refused(paths: Paths) -> Iterator[Finding]:
    found = list(_loaded("refused", paths, is_rejected=True))
    for one in found:
        if isinstance(one, Finding):
            yield one
            continue
        seen = f"the store refused {one.message.turn_key}: {one.reason}"
        yield Finding("refused", seen, "mend the cause, then `neotoma-hooks outbox --retry` and `neotoma-hooks flush`")
    if not found:
        yield Finding("refused", "no write was refused")


def _loaded(subject: str, paths: Paths, *, is_rejected: bool) -> Iterator[Entry | Finding]:
    """Each write in a folder of the outbox, or what keeps it from being read. Raises StateError."""
    box = Outbox(paths.outbox, paths.rejected)
    for name in box.rejected_names() if is_rejected else box.names():
        try:
            entry = box.load(name, rejected=is_rejected)
        except StateError as error:
            yield unread(subject, error, paths)
            continue
        if entry is not None:
            yield entry


def _set_aside(paths: Paths) -> Iterator[Finding]:
    names = set_aside.names(paths.set_aside)
    reasons: dict[str, list[set_aside.SetAside]] = {}
    for name in names:
        try:
            event = set_aside.load(paths.set_aside, name)
        except StateError as error:
            yield unread("set aside", error, paths)
            continue
        path = os.path.join(paths.set_aside, name)
        if event is not None:
            reasons.setdefault(event.reason, []).append(event)
        elif os.path.exists(path):
            yield Finding("set aside", f"cannot read the event {path}: it is damaged", MOVE_AWAY)
    for reason, events in reasons.items():
        again = "it is tried again by the next courier or `neotoma-hooks flush`"
        mend = again if events[-1].again else f"look into {paths.set_aside}, and delete what you do not need"
        yield Finding("set aside", f"{len(events)} events of {events[-1].agent or 'an unknown agent'}: {reason}", mend)
    if not names:
        yield Finding("set aside", "no event")


def _pending(paths: Paths) -> Iterator[Finding]:
    """What stands in the way of pending-turn files and their locks, which are read one at a time by hooks."""
    for name in [*files.names(paths.pending, ".json"), *files.names(paths.pending, ".lock")]:
        path = os.path.join(paths.pending, name)
        if not os.path.isfile(path):
            yield Finding("pending turns", f"{path} is no file, and one of ours belongs there", MOVE_AWAY)
        elif not os.access(path, os.R_OK | os.W_OK):
            yield Finding("pending turns", f"{path} may not be read and written by you", rights_back(paths.state))


def _records(paths: Paths) -> Iterator[Finding]:
    try:
        registering.recorded(paths.install_records)
    except InstallError as error:
        yield Finding("registrations", str(error), MOVE_AWAY)


def _courier(paths: Paths) -> Iterator[Finding]:
    """Whether the courier's lock can be had, by having it for a moment. Raises StateError."""
    if not os.path.lexists(paths.courier_lock):
        return
    try:
        with locked(paths.courier_lock, 0):
            pass
    except LockTimeout:
        yield Finding("courier", "at work")
