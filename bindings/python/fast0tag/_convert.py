"""Python values as the library takes them."""
from __future__ import annotations

import json
import os
from ctypes import POINTER, c_char_p, c_float, c_uint32, cast
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
Floats = npt.NDArray[np.float32]


def path_bytes(path: Path) -> bytes:
    encoded = os.fsencode(path)
    if not encoded or b"\0" in encoded:
        raise ArgumentError(f"{path!r} is no path: it {'has a NUL in it' if encoded else 'is empty'}")
    return encoded


def text_bytes(text: Optional[str], what: str = "a text") -> Optional[bytes]:
    if text is None:
        return None
    if not isinstance(text, str):
        raise TypeError(f"{what} must be a str, not {type(text).__name__}")
    try:
        encoded = text.encode()
    except UnicodeEncodeError:
        raise ArgumentError(f"{what} {text!r} is no Unicode text") from None
    if b"\0" in encoded:
        raise ArgumentError(f"{what} {text!r} has a NUL in it")
    return encoded


def texts(items: Iterable[str], what: str = "a tag") -> list[bytes]:
    if isinstance(items, (str, bytes)):
        raise TypeError(f"a list of texts is expected, not the single {items!r}")
    if not isinstance(items, Iterable):
        raise TypeError(f"a list of texts is expected, not {items!r}")
    return [text_bytes(item, what) or b"" for item in items]


def text_array(items: Sequence[bytes]) -> Any:
    """const char *const *, which lives as long as the object."""
    return (c_char_p * max(len(items), 1))(*items)


def lines(items: Iterable[str], what: str) -> bytes:
    """A text with a line for each item."""
    encoded = texts(items, what)
    for item in encoded:
        if b"\n" in item:
            raise ArgumentError(f"{what} {item.decode()!r} has a line end in it")
    return b"".join(item + b"\n" for item in encoded)


def choice(names: Mapping[str, int], given: str, what: str) -> int:
    if not isinstance(given, str) or given not in names:
        raise ArgumentError(f"{what} {given!r} is none of {', '.join(names)}")
    return names[given]


def count(value: int, what: str, least: int = 0, most: int = (1 << 63) - 1) -> int:
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = -1
    if isinstance(value, (str, bytes)) or number != value or not least <= number <= most:
        raise ArgumentError(f"{what} is {value!r}; a whole number from {least} is expected")
    return number


def real(value: float, what: str) -> float:
    if isinstance(value, (str, bytes)):
        raise TypeError(f"{what} must be a number, not {value!r}")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} must be a number, not {value!r}") from None


def flag(value: bool, what: str) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{what} must be True or False, not {value!r}")
    return bool(value)


def json_text(value: Union[str, Mapping[str, Any], None]) -> Optional[str]:
    """JSON as it is, where it is an object, or of a dict."""
    if value is None or isinstance(value, Mapping):
        return None if value is None else json.dumps(dict(value))
    try:
        if isinstance(json.loads(value), dict):
            return value
    except ValueError:
        pass
    raise ArgumentError(f"{value!r} is no description of a backbone: a dict, or a JSON object, is "
                        "expected")


def units(layers: Iterable[int]) -> list[int]:
    """Of hidden layers."""
    if isinstance(layers, (str, bytes)) or not isinstance(layers, Iterable):
        raise TypeError(f"hidden is {layers!r}; a list is expected, the units of each layer: [512, 256]")
    return [count(number, "units of a hidden layer", 1) for number in layers]


def as_matrix(array: npt.ArrayLike, columns: Optional[int], what: str) -> npt.NDArray[Any]:
    """A matrix of numbers with so many columns, not copied if it is an array already."""
    if hasattr(array, "tocsr"):
        raise TypeError(f"{what} are sparse: a dense array is expected, x.toarray()")
    if isinstance(array, np.ma.MaskedArray) and np.any(array.mask):
        raise ArgumentError(f"{what} are masked in places: real numbers are expected everywhere")
    try:
        matrix = np.asarray(array)
    except ValueError as error:
        raise ArgumentError(f"{what} are no matrix, rows x numbers: {error}") from None
    if matrix.dtype.kind not in "fiub":
        raise ArgumentError(f"{what} of type {matrix.dtype}: real numbers are expected")
    if matrix.ndim != 2:
        hint = "; for a single one, x[None]" if matrix.ndim == 1 else ""
        raise ArgumentError(f"{what} must have 2 dimensions, rows x numbers, not "
                            f"{matrix.ndim}{hint}")
    if columns is not None and matrix.shape[1] != columns:
        raise ArgumentError(f"{what} have {matrix.shape[1]} numbers per image; {columns} are expected")
    return matrix


def as_floats(matrix: npt.NDArray[Any]) -> Floats:
    """float32 in row order: the array itself where it is that already."""
    with np.errstate(over="ignore"):  # too large becomes infinite, which the library refuses
        return np.ascontiguousarray(matrix, dtype=np.float32)


def float_pointer(array: Floats) -> Any:
    return cast(array.ctypes.data, POINTER(c_float))


def index_pointer(array: npt.NDArray[np.uint32]) -> Any:
    return cast(array.ctypes.data, POINTER(c_uint32))
