"""Devin CLI: by its documentation and by what integrations of it read; not measured here."""

from __future__ import annotations

import json
import os

from neotoma_hooks.agents.base import Agent, HookEntry
from neotoma_hooks.agents.events import Exchange, ReplyFinished
from neotoma_hooks.agents.payloads import (
    cwd_of,
    identifier,
    is_true,
    optional_text,
    other_event,
    prompt_event,
    tool_event,
)
from neotoma_hooks.errors import TranscriptUnreadable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event
    from neotoma_hooks.agents.transcript import Said

MOST_NODES = 400
LOCKED_SECONDS = 0.1
"""How long a database is waited for that Devin writes to; no alarm would end such a wait."""

_DATABASE = (".local", "share", "devin", "cli", "sessions.db")


class DevinCli(Agent):
    """Events and settings of Devin CLI.

    Claude Code's events with a `prompt_id`, without folder, transcript or reply. The reply stands in a database of the
    CLI's own. It runs Claude Code's files as well.
    """

    name = "devin-cli"
    title = "Devin CLI"
    programs = ("devin",)
    entries = (
        HookEntry("UserPromptSubmit", "prompt_submit", 30),
        HookEntry("Stop", "stop", 30),
        HookEntry("PostToolUse", "tool_use", 30, matcher="mcp__.*neotoma.*"),
    )
    not_captured = ("The reply is read from Devin's sessions.db, because the events do not hold it.",)

    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """`~/.config/devin/config.json`, on Windows `devin/config.json` in APPDATA."""
        folder = environ.get("APPDATA") if os.name == "nt" else None
        return os.path.join(folder or os.path.join(home, ".config"), "devin", "config.json")

    def project_settings_file(self, project: str) -> str:
        """`.devin/hooks.v1.json` in the repository."""
        return os.path.join(project, ".devin", "hooks.v1.json")

    def format_of(self, path: str) -> str:
        """`hooks.v1.json` is "claude-events": event -> groups -> handlers, with nothing around."""
        return "claude-events" if os.path.basename(path) == "hooks.v1.json" else "claude-settings"

    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """With the reply in Devin's database."""
        import sqlite3

        path = os.path.join(home, *_DATABASE)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute("CREATE TABLE message_nodes (node_id INTEGER, session_id TEXT, chat_message TEXT)")
            for number, said in enumerate(
                ({"role": "user", "content": prompt}, {"role": "assistant", "content": reply})
            ):
                row = (number, "self-check", json.dumps({**said, "message_id": str(number)}))
                connection.execute("INSERT INTO message_nodes VALUES (?, ?, ?)", row)
        connection.close()
        turn = {"session_id": "self-check", "prompt_id": "turn-1"}
        return [
            ("prompt_submit", {**turn, "hook_event_name": "UserPromptSubmit", "prompt": prompt}),
            ("stop", {**turn, "hook_event_name": "Stop", "stop_hook_active": False}),
        ]

    def read(self, payload: Mapping[str, Any]) -> Event:
        """The event, recognised by `hook_event_name`; the folder is in the environment only."""
        conversation_id = identifier(payload, "session_id")
        turn_id = optional_text(payload, "prompt_id")
        event = payload.get("hook_event_name")
        cwd = cwd_of(payload) or os.environ.get("DEVIN_PROJECT_DIR", "")
        if event == "UserPromptSubmit":
            return prompt_event(payload, conversation_id, turn_id, cwd=cwd, own_id=True)
        if event == "PostToolUse":
            return tool_event(payload, conversation_id, turn_id, cwd=cwd)
        if event != "Stop":
            return other_event(conversation_id, event, cwd)
        text = optional_text(payload, "last_assistant_message")
        return ReplyFinished(
            conversation_id,
            turn_id,
            text,
            transcript=None if text else lambda: exchanges(_database(), conversation_id),
            continued=is_true(payload, "stop_hook_active"),
            cwd=cwd,
        )

    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """As an integration of it does."""
        return {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": context}}


def _database() -> str:
    return os.path.join(os.path.expanduser("~"), *_DATABASE)


def exchanges(path: str, session_id: str) -> list[Exchange]:
    """The newest exchanges of a session in Devin's database, oldest first; none when there is no such file.

    A message is written again as it grows and as the conversation branches: the newest copy under its id counts. Raises
    TranscriptUnreadable for a database that is locked, or not as it was known to be.
    """
    if not os.path.exists(path):
        return []
    import sqlite3

    from neotoma_hooks.agents.transcript import exchanges_in

    query = "SELECT chat_message FROM message_nodes WHERE session_id = ? ORDER BY node_id DESC LIMIT ?"
    try:
        name = "file:" + path.replace("?", "%3f").replace("#", "%23") + "?mode=ro"
        connection = sqlite3.connect(name, timeout=LOCKED_SECONDS, uri=True)
        try:
            rows = connection.execute(query, (session_id, MOST_NODES)).fetchall()
        finally:
            connection.close()
    except sqlite3.Error as error:
        raise TranscriptUnreadable(f"Devin's sessions.db cannot be read: {error}") from error
    lines: dict[str, dict[str, Any]] = {}
    for number, (row,) in enumerate(rows):
        try:
            message = json.loads(row)
        except (ValueError, TypeError):
            continue
        if isinstance(message, dict):
            lines.setdefault(str(message.get("message_id") or number), message)
    return exchanges_in(lines.values(), _said)


def _said(message: dict[str, Any]) -> Said | None:
    from neotoma_hooks.agents.transcript import PROMPT, REPLY

    text = message.get("content")
    if not isinstance(text, str) or not text or message.get("role") not in ("user", "assistant"):
        return None
    return (REPLY if message["role"] == "assistant" else PROMPT), text, ""
