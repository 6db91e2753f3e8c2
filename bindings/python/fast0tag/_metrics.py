"""The metrics of a comparison, of any scores."""
from __future__ import annotations

import math
from ctypes import POINTER, byref, c_bool, c_size_t, cast
from dataclasses import dataclass
from typing import Any, Iterable, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _structs
from ._context import unwatched
from ._convert import as_floats, as_matrix, count, float_pointer, index_pointer
from ._errors import ArgumentError
from ._labels import SparseMatrix, matrix_indices
from ._library import library


@dataclass(frozen=True)
class Metrics:
    """What metrics() measured, in percent or counts."""

    values: dict[str, Optional[float]]
    """By the names of "fast0tag eval --json"; None for what is not defined."""
    image_precisions: npt.NDArray[np.float64]
    """The average precision of each image's tags; NaN for an image without a relevant tag."""
    tag_precisions: npt.NDArray[np.float64]
    """The average precision of the images that each tag ranks; NaN for a tag without one."""

    def __getitem__(self, name: str) -> Optional[float]:
        return self.values[name]


def metrics(scores: npt.ArrayLike, relevant: Union[npt.ArrayLike, SparseMatrix], *,
            k: Union[int, Sequence[int]] = (3, 5),
            seen: Optional[npt.ArrayLike] = None) -> Metrics:
    """How good scores are, images x tags, for which the 0/1 matrix `relevant` says what is right: MiAP,
    precision, recall and F1 of the first k tags, nDCG, mAP and all else that a comparison measures.

    `seen` says which tags were learned (0 or 1 for each): then also the harmonic means of seen and unseen tags
    and the area under the seen-unseen curve."""
    matrix = as_floats(as_matrix(scores, None, "scores"))
    images, tags = matrix.shape
    offsets, columns = matrix_indices(relevant, (images, tags), "relevant")
    firsts = [count(number, "k", 1) for number in (k if isinstance(k, Iterable) else [k])]
    options = _structs.f0t_metrics_options(k=(c_size_t * max(len(firsts), 1))(*firsts),
                                           k_count=len(firsts))
    if seen is not None:
        kinds = np.ascontiguousarray(seen, dtype=np.bool_)
        if kinds.shape != (tags,):
            raise ArgumentError(f"seen has the shape {kinds.shape}; ({tags},) is expected")
        options.seen = cast(kinds.ctypes.data, POINTER(c_bool))
    starts = np.ascontiguousarray(offsets, dtype=np.uintp)
    listed = np.ascontiguousarray(columns, dtype=np.uint32)
    out = POINTER(_structs.f0t_measured)()
    with unwatched() as context:
        library.f0t_metrics_measure(byref(out), float_pointer(matrix), images, tags,
                                    cast(starts.ctypes.data, POINTER(c_size_t)),
                                    index_pointer(listed), byref(options), context)
    try:
        return _copy(out.contents, images, tags)
    finally:
        library.f0t_measured_free(out)


def _copy(measured: Any, images: int, tags: int) -> Metrics:
    values = {}
    for i in range(measured.count):
        value = measured.values[i].value
        values[measured.values[i].name.decode()] = None if math.isnan(value) else value
    return Metrics(values, np.array(measured.image_precisions[:images]),
                   np.array(measured.tag_precisions[:tags]))
