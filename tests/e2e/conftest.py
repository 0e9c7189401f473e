"""Every end-to-end test runs on both stores."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from standin import StandIn
from support.memory import Memory


@pytest.fixture(params=["embedded", "server"])
def memory(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    """An empty memory, configured for the hooks."""
    if request.param == "embedded":
        yield Memory(None)
        return
    with StandIn() as server:
        monkeypatch.setenv("NEOTOMA_BASE_URL", server.url)
        yield Memory(server)
