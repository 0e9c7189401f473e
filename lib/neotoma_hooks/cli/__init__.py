"""The command `neotoma-hooks`: one module for each command or close family of commands."""

from __future__ import annotations

import sys

import click

from neotoma_hooks import __version__
from neotoma_hooks.cli.doctor import doctor
from neotoma_hooks.cli.hook_log import log
from neotoma_hooks.cli.lookup import explain, find, remember
from neotoma_hooks.cli.registration import agents, install, uninstall
from neotoma_hooks.cli.self_check import self_check
from neotoma_hooks.cli.stored import show, turns
from neotoma_hooks.cli.waiting import flush, outbox
from neotoma_hooks.errors import NeotomaHooksError, StateError


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="neotoma-hooks")
def group() -> None:
    """A memory for coding agents: hooks that run the Neotoma turn protocol."""


for command in (
    install,
    uninstall,
    agents,
    doctor,
    log,
    turns,
    show,
    find,
    explain,
    remember,
    outbox,
    flush,
    self_check,
):
    group.add_command(command)


def main() -> None:
    """Run the command. Exit status 0; 1 when something is wrong; 2 when the words are; 130 after Ctrl-C."""
    # A message may hold what the terminal's encoding does not: it is shown escaped rather than not at all
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        # Outside its stand-alone mode click gives the status of `Exit` back instead of raising it
        status = group.main(prog_name="neotoma-hooks", standalone_mode=False)
        sys.exit(status if isinstance(status, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except NeotomaHooksError as error:
        mend = "; `neotoma-hooks doctor` says how to mend it" if isinstance(error, StateError) else ""
        click.echo(f"neotoma-hooks: {error}{mend}", err=True)
        sys.exit(1)
    except BrokenPipeError:
        # The reader of a listing has seen enough
        sys.stderr.close()
        sys.exit(0)
