"""What tags images have: lists of tags, or 0/1 matrices with a column for each tag."""
from __future__ import annotations

from typing import Any, Iterable, Optional, Protocol, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._convert import texts
from ._errors import ArgumentError

TagLists = Sequence[Iterable[str]]


class SparseMatrix(Protocol):
    """What scipy.sparse's matrices and arrays have."""

    @property
    def shape(self) -> Any: ...

    def tocsr(self) -> Any: ...


Labels = Union[TagLists, npt.NDArray[Any], SparseMatrix, Sequence[Sequence[int]]]


def is_matrix(labels: Any) -> bool:
    """Numbers, not texts: of SciPy, of NumPy, of what NumPy takes (a data frame), or in lists."""
    if hasattr(labels, "tocsr"):
        return True
    if hasattr(labels, "__array__"):
        return np.asarray(labels).dtype.kind in "biuf"
    first = next((item for row in labels
                  if isinstance(row, Iterable) and not isinstance(row, (str, bytes))
                  for item in row), None)
    return isinstance(first, (int, float, np.number, np.bool_))


def _check_names(names: Iterable[str]) -> list[str]:
    encoded = texts(names, "the name of a tag")
    listed = [name.decode() for name in encoded]
    if len(set(encoded)) != len(listed):
        twice = next(name for name in listed if listed.count(name) > 1)
        raise ArgumentError(f"tag_names has {twice!r} twice")
    for name in listed:
        if not name.strip():
            raise ArgumentError(f"tag_names has {name!r}, which is no tag")
    return listed


def _refuse_value(row: int, column: int, value: Any) -> None:
    raise ArgumentError(f"labels have {value!r} in row {row}, column {column}: 0 or 1 is expected")


def _of_sparse(labels: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Offsets and columns, as in the CSR form."""
    csr = labels.tocsr().copy()
    csr.sum_duplicates()
    data = np.asarray(csr.data)
    wrong = np.flatnonzero((data != 0) & (data != 1))
    if wrong.size:
        at = int(wrong[0])
        _refuse_value(int(np.searchsorted(csr.indptr, at, "right")) - 1, int(csr.indices[at]),
                      data[at].item())
    csr.eliminate_zeros()
    return np.asarray(csr.indptr), np.asarray(csr.indices)


def _of_dense(labels: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    matrix = np.asarray(labels)
    wrong = np.argwhere((matrix != 0) & (matrix != 1))
    if wrong.size:
        row, column = (int(i) for i in wrong[0])
        _refuse_value(row, column, matrix[row, column].item())
    rows, columns = np.nonzero(matrix)
    return np.searchsorted(rows, np.arange(len(matrix) + 1)), columns


def _shape(labels: Any) -> tuple[int, ...]:
    if hasattr(labels, "tocsr"):
        return tuple(labels.shape)
    try:
        matrix = np.asarray(labels)
    except ValueError:  # rows of different lengths
        matrix = np.empty((), object)
    if matrix.dtype.kind not in "biuf":
        raise ArgumentError("tag_names goes with a 0/1 matrix of labels, images x tags")
    return matrix.shape


def tag_lists(labels: Labels, names: Optional[Iterable[str]] = None) -> list[list[str]]:
    """The tags of each image. `names` are those of a 0/1 matrix's columns."""
    given: Any = labels
    if not hasattr(given, "tocsr") and not hasattr(given, "__array__"):
        if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
            raise TypeError(f"a list of tags for each image is expected, not {given!r}")
        given = [list(row) if isinstance(row, Iterable) and not isinstance(row, (str, bytes))
                 else row for row in given]
    if names is None:
        if is_matrix(given):
            raise TypeError("a 0/1 matrix of labels needs tag_names: the tag of each column")
        return list(given)
    listed = _check_names(names)
    shape = _shape(given)
    if len(shape) != 2 or shape[1] != len(listed):
        raise ArgumentError(f"labels of shape {shape}: (images, {len(listed)}) is expected, a column "
                            "for each of tag_names")
    offsets, columns = _of_sparse(given) if hasattr(given, "tocsr") else _of_dense(given)
    tags = [listed[c] for c in columns.tolist()]
    return [tags[a:b] for a, b in zip(offsets.tolist(), offsets[1:].tolist())]


def matrix_indices(labels: Any, shape: tuple[int, int],
                   what: str) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Offsets and columns, as in the CSR form, of a 0/1 matrix of this shape."""
    found = _shape(labels)
    if found != shape:
        raise ArgumentError(f"{what} has the shape {found}; {shape} is expected, as scores have it")
    return _of_sparse(labels) if hasattr(labels, "tocsr") else _of_dense(labels)
