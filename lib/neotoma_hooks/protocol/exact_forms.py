"""Identifiers that are recognised by their form alone: ids, addresses, paths, code symbols."""

from __future__ import annotations

import re

from neotoma_hooks.protocol.candidates import ADDRESS, BRAND, CODE, ID
from neotoma_hooks.protocol.ordinary import is_ordinary
from neotoma_hooks.protocol.scripts import BREAKS

#: A run without white space, quotation marks or letters of scripts that write without spaces.
_PIECE = re.compile(f"[^{BREAKS}]+")

_MAIL = re.compile(r"[\w.+%-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}")
_REPOSITORY_NUMBER = re.compile(r"[\w.-]{1,80}/[\w.-]{1,80}[#!]\d+")
_IDS = re.compile(
    r"(?<![\w-])(?:"
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # UUID
    r"|[A-Z][A-Z0-9]{0,11}(?:-[A-Z0-9]{1,16}){0,5}-[A-Z0-9]{0,16}\d[A-Z0-9]{0,16}"  # PROJ-123, INV-2024-0031, CVE-2024-3094
    r"|[A-Z]{2,6}(?:/\d+){2,}"  # RE/2024/0031
    r"|[A-Z]{2,6}\d{4,}"  # INC0012345
    r"|[a-z]{2,12}_(?=[A-Za-z]*\d)[A-Za-z0-9]{8,}"  # ent_…, cus_…
    r"|[0-9a-f]{7,40}|[0-9A-F]{7,40}"  # commit id
    r")(?![A-Za-z0-9_])|(?<![\w&#/.])[A-Za-z]{0,6}#\d+(?!\w)"  # #456, PR#456
)

#: Names of standards and algorithms that look like ticket numbers.
_STANDARDS = frozenset(
    "UTF UCS SHA MD ISO AES RSA DES HS RS ES IEEE CP BASE HTTP IPV USB MP H X W T A B C D L PEP".split()
)

#: Endings of file names. Some are domains too (.sh, .md, .py, .rs): then the file is meant.
_FILE_ENDINGS = frozenset(
    "py pyi ipynb js mjs cjs jsx ts tsx vue svelte html htm css scss sass less json jsonl yaml yml toml ini cfg "
    "conf env lock md mdx rst txt log csv tsv xml svg png jpg jpeg gif webp ico pdf doc docx xls xlsx ppt pptx "
    "odt ods key zip tar gz tgz bz2 xz rar sh bash zsh fish ps1 bat sql db sqlite c h cc cpp cxx hpp cs java kt "
    "kts scala go rs rb php pl pm lua r jl swift m mm ex exs erl hs clj dart tf proto graphql wasm so dll exe bin "
    "iso dmg mp3 mp4 mov wav avi mkv eml ics vcf pem crt patch diff tex bib parquet avro gradle properties plist".split()
)  # fmt: skip

_TOP_DOMAINS = frozenset(
    "com org net io dev app ai co edu gov mil info biz xyz tech cloud shop store online site blog page me tv eu "
    "uk de fr es it pt nl be lu at ch pl cz sk hu ro bg gr tr ru ua by se no dk fi is ie ee lv lt si hr rs us ca "
    "mx br ar cl pe au nz jp cn kr tw hk sg in th vn ph my za eg ng ke il ae sa int example test local internal "
    "localhost".split()
)  # fmt: skip

#: First folders by which a relative path is known.
_ROOTS = frozenset(
    "src lib libs app apps packages tests test spec docs doc bin etc usr var opt home tmp config configs scripts "
    "cmd internal pkg node_modules public static assets components frontend backend server client api web infra "
    "k8s deploy tools examples migrations .github".split()
)  # fmt: skip

#: What programming languages and chat programs put behind an @ of their own.
_NOT_HANDLES = frozenset(
    "property staticmethod classmethod override overrides deprecated param params return returns throws see since "
    "author version media import dataclass abstractmethod test before after component injectable autowired "
    "nullable notnull everyone here channel all types todo apply layer charset keyframes supports".split()
)  # fmt: skip

#: Nouns after which a bare number is the number of a record.
_NUMBER_NOUNS = frozenset(
    "order orders invoice ticket issue pr mr pull case bug po rma booking reservation claim policy incident "
    "request quote № n° nº shipment tracking account customer contract #no no. nr. nr no number bestellung "
    "rechnung auftrag vorgang ticketnummer commande facture dossier pedido factura expediente ordine fattura "
    "encomenda zamówienie faktura zlecenie sipariş fatura заказ счёт счет заявка замовлення рахунок".split()
)  # fmt: skip

Span = tuple[int, int, int, str]


def exact_forms_in(line: str) -> list[Span]:
    """(start, end, kind, why) of each id, address, path and code symbol of a line, from left to right."""
    found: list[Span] = []
    before = ""
    for hit in _PIECE.finditer(line):
        piece = hit.group()
        if piece.isalpha():
            before = piece
            continue
        start = hit.start()
        if len(piece) <= 2000:
            _read_piece(piece, start, before, found)
        before = piece.strip("()[]")
    return found


def _read_piece(piece: str, start: int, before: str, found: list[Span]) -> None:
    scheme = piece.find("://")
    if scheme > 1 and piece[scheme - 1].isalpha():
        first = scheme
        while first and (piece[first - 1].isalpha() or piece[first - 1] == "+"):
            first -= 1
        url = _trimmed(piece[first:])
        if len(url) > scheme - first + 3:
            found.append((start + first, start + first + len(url), ADDRESS, "a URL"))
        return
    if len(piece) > 200:
        return
    if "," in piece or ";" in piece:
        for part in piece.replace(";", ",").split(","):
            if part:
                _read_part(part, start, before, found)
            start += len(part) + 1
        return
    _read_part(piece, start, before, found)


def _read_part(piece: str, start: int, before: str, found: list[Span]) -> None:
    lead = len(piece) - len(piece.lstrip("([{'’*¡¿!?:"))
    if piece[lead : lead + 2] == "](":
        lead += 2
    link = piece.find("](")
    if link >= 0:
        lead = link + 2
    start += lead
    piece = _trimmed(piece[lead:])
    if piece[:1] == "_" and piece[-1:] == "_" and piece[:2] != "__":
        piece = piece.strip("_")
        start += 1
    if piece.endswith(("'s", "’s")):
        piece = piece[:-2]
    if len(piece) < 2:
        return
    if "@" in piece and _read_at(piece, start, found):
        return
    if not piece.isalpha() and _read_ids(piece, start, before, found):
        return
    kind, why, size = _form(piece)
    if why:
        found.append((start, start + size, kind, why))


def _read_at(piece: str, start: int, found: list[Span]) -> bool:
    mails = list(_MAIL.finditer(piece))
    for mail in mails:
        first, end = mail.span()
        if first == 1 and piece[0] == "@":
            first = 0  # a handle with its server: @ada@example.social
        if piece[end : end + 1] == ":" and end + 1 < len(piece):
            end = len(piece)  # git@host:owner/name
        found.append((start + first, start + end, ADDRESS, "an e-mail address or account"))
    if mails:
        return True
    if piece[0] != "@":
        return False
    name = piece[1:]
    if "/" in name or name.rpartition(".")[2].lower() in _FILE_ENDINGS:
        path = name.rpartition("/")[2].rpartition(".")[2].lower() in _FILE_ENDINGS or name.partition("/")[0] in _ROOTS
        shift = 1 if path else 0
        found.append((start + shift, start + len(piece), CODE, "a file or package named with @"))
    elif name[0].isalnum() and name.replace("-", "").replace("_", "").replace(".", "").isalnum():
        if name.lower() not in _NOT_HANDLES and not name.isdecimal():
            found.append((start, start + len(piece), ADDRESS, "a handle"))
    return True


def _read_ids(piece: str, start: int, before: str, found: list[Span]) -> bool:
    if piece.startswith("10.") and "/" in piece[7:] and piece[3:7].isdecimal():
        found.append((start, start + len(piece), ID, "a DOI"))
        return True
    if piece[:6].lower() == "arxiv:":
        found.append((start, start + len(piece), ID, "an arXiv number"))
        return True
    if piece[0] == "№" and piece[1:].isdecimal():
        found.append((start, start + len(piece), ID, "a number with №"))
        return True
    repository = _REPOSITORY_NUMBER.match(piece)
    if repository:
        found.append((start, start + repository.end(), ID, "a number in a repository"))
        return True
    if piece.isdecimal():
        if 3 <= len(piece) <= 20 and before.lower().rstrip(":#.") in _NUMBER_NOUNS:
            found.append((start, start + len(piece), ID, f'a number after "{before}"'))
        return True
    taken = False
    for hit in _IDS.finditer(piece):
        first, end = hit.span()
        text = hit.group()
        digits = sum(map(str.isdecimal, text))
        if "#" in text:
            head = text.partition("#")[0]
            if digits < 2 and not head and before.lower() not in _NUMBER_NOUNS:
                continue
            found.append((start + first + len(head), start + end, ID, "a number with #"))
        elif text[0].isupper() and ("-" in text or "/" in text):
            prefix = text.partition("-")[0].partition("/")[0]
            if prefix in _STANDARDS and not (len(prefix) == 1 and digits > 2):
                continue
            # The rest of a longer hyphenated word ("PROJ-123-fix") is no part of the id, a longer number is.
            found.append((start + first, start + end, ID, "a ticket or document number"))
        elif "_" in text:
            if digits < 2:
                continue
            found.append((start + first, start + end, ID, "an id with its prefix"))
        elif "-" in text:
            found.append((start + first, start + end, ID, "a UUID"))
        elif digits == len(text) or (digits == 0) or (text[0].isupper() and digits + 2 > len(text) + 1):
            continue
        else:
            found.append((start + first, start + end, ID, "a commit id or serial number"))
        taken = True
    return taken


def _form(piece: str) -> tuple[int, str, int]:
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
        if ending.lower() in _FILE_ENDINGS and not calls and _wordy(stem):
            if ending == "js" and stem[:1].isupper() and stem.isalnum():
                return BRAND, "a product with a dot in its name", size
            return CODE, "a file name", len(_without_line_number(name))
        if not calls and _is_domain(lower.partition(":")[0]) and (lower == name or ending.isupper() or name[0].isupper()):
            if name[-1] == ending[-1] and ending[:1].isupper() and not ending.isupper():
                return CODE, "", 0  # a full stop without a space after it: "done.It"
            return ADDRESS, "a domain", size
        if _is_dotted_symbol(name, calls):
            return CODE, "a code symbol", len(name)
        return CODE, "", 0
    if piece[0] == "." and piece[1:].isalnum() and piece[1:2].isalpha() and lower[1:] in ("env", "gitignore", "dockerignore", "npmrc", "bashrc", "zshrc"):
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
    if "." in segments[-1][1:] and ending in _FILE_ENDINGS and len(segments) > 1:
        return True
    if piece.startswith(("./", "../", "~/")):
        return True
    if piece[0] == "/":
        return len(segments) > 1
    if segments[0] in _ROOTS and len(segments) > 1:
        return len(segments) > 2 or not (is_ordinary(segments[0]) and is_ordinary(segments[1]))
    plain = piece == piece.lower()
    if len(segments) > 2:
        return plain and any(sign in piece for sign in "._-0123456789")
    return False


def _wordy(segment: str) -> bool:
    return bool(segment) and all(char.isalnum() or char in "._-+@~*:$[](){}%" or char > "\u02ff" for char in segment)


def _without_line_number(path: str) -> str:
    """ "src/app.py:88:9" → "src/app.py"."""
    while True:
        head, colon, tail = path.rpartition(":")
        if not colon or not (tail.isdecimal() or not tail):
            return path
        path = head


def _trimmed(piece: str) -> str:
    """Without the punctuation of the sentence and the brackets that were not opened inside."""
    end = len(piece)
    depth = {")": piece.count("(") - piece.count(")"), "]": piece.count("[") - piece.count("]"),
             "}": piece.count("{") - piece.count("}")}  # fmt: skip
    while end:
        last = piece[end - 1]
        if last in ".,;:!?'’*~\\" and not (last == "*" and piece[end - 2 : end - 1] == "/"):
            end -= 1
        elif last in depth and depth[last] < 0:
            depth[last] += 1
            end -= 1
        else:
            break
    return piece[:end]
