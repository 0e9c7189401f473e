"""Where a text names something: whole words only, whatever mark-up stands between and around them."""

from __future__ import annotations

from neotoma_hooks.protocol.letters import composed, fold_letters, joins, words_in
from neotoma_hooks.protocol.ordinary import CALENDAR, NAMESAKES, is_ordinary
from neotoma_hooks.protocol.prose import Prose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

#: What may stand between the words of a name: white space, emphasis, link brackets, and a hyphen for a space.
_BETWEEN = " \t\r\n\u00a0\u202f*_`~[]-‐‑–.,'’\"“”()>"

#: Occurrences of one form that are looked at; the first that counts is enough, so this only bounds the time.
_TRIES = 2_000

#: What stands before the one-letter name of a language ("in C").
_BEFORE_LETTERS = frozenset("in to from with and or of than for into like is using uses".split())
_PREFIXES = frozenset("anti non pre post ex pro co sub inter cross multi un re semi self mid quasi pseudo neo".split())


_SHORTEST_COMMIT = 7


class Mention:
    """One place where a form stands: offsets `start` and `end`. `joined` says that a hyphen ties it to another word
    with a capital, so that it counts only if that is a known name too ("the Acme-Globex merger", not "Jean-Luc")."""

    __slots__ = ("end", "joined", "start")

    def __init__(self, start: int, end: int, joined: bool = False) -> None:
        self.start = start
        self.end = end
        self.joined = joined

    @property
    def size(self) -> int:
        """Length in characters."""
        return self.end - self.start


class Reply(Prose):
    """A text to look for names in."""

    def mentions_of_name(self, name: str, person: bool) -> Iterator[Mention]:
        """The places where a name stands as a name. `person` says that it is a human being's."""
        form = fold_letters(composed(name)).strip()
        words = words_in(form)
        if not words:
            return
        letter = len(form) == 1 and form.isascii()
        single = len(words) == 1
        everyday = all(is_ordinary(word) or word in NAMESAKES or word.isdecimal() for word in words)
        for start, end in self._places(words, form):
            if not self._bounded_left(start, form) or not self._bounded_right(end, form):
                continue
            if letter and self.word_before(start) not in _BEFORE_LETTERS:
                continue
            plural = self.text[end : end + 1] == "s"
            written = self.text[start:end]
            if not self.cased(written, name, single, everyday, plural):
                continue
            if single and (everyday or name.lower() in CALENDAR) and not self.meant(start, end, name):
                continue
            if self.inside_longer_name(start, end, single, person):
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

    def mentions_of_commit(self, commit: str) -> Iterator[Mention]:
        """The places where a commit id stands, whole or shortened to no fewer than seven digits."""
        for mention in self._starting_with(commit[:7]):
            end = mention.end
            while end - mention.start < len(commit) and self.folded[end : end + 1] == commit[end - mention.start]:
                end += 1
            if not self.text[end : end + 1].isalnum():
                yield Mention(mention.start, end)

    def _starting_with(self, head: str) -> Iterator[Mention]:
        position = -1
        for _ in range(_TRIES if len(head) == _SHORTEST_COMMIT else 0):
            position = self.folded.find(head, position + 1)
            if position < 0:
                return
            if not position or not self.text[position - 1].isalnum():
                yield Mention(position, position + len(head))

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

    def _bounded_left(self, start: int, form: str) -> bool:
        if not start:
            return True
        before = self.text[start - 1]
        if joins(before) and joins(self.text[start]):
            return False
        earlier = self.text[start - 2 : start - 1]
        if before == "_":
            return not joins(self.text[max(start - 8, 0) : start].rstrip("_")[-1:])
        if before in "-‐‑":
            # "non-Acme" names Acme, "Jean-Luc" does not name Luc.
            return not self.word_before(start - 1)[:1].isdecimal()
        if before in "'’":
            return not earlier.isupper()
        if before == "/" and (_is_number(form) or self._after_alternative(start)):
            # The number of a ticket also ends the URL of its page.
            return True
        if before in "./\\@":
            return not (earlier and (earlier.isalnum() or earlier in "./\\_-:"))
        if before == "&":
            return not earlier.isalnum()
        return before not in "#$"

    def _bounded_right(self, end: int, form: str) -> bool:
        text = self.text
        after = text[end : end + 1]
        if not after:
            return True
        later = text[end + 1 : end + 2]
        if joins(after) and joins(text[end - 1]):
            # Plural and genitive: "two Acmes", "Müllers Angebot".
            return after == "s" and not joins(later) and form[-1] != "s" and form[-1].isalpha()
        if after == "_":
            return not joins(text[end : end + 8].lstrip("_")[:1])
        if after in "-‐‑":
            # PROJ-12-b and PROJ-12-3 are other numbers; "net-30" behind a name is none of ours either.
            return not later.isdecimal() and not (
                form[-1:].isdecimal() and later.isalnum() and len(self.word_after(end + 1)) < 4
            )
        if after == "&":
            return not later.isalnum()
        if after == ":" and later.isdecimal():
            return True  # a line number or a count
        if after in "./\\@:":
            return (not later.isalnum() and not (after in "/\\@" and later in "._")) or (
                after == "/" and (_is_number(form) or self._before_alternative(end))
            )
        if after in "#+":
            return not (form[-1:].isalpha() and (len(form) < 3 or not later.isalnum()))
        return True

    def _hyphenated(self, start: int, end: int) -> bool:
        """Is it tied by a hyphen to another word with a capital? Acronyms and prefixes ("Acme-API", "Anti-Acme") tie
        not."""
        text = self.text
        if text[end : end + 1] in ("-", "‐", "‑") and text[end + 1 : end + 2].isupper():
            word = self.word_after(end + 1)
            return not (word.isupper() and len(word) < 5 and len(word) > 1)
        if start and text[start - 1] in "-‐‑":
            word = self.word_before(start - 1)
            return word[:1].isupper() and word.lower() not in _PREFIXES
        return False

    def _after_alternative(self, start: int) -> bool:
        """The same as below, for the word before."""
        before = self.text[max(start - 60, 0) : start - 1].split()
        return (
            bool(before)
            and "/" not in before[-1]
            and "." not in before[-1]
            and before[-1].lstrip("([*_\"'“")[:1].isupper()
        )

    def _before_alternative(self, end: int) -> bool:
        """Is the slash one between alternatives ("Acme/Globex") rather than one of a path?"""
        rest = self.text[end + 1 : end + 60].split(None, 1)
        return bool(rest) and "/" not in rest[0] and "." not in rest[0].rstrip(".") and rest[0][:1].isupper()

    def _whole_key(self, start: int, end: int, key: str) -> bool:
        """Is an address or id that stands here not the part of a longer one?"""
        text = self.text
        before, after, later = text[start - 1 : start] if start else "", text[end : end + 1], text[end + 1 : end + 2]
        earlier = text[start - 2 : start - 1] if start > 1 else ""
        if before and (joins(before) and joins(text[start])):
            return False
        if before and before in "@.-_+#" and (before in "@#" or earlier.isalnum()):
            return text[max(start - 4, 0) : start].lower() == "www."
        if after and joins(after) and joins(text[end - 1]):
            return False
        if after and after in ".-_@+" and later.isalnum() and later.isascii():
            return False
        return not (after == "/" and "/" in key and later.isalnum())


def _is_number(form: str) -> bool:
    """Is it the number of a ticket or document rather than a name?"""
    return "-" in form and form[-1:].isdecimal()
