"""A memory for coding agents: hooks that run the Neotoma turn protocol."""

__version__ = "0.1.0"
