"""The command line that an agent runs for a hook, and which command lines are ours.

Ownership is told from the words of the command, never from a piece of its text: a path may hold our name and be
somebody else's.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from dataclasses import dataclass

from neotoma_hooks.errors import InstallError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

HOOKS = ("prompt_submit", "stop", "tool_use")
"""The hook executables, without `.py`."""

_OUR_FOLDERS = ("neotoma_hooks", "neotoma-hooks")
_OPERATORS = re.compile(r"[();<>|&]+")


@dataclass(frozen=True, slots=True)
class OurCommand:
    """What a command line of ours runs: the hook, the script's path, the interpreter's path ("" when none is named).

    `is_alone` is False for a command line that runs more than our hook; such a line is not ours to change.
    """

    hook: str
    script: str
    interpreter: str
    is_alone: bool


def environment_interpreter() -> str:
    """The interpreter of the environment that this package is installed in, as an absolute path.

    The link in a virtual environment is not resolved: its target does not know the environment's packages, and its
    path has a version in it that an upgrade of Python takes away. Raises InstallError when there is none.
    """
    if sys.prefix != sys.base_prefix:
        folder, name = ("Scripts", "python.exe") if sys.platform == "win32" else ("bin", "python")
        found = os.path.join(sys.prefix, folder, name)
        if os.path.exists(found):
            return os.path.abspath(found)
    if not sys.executable or not os.path.isabs(sys.executable):
        raise InstallError("this Python does not know where its own executable is; install into a virtual environment")
    return sys.executable


def command_line(interpreter: str, hooks_folder: str, hook: str, agent: str) -> str:
    """The command line that runs `hook` for the agent of that name, quoted for a POSIX shell.

    `-I` keeps the project folder and the user's Python variables out of the hook. Raises InstallError for a path that
    is relative, or that JSON cannot hold because its bytes are not UTF-8.
    """
    script = os.path.join(hooks_folder, f"{hook}.py")
    for path in (interpreter, script):
        if not os.path.isabs(path):
            raise InstallError(f"{path} is no absolute path, and an agent runs hooks in folders of its own choice")
        try:
            path.encode("utf-8")
        except UnicodeEncodeError as error:
            raise InstallError(f"{path!r} is not UTF-8, so no settings file can hold it; install elsewhere") from error
    return shlex.join([interpreter, "-I", script, "--agent", agent])


def recognised(command: str, arguments: Sequence[str], agent: str, hooks_folder: str) -> OurCommand | None:
    """What of ours a handler's command runs for that agent, or None when it is somebody else's.

    `arguments` are those of a handler that is run without a shell. Ours is a command in which the path of a hook
    executable, in a folder of ours, is followed by `--agent` and the agent's name; or the path of a script that we
    wrote for an agent that takes nothing else, and no more.
    """
    try:
        lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
        lexer.whitespace_split = True
        lexer.commenters = ""
        words = [*lexer, *arguments]
    except ValueError:
        return None
    if len(words) == 1:
        return _by_script(words[0])
    for index, word in enumerate(words):
        hook = _hook_named(word)
        if hook is None or not _is_for(agent, words[index + 1 : index + 3]):
            continue
        has_flag = "-I" in words[1:index]
        if not _is_ours(word, hooks_folder, is_our_form=has_flag):
            continue
        end = index + (2 if words[index + 1] == f"--agent={agent}" else 3)
        operators = any(_OPERATORS.fullmatch(other) for other in words)
        return OurCommand(hook, word, words[0] if index else "", is_alone=end == len(words) and not operators)
    return None


def _by_script(path: str) -> OurCommand | None:
    """What of ours a script runs, told by its name and its folder's: `script_name` of an agent, `neotoma-hooks`."""
    folder, name = os.path.split(path)
    hook, extension = os.path.splitext(name)
    is_ours = hook in HOOKS and extension in (".sh", ".ps1") and os.path.basename(folder) == "neotoma-hooks"
    return OurCommand(hook, path, "", is_alone=True) if is_ours and os.path.isabs(path) else None


def _hook_named(word: str) -> str | None:
    """The hook whose executable the word is a path of, else None."""
    folder, name = os.path.split(word)
    hook, extension = os.path.splitext(name)
    is_hook = extension == ".py" and hook in HOOKS and os.path.isabs(word) and os.path.basename(folder) == "hooks"
    return hook if is_hook else None


def _is_for(agent: str, following: Sequence[str]) -> bool:
    return list(following) == ["--agent", agent] or list(following[:1]) == [f"--agent={agent}"]


def _is_ours(script: str, hooks_folder: str, *, is_our_form: bool) -> bool:
    """Whether the script lies in a folder of ours.

    That is today's, one that our package or repository gave its name to, one whose script starts our package; and, for
    a command of exactly our form, one that is no longer there.
    """
    folder = os.path.dirname(script)
    if os.path.normpath(folder) == os.path.normpath(hooks_folder):
        return True
    if any(part in _OUR_FOLDERS for part in folder.split(os.sep)):
        return True
    try:
        with open(script, "rb") as file:
            return b"neotoma_hooks" in file.read(4096)
    except (FileNotFoundError, NotADirectoryError):
        return is_our_form
    except OSError:
        return False
