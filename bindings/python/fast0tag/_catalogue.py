"""A catalogue of pictures: brought up to date with folders, and searched by any words."""
from __future__ import annotations

import math
import os
import threading
from contextlib import contextmanager
from ctypes import POINTER, byref, c_size_t, c_void_p, string_at
from datetime import datetime, timedelta
from typing import Any, Iterable, Iterator, Literal, NamedTuple, Optional, Union

from . import _choices, _errors, _structs
from ._choices import PRESETS, Preset
from ._context import unwatched
from ._convert import Path, choice, count, flag, path_bytes, real, text_array, text_bytes, texts
from ._handle import Handle, Resource
from ._library import library
from ._monitor import Monitor, ProgressCallback

Mode = Literal["read", "write", "create"]
MODES = _choices.numbered(Mode)
WordKind = Literal["learned", "new", "tag", "left out"]
KINDS = _choices.numbered(WordKind)
EPOCH = datetime(1970, 1, 1)


class Indexed(NamedTuple):
    """What Catalogue.index did: numbers of pictures."""

    found: int
    unchanged: int
    added: int
    changed: int
    moved: int
    updated: int
    unreadable: int
    missing: int
    seconds: float


class FoundWord(NamedTuple):
    """How a word of a query was understood."""

    word: str
    without: bool
    kind: WordKind
    cut: Optional[float]  # the confidence from which on it holds
    best: Optional[float]  # the highest that the model has for a picture
    tagged: int  # pictures that have it as a tag of a person


class FoundPicture(NamedTuple):
    """A picture that was found."""

    id: int
    path: str
    taken: Optional[datetime]  # by the clock of the camera
    confidence: Optional[float]  # of all words; 1 where they are tags of a person
    tagged: bool
    similarity: Optional[float]  # to the picture of `like`
    words: list[Optional[float]]  # the confidence of each


class Found(NamedTuple):
    """What was found, best first; `more` says that there is more than `k`."""

    pictures: list[FoundPicture]
    words: list[FoundWord]
    more: bool


def _known(number: float) -> Optional[float]:
    return None if math.isnan(number) else float(number)


def _date(seconds: int) -> Optional[datetime]:
    try:
        return None if seconds == _structs.F0T_NO_DATE else EPOCH + timedelta(seconds=seconds)
    except OverflowError:
        return None


class Catalogue(Handle):
    """What is known of a collection of pictures, in one file.

        with fast0tag.Catalogue("pictures.f0t", "create") as catalogue:
            catalogue.index("Pictures", model="photos.f0t")
            for picture in catalogue.find("dog", "-beach", "after:2019").pictures:
                print(picture.path, picture.confidence)

    Without a path it is the one in the user's data. Threads take turns.
    """

    _what = "catalogue"
    _free = "f0t_catalogue_close"

    def __init__(self, path: Optional[Path] = None, mode: Mode = "read", *,
                 wait: float = 10) -> None:
        """`wait` is how many seconds a call waits for another process that is writing."""
        options = _structs.f0t_catalogue_options(choice(MODES, mode, "mode"), real(wait, "wait"))
        out = POINTER(_structs.f0t_catalogue)()
        library.f0t_catalogue_open(byref(out), None if path is None else path_bytes(path),
                                   byref(options))
        self._turn = threading.RLock()
        self._finders: dict[Any, Any] = {}  # at most one: by its vectors
        self._hold(out, self._finders)

    def _hold(self, pointer: Any, finders: dict[Any, Any]) -> None:
        def free(made: Any) -> None:
            for finder in finders.values():
                library.f0t_finder_close(finder)
            library.f0t_catalogue_close(made)
        self._pointer = pointer
        self._own(Resource(pointer, free, self._what))

    def _finder(self, pointer: Any, vectors: Optional[bytes], context: Any) -> Any:
        """One that has loaded its model and vectors, if there is one; to be called inside _use()."""
        key = (vectors, library.f0t_catalogue_vectors(pointer))
        if key not in self._finders:
            out = POINTER(_structs.f0t_finder)()
            options = _structs.f0t_finder_options(None, vectors)
            library.f0t_finder_open(byref(out), pointer, byref(options), context)
            while self._finders:
                library.f0t_finder_close(self._finders.popitem()[1])
            self._finders[key] = out
        return self._finders[key]

    @contextmanager
    def _use(self) -> Iterator[Any]:
        with self._turn, super()._use() as pointer:
            yield pointer

    def _told(self) -> str:
        return self.path

    @property
    def path(self) -> str:
        return self._text("f0t_catalogue_path") or ""

    @property
    def model(self) -> Optional[str]:
        """The file of the model that suggests tags."""
        return self._text("f0t_catalogue_model")

    @property
    def vectors(self) -> Optional[str]:
        """The file of word vectors that find() looks new words up in."""
        return self._text("f0t_catalogue_vectors")

    @vectors.setter
    def vectors(self, path: Optional[Path]) -> None:
        with self._use() as pointer:
            library.f0t_catalogue_set_vectors(
                pointer, None if path is None else os.path.realpath(path_bytes(path)))

    def __len__(self) -> int:
        """Pictures that are present."""
        number = c_size_t()
        with self._use() as pointer:
            library.f0t_catalogue_count(byref(number), pointer, None)
        return number.value

    def __bool__(self) -> bool:
        return True  # also an empty one

    def index(self, paths: Union[Path, Iterable[Path]], *, model: Optional[Path] = None,
              backbone: Optional[Path] = None, preset: Optional[Preset] = None,
              output: Optional[str] = None, bf16: bool = False, again: bool = False,
              progress: Optional[ProgressCallback] = None) -> Indexed:
        """Brings it up to date with pictures and folders: adds what is new, reads again what has
        changed, finds what has moved, notes what is missing. `model`, which suggests tags, is
        remembered. The others are those of Backbone; `again` tries unreadable pictures again."""
        if isinstance(paths, (str, bytes, os.PathLike)):
            paths = [paths]
        if preset is not None:
            choice(PRESETS, preset, "preset")
        given = [path_bytes(path) for path in paths]
        options: Any = _structs.f0t_index_options(
            model=None if model is None else path_bytes(model),
            backbone=None if backbone is None else path_bytes(backbone),
            preset=text_bytes(preset), output=text_bytes(output), bf16=flag(bf16, "bf16"),
            again=flag(again, "again"), settle=2)
        report: Any = _structs.f0t_index_report()
        with self._use() as pointer, Monitor(progress) as monitor:
            library.f0t_catalogue_index(byref(report), pointer, text_array(given), len(given),
                                        byref(options), monitor.context)
        return Indexed(*[getattr(report, name) for name in Indexed._fields])

    def find(self, *terms: str, k: int = 20, like: Optional[Path] = None, nearest: bool = False,
             confidence: Optional[float] = None, vectors: Optional[Path] = None) -> Found:
        """The pictures that all terms hold for, the surest first. A term is a word or a phrase,
        learned by the model or not; "-word" is without it; "tag:NAME", "before:2020",
        "after:2019-06", "date:2019..2020" and "is:untagged" are about people's tags and dates.
        Pictures are found where each word reaches its cut, or `confidence`; with `nearest` the
        first k, however unsure. `like` is a picture that they shall be similar to. `vectors` is
        the file for words that the model has not learned, where the catalogue has none."""
        if confidence is not None and not 0 < real(confidence, "confidence") <= 1:
            raise _errors.ArgumentError(f"confidence is between 0 and 1, not {confidence!r}")
        options = _structs.f0t_find_options(
            count(k, "k", 1), flag(nearest, "nearest"), confidence or 0,
            None if like is None else path_bytes(like))
        given_vectors = None if vectors is None else path_bytes(vectors)
        query = POINTER(_structs.f0t_query)()
        if terms or like is None:
            given = texts(terms, "a term")
            library.f0t_query_parse_arguments(byref(query), text_array(given), len(given))
        found = POINTER(_structs.f0t_find_results)()
        try:
            with self._use() as pointer, unwatched() as context:
                finder = self._finder(pointer, given_vectors, context)
                library.f0t_finder_run(byref(found), finder, query, byref(options), context)
            return self._found(found.contents)
        finally:
            library.f0t_find_results_free(found)
            library.f0t_query_free(query)

    @staticmethod
    def _found(results: Any) -> Found:
        kinds = list(KINDS)
        pictures, words = [], []
        for i in range(results.word_count):
            w = results.words[i]
            words.append(FoundWord(w.word.decode(), w.without, kinds[w.kind],
                                   _known(w.cut), _known(w.best), w.tagged))
        for i in range(results.count):
            p = results.items[i]
            pictures.append(FoundPicture(
                p.id, os.fsdecode(p.path), _date(p.taken), _known(p.confidence), p.tagged,
                _known(p.similarity), [_known(p.words[j]) for j in range(len(words))]))
        return Found(pictures, words, results.more)

    def thumbnail(self, picture: Union[int, FoundPicture]) -> Optional[bytes]:
        """The JPEG that a picture has in the catalogue."""
        number = picture.id if isinstance(picture, FoundPicture) else count(picture, "picture")
        data, size = c_void_p(), c_size_t()
        with self._use() as pointer:
            library.f0t_catalogue_get_thumbnail(byref(data), byref(size), pointer, number)
            return string_at(data.value, size.value) if data.value else None
