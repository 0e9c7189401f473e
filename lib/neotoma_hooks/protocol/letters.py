"""Letters folded one for one, so that a place in the folded text is the same place in the text."""

from __future__ import annotations


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
            table[ord(char)] = {"ı": "i", "ł": "l", "ø": "o", "đ": "d", "’": "'"}.get(
                lower, lower if len(lower) == 1 else char
            )
    return text.translate(table).lower() if "İ" not in text else text.translate(table)


def composed(name: str) -> str:
    """The name with each accented letter as one character (NFC)."""
    if name.isascii():
        return name
    from unicodedata import normalize

    return normalize("NFC", name)


def words_in(form: str) -> list[str]:
    """The words of a folded name, without the marks that may stand between words anyway."""
    words = [
        word.strip("*_`~[]-‐‑–.,'\"“”()") for word in form.replace("-", " ").replace(",", " ").replace("(", " ").split()
    ]
    return [word for word in words if word]


def joins(char: str) -> bool:
    """Is the character of a word, in a script that puts spaces between words?"""
    return (
        char.isalnum()
        and not "\u2e80" <= char <= "\ud7ff"
        and not "\uf900" <= char <= "\ufaff"
        and not "\uff66" <= char <= "\uffdc"
    )
