"""Whether an event that was not handled comes from a folder that is never recorded, as far as that can be told."""

from __future__ import annotations

import json
import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.settings import Settings

NOT_RECORDED = "not recorded: the folder is on the never_record list"

# Where agents name the folder that they work in; within a text of an event the quotes would be escaped
_NAMED = rb'"(?:cwd|workspace_?[rR]oots|workspacePaths)"\s*:\s*\[?\s*("(?:[^"\\]|\\.)+")'


def is_excluded(raw: bytes, settings: Settings) -> bool:
    """Whether the event, whole or not and JSON or not, is of a folder on the `never_record` list.

    It is the first folder that the event names, or where it names none, the one that the agent started this process in.
    """
    if not settings.never_record:
        return False
    found = re.search(_NAMED, raw)
    try:
        folder = str(json.loads(os.fsdecode(found[1]), strict=False) if found else os.getcwd())
    # What it names is no text of JSON, or the folder is gone
    except (ValueError, OSError):
        return False
    return settings.excludes(folder)
