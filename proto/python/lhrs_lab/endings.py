# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGTERM ends a Python without its atexit functions: processes end by themselves, but logs stay, and a recording has no end.
While a Lab is open, SIGTERM closes all of them first and then ends the program as it would have."""
import os
import signal
import threading
import types
import weakref
from typing import Optional, Protocol


class Closed(Protocol):  # pylint: disable=too-few-public-methods
    """What can be closed."""

    def close(self) -> None:
        """Ends what was started. A second time: nothing."""


_open: "weakref.WeakSet[Closed]" = weakref.WeakSet()


def _terminated(number: int, _: Optional[types.FrameType]) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second SIGTERM does not wait
    for lab in list(_open):
        try:
            lab.close()
        except Exception:  # pylint: disable=broad-exception-caught
            pass  # the program ends all the same, and the processes with it (--die-with-parent)
    os.kill(os.getpid(), number)


def close_at_the_end(lab: Closed) -> None:
    """From now on SIGTERM closes this one. A handler of the program's own is left alone, and so is SIGTERM of a thread that
    is not the main one, which may not set a handler: there the processes end with Python, but logs stay."""
    _open.add(lab)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)


def is_closed(lab: Closed) -> None:
    """It needs no end any more. The last one gives SIGTERM back."""
    _open.discard(lab)
    if not _open and threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is _terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
