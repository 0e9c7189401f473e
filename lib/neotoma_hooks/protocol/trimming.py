"""A phrase with the words taken off that stand before or behind the name in it."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import NAME, VARIANT, Candidate
from neotoma_hooks.protocol.openings import APPOSITIONS, NOUNS_BEFORE_NAMES, ROLES, reads_as_subject
from neotoma_hooks.protocol.ordinary import (
    CALENDAR,
    NAME_HEADS,
    NAMESAKES,
    is_function_word,
    is_german_noun,
    is_noun,
    is_ordinary,
    is_verb,
)
from neotoma_hooks.protocol.words import is_generic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.phrases import Phrase
    from neotoma_hooks.protocol.words import Word

#: Articles that begin a name only in the middle of a sentence ("El Salvador", but "El repo").
_ARTICLES = frozenset("the la le les los las el den all".split())


class TrimmedPhrase:
    """One phrase of a line, the place of the name in it, and the candidates `found` so far."""

    def __init__(self, line: str, words: list[Word], phrase: Phrase, german: bool, attested: set[str]) -> None:
        self.line = line
        self.words = words
        self.first = phrase.first
        self.last = phrase.last
        self.end = phrase.end
        self.tail = phrase.tail
        self.german = german
        self.attested = attested
        self.found: list[Candidate] = []

    def _strip_front(self) -> bool:
        """Take off what stands before the name. False when nothing is left."""
        while self.first <= self.last:
            word = self.words[self.first]
            why = self._not_of_the_name(word)
            if not why:
                return True
            self._drop(word, why)
            self.first += 1
            while self.first <= self.last and not self.words[self.first].capital:
                self.first += 1
        return False

    def _not_of_the_name(self, word: Word) -> str:
        single = self.first == self.last
        lower = word.lower
        if not single and "&" in self.words[self.first + 1].gap:
            return ""
        if word.text in ("I", "A") and not self._initial(word):
            return "a pronoun or article"
        if word.lower in CALENDAR and lower != "may" and (single or not lower.startswith(("q", "h"))):
            return "a month or a day alone"
        if is_generic(word):
            if single or not is_ordinary(self.words[self.first + 1].text):
                return "an acronym everybody uses"
            return ""
        if single:
            return ""
        if lower in NAMESAKES and (not word.opens or self._subject_follows()):
            return ""
        if not word.opens and not self._after_stripped():
            if self.german and (is_german_noun(word.text) or is_noun(lower)) and self.words[self.first + 1].gap == " ":
                return "a German noun, which always has a capital"
            return "an ordinary word" if word.upper and is_function_word(lower) else ""
        if lower in NAME_HEADS and not self.words[self.first + 1].opens and lower not in _ARTICLES:
            return ""
        if is_function_word(lower):
            if lower in _ARTICLES and not word.opens:
                return ""
            return "an ordinary word that opens the sentence"
        if is_verb(lower) and word.opens:
            return "a verb that opens the sentence"
        if self.german and is_german_noun(word.text):
            return "a German noun, which always has a capital"
        before_name = lower in NOUNS_BEFORE_NAMES or (is_noun(lower) and lower.endswith(ROLES))
        if word.opens and before_name and lower not in NAMESAKES and lower not in APPOSITIONS:
            return "a noun for what the thing or person is"
        return ""

    def _after_stripped(self) -> bool:
        return bool(self.found) and self.found[-1].start < self.words[self.first].start

    def _strip_back(self) -> None:
        """A generic acronym behind a name is not part of it ("Heron API")."""
        while self.last > self.first and not self.tail:
            word = self.words[self.last]
            if not is_generic(word) or not word.upper or word.gap != " ":
                return
            if not all(is_ordinary(before.text) for before in self.words[self.first : self.last]):
                whole = self._text(self.first, self.end)
                self._take(self.words[self.first].start, whole, VARIANT, "the name with the acronym behind it")
            self.last -= 1
            self.end = self.words[self.last].end

    def _after(self) -> str:
        """The next word in small letters, "" when the clause ends before it."""
        index = self.last + 1
        if index < len(self.words) and self.words[index].gap in (" ", "\xa0"):
            return self.words[index].whole.lower().replace("’", "'")
        return ""

    def _subject_follows(self) -> bool:
        sentence = self.line[self.end : self.end + 400]
        question = "?" in sentence and "." not in sentence[: sentence.find("?")]
        return not question and reads_as_subject(self._after())

    def _is_label_or_heading(self) -> bool:
        rest = self.line[self.end :].strip(" *_#|")
        return not rest or rest[0] == ":"

    def _initial(self, word: Word) -> bool:
        return self.line[word.end : word.end + 1] == "." and self.first < self.last

    def _text(self, first: int, end: int) -> str:
        return self.line[self.words[first].start : end]

    def _take(self, start: int, text: str, kind: int, why: str) -> None:
        self.found.append(Candidate(start, text, kind, why))

    def _drop(self, word: Word, why: str) -> None:
        self.found.append(Candidate(word.start, word.text, NAME, why, taken=False))

    def _drop_text(self, text: str, kind: int, why: str) -> None:
        self.found.append(Candidate(self.words[self.first].start, text, kind, why, taken=False))
