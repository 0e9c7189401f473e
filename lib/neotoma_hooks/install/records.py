"""What stood in a settings file before we came: the memory that makes `uninstall` exact.

One JSON file for each settings file, private, in a folder of ours; the user's own folders get nothing. While a settings
file still is what we made of it, `uninstall` puts back what is recorded here; where others have written since, the
record still tells which empty containers were there before us.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError
from neotoma_hooks.state import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_VERSION = 1
_UNFIT = re.compile(r"[^\w.-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Record:
    """One file that belongs to a registration of our hooks.

    `agent` is our name of the agent, `file` the file, `before` the text that it would have without us (None: no file),
    `after` the digest of the text we wrote, `made_folders` the folders that we created for it, outermost first.
    `settings` is the settings file or folder of the registration that it belongs to, `is_project` whether that is a
    repository's.
    """

    agent: str
    file: str
    before: str | None
    after: str
    made_folders: tuple[str, ...]
    settings: str
    is_project: bool

    def is_of(self, text: str | None) -> bool:
        """Whether `text` is what we wrote, to the byte."""
        return text is not None and digest(text) == self.after


def digest(text: str) -> str:
    """The SHA-256 of the text's UTF-8, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def find(folder: str, file: str) -> Record | None:
    """The record of that settings file, or None. Raises InstallError for one that is damaged, StateError as files
    do."""
    return _read(os.path.join(folder, f"{_name(file)}.json"))


def all_records(folder: str) -> Iterator[Record]:
    """Every record in the folder, in the order of their names. Raises as `find` does."""
    for name in files.names(folder, ".json"):
        record = _read(os.path.join(folder, name))
        if record is not None:
            yield record


def keep(folder: str, record: Record, backup: bytes | None) -> None:
    """Put the record into the folder, durably, in place of an older one of the same file.

    At the first touch of a file, when it has no record yet, its bytes `backup` are kept beside the record. Raises
    StateError.
    """
    path = os.path.join(folder, f"{_name(record.file)}.json")
    if backup is not None and files.read(path) is None:
        files.write_private(backup_path(folder, record.file), backup, durable=True)
    kept = {
        "version": _VERSION,
        "agent": record.agent,
        "file": record.file,
        "before": record.before,
        "after": record.after,
        "made_folders": list(record.made_folders),
        "settings": record.settings,
        "is_project": record.is_project,
    }
    files.write_private(path, json.dumps(kept, indent=1).encode("ascii"), durable=True)


def forget(folder: str, file: str, restored: bytes | None) -> None:
    """Remove the record of that settings file, and its backup if the file, now `restored`, equals it. Raises
    StateError.

    A backup that differs stays: the user may miss something, and it is the only copy.
    """
    files.remove(os.path.join(folder, f"{_name(file)}.json"))
    if files.read(backup_path(folder, file)) == restored:
        files.remove(backup_path(folder, file))


def backup_path(folder: str, file: str) -> str:
    """Where the backup of that settings file is, if there is one."""
    return os.path.join(folder, f"{_name(file)}.backup")


def _name(file: str) -> str:
    """A file name for that path: readable, and no other path's."""
    last_parts = _UNFIT.sub("-", "-".join(file.split(os.sep)[-2:])).strip("-.")
    return f"{last_parts[:60]}-{hashlib.sha256(os.fsencode(file)).hexdigest()[:16]}"


def _read(path: str) -> Record | None:
    data = files.read(path)
    if data is None:
        return None
    try:
        kept = json.loads(data)
        before = kept["before"]
        return Record(
            str(kept["agent"]),
            str(kept["file"]),
            None if before is None else str(before),
            str(kept["after"]),
            tuple(str(made) for made in kept["made_folders"]),
            # Records of the first version told neither
            str(kept.get("settings", kept["file"])),
            kept.get("is_project") is True,
        )
    except files.DAMAGED as error:
        raise InstallError(
            f"{path}: this record of an installation is damaged; move it away, then try again"
        ) from error
