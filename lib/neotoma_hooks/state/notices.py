"""What a person was told already: each thing once."""

from __future__ import annotations

import os
from hashlib import sha256

from neotoma_hooks.errors import StateError
from neotoma_hooks.state.files import make_folder

MOST_KEPT = 500


def is_first(folder: str, subject: str) -> bool:
    """Whether nobody has been told of `subject` yet; from now on somebody has.

    Of several processes that ask at once exactly one is told yes. A folder that cannot be written gives no: a notice
    that would come with every prompt is worse than none.
    """
    name = sha256(subject.encode("utf-8", "surrogatepass")).hexdigest()[:32]
    try:
        make_folder(folder)
        os.close(os.open(os.path.join(folder, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        told = sorted(os.scandir(folder), key=lambda item: item.stat().st_mtime)
        for old in told[:-MOST_KEPT]:
            os.unlink(old.path)
    except (OSError, StateError):
        return False
    return True
