"""What the user has set: environment over `config.toml` over defaults, and where each value came from.

Only the user's own file and the environment are read, never anything in the folder an agent works in (G6).
"""

from __future__ import annotations

import os
import sys

from neotoma_hooks.errors import SettingsError, StateError
from neotoma_hooks.state import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

_DEFAULTS: dict[str, Any] = {
    "base_url": "",
    "token": "",
    "prompt_seconds": 2.0,
    "stop_seconds": 1.0,
    "lookup_seconds": 1.0,
    "write_seconds": 30.0,
    "max_entities": 8,
    "context_characters": 8000,
    "never_record": [],
    "disable": False,
}

_VARIABLES = {
    "base_url": "NEOTOMA_BASE_URL",
    "token": "NEOTOMA_TOKEN",
    **{name: f"NEOTOMA_HOOKS_{name.upper()}" for name in _DEFAULTS if name not in ("base_url", "token")},
}


class Settings:
    """The settings in force.

    `base_url` of a Neotoma server, "" for the embedded store; `token` its bearer, "" for none. `prompt_seconds` and
    `stop_seconds` are the most a hook may take, `lookup_seconds` the part of it for look-ups. `write_seconds` is the
    most that the courier waits for one answer of a server. `max_entities` is the bound of turn protocol step 1,
    `context_characters` the most that an agent is told. `never_record` lists folders
    whose turns are not recorded, each a whole path or one that begins with `~/`; `disable` switches everything off.
    `sources` maps each name to where its value came from: "default", the settings file's path, or the variable's name.
    """

    __slots__ = (*_DEFAULTS, "sources")

    base_url: str
    token: str
    prompt_seconds: float
    stop_seconds: float
    lookup_seconds: float
    write_seconds: float
    max_entities: int
    context_characters: int
    never_record: list[str]
    disable: bool
    sources: dict[str, str]

    def as_mapping(self) -> dict[str, Any]:
        """Name to value, the token only as whether there is one."""
        values = {name: getattr(self, name) for name in _DEFAULTS}
        values["token"] = "set" if self.token else ""
        return values

    @property
    def store_name(self) -> str:
        """Which memory these settings name: "embedded" or the server's base URL."""
        return self.base_url or "embedded"

    def excludes(self, folder: str) -> bool:
        """Whether turns in this folder are never recorded: it is one of `never_record`, or inside one."""
        if not folder or not self.never_record:
            return False
        real = os.path.realpath(folder)
        for excluded in self.never_record:
            top = os.path.realpath(os.path.expanduser(excluded))
            if real == top or real.startswith(top.rstrip(os.sep) + os.sep):
                return True
        return False


def read_settings(path: str, environ: Mapping[str, str]) -> Settings:
    """The settings from the file at `path` (which need not exist) and from `environ`.

    Raises SettingsError, naming file or variable, field and mend.
    """
    settings = Settings()
    settings.sources = dict.fromkeys(_DEFAULTS, "default")
    for name, default in _DEFAULTS.items():
        setattr(settings, name, list(default) if isinstance(default, list) else default)
    for name, value in _from_file(path).items():
        if name not in _DEFAULTS:
            raise SettingsError(
                f"{path}: there is no setting {name!r}; remove it, or take one of {', '.join(_DEFAULTS)}"
            )
        setattr(settings, name, _checked(name, value, path))
        settings.sources[name] = path
    for name, variable in _VARIABLES.items():
        given = _given(variable, environ)
        if given:
            setattr(settings, name, _checked(name, _from_text(name, given, variable), variable))
            settings.sources[name] = variable
    settings.token = _checked_token(settings.token, settings.sources["token"])
    settings.base_url = _checked_url(settings.base_url, settings.sources["base_url"], settings.token)
    return settings


def is_disabled(environ: Mapping[str, str]) -> bool:
    """Whether `environ` switches everything off, whatever the settings file says; for this it need not be readable.

    Raises SettingsError for a word that means neither.
    """
    variable = _VARIABLES["disable"]
    given = _given(variable, environ)
    return bool(given) and _from_text("disable", given, variable) is True


def _given(variable: str, environ: Mapping[str, str]) -> str:
    """What the variable is set to, "" for nothing."""
    # A shell that reads a file with Windows' line ends leaves half of one at each value
    return environ.get(variable, "").rstrip("\r\n")


def _from_file(path: str) -> dict[str, Any]:
    try:
        data = files.read(path, may_wait=True)
    except StateError as error:
        raise SettingsError(f"{error}; mend it, or remove it to use the defaults") from error
    if data is None:
        return {}
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        kept: dict[str, Any] = tomllib.loads(data.decode("utf-8-sig"))
        return kept
    except (ValueError, RecursionError) as error:
        raise SettingsError(f"{path}: {error}; mend the line, or remove the file to use the defaults") from error


def _from_text(name: str, given: str, variable: str) -> Any:
    default = _DEFAULTS[name]
    try:
        if isinstance(default, bool):
            return {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False}[given.lower()]
        if isinstance(default, (int, float)):
            return type(default)(given)
    except (KeyError, ValueError):
        kind = "1 or 0" if isinstance(default, bool) else "a number"
        raise SettingsError(f"{variable}: {kind} is needed, not {given[:40]!r}") from None
    if isinstance(default, list):
        return [part for part in given.split(os.pathsep) if part]
    return given


def _checked(name: str, value: Any, source: str) -> Any:
    default = _DEFAULTS[name]
    if isinstance(default, float) and type(value) is int:
        value = float(value)
    if type(value) is not type(default):
        kinds = {
            str: "a text",
            float: "a number",
            int: "a whole number",
            list: "a list of folders",
            bool: "true or false",
        }
        raise SettingsError(f"{source}: {name} must be {kinds[type(default)]}, not {type(value).__name__}")
    if isinstance(value, list):
        for folder in value:
            if not isinstance(folder, str):
                raise SettingsError(f"{source}: {name} must be a list of folders, each a text")
            # Any other would be another folder wherever an agent works
            if not (os.path.isabs(folder) or folder.startswith("~/")):
                raise SettingsError(
                    f"{source}: {name}: {folder[:60]!r} must be a whole path, such as '/srv/secret', or begin with '~/'"
                )
    if isinstance(value, (int, float)) and not isinstance(value, bool) and not 0 < value < 1e6:
        raise SettingsError(f"{source}: {name} must be above 0 and below a million, not {value}")
    return value


def _checked_token(token: str, source: str) -> str:
    """The token without white space around it; refuses what no HTTP header can carry, and never shows it."""
    token = token.strip()
    if not (token.isascii() and token.isprintable()) or " " in token:
        raise SettingsError(
            f"{source}: the token must be printable ASCII without spaces; copy it again, or unset it to go without"
        )
    return token


def _checked_url(url: str, source: str, token: str) -> str:
    """The base URL without a final slash; refuses what is no HTTP address, and a token that would travel readable."""
    url = url.strip().rstrip("/")
    if not url:
        return ""
    if "@" in url:
        raise SettingsError(f"{source}: base_url must not hold a name or password; set token instead")
    scheme, separator, rest = url.partition("://")
    host = rest.partition("/")[0]
    if scheme not in ("http", "https") or not separator or not host:
        raise SettingsError(f"{source}: base_url must be like http://127.0.0.1:3080, not {url[:60]!r}")
    if scheme == "http" and token and not is_loopback(url):
        raise SettingsError(
            f"{source}: the token would cross the network readable over plain HTTP to {host};"
            " use https://, or unset the token"
        )
    return url


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine."""
    import re

    host = url.partition("://")[2].partition("/")[0]
    number = r"(?:25[0-5]|2[0-4]\d|1?\d?\d)"
    this_machine = rf"(?:localhost|\[::1\]|127(?:\.{number}){{3}})(?::\d*)?"
    return re.fullmatch(this_machine, host, re.ASCII | re.IGNORECASE) is not None
