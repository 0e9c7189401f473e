"""When does a capital say nothing? Words that are capitalised only because of where they stand."""

from __future__ import annotations

from neotoma_hooks.protocol import english, english_nouns, other_languages

#: Months and days, in full and shortened: alone they are no names, wherever they stand.
CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday "
    "wednesday thursday friday saturday sunday mon tue tues wed thu thur thurs fri sat sun feb mar apr jun "
    "jul aug sep sept oct nov dec q1 q2 q3 q4 h1 h2 fy eod eow eom eoy utc gmt est edt pst pdt cet cest am pm "
    "easter christmas xmas januar februar märz mai juni juli oktober dezember montag dienstag mittwoch "
    "donnerstag freitag samstag sonnabend sonntag ostern weihnachten janvier février mars avril juin juillet "
    "août septembre octobre novembre décembre lundi mardi mercredi jeudi vendredi samedi dimanche enero "
    "febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre lunes martes "
    "miércoles jueves viernes sábado domingo gennaio febbraio aprile maggio giugno luglio settembre ottobre "
    "dicembre lunedì martedì mercoledì giovedì venerdì sabato domenica janeiro fevereiro março maio junho "
    "julho setembro outubro novembro dezembro segunda terça quarta quinta sexta januari februari maart mei "
    "augustus maandag dinsdag woensdag donderdag vrijdag zaterdag zondag styczeń luty marzec kwiecień maj "
    "czerwiec lipiec sierpień wrzesień październik listopad grudzień poniedziałek wtorek środa czwartek "
    "piątek sobota niedziela ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık "
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar январь февраль март апрель май июнь июль август "
    "сентябрь октябрь ноябрь декабрь понедельник вторник среда четверг пятница суббота воскресенье января "
    "февраля марта апреля мая июня июля августа сентября октября ноября декабря среду пятницу субботу січень "
    "лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень понеділок "
    "вівторок середа четвер неділя ιανουάριος φεβρουάριος μάρτιος απρίλιος μάιος ιούνιος ιούλιος αύγουστος "
    "σεπτέμβριος οκτώβριος νοέμβριος δεκέμβριος δευτέρα τρίτη τετάρτη πέμπτη παρασκευή σάββατο κυριακή".split()
)

#: Given names, family names and brands that are ordinary words too: with a capital in the middle of a sentence they
#: are names, at its beginning only if the sentence goes on as after a subject.
NAMESAKES = frozenset(
    "will mark bill jan may april june august art grace hope faith joy dawn rose frank jack josh ray dale "
    "dean miles summer penny skip chip buddy max nick peg ward wade reed lance chuck guy rich sunny harry "
    "jimmy norm sue rob pat drew chase grant pierce chance hunter mason carter cooper miller baker cook king "
    "prince bishop page price rice young brown green black white gray grey wood woods stone hill field fields "
    "banks rivers lake west north love ivy lily iris violet ruby pearl amber crystal jade daisy holly olive "
    "robin jay martin drake angel christian dick gene jean john lee ken earl duke rusty sandy stormy autumn "
    "victor dot bob tom tim don slack notion linear stripe square zoom teams target oracle apple amazon meta "
    "windows word excel outlook edge chrome spark swift rust go python java flask express react angular ember "
    "backbone puppet chef salt consul vault nomad docker helm travis circle sentry segment signal telegram "
    "discord sketch canvas canva box drive ring shell gap ford visa discover next nest play stack twist "
    "buffer front drift monday asana trello jira confluence unity blender atom eclipse fly render railway "
    "neon bolt cursor copilot gemini claude bard intercom loom miro pitch ghost wave ramp brave arc opera "
    "safari maven gradle ant make bash fish sphinx flux argo istio pulse harbor quay spring dart".split()
)

#: Acronyms that everybody who uses a computer uses: they name a kind of thing.
GENERIC_ACRONYMS = frozenset(
    "q&a r&d m&a p&l d&d api apis json http https html css xml yaml toml csv tsv pdf sql nosql orm url urls "
    "uri urn cli gui ui ux id ids uuid guid pr prs mr ci cd qa todo fixme ok db os io cpu gpu ram rom ssd hdd "
    "usb lan wan vpn dns ip tcp udp ssh ssl tls ftp sftp smtp imap vm ide sdk jdk jvm repl regex rest crud "
    "mvp poc kpi kpis okr okrs eta faq rfc adr tdd bdd sla slas slo slos oncall p0 p1 p2 p3 utf ascii ansi "
    "rgb png jpg jpeg gif svg mp3 mp4 zip ai ml llm llms nlp it hr vp ceo cto cfo coo cio ciso pm po dm ooo "
    "wfh fyi asap btw imo tbd tba tbc nda rfp rfq crm erp cms get put post patch delete head select from "
    "where insert into values set update join left inner outer group order by having limit and or not null "
    "true false as on in is asc desc create table alter drop index distinct union count sum avg min max case "
    "when then else end exists between like using begin commit error warn warning info debug fatal trace fail "
    "failed pass passed readme license changelog dom dto dao mvc jwt oauth cors csrf xss env eof ttl".split()
)

#: Ordinary words that begin names, so that they stay although they open a sentence ("New York", "Project Heron").
NAME_HEADS = frozenset(
    "new north south east west saint st mount mt lake port fort cape san santa los las el la le les den great "
    "grand big old general global national international united american royal open free blue red black white "
    "green golden silver central first project operation team university bank city republic museum house home "
    "best deep digital data super smart universidad université universität banco banque hotel club banca "
    "ministero università istituto ministerio ministère radio air sun star world".split()
)

_ENDINGS_OF_NOUNS = ("ation", "ction", "ition", "ution", "ement", "yment", "ssion", "bility", "ness", "ship")
_GERMAN_NOUN_ENDINGS = (
    "ung",
    "ungen",
    "heit",
    "keit",
    "keiten",
    "schaft",
    "tät",
    "tion",
    "tionen",
    "ment",
    "nis",
    "tum",
    "ling",
)


def stems(word: str) -> list[str]:
    """The base forms an English word (lower case) may be an inflection of, itself first."""
    found = [word]
    for ending in ("'s", "s", "es", "d", "ed", "ing", "ly"):
        if word.endswith(ending) and len(word) - len(ending) > 1:
            base = word[: -len(ending)]
            found += (base, base + "e") if ending in ("ing", "ed") else (base,)
            if ending in ("ed", "ing") and len(base) > 2 and base[-1] == base[-2]:
                found.append(base[:-1])
            if ending in ("es", "ed", "ly") and base.endswith("i"):
                found.append(base[:-1] + "y")
    return found


def is_function_word(lower: str) -> bool:
    """Is the word (lower case) of a closed class, or a greeting or sentence adverb?"""
    return lower in english.FUNCTION_WORDS or lower in other_languages.FUNCTION_WORDS


def is_english(lower: str) -> bool:
    """Is the word (lower case) an everyday word of English?"""
    return lower in english.FUNCTION_WORDS or any(stem in english.VERBS for stem in stems(lower))


def is_ordinary_in_capitals(word: str) -> bool:
    """Is the word, written in capitals, an everyday word of English? The function words of other languages look too
    much like acronyms to count (MIT, DES, SE)."""
    lower = word.lower()
    return is_english(lower) or lower in CALENDAR or is_noun(lower)


def is_verb(lower: str) -> bool:
    """Can the word (lower case) open an instruction or a note, so that what follows it is no part of a name with it?"""
    if lower in other_languages.OPENERS or any(stem in english.VERBS for stem in stems(lower)):
        return True
    # "Resend", "unpublish", "precompute": made from a verb.
    return (
        len(lower) > 5
        and lower.startswith(("re", "un", "de", "pre", "mis", "dis"))
        and any(stem in english.VERBS for size in (2, 3) for stem in stems(lower[size:]) if len(stem) > 2)
    )


def is_noun(lower: str) -> bool:
    """Is the word (lower case) an ordinary noun or adjective?"""
    return any(stem in english_nouns.NOUNS for stem in stems(lower)) or (
        len(lower) > 8 and lower.isascii() and lower.endswith(_ENDINGS_OF_NOUNS)
    )


def is_ordinary(word: str) -> bool:
    """Is the word, in lower case, one that people write every day?"""
    lower = word.lower().replace("’", "'")
    if is_function_word(lower) or is_verb(lower) or is_noun(lower) or lower in CALENDAR:
        return True
    if "-" in lower:
        return all(not part or is_ordinary(part) for part in lower.split("-"))
    return False


def is_german_noun(word: str) -> bool:
    """Does the word have an ending that only common nouns have in German?"""
    lower = word.lower()
    return lower in other_languages.OPENERS or (len(lower) > 6 and lower.endswith(_GERMAN_NOUN_ENDINGS))
