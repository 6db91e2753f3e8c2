"""Training and tagging in scikit-learn's habit, without needing it."""
from __future__ import annotations

import importlib
import inspect
import reprlib
from typing import Any, Iterable, Mapping, Optional, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from ._choices import Condition, Expert, Hinge, Loss, Method, Optimizer, Pairs, Split, Target
from ._convert import Floats, count
from ._errors import ArgumentError
from ._labels import Labels, is_matrix, tag_lists
from ._model import Model
from ._monitor import ProgressCallback
from ._train import EpochCallback, train
from ._vectors import Vectors, VectorsLike, open_vectors

Self = TypeVar("Self", bound="TagClassifier")

NO_VECTOR = float(np.finfo(np.float32).min)  # the score of a tag that has none: the last


class TagClassifier:
    """A classifier of many labels, as scikit-learn has them: its pipelines, searches and metrics
    take it, and it works without scikit-learn.

        tagger = fast0tag.TagClassifier("glove.txt", tag_names=names, method="linear")
        tagger.fit(X, Y)                    # X [images, features], Y 0/1 [images, names]
        tagger.predict(Z)                   # 0/1 [images, names], the k best of each image
        tagger.predict_tags(Z, words=["lake", "lorry"])    # any words that have a vector

    Y may also be a list of tags for each image, without tag_names. `vectors` are Vectors, the path
    of a file, a dict of words and their vectors, or a matrix with a row for each of tag_names. The
    other parameters are those of fast0tag.train(); tags are taken as they are.

    After fit(), `model_` is the Model and `classes_` the tags of the columns: tag_names, or all tags
    of the lists, sorted. A tag without a vector is learned by the blend alone; else its score is
    below all others.
    """

    _estimator_type = "classifier"

    def __init__(self, vectors: Union[VectorsLike, npt.ArrayLike], *,
                 tag_names: Optional[Sequence[str]] = None, k: int = 5, method: Method = "blend",
                 seed: int = 0, val: Optional[float] = None, centred: bool = True,
                 loss: Optional[Loss] = None, pairs: Optional[Pairs] = None,
                 target: Optional[Target] = None, condition: Optional[Condition] = None,
                 hidden: Optional[Sequence[int]] = None, batch: Optional[int] = None,
                 epochs: Optional[int] = None, patience: Optional[int] = None,
                 optimizer: Optional[Optimizer] = None, rate: Optional[float] = None,
                 decay: Optional[float] = None, dropout: Optional[float] = None,
                 input_dropout: Optional[float] = None, constant_rate: bool = False,
                 bf16: bool = False, hinge: Optional[Hinge] = None,
                 lambda_: Optional[float] = None, ridge: Optional[float] = None,
                 without: Optional[Sequence[Expert]] = None,
                 tune: Optional[float] = None, hidden_rate: Optional[float] = None,
                 init: Optional[float] = None) -> None:
        given = locals()
        for name in self._parameters():
            setattr(self, name, given[name])

    vectors: Any
    tag_names: Optional[Sequence[str]]
    k: int
    model_: Model
    classes_: npt.NDArray[Any]

    # ---- Parameters --------------------------------------------------------------------------

    @classmethod
    def _parameters(cls) -> Mapping[str, inspect.Parameter]:
        listed = dict(inspect.signature(cls.__init__).parameters)
        del listed["self"]
        return listed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self: Self, **params: Any) -> Self:
        known = self._parameters()
        for name in params:
            if name not in known:
                raise ArgumentError(f"parameter {name!r} is none of {', '.join(known)}")
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        shown = []
        for name, parameter in self._parameters().items():
            value = getattr(self, name)
            plain = isinstance(value, (str, int, float))
            if value is not parameter.default and not (plain and value == parameter.default):
                shown.append(f"{name}={reprlib.repr(value)}")
        return f"{type(self).__name__}({', '.join(shown)})"

    # ---- Fitting -------------------------------------------------------------------------------

    def _open_vectors(self, progress: Optional[ProgressCallback] = None) -> Vectors:
        given = self.vectors
        if not isinstance(given, (list, np.ndarray)):
            return open_vectors(given, progress)
        if self.tag_names is None:
            raise TypeError("a matrix of vectors needs tag_names: the tag of each row")
        return Vectors.from_arrays(["_".join(name.split()) for name in self.tag_names], given)

    def fit(self: Self, X: npt.ArrayLike, Y: Labels, *, split: Optional[Sequence[Split]] = None,
            epoch: Optional[EpochCallback] = None,
            progress: Optional[ProgressCallback] = None) -> Self:
        """Learns from features X[M, D] and their tags; `split` says train, val or test of each
        image, else a share `val` is drawn by seed."""
        names = self.tag_names
        tags = tag_lists(Y, names)
        if names is None:
            names = sorted({tag for row in tags for tag in row})
        options = self.get_params()
        for own in ("vectors", "tag_names", "k"):
            del options[own]
        count(self.k, "k", 1)
        model = train(X, Y, vectors=self._open_vectors(progress), tag_names=self.tag_names,
                      split=split, keep_tags=True, epoch=epoch, progress=progress, **options)
        found = [model.vocab.find(name) for name in names]
        self.model_ = model
        self.classes_ = np.array(names)
        self.n_features_in_ = model.feature_dim
        self._columns = np.array([-1 if t is None else t for t in found])
        return self

    def __sklearn_tags__(self) -> Any:
        """What scikit-learn asks from its version 1.6 on."""
        utils = importlib.import_module("sklearn.utils")
        return utils.Tags(estimator_type="classifier",
                          target_tags=utils.TargetTags(required=True, multi_output=True),
                          classifier_tags=utils.ClassifierTags(multi_label=True))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    def _fitted(self) -> Model:
        if not self.__sklearn_is_fitted__():
            raise ArgumentError(f"this {type(self).__name__} is not fitted: call fit() first")
        return self.model_

    # ---- Tagging -------------------------------------------------------------------------------

    def predict_scores(self, X: npt.ArrayLike) -> Floats:
        """The scores [M, T] of `classes_`."""
        scores = self._fitted().scores(X)
        out = np.full((len(scores), len(self._columns)), NO_VECTOR, np.float32)
        known = self._columns >= 0
        out[:, known] = scores[:, self._columns[known]]
        return out

    def decision_function(self, X: npt.ArrayLike) -> Floats:
        """The same as predict_scores, as scikit-learn calls it."""
        return self.predict_scores(X)

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[np.int8]:
        """0/1 [M, T], in columns as `classes_`: the k best tags of each image are 1."""
        scores = self.predict_scores(X)
        kept = min(count(self.k, "k", 1), int((self._columns >= 0).sum()))
        best = np.argsort(-scores, axis=1, kind="stable")[:, :kept]
        out = np.zeros(scores.shape, np.int8)
        np.put_along_axis(out, best, 1, 1)
        return out

    def predict_tags(self, X: npt.ArrayLike, k: Optional[int] = None, *,
                     words: Optional[Iterable[str]] = None) -> list[list[str]]:
        """The k best tags of each image by name, best first: of the tags it was fitted with, or of
        any words that have a vector."""
        model = self._fitted()
        return model.predict(X, self.k if k is None else k, words=words,
                             vectors=None if words is None else self._open_vectors())

    def score(self, X: npt.ArrayLike, Y: Labels) -> float:
        """MiAP, from 0 to 1: the mean over images of the average precision of their tags' ranks.
        Images without a tag of `classes_` do not count."""
        scores = self.predict_scores(X)
        names = self.classes_.tolist()
        tags = tag_lists(Y, names if is_matrix(Y) else None)
        if len(tags) != len(scores):
            raise ArgumentError(f"features of {len(scores)} images, tags of {len(tags)}")
        column = {name: t for t, name in enumerate(names)}
        truth = np.zeros(scores.shape, np.bool_)
        for m, row in enumerate(tags):
            truth[m, [column[tag] for tag in row if tag in column]] = True
        return _miap(scores, truth)


def _miap(scores: Floats, truth: npt.NDArray[np.bool_]) -> float:
    order = np.argsort(-scores, axis=1, kind="stable")
    hits = np.take_along_axis(truth, order, 1)
    hits = hits[hits.any(axis=1)]
    if not len(hits):
        raise ArgumentError("no image has a tag that the classifier knows")
    precision = hits.cumsum(axis=1) / np.arange(1, hits.shape[1] + 1)
    return float(((precision * hits).sum(axis=1) / hits.sum(axis=1)).mean())
