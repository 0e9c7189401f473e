"""`python -m neotoma_hooks.cli` is `neotoma-hooks`."""

from neotoma_hooks.cli import main

main()
