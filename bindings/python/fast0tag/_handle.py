"""Objects of the library that Python holds: they are freed once, and never while they are used."""
from __future__ import annotations

import ctypes
import threading
import weakref
from contextlib import contextmanager
from typing import Any, Callable, ClassVar, Iterator, Optional, TypeVar

import numpy as np
import numpy.typing as npt

from ._library import library

Self = TypeVar("Self", bound="Handle")


class Resource:
    """A pointer and how to free it. Who uses it holds it; closing waits for the last of them.

    The lock is reentrant because the garbage collector may end a holder at any moment, also while
    this thread is in here.
    """

    def __init__(self, pointer: Any, free: Callable[[Any], None], what: str) -> None:
        self.pointer = pointer
        self._free = free
        self._what = what
        self._lock = threading.RLock()
        self._holders = 0
        self.closed = False

    def hold(self) -> None:
        with self._lock:
            if self.closed:
                raise ValueError(f"the {self._what} is closed")
            self._holders += 1

    def release(self) -> None:
        with self._lock:
            self._holders -= 1
            self._end()

    def close(self) -> None:
        with self._lock:
            self.closed = True
            self._end()

    def _end(self) -> None:
        if self.closed and not self._holders and self.pointer:
            pointer, self.pointer = self.pointer, None
            self._free(pointer)


class Handle:
    """What Vectors, Vocab, Dataset, Backbone and Model share: close(), `with`, and safe use."""

    _what: ClassVar[str] = "object"
    _free: ClassVar[str]

    def __init__(self, pointer: Any, owner: Optional[Handle] = None) -> None:
        """Takes what `pointer` points to; with an owner it is borrowed and lives as long as that."""
        self._owner = owner
        self._pointer = pointer
        self._resource: Resource
        if owner is not None:
            self._resource = owner._resource
        else:
            self._resource = Resource(pointer, getattr(library, self._free), self._what)
            # Not at exit: another thread may be in the midst of a call, and the system frees all.
            weakref.finalize(self, self._resource.close).atexit = False

    def close(self) -> None:
        """Frees it, as soon as no other thread and no array uses it. Using it then is an error."""
        if self._owner is None:
            self._resource.close()

    @property
    def closed(self) -> bool:
        return bool(self._resource.closed)

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise TypeError(f"a {self._what} cannot be pickled: save it to a file, or open it again")

    @contextmanager
    def _use(self) -> Iterator[Any]:
        """The pointer, for one call."""
        self._resource.hold()
        try:
            yield self._pointer
        finally:
            self._resource.release()

    def _number(self, function: str) -> Any:
        """What a function of the library says of this object."""
        with self._use() as pointer:
            return getattr(library, function)(pointer)

    def _text(self, function: str) -> Optional[str]:
        with self._use() as pointer:
            found = getattr(library, function)(pointer)
            # Texts are UTF-8; paths are what os.fsdecode() makes of them.
            return None if found is None else str(found, "utf-8", "surrogateescape")

    def _view(self, address: Any, shape: tuple[int, ...]) -> npt.NDArray[Any]:
        """A read-only array over memory of the object, which stays until the array is gone.

        To be called inside _use()."""
        element = address._type_
        count = int(np.prod(shape))
        if not count:
            return np.empty(shape, np.dtype(element))
        self._resource.hold()
        memory = (element * count).from_address(ctypes.addressof(address.contents))
        weakref.finalize(memory, self._resource.release).atexit = False
        array = np.frombuffer(memory, np.dtype(element)).reshape(shape)
        array.flags.writeable = False
        return array
