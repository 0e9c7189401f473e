"""Reading an agent's event JSON: fields checked once, and what Claude Code and its kin have in common."""

from __future__ import annotations

from neotoma_hooks.agents.events import NotATurn, PromptSubmitted, ToolUsed
from neotoma_hooks.errors import EventError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Exchange

_SHAPES = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
_STORING_VERBS = ("store", "create", "correct", "submit", "observe")


def text(payload: Mapping[str, Any], name: str) -> str:
    """The text field `name`. Raises EventError when it is missing or no text."""
    value = payload.get(name)
    if not isinstance(value, str):
        shape = _SHAPES.get(type(value), "missing")
        raise EventError(f"the field {name} should be a text, but is {shape}")
    return value


def optional_text(payload: Mapping[str, Any], name: str) -> str | None:
    """The text field `name`, or None when it is missing, null or empty. Raises EventError when it is no text."""
    value = payload.get(name)
    if value is None or value == "":
        return None
    return text(payload, name)


def identifier(payload: Mapping[str, Any], name: str) -> str:
    """The id field `name`, never empty. Raises EventError."""
    value = text(payload, name)
    if not value.strip():
        raise EventError(f"the field {name} should be an id, but is empty")
    return value


def cwd_of(payload: Mapping[str, Any]) -> str:
    """The folder that the agent works in, "" when it does not say."""
    value = payload.get("cwd")
    return value if isinstance(value, str) else ""


def prompt_event(
    payload: Mapping[str, Any],
    conversation_id: str,
    turn_id: str | None,
    history: Callable[[], list[Exchange]] | None = None,
    *,
    cwd: str | None = None,
    own_id: bool = False,
    is_typed: bool = True,
) -> PromptSubmitted | NotATurn:
    """The event of the prompt in the field of that name; the rest as in `submitted`. Raises EventError."""
    where = cwd_of(payload) if cwd is None else cwd
    prompt = text(payload, "prompt")
    return submitted(prompt, conversation_id, turn_id, where, history=history, own_id=own_id, is_typed=is_typed)


def submitted(
    prompt: str | None,
    conversation_id: str,
    turn_id: str | None,
    cwd: str,
    *,
    history: Callable[[], list[Exchange]] | None = None,
    joins: bool = False,
    own_id: bool = False,
    is_typed: bool = True,
) -> PromptSubmitted | NotATurn:
    """The event of a prompt, unless there is no word in it; the rest as in `PromptSubmitted`.

    `own_id` is true where each prompt has a turn id of its own: the reply to one without a word, a picture say, is then
    never taken for the reply to another.
    """
    if prompt is None or not prompt.strip():
        return NotATurn(conversation_id, "empty prompt", turn_id if own_id else None, cwd)
    return PromptSubmitted(conversation_id, turn_id, prompt, cwd, history=history, joins=joins, is_typed=is_typed)


def other_event(conversation_id: str, event: object, cwd: str) -> NotATurn:
    """An event that neither opens nor closes a turn."""
    return NotATurn(conversation_id, f"no event of a turn: {str(event)[:40]}", None, cwd)


def either_text(payload: Mapping[str, Any], *names: str) -> str | None:
    """The first of the text fields `names` that is there and not empty, or None. Raises EventError for no text."""
    for name in names:
        value = optional_text(payload, name)
        if value is not None:
            return value
    return None


def either_identifier(payload: Mapping[str, Any], *names: str) -> str:
    """The id in the first of the fields `names` that is there. Raises EventError."""
    for name in names:
        if payload.get(name) is not None:
            return identifier(payload, name)
    return identifier(payload, names[0])


def group(payload: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    """The object in the field `name`, an empty one when it is missing or null. Raises EventError for anything else."""
    value = payload.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise EventError(f"the field {name} should be an object, but is {_SHAPES.get(type(value), 'a text')}")
    return value


def is_true(payload: Mapping[str, Any], *names: str) -> bool:
    """Whether one of the fields is true."""
    return any(payload.get(name) is True for name in names)


def first_folder(payload: Mapping[str, Any], *names: str) -> str:
    """The first folder listed in one of the fields, "" when there is none: agents with several roots have no `cwd`."""
    for name in names:
        folders = payload.get(name)
        if isinstance(folders, list) and folders and isinstance(folders[0], str):
            return folders[0]
    return cwd_of(payload)


def tool_event(
    payload: Mapping[str, Any],
    conversation_id: str,
    turn_id: str | None,
    *,
    cwd: str | None = None,
    name: str = "tool_name",
    answer: str = "tool_response",
    names_server: bool = True,
) -> ToolUsed | NotATurn:
    """The event of a tool that has answered, if it is one by which Neotoma's MCP server stores entities.

    `name` and `answer` are the fields that hold the tool's name and what it said. `names_server` is false where the
    name does not tell the server: there the ids in the answer, which no other server gives, tell it.
    """
    where = cwd_of(payload) if cwd is None else cwd
    tool = str(payload.get(name, "")).lower()
    if (names_server and "neotoma" not in tool) or not any(verb in tool for verb in _STORING_VERBS):
        return NotATurn(conversation_id, "a tool that stores nothing in the memory", None, where)
    return ToolUsed(conversation_id, turn_id, payload.get(answer), where)


def within_bytes(context: str, most: int) -> str:
    """As many whole lines of the context as fit into `most` bytes of UTF-8, for agents that cut by bytes."""
    lines = context.split("\n")
    size = 0
    for number, line in enumerate(lines):
        size += len(line.encode("utf-8", "replace")) + (number > 0)
        if size > most:
            return "\n".join(lines[:number])
    return context
