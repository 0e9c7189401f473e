"""A talk with each agent: the events that its hooks get, and the record that it keeps meanwhile."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

from support.firing import Fired, fire, stored_turns

Payload = dict[str, Any]


class Talk:
    """One conversation with an agent whose events hold all that there is to know; the others keep a record too.

    `asked` and `said` do to the record what the agent does before it runs its hooks; `prompt` and `stop` give the
    events. Turns are counted from 1.
    """

    agent = ""
    #: Whether the event at the end of a turn, or the record, has the reply.
    tells_reply = True

    def __init__(self, home: Path, conversation: str = "conv-1") -> None:
        self.home = home
        self.conversation = conversation
        self.number = 0

    def asked(self, text: str) -> None:
        """The person sends a prompt."""
        self.number += 1

    def said(self, text: str) -> None:
        """The agent says something."""

    def prompt(self, text: str) -> list[tuple[str, Payload]]:
        """The hooks and events of a prompt."""
        return [("prompt_submit", self.prompt_payload(text))]

    def stop(self, text: str) -> list[tuple[str, Payload]]:
        """The hooks and events of a finished reply."""
        return [("stop", self.stop_payload(text))]

    def prompt_payload(self, text: str) -> Payload:
        raise NotImplementedError

    def stop_payload(self, text: str) -> Payload:
        raise NotImplementedError

    def fire(self, events: list[tuple[str, Payload]]) -> list[Fired]:
        """Run the hooks of these events one after the other."""
        return [fire(hook, payload, self.agent).assert_quiet() for hook, payload in events]

    def ask(self, text: str) -> None:
        """The person sends a prompt, and the hooks run."""
        self.asked(text)
        self.fire(self.prompt(text))

    def answer(self, text: str) -> None:
        """The agent answers, and the hooks run."""
        self.said(text)
        self.fire(self.stop(text))


class Recorded(Talk):
    """A talk with an agent that keeps a JSONL file, which it may write to before or after its hooks run."""

    @property
    def path(self) -> Path:
        raise NotImplementedError

    def line(self, value: Payload) -> None:
        """Write one line of the record."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("a") as file:
            file.write(json.dumps(value) + "\n")


class OlderClaude(Recorded):
    """Claude Code before its events told turn and reply (1.0.128, 2.0.76)."""

    agent = "claude-code"

    @property
    def path(self) -> Path:
        return self.home / ".claude" / "projects" / "-app" / f"{self.conversation}.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        self.line({"type": "user", "sessionId": self.conversation, "message": {"role": "user", "content": text}})

    def said(self, text: str) -> None:
        parts = [{"type": "text", "text": text}]
        message = {"id": f"msg_{self.number}-{text}", "role": "assistant", "content": parts}
        self.line({"type": "assistant", "sessionId": self.conversation, "message": message})

    def common(self, event: str) -> Payload:
        where = {"transcript_path": str(self.path), "cwd": "/", "hook_event_name": event}
        return {"session_id": self.conversation, **where}

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False}


class Gemini(Recorded):
    agent = "gemini-cli"

    @property
    def path(self) -> Path:
        return self.home / ".gemini" / "tmp" / "app" / "chats" / f"session-{self.conversation}.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        self.line({"id": f"u{self.number}", "type": "user", "content": [{"text": text}]})

    def said(self, text: str) -> None:
        self.line({"id": f"g{self.number}", "type": "gemini", "content": text})

    def common(self, event: str) -> Payload:
        return {
            "session_id": self.conversation,
            "transcript_path": str(self.path),
            "cwd": "/",
            "hook_event_name": event,
            "timestamp": "2026-12-01T10:00:00.000Z",
        }

    def prompt_payload(self, text: str) -> Payload:
        self.text = text
        return {**self.common("BeforeAgent"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("AfterAgent"), "prompt": self.text, "prompt_response": text, "stop_hook_active": False}


class Qwen(Recorded):
    agent = "qwen-code"

    @property
    def path(self) -> Path:
        return self.home / ".qwen" / "projects" / "app" / "chats" / f"{self.conversation}.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        self.line({"uuid": f"u{self.number}", "type": "user", "message": {"role": "user", "parts": [{"text": text}]}})

    def said(self, text: str) -> None:
        message = {"role": "model", "parts": [{"text": text}]}
        self.line({"uuid": f"a{self.number}-{text}", "type": "assistant", "message": message})

    def common(self, event: str) -> Payload:
        return {
            "session_id": self.conversation,
            "transcript_path": str(self.path),
            "cwd": "/",
            "hook_event_name": event,
            "timestamp": "2026-12-01T10:00:00.000Z",
            "permission_mode": "auto",
            "prompt_id": f"{self.conversation}########{self.number}",
        }

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text, "submitted_prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False, "last_assistant_message": text, "crons": []}


class Copilot(Recorded):
    agent = "copilot-cli"

    @property
    def path(self) -> Path:
        return self.home / ".copilot" / "session-state" / self.conversation / "events.jsonl"

    def asked(self, text: str, delivery: str = "idle") -> None:
        super().asked(text)
        self.line({"type": "user.message", "data": {"content": text, "delivery": delivery}})

    def said(self, text: str) -> None:
        call = f"call-{self.number}-{text}"
        self.line({"type": "assistant.message", "data": {"content": text, "messageId": call, "apiCallId": call}})

    def prompt_payload(self, text: str) -> Payload:
        return {"sessionId": self.conversation, "timestamp": 1796120400000, "cwd": "/", "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {
            "sessionId": self.conversation,
            "timestamp": 1796120420000,
            "cwd": "/",
            "transcriptPath": str(self.path),
            "stopReason": "end_turn",
            "stop_hook_active": False,
        }


class CopilotPascal(Copilot):
    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        more = {"transcript_path": str(self.path), "stop_reason": "end_turn", "stop_hook_active": False}
        return {**self.common("Stop"), **more}

    def common(self, event: str) -> Payload:
        timestamp = "2026-12-01T10:00:00.000Z"
        return {"hook_event_name": event, "session_id": self.conversation, "timestamp": timestamp, "cwd": "/"}


class OpenCode(Talk):
    agent = "opencode"

    def common(self, event: str) -> Payload:
        message = f"msg_{self.number}"
        return {"agent": "opencode", "hook_event_name": event, "session_id": self.conversation, "message_id": message}

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("chat.message"), "cwd": "/", "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("session.idle"), "cwd": "/", "last_assistant_message": text}


class Cursor(Talk):
    agent = "cursor"

    def common(self, event: str) -> Payload:
        return {
            "conversation_id": self.conversation,
            "generation_id": f"g-{self.number}",
            "hook_event_name": event,
            "cursor_version": "3.20.17",
            "workspace_roots": ["/"],
        }

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("beforeSubmitPrompt"), "prompt": text, "transcript_path": None}

    def message(self, text: str) -> list[tuple[str, Payload]]:
        return [("stop", {**self.common("afterAgentResponse"), "text": text})]

    def stop(self, text: str) -> list[tuple[str, Payload]]:
        return [*self.message(text), ("stop", self.stop_payload(text))]

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("stop"), "status": "completed", "loop_count": 0}


class CursorByClaudesFile(Cursor):
    def prompt_payload(self, text: str) -> Payload:
        return {**super().prompt_payload(text), "hook_event_name": "UserPromptSubmit", "session_id": self.conversation}

    def fire(self, events: list[tuple[str, Payload]]) -> list[Fired]:
        return [fire(hook, payload, "claude-code").assert_quiet() for hook, payload in events]


class VsCode(Talk):
    agent = "vscode"
    tells_reply = False

    def common(self, event: str) -> Payload:
        return {
            "timestamp": "2026-12-01T10:00:00.000Z",
            "hook_event_name": event,
            "session_id": self.conversation,
            "transcript_path": f"/nowhere/{self.conversation}.jsonl",
            "cwd": "/",
        }

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False}


class Droid(Recorded):
    agent = "factory-droid"

    @property
    def path(self) -> Path:
        return self.home / ".factory" / "sessions" / f"{self.conversation}.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        self.message("user", text)

    def said(self, text: str) -> None:
        self.message("assistant", text)

    def message(self, role: str, text: str) -> None:
        self.line({"type": "message", "message": {"role": role, "content": [{"type": "text", "text": text}]}})

    def common(self, event: str) -> Payload:
        return {
            "session_id": self.conversation,
            "transcript_path": str(self.path),
            "cwd": "/",
            "permission_mode": "auto-low",
            "hook_event_name": event,
        }

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False}


class Windsurf(Talk):
    agent = "windsurf"

    def common(self, event: str, told: Payload) -> Payload:
        execution = f"x-{self.number}"
        return {
            "agent_action_name": event,
            "trajectory_id": self.conversation,
            "execution_id": execution,
            "tool_info": told,
        }

    def prompt_payload(self, text: str) -> Payload:
        return self.common("pre_user_prompt", {"user_prompt": text})

    def stop_payload(self, text: str) -> Payload:
        return self.common("post_cascade_response", {"response": text})


class Devin(Talk):
    agent = "devin-cli"

    def node(self, role: str, text: str) -> None:
        path = self.home / ".local" / "share" / "devin" / "cli" / "sessions.db"
        path.parent.mkdir(parents=True, exist_ok=True)
        connection = sqlite3.connect(path)
        with connection:
            connection.execute(
                "CREATE TABLE IF NOT EXISTS message_nodes (node_id INTEGER PRIMARY KEY, session_id, chat_message)"
            )
            message = json.dumps({"message_id": f"{role}-{self.number}", "role": role, "content": text})
            connection.execute(
                "INSERT INTO message_nodes (session_id, chat_message) VALUES (?, ?)", (self.conversation, message)
            )
        connection.close()

    def asked(self, text: str) -> None:
        super().asked(text)
        self.node("user", text)

    def said(self, text: str) -> None:
        self.node("assistant", text)

    def common(self, event: str) -> Payload:
        return {"hook_event_name": event, "session_id": self.conversation, "prompt_id": f"p-{self.number}"}

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False}


class Kiro(Talk):
    agent = "kiro-cli"

    def prompt_payload(self, text: str) -> Payload:
        event = "userPromptSubmit"
        return {"hook_event_name": event, "session_id": self.conversation, "cwd": "/", "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {"hook_event_name": "stop", "session_id": self.conversation, "cwd": "/", "assistant_response": text}


class Augment(Talk):
    agent = "augment"

    def prompt_payload(self, text: str) -> Payload:
        self.text = text
        return {**self.common("PromptSubmit"), "conversation": {"userPrompt": text}}

    def stop_payload(self, text: str) -> Payload:
        exchange = {"timestamp": f"t{self.number}", "userPrompt": self.text, "agentTextResponse": text}
        return {**self.common("Stop"), "agent_stop_cause": "end_turn", "conversation": exchange}

    def common(self, event: str) -> Payload:
        return {"hook_event_name": event, "conversation_id": self.conversation, "workspace_roots": ["/"]}


class Cline(Talk):
    agent = "cline"

    def common(self, event: str) -> Payload:
        return {"clineVersion": "3.90.0", "hookName": event, "taskId": self.conversation, "workspaceRoots": ["/"]}

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("UserPromptSubmit"), "userPromptSubmit": {"prompt": text, "attachments": []}}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("TaskComplete"), "taskComplete": {"taskMetadata": {"result": text}}}


class Goose(Talk):
    agent = "goose"

    def prompt_payload(self, text: str) -> Payload:
        return {"event": "UserPromptSubmit", "session_id": self.conversation, "message": text}

    def stop_payload(self, text: str) -> Payload:
        return {"event": "Stop", "session_id": self.conversation, "last_assistant_message": text}


class Kimi(Recorded):
    agent = "kimi-code"

    @property
    def path(self) -> Path:
        return self.home / ".kimi-code" / "sessions" / "app" / self.conversation / "agents" / "main" / "wire.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        content = [{"type": "text", "text": text}]
        message = {"role": "user", "content": content, "origin": {"kind": "user"}}
        self.line({"type": "context.append_message", "message": message})

    def said(self, text: str) -> None:
        part = {"type": "content.part", "stepUuid": f"{self.number}-{text}", "part": {"type": "text", "text": text}}
        self.line({"type": "context.append_loop_event", "event": part})

    def common(self, event: str) -> Payload:
        return {"hook_event_name": event, "session_id": self.conversation, "client_type": "cli", "cwd": "/"}

    def prompt_payload(self, text: str) -> Payload:
        parts = [{"type": "text", "text": text}]
        return {**self.common("UserPromptSubmit"), "prompt": parts, "is_steer": False}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("Stop"), "stop_hook_active": False}


class Grok(Recorded):
    agent = "grok-build"

    @property
    def path(self) -> Path:
        return self.home / ".grok" / "sessions" / self.conversation / "chat_history.jsonl"

    def asked(self, text: str) -> None:
        super().asked(text)
        self.line({"type": "user", "content": text, "prompt_index": self.number})

    def said(self, text: str) -> None:
        self.line({"type": "assistant", "content": text})

    def common(self, event: str) -> Payload:
        return {
            "hookEventName": event,
            "sessionId": self.conversation,
            "promptId": f"p-{self.number}",
            "cwd": "/",
            "transcriptPath": str(self.path.parent / "updates.jsonl"),
        }

    def prompt_payload(self, text: str) -> Payload:
        return {**self.common("user_prompt_submit"), "prompt": text}

    def stop_payload(self, text: str) -> Payload:
        return {**self.common("stop"), "reason": "end_turn", "lastAssistantMessage": text}


class Antigravity(Recorded):
    agent = "antigravity"

    def __init__(self, home: Path, conversation: str = "conv-1") -> None:
        super().__init__(home, conversation)
        self.step = 0

    @property
    def path(self) -> Path:
        return self.home / ".gemini" / "antigravity-cli" / self.conversation / "transcript.jsonl"

    def record(self, type: str, text: str) -> None:
        self.line({"type": type, "step_index": self.step, "content": text})
        self.step += 1

    def asked(self, text: str) -> None:
        super().asked(text)
        self.record("USER_INPUT", f"<USER_REQUEST>\n{text}\n</USER_REQUEST>\n<ADDITIONAL_METADATA>…")

    def said(self, text: str) -> None:
        self.record("PLANNER_RESPONSE", text)

    def prompt_payload(self, text: str) -> Payload:
        path = str(self.path)
        return {"conversationId": self.conversation, "transcriptPath": path, "workspacePaths": ["/"]}

    def stop_payload(self, text: str) -> Payload:
        return {**self.prompt_payload(text), "terminationReason": "NO_TOOL_CALL"}


TALKS: tuple[type[Talk], ...] = (
    OlderClaude,
    Gemini,
    Qwen,
    Copilot,
    CopilotPascal,
    OpenCode,
    Cursor,
    CursorByClaudesFile,
    VsCode,
    Droid,
    Windsurf,
    Devin,
    Kiro,
    Augment,
    Cline,
    Goose,
    Kimi,
    Grok,
    Antigravity,
)

Told = tuple[str, "str | None", "str | None"]


def told(conversation: str | None = None) -> list[Told]:
    """The stored turns, oldest first: status, what the person wrote, what the agent said ("…" before it was cut)."""
    turns = []
    for turn in stored_turns(conversation):
        user, assistant = turn["user"], turn["assistant"]
        reply = assistant and assistant["content"] + "…" * assistant["partial"]
        turns.append((turn["status"], user and user["content"], reply))
    return turns


def home() -> Path:
    """The home that the hooks see."""
    return Path(os.environ["HOME"])


#: Those whose reply is in the record alone, which may be behind when the hook runs.
TALKS_BY_RECORD: tuple[type[Talk], ...] = (OlderClaude, Copilot, CopilotPascal, Droid, Devin, Kimi)
