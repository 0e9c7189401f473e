"""Attacks on our own executables: each guarantee is tried where it would break."""
