"""Whether Codex will run the hooks that are registered: it runs those only that the person trusted, as they were then.

Its `config.toml` notes the trusted ones, by the settings' path and a hook's place in it:

    [hooks.state."<path>:user_prompt_submit:0:0"]
    trusted_hash = "sha256:…"

The hash is over the entry with its defaults filled in, as JSON with sorted keys (as Codex 0.171.0 computes it).
"""

from __future__ import annotations

import hashlib
import json
import os
import re

from neotoma_hooks.errors import InstallError
from neotoma_hooks.install import settings_file
from neotoma_hooks.install.toml_text import parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from neotoma_hooks.install.format import Place

TRUSTED, CHANGED, UNTRUSTED = "trusted", "changed", "untrusted"

_WORD_START = re.compile(r"(?<=[a-z])(?=[A-Z])")
_DEFAULT_SECONDS = 600


def trust(trust_file: str, path: str, places: Iterable[Place]) -> str:
    """TRUSTED when Codex runs all of these hooks of the settings file at `path`, UNTRUSTED when it was not told to.

    CHANGED when it was told to run hooks at these places, but, as far as can be told, not in this form, or no more.
    """
    try:
        text = settings_file.read(trust_file).text
        states = _member(_member(parsed(text or "", trust_file), "hooks"), "state")
    except InstallError:
        return UNTRUSTED
    # Codex resolves links on the way to its folder, but not the file's own (measured with 0.171.0)
    paths = (os.path.join(os.path.realpath(os.path.dirname(path)), os.path.basename(path)), path)
    found: set[str] = set()
    for place in places:
        _, event, group, _, handler = place.at
        label = _WORD_START.sub("_", str(event)).lower()
        keys = [f"{one}:{label}:{group}:{handler}" for one in paths]
        state = next((_member(states, key) for key in keys if key in states), {})
        if not state.get("trusted_hash"):
            found.add(UNTRUSTED)
        elif state.get("enabled") is False or state["trusted_hash"] != _hash(label, place):
            found.add(CHANGED)
    return next((one for one in (UNTRUSTED, CHANGED) if one in found), TRUSTED)


def _member(table: dict[str, Any], key: str) -> dict[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _hash(label: str, place: Place) -> str:
    entry = place.value if isinstance(place.value, dict) else {}
    handler = {
        "type": "command",
        "command": place.command,
        "timeout": max(1, int(entry.get("timeout", _DEFAULT_SECONDS))),
        "async": entry.get("async") is True,
        **({"statusMessage": entry["statusMessage"]} if "statusMessage" in entry else {}),
    }
    identity = {"event_name": label, "hooks": [handler]}
    # Prompt and reply events take no matcher, so theirs plays no part
    if label == "post_tool_use" and "matcher" in place.around:
        identity["matcher"] = place.around["matcher"]
    written = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return "sha256:" + hashlib.sha256(written.encode("utf-8")).hexdigest()
