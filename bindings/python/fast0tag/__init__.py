"""fast0tag: image tagging with words it has never seen.

    tagger = fast0tag.Tagger("photos.f0t")
    tagger.tag("dog.jpg", k=5)

    model = fast0tag.train(features, tags, vectors="glove.txt")
    model.tag(new_features, words=["lake", "lorry"], vectors="glove.txt")

The bindings need libfast0tag: the one that is installed, or the one that the environment variable
FAST0TAG_LIBRARY names. They use nothing but the standard library and NumPy.
"""
from __future__ import annotations

from ._backbone import Backbone, find_pictures
from ._catalogue import Catalogue, Found, FoundPicture, FoundWord, Indexed
from ._choices import (Condition, EvaluationMethod, FileWords, Hinge, Layout, Loss, Match, Method,
                       Optimizer, Pairs, Paper, Plurals, Preset, Scenario, Split, Target)
from ._context import Context
from ._dataset import Dataset, Image, write_dataset
from ._errors import (ArgumentError, Error, FileError, FormatError, InternalError, MismatchError,
                      NotFoundError, NumericError, OutOfMemoryError, StoppedError,
                      UnsupportedError)
from ._estimator import TagClassifier
from ._import import Imported, import_dataset
from ._library import VERSION as __version__
from ._library import library as _lib
from ._metrics import Metrics, metrics
from ._model import Model, TaggedImage
from ._monitor import Progress
from ._tagger import Tagger, TagResult
from ._train import Epoch, evaluate, evaluation_methods, train
from ._vectors import (Counts, Vectors, build_wordnet, convert_vectors, join_vectors,
                       translate_vectors)
from ._vocab import Entry, Vocab, load_tags


def library_version() -> str:
    """The version of the library that was found."""
    return str(_lib.f0t_version(), "utf-8")


__all__ = [
    "ArgumentError", "Backbone", "Catalogue", "Condition", "Context", "Counts", "Dataset", "Entry", "Epoch", "Error",
    "EvaluationMethod", "FileError", "FileWords", "FormatError", "Found", "FoundPicture", "FoundWord", "Hinge", "Image",
    "Imported", "Indexed", "InternalError", "Layout", "Loss", "Match", "Method", "Metrics", "MismatchError", "Model", "NotFoundError", "NumericError",
    "Optimizer", "OutOfMemoryError", "Pairs", "Paper", "Plurals", "Preset", "Progress", "Scenario", "Split",
    "StoppedError", "TagClassifier", "TagResult", "TaggedImage", "Tagger", "Target", "UnsupportedError", "Vectors", "Vocab",
    "__version__", "build_wordnet", "convert_vectors", "evaluate", "evaluation_methods", "find_pictures",
    "import_dataset", "join_vectors", "library_version", "load_tags", "metrics", "train", "translate_vectors",
    "write_dataset",
]
