"""Private files that are whole or not there at all."""

from __future__ import annotations

import os
import time

from neotoma_hooks.errors import StateError

STALE_TEMPORARY_SECONDS = 3600

_written = 0


def make_folder(path: str) -> None:
    """Create the folder and its parents, for their owner only. Raises StateError."""
    # os.makedirs would make the parents for everybody
    missing: list[str] = []
    top = path
    while top and not os.path.isdir(top):
        missing.append(top)
        top = os.path.dirname(top)
    try:
        for folder in reversed(missing):
            try:
                os.mkdir(folder, 0o700)
            except FileExistsError:
                if not os.path.isdir(folder):
                    raise
    except OSError as error:
        raise StateError(f"cannot create the folder {path}: {error.strerror or error}") from error


def write_private(path: str, data: bytes, *, durable: bool) -> None:
    """Put `data` into the file at `path`, readable by its owner only; a reader sees the old or the new, never a part.

    With `durable` the data and its name survive a power cut once this returns. Missing folders are created. Raises
    StateError.
    """
    global _written
    _written += 1
    folder = os.path.dirname(path)
    temporary = os.path.join(folder, f".{os.path.basename(path)}.{os.getpid()}-{_written}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    try:
        try:
            descriptor = os.open(temporary, flags, 0o600)
        except FileNotFoundError:
            make_folder(folder)
            descriptor = os.open(temporary, flags, 0o600)
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
        os.replace(temporary, path)
        if durable:
            sync_folder(folder)
    except OSError as error:
        remove(temporary)
        raise StateError(f"cannot write {path}: {error.strerror or error}") from error


def sync_folder(folder: str) -> None:
    """Make the names in the folder survive a power cut. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path: str) -> bytes | None:
    """The file's bytes, or None when there is no such file. Raises StateError."""
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StateError(f"cannot read {path}: {error.strerror or error}") from error


def remove(path: str) -> None:
    """Delete the file if it is there. Raises StateError when it is and cannot be deleted."""
    try:
        os.unlink(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise StateError(f"cannot remove {path}: {error.strerror or error}") from error


def names(folder: str, suffix: str) -> list[str]:
    """The names in the folder that end in `suffix` and are no half-written file, sorted; empty if there is none."""
    try:
        found = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StateError(f"cannot list {folder}: {error.strerror or error}") from error
    return sorted(name for name in found if name.endswith(suffix) and not name.startswith("."))


def sweep(folder: str) -> None:
    """Delete what a killed process left half-written, once it is surely nobody's; what cannot be deleted stays."""
    try:
        found = list(os.scandir(folder))
    except OSError:
        return
    for item in found:
        if item.name.startswith(".") and item.name.endswith(".tmp"):
            try:
                if time.time() - item.stat(follow_symlinks=False).st_mtime > STALE_TEMPORARY_SECONDS:
                    os.unlink(item.path)
            except OSError:
                continue
