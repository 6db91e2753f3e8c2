"""Datasets from the layouts in which tagged images are published, and from folders of pictures."""
from __future__ import annotations

import os
from ctypes import POINTER, byref, c_bool, c_char, c_double, c_uint64
from typing import Any, NamedTuple, Optional, Union

from . import _structs
from ._backbone import Backbone, Paths, path_list
from ._choices import LAYOUTS, Layout
from ._convert import Path, choice, count, flag, path_bytes, real, text_array, text_bytes
from ._errors import ArgumentError
from ._library import library
from ._monitor import Monitor, ProgressCallback


class Imported(NamedTuple):
    """A dataset that an import made: where it is, and how many there are of what."""

    path: str
    images: int
    dim: int
    tags: int
    seen: int
    unseen: int
    train: int
    val: int
    test: int
    untagged: int


def _imported(entry: Any) -> Imported:
    values = [getattr(entry, name) for name in Imported._fields[1:]]
    return Imported(entry.path.decode(errors="surrogateescape"), *values)


def _member(name: str, kind: Any, value: Any) -> Any:
    """The value of an option, for a member of that type."""
    if kind is c_bool:
        return flag(value, name)
    if kind is c_double:
        return real(value, name)
    if kind is c_uint64:
        return count(value, name)
    encoded = path_bytes(value) if isinstance(value, os.PathLike) else text_bytes(value, name)
    if kind is c_char:
        if encoded is None or len(encoded) != 1:
            raise ArgumentError(f"{name} is {value!r}; a single character of ASCII is expected")
    return encoded


def import_dataset(layout: Layout, sources: Paths, output: Path, *,
                   backbone: Union[Backbone, Path, None] = None,
                   progress: Optional[ProgressCallback] = None,
                   **options: Any) -> tuple[list[Imported], list[str]]:
    """Makes dataset directories at `output`: "nuswide", "tagprop", "mulan", "csv", or "photos",
    pictures that carry keywords, whose features `backbone` makes ("builtin", or an ONNX file).

    The options are the members of f0t_import_options in fast0tag_tools.h, by name. Gives the
    datasets, and what was changed or left out, in sentences."""
    choice(LAYOUTS, layout, "layout")
    items = path_list(sources)
    struct = _structs.f0t_import_options()
    for name, value in options.items():
        if name not in dict(struct._fields_) or name in ("size", "extract", "backbone", "vectors"):
            raise TypeError(f"import_dataset() has no option '{name}'")
        setattr(struct, name, _member(name, dict(struct._fields_)[name], value))
    opened = backbone if backbone is None or isinstance(backbone, Backbone) \
        else Backbone(backbone, progress=progress)
    out = POINTER(_structs.f0t_import_report)()
    with Monitor(progress) as monitor:
        if opened is None:
            _run(out, output, layout, items, struct, monitor)
        else:
            with opened._use() as pointer:
                struct.extract = pointer
                _run(out, output, layout, items, struct, monitor)
    try:
        return _report(out)
    finally:
        library.f0t_import_report_free(out)


def _run(out: Any, output: Path, layout: str, items: list[bytes],
         struct: _structs.f0t_import_options, monitor: Monitor) -> None:
    library.f0t_import(byref(out), path_bytes(output), text_bytes(layout), text_array(items),
                       len(items), byref(struct), monitor.context)


def _report(report: Any) -> tuple[list[Imported], list[str]]:
    made = [_imported(library.f0t_import_report_dataset(report, i).contents)
            for i in range(library.f0t_import_report_dataset_count(report))]
    notes = []
    for i in range(library.f0t_import_report_note_count(report)):
        note = library.f0t_import_report_note(report, i).contents
        example = "" if note.example is None else f", such as {note.example.decode(errors='replace')}"
        notes.append(f"{note.count} {note.what.decode()}{example}")
    return made, notes
