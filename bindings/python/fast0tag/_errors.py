"""One exception class for each status of the library; the text is the library's own line."""
from __future__ import annotations


class Error(Exception):
    """Something that libfast0tag refused or could not do."""

    status = 0


class OutOfMemoryError(Error, MemoryError):
    status = 1


class FileError(Error, OSError):
    """The system could not open, read, write or rename."""

    status = 2


class FormatError(Error, ValueError):
    """A file is not what it should be."""

    status = 3


class ArgumentError(Error, ValueError):
    """A call was made with values that make no sense."""

    status = 4


class MismatchError(Error, ValueError):
    """Two inputs do not belong together."""

    status = 5


class NotFoundError(Error, FileNotFoundError):
    """A file, word or name does not exist."""

    status = 6


class UnsupportedError(Error):
    """Right, but nothing that this version can do."""

    status = 7


class NumericError(Error, ArithmeticError):
    """NaN, a singular matrix, no convergence."""

    status = 8


class StoppedError(Error):
    """The work was stopped."""

    status = 9


class InternalError(Error):
    """A defect of fast0tag."""

    status = 10


BY_STATUS: dict[int, type[Error]] = {
    kind.status: kind
    for kind in (OutOfMemoryError, FileError, FormatError, ArgumentError, MismatchError,
                 NotFoundError, UnsupportedError, NumericError, StoppedError, InternalError)
}


def make(status: int, message: str) -> Error:
    return BY_STATUS.get(status, Error)(message)
