"""Legal forms of companies (Inc., GmbH, S.A., …): part of how a name is written, not of what it names."""

from __future__ import annotations

from neotoma_hooks.protocol.folding import fold, squeeze

#: Folded and squeezed ("s.r.o." is "sro"). The forms of the countries whose languages the cases are in, and the
#: commonest of others; after ISO 20275 (entity legal forms).
LEGAL_FORMS = frozenset(
    "inc incorporated corp corporation co company ltd limited llc llp lp plc pllc pbc gmbh mbh ggmbh ag kg "
    "kgaa ohg ug ev eg sa sas sasu sarl sca snc sci srl srls spa sapa sl slu slp sau bv nv vof cv ab hb asa "
    "oy oyj aps oü ou sia uab kft zrt nyrt bt sro spol spzoo zoo doo dd ad ood eood pty pvt pte sdn bhd kk gk "
    "ltda eireli me cia rl as se aş ltdşti şti sti вт ооо оао зао пао ао ип тов ат пат еоод оод еад ае επε οε "
    "ικε".split()
)

#: Of these, the ones that are ordinary words or units too: they count only in capitals or with their dots.
_WORDLIKE = frozenset("as se spa me ad dd ab bt cv hb rl eg ev ou sia zoo sl sti kk gk bb sci ai ao".split())

#: Written before the name, or glued to it, in these languages.
_LEADING = frozenset("ооо оао зао пао ао ип тов ат пат pt".split())
_GLUED = ("株式会社", "有限会社", "合同会社", "(株)", "有限公司", "股份有限公司", "주식회사", "(주)")


def is_legal_form(word: str) -> bool:
    """Is this one word, as written, a legal form?"""
    # Not folded: the family name Sá is no S.A.
    key = squeeze(word.lower())
    if key not in LEGAL_FORMS:
        return False
    written = word.strip(",")
    return key not in _WORDLIKE or written.isupper() or written == "SpA" or "." in written or "/" in written


def without_legal_form(name: str) -> str:
    """`name` as written, without its legal form ("Acme, Inc." → "Acme"); unchanged if nothing else would be left."""
    for glued in _GLUED:
        if name.startswith(glued) or name.endswith(glued):
            rest = name.removeprefix(glued).removesuffix(glued).strip()
            if rest:
                return rest
    words = name.split()
    end = len(words)
    start = 0
    while end > 1:
        # Forms of several words: "GmbH & Co. KG", "Sp. z o.o.", "S.A. de C.V.", "Ltd. Şti."
        if end > 3 and squeeze(fold("".join(words[end - 3 : end]))) in ("spzoo", "sadecv"):
            end -= 3
        elif is_legal_form(words[end - 1]) or (words[end - 1] == "&" and end < len(words)):
            end -= 1
        else:
            break
    if end - start > 1 and fold(words[0]) in _LEADING and words[0].isupper():
        start = 1
    if start == 0 and end == len(words):
        return name.strip()
    return " ".join(words[start:end]).rstrip(" ,;")
