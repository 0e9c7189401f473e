"""Words put together to names: "Ludwig van Beethoven", "Procter & Gamble", "J. R. R. Tolkien", "Acme, Inc."."""

from __future__ import annotations

import re

from neotoma_hooks.protocol.legal_forms import is_legal_form
from neotoma_hooks.protocol.ordinary import CALENDAR, NAME_HEADS, is_function_word, is_german_noun, is_noun, is_ordinary
from neotoma_hooks.protocol.words import TITLES, Word

#: Lower-case words that stand inside names.
_PARTICLES = frozenset(
    "van von vom zu zur zum ter ten af av of de del della delle dello dei degli di da das dos du des la le "
    "les los las lo der den dem the bin ibn bint abu ben op 't und y".split()
)

#: Those that stand only after another particle ("van der", "de la", "of the", "von und zu").
_FOLLOWERS = frozenset("der den dem la le les los las lo the und op y".split())

#: The only ones that a German sentence does not use for something else far more often.
_GERMAN = frozenset("von van zu de".split())

#: Those that follow one word, or an ordinary noun.
_OF_ONE_WORD = frozenset("of della delle dello dei degli".split())

_SUFFIXES = frozenset("jr sr ii iii iv phd md esq".split())
_DOTTED = frozenset("jr sr inc ltd corp co bros llc esq llp".split())

#: Legal forms that are written with dots or small letters. A string, compiled (and cached by `re`) on first use.
_LEGAL_TAIL = (
    r",? (?:s\.r\.o\.|sp\. z o\. ?o\.|d\.o\.o\.|a\.s\.|S\.p\.A\.|S\.[AL]\.(?:S\.|U\.| de C\.V\.)?|S\.r\.l\.|L\.L\.C\."
    r"|B\.V\.|N\.V\.|A/S|A\.Ş\.|& Co\. KG|mbH)"
)


class Phrase:
    """Consecutive words that may be one name: indices `first` to `last` (inclusive) into the line's words, the offset
    `end` in the line, and whether the name goes on after the last word (`tail`: "Inc.", "#", "++")."""

    __slots__ = ("end", "first", "last", "tail")

    def __init__(self, first: int, last: int, end: int, tail: bool) -> None:
        self.first = first
        self.last = last
        self.end = end
        self.tail = tail


def phrases_of(line: str, words: list[Word], skip: set[int], german: bool) -> list[Phrase]:
    """The runs of capitalised words of a line, from left to right; those in `skip` belong to none."""
    found: list[Phrase] = []
    index = 0
    while index < len(words):
        word = words[index]
        if not word.capital or index in skip:
            index += 1
            continue
        if word.lower in TITLES and _goes_on(words, index + 1) and words[index + 1].gap in (" ", ". "):
            index += 1
            continue
        last = index
        while True:
            has_ended = re.compile(_LEGAL_TAIL).match(line, words[last].end)
            following = -1 if has_ended else _next(words, last, skip, german, index)
            if following < 0:
                break
            last = following
        end, tail = _end(line, words[last])
        found.append(Phrase(index, last, end, tail))
        index = last + 1
    return found


def _goes_on(words: list[Word], index: int) -> bool:
    return index < len(words) and words[index].capital


def _next(words: list[Word], last: int, skip: set[int], german: bool, first: int) -> int:
    """Index of the word that continues a name after `last`, or -1."""
    word = words[last]
    index = last + 1
    if word.cut or index >= len(words) or index in skip:
        return -1
    following = words[index]
    gap = following.gap
    if following.capital:
        if word.lower in CALENDAR and word.lower != "may" and not word.lower.startswith(("q", "h", "fy")):
            return -1
        if following.lower in CALENDAR and len(following.text) > 2 and following.lower != "may":
            return -1
        if following.lower in TITLES and following.lower not in _SUFFIXES and _goes_on(words, index + 1):
            return -1
        if following.text == "I" or following.whole.startswith(("I'", "I’")):
            return -1
        if following.after_article and (word.upper or is_ordinary(word.text)):
            return -1
        if gap == "." and len(word.text) > 1 and not (word.upper or following.upper or is_ordinary(following.text)):
            return index
        if gap in (" ", "\xa0", " & ", "&"):
            if is_legal_form(following.text):
                return index
            if (
                gap == " "
                and following.upper != word.upper
                and following.upper
                and is_ordinary(following.text)
                and len(following.text) > 1
            ):
                return -1 if is_function_word(following.lower) else index
            return index
        if gap in (". ", ".") and (_is_initial(word) or word.lower in ("st", "mt", "ft")):
            return index
        if (
            gap == ", "
            and (is_legal_form(following.text) or following.lower in _SUFFIXES)
            and following.lower not in ("as", "se", "co")
        ):
            return index
        return -1
    if gap not in (" ", "\xa0") or (_is_initial(word) and last == first and len(word.text) == 1 and word.text != "L"):
        return -1
    if following.lower.startswith("d'") or following.lower.startswith("d’"):
        return -1
    if (
        following.text in _OF_ONE_WORD
        and last > first
        and not is_noun(word.lower)
        and words[first].lower not in NAME_HEADS
    ):
        # "Bank of England", "Institute of Physics", but a person with two names is *of* a company.
        return -1
    if word.upper and len(word.text) < 6:
        return -1
    return _through_particles(words, index, german, word)


def _through_particles(words: list[Word], index: int, german: bool, word: Word) -> int:
    count = 0
    while index < len(words) and count < 3:
        particle = words[index]
        if particle.gap not in (" ", "\xa0"):
            return -1
        if particle.capital:
            return index if count and particle.lower not in CALENDAR else -1
        if particle.text not in _PARTICLES or (particle.text in _FOLLOWERS and not count):
            return -1
        if german and (
            (not count and particle.text not in _GERMAN) or is_german_noun(word.text) or is_ordinary(word.text)
        ):
            return -1
        index += 1
        count += 1
    return -1


def _is_initial(word: Word) -> bool:
    return len(word.text) == 1 and word.capital


def _end(line: str, last: Word) -> tuple[int, bool]:
    """Where a name ends that has `last` as its last word, with the signs that belong to it."""
    end = last.end
    if last.cut:
        return end, False
    legal = re.compile(_LEGAL_TAIL).match(line, end)
    if legal:
        return legal.end(), True
    if len(last.text) == 1 and line.startswith("++", end):
        return end + 2, True
    if len(last.text) == 1 and line[end : end + 1] == "#":
        return end + 1, True
    if line[end : end + 1] == "+" and not line[end + 1 : end + 2].isalnum() and len(last.text) > 2:
        return end + 1, True
    if last.lower in _DOTTED and line[end : end + 1] == "." and line[end + 1 : end + 2] != "":
        rest = line[end + 1 :].lstrip()[:1]
        # Before a capital or the end of the line the full stop may be the sentence's own.
        if rest and not rest.isupper():
            return end + 1, True
    return end, False
