"""Names in running text: people, companies, products, places, brands and acronyms."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import ACRONYM, BRAND, CODE, FULL_NAME, NAME, VARIANT, Candidate
from neotoma_hooks.protocol.openings import APPOSITIONS, OBJECTS, reads_as_subject
from neotoma_hooks.protocol.ordinary import (
    GENERIC_ACRONYMS,
    NAME_HEADS,
    NAMESAKES,
    is_english,
    is_function_word,
    is_german_noun,
    is_noun,
    is_ordinary,
    is_ordinary_in_capitals,
)
from neotoma_hooks.protocol.other_languages import GERMAN_MARKS
from neotoma_hooks.protocol.phrases import phrases_of
from neotoma_hooks.protocol.trimming import TrimmedPhrase
from neotoma_hooks.protocol.words import NAME_ARTICLES, Word, shouted, words_of


def names_in(line: str, attested: set[str]) -> list[Candidate]:
    """The candidates of one line, taken and dropped, from left to right; offsets are within the line.

    Spans that are taken already are given as U+FFFC. `attested` are the words (lower case) that have a
    capital elsewhere in the message, where a capital says something.
    """
    if line == line.lower():
        return []
    words = words_of(line)
    german = sum(word.text in GERMAN_MARKS for word in words) > 1
    loud = shouted(words)
    found = [
        Candidate(
            words[index].start, words[index].text, ACRONYM, "shouting: the words around it are in capitals too", False
        )
        for index in sorted(loud)
    ]
    for phrase in phrases_of(line, words, loud, german):
        found.extend(_Reading(line, words, phrase, german, attested).candidates())
    return found


class _Reading(TrimmedPhrase):
    """One phrase on its way to candidates."""

    def candidates(self) -> list[Candidate]:
        opened = self.words[self.first].opens
        if not self._strip_front():
            return self.found
        self._strip_back()
        if self.first == self.last:
            self._single(opened and self.words[self.first].opens)
        else:
            self._several(self.words[self.first].opens)
        return self.found

    def _several(self, opens: bool) -> None:
        first = self.words[self.first]
        text = self._text(self.first, self.end)
        if text.lower() in GENERIC_ACRONYMS:
            self._drop_text(text, ACRONYM, "an acronym everybody uses")
            return
        content = [word for word in self.words[self.first : self.last + 1] if word.capital]
        if all(is_ordinary(word.text) and word.lower not in NAMESAKES for word in content):
            if all(word.upper for word in content) and "&" not in text:
                self._drop_text(text, ACRONYM, "ordinary words in capitals")
                return
            if opens and self._is_label_or_heading():
                self._drop_text(text, FULL_NAME, "a heading or label of ordinary words")
                return
            kind = ACRONYM if "&" in text and " " not in text else FULL_NAME if len(content) > 2 else NAME
            self._take(first.start, text, kind, "a capitalised phrase")
            return
        why = "a full name" if len(content) > 1 else "a capitalised phrase"
        self._take(first.start, text, FULL_NAME, why)
        rest_named = not all(is_ordinary(word.text) for word in content[1:])
        if first.lower in APPOSITIONS or (
            opens and rest_named and is_noun(first.lower) and first.lower not in NAMESAKES | NAME_HEADS
        ):
            rest = self.first + 1
            self._take(self.words[rest].start, self._text(rest, self.end), VARIANT, "the name without its noun")
        self._with_number(text, first)

    def _single(self, opens: bool) -> None:
        word = self.words[self.first]
        text = self._text(self.first, self.end)
        lower = word.lower
        if len(text) < 2 and not self.tail:
            self._drop(word, "a single letter")
            return
        if word.text.isdecimal() or not any(map(str.isalpha, text)):
            return
        if word.camel and not is_ordinary(text):
            small = len(text) > 1 and text[0].islower()
            code = small and not (text[1].isupper() and len(text) < 12)
            self._take(word.start, text, CODE if code else BRAND, "capitals inside the word")
            self._with_number(text, word)
            return
        if word.upper:
            self._capitals(word, text)
            return
        if not word.text[0].isupper():
            if text.partition("-")[0] in NAME_ARTICLES:
                self._take(word.start, text, NAME, "a family name with its article")
            elif word.camel or (
                any(map(str.isupper, text[1:])) and text[0].isdecimal() and sum(map(str.islower, text)) > 1
            ):
                self._take(word.start, text, BRAND, "capitals inside the word")
            else:
                self._drop(word, "a number with its unit")
            return
        why = self._not_a_name(word, opens)
        if why:
            self._drop(word, why)
            return
        kind = NAME
        if self.german or (is_ordinary(text) and lower not in NAMESAKES):
            kind = ACRONYM if not is_ordinary(text) else VARIANT
        why = "opens the sentence, but is no ordinary word" if opens else "a capital where none is due"
        self._take(word.start, text, kind, why)
        self._with_particle(text)
        self._with_number(text, word)

    def _not_a_name(self, word: Word, opens: bool) -> str:
        lower = word.lower
        after = self._after()
        if not opens:
            if is_function_word(lower):
                return "an ordinary word"
            if self.german and (is_german_noun(word.text) or is_ordinary(word.text)):
                return "a German noun, which always has a capital"
            if self._after_stripped() and is_ordinary(word.text) and lower not in NAMESAKES:
                return "an ordinary word in a heading"
            return ""
        if lower in NAMESAKES:
            if not is_ordinary(word.text):
                return (
                    "reads as an instruction"
                    if after in OBJECTS or after in ("ahead", "to", "on", "for", "with")
                    else ""
                )
            if word.cut or reads_as_subject(after) or lower in self.attested:
                return ""
            return "an ordinary word that opens the sentence"
        if is_ordinary(word.text):
            return "an ordinary word that opens the sentence"
        if lower in self.attested:
            return ""
        if after in OBJECTS and not word.cut:
            return "reads as an instruction"
        if lower.endswith("ing") and len(lower) > 5 and not reads_as_subject(after):
            return "an ordinary word that opens the sentence"
        return ""

    def _capitals(self, word: Word, text: str) -> None:
        if all(len(part) < 2 for part in text.split("-")):
            self._drop(word, "single letters")
        elif is_ordinary_in_capitals(text):
            self._drop(word, "an ordinary word in capitals")
        elif len(text) > 6 and text.isalpha():
            self._take(word.start, text, NAME, "a name in capitals")
        elif (sum(map(str.isalpha, text)) < 2 and len(text) < 3 and not text[0].isalpha()) or (
            text[0].isdecimal() and len(text) < 4 + sum(map(str.isdecimal, text))
        ):
            self._drop(word, "a number with its unit")
        else:
            self._take(word.start, text, ACRONYM, "an acronym")

    def _with_particle(self, text: str) -> None:
        """Take "van Gogh" too: a family name with its particle, where the words before have no use for the particle."""
        first = self.first
        while (
            first
            and self.words[first].gap == " "
            and self.words[first - 1].text in ("van", "von", "der", "den", "de", "da", "di", "du")
        ):
            first -= 1
        if first == self.first or self.german:
            return
        particle = self.words[first]
        before = self.words[first - 1].lower if first and particle.gap == " " else ""
        if particle.text in ("van", "von") or is_english(before):
            whole = self.line[particle.start : self.end]
            self._take(particle.start, whole, VARIANT, "the name with its particle")

    def _with_number(self, text: str, first: Word) -> None:
        """Take "Windows 11" too: the number may belong to the name."""
        index = self.last + 1
        if index < len(self.words) and self.words[index].gap == " " and not self.words[self.last].cut:
            number = self.words[index].text
            end = self.words[index].end
            version = self.line[end : end + 1] == "." and self.line[end + 1 : end + 2].isdecimal()
            if number.isdecimal() and len(number) < 5 and not version:
                self._take(first.start, f"{text} {number}", VARIANT, "the name with the number behind it")
