"""Objects of the library that Python holds: they are freed once, and never while they are used."""
from __future__ import annotations

import ctypes
import threading
import weakref
from contextlib import contextmanager
from copy import copy
from typing import Any, Callable, ClassVar, Iterator, Optional, TypeVar

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError
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
                raise ArgumentError(f"the {self._what} is closed")
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


def _nothing() -> Resource:
    nothing = Resource(None, lambda _: None, "object")
    nothing.close()
    return nothing


class Handle:
    """What Vectors, Vocab, Dataset, Backbone and Model share: close(), `with`, and safe use.

    An object whose __init__ did not run to its end is closed.
    """

    _what: ClassVar[str] = "object"
    _free: ClassVar[str]

    _pointer: Any = None
    _owner: Optional[Handle] = None
    _resource: Resource = _nothing()

    def _take(self, pointer: Any, owner: Optional[Handle] = None) -> None:
        """Takes what `pointer` points to; with an owner it is borrowed and lives as long as that."""
        self._owner = owner
        self._pointer = pointer
        if owner is not None:
            self._resource = owner._resource
        else:
            self._own(Resource(pointer, getattr(library, self._free), self._what))

    def _own(self, resource: Resource) -> None:
        self._resource = resource
        # Not at exit: another thread may be in the midst of a call, and the system frees all.
        weakref.finalize(self, resource.close).atexit = False

    @classmethod
    def _wrap(cls: type[Self], pointer: Any, owner: Optional[Handle] = None) -> Self:
        made = cls.__new__(cls)
        made._take(pointer, owner)
        return made

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

    def __repr__(self) -> str:
        try:
            with self._use():
                told = self._told()
        except ArgumentError:
            told = "closed"
        return f"{type(self).__name__}({told})"

    def _told(self) -> str:
        """What repr() says of it."""
        return self._what

    def __copy__(self: Self) -> Self:
        """The same object of the library, which is freed when the last of the copies is closed."""
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        if self._owner is not None:
            made._owner = copy(self._owner)
            made._resource = made._owner._resource
        else:
            shared = self._resource
            shared.hold()
            made._own(Resource(self._pointer, lambda _: shared.release(), self._what))
        return made

    def __deepcopy__(self: Self, _: Any) -> Self:
        return copy(self)  # it does not change

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
