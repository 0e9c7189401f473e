"""A line taken apart into words, with what tells a name from an ordinary word: shape, place and neighbours."""

from __future__ import annotations

import re

from neotoma_hooks.protocol.ordinary import CALENDAR, GENERIC_ACRONYMS, is_ordinary
from neotoma_hooks.protocol.scripts import ASCII_CASED, CASED

# Strings, compiled (and cached by `re`) on first use.
_WORD = f"[{CASED}]+(?:['’ʼ\\-‐‑][{CASED}]+)*"
_ASCII_WORD = f"[{ASCII_CASED}]+(?:['\\-][{ASCII_CASED}]+)*"

#: Endings that Turkish sets off from a name with an apostrophe (case, possession, "with", "is"); Polish and Hungarian
#: too.
_SUFFIXES = frozenset(
    "in ın un ün nin nın nun nün i ı u ü yi yı yu yü ni nı nu nü a e ya ye na ne da de ta te nda nde dan den "
    "tan ten ndan nden la le yla yle ki daki deki taki teki dır dir tır tir lar ler lı li lu lü ego em owi "
    "owie ie y mu".split()
)

#: Articles and prepositions that French and Italian elide before a name, and the lower-case prefixes with a hyphen.
_ELISIONS = frozenset("l d qu j m n s t c jusqu lorsqu puisqu dell nell all dall sull un quell bell".split())

#: Joined to a family name by a hyphen, in small letters.
NAME_ARTICLES = ("al", "el", "ibn")

#: Abbreviations whose full stop does not end the sentence. Those that follow a name (Inc., Jr.) may well end it.
_ABBREVIATIONS = frozenset(
    "dr mr mrs ms prof st mt ft no nr vs etc eg ie approx dept fig ca bzw ggf inkl usw evtl tel hr fr mme "
    "mlle sra srta dott sig ing gen col sgt capt rev hon gov sen rep lt cf ул г".split()
)

#: Forms of address and academic titles: not part of the name behind them.
TITLES = frozenset(
    "dr mr mrs ms mx miss prof professor doctor sir dame lady lord herr frau herrn hr mme mlle monsieur "
    "madame sr sra srta señor señora don doña dott dottor dottoressa sig signor signora dhr mevr mevrouw "
    "meneer pan pani pana panu inż mgr г-н г-жа господин госпожа пан пані bay bayan sayın κύριος κυρία κ κα".split()
)


class Word:
    """One word of a line.

    `text` is the word without possessive, glued ending and elided article, `start` and `end` its offsets, `gap` what
    stands between it and the word before. `capital` says that it begins with a capital or has one inside, `upper`
    that it is all capitals (two or more), `camel` that a capital follows a small letter, `opens` that it stands
    where any word would have a capital, `cut` that something was taken from its end, so that no name goes on after it.
    """

    __slots__ = (
        "after_article",
        "camel",
        "capital",
        "cut",
        "elided",
        "end",
        "gap",
        "lower",
        "opens",
        "start",
        "text",
        "upper",
        "whole",
    )

    def __init__(self, start: int, text: str, gap: str) -> None:
        self.start = start
        self.whole = text
        self.gap = gap
        self.cut = False
        self.elided = self.after_article = False
        self.opens = False
        self._take_off(text)
        text = self.text
        self.end = self.start + len(text)
        self.lower = text.lower()
        self.capital = text != self.lower and not self.elided and (text[0].isupper() or _has_inner_capital(text))
        self.upper = self.capital and len(text) > 1 and text.isupper()
        self.camel = self.capital and not self.upper and _is_camel(text)

    def _take_off(self, text: str) -> None:
        self.text = text
        if text.islower() or text.isalnum():
            return
        for mark in "'’ʼ":
            head, apostrophe, tail = text.rpartition(mark)
            if not apostrophe:
                continue
            if tail in ("s", "S") or (tail in _SUFFIXES and head[:1].isupper() and len(head) > 1):
                self.text = text = head
                self.cut = True
                head, apostrophe, tail = text.rpartition(mark)
            if apostrophe and tail.islower() and head.lower() in _ELISIONS:
                self.elided = True  # "L'équipe", "D'après": an article with a capital before an ordinary word
            if apostrophe and tail[:1].isupper() and head.lower() in _ELISIONS and head.islower():
                self.text = text = tail
                self.start += len(head) + 1
                self.after_article = True
        for mark in "-‐‑":
            head, hyphen, tail = text.rpartition(mark)
            if hyphen and tail.islower() and head[:1].isupper() and not is_ordinary(head) and is_ordinary(tail):
                self.text = text = head
                self.cut = True
            head, hyphen, tail = text.partition(mark)
            if hyphen and tail[:1].isupper() and head.islower() and head not in (*NAME_ARTICLES, "e", "i", "x"):
                self.text = text = tail
                self.start += len(head) + 1


def words_of(line: str) -> list[Word]:
    """The words of a line. Spans that are taken already are given as U+FFFC characters."""
    found: list[Word] = []
    end = 0
    pattern = _ASCII_WORD if line.replace("\ufffc", "").isascii() else _WORD
    for hit in re.finditer(pattern, line):
        word = Word(hit.start(), hit.group(), line[end : hit.start()])
        end = hit.end()
        found.append(word)
    before: Word | None = None
    for word in found:
        word.opens = _opens(word.gap, before)
        before = word
    return found


def _opens(gap: str, before: Word | None) -> bool:
    """Does a word with this gap before it stand at the beginning of a sentence, a line, a label's value or a
    bracket?"""
    if gap == " " and before is not None:
        return False
    if gap and not gap.isascii() and any(sign.isalpha() for sign in gap):
        return False  # after a script without capitals a capital always says something
    if before is None:
        return True
    for sign in gap:
        if sign in '!?:…;。！？：；¿¡•|(（[]"“„«‹「『《\n\t→✅❌':
            return True
        if sign == ")" and before.text.isdecimal():
            return True
        if sign == "." and not (before.lower in _ABBREVIATIONS or (len(before.text) == 1 and before.capital)):
            return len(gap) > 1
    if "\ufffc" in gap:
        # After an id or a quotation a sentence may begin as well as go on, but not behind a comma
        return "," not in gap.rpartition("\ufffc")[2]
    stripped = gap.strip()
    return stripped in ("-", "–", "—", "*", ">") or (len(stripped) > 0 and ord(stripped[-1]) > 0x2190)


def shouted(words: list[Word]) -> set[int]:
    """Indices of words that are written in capitals for emphasis: runs of three or more in capitals of which at least
    two are ordinary words. A single ordinary word in capitals is dropped by its own."""
    found: set[int] = set()
    run: list[int] = []
    for index, word in enumerate(words):
        if word.upper or (run and len(word.text) == 1 and (word.capital or not word.text.isalpha())):
            run.append(index)
            continue
        _close(run, words, found)
        run = []
    _close(run, words, found)
    return found


def _close(run: list[int], words: list[Word], found: set[int]) -> None:
    if len(run) > 2:
        plain = sum(words[index].lower not in GENERIC_ACRONYMS and is_ordinary(words[index].text) for index in run)
        if plain > 1:
            found.update(run)


def is_generic(word: Word) -> bool:
    """Is it an acronym that everybody uses (API, PRs), or a part of the calendar?"""
    if word.lower in CALENDAR and word.lower != "may":
        return True
    return (word.upper and word.lower in GENERIC_ACRONYMS) or (
        word.text[-1:] == "s" and word.text[:-1].isupper() and word.lower[:-1] in GENERIC_ACRONYMS
    )


def _has_inner_capital(text: str) -> bool:
    return not text[0].isupper() and (text[0].isalpha() or sum(map(str.isalpha, text)) > 1)


def _is_camel(text: str) -> bool:
    small = False
    for char in text:
        if small and char.isupper():
            return True
        small = char.islower() or (small and not char.isalpha() and char not in "-‐‑'’")
    return text[:2].isupper() and not text.isupper() and not text[:-1].isupper()
