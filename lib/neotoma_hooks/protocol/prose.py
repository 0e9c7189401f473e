"""A text, and whether a word at some place in it is written as a name."""

from __future__ import annotations

from neotoma_hooks.protocol.legal_forms import is_legal_form
from neotoma_hooks.protocol.letters import fold_letters
from neotoma_hooks.protocol.openings import reads_as_subject
from neotoma_hooks.protocol.ordinary import CALENDAR, NAMESAKES, is_function_word, is_ordinary

#: After these words a month is a month.
_BEFORE_MONTHS = frozenset(
    "in on by since until till before after early late mid next last this from to of during every through "
    "between and".split()
)


class Prose:
    """A text with its folded form, letter for letter, so that one offset serves both."""

    def __init__(self, text: str) -> None:
        if not text.isascii():
            from unicodedata import normalize

            text = normalize("NFC", text)
        self.text = text
        self.folded = fold_letters(text)
        self.small = text == text.lower()

    def cased(self, written: str, name: str, single: bool, everyday: bool, plural: bool) -> bool:
        """Is it written as a name is? A name with a capital needs one, unless it cannot be taken for ordinary words."""
        if name == name.lower():
            return not (everyday and single) or self._marked(written)
        if written != written.lower() and (not single or written[:1].isupper() or written == name):
            return True
        if not any(map(str.isalpha, written)) or any(map(str.isdecimal, written)):
            return True
        if single:
            return (not name.isascii() and name == written) or (self.small and not everyday and not plural)
        return not everyday or len(name.split()) > 2

    def _marked(self, written: str) -> bool:
        return f"`{written}`" in self.text or f'"{written}"' in self.text

    def meant(self, start: int, end: int, name: str) -> bool:
        """Is an everyday word with a capital meant as the name? Not where any word has a capital, unless the sentence
        goes on as after a subject; and not where it is a month or a day."""
        before = self.word_before(start).lower()
        after = self.word_after(end)
        lower = name.lower()
        month = lower in CALENDAR or lower == "jan"
        if month and (before in _BEFORE_MONTHS or after[:1].isdecimal() or before.isdecimal()):
            return False
        written = self.text[start:end]
        if written.isupper() and len(written) > 1 and not name.isupper():
            return False
        if any(map(str.isupper, written[1:])):
            return True
        if not self.opens(start):
            return True
        if self.text[end : end + 2] in ("'s", "’s"):
            return lower in NAMESAKES
        if self.text[end : end + 1] and self.text[end : end + 1] not in " \t\u00a0":
            # A name as a list item or label of its own: "- Slack: ok". "May?" and "Go!" are none.
            return (not is_function_word(lower) and self.text[end : end + 1] in ":*`,—–|") or self.text[
                end : end + 2
            ] == " —"
        if (
            after[:1].isdecimal()
            or self.text[end : end + 3] in (" — ", " – ", " - ")
            or self.text[end : end + 2] == " ("
        ):
            return True
        return reads_as_subject(after.lower())

    def opens(self, start: int) -> bool:
        """Does a sentence, line, label value or bracket begin here?"""
        position = start - 1
        while position >= 0 and self.text[position] in " \t*_`~\"'“„«([>#|":
            position -= 1
        if position < 0:
            return True
        sign = self.text[position]
        if sign in "\r\n.!?:;…。！？：•✅❌→":
            return True
        if sign in "-–—":
            return self.text[max(position - 1, 0)] in "\n " or not position
        if sign in ".)" or sign.isdecimal():
            line = self.text.rfind("\n", 0, position) + 1
            return self.text[line : position + 1].strip(" \t.)").isdecimal() and sign in ".)"
        return ord(sign) > 0x2190 and not sign.isalnum()

    def inside_longer_name(self, start: int, end: int, single: bool, person: bool) -> bool:
        """Is a single word only part of a longer name that stands there ("Ann Arbor", "Acme Rocket Labs")?"""
        if not single:
            return False
        after = self._neighbour_after(end)
        if after[:1].isupper() and not after.isupper() and after.lower() not in CALENDAR and not is_legal_form(after):
            if not is_ordinary(after):
                return True
            # One ordinary word more is a thing of theirs ("Acme Invoice"), several are a name ("Acme Rocket Labs").
            further = self._neighbour_after(self.text.index(after, end) + len(after))
            if further[:1].isupper() and not further.isupper():
                return True
        before = self._neighbour_before(start)
        if not person or not before[:1].isupper() or (before.isupper() and len(before) < 6):
            return False
        return not is_ordinary(before) and not self.opens(start - len(before) - 1)

    def _neighbour_after(self, end: int) -> str:
        return self.word_after(end) if self.text[end : end + 1] == " " else ""

    def _neighbour_before(self, start: int) -> str:
        return self.word_before(start) if self.text[start - 1 : start] == " " else ""

    def word_before(self, start: int) -> str:
        """The word that ends before an offset, past white space and emphasis; "" when a sign stands there."""
        end = start
        while end > 0 and self.text[end - 1] in " \t\u00a0*_`~":
            end -= 1
        first = end
        while first > 0 and end - first < 40 and (self.text[first - 1].isalnum() or self.text[first - 1] in "'’"):
            first -= 1
        return self.text[first:end]

    def word_after(self, end: int) -> str:
        """The word that begins after an offset, past white space and emphasis; "" when a sign stands there."""
        first = end
        while first < len(self.text) and first < end + 8 and self.text[first] in " \t\u00a0*_`~":
            first += 1
        last = first
        while last < len(self.text) and last - first < 40 and (self.text[last].isalnum() or self.text[last] in "'’"):
            last += 1
        return self.text[first:last]
