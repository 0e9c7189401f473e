"""Is a line pasted? Told from the look of one line and of the lines around it."""

from __future__ import annotations

_LOG_LEVELS = frozenset("ERROR WARN WARNING INFO DEBUG FATAL TRACE CRITICAL NOTICE SEVERE".split())
_MONTHS = frozenset("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())

#: Openings of the lines of stack traces, diffs, compilers, test runners and sessions in a shell.
_OPENINGS = (
    "Traceback (most recent call last)", "Caused by:", "Exception in thread", "Uncaught ", "Unhandled ", "diff --git ",
    "@@ ", "+++ ", "--- a/", "-----BEGIN ", "goroutine ", "error[", "error:", "warning:", "fatal:", "error TS",
    "npm ERR!", "npm WARN", "E   ", "FAILED ", "FAIL ", "PASS ", "panic:", "#!/", "#include ", "<?",
)  # fmt: skip
_METHODS = ("GET /", "POST /", "PUT /", "PATCH /", "DELETE /", "HEAD /", "HTTP/")
_PROMPTS = ("$ ", ">>> ", "% ", "PS C:", "> ")
_PROGRAM = frozenset(
    "import from const let var def class function func fn public private protected static return export "
    "package using namespace if for while switch case try except catch async await struct enum interface type "
    "impl mod use".split()
)


def looks_pasted(raw: str, after_pasted: bool) -> bool:
    """Is this line from a log, a stack trace, a diff, program text, data, or a quoted mail?

    `raw` is the line; `after_pasted` says that the line before is pasted and that no empty line stands between.
    """
    stripped = raw.strip()
    first = stripped[:200].split(None, 1)[0]
    return (
        stripped[0] == ">"
        or stripped.startswith(_OPENINGS)
        or stripped.startswith(_METHODS)
        or stripped.startswith(_PROMPTS)
        or _is_indented_code(raw, stripped, after_pasted)
        or _is_diagnostic(stripped, first)
        or _is_log(stripped, first, after_pasted)
        or _is_program(stripped, first)
        or _is_data(raw, stripped, first, after_pasted)
    )


def opens_output(stripped: str) -> bool:
    """Is it a command at a prompt, so that the lines below it are its output?"""
    return stripped.startswith(_PROMPTS[:4])


def is_listed(raw: str) -> bool:
    """Does the line begin with a commit id, an address or a number, as the lines of a listing do?"""
    words = raw[:200].split(None, 1)
    if len(words) < 2:
        return False
    first = words[0]
    if first.replace(".", "").isdecimal():
        return first.count(".") == 3 or (len(first) > 2 and first[-1] != ".")
    return (
        len(first) > 6
        and first[0] != "#"
        and all(char in "0123456789abcdef-" for char in first)
        and not first.isalpha()
    )


def _is_indented_code(raw: str, stripped: str, after_pasted: bool) -> bool:
    if raw[0] not in " \t":
        return False
    if stripped.startswith(("at ", 'File "', "...", "^")):
        return True
    bullet = stripped[0] in "-*+•" or (stripped[0].isdecimal() and stripped[1:3].strip(".)0123456789") == "")
    # Four spaces or a tab are program text in Markdown; less, when it goes on.
    return not bullet and (raw.startswith(("    ", "\t")) or after_pasted)


def _is_diagnostic(stripped: str, first: str) -> bool:
    """A line of a compiler, linter or test runner: a file and a line number, then what is wrong there."""
    if not any(map(str.isdecimal, first)) and "::" not in first and first != "---":
        return False
    place = first.rstrip(":").rstrip(")0123456789,:-(")
    if first[-1] == ":" and place != first.rstrip(":") and ("." in place or "/" in place):
        return True
    rest = stripped[len(first) :].lstrip(" -").split(None, 1)[:1]
    level = rest[0].strip(":").lower() if rest else ""
    return level in ("error", "warning", "fail:", "fail", "pass", "failed", "passed", "error[e", "note") and (
        ":" in first or first == "---"
    )


def _is_log(stripped: str, first: str, after_pasted: bool) -> bool:
    bare = first.strip("[]():|")
    if bare.upper() in _LOG_LEVELS and (
        (first[0] == "[" and first[-1] == "]") or (bare.isupper() and (first != bare or after_pasted))
    ):
        return True
    if first.endswith(("Error:", "Exception:", "Exception")) and len(first) > 6:
        return True
    if bare[:4].isdecimal() and bare[4:5] == "-" and bare[7:8] == "-" and ":" in stripped[10:20]:
        return True
    if bare[:2].isdecimal() and bare[2:3] == ":" and bare[5:6] == ":":
        return True
    head = stripped[:24]
    return head.count(":") > 1 and (bare[:3] in _MONTHS or (head[0] == "[" and any(map(str.isdecimal, head))))


def _is_program(stripped: str, first: str) -> bool:
    last = stripped[-1]
    if stripped[0] in "{}" or last in "{};" or (stripped[0] == "<" and last == ">"):
        return True
    if first in _PROGRAM and (
        last in ":(,[" or ("(" in stripped and last in ")'\"") or " = " in stripped or last in "'\""
    ):
        return True
    signs = sum(map(stripped.count, "{};=<>|\\")) - stripped.count("|") * (stripped[0] == "|")
    return signs > 3 and signs * 12 > len(stripped)


def _is_data(raw: str, stripped: str, first: str, after_pasted: bool) -> bool:
    if stripped.startswith(("[{", '["')) or (stripped[0] == '"' and '":' in stripped):
        return True
    if first[-1] == ":" and first[:-1].replace("-", "").replace("_", "").isalnum():
        # A header or a YAML key among others of its kind; alone at the margin it may be a note's label.
        return after_pasted or (raw[0] == " " and first.islower())
    assigned = stripped[len(first) :].lstrip()
    if assigned.startswith("= ") and assigned[2:3] in "\"'[{0123456789" and len(assigned) > 2:
        return True
    if "=" in stripped:
        pairs = sum(1 for word in stripped[:400].split() if "=" in word[1:-1])
        return pairs > 2 or (pairs == 1 and first.partition("=")[0].replace("_", "").isupper())
    return False
