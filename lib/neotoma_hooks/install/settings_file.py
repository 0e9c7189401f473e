"""A settings file on disk: read it as it is, put another text into its place, or take it away again.

The file is the user's. A symbolic link stays one and its target is replaced; mode, owner and extended attributes stay;
whoever reads meanwhile sees the old text or the new one.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
import time
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError
from neotoma_hooks.state.files import sync_folder

_OWNER_ONLY_FILE = 0o600
_OWNER_ONLY_FOLDER = 0o700

# A virus scanner or an editor holds the file for a moment: denied, sharing violation, locked
_WINDOWS_BUSY = (5, 32, 33)


class ChangedMeanwhile(InstallError):
    """Somebody else wrote the file between our reading and our writing; read it again."""


@dataclass(frozen=True, slots=True)
class SettingsFile:
    """A file as it was read.

    `path` is its name as the agent knows it, `target` the file behind every link, `raw` its bytes and `text` the same
    as text (UTF-8, a byte order mark and line ends kept), `mode` its permission bits; all three are None when there is
    no such file.
    """

    path: str
    target: str
    raw: bytes | None
    text: str | None
    mode: int | None


def read(path: str) -> SettingsFile:
    """The file at `path`.

    Raises InstallError when it cannot be read, is no ordinary file, is not UTF-8, is a link to nowhere, or has a second
    name (a hard link: replacing the one would part it from the other).
    """
    target = os.path.realpath(path)
    try:
        found = os.stat(target)
    except FileNotFoundError:
        _refuse_dangling(path)
        return SettingsFile(path, target, None, None, None)
    except OSError as error:
        raise InstallError(f"{path}: cannot be read: {error.strerror or error}") from error
    if not stat.S_ISREG(found.st_mode):
        raise InstallError(f"{path}: is no ordinary file; move it away first")
    if found.st_nlink > 1:
        raise InstallError(
            f"{path}: has another name (a hard link), and a change would part the two; use a symbolic link"
        )
    try:
        with open(target, "rb") as file:
            raw = file.read()
    except OSError as error:
        raise InstallError(f"{path}: cannot be read: {error.strerror or error}") from error
    return SettingsFile(path, target, raw, _decoded(path, raw), stat.S_IMODE(found.st_mode))


def _refuse_dangling(path: str) -> None:
    """A link whose target is missing may belong to a disk that is not there now: nothing is created behind it."""
    part = path
    while True:
        if os.path.islink(part) and not os.path.exists(part):
            raise InstallError(
                f"{path}: {part} is a link to {os.readlink(part)}, which is not there; mend the link first"
            )
        above = os.path.dirname(part)
        if above == part:
            return
        part = above


def _decoded(path: str, raw: bytes) -> str:
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InstallError(f"{path}:1:1: the file is UTF-16; save it as UTF-8")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        lines = raw[: error.start].decode("utf-8").splitlines() or [""]
        place = f"{len(lines)}:{len(lines[-1]) + 1}"
        raise InstallError(
            f"{path}:{place}: a byte that is not UTF-8 (0x{raw[error.start]:02X}); save it as UTF-8"
        ) from error


def missing_folders(file: SettingsFile) -> list[str]:
    """The folders that have to be created for the file, outermost first."""
    missing: list[str] = []
    folder = os.path.dirname(file.target)
    while not os.path.isdir(folder):
        missing.insert(0, folder)
        folder = os.path.dirname(folder)
    return missing


def check_writable(file: SettingsFile) -> None:
    """Raises InstallError with the reason when file or folder may not be written.

    Replacing a file needs only its folder's permission, so a file that was marked read-only would be changed without
    this; and the superuser may write whatever is marked so.
    """
    if file.raw is not None:
        _check_mark(file.path, file.target, "the file")
    folder = os.path.dirname(file.target)
    while not os.path.isdir(folder):
        if os.path.lexists(folder):
            raise InstallError(f"{file.path}: {folder} is no folder; move it away first")
        folder = os.path.dirname(folder)
    _check_mark(file.path, folder, f"the folder {folder}")


def _check_mark(path: str, place: str, name: str) -> None:
    if not os.stat(place).st_mode & 0o222 or not os.access(place, os.W_OK):
        raise InstallError(
            f"{path}: {name} is read-only; make it writable, or register the hooks where it is made from"
        )


def write(file: SettingsFile, text: str, *, is_private: bool, is_executable: bool = False) -> None:
    """Put `text` into the file's place, durably.

    A new file and its new folders are for their owner only when `is_private`, else as the umask has it; whoever may
    read the file may run it when `is_executable`. Raises
    ChangedMeanwhile when the file is no longer what was read, InstallError when it cannot be written; then it is as it
    was.
    """
    check_writable(file)
    folder = os.path.dirname(file.target)
    made = missing_folders(file)
    temporary = ""
    try:
        for new_folder in made:
            os.mkdir(new_folder, _OWNER_ONLY_FOLDER if is_private else 0o777)
        descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{os.path.basename(file.target)}.", suffix=".tmp")
        with open(descriptor, "wb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            _dress(file, temporary, is_private=is_private)
            if is_executable:
                mode = stat.S_IMODE(os.stat(temporary).st_mode)
                os.chmod(temporary, mode | (mode & 0o444) >> 2)
            os.fsync(stream.fileno())
        _refuse_changed(file)
        _replace(temporary, file.target)
    except OSError as error:
        _clean_up(temporary, made)
        raise InstallError(f"{file.path}: cannot be written: {error.strerror or error}") from error
    except BaseException:
        _clean_up(temporary, made)
        raise
    _sync_folder(folder)


def _dress(file: SettingsFile, temporary: str, *, is_private: bool) -> None:
    """Give the temporary file the mode, owner and attributes of the one that it will replace."""
    if file.raw is None:
        if not is_private:
            umask = os.umask(0o077)
            os.umask(umask)
            os.chmod(temporary, 0o666 & ~umask)
        return
    old, new = os.stat(file.target), os.stat(temporary)
    if hasattr(os, "chown") and (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.chown(temporary, old.st_uid, old.st_gid)
        except PermissionError as error:
            raise InstallError(f"{file.path}: belongs to another user or group; ask its owner to change it") from error
    shutil.copystat(file.target, temporary)
    # An agent that watches the file tells a change by its time
    os.utime(temporary)


def _refuse_changed(file: SettingsFile) -> None:
    if read(file.path).raw != file.raw:
        raise ChangedMeanwhile(f"{file.path}: was changed by somebody else just now; try again")


def _replace(temporary: str, target: str) -> None:
    for wait in (0.02, 0.05, 0.1, 0.2, 0.4, 0.0):
        try:
            os.replace(temporary, target)
            return
        except OSError as error:
            if getattr(error, "winerror", None) not in _WINDOWS_BUSY or not wait:
                raise
        time.sleep(wait)


def _clean_up(temporary: str, made: list[str]) -> None:
    if temporary and os.path.exists(temporary):
        os.unlink(temporary)
    remove_folders(made)


def put_back(now: SettingsFile, before: SettingsFile, *, is_private: bool) -> None:
    """Give a file that is `now` in the same place the text and the mode that it had `before`. Raises as `write`."""
    assert before.text is not None
    if now.raw != before.raw:
        write(now, before.text, is_private=is_private)
    try:
        if before.mode is not None and now.mode != before.mode:
            os.chmod(before.target, before.mode)
    except OSError as error:
        raise InstallError(f"{before.path}: its mode cannot be set: {error.strerror or error}") from error


def delete(file: SettingsFile, made_folders: list[str]) -> None:
    """Take away a file that we created, and those of `made_folders` (outermost first) that are empty then.

    Raises ChangedMeanwhile or InstallError as `write` does.
    """
    check_writable(file)
    _refuse_changed(file)
    try:
        os.unlink(file.target)
    except OSError as error:
        raise InstallError(f"{file.path}: cannot be removed: {error.strerror or error}") from error
    _sync_folder(os.path.dirname(file.target))
    remove_folders(made_folders)


def remove_folders(folders: list[str]) -> None:
    """Remove those of the folders (outermost first) that are empty; the others stay."""
    with contextlib.suppress(OSError):
        for folder in reversed(folders):
            os.rmdir(folder)


def _sync_folder(folder: str) -> None:
    """Make a name in the folder survive a power cut, where the platform can."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        sync_folder(folder)
