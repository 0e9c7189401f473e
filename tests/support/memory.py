"""The store in use, as a test sees it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

from support.firing import neotoma_hooks

if TYPE_CHECKING:
    from standin import StandIn


class Memory:
    """The store in use, as a test sees it."""

    def __init__(self, server: StandIn | None) -> None:
        self.server = server

    @property
    def is_server(self) -> bool:
        """Whether a courier stands between hook and store."""
        return self.server is not None

    def remember(self, name: str, type: str, *words: str) -> str:
        """Put an entity into the store; returns its id."""
        printed = neotoma_hooks("remember", name, "--type", type, *words)
        return next(word.strip(".,()") for word in printed.split() if word.strip(".,()").startswith("ent_"))

    def settle(self) -> None:
        """Wait until everything that the hooks left is delivered."""
        if self.server is None:
            return
        for _ in range(50):
            neotoma_hooks("flush", check=False)
            if not json.loads(neotoma_hooks("outbox", "--json"))["waiting"]:
                return
            time.sleep(0.1)
