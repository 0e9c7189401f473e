"""Where a text names something: whole words only, whatever mark-up stands between and around them."""

from __future__ import annotations

from neotoma_hooks.protocol.legal_forms import is_legal_form
from neotoma_hooks.protocol.ordinary import CALENDAR, NAMESAKES, is_function_word, is_ordinary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What may stand between the words of a name: white space, emphasis, link brackets, and a hyphen for a space.
_BETWEEN = " \t\r\n\u00a0\u202f*_`~[]-‐‑–.,'’\"“”()>"

#: Occurrences of one form that are looked at; the first that counts is enough, so this only bounds the time.
_TRIES = 200

#: At the beginning of a sentence these make an ordinary word the subject: "Slack is down".
_SUBJECT_VERBS = frozenset(
    "is was has had said says wants wanted asked asks sent sends called calls wrote thinks reported reports replied approved signed needs joined left "
    "agreed owns leads confirmed mentioned works worked supports requires will can isn't wasn't hasn't doesn't didn't also and".split()
)
_BEFORE_MONTHS = frozenset(
    "in on by since until till before after early late mid next last this from to of during every through between and".split()
)
_BEFORE_LETTERS = frozenset("in to from with and or of than for into like is using uses".split())
_PREFIXES = frozenset("anti non pre post ex pro co sub inter cross multi un re semi self mid quasi pseudo neo".split())


class Mention:
    """One place where a form stands: offsets `start` and `end`. `joined` says that a hyphen ties it to another word with
    a capital, so that it counts only if that is a known name too ("the Acme-Globex merger", but not "Jean-Luc")."""

    __slots__ = ("end", "joined", "start")

    def __init__(self, start: int, end: int, joined: bool = False) -> None:
        self.start = start
        self.end = end
        self.joined = joined

    @property
    def size(self) -> int:
        """Length in characters."""
        return self.end - self.start


class Reply:
    """A text to look for names in, folded once, character for character, so that offsets stay valid."""

    def __init__(self, text: str) -> None:
        if not text.isascii():
            from unicodedata import normalize

            text = normalize("NFC", text)
        self.text = text
        self.folded = fold_letters(text)
        self.small = text == text.lower()

    def mentions_of_name(self, name: str, person: bool) -> Iterator[Mention]:
        """The places where a name stands as a name. `person` says that it is a human being's."""
        form = fold_letters(_composed(name)).strip()
        words = _split(form)
        if not words:
            return
        letter = len(form) == 1 and form.isascii()
        single = len(words) == 1
        everyday = all(is_ordinary(word) or word in NAMESAKES or word.isdecimal() for word in words)
        for start, end in self._places(words, form):
            if not self._bounded_left(start) or not self._bounded_right(end, form):
                continue
            if letter and self._word_before(start) not in _BEFORE_LETTERS:
                continue
            plural = self.text[end : end + 1] == "s"
            written = self.text[start:end]
            if not self._cased(written, name, single, everyday, plural):
                continue
            if single and (everyday or name.lower() in CALENDAR) and not self._meant(start, end, name):
                continue
            if self._inside_longer_name(start, end, single, person):
                continue
            yield Mention(start, end, self._hyphenated(start, end))

    def mentions_of_key(self, key: str) -> Iterator[Mention]:
        """The places where an address, number or id stands as a whole, ignoring case."""
        key = fold_letters(key)
        position = -1
        for _ in range(_TRIES):
            position = self.folded.find(key, position + 1)
            if position < 0:
                return
            if self._whole_key(position, position + len(key), key):
                yield Mention(position, position + len(key))

    # -- places -------------------------------------------------------------------------------------------------

    def _places(self, words: list[str], form: str) -> Iterator[tuple[int, int]]:
        """Where the words of a form follow each other with nothing but mark-up between them."""
        folded = self.folded
        position = -1
        for _ in range(_TRIES):
            position = folded.find(words[0], position + 1)
            if position < 0:
                return
            end = position + len(words[0])
            for word in words[1:]:
                following = end
                limit = end + 8
                while following < limit and folded[following : following + 1] in _BETWEEN and following < len(folded):
                    following += 1
                if folded.startswith("& ", following) and word != "&":
                    end = -1
                    break
                if folded.startswith("and ", following) and word == "&" and following > end:
                    end = following + 3
                elif folded.startswith(word, following):
                    end = following + len(word)
                else:
                    end = -1
                    break
            if end > 0:
                yield position, end

    def _bounded_left(self, start: int) -> bool:
        if not start:
            return True
        before = self.text[start - 1]
        if _joins(before) and _joins(self.text[start]):
            return False
        earlier = self.text[start - 2 : start - 1]
        if before == "_":
            return not _joins(self.text[: start].rstrip("_")[-1:])
        if before in "-‐‑":
            # "non-Acme" names Acme, "Jean-Luc" does not name Luc.
            return not self._word_before(start - 1)[:1].isdecimal()
        if before in "'’":
            return not earlier.isupper()
        if before in "./\\@":
            return not (earlier and (earlier.isalnum() or earlier in "./\\_-:"))
        if before in "&":
            return not earlier.isalnum()
        return before not in "#$"

    def _bounded_right(self, end: int, form: str) -> bool:
        text = self.text
        after = text[end : end + 1]
        if not after:
            return True
        later = text[end + 1 : end + 2]
        if _joins(after) and _joins(text[end - 1]):
            # Plural and genitive: "two Acmes", "Müllers Angebot".
            return after == "s" and not _joins(later) and form[-1] != "s" and form[-1].isalpha()
        if after == "_":
            return not _joins(text[end : end + 8].lstrip("_")[:1])
        if after in "-‐‑":
            # PROJ-12-b and PROJ-12-3 are other numbers; "net-30" behind a name is none of ours either.
            return not later.isdecimal() and not (form[-1:].isdecimal() and later.isalnum() and len(self._word_after(end + 1)) < 4)
        if after in "&":
            return not later.isalnum()
        if after in "./\\@:":
            return not later.isalnum() and not (after in "/\\@" and later in "._") or (after == "/" and self._slashed(end))
        if after in "#+":
            return not (form[-1:].isalpha() and (len(form) < 3 or not later.isalnum()))
        return True

    def _hyphenated(self, start: int, end: int) -> bool:
        """Is it tied by a hyphen to another word with a capital? Acronyms and prefixes ("Acme-API", "Anti-Acme") tie not."""
        text = self.text
        if text[end : end + 1] in ("-", "‐", "‑") and text[end + 1 : end + 2].isupper():
            word = self._word_after(end + 1)
            return not (word.isupper() and len(word) < 5 and len(word) > 1)
        if start and text[start - 1] in "-‐‑":
            word = self._word_before(start - 1)
            return word[:1].isupper() and word.lower() not in _PREFIXES
        return False

    def _slashed(self, end: int) -> bool:
        """Is the slash one between alternatives ("Acme/Globex") rather than one of a path?"""
        rest = self.text[end + 1 : end + 60].split(None, 1)
        return bool(rest) and "/" not in rest[0] and "." not in rest[0].rstrip(".") and rest[0][:1].isupper()

    # -- meaning ------------------------------------------------------------------------------------------------

    def _cased(self, written: str, name: str, single: bool, everyday: bool, plural: bool) -> bool:
        """Is it written as a name is? A name with a capital needs one, unless it cannot be taken for ordinary words."""
        if name == name.lower():
            return not (everyday and single) or self._marked(written)
        if written != written.lower() and (not single or written[:1].isupper() or written == name):
            return True
        if not any(map(str.isalpha, written)) or any(map(str.isdecimal, written)):
            return True
        if single:
            return not name.isascii() and name == written or (self.small and not everyday and not plural)
        return not everyday or len(name.split()) > 2

    def _marked(self, written: str) -> bool:
        return f"`{written}`" in self.text or f'"{written}"' in self.text

    def _meant(self, start: int, end: int, name: str) -> bool:
        """Is an everyday word with a capital meant as the name? Not where any word has a capital, unless the sentence goes
        on as after a subject; and not where it is a month or a day."""
        before = self._word_before(start).lower()
        after = self._word_after(end)
        lower = name.lower()
        if lower in CALENDAR and (before in _BEFORE_MONTHS or after[:1].isdecimal() or before.isdecimal()):
            return False
        written = self.text[start:end]
        if written.isupper() and len(written) > 1 and not name.isupper():
            return False
        if any(map(str.isupper, written[1:])):
            return True
        if not self._opens(start):
            return True
        if self.text[end : end + 2] in ("'s", "’s"):
            return lower in NAMESAKES
        if self.text[end : end + 1] and self.text[end : end + 1] not in " \t\u00a0":
            # A name as a list item or label of its own: "- Slack: ok". "May?" and "Go!" are none.
            return not is_function_word(lower) and self.text[end : end + 1] in ":*`,—–|" or self.text[end : end + 2] == " —"
        return after.lower() in _SUBJECT_VERBS or self.text[end : end + 3] in (" — ", " – ", " - ")

    def _opens(self, start: int) -> bool:
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

    def _inside_longer_name(self, start: int, end: int, single: bool, person: bool) -> bool:
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
        if not person or not before[:1].isupper() or before.isupper() and len(before) < 6:
            return False
        return not is_ordinary(before) and not self._opens(start - len(before) - 1)

    def _neighbour_after(self, end: int) -> str:
        return self._word_after(end) if self.text[end : end + 1] == " " else ""

    def _neighbour_before(self, start: int) -> str:
        return self._word_before(start) if self.text[start - 1 : start] == " " else ""

    def _word_before(self, start: int) -> str:
        end = start
        while end > 0 and self.text[end - 1] in " \t\u00a0*_`~":
            end -= 1
        first = end
        while first > 0 and end - first < 40 and (self.text[first - 1].isalnum() or self.text[first - 1] in "'’"):
            first -= 1
        return self.text[first:end]

    def _word_after(self, end: int) -> str:
        first = end
        while first < len(self.text) and first < end + 8 and self.text[first] in " \t\u00a0*_`~":
            first += 1
        last = first
        while last < len(self.text) and last - first < 40 and (self.text[last].isalnum() or self.text[last] in "'’"):
            last += 1
        return self.text[first:last]

    def _whole_key(self, start: int, end: int, key: str) -> bool:
        """Is an address or id that stands here not the part of a longer one?"""
        text = self.text
        before, after, later = text[start - 1 : start] if start else "", text[end : end + 1], text[end + 1 : end + 2]
        earlier = text[start - 2 : start - 1] if start > 1 else ""
        if before and (_joins(before) and _joins(text[start])):
            return False
        if before and before in "@.-_+#" and (before in "@#" or earlier.isalnum()):
            return text[max(start - 4, 0) : start].lower() == "www."
        if after and _joins(after) and _joins(text[end - 1]):
            return False
        if after and after in ".-_@+" and later.isalnum() and later.isascii():
            return False
        if after == "/" and "/" in key and later.isalnum():
            return False
        return True


def fold_letters(text: str) -> str:
    """Case and diacritics folded one character for one, so that the length stays the same."""
    if text.isascii():
        return text.lower()
    from unicodedata import normalize

    table: dict[int, str] = {}
    for char in set(text):
        if not char.isascii():
            base = normalize("NFKD", char)[0] if "\u00c0" <= char <= "\u24ff" and char not in "йЙ" else char
            lower = base.lower()
            table[ord(char)] = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "’": "'"}.get(lower, lower if len(lower) == 1 else char)
    return text.translate(table).lower() if "İ" not in text else text.translate(table)


def _composed(name: str) -> str:
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)


def _split(form: str) -> list[str]:
    """The words of a folded name, without the marks that may stand between words anyway."""
    words = [word.strip("*_`~[]-‐‑–.,'\"“”()") for word in form.replace("-", " ").replace(",", " ").replace("(", " ").split()]
    return [word for word in words if word]


def _joins(char: str) -> bool:
    """Is the character of a word, in a script that puts spaces between words?"""
    return char.isalnum() and not "\u2e80" <= char <= "\ud7ff" and not "\uf900" <= char <= "\ufaff" and not "\uff66" <= char <= "\uffdc"
