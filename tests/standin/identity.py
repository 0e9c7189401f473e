"""Which entity a piece of data is: the type it counts as, its canonical name, its id.

Measured on Neotoma 0.22.0; numbers in brackets are captures in `captures/` or, outside the core, of the same series.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_CONVERSATION_FIELDS = (
    "schema_version conversation_id session_id title summary started_at ended_at date participant_count "
    "reported_message_count participants topics decisions open_tasks model tool source_url thread_kind client_name "
    "harness workspace_kind repository_name repository_root repository_remote scope_summary session_uuid"
)
_MESSAGE_FIELDS = (
    "schema_version role content turn_key sender_kind sender_agent_id recipient_agent_id reporter_git_sha "
    "reporter_git_ref reporter_channel reporter_app_version turn_number"
)

DECLARED_FIELDS: dict[str, frozenset[str]] = {
    "conversation": frozenset(_CONVERSATION_FIELDS.split()),
    "conversation_message": frozenset(_MESSAGE_FIELDS.split()),
}
"""The fields that a type's schema keeps in the snapshot [237, 238]; types not named here keep all."""

REQUIRED_FIELDS = {"conversation_message": ("role", "content")}
"""Fields whose absence is only warned of [142, 143]."""

RANKED_FIELDS: dict[str, frozenset[str]] = {
    "conversation": frozenset({"title", "summary"}),
    "company": frozenset({"name"}),
    "person": frozenset({"name"}),
}
"""Fields decided by `source_priority` instead of by the last write [228, 229]."""

REJECTING_TYPES = frozenset({"conversation", "conversation_message"})
"""Types that refuse to be merged by a guessed name [145, 160]."""

_RULES: dict[str, tuple[tuple[str, str, str], ...]] = {
    # type: (field, how the resolver names the rule in its path, and in `identity_rule`)
    "conversation": (
        ("conversation_id", "composite:conversation_id", "composite:conversation_id"),
        ("session_id", "composite:session_id", "composite:session_id"),
    ),
    "conversation_message": (("turn_key", "turn_key", "composite:turn_key"),),
    "person": (("email", "email", "email"), ("name", "name", "name")),
}
_PLURALS = {"companies": "company", "people": "person", "persons": "person", "conversations": "conversation"}
_NAME_KEYS = ("canonical_name", "name", "full_name", "title", "email", "url")
_NEVER_NAMES = frozenset({"entity_type", "role", "sender_kind", "entity_id", "target_id"})
_REJECTED_NAMES = frozenset({"unknown", "n/a", "none", "null", "undefined"})
_LEGAL_FORM = re.compile(
    r"[\s,]+(?:inc|incorporated|corp|corporation|co|company|ltd|limited|llc|llp|plc|gmbh|ag|bv|sa|srl)\.?\s*$",
    re.IGNORECASE,
)
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


class Identity(NamedTuple):
    """What an entity is: `basis` and `rule` are the server's own words for how it knows."""

    entity_type: str
    canonical_name: str
    basis: str
    rule: str
    path: str

    @property
    def entity_id(self) -> str:
        """The id that this type and name always get."""
        return entity_id(self.entity_type, self.canonical_name)


class Unresolved(Exception):
    """No name can be made of the entity's fields; `attempted` is the name that was thought of and rejected, if any."""

    def __init__(self, attempted: str | None) -> None:
        super().__init__(attempted)
        self.attempted = attempted


def entity_id(entity_type: str, canonical_name: str) -> str:
    """`ent_` and the first 24 hex digits of the SHA-256 of "type:name", the name in lower case."""
    named = _LONE_SURROGATE.sub("\ufffd", f"{entity_type}:{canonical_name.lower()}")
    return f"ent_{hashlib.sha256(named.encode()).hexdigest()[:24]}"


def type_of(written: str) -> str:
    """The type that a written one counts as: "companies" is "company" [153]."""
    return _PLURALS.get(written.strip(), written.strip())


def identify(entity_type: str, fields: Mapping[str, Any]) -> Identity:
    """Who the entity is, by its type's own rule where it has one, else by a name or id it carries.

    Raises Unresolved.
    """
    for field, path, rule in _RULES.get(entity_type, ()):
        value = _text(fields.get(field))
        if value:
            return Identity(
                entity_type, f"{entity_type}:{value}", "schema_rule", rule, f"schema:canonical_name_fields:{path}"
            )
    for field in _NAME_KEYS:
        value = _text(fields.get(field))
        if value:
            name = canonical_form(entity_type, value)
            if name.lower() in _REJECTED_NAMES:
                raise Unresolved(name)
            return Identity(entity_type, name, "heuristic_name", f"name_key:{field}", f"name_key:{field}")
    for field, given in fields.items():
        value = _text(given)
        if value and (field.endswith("_id") or field == "turn_key") and field not in _NEVER_NAMES:
            name = f"id:{field}:{value}"
            return Identity(entity_type, name, "heuristic_name", f"id_key:{field}", f"id_key:{field}")
    for field, given in fields.items():
        if isinstance(given, str) and given.strip() and field not in _NEVER_NAMES:
            path = f"heuristic:{field}"
            return Identity(entity_type, given.strip(), "heuristic_fallback", f"first_string_field:{field}", path)
    raise Unresolved(None)


def canonical_form(entity_type: str, name: str) -> str:
    """The name as it is compared: a company loses its legal form, be it "Acme Corp" [12] or "ACME, Inc." [235]."""
    name = name.strip()
    return (_LEGAL_FORM.sub("", name).strip() or name) if entity_type == "company" else name


def display_name(entity_type: str, snapshot: Mapping[str, Any]) -> str | None:
    """What a snapshot row calls the entity: its name or title as written; nothing for a message [52]."""
    if entity_type == "conversation_message":
        return None
    return next((str(snapshot[field]) for field in ("name", "full_name", "title") if snapshot.get(field)), None)


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return str(value).strip()
