"""`install`, `uninstall` and `agents`: the hooks in agents' settings files."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import Any

import click

from neotoma_hooks.agents.base import Agent
from neotoma_hooks.agents.registry import NAMES, agent
from neotoma_hooks.cli.common import as_json, print_json, print_table, user_paths
from neotoma_hooks.paths import hooks_folder


def registration(known: Agent) -> Any:
    return None


@click.command()
def install() -> None:
    """Register."""


@click.command()
def uninstall() -> None:
    """Take out."""


@click.command()
def agents() -> None:
    """List."""
