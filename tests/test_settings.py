from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from neotoma_hooks.errors import SettingsError
from neotoma_hooks.settings import Settings, is_disabled, is_loopback, read_settings

DEFAULTS = {
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


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def read(path: Path, text: str | None = None, **environ: str) -> Settings:
    if text is not None:
        path.write_text(text, encoding="utf-8")
    return read_settings(str(path), environ)


def refused(path: Path, text: str | None = None, **environ: str) -> str:
    with pytest.raises(SettingsError) as caught:
        read(path, text, **environ)
    said = str(caught.value)
    assert "\n" not in said
    return said


def test_defaults(path: Path) -> None:
    """With no file and no variable every value is the default, and says so."""
    found = read(path)
    assert found.as_mapping() == DEFAULTS
    assert set(found.sources.values()) == {"default"}
    assert found.sources.keys() == DEFAULTS.keys()
    assert found.store_name == "embedded"


FILE = """
base_url = "https://memory.example.org/"
token = "secret"
prompt_seconds = 5
stop_seconds = 0.5
lookup_seconds = 1.5
write_seconds = 12
max_entities = 3
context_characters = 500
never_record = ["~/private", "/srv/secret"]
disable = true
"""


def test_file(path: Path) -> None:
    """Each value of the file counts, and is said to come from it."""
    found = read(path, FILE)
    assert found.as_mapping() == {
        "base_url": "https://memory.example.org",
        "token": "set",
        "prompt_seconds": 5.0,
        "stop_seconds": 0.5,
        "lookup_seconds": 1.5,
        "write_seconds": 12.0,
        "max_entities": 3,
        "context_characters": 500,
        "never_record": ["~/private", "/srv/secret"],
        "disable": True,
    }
    assert set(found.sources.values()) == {str(path)}
    assert (found.token, found.store_name) == ("secret", "https://memory.example.org")


def test_environment_wins(path: Path) -> None:
    """A variable wins over the file, the file over the default, each for its own value."""
    found = read(
        path,
        'base_url = "http://127.0.0.1:1"\nmax_entities = 3\n',
        NEOTOMA_BASE_URL="http://127.0.0.1:2",
        NEOTOMA_HOOKS_STOP_SECONDS="0.25",
    )
    assert (found.base_url, found.max_entities, found.stop_seconds) == ("http://127.0.0.1:2", 3, 0.25)
    assert found.sources["base_url"] == "NEOTOMA_BASE_URL"
    assert found.sources["max_entities"] == str(path)
    assert found.sources["stop_seconds"] == "NEOTOMA_HOOKS_STOP_SECONDS"
    assert found.sources["token"] == "default"


def test_every_variable(path: Path) -> None:
    """Every setting has a variable."""
    found = read(
        path,
        NEOTOMA_BASE_URL="https://memory.example.org",
        NEOTOMA_TOKEN="secret",
        NEOTOMA_HOOKS_PROMPT_SECONDS="3",
        NEOTOMA_HOOKS_STOP_SECONDS="3",
        NEOTOMA_HOOKS_LOOKUP_SECONDS="3",
        NEOTOMA_HOOKS_WRITE_SECONDS="3",
        NEOTOMA_HOOKS_MAX_ENTITIES="3",
        NEOTOMA_HOOKS_CONTEXT_CHARACTERS="3",
        NEOTOMA_HOOKS_NEVER_RECORD=os.pathsep.join(["/a", "/b c"]),
        NEOTOMA_HOOKS_DISABLE="yes",
    )
    assert "default" not in found.sources.values()
    assert (found.prompt_seconds, found.max_entities, found.never_record) == (3.0, 3, ["/a", "/b c"])
    assert found.disable is True


def test_empty_variables_do_not_count(path: Path) -> None:
    """A variable that is set to nothing is as good as none."""
    found = read(path, "max_entities = 3", NEOTOMA_BASE_URL="", NEOTOMA_HOOKS_MAX_ENTITIES="")
    assert (found.base_url, found.max_entities) == ("", 3)


@pytest.mark.parametrize("end", ["\r", "\n", "\r\n"])
def test_line_ends_at_variables(path: Path, end: str) -> None:
    """What a file with other line ends leaves at a value is no part of it."""
    given = {
        "NEOTOMA_BASE_URL": "https://memory.example.org",
        "NEOTOMA_TOKEN": "secret",
        "NEOTOMA_HOOKS_MAX_ENTITIES": "3",
        "NEOTOMA_HOOKS_NEVER_RECORD": "/a",
        "NEOTOMA_HOOKS_DISABLE": "yes",
    }
    found = read(path, **{name: value + end for name, value in given.items()})
    assert (found.base_url, found.token) == ("https://memory.example.org", "secret")
    assert (found.max_entities, found.never_record, found.disable) == (3, ["/a"], True)
    assert read(path, NEOTOMA_TOKEN=end).token == ""


@pytest.mark.parametrize(
    ("given", "expected"), [("1", True), ("true", True), ("YES", True), ("0", False), ("False", False), ("no", False)]
)
def test_disable(path: Path, given: str, expected: bool) -> None:
    """The switch takes the usual words."""
    assert read(path, NEOTOMA_HOOKS_DISABLE=given).disable is expected
    assert is_disabled({"NEOTOMA_HOOKS_DISABLE": given}) is expected


def test_disable_is_no_other_word() -> None:
    """Nor is it guessed at where it is asked for alone; without the variable nothing is switched off."""
    assert not is_disabled({})
    assert not is_disabled({"NEOTOMA_HOOKS_DISABLE": ""})
    with pytest.raises(SettingsError, match=r"^NEOTOMA_HOOKS_DISABLE: 1 or 0 is needed"):
        is_disabled({"NEOTOMA_HOOKS_DISABLE": "maybe"})


@pytest.mark.parametrize("text", ["\ufeffmax_entities = 3", "max_entities = 3\r\n", "# c\n\nmax_entities=3"])
def test_file_as_editors_write_it(path: Path, text: str) -> None:
    """A byte order mark, other line ends and comments are fine."""
    path.write_bytes(text.encode())
    assert read(path).max_entities == 3


def test_empty_file(path: Path) -> None:
    """An empty file sets nothing."""
    assert read(path, "").as_mapping() == DEFAULTS


WRONG = [
    ('prompt_seconds = "2"', "prompt_seconds", "number"),
    ("prompt_seconds = true", "prompt_seconds", "number"),
    ("prompt_seconds = 0", "prompt_seconds", "above 0"),
    ("stop_seconds = -1", "stop_seconds", "above 0"),
    ("stop_seconds = nan", "stop_seconds", "above 0"),
    ("lookup_seconds = inf", "lookup_seconds", "below a million"),
    ("max_entities = 2.5", "max_entities", "whole number"),
    ("max_entities = 0", "max_entities", "above 0"),
    ("max_entities = true", "max_entities", "whole number"),
    ("context_characters = []", "context_characters", "whole number"),
    ("disable = 1", "disable", "true or false"),
    ('disable = "yes"', "disable", "true or false"),
    ('never_record = "/a"', "never_record", "list of folders"),
    ("never_record = [1]", "never_record", "list of folders"),
    ("base_url = 5", "base_url", "text"),
    ("token = 5", "token", "text"),
    ('token = "open pw"', "token", "printable ASCII"),
    ('token = "pw\\u0007"', "token", "printable ASCII"),
    ('token = "pwé"', "token", "printable ASCII"),
    ('never_record = ["/a", "secret"]', "never_record: 'secret'", "whole path"),
    ('never_record = ["./secret"]', "never_record: './secret'", "'~/'"),
    ('never_record = [""]', "never_record: ''", "whole path"),
    ('never_record = [" "]', "never_record: ' '", "whole path"),
    ('never_record = ["~other/secret"]', "never_record: '~other/secret'", "'~/'"),
    ('never_record = ["$HOME/secret"]', "never_record: '$HOME/secret'", "'~/'"),
    ('base_url = "localhost:3080"', "base_url", "http://127.0.0.1:3080"),
    ('base_url = "ftp://example.org"', "base_url", "http://127.0.0.1:3080"),
    ('base_url = "http://"', "base_url", "http://127.0.0.1:3080"),
    ('base_url = "https://user:pw@example.org"', "base_url", "token"),
    ('base_url = "user:pw@example.org"', "base_url", "token"),
    ("unknown = 1", "unknown", "remove"),
    ("[token]", "token", "text"),
]


@pytest.mark.parametrize(("text", "field", "mend"), WRONG, ids=[text for text, *_ in WRONG])
def test_wrong_values_in_the_file(path: Path, text: str, field: str, mend: str) -> None:
    """Each wrong value is refused in one sentence that names the file, the field, and what to do."""
    said = refused(path, text)
    assert said.startswith(str(path))
    assert field in said
    assert mend in said
    assert "pw" not in said.replace(str(path), "")


@pytest.mark.parametrize(
    ("variable", "value", "mend"),
    [
        ("NEOTOMA_HOOKS_PROMPT_SECONDS", "soon", "a number"),
        ("NEOTOMA_HOOKS_PROMPT_SECONDS", "0", "above 0"),
        ("NEOTOMA_HOOKS_STOP_SECONDS", "nan", "above 0"),
        ("NEOTOMA_HOOKS_LOOKUP_SECONDS", "1e9", "below a million"),
        ("NEOTOMA_HOOKS_MAX_ENTITIES", "2.5", "a number"),
        ("NEOTOMA_HOOKS_CONTEXT_CHARACTERS", "-5", "above 0"),
        ("NEOTOMA_HOOKS_DISABLE", "maybe", "1 or 0"),
        ("NEOTOMA_HOOKS_NEVER_RECORD", "/a:secret", "'~/'"),
        ("NEOTOMA_TOKEN", "open pw", "printable ASCII"),
        ("NEOTOMA_TOKEN", "pw\u00e9", "printable ASCII"),
        ("NEOTOMA_BASE_URL", "127.0.0.1:3080", "http://127.0.0.1:3080"),
        ("NEOTOMA_BASE_URL", "https://me:pw@example.org", "token"),
    ],
)
def test_wrong_values_in_the_environment(path: Path, variable: str, value: str, mend: str) -> None:
    """Each wrong value is refused in one sentence that names the variable and what to do."""
    said = refused(path, **{variable: value})
    assert said.startswith(variable)
    assert mend in said
    assert "pw" not in said


@pytest.mark.parametrize("text", ["max_entities = ", "= 3", "[", 'token = "abc', "a = 1\na = 2"])
def test_no_toml(path: Path, text: str) -> None:
    """A file that is no TOML is refused with the place, and not with what stands there."""
    said = refused(path, text)
    assert said.startswith(str(path))
    assert "mend the line" in said
    assert "abc" not in said.replace(str(path), "")


def test_no_text(path: Path) -> None:
    """Nor is one that is no UTF-8."""
    path.write_bytes(b"\xff\xfe\x00")
    assert refused(path).startswith(str(path))


def test_unreadable(path: Path) -> None:
    """Settings that cannot be read are an error of the settings: nothing may be recorded by mistake."""
    path.mkdir()
    said = refused(path)
    assert str(path) in said


@settings(max_examples=50)
@given(
    name=st.sampled_from(sorted(DEFAULTS)),
    text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")),
)
def test_any_variable(path: Path, name: str, text: str) -> None:
    """Whatever a variable holds, it is taken or refused in words."""
    variable = {"base_url": "NEOTOMA_BASE_URL", "token": "NEOTOMA_TOKEN"}.get(name, f"NEOTOMA_HOOKS_{name.upper()}")
    try:
        found = read(path, **{variable: text})
    except SettingsError as error:
        said = str(error)
    else:
        said = found.sources[name] if text.rstrip("\r\n") else variable
    assert said.startswith(variable)


LOOPBACK = [
    "http://127.0.0.1",
    "http://127.0.0.1:3080",
    "http://127.0.0.1:3080/base",
    "http://127.1.2.3:3080",
    "http://localhost",
    "http://localhost:3080",
    "http://LOCALHOST:3080",
    "http://[::1]",
    "http://[::1]:3080",
]

ELSEWHERE = [
    "http://example.org",
    "http://10.0.0.5:3080",
    "http://0.0.0.0:3080",
    "http://127.0.0.1.example.org",
    "http://127.example.org",
    "http://127.0.0.1x",
    "http://127.0.0.256",
    "http://127.0.0.\u00b2",
    "http://localhost.example.org",
    "http://localhosts",
    "http://[::1].example.org",
    "http://[::1]x",
    "http://[::11]",
    "http://[2001:db8::1]",
    "http://[::ffff:10.0.0.5]",
    "http://example.org/127.0.0.1",
    "http://example.org?localhost",
    "http://example.org#http://127.0.0.1",
]


@pytest.mark.parametrize("url", LOOPBACK)
def test_token_to_this_machine(path: Path, url: str) -> None:
    """A token may go over plain HTTP to this machine."""
    assert is_loopback(url)
    assert read(path, NEOTOMA_BASE_URL=url, NEOTOMA_TOKEN="secret").base_url == url


@pytest.mark.parametrize("url", ELSEWHERE)
def test_token_to_another_machine(path: Path, url: str) -> None:
    """To any other it may not, whatever the address looks like; the reason is given, and the token is not."""
    assert not is_loopback(url)
    said = refused(path, NEOTOMA_BASE_URL=url, NEOTOMA_TOKEN="sesame")
    assert "plain HTTP" in said
    assert "https://" in said
    assert "sesame" not in said


@pytest.mark.parametrize("url", ["http://example.org:3080", "http://10.0.0.5"])
def test_plain_http_without_a_token(path: Path, url: str) -> None:
    """Without a token plain HTTP is the user's own choice."""
    assert read(path, NEOTOMA_BASE_URL=url).base_url == url


def test_https_with_a_token(path: Path) -> None:
    """Over HTTPS a token may go anywhere."""
    assert read(path, NEOTOMA_BASE_URL="https://example.org", NEOTOMA_TOKEN="secret").token == "secret"


def test_token_and_address_from_different_places(path: Path) -> None:
    """The rule holds for a token of the file and an address of the environment."""
    assert "plain HTTP" in refused(path, 'token = "secret"', NEOTOMA_BASE_URL="http://example.org")


@pytest.mark.parametrize("url", ["https://example.org/", "  https://example.org  ", "https://example.org//"])
def test_address_is_tidied(path: Path, url: str) -> None:
    """Spaces around an address and slashes at its end mean nothing."""
    assert read(path, NEOTOMA_BASE_URL=url).base_url == "https://example.org"


def test_token_is_never_shown(path: Path) -> None:
    """What is shown of the settings says only that there is a token."""
    found = read(path, NEOTOMA_TOKEN="secret")
    assert found.as_mapping()["token"] == "set"
    assert "secret" not in str(found.as_mapping()) + str(found.sources)


def test_never_record(path: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the list and all in it is left out, also by another name of it; its neighbours are not."""
    private = home / "private"
    (private / "deep").mkdir(parents=True)
    (home / "private-not").mkdir()
    (tmp_path / "link").symlink_to(private)
    found = read(path, 'never_record = ["~/private", "/srv/secret/"]')
    left_out = [
        private,
        private / "deep",
        tmp_path / "link" / "deep",
        private / ".." / "private",
        Path("/srv/secret/x"),
    ]
    assert [found.excludes(str(folder)) for folder in left_out] == [True] * len(left_out)
    recorded = [home, home / "private-not", private / "..", Path("/srv/secrets"), Path("/")]
    assert [found.excludes(str(folder)) for folder in recorded] == [False] * len(recorded)
    monkeypatch.chdir(private)
    assert found.excludes("deep")
    assert not found.excludes("")


def test_never_record_everything(path: Path) -> None:
    """The root leaves out everything."""
    assert read(path, 'never_record = ["/"]').excludes("/anything/at/all")


def test_never_record_nothing(path: Path) -> None:
    """Without a list nothing is left out."""
    assert not read(path).excludes("/")


def test_lists_are_not_shared(path: Path) -> None:
    """Changing one reading's list changes no other's."""
    read(path).never_record.append("/a")
    assert read(path).never_record == []


def test_a_project_folder_is_not_read(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that lie in the folder an agent works in count for nothing."""
    project = tmp_path / "project"
    project.mkdir()
    for name in ("config.toml", ".env", "neotoma-hooks.toml", ".neotoma-hooks.toml"):
        (project / name).write_text('base_url = "https://evil.example"\nNEOTOMA_BASE_URL=https://evil.example\n')
    monkeypatch.chdir(project)
    assert read(path).base_url == ""
