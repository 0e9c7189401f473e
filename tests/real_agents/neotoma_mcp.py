"""A tiny MCP server on stdio in Neotoma's place, with one tool, `store`, that answers as Neotoma's does.

`neotoma_mcp.py prepare ANSWER NAME` puts a person of that name into the memory and writes the answer into the file;
`neotoma_mcp.py serve ANSWER` is the server.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

TOOL = {
    "name": "store",
    "description": "Stores entities.",
    "inputSchema": {
        "type": "object",
        "properties": {"entities": {"type": "array", "items": {"type": "object"}}},
    },
}


def prepare(answer: Path, name: str) -> None:
    """Remember the person, and write down what a store call would have said of it."""
    words = [sys.executable, "-m", "neotoma_hooks.cli", "remember", name, "--type", "person"]
    printed = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    (id,) = set(re.findall(r"ent_[0-9a-f]{24}", printed))
    entity = {"entity_id": id, "entity_type": "person", "action": "created", "canonical_name": name.lower()}
    warning = {"code": "SOURCE_PRIORITY_ESCALATION", "entity_type": "person", "entity_id": id}
    told = {"success": True, "replayed": False, "entities": [entity], "store_warnings": [warning]}
    answer.write_text(json.dumps(told, indent=2), encoding="utf-8")


def result(method: str, params: dict[str, Any], answer: Path) -> dict[str, Any]:
    """What the server says to a request."""
    if method == "initialize":
        about = {"capabilities": {"tools": {}}, "serverInfo": {"name": "neotoma", "version": "1"}}
        return {"protocolVersion": params["protocolVersion"], **about}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        return {"content": [{"type": "text", "text": answer.read_text(encoding="utf-8")}]}
    return {}


def serve(answer: Path) -> None:
    """One JSON object a line, until there are no more."""
    for line in sys.stdin:
        request = json.loads(line)
        if "id" in request:
            said = result(request["method"], request.get("params") or {}, answer)
            print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": said}), flush=True)


if __name__ == "__main__":
    what, path, *rest = sys.argv[1:]
    prepare(Path(path), *rest) if what == "prepare" else serve(Path(path))
