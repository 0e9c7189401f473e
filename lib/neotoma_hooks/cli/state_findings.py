"""What `doctor` finds in the state folder: what waits, what was refused or set aside, and files in the way of ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator

from neotoma_hooks.cli.common import age
from neotoma_hooks.cli.findings import MOVE_AWAY, Finding, rights_back, unread
from neotoma_hooks.errors import InstallError, StateError
from neotoma_hooks.install import registering
from neotoma_hooks.paths import Paths
from neotoma_hooks.state import files, set_aside
from neotoma_hooks.state.outbox import Entry, Outbox

OLD_SECONDS = 600.0
"""A write that waits for longer than this is worth a word."""


def state_findings(paths: Paths) -> Iterator[Finding]:
    """What is to be said of the state folder, folder by folder; what is wrong with one hides no other."""
    if wrong := _wrong_folder(paths.state, paths):
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
        if wrong := _wrong_folder(folder, paths):
            yield wrong
        else:
            yield from _checked(subject, look, paths)
    for path in (paths.breaker_file, paths.courier_lock):
        yield from _unusable("files", path, paths)
    # One that cannot be read is told where it is read
    if os.path.isfile(paths.log_file) and os.access(paths.log_file, os.R_OK):
        yield from _unusable("hook log", paths.log_file, paths)


def _wrong_folder(folder: str, paths: Paths) -> Finding | None:
    """What is wrong with a folder of ours, which need not be there, as a whole."""
    if not os.path.lexists(folder):
        return None
    if not os.path.isdir(folder):
        return Finding("files", f"{folder} is no folder, and one of ours belongs there", "move it away")
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        return Finding("files", f"{folder} may not be read and written by you", rights_back(paths.state))
    return None


def _checked(subject: str, look: Callable[[Paths], Iterator[Finding]], paths: Paths) -> Iterator[Finding]:
    """What `look` finds, and what keeps it from looking on."""
    try:
        yield from look(paths)
    except StateError as error:
        yield unread(subject, error, paths)


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
    for name in [*files.names(paths.pending, ".json"), *files.names(paths.pending, ".lock")]:
        yield from _unusable("pending turns", os.path.join(paths.pending, name), paths)


def _unusable(subject: str, path: str, paths: Paths) -> Iterator[Finding]:
    """Why a file of ours, which need not be there, cannot be used, if that is so."""
    if os.path.lexists(path) and not os.path.isfile(path):
        yield Finding(subject, f"{path} is no file, and one of ours belongs there", MOVE_AWAY)
    elif os.path.exists(path) and not os.access(path, os.R_OK | os.W_OK):
        yield Finding(subject, f"{path} may not be read and written by you", rights_back(paths.state))


def _records(paths: Paths) -> Iterator[Finding]:
    try:
        registering.recorded(paths.install_records)
    except InstallError as error:
        yield Finding("registrations", str(error), MOVE_AWAY)
