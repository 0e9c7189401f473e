"""What the commands share: the user's paths, settings and store, and how listings are printed."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from neotoma_hooks.paths import Paths, find_paths
from neotoma_hooks.settings import Settings, read_settings
from neotoma_hooks.stores.opening import open_store

if TYPE_CHECKING:
    from neotoma_hooks.stores.base import Store

as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")

LONGEST_SHOWN = 200


def user_paths() -> Paths:
    """Where this user's files are."""
    return find_paths(os.environ)


def user_settings() -> Settings:
    """This user's settings. Raises SettingsError."""
    return read_settings(user_paths().settings_file, os.environ)


@contextmanager
def user_store() -> Iterator[Store]:
    """The store in use, closed afterwards. Raises SettingsError."""
    store = open_store(user_settings(), user_paths())
    try:
        yield store
    finally:
        store.close()


def print_json(value: Any) -> None:
    """Print as JSON in ASCII, so that every code point survives any terminal and any pipe."""
    click.echo(json.dumps(value, indent=1))


def shortened(text: str, most: int = LONGEST_SHOWN) -> str:
    """A message on one line, cut for reading."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows in aligned columns; the last column is as wide as it needs."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    for line in lines:
        cells = [cell.ljust(width) for cell, width in zip(line, widths, strict=True)]
        click.echo("  ".join(cells).rstrip())


def age(seconds: float) -> str:
    """A length of time for a person: "12 s", "5 min", "3 h", "2 days"."""
    for size, unit in ((86_400, "days"), (3_600, "h"), (60, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{max(0.0, seconds):.0f} s"
