from __future__ import annotations

import pytest

from neotoma_hooks.protocol.shadows import shadows


@pytest.mark.parametrize(
    ("text", "identifiers", "expected"),
    [
        ("About Project Phoenix", ["Project Phoenix", "Phoenix"], {"Phoenix": ["Project Phoenix"]}),
        ("Project Phoenix, then Phoenix alone", ["Project Phoenix", "Phoenix"], {}),
        ("Acme Rocket Labs and Acme", ["Acme Rocket Labs", "Acme"], {}),
        ("the iPhone 15 Pro", ["iPhone 15 Pro", "iPhone 15", "15"], {
            "iPhone 15": ["iPhone 15 Pro"], "15": ["iPhone 15 Pro", "iPhone 15"],
        }),
        ("Ada and Grace", ["Ada", "Grace"], {}),
        ("", [], {}),
    ],
)  # fmt: skip
def test_part_of_a_longer_identifier(text: str, identifiers: list[str], expected: dict[str, list[str]]) -> None:
    """Shadowed is what the text holds nowhere but inside a longer one."""
    assert shadows(text, identifiers) == expected
