"""Every error this package raises, in one tree.

```
NeotomaHooksError
├── SettingsError          the settings file or the environment cannot be used as it is
├── EventError             what an agent sent cannot be understood
│   └── ReplyNotThereYet   the agent tells its reply in a transcript that is behind
│       └── TranscriptUnreadable  what lies in its place is no file, or cannot be read now
├── StateError             a file of ours under the state folder cannot be read or written
│   └── LockTimeout        somebody else held a lock for longer than we may wait
├── InstallError           an agent's settings file cannot be changed safely
└── StoreError             the memory did not do what it was asked
    ├── StoreAway          the request surely did not arrive: refused, no such host, switched off by the breaker
    ├── OutcomeUnknown     it may or may not have been stored: time-out, reset, 5xx, half an answer
    ├── StoreBusy          429: ask again after `retry_after` seconds; costs no attempt
    ├── Unauthorised       401 or 403: keep the write, stop asking this server
    ├── WriteRefused       the store will never take this write (other 4xx)
    │   ├── KeyMismatch    the idempotency key was used before with other content
    │   ├── TurnTaken      the turn key has other content already: another turn had the id before
    │   └── UnknownTarget  an edge goes to an entity that the store does not have (any more)
    └── ReadRefused        a look-up or a read was answered with an error
```

A message is one sentence for a person. It never holds message text or a token.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NeotomaHooksError(Exception):
    """The base of all errors of this package; catch it at the edge only."""


class SettingsError(NeotomaHooksError):
    """The settings file or an environment variable cannot be used; the message names file, field and mend."""


class EventError(NeotomaHooksError):
    """What an agent wrote to the hook's stdin cannot be understood."""


class ReplyNotThereYet(EventError):
    """The agent tells its reply only in its transcript, and has not written it yet."""


class TranscriptUnreadable(ReplyNotThereYet, OSError):
    """What lies in the transcript's place is no file, or cannot be read; as an OSError for who can do without it."""


class StateError(NeotomaHooksError):
    """A file under the state folder cannot be read or written."""


class LockTimeout(StateError):
    """A lock stayed taken for longer than the caller may wait."""


class InstallError(NeotomaHooksError):
    """An agent's settings file cannot be changed safely; nothing was written."""


class StoreError(NeotomaHooksError):
    """The memory did not do what it was asked."""


class StoreAway(StoreError):
    """The request surely did not reach the store, so nothing was stored."""


class OutcomeUnknown(StoreError):
    """The store may or may not have stored the write."""


class StoreBusy(StoreError):
    """The store asks for patience.

    `retry_after` is in seconds and never negative.
    """

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unauthorised(StoreError):
    """The store does not accept our credentials."""


class WriteRefused(StoreError):
    """The store will never take this write as it is; `code` is the store's own error code, or the HTTP status."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class KeyMismatch(WriteRefused):
    """The idempotency key was used before with other content (server: ERR_IDEMPOTENCY_MISMATCH)."""


class TurnTaken(WriteRefused):
    """The store has other content under the message's turn key: the agent used the turn id before."""


class UnknownTarget(WriteRefused):
    """An edge of the write goes to an entity that the store does not have: it was emptied, or put back as it was.

    Raised by a local store, and where a server is asked before it is written to, because it would take the edge.
    """


class ReadRefused(StoreError):
    """The store answered a look-up or a read with an error."""


def described(error: BaseException) -> str:
    """The error in words that may stand in a log: our own message, or of a bug its kind and place.

    What Python says of a bug is left out, because it may hold message text.
    """
    if isinstance(error, NeotomaHooksError):
        return str(error)
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    if place is None:
        return type(error).__name__
    file = place.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"{type(error).__name__} at {file}:{place.tb_lineno}"


def note(line: dict[str, Any], sentence: str) -> None:
    """Put an error into a line of the hook log, behind those that are there already."""
    line["error"] = f"{line['error']}; {sentence}" if "error" in line else sentence
