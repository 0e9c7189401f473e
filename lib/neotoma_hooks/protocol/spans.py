"""The place of something in a line."""

from __future__ import annotations

#: (start, end, kind, why): offsets in the line, a kind of `candidates`, and in words why it counts.
Span = tuple[int, int, int, str]
