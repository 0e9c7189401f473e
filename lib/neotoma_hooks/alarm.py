"""A hook's time: an alarm that ends whatever it does, wherever it is by then."""

from __future__ import annotations

import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType


class OutOfTime(BaseException):
    """The time is used up; raised wherever the process happens to be."""


def limit_time(moment: float) -> None:
    """Raise OutOfTime at that moment (on `time.monotonic`'s clock) or, if it is over, at once; but only once."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _out_of_time)
        signal.setitimer(signal.ITIMER_REAL, max(0.01, moment - time.monotonic()))


def stop_the_clock() -> None:
    """Lift the limit."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, 0)


def _out_of_time(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTime
