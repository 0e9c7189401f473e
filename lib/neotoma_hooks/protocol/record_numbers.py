"""Ids and numbers of records: tickets, orders, invoices, commits, UUIDs, DOIs."""

from __future__ import annotations

import re

from neotoma_hooks.protocol.candidates import ID

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.protocol.spans import Span

# Strings, compiled (and cached by `re`) on first use: many a prompt has no number in it.
_REPOSITORY_NUMBER = r"[\w.-]{1,80}/[\w.-]{1,80}[#!]\d+"
_IDS = (
    r"(?<![\w-])(?:"
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # UUID
    # PROJ-123, INV-2024-0031, CVE-2024-3094
    r"|[A-Z][A-Z0-9]{0,11}(?:-[A-Z0-9]{1,16}){0,5}-[A-Z0-9]{0,16}\d[A-Z0-9]{0,16}"
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

#: Nouns after which a bare number is the number of a record.
_NUMBER_NOUNS = frozenset(
    "order orders invoice ticket issue pr mr pull case bug po rma booking reservation claim policy incident "
    "request quote № n° nº shipment tracking account customer contract #no no. nr. nr no number bestellung "
    "rechnung auftrag vorgang ticketnummer commande facture dossier pedido factura expediente ordine fattura "
    "encomenda zamówienie faktura zlecenie sipariş fatura заказ счёт счет заявка замовлення рахунок".split()
)  # fmt: skip


def read_record_numbers(piece: str, start: int, before: str, found: list[Span]) -> bool:
    """Add the ids in a piece (at offset `start`, behind the word `before`) to `found`; True if the piece is used up."""
    if piece.startswith("10.") and "/" in piece[7:] and piece[3:7].isdecimal():
        found.append((start, start + len(piece), ID, "a DOI"))
        return True
    if piece[:6].lower() == "arxiv:":
        found.append((start, start + len(piece), ID, "an arXiv number"))
        return True
    if piece[0] == "№" and piece[1:].isdecimal():
        found.append((start, start + len(piece), ID, "a number with №"))
        return True
    repository = re.match(_REPOSITORY_NUMBER, piece, re.ASCII)
    if repository:
        found.append((start, start + repository.end(), ID, "a number in a repository"))
        return True
    if piece.isdecimal():
        if 3 <= len(piece) <= 20 and before.lower().rstrip(":#.") in _NUMBER_NOUNS:
            found.append((start, start + len(piece), ID, f'a number after "{before}"'))
        return True
    taken = False
    for hit in re.finditer(_IDS, piece, re.ASCII):
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
