"""Word vectors."""
from __future__ import annotations

import os
from collections import Counter
from ctypes import POINTER, byref, c_double, c_size_t, string_at
from typing import Any, Iterable, Iterator, Mapping, NamedTuple, Optional, Union

import numpy as np
import numpy.typing as npt

from . import _structs
from ._context import unwatched
from ._convert import (Floats, Path, as_floats, as_matrix, count, flag, float_pointer, path_bytes,
                       real, text_array, texts)
from ._errors import ArgumentError, MismatchError, NotFoundError, NumericError
from ._handle import Handle
from ._library import library
from ._monitor import Monitor, ProgressCallback


class Counts(NamedTuple):
    """What became of the rows of a file of word vectors."""

    rows: int
    words: int
    duplicates: int
    empty: int
    invalid: int
    not_finite: int
    zero: int
    cut: int


def _counts(struct: _structs.f0t_vectors_counts) -> Counts:
    return Counts(*(getattr(struct, name) for name in Counts._fields))


class Vectors(Handle):
    """A file of word vectors: GloVe, word2vec, fastText, or fast0tag's own form (mapped, not read).

    `vectors["dog"]` is the vector of a word that is spelled exactly so; Vocab knows about capitals,
    plurals and phrases. `tolerant` reads a cut file as far as it goes. Many threads may share one.
    Pickled, those of a file are its path, and the file must still be there; those of arrays are
    their numbers.
    """

    _what = "file of word vectors"
    _free = "f0t_vectors_close"

    def __init__(self, path: Path, *, tolerant: bool = False,
                 progress: Optional[ProgressCallback] = None) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"a path is expected, not {type(path).__name__}; Vectors.from_dict(words) "
                            "and Vectors.from_arrays(words, matrix) take what is in memory")
        out = POINTER(_structs.f0t_vectors)()
        with Monitor(progress) as monitor:
            options = _structs.f0t_vectors_options(flag(tolerant, "tolerant"))
            library.f0t_vectors_open(byref(out), path_bytes(path), byref(options),
                                     monitor.context)
        self._take(out)
        self._file = (os.path.abspath(path_bytes(path)), tolerant)

    @classmethod
    def open(cls, path: Path, *, tolerant: bool = False,
             progress: Optional[ProgressCallback] = None) -> Vectors:
        """The same as Vectors(path)."""
        return cls(path, tolerant=tolerant, progress=progress)

    @classmethod
    def from_arrays(cls, words: Iterable[str], matrix: npt.ArrayLike, *,
                    name: str = "memory") -> Vectors:
        """The same from words, all different, and a row of numbers for each. The words of a phrase are joined by
        "_", as word2vec does: "palm_tree"."""
        rows = as_floats(as_matrix(matrix, None, "word vectors"))
        encoded = texts(words, "a word")
        if len(encoded) != len(rows):
            raise ArgumentError(f"{len(encoded)} words and {len(rows)} vectors")
        for word in encoded:
            if not word or len(word.split()) != 1 or word != word.strip():
                raise ArgumentError(f"{word.decode()!r} is no word: join the words of a phrase by _")
        if len(set(encoded)) != len(encoded):
            twice = next(word for word, n in Counter(encoded).items() if n > 1)
            raise ArgumentError(f"the word {twice.decode()!r} is there twice")
        wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if wrong.size:
            raise NumericError(f"the vector of {encoded[wrong[0]].decode()!r} holds NaN or infinity")
        # word2vec's binary form: https://code.google.com/archive/p/word2vec, word2vec.c.
        data = b"%d %d\n" % rows.shape + b"".join(
            word + b" " + row.tobytes() + b"\n" for word, row in zip(encoded, rows))
        out = POINTER(_structs.f0t_vectors)()
        with unwatched() as context:
            library.f0t_vectors_open_memory(byref(out), data, len(data), texts([name])[0], None,
                                            context)
        made = cls._wrap(out)
        made._memory = data
        return made

    @classmethod
    def from_dict(cls, words: Mapping[str, npt.ArrayLike], *, name: str = "memory") -> Vectors:
        """The same from a vector for each word."""
        return cls.from_arrays(list(words), [np.asarray(words[word]) for word in words], name=name)

    _memory: Optional[bytes] = None
    _file: Optional[tuple[bytes, bool]] = None  # that it is of, and whether that may be cut

    def _told(self) -> str:
        return f"{self.source!r}, {len(self)} words, {self.dim} dimensions"

    def __reduce__(self) -> Any:
        if self._file is not None:
            return _open_again, (type(self), *self._file, self.fingerprint)
        return _make_again, (type(self), list(self), self.rows(0, len(self)), self.source)

    def __len__(self) -> int:
        return int(self._number("f0t_vectors_count"))

    @property
    def dim(self) -> int:
        return int(self._number("f0t_vectors_dim"))

    @property
    def format(self) -> str:
        """"text", "text with header", "word2vec binary" or "fast0tag vectors"."""
        return self._text("f0t_vectors_format") or ""

    @property
    def dtype(self) -> str:
        """The type of the numbers on disk."""
        return self._text("f0t_vectors_dtype") or ""

    @property
    def source(self) -> str:
        """The file's name, or that of the file it was converted from."""
        return self._text("f0t_vectors_source") or ""

    @property
    def fingerprint(self) -> int:
        """A number that tells vector spaces apart; conversion and trimming do not change it."""
        return int(self._number("f0t_vectors_fingerprint"))

    @property
    def mean(self) -> Floats:
        """The mean of all vectors, [dim]: a view, not to be written to."""
        with self._use() as pointer:
            return self._view(library.f0t_vectors_mean(pointer), (self.dim,))

    def word(self, index: int) -> str:
        """Word number `index` of the file."""
        length = c_size_t()
        with self._use() as pointer:
            found = library.f0t_vectors_word(byref(length), pointer, count(
                index, "a word's number")) if index >= 0 else None
            if found is None:
                raise IndexError(f"there is no word {index} of {len(self)}")
            return string_at(found, length.value).decode()

    def find(self, word: str) -> Optional[int]:
        """The number of a word that is spelled exactly so, or None."""
        encoded = texts([word], "a word")[0]
        with self._use() as pointer:
            found = library.f0t_vectors_find(pointer, encoded, len(encoded))
        return None if found == _structs.F0T_NONE else int(found)

    def rows(self, first: int, number: int) -> Floats:
        """The vectors of words first … first + number - 1, [number, dim]."""
        with self._use() as pointer:
            first, number = count(first, "first"), count(number, "number")
            if number > len(self):
                raise IndexError(f"words {first} to {first + number} of {len(self)}")
            out = np.empty((number, self.dim), np.float32)
            library.f0t_vectors_get(float_pointer(out), pointer, first, number)
        return out

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.find(word) is not None

    def __getitem__(self, word: str) -> Floats:
        index = self.find(word)
        if index is None:
            raise KeyError(word)
        return self.rows(index, 1).reshape(-1)

    def __iter__(self) -> Iterator[str]:
        return (self.word(index) for index in range(len(self)))

    def nearest(self, query: Union[str, npt.ArrayLike], k: int = 10, *,
                progress: Optional[ProgressCallback] = None) -> list[tuple[str, float]]:
        """The k words nearest to a word, a phrase or a vector, each with its cosine, best first.
        Words that the query itself is made of are left out."""
        k = count(k, "k", 1)
        own: list[str] = []
        if isinstance(query, str):
            vector, own = self._look_up(query)
        else:
            vector = as_floats(np.asarray(query))
        if vector.shape != (self.dim,):
            raise ArgumentError(f"a query of shape {vector.shape}; ({self.dim},) is expected")
        wanted = min(k + len(own), len(self))
        near = (_structs.f0t_neighbour * max(wanted, 1))()
        found = c_size_t()
        with self._use() as pointer, Monitor(progress) as monitor:
            library.f0t_vectors_nearest(near, byref(found), wanted, pointer, float_pointer(vector),
                                        monitor.context)
        named = ((self.word(n.index), float(n.cosine)) for n in near[:found.value])
        return [pair for pair in named if pair[0] not in own][:k]

    def _look_up(self, query: str) -> tuple[Floats, list[str]]:
        from ._vocab import Vocab
        with Vocab([query], self) as vocab:
            entry = vocab.entries[0]
            if entry.used is None:
                hint = f"; did you mean '{entry.nearest}'?" if entry.nearest else ""
                raise NotFoundError(f"'{entry.missing}' has no vector{hint}")
            return vocab.vectors[0], entry.used.split(" + ")


def _open_again(cls: type[Vectors], path: bytes, tolerant: bool, fingerprint: int) -> Vectors:
    vectors = cls(path, tolerant=tolerant)
    if vectors.fingerprint != fingerprint:
        raise MismatchError(f"{os.fsdecode(path)}: has other vectors than when it was pickled")
    return vectors


def _make_again(cls: type[Vectors], words: list[str], rows: Floats, name: str) -> Vectors:
    return cls.from_arrays(words, rows, name=name)


VectorsLike = Union[Vectors, Path, Mapping[str, npt.ArrayLike]]


def open_vectors(vectors: VectorsLike, progress: Optional[ProgressCallback]) -> Vectors:
    """Vectors as they are, the file at a path, or those of a dict."""
    if isinstance(vectors, Vectors):
        return vectors
    if isinstance(vectors, Mapping):
        return Vectors.from_dict(vectors)
    if not isinstance(vectors, (str, bytes, os.PathLike)):
        raise TypeError("vectors must be Vectors, a path, or a dict of words and their vectors, not "
                        f"{type(vectors).__name__}")
    return Vectors(vectors, progress=progress)


def convert_vectors(source: Path, to: Path, *, f16: bool = False, tolerant: bool = False,
                    progress: Optional[ProgressCallback] = None) -> Counts:
    """Writes word vectors of any form in the one that opens at once."""
    counts = _structs.f0t_vectors_counts()
    with Monitor(progress) as monitor:
        options = _structs.f0t_convert_options(flag(f16, "f16"), flag(tolerant, "tolerant"))
        library.f0t_vectors_convert(byref(counts), path_bytes(to), path_bytes(source),
                                    byref(options), monitor.context)
    return _counts(counts)


def join_vectors(sources: Iterable[Path], to: Path, *, weights: Optional[Iterable[float]] = None,
                 tags: Optional[Iterable[str]] = None, f16: bool = False, tolerant: bool = False,
                 aligned: bool = False, progress: Optional[ProgressCallback] = None) -> Counts:
    """Writes the word vectors of several files side by side: each centred, of length 1, times its weight
    (1), the whole of length 1. What one file lacks the others give. With `tags`, only what these need.
    `aligned` files, such as fastText's of two languages, are of one space already: each word has the
    vector of the first file that has it."""
    if isinstance(sources, (str, bytes, os.PathLike)):
        raise TypeError(f"a list of paths is expected, not the single {sources!r}")
    paths = [path_bytes(path) for path in sources]
    factors = None if weights is None else [real(weight, "a weight") for weight in weights]
    if factors is not None and len(factors) != len(paths):
        raise ArgumentError(f"{len(factors)} weights for {len(paths)} files")
    wanted = None if tags is None else texts(tags)
    counts = _structs.f0t_vectors_counts()
    with Monitor(progress) as monitor:
        options = _structs.f0t_join_options(
            None if factors is None else (c_double * len(factors))(*factors),
            None if wanted is None else text_array(wanted), len(wanted or ()), flag(f16, "f16"),
            flag(tolerant, "tolerant"), flag(aligned, "aligned"))
        library.f0t_vectors_join(byref(counts), path_bytes(to), text_array(paths), len(paths),
                                 byref(options), monitor.context)
    return _counts(counts)


def translate_vectors(source: Path, to: Path, dictionary: Path, *,
                      tags: Optional[Iterable[str]] = None, only: bool = False, f16: bool = False,
                      tolerant: bool = False,
                      progress: Optional[ProgressCallback] = None) -> Counts:
    """Gives the words of another language the vectors of their English meanings, in the same space.
    `dictionary` is a language ("deu", of FreeDict) or FILE.index, a dictionary of dictd. With `tags`, only
    what these need; with `only`, none of the words that the dictionary does not have."""
    wanted = None if tags is None else texts(tags)
    counts = _structs.f0t_vectors_counts()
    with Monitor(progress) as monitor:
        options = _structs.f0t_translate_options(
            None if wanted is None else text_array(wanted), len(wanted or ()), flag(only, "only"),
            flag(f16, "f16"), flag(tolerant, "tolerant"))
        library.f0t_vectors_translate(byref(counts), path_bytes(to), path_bytes(source),
                                      path_bytes(dictionary), byref(options), monitor.context)
    return _counts(counts)


def build_wordnet(to: Path, *, folder: Optional[Path] = None, dim: int = 300, f16: bool = False,
                  progress: Optional[ProgressCallback] = None) -> Counts:
    """Makes word vectors of all words and phrases of WordNet, a dictionary."""
    counts = _structs.f0t_vectors_counts()
    with Monitor(progress) as monitor:
        options = _structs.f0t_wordnet_options(
            None if folder is None else path_bytes(folder), count(dim, "dim", 1),
            flag(f16, "f16"))
        library.f0t_vectors_build_wordnet(byref(counts), path_bytes(to), byref(options),
                                          monitor.context)
    return _counts(counts)
