"""What the words round the first word of a sentence tell about it: a name, an instruction, or a noun for something."""

from __future__ import annotations

from neotoma_hooks.protocol.ordinary import is_noun, is_verb

#: Nouns that may be part of the name behind them: it is then looked up with and without them.
APPOSITIONS = frozenset(
    "project team operation lake mount hotel uncle aunt president room group department channel service "
    "module product projekt proyecto projet progetto projeto проект проєкт".split()
)

#: Nouns that say what the thing behind them is, and are no part of its name.
NOUNS_BEFORE_NAMES = frozenset(
    "customer client company vendor supplier partner agency user contact candidate patient component feature "
    "epic sprint milestone firma kunde cliente empresa société klient компания клиент компанія".split()
)

#: Endings of nouns for what somebody does ("Reporter Katherine Johnson").
ROLES = ("er", "or", "ist", "ee")

#: After these an unknown opening word is an instruction, not a subject: "Bump the version".
OBJECTS = frozenset(
    "the a an this that these those my our your his her its their it me us them him all every each any some "
    "both what how why where which whether if only up out down into den dem ein eine einen el los las un una "
    "unos unas les des ce cette ces uno il o os um uma".split()
)

#: Behind an opening word these make it the subject, even when it is an ordinary word too: "Mark said", "Slack is down".
_SUBJECT_VERBS = frozenset(
    "is was has had said says wants wanted asked asks told tells sent sends called calls wrote writes thinks "
    "thought reported reports replied replies approved approves signed signs needs joined joins left agreed "
    "agrees owns leads manages confirmed confirms mentioned mentions emailed pinged suggested suggests "
    "prefers decided knows works worked gave gives got gets made makes took takes went goes can will would "
    "should doesn't isn't hasn't wasn't didn't won't can't couldn't wouldn't shouldn't hadn't ist hat war "
    "sagt schreibt möchte est dit veut es ha tiene dijo quiere è supports requires".split()
)


def reads_as_subject(after: str) -> bool:
    """Does this word (small letters) behind an opening word make that word the subject of the sentence?"""
    return after in _SUBJECT_VERBS or (
        is_verb(after) and (after.endswith("ed") or (after.endswith("s") and not is_noun(after)))
    )
