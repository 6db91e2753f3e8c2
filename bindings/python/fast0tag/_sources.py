"""Where images to be tagged come from: datasets, matrices in files, pictures."""
from __future__ import annotations

import os
from ctypes import POINTER, byref, c_bool
from typing import TYPE_CHECKING, Iterable, Iterator, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _structs
from ._backbone import Backbone, _find, path_list
from ._choices import Preset, Split
from ._context import unwatched
from ._convert import Floats, Path, choice, float_pointer
from ._errors import ArgumentError, NotFoundError
from ._handle import Handle
from ._library import library
from ._monitor import Monitor, Progress, ProgressCallback

if TYPE_CHECKING:
    from ._model import Model

Blocks = Iterator[tuple[list[str], Floats]]  # names of images, and their features

MATRIX_BLOCK = 4096
PICTURE_BLOCK = 256


class _Features(Handle):
    """Features in a dataset or an .npy file."""

    _what = "file of features"
    _free = "f0t_features_close"

    def __init__(self, path: bytes) -> None:
        out = POINTER(_structs.f0t_features)()
        with unwatched() as context:
            library.f0t_features_open(byref(out), path, context)
        self._take(out)

    def name(self, m: int) -> str:
        with self._use() as pointer:
            found = library.f0t_features_image(pointer, m)
        return str(m + 1) if found is None else str(found, "utf-8")

    def rows_of(self, part: Optional[Split], model: Model) -> npt.NDArray[np.bool_]:
        """Which rows are of this part of the dataset, as its split.txt says or as the model's training
        drew them; None: all."""
        rows = np.ones(int(self._number("f0t_features_count")), np.bool_)
        if part is not None:
            wanted = choice(_structs.SPLITS, part, "part")
            with self._use() as pointer, model._use() as m:
                library.f0t_model_part(rows.ctypes.data_as(POINTER(c_bool)), m, pointer, wanted)
        return rows


def _read_features(features: _Features, model: Model, part: Optional[Split],
                   monitor: Monitor) -> Blocks:
    chosen = features.rows_of(part, model)
    dim = int(features._number("f0t_features_dim"))
    for first in range(0, len(chosen), MATRIX_BLOCK):
        number = min(MATRIX_BLOCK, len(chosen) - first)
        rows = np.empty((number, dim), np.float32)
        with features._use() as pointer:
            library.f0t_features_read(float_pointer(rows), pointer, first, number)
        wanted = np.flatnonzero(chosen[first:first + number])
        yield [features.name(first + int(m)) for m in wanted], rows[wanted]
        monitor.show(Progress("tagging", "images", first + number, len(chosen)))


def _read_pictures(backbone: Backbone, pictures: list[bytes], strict: bool,
                   monitor: Monitor) -> Blocks:
    for first in range(0, len(pictures), PICTURE_BLOCK):
        block = pictures[first:first + PICTURE_BLOCK]
        rows, good = backbone._run(block, strict, Monitor())
        yield [os.fsdecode(path) for path, ok in zip(block, good) if ok], rows[good]
        monitor.show(Progress("tagging", "images", first + len(block), len(pictures)))


def _backbone_of(model: Model, given: Union[Backbone, Path, None],
                 preset: Optional[Preset]) -> Backbone:
    own = model.backbone
    if given is None and own is None:
        raise ArgumentError("the model was trained on bare features: backbone says what makes them "
                            "from pictures")
    if isinstance(given, Backbone):
        opened = given
    else:
        opened = Backbone(given if given is not None else own or {}, preset=preset)
    if own is not None and given is not None:
        opened.check(own)
    return opened


def open_source(model: Model, paths: Union[Path, Iterable[Path]],
                backbone: Union[Backbone, Path, None], preset: Optional[Preset], strict: bool,
                part: Optional[Split], progress: Optional[ProgressCallback]) -> Blocks:
    """All images there, block by block."""
    items = path_list(paths)
    monitor = Monitor(progress)
    if not items:
        raise ArgumentError("no path is given")
    ready = items[0].endswith(b".npy") or os.path.exists(os.path.join(items[0], b"tags.txt"))
    if ready:
        if len(items) > 1:
            raise ArgumentError(f"{os.fsdecode(items[1])}: one dataset or matrix at a time")
        if backbone is not None:
            raise ArgumentError(f"backbone is for pictures: {os.fsdecode(items[0])} has features "
                                "already")
        return _read_features(_Features(items[0]), model, part, monitor)
    if part is not None:
        raise ArgumentError("part is for datasets")
    opened = _backbone_of(model, backbone, preset)
    pictures = _find(items, Monitor())
    if not pictures:
        raise NotFoundError(f"{os.fsdecode(items[0])}: has no pictures")
    return _read_pictures(opened, pictures, strict, monitor)
