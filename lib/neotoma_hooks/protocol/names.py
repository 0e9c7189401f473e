"""Names in running text: people, companies, products, places, brands and acronyms."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import ACRONYM, BRAND, CODE, FULL_NAME, NAME, VARIANT, Candidate
from neotoma_hooks.protocol.ordinary import (
    CALENDAR,
    GENERIC_ACRONYMS,
    NAME_HEADS,
    NAMESAKES,
    is_english,
    is_function_word,
    is_german_noun,
    is_noun,
    is_ordinary,
    is_ordinary_in_capitals,
    is_verb,
)
from neotoma_hooks.protocol.other_languages import GERMAN_MARKS
from neotoma_hooks.protocol.phrases import Phrase, phrases_of
from neotoma_hooks.protocol.words import Word, is_generic, shouted, words_of

#: Nouns that may be part of the name behind them: it is then looked up with and without them.
_APPOSITIONS = frozenset(
    "project team operation lake mount hotel uncle aunt president room group department channel service module product "
    "projekt proyecto projet progetto projeto проект проєкт".split()
)

#: Nouns that say what the thing behind them is, and are no part of its name.
_NOUNS_BEFORE_NAMES = frozenset(
    "customer client company vendor supplier partner agency user contact candidate patient component feature epic "
    "sprint milestone firma kunde cliente empresa société klient компания клиент компанія".split()
)

#: Endings of nouns for what somebody does ("Reporter Katherine Johnson").
_ROLES = ("er", "or", "ist", "ee")

#: After these an unknown opening word is an instruction, not a subject: "Bump the version".
_OBJECTS = frozenset(
    "the a an this that these those my our your his her its their it me us them him all every each any some both what how why where which whether "
    "if only up out down into den dem ein eine einen el los las un una unos unas les des ce cette ces uno il o os um uma".split()
)

#: After these an opening word is the subject, even when it is an ordinary word too: "Mark said", "Slack is down".
_SUBJECT_VERBS = frozenset(
    "is was has had said says wants wanted asked asks told tells sent sends called calls wrote writes thinks thought reported reports replied replies approved "
    "approves signed signs needs joined joins left agreed agrees owns leads manages confirmed confirms mentioned mentions emailed pinged suggested suggests "
    "prefers decided knows works worked gave gives got gets made makes took takes went goes can will would should doesn't isn't hasn't wasn't didn't won't can't couldn't wouldn't shouldn't hadn't "
    "ist hat war sagt schreibt möchte est a dit veut es ha tiene dijo quiere è".split()
)


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
        Candidate(words[index].start, words[index].text, ACRONYM, "shouting: the words around it are in capitals too", False)
        for index in sorted(loud)
    ]
    for phrase in phrases_of(line, words, loud, german):
        found.extend(_Reading(line, words, phrase, german, attested).candidates())
    return found


class _Reading:
    """One phrase on its way to candidates."""

    def __init__(
        self, line: str, words: list[Word], phrase: Phrase, german: bool, attested: set[str]
    ) -> None:
        self.line = line
        self.words = words
        self.first = phrase.first
        self.last = phrase.last
        self.end = phrase.end
        self.tail = phrase.tail
        self.german = german
        self.attested = attested
        self.found: list[Candidate] = []

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

    # -- taking words off ---------------------------------------------------------------------------------------

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
        if lower in NAME_HEADS and not self.words[self.first + 1].opens and lower not in ("los", "las", "el", "la", "le", "les", "den", "all"):
            return ""
        if is_function_word(lower):
            if lower in ("the", "la", "le", "los", "las", "el") and not word.opens:
                return ""
            return "an ordinary word that opens the sentence"
        if is_verb(lower) and word.opens:
            return "a verb that opens the sentence"
        if self.german and is_german_noun(word.text):
            return "a German noun, which always has a capital"
        before_name = lower in _NOUNS_BEFORE_NAMES or (is_noun(lower) and lower.endswith(_ROLES))
        if word.opens and before_name and lower not in NAMESAKES and lower not in _APPOSITIONS:
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

    # -- judging ------------------------------------------------------------------------------------------------

    def _several(self, opens: bool) -> None:
        first, last = self.words[self.first], self.words[self.last]
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
        if first.lower in _APPOSITIONS or (opens and rest_named and is_noun(first.lower) and first.lower not in NAMESAKES | NAME_HEADS):
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
            if word.camel or (any(map(str.isupper, text[1:])) and text[0].isdecimal() and sum(map(str.islower, text)) > 1):
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
                return "reads as an instruction" if after in _OBJECTS or after in ("ahead", "to", "on", "for", "with") else ""
            if word.cut or after in _SUBJECT_VERBS or lower in self.attested:
                return ""
            return "an ordinary word that opens the sentence"
        if is_ordinary(word.text):
            return "an ordinary word that opens the sentence"
        if lower in self.attested:
            return ""
        if after in _OBJECTS and not word.cut:
            return "reads as an instruction"
        if lower.endswith("ing") and len(lower) > 5 and not self._subject_verb(after):
            return "an ordinary word that opens the sentence"
        return ""

    def _capitals(self, word: Word, text: str) -> None:
        if all(len(part) < 2 for part in text.split("-")):
            self._drop(word, "single letters")
        elif is_ordinary_in_capitals(text):
            self._drop(word, "an ordinary word in capitals")
        elif len(text) > 6 and text.isalpha():
            self._take(word.start, text, NAME, "a name in capitals")
        elif (sum(map(str.isalpha, text)) < 2 and len(text) < 3 and not text[0].isalpha()) or (text[0].isdecimal() and len(text) < 4 + sum(map(str.isdecimal, text))):
            self._drop(word, "a number with its unit")
        else:
            self._take(word.start, text, ACRONYM, "an acronym")

    # -- neighbours ---------------------------------------------------------------------------------------------

    def _after(self) -> str:
        """The next word in small letters, "" when the clause ends before it."""
        index = self.last + 1
        if index < len(self.words) and self.words[index].gap in (" ", "\xa0"):
            return self.words[index].whole.lower().replace("’", "'")
        return ""

    def _subject_verb(self, after: str) -> bool:
        return after in _SUBJECT_VERBS or (after.endswith(("s", "ed")) and is_verb(after))

    def _subject_follows(self) -> bool:
        sentence = self.line[self.end : self.end + 400]
        question = "?" in sentence and "." not in sentence[: sentence.find("?")]
        return not question and self._after() in _SUBJECT_VERBS

    def _is_label_or_heading(self) -> bool:
        rest = self.line[self.end :].strip(" *_#|")
        return not rest or rest[0] == ":"

    def _initial(self, word: Word) -> bool:
        return self.line[word.end : word.end + 1] == "." and self.first < self.last

    def _with_particle(self, text: str) -> None:
        """ "by van Gogh": a family name with its particle, where the words before it show that the particle is none of theirs."""
        first = self.first
        while first and self.words[first].gap == " " and self.words[first - 1].text in ("van", "von", "der", "den", "de", "da", "di", "du"):
            first -= 1
        if first == self.first or self.german:
            return
        particle = self.words[first]
        before = self.words[first - 1].lower if first and particle.gap == " " else ""
        if particle.text in ("van", "von") or is_english(before):
            whole = self.line[particle.start : self.end]
            self._take(particle.start, whole, VARIANT, "the name with its particle")

    def _with_number(self, text: str, first: Word) -> None:
        """ "Windows 11", "Apollo 11": the number may belong to the name."""
        index = self.last + 1
        if index < len(self.words) and self.words[index].gap == " " and not self.words[self.last].cut:
            number = self.words[index].text
            end = self.words[index].end
            version = self.line[end : end + 1] == "." and self.line[end + 1 : end + 2].isdecimal()
            if number.isdecimal() and len(number) < 5 and not version:
                self._take(first.start, f"{text} {number}", VARIANT, "the name with the number behind it")

    # -- writing down -------------------------------------------------------------------------------------------

    def _text(self, first: int, end: int) -> str:
        return self.line[self.words[first].start : end]

    def _take(self, start: int, text: str, kind: int, why: str) -> None:
        self.found.append(Candidate(start, text, kind, why))

    def _drop(self, word: Word, why: str) -> None:
        self.found.append(Candidate(word.start, word.text, NAME, why, taken=False))

    def _drop_text(self, text: str, kind: int, why: str) -> None:
        self.found.append(Candidate(self.words[self.first].start, text, kind, why, taken=False))
