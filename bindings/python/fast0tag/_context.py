"""How calls work: with how many threads, and who watches them."""
from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from ctypes import POINTER, byref
from typing import Any, Iterator

from . import _structs
from ._convert import count
from ._library import library


class Context:
    """How many threads the calls in a `with` block use; without one, all CPUs.

        with fast0tag.Context(threads=2):
            model = fast0tag.train(features, tags, vectors="glove.txt")

    It applies to the calling thread (or asyncio task) alone, and to nothing else in the process: two
    threads work in different contexts side by side. One may be entered many times, also inside
    another, which then applies again at its end. Threads that are started in the block begin
    without one.
    """

    def __init__(self, threads: int = 0) -> None:
        """0: as many threads as the machine has."""
        self._threads = count(threads, "the number of threads", most=(1 << 31) - 1)

    @property
    def threads(self) -> int:
        """How many threads its calls use."""
        made = _create(self._threads, None)
        try:
            return int(library.f0t_context_threads(made))
        finally:
            library.f0t_context_free(made)

    def __enter__(self) -> Context:
        _entered.set((*_entered.get(), self))
        return self

    def __exit__(self, *_: object) -> None:
        _entered.set(_entered.get()[:-1])

    def __repr__(self) -> str:
        return f"Context(threads={self._threads})"


_entered: ContextVar[tuple[Context, ...]] = ContextVar("fast0tag contexts", default=())


def _create(threads: int, monitor: Any) -> Any:
    out = POINTER(_structs.f0t_context)()
    library.f0t_context_create(byref(out), byref(_structs.f0t_context_options(
        threads=threads, monitor=monitor)))
    return out


def create(monitor: Any) -> Any:
    """The library's context for one call in the block that the caller is in. To be freed after it."""
    entered = _entered.get()
    return _create(entered[-1]._threads if entered else 0, monitor)


@contextmanager
def unwatched() -> Iterator[Any]:
    """The same without a monitor. Not NULL: in a callback that would be the context of the call that
    the callback belongs to, with its monitor."""
    made = create(None)
    try:
        yield made
    finally:
        library.f0t_context_free(made)
