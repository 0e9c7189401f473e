"""The coding agents: one module each, listed in `registry`."""
