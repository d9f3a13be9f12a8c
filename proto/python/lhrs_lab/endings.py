# SPDX-License-Identifier: GPL-3.0-or-later
"""Closes Labs on SIGTERM. SIGTERM ends Python without its atexit functions: the processes would end by themselves,
but logs would stay, and a recording would have no end. While a Lab is open, SIGTERM closes all Labs first and then
ends the program as usual."""
import os
import signal
import threading
import types
import weakref
from typing import Optional, Protocol


class Closed(Protocol):  # pylint: disable=too-few-public-methods
    """An object that can be closed."""

    def close(self) -> None:
        """Ends what was started. A second call has no effect."""


_open: "weakref.WeakSet[Closed]" = weakref.WeakSet()


def _terminated(number: int, _: Optional[types.FrameType]) -> None:
    signal.signal(number, signal.SIG_DFL)  # a second SIGTERM does not wait
    for lab in list(_open):
        try:
            lab.close()
        except Exception:  # pylint: disable=broad-exception-caught
            pass  # the program ends nevertheless, and the processes with it (--die-with-parent)
    os.kill(os.getpid(), number)


def close_at_the_end(lab: Closed) -> None:
    """From now on SIGTERM closes this Lab. A handler that the program has set is left alone. A thread other than the
    main thread may not set a handler: there the processes end with Python, but logs stay."""
    _open.add(lab)
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)


def is_closed(lab: Closed) -> None:
    """The Lab is closed and need not be closed on SIGTERM. When the last one is closed, the former handler is
    restored."""
    _open.discard(lab)
    if not _open and threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is _terminated:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
