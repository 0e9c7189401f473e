"""Settings files in the shapes they have in the wild: `GOOD` can be changed, `BROKEN` must be refused."""

from __future__ import annotations

import json

OURS = "/opt/neotoma-hooks/hooks/prompt_submit.py"
OLD = f"/usr/bin/python3 {OURS} --agent claude-code"


def _handler(command: str, **more: object) -> dict[str, object]:
    return {"type": "command", "command": command, **more}


def _group(*handlers: dict[str, object], **more: object) -> dict[str, object]:
    return {**more, "hooks": list(handlers)}


def _pretty(value: object, indent: int | str = 2, end: str = "\n") -> str:
    return json.dumps(value, indent=indent, ensure_ascii=False) + end


FOREIGN = _handler("/home/u/bin/notify.sh done")
NAMESAKE = _handler("/home/u/neotoma-hooks-fan/run.sh --agent claude-code")
LINTER = _group(_handler("eslint --fix", timeout=5), matcher="Write|Edit")

TEXTS: dict[str, str] = {
    "empty-object": "{}",
    "empty-object-newline": "{}\n",
    "empty-object-spaces": "{ \n }\n",
    "empty-hooks": '{"hooks":{}}',
    "empty-hooks-pretty": _pretty({"hooks": {}}),
    "empty-event": _pretty({"hooks": {"Stop": []}}),
    "empty-events": _pretty({"hooks": {"Stop": [], "UserPromptSubmit": []}}),
    "empty-group": _pretty({"hooks": {"Stop": [{"hooks": []}]}}),
    "one-line": '{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}',
    "one-line-spaced": '{ "model": "opus", "env": { "A": "1" } }',
    "no-final-newline": _pretty({"model": "opus"}, end=""),
    "two-final-newlines": _pretty({"model": "opus"}, end="\n\n"),
    "four-spaces": _pretty({"model": "opus", "hooks": {"Stop": [_group(FOREIGN)]}}, 4),
    "one-space": _pretty({"model": "opus", "hooks": {"Stop": [_group(FOREIGN)]}}, 1),
    "tabs": _pretty({"model": "opus", "hooks": {"Stop": [_group(FOREIGN)]}}, "\t"),
    "crlf": _pretty({"model": "opus", "hooks": {"Stop": [_group(FOREIGN)]}}).replace("\n", "\r\n"),
    "crlf-tabs": _pretty({"permissions": {"allow": ["Bash(ls)"]}}, "\t").replace("\n", "\r\n"),
    "bom": "\ufeff" + _pretty({"model": "opus"}),
    "bom-crlf": "\ufeff" + _pretty({"hooks": {"Stop": [_group(FOREIGN)]}}).replace("\n", "\r\n"),
    "foreign-stop": _pretty({"hooks": {"Stop": [_group(FOREIGN)]}}),
    "foreign-both": _pretty({"hooks": {"UserPromptSubmit": [_group(FOREIGN)], "Stop": [_group(FOREIGN, FOREIGN)]}}),
    "foreign-many-events": _pretty(
        {"hooks": {event: [_group(FOREIGN)] for event in ("PreToolUse", "Stop", "SessionEnd", "Notification")}}
    ),
    "foreign-two-groups": _pretty({"hooks": {"Stop": [_group(FOREIGN), _group(NAMESAKE)]}}),
    "foreign-matcher": _pretty({"hooks": {"PostToolUse": [LINTER]}}),
    "foreign-exec-form": _pretty({"hooks": {"Stop": [_group(_handler("python3", args=["/x/hook.py", "stop"]))]}}),
    "foreign-namesake": _pretty({"hooks": {"Stop": [_group(NAMESAKE)]}}),
    "foreign-prompt-type": _pretty({"hooks": {"Stop": [_group({"type": "prompt", "prompt": "Was it done?"})]}}),
    "foreign-same-script-name": _pretty({"hooks": {"Stop": [_group(_handler("python3 /home/u/hooks/stop.py"))]}}),
    "non-ascii": _pretty({"hooks": {"Stop": [_group(_handler("/home/josé/bin/grüße.sh '…'"))]}}),
    "escapes": '{"model":"op\\u00fcs","env":{"A":"tab\\tquote\\"back\\\\slash\\/"}}\n',
    "numbers": '{"a":1.0,"b":1e5,"c":-0,"d":12345678901234567890,"e":0.10}\n',
    "literals": '{"a":true,"b":false,"c":null,"d":[],"e":{},"f":[[],{}]}\n',
    "deep": _pretty({"a": {"b": {"c": {"d": {"e": [1, [2, [3, [4]]]]}}}}}),
    "hooks-first": _pretty({"hooks": {"Stop": [_group(FOREIGN)]}, "model": "opus"}),
    "hooks-middle": _pretty({"a": 1, "hooks": {"Stop": [_group(FOREIGN)]}, "z": 2}),
    "line-comment": '{\n  // my settings\n  "model": "opus"\n}\n',
    "line-comment-at-end": '{\n  "model": "opus" // the big one\n}\n',
    "line-comment-last-line": '{\n  "model": "opus"\n  // more to come\n}\n',
    "line-comment-after": '{\n  "model": "opus"\n}\n// the end\n',
    "block-comment": '/* mine */\n{\n  "model": /* which */ "opus"\n}\n',
    "block-comment-in-empty": "{ /* nothing yet */ }\n",
    "line-comment-in-empty": "{\n  // nothing yet\n}\n",
    "comment-in-hooks": '{\n  "hooks": {\n    // later: Stop\n  }\n}\n',
    "comment-in-event": '{\n  "hooks": {\n    "Stop": [\n      // nothing yet\n    ]\n  }\n}\n',
    "comment-between-groups": (
        '{"hooks": {"Stop": [\n {"hooks": [{"type": "command", "command": "a"}]}, // first\n'
        ' {"hooks": [{"type": "command", "command": "b"}]} // second\n]}}\n'
    ),
    "commented-out-hook": (
        '{\n  "hooks": {\n    "Stop": [\n      { "hooks": [ { "type": "command", "command": "a" } ] }\n'
        '      // { "hooks": [ { "type": "command", "command": "b" } ] }\n    ]\n  }\n}\n'
    ),
    "comment-with-braces": '{\n  // } not the end {\n  "a": "/* no comment */ // nor this"\n}\n',
    "trailing-comma": '{\n  "model": "opus",\n}\n',
    "trailing-comma-in-hooks": '{\n  "hooks": {\n    "Stop": [],\n  },\n}\n',
    "trailing-comma-in-event": (
        '{\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n'
        '          { "type": "command", "command": "a" },\n'
        "        ],\n      },\n    ],\n  },\n}\n"
    ),
    "trailing-comma-and-comment": '{\n  "model": "opus", // big\n  // more\n}\n',
    "odd-indent": '{\n     "model":   "opus"  ,\n "hooks"  :{\n   "Stop"\n:[ ] }}\n',
    "blank-lines": '{\n\n  "model": "opus",\n\n\n  "a": 1\n\n}\n\n',
    "brace-on-next-line": '{\n  "hooks":\n  {\n    "Stop":\n    [\n    ]\n  }\n}\n',
    "spaces-at-line-ends": '{  \n  "model": "opus"  \n}  \n',
    "huge": _pretty({"permissions": {"allow": [f"Bash(command-{n}:*)" for n in range(5000)]}}),
    "many-hooks": _pretty({"hooks": {"Stop": [_group(_handler(f"/x/{n}.sh")) for n in range(100)]}}),
    "long-line": json.dumps({"a": "x" * 200_000}),
    "duplicate-command-of-others": _pretty({"hooks": {"Stop": [_group(FOREIGN), _group(FOREIGN)]}}),
    "codex-description": _pretty({"description": "my hooks", "hooks": {"Stop": [_group(FOREIGN)]}}),
    "cursor-like-version": _pretty({"version": 1, "hooks": {"Stop": [_group(FOREIGN)]}}),
}

GOOD = {name: text.encode("utf-8") for name, text in TEXTS.items()}

# Ours in an older form: `install` brings it up to date, `uninstall` leaves the text that stands beside it
OLDER: dict[str, tuple[str, str]] = {
    "old-command": (_pretty({"hooks": {"UserPromptSubmit": [_group(_handler(OLD))]}}), "{}\n"),
    "old-among-others": (
        _pretty({"hooks": {"UserPromptSubmit": [_group(FOREIGN, _handler(OLD))]}}),
        _pretty({"hooks": {"UserPromptSubmit": [_group(FOREIGN)]}}),
    ),
    "old-twice": (_pretty({"hooks": {"UserPromptSubmit": [_group(_handler(OLD)), _group(_handler(OLD))]}}), "{}\n"),
    "old-wrong-timeout": (_pretty({"hooks": {"UserPromptSubmit": [_group(_handler(OLD, timeout=30000))]}}), "{}\n"),
    "old-beside-setting": (
        _pretty({"model": "opus", "hooks": {"UserPromptSubmit": [_group(_handler(OLD))]}}),
        _pretty({"model": "opus"}),
    ),
}

BROKEN: dict[str, bytes] = {
    "not-json": b"hello\n",
    "unclosed": b'{"model": "opus"\n',
    "unclosed-string": b'{"model": "opus\n}\n',
    "missing-comma": b'{"a": 1 "b": 2}\n',
    "missing-colon": b'{"a" 1}\n',
    "two-commas": b'{"a": 1,, "b": 2}\n',
    "single-quotes": b"{'a': 1}\n",
    "bare-key": b"{a: 1}\n",
    "duplicate-key": b'{"hooks": {}, "hooks": {}}\n',
    "extra-brace": b'{"a": 1}}\n',
    "array": b"[]\n",
    "string": b'"hooks"\n',
    "hooks-is-list": b'{"hooks": []}\n',
    "hooks-is-null": b'{"hooks": null}\n',
    "event-is-object": b'{"hooks": {"Stop": {}}}\n',
    "utf-16": '{"a": 1}'.encode("utf-16"),
    "not-utf-8": b'{"a": "\xff"}\n',
    "nan": b'{"a": NaN}\n',
    "control-character": b'{"a": "x\x01y"}\n',
    "open-comment": b'{"a": 1 /* never closed }\n',
    "merge-conflict": b'{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> x\n}\n',
}


# What follows are the shapes of the other formats, by an agent that has the format


def ours_of(agent: str, hook: str = "prompt_submit") -> str:
    """An older command line of ours for that agent."""
    return f"/usr/bin/python3 /opt/neotoma-hooks/hooks/{hook}.py --agent {agent}"


THEIRS = "/home/u/bin/notify.sh 'a b' \"c\" \\d"

_KIMI = """\
# my settings
model = "k2"   # the big one
started = 2026-12-01T10:00:00Z
path = 'C:\\Users\\u'

[[hooks]]
event = "Stop"
command = '/home/u/bin/notify.sh'

# about the providers
[providers."my.own"]
keys = ["a", "b"] # two
text = \"\"\"
[[hooks]]
no = "entry"
\"\"\"
"""

_KIMI_ARRAY = 'hooks = [\n  {event = "Stop", command = "/x/a.sh"}, # mine\n]\n\n[other]\nx = 1\n'

SHAPES: dict[str, dict[str, str]] = {
    "cursor": {
        "empty": "{}\n",
        "no-version": '{"hooks": {}}\n',
        "version-only": _pretty({"version": 1}),
        "foreign": _pretty({"version": 1, "hooks": {"stop": [{"command": THEIRS, "loop_limit": None}]}}),
        "foreign-all": _pretty(
            {
                "version": 1,
                "hooks": {
                    "beforeSubmitPrompt": [{"command": THEIRS}],
                    "stop": [{"type": "prompt", "prompt": "Done?"}],
                    "afterFileEdit": [{"command": "fmt"}],
                },
            },
            "\t",
        ),
        "comments": '{\n  // mine\n  "version": 1,\n  "hooks": {\n    "stop": [{ "command": "x" }], // one\n  },\n}\n',
        "one-line": '{"version":1,"hooks":{"stop":[{"command":"x"}]}}',
        "crlf": _pretty({"version": 1, "hooks": {"stop": [{"command": THEIRS}]}}).replace("\n", "\r\n"),
    },
    "copilot-cli": {
        "empty": "{}",
        "foreign": _pretty({"version": 1, "hooks": {"agentStop": [{"type": "command", "bash": THEIRS}]}}, 4),
        "exec-form": _pretty({"version": 1, "hooks": {"agentStop": [{"exec": "python3", "args": ["/x/stop.py"]}]}}),
        "comment": '{"version": 1, /* later */ "hooks": {}}\n',
    },
    "windsurf": {
        "empty-hooks": '{"hooks": {}}\n',
        "foreign": _pretty({"hooks": {"pre_user_prompt": [{"command": THEIRS, "show_output": True}]}}),
        "foreign-powershell": _pretty({"hooks": {"post_cascade_response": [{"powershell": "x.ps1"}]}}),
        "other-keys": _pretty({"hooks": {}, "future": {"a": [1, 2.50]}}),
    },
    "amazon-q": {
        "empty": "{}\n",
        "own-agent": _pretty({"name": "neotoma", "description": "mine", "tools": ["fs_read"], "hooks": {}}),
        "foreign": _pretty({"name": "neotoma", "hooks": {"userPromptSubmit": [{"command": THEIRS}], "stop": []}}),
    },
    "antigravity": {
        "empty": "{}\n",
        "foreign": _pretty({"capture": {"Stop": [{"type": "command", "command": THEIRS, "timeout": 30}]}}),
        "namesake": _pretty({"neotoma-hooks": {"PostInvocation": [{"type": "command", "command": THEIRS}]}, "b": {}}),
        "comment": '{\n  "capture": {} // nothing yet\n}\n',
    },
    "kiro-cli": {
        "empty": "{}\n",
        "empty-list": _pretty({"version": "v1", "hooks": []}),
        "foreign": _pretty(
            {
                "version": "v1",
                "hooks": [
                    {"name": "n", "trigger": "Stop", "action": {"type": "command", "command": THEIRS}, "timeout": 5},
                    {"name": "m", "trigger": "UserPromptSubmit", "action": {"type": "agent", "prompt": "x"}},
                ],
            }
        ),
        "comment": '{\n  "version": "v1",\n  "hooks": [\n    // none yet\n  ]\n}\n',
    },
    "augment": {
        "empty": "{}",
        "foreign": _pretty({"hooks": {"Stop": [_group(_handler("/x/a.sh"), metadata={"includeUserContext": True})]}}),
        "other-settings": '{\n  // mine\n  "model": "x",\n  "hooks": {\n    "PromptSubmit": [],\n  },\n}\n',
    },
    "factory-droid": {
        "empty": "{}\n",
        "foreign": _pretty({"Stop": [_group(FOREIGN)], "PreToolUse": [LINTER]}),
        "empty-event": _pretty({"Stop": [], "UserPromptSubmit": []}),
        "comment": '{\n  // mine\n  "Stop": [{"hooks": [{"type": "command", "command": "x"}]}]\n}\n',
    },
    "kimi-code": {
        "nothing": "",
        "one-comment": "# nothing yet\n",
        "full": _KIMI,
        "no-final-newline": 'model = "k2"',
        "crlf": _KIMI.replace("\n", "\r\n"),
        "bom": "\ufeff" + _KIMI,
        "interleaved": '[[hooks]]\nevent = "A"\ncommand = "a"\n\n[x]\ny = 1\n\n[[ "hooks" ]]\ncommand = "b"\n',
        "empty-array": "hooks = []\nmodel = 'k2'\n",
        "array": _KIMI_ARRAY,
        "array-on-one-line": "hooks = [{event = 'Stop', command = 'a,b]#', timeout = 5}] # all\n[x]\n",
        "comment-at-end": 'model = "k2"\n\n\n# the end',
        "not-a-number": "a = nan\nb = [1, [2, '3'], {c = inf, \"d.e\" = 1}]\nf.g = 1_000\n",
    },
}

_KIMI_OLD = f'# mine\n[[hooks]]\nevent = "Stop"\ncommand = "{ours_of("kimi-code", "stop")}"\n'

JSON_OLDER: dict[str, tuple[object, object]] = {
    "cursor": (
        {"version": 1, "hooks": {"beforeSubmitPrompt": [{"command": ours_of("cursor")}, {"command": THEIRS}]}},
        {"version": 1, "hooks": {"beforeSubmitPrompt": [{"command": THEIRS}]}},
    ),
    "copilot-cli": (
        {"version": 1, "hooks": {"userPromptSubmitted": [{"bash": ours_of("copilot-cli")}] * 2}},
        {"version": 1},
    ),
    "windsurf": (
        {"hooks": {"pre_user_prompt": [{"command": ours_of("windsurf")}] * 3, "pre_x": [{"command": THEIRS}]}},
        {"hooks": {"pre_x": [{"command": THEIRS}]}},
    ),
    "amazon-q": (
        {"name": "mine", "hooks": {"userPromptSubmit": [{"command": ours_of("amazon-q"), "timeout_ms": 5}]}},
        {"name": "mine"},
    ),
    "antigravity": (
        {"neotoma-hooks": {"Stop": [{"type": "command", "command": ours_of("antigravity", "stop")}]}, "x": {}},
        {"x": {}},
    ),
    "kiro-cli": (
        {
            "version": "v1",
            "hooks": [
                {
                    "name": "old",
                    "trigger": "Stop",
                    "action": {"type": "command", "command": ours_of("kiro-cli", "stop")},
                },
                {"name": "n", "trigger": "Stop", "action": {"type": "command", "command": THEIRS}},
                {
                    "name": "old",
                    "trigger": "Stop",
                    "action": {"type": "command", "command": ours_of("kiro-cli", "stop")},
                },
            ],
        },
        {
            "version": "v1",
            "hooks": [{"name": "n", "trigger": "Stop", "action": {"type": "command", "command": THEIRS}}],
        },
    ),
    "augment": (
        {"hooks": {"Stop": [_group(_handler("/home/old/.augment/neotoma-hooks/stop.sh"), _handler("/x/a.sh"))]}},
        {"hooks": {"Stop": [_group(_handler("/x/a.sh"))]}},
    ),
    "factory-droid": ({"Stop": [_group(_handler(ours_of("factory-droid", "stop")))], "a": 1}, {"a": 1}),
}

# Ours in an older form, or more than once: the text, and what `uninstall` leaves of it
OLDER_SHAPES: dict[str, tuple[str, str]] = {
    **{name: (_pretty(before), _pretty(left)) for name, (before, left) in JSON_OLDER.items()},
    "kimi-code": (
        _KIMI_OLD + "\n# next\n[x]\ny = 1\n\n" + _KIMI_OLD.removeprefix("# mine\n").rstrip() + " # s\n",
        "# mine\n\n# next\n[x]\ny = 1\n # s\n",
    ),
}

BROKEN_SHAPES: dict[str, dict[str, bytes]] = {
    "cursor": {"hooks-is-list": b'{"hooks": []}', "event-is-object": b'{"hooks": {"stop": {}}}', "null": b"null\n"},
    "copilot-cli": {"unclosed": b'{"version": 1, "hooks": {', "array": b"[]"},
    "windsurf": {"two-keys": b'{"hooks": {}, "hooks": {}}', "text": b"hooks\n"},
    "amazon-q": {"hooks-is-text": b'{"hooks": "x"}', "comma": b'{"a": 1 "b": 2}'},
    "antigravity": {"ours-is-list": b'{"neotoma-hooks": []}', "event-is-text": b'{"neotoma-hooks": {"Stop": "x"}}'},
    "kiro-cli": {"hooks-is-object": b'{"version": "v1", "hooks": {}}', "utf-16": "{}".encode("utf-16")},
    "augment": {"hooks-is-null": b'{"hooks": null}', "open-comment": b"{/*"},
    "factory-droid": {"event-is-object": b'{"Stop": {}}', "number": b"1\n"},
    "kimi-code": {
        "no-value": b"a =\n",
        "key-twice": b"a = 1\na = 2\n",
        "hooks-is-table": b"[hooks]\na = 1\n",
        "hooks-is-text": b'x = 1\nhooks = "a"\n',
        "hooks-of-texts": b'hooks = ["a"]\n',
        "unclosed-text": b'a = "x\n',
        "not-utf-8": b'a = "\xff"\n',
        "json": b'{"hooks": []}\n',
    },
}
