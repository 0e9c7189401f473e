"""What an agent's module tells the rest: how its events read, what it accepts back, how it is registered."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from neotoma_hooks.agents.events import Event


class HookEntry:
    """One line of an agent's registration: which of its events runs which of our executables.

    `event` is the agent's own name of the event, `hook` the executable's module name (`prompt_submit`, `stop`),
    `timeout` the limit we ask the agent to set, in the unit this agent reads (`Agent.timeout_unit`), `matcher`
    the tool-name pattern for events that take one, else None.
    """

    __slots__ = ("event", "hook", "matcher", "timeout")

    def __init__(self, event: str, hook: str, timeout: int, matcher: str | None = None) -> None:
        self.event = event
        self.hook = hook
        self.timeout = timeout
        self.matcher = matcher


class Agent(ABC):
    """One coding agent. Subclasses live in one module each and are listed in `registry`."""

    #: Our name of it, as given to `--agent` and `install`.
    name: str = ""
    #: Its name as a person knows it.
    title: str = ""
    #: Most characters of context that reach its model whole (measured or documented).
    context_limit: int = 8000
    #: Most bytes of context, in UTF-8, where it cuts by bytes.
    context_bytes: int | None = None
    #: "s" or "ms": how it reads the time-outs of its hook entries.
    timeout_unit: str = "s"
    #: The versions that were driven for real; what is known of an agent without any comes from documents and sources.
    measured: tuple[str, ...] = ()
    #: Its programs, to tell whether it is on this machine.
    programs: tuple[str, ...] = ()
    #: The hooks we register, in file order.
    entries: tuple[HookEntry, ...] = ()
    #: How the settings file is written, by the name that `install.formats` has for it: "claude-settings" is JSON, event
    #: -> groups -> handlers under "hooks".
    settings_format: str = "claude-settings"
    #: What it reads in JSON settings beyond plain JSON; until the contrary was measured, whatever may be there.
    reads_beyond_json: tuple[str, ...] = ("comment", "trailing comma")
    #: Whether its prompt event takes context at all.
    takes_context: bool = True
    #: Whether its events tell which conversation they are of. Without, nothing can be stored.
    tells_conversation: bool = True
    #: Whether its events, or a file that they name, tell the reply.
    tells_reply: bool = True
    #: Whether what goes to stdout is JSON.
    answers_in_json: bool = True
    #: Whether its hooks learn that the model's context was cleared or compacted. Where they do, what was told once is
    #: not told again until then.
    tells_when_context_is_cleared: bool = False
    #: What goes to stdout when there is nothing to say: "" for nothing, or the JSON text that this agent wants instead.
    silence: str = ""
    #: Whether an entry names a script file instead of a command line: the installer writes one for each hook (see
    #: `script_text`), and gives its path to `handler` as the command.
    needs_script: bool = False
    #: The text of a settings file that has no hooks yet, for where there is none.
    new_file: str = "{}"
    #: What of a turn is not stored, because the agent does not tell it: one sentence each.
    not_captured: tuple[str, ...] = ()
    #: What only the person can do after the registration, one sentence each; empty when nothing.
    trust_steps: tuple[str, ...] = ()

    @property
    def registered_as(self) -> str:
        """The agent whose registration it shares, by our name of it: its own, unless it reads another's files."""
        return self.name

    @abstractmethod
    def settings_file(self, environ: Mapping[str, str], home: str) -> str:
        """The user's own settings file, an absolute path; it need not exist."""

    def project_settings_file(self, project: str) -> str | None:
        """A repository's own settings file, None where there is no such thing; `project` is its absolute path."""
        return None

    def format_of(self, path: str) -> str:
        """How the settings file at `path` is written, for agents that read files of several shapes."""
        return self.settings_format

    def handler(self, command: str, entry: HookEntry) -> dict[str, Any]:
        """What stands in the settings file for `entry`; `command` is quoted for the shell that will run it."""
        return {"type": "command", "command": command, "timeout": entry.timeout}

    def script_name(self, of: str) -> str:
        """The name of the script file for a hook."""
        return f"{of}.ps1" if os.name == "nt" else f"{of}.sh"

    def script_text(self, command: str) -> str:
        """The script file that runs the command, with the event on its stdin."""
        return f"$input | & {command}\r\n" if os.name == "nt" else f"#!/bin/sh\nexec {command}\n"

    def plugin_text(self, commands: Mapping[str, list[str]]) -> str:
        """The plugin that calls these commands (hook name to argument list), for agents that run no commands."""
        raise NotImplementedError

    def trust_file(self, environ: Mapping[str, str], home: str) -> str | None:
        """Where the agent notes which hooks the person trusts, for those of which that can be read."""
        return None

    @abstractmethod
    def sample_turn(self, prompt: str, reply: str, home: str) -> list[tuple[str, dict[str, Any]]]:
        """The events of one turn as the agent sends them: the hook that each is for, and its JSON.

        `home` is the home folder that the hooks will have: what this agent tells by a file of its own is put there.
        """

    @abstractmethod
    def read(self, payload: Mapping[str, Any]) -> Event:
        """What the agent says happened. Raises EventError when a field that we need has the wrong shape."""

    @abstractmethod
    def context_output(self, context: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        """The JSON object that hands `context` (never empty) to this agent's model at the prompt event."""

    def notice_output(self, notice: str) -> dict[str, Any]:
        """The JSON object, to be merged with that of `context_output`, that shows one sentence to the person.

        Empty where the agent has no channel that reaches the person and not the model.
        """
        return {}

    def printed(self, told: dict[str, Any]) -> bytes:
        """What goes to stdout for what `context_output` and `notice_output` gave; `told` is empty for nothing."""
        return json.dumps(told).encode("ascii") if told else self.silence.encode("ascii")
