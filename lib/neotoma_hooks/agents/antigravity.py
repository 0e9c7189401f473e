"""Antigravity, Google's `agy` and IDE: by what integrations of it read (2026); not measured here."""

from __future__ import annotations

import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import NotATurn, PromptSubmitted, ReplyFinished, TurnFailed
from neotoma_hooks.agents.payloads import first_folder, identifier, optional_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event

_NORMAL_ENDS = ("NO_TOOL_CALL", "model_stop")
_OPENING, _CLOSING = "<USER_REQUEST>", "</USER_REQUEST>"


class Antigravity(Agent):
    """Events and settings of Antigravity.

    The payloads hold pointers only: prompt and reply stand in the transcript, a record each, numbered by `step_index`.
    `PreInvocation` comes before every call of the model; a turn goes by the number of its prompt's record, so that only
    the first one of a turn opens it.
    """

    name = "antigravity"
    title = "Antigravity"
    programs = ("agy", "antigravity")
    entries = (HookEntry("PreInvocation", "prompt_submit", 30), HookEntry("Stop", "stop", 30))
    #: JSON, `{"neotoma-hooks": {event: [handler]}}`, handlers without groups. One entry that does not load takes the
    #: whole file with it.
    settings_format = "antigravity-hooks"
    silence = "{}"
    not_captured = (
        "Prompt and reply are read from Antigravity's transcript, because the events do not hold them.",
        "A prompt whose record is not written yet when the model is called is stored from the next event on.",
        # Its event after a tool is not documented to hold what the tool said
        "What the agent stores itself through Neotoma's tools is not linked to its reply.",
    )

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.gemini/config/hooks.json`."""
        return os.path.join(home, ".gemini", "config", "hooks.json")

    def project_settings_file(self, project: str) -> str:
        """`.agents/hooks.json` in the repository."""
        return os.path.join(project, ".agents", "hooks.json")

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With prompt and reply in the transcript."""
        from neotoma_hooks.agents.transcript import written

        request = {"type": "USER_INPUT", "step_index": 0, "content": f"{_OPENING}\n{prompt}\n{_CLOSING}"}
        answer = {"type": "PLANNER_RESPONSE", "step_index": 1, "content": reply}
        path = written(os.path.join(home, "transcript.jsonl"), [request, answer])
        turn = {"conversationId": "self-check", "transcriptPath": path, "workspacePaths": [home]}
        return [("prompt_submit", turn), ("stop", {**turn, "terminationReason": _NORMAL_ENDS[0]})]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event: a Stop has a `terminationReason`."""
        conversation_id = identifier(payload, "conversationId")
        cwd = first_folder(payload, "workspacePaths")
        path = optional_text(payload, "transcriptPath")
        reason = payload.get("terminationReason")
        turn_id, prompt, reply = _newest_turn(path) if path else (None, None, None)
        if reason is None:
            if turn_id is None or prompt is None or not prompt.strip():
                return NotATurn(conversation_id, "the transcript does not tell the prompt yet", None, cwd)
            return PromptSubmitted(conversation_id, turn_id, prompt, cwd)
        if reason not in _NORMAL_ENDS:
            return TurnFailed(conversation_id, turn_id, f"the turn ended as {str(reason)[:40]}", cwd, text=reply)
        return ReplyFinished(conversation_id, turn_id, reply, prompt=prompt, opens=True, cwd=cwd)

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """A step that is there for this turn only."""
        return {"injectSteps": [{"ephemeralMessage": context}]}


def _newest_turn(path: str) -> tuple[str | None, str | None, str | None]:
    """(id, prompt, last text) of the newest turn in the transcript; None for what it does not tell.

    `transcript_full.jsonl` beside it has the records whole, where there is one. A turn without a number has no id that
    two events could share, and is not told.
    """
    reply: str | None = None
    for record in _records(path):
        content = record.get("content")
        if not isinstance(content, str):
            continue
        if record.get("type") == "PLANNER_RESPONSE" and content:
            reply = reply or content
        elif record.get("type") == "USER_INPUT":
            step = record.get("step_index")
            number = f"step-{step}" if isinstance(step, int) and not isinstance(step, bool) else None
            return number, _request(content), reply
    return None, None, None


def _records(path: str) -> Iterator[dict[str, Any]]:
    from neotoma_hooks.agents.transcript import lines_from_the_end

    full = os.path.join(os.path.dirname(path), "transcript_full.jsonl")
    try:
        yield from lines_from_the_end(full if os.path.exists(full) else path)
    except OSError:
        return


def _request(content: str) -> str:
    """What the person wrote: Antigravity puts it between tags and adds what it knows of the editor's state."""
    start = content.find(_OPENING)
    end = content.find(_CLOSING, start)
    if start < 0 or end < 0:
        return content
    request = content[start + len(_OPENING) : end]
    # The tags stand on lines of their own
    return request[request.startswith("\n") : len(request) - request.endswith("\n")]
