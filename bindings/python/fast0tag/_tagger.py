"""The tagger: a model, the words to choose from, and what turns pictures into its features."""
from __future__ import annotations

import os
from copy import copy
from ctypes import POINTER, byref, c_char_p, c_size_t, c_void_p, cast, sizeof, string_at
from typing import Any, Iterable, NamedTuple, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _errors, _structs
from ._backbone import Backbone
from ._choices import PRESETS, Preset
from ._context import unwatched
from ._convert import (Path, as_floats, as_matrix, choice, count, flag, float_pointer, json_text,
                       path_bytes, real, text_array, text_bytes)
from ._handle import Handle, Resource
from ._library import library
from ._model import Model, Tags, Words
from ._monitor import Monitor, ProgressCallback
from ._vectors import VectorsLike
from ._vocab import Vocab

Bytes = (bytes, bytearray, memoryview)
PathName = Union[str, "os.PathLike[str]", "os.PathLike[bytes]"]
Picture = Union[PathName, bytes, bytearray, memoryview]


# f0t_tag_score as NumPy reads it, without the text.
SCORE = np.dtype({"names": ["index", "score"], "formats": [np.uintp, np.float32],
                  "offsets": [_structs.f0t_tag_score.index.offset, _structs.f0t_tag_score.score.offset],
                  "itemsize": sizeof(_structs.f0t_tag_score)})


class TagResult(NamedTuple):
    """The tags of a picture with their scores, best first; or why there are none."""

    tags: Tags
    error: Optional[_errors.Error] = None


def _void_pointers(items: Sequence[bytes]) -> Any:
    """const void *const *, which lives as long as the object and the items."""
    return (c_void_p * max(len(items), 1))(*[cast(c_char_p(item), c_void_p) for item in items])


def _share(value: Optional[float], what: str) -> float:
    """For a member that is 0 where nothing is asked for."""
    if value is None:
        return 0
    if not 0 < real(value, what) <= 1:
        raise _errors.ArgumentError(f"{what} is between 0 and 1, not {value!r}")
    return float(value)


class Tagger(Handle):
    """Tags pictures: files, or bytes in memory; or rows of features.

        tagger = fast0tag.Tagger("photos.f0t")
        tagger.tag("dog.jpg")                          # [('dog', 0.71), ('grass', 0.40), …]
        tagger.tag(request.body, k=10)                 # the bytes of a picture
        tagger.tag_many(["a.jpg", "b.png"])            # one result per picture
        tagger.tag_many(features)                      # a row per image

    What is done once is done when it is made: the network is prepared, the words' vectors are laid
    out for products. Many threads may share one; each call uses the threads of its own Context.
    """

    _what = "tagger"
    _free = "f0t_tagger_close"

    def __init__(self, model: Union[Model, Path], *, words: Words = None,
                 vectors: Optional[VectorsLike] = None, with_seen: bool = False,
                 backbone: Union[Backbone, Path, None] = None, preset: Optional[Preset] = None,
                 output: Optional[str] = None, bf16: bool = False, cache: Optional[Path] = None,
                 features_only: bool = False,
                 progress: Optional[ProgressCallback] = None) -> None:
        """Of a model or the path of one. `words`, `vectors` and `with_seen` are as in Model.tag:
        without them it ranks the tags of the training. `backbone`, `preset`, `output`, `bf16` and
        `cache` are as in Backbone: without them it is the model's own, and another one is refused.
        With `features_only` it is not opened, and pictures are an error."""
        # Copies: that the caller closes a model or vocabulary does not matter here.
        self.model = copy(model) if isinstance(model, Model) else Model(model)
        self.vocab: Vocab = copy(self.model._choose(words, vectors, with_seen))
        if preset is not None:
            choice(PRESETS, preset, "preset")
        if isinstance(backbone, Backbone):
            name = text_bytes(json_text(backbone.description))
        else:
            name = None if backbone is None else path_bytes(backbone)
        out = POINTER(_structs.f0t_tagger)()
        with self.model._use() as pointer, self.vocab._use() as chosen, \
                Monitor(progress) as monitor:
            options = _structs.f0t_tagger_options(
                chosen, False, False, flag(features_only, "features_only"), name,
                text_bytes(preset), text_bytes(output), flag(bf16, "bf16"),
                None if cache is None else path_bytes(cache))
            library.f0t_tagger_create(byref(out), pointer, byref(options), monitor.context)
            self._hold(out)

    def _hold(self, pointer: Any) -> None:
        """The tagger uses model and vocabulary as long as it lives."""
        used = (self.model._resource, self.vocab._resource)
        for resource in used:
            resource.hold()

        def free(made: Any) -> None:
            library.f0t_tagger_close(made)
            for resource in used:
                resource.release()
        self._pointer = pointer
        self._own(Resource(pointer, free, self._what))

    def _told(self) -> str:
        return f"{self.model._told()}, ranks {len(self.vocab)} words"

    def tag(self, picture: Union[Picture, npt.ArrayLike], k: int = 5, *,
            diverse: float = 0.07, confidence: Optional[float] = None,
            precision: Optional[float] = None, recall: Optional[float] = None) -> Tags:
        """The k best tags, best first, of one picture: the path of a file, the bytes of one, or a
        row of features. A picture that cannot be read is an error. `diverse`, `confidence`,
        `precision` and `recall` are those of tag_many."""
        if isinstance(picture, (str, os.PathLike, *Bytes)):
            pictures: Any = [picture]
        else:
            pictures = np.asarray(picture)[None]
        return self.tag_many(pictures, k, diverse=diverse, strict=True, confidence=confidence,
                             precision=precision, recall=recall)[0].tags

    def tag_many(self, pictures: Union[Iterable[Picture], npt.ArrayLike], k: int = 5, *,
                 diverse: float = 0.07, strict: bool = False, confidence: Optional[float] = None,
                 precision: Optional[float] = None, recall: Optional[float] = None,
                 progress: Optional[ProgressCallback] = None) -> list[TagResult]:
        """One result per picture, in order: all paths, or all bytes, or an array of features
        [images, D]. One that cannot be read has an error in place of tags, and is logged; with
        `strict` it ends the work. Tags that repeat one before them ("wild nature" after "nature")
        lose `diverse` of the distance between the first and the 20th score; 0: nothing.

        Of the k tags one of these, for a model of the method "blend" whose scores are logits of
        probabilities, takes those that are sure enough, perhaps none: a least `confidence`, or a
        promised `precision` or `recall`, which fails where too few images were held out for it."""
        if isinstance(pictures, (str, os.PathLike, *Bytes)):
            raise TypeError("tag_many takes a list; tag takes a single picture")
        options = _structs.f0t_tag_options(
            count(k, "k", 1), flag(strict, "strict"), real(diverse, "diverse"),
            _share(confidence, "confidence"), _share(precision, "precision"), _share(recall, "recall"))
        given: Any = _structs.f0t_tag_input()
        keep = self._fill(given, pictures)
        out = POINTER(_structs.f0t_tag_results)()
        with self._use() as pointer, Monitor(progress) as monitor:
            library.f0t_tagger_run(byref(out), pointer, byref(given), byref(options),
                                   monitor.context)
            try:
                found = out.contents
                made = [self._result(found.items[i]) for i in range(found.count)]
            finally:
                library.f0t_tag_results_free(out)
        del keep
        return made

    def _rank_into(self, index: npt.NDArray[np.uint32], score: npt.NDArray[np.float32],
                   features: npt.NDArray[Any], first: int) -> None:
        """The tags of a block of rows that begins at row `first`, as arrays [rows, k]."""
        rows = as_floats(features)
        wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if wrong.size:
            raise _errors.NumericError(f"the features of row {first + wrong[0]} (from 0) hold NaN "
                                       "or infinity")
        if not index.size:
            return
        options = _structs.f0t_tag_options(index.shape[1], True)
        given: Any = _structs.f0t_tag_input(count=len(rows), features=float_pointer(rows))
        out = POINTER(_structs.f0t_tag_results)()
        with self._use() as pointer, unwatched() as context:
            library.f0t_tagger_run(byref(out), pointer, byref(given), byref(options), context)
            try:
                for i in range(len(rows)):
                    item = out.contents.items[i]
                    found = np.frombuffer(string_at(item.tags, item.count * SCORE.itemsize), SCORE)
                    index[i], score[i] = found["index"], found["score"]
            finally:
                library.f0t_tag_results_free(out)

    def _fill(self, given: Any, pictures: Any) -> Any:
        """Says what is tagged; gives what must live as long as the call."""
        if not hasattr(pictures, "__array__"):
            pictures = list(pictures)
            paths = [isinstance(item, (str, os.PathLike)) for item in pictures]
            data = [isinstance(item, Bytes) for item in pictures]
            given.count = len(pictures)
            if paths and all(paths):
                given.paths = text_array([path_bytes(item) for item in pictures])
                return given
            if data and all(data):
                blocks = [bytes(item) for item in pictures]
                given.data = _void_pointers(blocks)
                given.sizes = (c_size_t * len(blocks))(*map(len, blocks))
                return blocks
            if any(paths) or any(data):
                raise TypeError("pictures are all paths, or all bytes")
            if not pictures:
                return given
        rows = as_floats(as_matrix(pictures, self.model.feature_dim, "features"))
        given.count = len(rows)
        given.features = float_pointer(rows)
        return rows

    @staticmethod
    def _result(item: Any) -> TagResult:
        if item.status:
            return TagResult([], _errors.make(item.status, item.error.decode(errors="replace")))
        return TagResult([(item.tags[i].tag.decode(), item.tags[i].score)
                          for i in range(item.count)])
