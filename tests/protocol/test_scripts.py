"""Expressions that stand in for dearer ones where a text is nothing but ASCII."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from neotoma_hooks.protocol import context, exact_forms, quotations, words

STAND_INS = {
    "pieces": (exact_forms._ASCII_PIECE, exact_forms._PIECE),
    "words": (words._ASCII_WORD, words._WORD),
    "quotation marks": (quotations._ASCII_MARK, quotations._MARK),
    "what is not plain": (context._ASCII_NOT_PLAIN, context._NOT_PLAIN),
}


@pytest.mark.parametrize("name", STAND_INS)
@given(text=st.text(st.characters(max_codepoint=127)))
def test_same_hits_in_ascii(name: str, text: str) -> None:
    """Wherever the short expression is used, the long one would find the same."""
    short, long = STAND_INS[name]
    assert [hit.span() for hit in re.finditer(short, text)] == [hit.span() for hit in re.finditer(long, text)]


@given(text=st.text(st.characters(max_codepoint=127)), at=st.integers(0, 20))
def test_same_words_beside_a_taken_span(text: str, at: int) -> None:
    """U+FFFC, which marks what is taken, belongs to no word."""
    line = f"{text[:at]}\ufffc{text[at:]}"
    short, long = STAND_INS["words"]
    assert [hit.span() for hit in re.finditer(short, line)] == [hit.span() for hit in re.finditer(long, line)]
