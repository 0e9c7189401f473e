"""The labelled cases, and the scorer that counts them."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).resolve().parent.parent
SCORE = TESTS / "score"
FILES = ("retrieval.jsonl", "own.jsonl", "further.jsonl")


@pytest.fixture(scope="module")
def scorer() -> dict[str, Any]:
    return runpy.run_path(str(SCORE), run_name="score")


@pytest.mark.parametrize("half", ["a", "b"])
@pytest.mark.parametrize("name", FILES)
def test_both_halves_of_each_file_reach_the_targets(scorer: dict[str, Any], name: str, half: str) -> None:
    """Recall of must, must_not, citations and matches are within their targets; else the failing cases are shown."""
    cases = [case for case in scorer["cases_in"]([TESTS / "cases" / name]) if scorer["half_of"](case) == half]
    result = scorer["score"](cases)
    missed = [f"{share.name} {share.value:.4f}: {share.failures}" for share in result.shares if not share.met]
    assert not missed


def test_there_are_as_many_own_cases_as_given_ones() -> None:
    """The project's own cases are no fewer than those it was given, and no id comes twice."""
    given, own, further = (
        [json.loads(line) for line in (TESTS / "cases" / name).read_text("utf-8").splitlines()] for name in FILES
    )
    assert len(own) >= len(given)
    ids = [case["id"] for case in given + own + further]
    assert len(ids) == len(set(ids))


def test_scorer_ends_with_1_and_names_the_case_when_a_target_is_missed(tmp_path: Path) -> None:
    """A case that cannot be met makes the scorer fail and is listed by its id."""
    case = {"id": "x1", "kind": "message", "text": "nothing here", "must": ["Atlantis"], "must_not": [], "may": []}
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps(case), "utf-8")
    done = subprocess.run(
        [sys.executable, str(SCORE), "--cases", str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert "x1" in done.stdout


def test_scorer_counts_doubtful_cases_in_no_measure(scorer: dict[str, Any]) -> None:
    """A doubtful case is listed apart, whatever the answer."""
    entity = {"name": "Acme", "canonical_name": "Acme", "type": "company", "aliases": [], "fields": {}}
    case = {"id": "x2", "kind": "match", "identifier": "Globex", "entity": entity, "match": True, "doubtful": True}
    result = scorer["score"]([case])
    assert result.met
    assert len(result.doubtful) == 1
    assert result.match.trials == 0
