"""Progress, log lines and interruption of long calls."""
from __future__ import annotations

import logging
import sys
import threading
from ctypes import c_int, pointer
from typing import Any, Callable, NamedTuple, Optional, Type

from . import _structs
from ._context import create
from ._errors import StoppedError
from ._library import library

logger = logging.getLogger("fast0tag")


class Progress(NamedTuple):
    """How far a piece of work is; `total` is 0 where it is not known."""

    stage: str
    unit: str
    done: int
    total: int


ProgressCallback = Callable[[Progress], object]


def _text(value: Optional[bytes]) -> str:
    return (value or b"").decode(errors="replace")


class Monitor:
    """Watches one call: `with Monitor(progress) as m: library.f(…, m.context)`.

    An exception in a callback, Ctrl-C among them, ends the work and comes out of the `with`. Log
    lines go to the logger "fast0tag".

    Python runs signal handlers when a callback begins, before its first line and so before any
    `try`; what they raise there ctypes hands to sys.unraisablehook. Signals are handled in the main
    thread alone, so that only there the hook is ours, as long as the call takes.
    """

    def __init__(self, progress: Optional[ProgressCallback] = None) -> None:
        self._progress = progress
        self._stop = c_int(0)
        self._raised: Optional[BaseException] = None
        self._hook: Any = None
        self._hook_before: Any = None
        # Without a callback of the user's there still is one: Python sees Ctrl-C in it.
        self._struct = _structs.f0t_monitor(
            log=_structs.LOG(self.guard(self._log)),
            progress=_structs.PROGRESS(self.guard(self._show)),
            stop=pointer(self._stop))
        # Not by byref(), whose objects the garbage collector does not look into.
        self._pointer = pointer(self._struct)
        self.context: Any = None

    def guard(self, function: Callable[..., object]) -> Callable[..., None]:
        """The function as a callback of the library, which exceptions cannot pass."""
        def guarded(*arguments: Any) -> None:
            try:
                if not self._raised:
                    function(*arguments)
            except BaseException as error:
                self._stop_for(error)
        return guarded

    def _stop_for(self, error: BaseException) -> None:
        self._raised = self._raised or error
        self._stop.value = 1

    def _unraisable(self, unraisable: Any) -> None:
        if "ctypes callback" in (unraisable.err_msg or "") and unraisable.exc_value is not None \
                and threading.current_thread() is threading.main_thread():
            self._stop_for(unraisable.exc_value)
        else:
            self._hook_before(unraisable)

    def _log(self, _: Any, level: int, line: bytes) -> None:
        logger.log(logging.WARNING if level else logging.INFO, "%s", _text(line))

    def _show(self, _: Any, progress: Any) -> None:
        if self._progress:
            p = progress.contents
            self._progress(Progress(_text(p.stage), _text(p.unit), p.done, p.total))

    def show(self, progress: Progress) -> None:
        """Progress of work that Python does piece by piece."""
        if self._progress:
            self._progress(progress)

    def __enter__(self) -> Monitor:
        self.context = create(self._pointer)
        if threading.current_thread() is threading.main_thread():
            self._hook_before, self._hook = sys.unraisablehook, self._unraisable
            sys.unraisablehook = self._hook
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 _: Any) -> None:
        library.f0t_context_free(self.context)
        self.context = None
        if self._hook is not None and sys.unraisablehook is self._hook:
            sys.unraisablehook = self._hook_before
        self._hook = None
        if self._raised and (error is None or isinstance(error, StoppedError)):
            raised, self._raised = self._raised, None
            raise raised from None
