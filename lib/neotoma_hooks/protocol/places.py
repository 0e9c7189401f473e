"""Domains, files, paths and code symbols: forms that say where something is kept."""

from __future__ import annotations

from neotoma_hooks.protocol.candidates import ADDRESS, BRAND, CODE
from neotoma_hooks.protocol.ordinary import is_ordinary

#: Endings of file names. Some are domains too (.sh, .md, .py, .rs): then the file is meant.
FILE_ENDINGS = frozenset(
    "py pyi ipynb js mjs cjs jsx ts tsx vue svelte html htm css scss sass less json jsonl yaml yml toml ini "
    "cfg conf env lock md mdx rst txt log csv tsv xml svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt "
    "pptx odt ods key zip tar gz tgz bz2 xz rar sh bash zsh fish ps1 bat sql db sqlite c h cc cpp cxx hpp cs "
    "java kt kts scala go rs rb php pl pm lua r jl swift m mm ex exs erl hs clj dart tf proto graphql wasm so "
    "dll exe bin iso dmg mp3 mp4 mov wav avi mkv eml ics vcf pem crt patch diff tex bib parquet avro gradle "
    "properties plist".split()
)  # fmt: skip

_TOP_DOMAINS = frozenset(
    "com org net io dev app ai co edu gov mil info biz xyz tech cloud shop store online site blog page me tv "
    "eu uk de fr es it pt nl be lu at ch pl cz sk hu ro bg gr tr ru ua by se no dk fi is ie ee lv lt si hr rs "
    "us ca mx br ar cl pe au nz jp cn kr tw hk sg in th vn ph my za eg ng ke il ae sa int example test local "
    "internal localhost".split()
)  # fmt: skip

#: First folders by which a relative path is known.
ROOTS = frozenset(
    "src lib libs app apps packages tests test spec docs doc bin etc usr var opt home tmp config configs "
    "scripts cmd internal pkg node_modules public static assets components frontend backend server client api "
    "web infra k8s deploy tools examples migrations .github".split()
)  # fmt: skip


def place_at(piece: str) -> tuple[int, str, int]:
    """(kind, why, length) of a domain, path or code symbol at the start of a piece; no `why` when it is none."""
    size = len(piece)
    lower = piece.lower()
    if lower.startswith(("www.", "localhost:")) and len(piece) > 8:
        return ADDRESS, "a web address", size
    if piece[1:3] == ":\\" or piece.startswith("\\\\"):
        return CODE, "a path", size
    if "/" in piece:
        host = lower.partition("/")[0].partition(":")[0]
        if "." in host and _is_domain(host):
            return ADDRESS, "a web address", size
        return (CODE, "a path", len(_without_line_number(piece))) if _is_path(piece) else (CODE, "", 0)
    head, bracket, arguments = piece.partition("(")
    calls = bool(bracket) and arguments.endswith(")") and arguments not in ("s)", "es)", "n)", "en)")
    name = head if calls else piece
    if "." in name.strip("."):
        stem, _, ending = name.rpartition(".")
        ending = ending.partition(":")[0]
        if ending.lower() in FILE_ENDINGS and not calls and _wordy(stem):
            if ending == "js" and stem[:1].isupper() and stem.isalnum():
                return BRAND, "a product with a dot in its name", size
            return CODE, "a file name", len(_without_line_number(name))
        if (
            not calls
            and _is_domain(lower.partition(":")[0])
            and (lower == name or ending.isupper() or name[0].isupper())
        ):
            if name[-1] == ending[-1] and ending[:1].isupper() and not ending.isupper():
                return CODE, "", 0  # a full stop without a space after it: "done.It"
            return ADDRESS, "a domain", size
        if _is_dotted_symbol(name, calls):
            return CODE, "a code symbol", len(name)
        return CODE, "", 0
    if (
        piece[0] == "."
        and piece[1:].isalnum()
        and piece[1:2].isalpha()
        and lower[1:] in ("env", "gitignore", "dockerignore", "npmrc", "bashrc", "zshrc")
    ):
        return CODE, "a file name", size
    if "::" in name:
        parts = [part for part in name.split("::") if part]
        if len(parts) > 1 and all(part.replace("_", "").isalnum() for part in parts):
            return CODE, "a code symbol", len(name)
    if name.replace("_", "a").isalnum() and not name[0].isdecimal() and any(map(str.isalpha, name)):
        if "_" in name.strip("_") or (name.startswith("__") and name.endswith("__")):
            return CODE, "a code symbol", len(name)
        if calls and name[0].islower():
            return CODE, "a code symbol", len(name)
    return CODE, "", 0


def _is_dotted_symbol(name: str, calls: bool) -> bool:
    """`os.path.join`, `TokenBucket.refill`, `req.body`; but not two sentences without a space between them."""
    parts = name.split(".")
    if not all(part and part.replace("_", "").isalnum() and not part[0].isdecimal() for part in parts):
        return False
    if any(len(part) == 1 for part in parts):
        return calls or "_" in name
    if calls or "_" in name or len(parts) > 2:
        return True
    if parts[1][0].isupper():
        return not parts[1].islower() and any(map(str.isupper, parts[1][1:]))
    return not all(is_ordinary(part) for part in parts)


def _is_domain(lower: str) -> bool:
    labels = lower.split(".")
    return (
        len(labels) > 1
        and labels[-1] in _TOP_DOMAINS
        and all(label and label.replace("-", "").isalnum() for label in labels)
        and len(labels[-2]) > 1
        and any(map(str.isalpha, labels[-2]))
    )


def _is_path(piece: str) -> bool:
    segments = [segment for segment in piece.split("/") if segment]
    if not segments or not any(map(str.isalpha, piece)):
        return False
    if not all(_wordy(segment) for segment in segments):
        return False
    ending = _without_line_number(segments[-1]).rpartition(".")[2].lower()
    if "." in segments[-1][1:] and ending in FILE_ENDINGS and len(segments) > 1:
        return True
    if piece.startswith(("./", "../", "~/")):
        return True
    if piece[0] == "/":
        return len(segments) > 1
    if segments[0] in ROOTS and len(segments) > 1:
        return len(segments) > 2 or not (is_ordinary(segments[0]) and is_ordinary(segments[1]))
    plain = piece == piece.lower()
    if len(segments) > 2:
        return plain and any(sign in piece for sign in "._-0123456789")
    return False


def _wordy(segment: str) -> bool:
    return bool(segment) and all(char.isalnum() or char in "._-+@~*:$[](){}%" or char > "\u02ff" for char in segment)


def _without_line_number(path: str) -> str:
    """What "src/app.py" is of "src/app.py:88:9"."""
    while True:
        head, colon, tail = path.rpartition(":")
        if not colon or not (tail.isdecimal() or not tail):
            return path
        path = head
