"""Models: from features to directions in word space, and along these to tags."""
from __future__ import annotations

import json
import os
import tempfile
from ctypes import POINTER, byref
from typing import Any, Callable, Iterable, NamedTuple, Optional, Union, get_args

import numpy as np
import numpy.typing as npt

from . import _structs
from ._backbone import Backbone
from ._choices import Method, Preset, Split
from ._context import unwatched
from ._convert import Floats, Path, as_floats, as_matrix, count, float_pointer, path_bytes
from ._errors import ArgumentError, FormatError, NumericError
from ._handle import Handle
from ._library import library
from ._monitor import ProgressCallback
from ._vectors import VectorsLike, open_vectors
from ._vocab import BLOCK, Indices, Vocab

Tags = list[tuple[str, float]]
SCORES = 1 << 22  # that are sorted at a time

Words = Union[Vocab, Iterable[str], None]


def _make_again(cls: type[Model], data: bytes) -> Model:
    return cls.from_bytes(data)


class TaggedImage(NamedTuple):
    """An image's path, id or number (from 1), and its tags with their scores, best first."""

    image: str
    tags: Tags


class Model(Handle):
    """What training gives: the function from features to directions, and the tags it was trained
    with. Many threads may share one.

        model = fast0tag.Model("photos.f0t")
        model.tag(features, k=5)                                   # its own tags
        model.tag(features, words=["lake", "lorry"], vectors="glove.txt")   # any words
    """

    _what = "model"
    _free = "f0t_model_free"

    def __init__(self, path: Path) -> None:
        if not isinstance(path, (str, bytes, os.PathLike)):
            raise TypeError(f"the path of a model is expected, not {type(path).__name__}; "
                            "fast0tag.train() makes one of features and tags")
        out = POINTER(_structs.f0t_model)()
        with unwatched() as context:
            library.f0t_model_load(byref(out), path_bytes(path), context)
        self._take(out)

    @classmethod
    def load(cls, path: Path) -> Model:
        """The same as Model(path)."""
        return cls(path)

    @classmethod
    def from_bytes(cls, data: bytes) -> Model:
        """A model from the bytes of its file."""
        out = POINTER(_structs.f0t_model)()
        data = bytes(data)
        with unwatched() as context:
            library.f0t_model_load_memory(byref(out), data, len(data), b"a model's bytes", context)
        return cls._wrap(out)

    def to_bytes(self) -> bytes:
        """What save() writes."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model.f0t")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __reduce__(self) -> Any:
        return _make_again, (type(self), self.to_bytes())

    def _told(self) -> str:
        return f"{self.method}, {self.feature_dim} features, {len(self.vocab)} tags"

    def save(self, path: Path) -> None:
        """Written whole or not at all."""
        with self._use() as pointer:
            library.f0t_model_save(pointer, path_bytes(path))

    @property
    def method(self) -> Method:
        names: tuple[Method, ...] = get_args(Method)
        return names[int(self._number("f0t_model_method"))]

    @property
    def feature_dim(self) -> int:
        """D, the features that it takes of an image."""
        return int(self._number("f0t_model_input_dim"))

    @property
    def dim(self) -> int:
        """d, the dimension of its directions."""
        return int(self._number("f0t_model_dim"))

    @property
    def vocab(self) -> Vocab:
        """The tags it was trained with. It is the model's: closing that closes this."""
        with self._use() as pointer:
            return Vocab._wrap(library.f0t_model_vocab(pointer), self)

    @property
    def training(self) -> dict[str, Any]:
        """How it was trained: every option with the value that was used."""
        return dict(json.loads(self._text("f0t_model_training") or "{}"))

    @property
    def backbone(self) -> Optional[dict[str, Any]]:
        """What makes its features, where that is known."""
        text = self._text("f0t_model_backbone")
        return None if text is None else dict(json.loads(text))

    # ---- Vocabularies ------------------------------------------------------------------------

    def vocabulary(self, words: Iterable[str], vectors: VectorsLike, *,
                   with_seen: bool = False) -> Vocab:
        """Words as this model ranks them: their vectors go through what those of its own tags went
        through. `vectors` is the file of the training, or one made from it; another is refused.
        Words without a vector are left out and logged."""
        from ._monitor import logger
        opened = open_vectors(vectors, None)
        vocab = Vocab(words, opened, centred=self.vocab.centred)
        for entry in vocab.missing:
            hint = f"; did you mean '{entry.nearest}'?" if entry.nearest else ""
            logger.warning("'%s' has no vector%s", entry.tag, hint)
        if not vocab:
            raise FormatError("none of the words has a vector")
        self.check_vocab(vocab)
        return self.vocab.join(vocab) if with_seen else vocab

    def check_vocab(self, vocab: Vocab) -> None:
        """Raises MismatchError where a vocabulary is of another vector space."""
        if not isinstance(vocab, Vocab):
            raise TypeError(f"a Vocab is expected, not {type(vocab).__name__}")
        with self._use() as model, vocab._use() as words:
            library.f0t_model_check_vocab(model, words)

    def _choose(self, words: Words, vectors: Optional[VectorsLike], with_seen: bool) -> Vocab:
        if words is None:
            if vectors is not None or with_seen:
                raise ArgumentError("vectors and with_seen go with words")
            return self.vocab
        if isinstance(words, Vocab):
            if vectors is not None:
                raise ArgumentError("a vocabulary has its vectors already")
            self.check_vocab(words)
            return self.vocab.join(words) if with_seen else words
        if vectors is None:
            raise ArgumentError("words need vectors: the file that the model was trained with")
        return self.vocabulary(words, vectors, with_seen=with_seen)

    # ---- Tagging -------------------------------------------------------------------------------

    def directions(self, features: npt.ArrayLike) -> Floats:
        """The directions [images, d] of features[images, D]; of a blend, its own expert's alone."""
        matrix = as_matrix(features, self.feature_dim, "features")
        out = np.empty((len(matrix), self.dim), np.float32)
        for first in range(0, len(matrix), BLOCK):
            self._directions_into(out[first:first + BLOCK], matrix[first:first + BLOCK], first)
        return out

    def _directions_into(self, out: Floats, features: npt.NDArray[Any], first: int) -> None:
        """Of a block of rows that begins at row `first`."""
        rows = as_floats(features)
        try:
            with self._use() as pointer, unwatched() as context:
                library.f0t_model_directions(float_pointer(out), pointer, float_pointer(rows),
                                             len(rows), context)
        except NumericError:
            wrong = np.flatnonzero(~np.isfinite(rows).all(axis=1))
            if not wrong.size:
                raise
            raise NumericError(f"the features of row {first + wrong[0]} (from 0) hold NaN or "
                               "infinity") from None

    def rank(self, features: npt.ArrayLike, k: int = 5, *, words: Words = None,
             vectors: Optional[VectorsLike] = None,
             with_seen: bool = False) -> tuple[Indices, Floats, Vocab]:
        """The same as tag(), as arrays: numbers of tags and scores, [images, min(k, tags)] each,
        and the vocabulary that the numbers are of. Features may lie on disk (numpy.memmap) and be
        larger than memory."""
        k = count(k, "k", 1)
        matrix = as_matrix(features, self.feature_dim, "features")
        vocab = self._choose(words, vectors, with_seen)
        kept = min(k, len(vocab))
        index = np.empty((len(matrix), kept), np.uint32)
        score = np.empty((len(matrix), kept), np.float32)
        rank_into = self._ranker(vocab)
        for first in range(0, len(matrix), BLOCK):
            rank_into(index[first:first + BLOCK], score[first:first + BLOCK],
                      matrix[first:first + BLOCK], first)
        return index, score, vocab

    def _ranker(self, vocab: Vocab) -> Callable[[Indices, Floats, npt.NDArray[Any], int], None]:
        """What ranks a block of rows that begins at row `first`."""
        if self.method == "blend" and len(vocab):
            # More than a direction ranks: the tagger knows all experts.
            from ._tagger import Tagger
            return Tagger(self, words=vocab, features_only=True)._rank_into

        def rank_into(index: Indices, score: Floats, rows: npt.NDArray[Any], first: int) -> None:
            directions = np.empty((len(rows), self.dim), np.float32)
            self._directions_into(directions, rows, first)
            vocab._rank_into(index, score, directions)
        return rank_into

    def tag(self, features: npt.ArrayLike, k: int = 5, *, words: Words = None,
            vectors: Optional[VectorsLike] = None, with_seen: bool = False) -> list[Tags]:
        """The k best tags of each row of features[images, D], with their scores, best first.

        Ranks the tags of the training, or `words`: a Vocab, or texts together with `vectors`;
        `with_seen` ranks both."""
        index, score, vocab = self.rank(features, k, words=words, vectors=vectors,
                                        with_seen=with_seen)
        return [[(vocab._tag(t), s) for t, s in zip(*row)]
                for row in zip(index.tolist(), score.tolist())]

    def predict(self, features: npt.ArrayLike, k: int = 5, *, words: Words = None,
                vectors: Optional[VectorsLike] = None,
                with_seen: bool = False) -> list[list[str]]:
        """The tags that tag() gives, without their scores."""
        index, _, vocab = self.rank(features, k, words=words, vectors=vectors, with_seen=with_seen)
        return [[vocab._tag(t) for t in row] for row in index.tolist()]

    def scores(self, features: npt.ArrayLike, words: Words = None, *,
               vectors: Optional[VectorsLike] = None, with_seen: bool = False) -> Floats:
        """The score of every tag for every image, [images, tags], in the order of the vocabulary:
        self.vocab, or `words` as tag() takes them. They are those that tag() and rank() give."""
        matrix = as_matrix(features, self.feature_dim, "features")
        vocab = self._choose(words, vectors, with_seen)
        out = np.empty((len(matrix), len(vocab)), np.float32)
        block = max(1, min(BLOCK, SCORES // max(len(vocab), 1)))
        rank_into = self._ranker(vocab)
        for first in range(0, len(matrix), block):
            part = matrix[first:first + block]
            index = np.empty((len(part), len(vocab)), np.uint32)
            score = np.empty((len(part), len(vocab)), np.float32)
            rank_into(index, score, part, first)
            np.put_along_axis(out[first:first + block], index.astype(np.intp), score, 1)
        return out

    def tag_files(self, paths: Union[Path, Iterable[Path]], k: int = 5, *, words: Words = None,
                  vectors: Optional[VectorsLike] = None, with_seen: bool = False,
                  part: Optional[Split] = None,
                  backbone: Union[Backbone, Path, None] = None, preset: Optional[Preset] = None,
                  strict: bool = False,
                  progress: Optional[ProgressCallback] = None) -> list[TaggedImage]:
        """The same for a dataset directory, a matrix of features in an .npy file, or pictures:
        files, and folders of them.

        `part` (train, val or test) is for datasets. `backbone` makes the features of pictures,
        unless the model knows its own. Pictures that cannot be read are logged and left out; with
        `strict` they are an error."""
        from . import _sources
        source = _sources.open_source(self, paths, backbone, preset, strict, part, progress)
        vocab = self._choose(words, vectors, with_seen)
        made: list[TaggedImage] = []
        for names, features in source:
            tagged = self.tag(features, k, words=vocab)
            made.extend(TaggedImage(name, tags) for name, tags in zip(names, tagged))
        return made
