"""Folding: bringing two spellings of one name to the same string."""

from __future__ import annotations

#: Letters that are a base letter with a stroke or a ligature, which Unicode does not take apart (NFKD keeps them).
_STROKES = str.maketrans(
    {
        "ł": "l", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ı": "i", "ŧ": "t", "æ": "ae", "œ": "oe", "þ": "th",
        "’": "'", "‘": "'", "ʼ": "'", "´": "'", "“": '"', "”": '"', "„": '"', "«": '"', "»": '"',
        "‐": "-", "‑": "-", "‒": "-", "–": "-", "—": "-", "−": "-",
        "\u00ad": None, "\u200b": None, "\u200c": None, "\u200d": None, "\u2060": None, "\ufeff": None,
    }
)  # fmt: skip

#: How German writes its umlauts where the keyboard has none (DIN 5007-2).
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "Ä": "Ae", "Ö": "Oe", "Ü": "Ue"})


def fold(text: str) -> str:
    """`text` without regard to case, diacritics, typographic punctuation and the amount of white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    from unicodedata import normalize

    apart = normalize("NFKD", text).casefold()
    # Only the marks of the Latin, Greek and Cyrillic alphabets go: the voicing marks of kana and the vowel signs of
    # Indic scripts tell words apart. The breve of й stays too, because й is a letter, not an accented и.
    kept = [
        mark for index, mark in enumerate(apart)
        if not "\u0300" <= mark <= "\u036f" or (mark == "\u0306" and index and apart[index - 1] == "и")
    ]  # fmt: skip
    return " ".join(normalize("NFC", "".join(kept)).translate(_STROKES).split())


def expand_umlauts(text: str) -> str:
    """`text` with ä, ö, ü written as ae, oe, ue; the same string when it has none of them."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text).translate(_UMLAUTS)


def squeeze(folded: str) -> str:
    """A folded name without its spaces and punctuation: "jean-luc picard" and "jean luc picard" become one.

    Between two digits a "-" stays, so that INV-20-24 is not INV-2-024; and the signs of C#, C++ and F# stay,
    because without them these are other names.
    """
    out: list[str] = []
    gap = False
    for char in folded:
        if char.isalnum() or (char > "\u02ff" and _is_mark(char)):
            if gap and out and out[-1].isdigit() and char.isdigit():
                out.append("-")
            out.append(char)
            gap = False
        elif char in "+#" and out and not gap:
            out.append(char)
        else:
            gap = True
    return "".join(out)


def _is_mark(char: str) -> bool:
    from unicodedata import category

    return category(char).startswith("M")
