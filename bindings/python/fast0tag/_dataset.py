"""Datasets: features and tags of images."""
from __future__ import annotations

import json
import operator
import os
from ctypes import POINTER, byref, c_size_t
from typing import Any, Iterable, Mapping, NamedTuple, Optional, Sequence, Union, get_args

import numpy as np
import numpy.typing as npt

from . import _structs
from ._choices import Split
from ._context import unwatched
from ._convert import (Floats, Path, as_floats, as_matrix, choice, count, flag, float_pointer, json_text,
                       lines, path_bytes, real, text_array, text_bytes, texts)
from ._errors import ArgumentError
from ._handle import Handle
from ._labels import Labels, TagLists, tag_lists
from ._library import library


class Image(NamedTuple):
    """An image of a dataset."""

    image: Optional[str]  # path or id, where the dataset has them
    tags: list[str]
    split: Split
    features: Floats  # [D]


def _check_length(number: int, wanted: int, what: str) -> None:
    if number != wanted:
        raise ArgumentError(f"{what} of {number} images, tags of {wanted}")


def _tag_lines(tags: TagLists) -> bytes:
    rows = []
    for image in tags:
        row = texts(image)
        for tag in row:
            if b"\t" in tag or b"\n" in tag:
                raise ArgumentError(f"the tag {tag.decode()!r} has a tab or a line end in it")
        rows.append(b"\t".join(row) + b"\n")
    return b"".join(rows)


def _options(seed: int, val: float, test: float) -> _structs.f0t_dataset_options:
    return _structs.f0t_dataset_options(count(seed, "seed"), real(val, "val"), real(test, "test"))


class Dataset(Handle):
    """M images with their tags and, mostly, D features each.

    It is a directory, Dataset(path), or made of what is in memory (from_arrays). Images without a
    given split are drawn into train, val and test by seed. Many threads may share one.
    """

    _what = "dataset"
    _free = "f0t_dataset_close"

    def __init__(self, path: Path, *, seed: int = 0, val: float = 0.1, test: float = 0.2) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"the path of a dataset is expected, not {type(path).__name__}; "
                            "Dataset.from_arrays(features, tags) takes what is in memory")
        out = POINTER(_structs.f0t_dataset)()
        with unwatched() as context:
            library.f0t_dataset_open(byref(out), path_bytes(path),
                                     byref(_options(seed, val, test)), context)
        self._take(out)

    @classmethod
    def open(cls, path: Path, *, seed: int = 0, val: float = 0.1, test: float = 0.2) -> Dataset:
        """The same as Dataset(path)."""
        return cls(path, seed=seed, val=val, test=test)

    @classmethod
    def from_arrays(cls, features: Optional[npt.ArrayLike], tags: Labels, *,
                    tag_names: Optional[Iterable[str]] = None,
                    images: Optional[Iterable[str]] = None,
                    split: Optional[Iterable[Split]] = None,
                    seen: Optional[Iterable[str]] = None, unseen: Optional[Iterable[str]] = None,
                    backbone: Union[str, Mapping[str, Any], None] = None, name: str = "memory",
                    seed: int = 0, val: float = 0.1, test: float = 0.2) -> Dataset:
        """features[M, D] and a list of tags for each image, or a 0/1 matrix [M, T] of NumPy or
        scipy.sparse with `tag_names`, the tag of each column (tags that no image has are no part
        of the dataset, unless `seen` or `unseen` has them). Features of float32, float16 or
        float64 in row order are used where they lie, and must not change; others are copied.
        `split` says train, val or test of each image; `seen` and `unseen` are lists of tags."""
        tags = tag_lists(tags, tag_names)
        described: dict[str, Any] = {"name": name}
        if backbone is not None:
            described["backbone"] = json.loads(json_text(backbone) or "null")
        memory = _structs.f0t_dataset_memory(
            path=text_bytes(name), tags=_tag_lines(tags), json=json.dumps(described).encode())
        matrix = None
        if features is not None:
            matrix = as_matrix(features, None, "features")
            if matrix.dtype.str[1:] not in ("f2", "f4", "f8") or not matrix.dtype.isnative \
                    or not matrix.flags.c_contiguous:
                matrix = as_floats(matrix)
            _check_length(len(matrix), len(tags), "features")
            memory.features = matrix.ctypes.data
            memory.dtype = matrix.dtype.name.encode()
            memory.rows, memory.dim = matrix.shape
        if images is not None:
            images = list(images)
            _check_length(len(images), len(tags), "names")
            memory.images = lines(images, "an image's name")
        if split is not None:
            parts = list(split)
            _check_length(len(parts), len(tags), "parts")
            for part in parts:
                choice(_structs.SPLITS, part, "part")
            memory.split = lines(parts, "part")
        memory.seen = None if seen is None else lines(seen, "a tag")
        memory.unseen = None if unseen is None else lines(unseen, "a tag")
        out = POINTER(_structs.f0t_dataset)()
        with unwatched() as context:
            library.f0t_dataset_open_memory(byref(out), byref(memory),
                                            byref(_options(seed, val, test)), context)
        made = cls._wrap(out)
        made._matrix = matrix
        return made

    _matrix: Optional[npt.NDArray[Any]] = None  # what the library borrows

    def _told(self) -> str:
        return (f"{self.name!r}, {len(self)} images, {self.dim} features, "
                f"{int(self._number('f0t_dataset_tag_count'))} tags")

    def __len__(self) -> int:
        return int(self._number("f0t_dataset_image_count"))

    def __getitem__(self, index: int) -> Image:
        m = operator.index(index)
        m += len(self) if m < 0 else 0
        if not 0 <= m < len(self):
            raise IndexError(f"there is no image {index} of {len(self)}")
        parts: tuple[Split, ...] = get_args(Split)
        with self._use() as pointer:
            name = library.f0t_dataset_image(pointer, m)
            offsets, indices = self.offsets, self.indices
            tags = [library.f0t_dataset_tag(pointer, t).decode()
                    for t in indices[offsets[m]:offsets[m + 1]].tolist()]
            features = self.features(m, 1)[0] if self.dim else np.empty(0, np.float32)
            return Image(None if name is None else name.decode(), tags, parts[self.split[m]],
                         features)

    @property
    def dim(self) -> int:
        """D; 0 without features."""
        return int(self._number("f0t_dataset_dim"))

    @property
    def path(self) -> str:
        return self._text("f0t_dataset_path") or ""

    @property
    def name(self) -> str:
        return self._text("f0t_dataset_name") or ""

    @property
    def backbone(self) -> Optional[dict[str, Any]]:
        """What made the features, where it is known."""
        text = self._text("f0t_dataset_backbone")
        return None if text is None else dict(json.loads(text))

    @property
    def tags(self) -> list[str]:
        """All T distinct tags; `indices` are numbers of these."""
        with self._use() as pointer:
            return [library.f0t_dataset_tag(pointer, t).decode()
                    for t in range(library.f0t_dataset_tag_count(pointer))]

    @property
    def images(self) -> Optional[list[str]]:
        """A path or an id for each image, where the dataset has them."""
        with self._use() as pointer:
            names = [library.f0t_dataset_image(pointer, m) for m in range(len(self))]
        return None if names[0] is None else [name.decode() for name in names]

    @property
    def split(self) -> npt.NDArray[np.uint8]:
        """[M] of 0 (train), 1 (val) and 2 (test): a view, not to be written to."""
        with self._use() as pointer:
            return self._view(library.f0t_dataset_split(pointer), (len(self),))

    @property
    def offsets(self) -> npt.NDArray[np.uint64]:
        """The tags of image m are indices[offsets[m]:offsets[m + 1]]. [M + 1]: a view."""
        with self._use() as pointer:
            return self._view(library.f0t_dataset_offsets(pointer), (len(self) + 1,))

    @property
    def indices(self) -> npt.NDArray[np.uint32]:
        with self._use() as pointer:
            return self._view(library.f0t_dataset_indices(pointer), (int(self.offsets[-1]),))

    def image_tags(self) -> list[list[str]]:
        """The tags of each image."""
        tags, offsets, indices = self.tags, self.offsets.tolist(), self.indices.tolist()
        return [[tags[t] for t in indices[a:b]] for a, b in zip(offsets, offsets[1:])]

    @property
    def seen(self) -> Optional[list[str]]:
        return self._list("f0t_dataset_seen")

    @property
    def unseen(self) -> Optional[list[str]]:
        return self._list("f0t_dataset_unseen")

    def _list(self, function: str) -> Optional[list[str]]:
        number = c_size_t()
        with self._use() as pointer:
            found = getattr(library, function)(byref(number), pointer)
            if not found:
                return None
            return [library.f0t_dataset_tag(pointer, found[i]).decode()
                    for i in range(number.value)]

    def features(self, first: int = 0, number: Optional[int] = None) -> Floats:
        """Features of images first … first + number - 1 (all, unless told) as float32, copied."""
        first = count(first, "first")
        number = max(len(self) - first, 0) if number is None else count(number, "number")
        if first + number > len(self):
            raise IndexError(f"images {first} to {first + number} of {len(self)}")
        out = np.empty((number, self.dim), np.float32)
        with self._use() as pointer:
            library.f0t_dataset_read_features(float_pointer(out), pointer, first, number)
        return out


def _open_directory(path: Path, seed: int, test: Optional[float], unless_told: float) -> Dataset:
    made = Dataset(path, seed=seed, test=unless_told if test is None else test)
    if test is not None and made._number("f0t_dataset_split_is_given"):
        raise ArgumentError(f"test: {made.path} has a split.txt, which says what is for testing")
    return made


def open_dataset(data: Union[Dataset, Path, npt.ArrayLike], tags: Optional[Labels], seed: int, *,
                 test: Optional[float] = None, test_unless_told: float = 0.2,
                 **options: Any) -> Dataset:
    """A dataset as it is, the directory at a path, or one of features and tags, which the options
    that are not None go with. `test` is the share of test images where they are drawn."""
    given = {name: value for name, value in options.items() if value is not None}
    is_path = isinstance(data, (str, bytes, os.PathLike))
    if tags is not None:
        if isinstance(data, Dataset) or is_path:
            raise TypeError("a dataset has its tags already")
        return Dataset.from_arrays(data, tags, seed=seed,  # type: ignore[arg-type]
                                   test=test_unless_told if test is None else test, **given)
    if not isinstance(data, Dataset) and not is_path:
        raise TypeError("features need tags: a list of tags for each image")
    if given:
        raise TypeError(f"{' and '.join(given)} goes with features and tags: a dataset has its own")
    if not isinstance(data, Dataset):
        return _open_directory(data, seed, test, test_unless_told)  # type: ignore[arg-type]
    if test is not None:
        raise TypeError("test goes with what is drawn: a Dataset has its own split")
    return data


def write_dataset(path: Path, features: Optional[npt.ArrayLike], tags: Labels, *,
                  tag_names: Optional[Iterable[str]] = None,
                  images: Optional[Sequence[str]] = None, split: Optional[Sequence[Split]] = None,
                  seen: Optional[Sequence[str]] = None, unseen: Optional[Sequence[str]] = None,
                  backbone: Union[str, Mapping[str, Any], None] = None, name: Optional[str] = None,
                  f16: bool = False, replace: bool = False) -> None:
    """Writes a dataset directory, whole or not at all; tags as in Dataset.from_arrays."""
    tags = tag_lists(tags, tag_names)
    matrix = None if features is None else as_matrix(features, None, "features")
    for given, what in ((matrix, "features"), (images, "names"), (split, "parts")):
        if given is not None:
            _check_length(len(given), len(tags), what)
    info = _structs.f0t_dataset_info(
        name=text_bytes(name), backbone=text_bytes(json_text(backbone)),
        dim=0 if matrix is None else matrix.shape[1], half=flag(f16, "f16"),
        replace=flag(replace, "replace"))
    writer = POINTER(_structs.f0t_dataset_writer)()
    library.f0t_dataset_create(byref(writer), path_bytes(path), byref(info))
    try:
        for m, row_tags in enumerate(tags):
            encoded = texts(row_tags)
            row = _structs.f0t_dataset_row(
                image=None if images is None else text_bytes(images[m], "an image's name"),
                tags=text_array(encoded), tag_count=len(encoded), has_split=split is not None,
                split=0 if split is None else choice(_structs.SPLITS, split[m], "part"))
            if matrix is not None:
                floats = as_floats(matrix[m])
                row.features = float_pointer(floats)
            library.f0t_dataset_write(writer, byref(row))
        for lists, write in ((seen, library.f0t_dataset_write_seen),
                             (unseen, library.f0t_dataset_write_unseen)):
            if lists is not None:
                encoded = texts(lists)
                write(writer, text_array(encoded), len(encoded))
    except BaseException:
        library.f0t_dataset_abort(writer)
        raise
    library.f0t_dataset_commit(writer)
