"""What memory knows of the things a prompt names, asked for within the hook's time and only while the store answers."""

from __future__ import annotations

import time

from neotoma_hooks.errors import note
from neotoma_hooks.firing import RESERVED_SECONDS
from neotoma_hooks.freezing import LONGEST_SCANNED
from neotoma_hooks.state.breaker import Breaker

TYPE_CHECKING = False
if TYPE_CHECKING:
    from neotoma_hooks.firing import Firing
    from neotoma_hooks.protocol.entity import Entity
    from neotoma_hooks.state.pending import Conversation

FAILURES_WORTH_TELLING = 3
SECONDS_WORTH_TELLING = 60.0


def recall(prompt: str, firing: Firing) -> list[Entity]:
    """Bounded retrieval (turn protocol, step 1); failures end in fewer entities or none.

    Fills the log line. A store that was away a moment ago is not asked.
    """
    from neotoma_hooks.protocol.identifiers import identifiers_in

    identifiers = identifiers_in(prompt[:LONGEST_SCANNED])
    firing.identifiers = identifiers
    firing.line["identifiers"] = len(identifiers)
    if not identifiers:
        return []
    now = time.time()
    breaker = None if firing.store.is_local else Breaker(firing.paths.breaker_file, firing.store.name)
    if breaker is not None and breaker.is_open(now):
        note(firing.line, f"not asked: {breaker.cause}")
        firing.late = identifiers
        return []
    from neotoma_hooks.protocol.matching import lookup_variants
    from neotoma_hooks.retrieval import retrieve

    until = min(time.monotonic() + firing.settings.lookup_seconds, firing.deadline - RESERVED_SECONDS)
    found = retrieve(firing.store, identifiers, until, firing.settings.max_entities, prompt[:LONGEST_SCANNED])
    firing.line["found"] = [entity.id for entity in found.entities]
    if found.failed:
        firing.late = [one for one in identifiers if any(variant in found.failed for variant in lookup_variants(one))]
        note(firing.line, f"{len(found.failed)} look-ups failed: {next(iter(found.failed.values()))}")
    if breaker is not None and found.error is not None:
        breaker.note_failure(str(found.error), now)
    return found.entities


def with_late(entities: list[Entity], conversation: Conversation, firing: Firing) -> list[Entity]:
    """The entities, and those that an earlier prompt's look-ups brought too late, where this prompt names them
    again."""
    from neotoma_hooks.protocol.folding import fold
    from neotoma_hooks.protocol.kept_entity import entity

    found = {known.id: known for known in entities}
    for identifier in firing.identifiers:
        for kept in conversation.late.pop(fold(identifier), ()):
            found.setdefault(kept["id"], entity(kept))
    return list(found.values())[: firing.settings.max_entities]


def to_tell(entities: list[Entity], conversation: Conversation, firing: Firing) -> list[Entity]:
    """Those of the entities that the agent is told of: they fit, and it was not told the same before.

    Notes them in the conversation.
    """
    from neotoma_hooks.protocol.context import fitting, line_of
    from neotoma_hooks.protocol.turn_ids import text_hash

    digests = {entity.id: text_hash(line_of(entity)) for entity in entities}
    given = conversation.given if firing.gives_once else {}
    new = [entity for entity in entities if given.get(entity.id) != digests[entity.id]]
    told = fitting(new, firing.context_limit)
    conversation.note_given({entity.id: digests[entity.id] for entity in told})
    return told


def notice(conversation_id: str, firing: Firing) -> str:
    """One sentence for the person when writes have failed for a while, once in a conversation; else ""."""
    if firing.store.is_local:
        return ""
    breaker = Breaker(firing.paths.breaker_file, firing.store.name)
    if breaker.failures < FAILURES_WORTH_TELLING or time.time() - breaker.since < SECONDS_WORTH_TELLING:
        return ""
    from neotoma_hooks.state.notices import is_first

    if not is_first(firing.paths.notices, f"away {firing.store.name} {conversation_id}"):
        return ""
    return (
        "neotoma-hooks cannot reach its memory; your messages are kept and will be delivered."
        " Run `neotoma-hooks doctor` to see why."
    )
