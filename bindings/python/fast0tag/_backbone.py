"""What turns pictures into features."""
from __future__ import annotations

import json
import os
import threading
from ctypes import POINTER, byref, c_bool, c_size_t, cast
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _structs
from ._choices import PRESETS, Preset
from ._convert import (Floats, Path, choice, flag, float_pointer, json_text, path_bytes, text_array,
                       text_bytes)
from ._handle import Handle
from ._library import library
from ._monitor import Monitor, ProgressCallback

Paths = Union[Path, Iterable[Path]]


def path_list(paths: Paths) -> list[bytes]:
    if isinstance(paths, (str, bytes, os.PathLike)):
        return [path_bytes(paths)]
    return [path_bytes(path) for path in paths]


class Backbone(Handle):
    """The built-in descriptor ("builtin"), or a neural network (the path of an ONNX file)."""

    _what = "backbone"
    _free = "f0t_backbone_close"

    def __init__(self, name: Union[Path, Mapping[str, Any]] = "builtin", *,
                 preset: Optional[Preset] = None, output: Optional[str] = None,
                 bf16: bool = False, cache: Optional[Path] = None,
                 progress: Optional[ProgressCallback] = None) -> None:
        """`name` may also be a description, as Model.backbone gives it. `preset` says how pictures
        are prepared for a network; None: as FILE.json beside FILE.onnx says. `cache` is a folder
        that keeps the features of pictures for the next time."""
        if preset is not None:
            choice(PRESETS, preset, "preset")
        out = POINTER(_structs.f0t_backbone)()
        encoded = text_bytes(json_text(name)) if isinstance(name, Mapping) else path_bytes(name)
        with Monitor(progress) as monitor:
            options = _structs.f0t_backbone_options(text_bytes(preset), text_bytes(output),
                                                    flag(bf16, "bf16"),
                                                    None if cache is None else path_bytes(cache))
            library.f0t_backbone_open(byref(out), encoded, byref(options), monitor.context)
        self._take(out)
        self._one_at_a_time = threading.Lock()

    @classmethod
    def open(cls, name: Union[Path, Mapping[str, Any]] = "builtin", *,
             preset: Optional[Preset] = None, output: Optional[str] = None, bf16: bool = False,
             cache: Optional[Path] = None,
             progress: Optional[ProgressCallback] = None) -> Backbone:
        """The same as Backbone(name)."""
        return cls(name, preset=preset, output=output, bf16=bf16, cache=cache, progress=progress)

    def _told(self) -> str:
        return f"{self.description.get('name')!r}, {self.dim} features"

    @property
    def dim(self) -> int:
        return int(self._number("f0t_backbone_dim"))

    @property
    def description(self) -> dict[str, Any]:
        """What it is: name, and for a network its file, checksum and how pictures are prepared."""
        return dict(json.loads(self._text("f0t_backbone_description") or "{}"))

    def check(self, description: Union[str, Mapping[str, Any]]) -> None:
        """Raises MismatchError, saying what differs, where the description is of another one."""
        with self._use() as pointer:
            library.f0t_backbone_check(pointer, text_bytes(json_text(description)))

    def features(self, pictures: Sequence[Path], *,
                 progress: Optional[ProgressCallback] = None) -> Floats:
        """Features [pictures, dim] of picture files; one that cannot be read is an error."""
        return self._run(path_list(pictures), True, Monitor(progress))[0]

    def _run(self, pictures: Sequence[bytes], strict: bool,
             monitor: Monitor) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Features, and which of the pictures could be read; `strict` lets none fail."""
        out = np.empty((len(pictures), self.dim), np.float32)
        good = np.ones(len(pictures), np.bool_)
        with self._use() as pointer, self._one_at_a_time, monitor:
            library.f0t_backbone_run(
                float_pointer(out), None if strict else cast(good.ctypes.data, POINTER(c_bool)),
                pointer, text_array(pictures), len(pictures), monitor.context)
        return out, good


def find_pictures(paths: Paths) -> list[str]:
    """The pictures at these paths: files as they are, and all below folders, by name."""
    return [path.decode(errors="surrogateescape") for path in _find(path_list(paths), Monitor())]


def _find(paths: Sequence[bytes], monitor: Monitor) -> list[bytes]:
    out = POINTER(_structs.f0t_pictures)()
    number = c_size_t()
    with monitor:
        library.f0t_pictures_find(byref(out), text_array(paths), len(paths), monitor.context)
    try:
        found = library.f0t_pictures_paths(byref(number), out)
        return [found[i] for i in range(number.value)]
    finally:
        library.f0t_pictures_free(out)
