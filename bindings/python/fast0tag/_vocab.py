"""Vocabularies: tags with a vector each."""
from __future__ import annotations

import operator
from ctypes import POINTER, byref, c_size_t
from typing import Any, Iterable, Iterator, NamedTuple, Optional, Sequence, get_args

import numpy as np
import numpy.typing as npt

from . import _structs
from ._choices import Match
from ._context import unwatched
from ._convert import (Floats, Path, as_floats, as_matrix, count, flag, float_pointer, index_pointer,
                       path_bytes, text_array, texts)
from ._handle import Handle
from ._library import library
from ._monitor import Monitor, ProgressCallback
from ._vectors import VectorsLike, open_vectors

Indices = npt.NDArray[np.uint32]

BLOCK = 4096  # rows that are converted and ranked at a time


class Entry(NamedTuple):
    """What became of a tag that a vocabulary was given."""

    tag: str
    match: Match
    number: Optional[int]  # in the vocabulary
    used: Optional[str]  # the word of the file, or "palm + tree"
    missing: Optional[str]  # what has no vector
    nearest: Optional[str]  # the word that is spelled most like it


def _optional(text: Optional[bytes]) -> Optional[str]:
    return None if text is None else text.decode()


class Vocab(Handle, Sequence[str]):
    """An ordered list of tags with one vector of length 1 each.

    A tag gets its vector by its spelling, another spelling of it, its singular or plural, the verb
    that it is a form of, or, for a phrase, as the mean of its words'. Tags without a vector are left
    out; `entries` and `missing` say which. `centred` takes the mean of the vector file off, as training does:
    Model.vocabulary() knows what its model needs. Many threads may share one.
    """

    _what = "vocabulary"
    _free = "f0t_vocab_free"

    def __init__(self, tags: Iterable[str], vectors: VectorsLike, *,
                 centred: bool = False, suggestions: bool = True,
                 progress: Optional[ProgressCallback] = None) -> None:
        items = texts(tags)
        out = POINTER(_structs.f0t_vocab)()
        opened = open_vectors(vectors, progress)
        with opened._use() as pointer, Monitor(progress) as monitor:
            options = _structs.f0t_vocab_options(flag(centred, "centred"),
                                                 not flag(suggestions, "suggestions"))
            library.f0t_vocab_create(byref(out), text_array(items), len(items), pointer,
                                     byref(options), monitor.context)
        self._take(out)

    def _take(self, pointer: Any, owner: Optional[Handle] = None) -> None:
        super()._take(pointer, owner)
        self._names: dict[int, str] = {}
        self._size = int(self._number("f0t_vocab_count"))

    _size = 0

    def _told(self) -> str:
        shown = ", ".join([repr(tag) for tag in self[:3]] + ["…"] * (self._size > 3))
        return f"[{shown}], {self._size} tags"

    def __reduce__(self) -> Any:
        if self._owner is not None:
            return getattr, (self._owner, "vocab")
        raise TypeError("a vocabulary cannot be pickled: pickle its tags and the vectors, and make "
                        "it again")

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [self._tag(i) for i in range(*index.indices(self._size))]
        number = operator.index(index)
        number += self._size if number < 0 else 0
        if not 0 <= number < self._size:
            raise IndexError(f"there is no tag {index} of {self._size}")
        return self._tag(number)

    def _tag(self, index: int) -> str:
        name = self._names.get(index)
        if name is None:
            with self._use() as pointer:
                name = str(library.f0t_vocab_tag(pointer, index), "utf-8")
            self._names[index] = name
        return name

    def __iter__(self) -> Iterator[str]:
        return (self._tag(index) for index in range(self._size))

    def find(self, tag: str) -> Optional[int]:
        """The number of a tag, in any case and with any separators, or None."""
        found = c_size_t()
        with self._use() as pointer:
            library.f0t_vocab_find(byref(found), pointer, texts([tag])[0])
        return None if found.value == _structs.F0T_NONE else found.value

    def __contains__(self, tag: object) -> bool:
        return isinstance(tag, str) and self.find(tag) is not None

    @property
    def dim(self) -> int:
        return int(self._number("f0t_vocab_dim"))

    @property
    def centred(self) -> bool:
        return bool(self._number("f0t_vocab_centred"))

    @property
    def fingerprint(self) -> int:
        """Of the vector space; a model takes vocabularies of its own alone."""
        return int(self._number("f0t_vocab_fingerprint"))

    @property
    def vectors(self) -> Floats:
        """All vectors, [tags, dim], rows of length 1: a view, not to be written to."""
        with self._use() as pointer:
            return self._view(library.f0t_vocab_vectors(pointer), (self._size, self.dim))

    @property
    def entries(self) -> list[Entry]:
        """What became of each tag that was given, in that order."""
        names = get_args(Match)
        made = []
        with self._use() as pointer:
            for i in range(library.f0t_vocab_entry_count(pointer)):
                e = library.f0t_vocab_get_entry(pointer, i).contents
                made.append(Entry(e.tag.decode(), names[e.match],
                                  None if e.index == _structs.F0T_NONE else e.index,
                                  _optional(e.used), _optional(e.missing), _optional(e.nearest)))
        return made

    @property
    def missing(self) -> list[Entry]:
        """The tags that were left out for want of a vector."""
        return [entry for entry in self.entries if entry.match == "none"]

    def join(self, other: Vocab) -> Vocab:
        """These tags, then those of the other that are not among them."""
        if not isinstance(other, Vocab):
            raise TypeError(f"a Vocab is expected, not {type(other).__name__}")
        out = POINTER(_structs.f0t_vocab)()
        with self._use() as a, other._use() as b:
            library.f0t_vocab_join(byref(out), a, b)
        return Vocab._wrap(out)

    __add__ = join

    def rank(self, directions: npt.ArrayLike, k: int = 5) -> tuple[Indices, Floats]:
        """The k tags that come first along each of directions[rows, dim]: their numbers and
        scores, [rows, min(k, tags)] each, best first."""
        k = count(k, "k", 1)
        matrix = as_matrix(directions, self.dim, "directions")
        kept = min(k, self._size)
        index = np.empty((len(matrix), kept), np.uint32)
        score = np.empty((len(matrix), kept), np.float32)
        for first in range(0, len(matrix), BLOCK):
            part = as_floats(matrix[first:first + BLOCK])
            self._rank_into(index[first:first + BLOCK], score[first:first + BLOCK], part)
        return index, score

    def _rank_into(self, index: Indices, score: Floats, directions: Floats) -> None:
        if not score.size:
            return
        with self._use() as pointer, unwatched() as context:
            library.f0t_vocab_rank(index_pointer(index), float_pointer(score), index.shape[1],
                                   pointer, float_pointer(directions), len(directions), context)


def load_tags(path: Path) -> list[str]:
    """Tags from a text file, one per line."""
    out = POINTER(_structs.f0t_tags)()
    with unwatched() as context:
        library.f0t_tags_load(byref(out), path_bytes(path), context)
    try:
        return [out.contents.items[i].decode() for i in range(out.contents.count)]
    finally:
        library.f0t_tags_free(out)
