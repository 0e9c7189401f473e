"""The store in use, as a test sees it."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING

from neotoma_hooks.paths import find_paths
from neotoma_hooks.state import set_aside
from neotoma_hooks.state.outbox import Outbox
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
        until = time.monotonic() + 600
        while left := left_over():
            assert time.monotonic() < until, left
            neotoma_hooks("flush", check=False)


def left_over() -> list[str]:
    """The names of events and writes that are on their way to the store."""
    paths = find_paths(os.environ)
    # In this order, for an event is a write before it is forgotten
    return set_aside.waiting(paths.set_aside) + Outbox(paths.outbox, paths.rejected).names()
