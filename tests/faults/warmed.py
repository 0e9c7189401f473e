"""A process that has imported everything and forks for each request: `python -I warmed.py`, one JSON request a line.

A killed hook is then a few milliseconds of work instead of an interpreter's start. A request has `role` ("hook",
"courier" or "command") and its `words`, the whole `environment`, `stdin`, and `home`, `kill_at`, `waits_for_answer`
as in `steps`. The answer has `status`, `out`, `err` and the names of the `steps`.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import sys
import tempfile
import traceback
from typing import Any, NoReturn

_TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [os.path.join(os.path.dirname(_TESTS), "lib"), _TESTS]

import filelock  # noqa: F401, E402

import neotoma_hooks  # noqa: E402
from faults.steps import Steps  # noqa: E402


def warm() -> None:
    """Import what any of the roles may import."""
    for module in pkgutil.walk_packages(neotoma_hooks.__path__, "neotoma_hooks."):
        if not module.name.endswith("__main__"):
            __import__(module.name)
    from neotoma_hooks.stores.neotoma_http import Http

    Http("http://127.0.0.1:9", "").close()
    gc.freeze()


def run(request: dict[str, Any]) -> dict[str, Any]:
    """Fork, and wait for the end."""
    read_in, write_in = os.pipe()
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, tempfile.TemporaryFile() as report:
        # Before it is there: a child that dies at its first step reads nothing, and would break the pipe
        os.write(write_in, request["stdin"].encode("latin-1"))
        child = os.fork()
        if child == 0:
            os.close(write_in)
            for descriptor, wanted in ((read_in, 0), (out.fileno(), 1), (err.fileno(), 2)):
                os.dup2(descriptor, wanted)
            _become(request, report.fileno())
        os.close(read_in)
        os.close(write_in)
        _, status = os.waitpid(child, 0)
        told = []
        for file in (out, err, report):
            file.seek(0)
            told.append(file.read().decode("latin-1"))
    return {
        "status": os.waitstatus_to_exitcode(status),
        "out": told[0],
        "err": told[1],
        "steps": told[2].splitlines(),
    }


def _become(request: dict[str, Any], report: int) -> NoReturn:
    """What the child does; ends the process."""
    status = 70
    try:
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = ["neotoma-hooks", *request["words"]]
        kill_at, waits = request["kill_at"], request["waits_for_answer"]
        Steps(request["home"], kill_at, report, waits_for_answer=waits).watch()
        _play(request["role"], request["words"])
        status = 0
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 1
    except BaseException:  # noqa: BLE001 - whatever it is, the child must not go on as its parent
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _play(role: str, words: list[str]) -> None:
    if role == "hook":
        from neotoma_hooks.hook import main

        main(words[0])
    elif role == "courier":
        from neotoma_hooks import courier

        courier.main()
    else:
        from neotoma_hooks import cli

        cli.main()


if __name__ == "__main__":
    warm()
    for line in sys.stdin:
        print(json.dumps(run(json.loads(line))), flush=True)
