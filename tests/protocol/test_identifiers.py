"""What `identifiers_in` and `explain` find in a message."""

from __future__ import annotations

import base64
import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.protocol import explain, identifiers_in
from neotoma_hooks.protocol.words import words_of

#: The limit is 0.15 s on a quiet machine; a busy one gets some slack, a quadratic rule would need minutes.
SECONDS = 1.0

#: Pieces from which messages are put together, so that the properties are tried on texts with names in them.
PIECES = st.sampled_from(
    [
        "Ada Lovelace",
        "ask",
        "Ask",
        "the",
        "Acme, Inc.",
        "PROJ-12",
        '"Q3 plan"',
        "ada@example.org",
        "GitHub",
        "https://acme.com/x",
        "Heron's",
        "I",
        "don't",
        "NASA",
        "`foo_bar`",
        "src/app.py",
        "and",
        "Straße",
        "Łukasz",
        "«Маяк»",
        "銀河",
        "Grace",
        "Hopper",
        "van",
        "der",
        "Berg",
        "!",
        ".",
        ":",
        "(",
        ")",
        "- ",
        "\n",
        "> ",
        "```",
        "SELECT",
        '5"',
        "'",
        "É\u0301",
        "\x00",
        "\ud800",
        "🚀",
        "#45",
        "&",
        "<system-reminder>",
        "</system-reminder>",
    ]
)
MESSAGES = st.one_of(st.lists(PIECES, max_size=30).map(" ".join), st.lists(PIECES, max_size=30).map("".join), st.text())
deterministic = settings(derandomize=True, deadline=None, max_examples=300)


@deterministic
@given(MESSAGES)
def test_every_identifier_stands_in_the_text(text: str) -> None:
    """Nothing is made up or rewritten: each result is a piece of the message."""
    assert all(found and found in text for found in identifiers_in(text))


@deterministic
@given(MESSAGES, st.integers(0, 20))
def test_none_comes_twice_and_the_limit_holds(text: str, limit: int) -> None:
    """There are at most `limit` results, no two equal but for case, and a smaller limit gives the best of them."""
    found = identifiers_in(text, limit)
    assert len(found) <= limit
    assert len({item.casefold() for item in found}) == len(found)
    assert found == identifiers_in(text, 1000)[:limit]


@deterministic
@given(MESSAGES)
def test_the_same_text_gives_the_same_result(text: str) -> None:
    """The result depends on nothing but the text."""
    assert identifiers_in(text) == identifiers_in(str(text))


@deterministic
@given(
    st.lists(PIECES.filter(lambda piece: "`" not in piece and "<" not in piece), max_size=20).map(" ".join), MESSAGES
)
def test_text_that_is_added_leaves_the_order_of_what_was_there(text: str, more: str) -> None:
    """After a paragraph break more text may add identifiers, but those of the first part keep their order, unless the
    user himself now writes what was only in pasted material before."""
    before = identifiers_in(text, 1000)
    lifted = {item.casefold() for item in identifiers_in(more, 1000)}
    after = identifiers_in(f"{text}\n\n{more}", 1000)
    kept = [item for item in after if item in before and item.casefold() not in lifted]
    assert kept == [item for item in before if item in kept]


@deterministic
@given(MESSAGES)
def test_explain_agrees_with_identifiers_in(text: str) -> None:
    """What `explain` marks as taken is what is looked up, in that order, and every verdict has a reason."""
    verdicts = explain(text)
    assert [verdict.text for verdict in verdicts if verdict.taken] == identifiers_in(text)
    assert all(verdict.why for verdict in verdicts)


@pytest.mark.parametrize(
    "unit",
    [
        "a",
        "A",
        "Ab ",
        "ABC ",
        "Abcdef ",
        '"',
        "'",
        " 'a",
        ' "a',
        "`",
        " `a",
        "«",
        ".",
        ".,;:!?-",
        "@",
        "a@",
        "a@b.",
        "(",
        ")",
        "A-",
        "A-1",
        "a-B",
        "A'",
        "A.",
        "A & ",
        "A, Inc. ",
        "Van der ",
        "https://a.b/",
        "://",
        "/",
        "a/",
        "_",
        "a_b ",
        "#",
        "#12 ",
        "deadbee1 ",
        "PROJ-1 ",
        "A-AAAAAAAAAAAAAAAA",
        "a_",
        "a(b",
        "[a](b)",
        "a/b#",
        "a=b ",
        "::",
        "0",
        " ",
        "\t",
        "\n",
        "\x00",
        "\ud800",
        "銀河鉄道の夜",
        "GitHubの確認",
        "É",
        "e\u0301",
        "🚀A",
        "<system-reminder>\n",
        "<",
        "```\n",
        "> Ada\n",
        "2024-01-01 10:00:00 INFO worker-1 Job 1 for tenant=Acme done id=abc123def0\n",
        "Ask Grace Hopper whether Acme, Inc. signed INV-2024-0031; cc ada@example.org, “Q3 plan” in src/app.py. ",
    ],
)
def test_a_megabyte_of_anything_is_read_quickly(unit: str) -> None:
    """No input makes it slow: the time grows with the length of the text, and little with that."""
    text = (unit * (1_000_000 // len(unit) + 1))[:1_000_000]
    start = time.process_time()
    identifiers_in(text)
    assert time.process_time() - start < SECONDS


@pytest.mark.parametrize("indent", [None, 1])
def test_a_megabyte_of_data_is_read_quickly(indent: int | None) -> None:
    """JSON on one line and on many, base64, nested brackets."""
    rows = [{"id": number, "name": "Ada Lovelace", "email": f"a{number}@example.org"} for number in range(15_000)]
    texts = (
        json.dumps(rows, indent=indent),
        base64.b64encode(bytes(range(256)) * 3000).decode(),
        "(" * 500_000 + ")" * 500_000,
    )
    for text in texts:
        start = time.process_time()
        identifiers_in(text)
        assert time.process_time() - start < SECONDS


def test_the_words_of_the_user_are_found_at_both_ends_of_a_long_paste() -> None:
    """Of a long message the beginning and the end are read, where the user's own words stand."""
    log = "2024-01-01 10:00:00 INFO worker-1 done\n" * 30_000
    found = identifiers_in(f"Grace Hopper sent this\n\n{log}\nCompare it with PROJ-77")
    assert {"Grace Hopper", "PROJ-77"} <= set(found)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "continue",
        "Continue",
        "Yes.",
        "Proceed",
        "/compact",
        "/compact keep the migration plan",
        "/clear",
        "<task-notification>\n<task-id>b7</task-id>\n<result>Ada Lovelace read PROJ-1</result>\n</task-notification>",
        "This session is being continued from a previous conversation. Ada Lovelace asked for PROJ-1.",
        "[Request interrupted by user]",
        "<system-reminder>Today is Monday, says Grace Hopper.</system-reminder>",
    ],
)
def test_commands_single_words_and_machine_made_prompts_name_nothing(text: str) -> None:
    """They cause no look-up."""
    assert identifiers_in(text) == []


def test_what_is_given_to_a_command_counts_only_if_its_form_is_certain() -> None:
    """Ids and addresses behind a slash command are looked up, its prose is not."""
    assert identifiers_in("/fix-issue PROJ-12 before Grace Hopper asks") == ["PROJ-12"]


def test_order_of_worth() -> None:
    """Ids, quotations, addresses, full names, single names, brands, acronyms, code, whatever their order in the
    text."""
    text = "see foo_bar, NASA, eBay, and Priya, and Grace Hopper, at ada@example.org, in “old plan”, for PROJ-1"
    expected = ["PROJ-1", "old plan", "ada@example.org", "Grace Hopper", "Priya", "eBay", "NASA", "foo_bar"]
    assert identifiers_in(text) == expected


def test_prose_beats_pasted_material() -> None:
    """What the user wrote comes before what he pasted, even if the paste has ids and comes first."""
    text = "```\nERROR PROJ-1 PROJ-2 a@example.org\n```\nAsk Priya about Heron"
    assert identifiers_in(text)[:2] == ["Priya", "Heron"]


def test_a_name_in_the_paste_that_the_user_writes_too_counts_as_his() -> None:
    """A mention in prose lifts an identifier over those that are only in the paste."""
    text = "```\nINFO PROJ-1 Globex\n```\nWhy does Globex wait?"
    assert identifiers_in(text)[0] == "Globex"


@pytest.mark.parametrize(
    ("text", "dropped", "reason"),
    [
        ("Deploy Heron", "Deploy", "opens the sentence"),
        ("see you on Tuesday", "Tuesday", "a month or a day"),
        ("STOP CHANGING THE SCHEMA", "SCHEMA", "shouting"),
        ("the API is down", "API", "everybody uses"),
    ],
)
def test_explain_says_why_a_word_was_dropped(text: str, dropped: str, reason: str) -> None:
    """The reason is given in words a person understands."""
    reasons = {verdict.text: verdict.why for verdict in explain(text) if not verdict.taken}
    assert reason in reasons[dropped]


def test_explain_names_what_is_beyond_the_limit() -> None:
    """An identifier that was found, but not among the best, is listed with that reason."""
    verdicts = explain("Ada, Priya, Wojtek", limit=2)
    assert [(verdict.text, verdict.taken) for verdict in verdicts] == [
        ("Ada", True),
        ("Priya", True),
        ("Wojtek", False),
    ]
    assert "beyond" in verdicts[2].why


def test_a_word_keeps_its_place_when_its_ending_is_taken_off() -> None:
    """The offsets of a word are those of what is left of it."""
    line = "l'Université, Ankara'da, Heron's, Acme-specific"
    assert [line[word.start : word.end] for word in words_of(line)] == ["Université", "Ankara", "Heron", "Acme"]


@pytest.mark.parametrize("before", ["PROJ-12", '"the plan"', "`make`", "ada@example.org"])
def test_a_word_behind_a_comma_opens_no_sentence(before: str) -> None:
    """After an id or a quotation a sentence may begin, but not within a list."""
    assert "Widget" in identifiers_in(f"see {before}, Widget")
    assert "Widget" not in identifiers_in(f"see {before}. Widget")
