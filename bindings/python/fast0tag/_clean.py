"""Raw keywords before training: what "fast0tag train" does with them, by the same defaults."""
from __future__ import annotations

import os
from contextlib import contextmanager
from ctypes import POINTER, byref
from typing import Any, Iterator, Mapping

from . import _structs
from ._convert import choice, count, flag
from ._dataset import Dataset
from ._errors import ArgumentError
from ._library import library
from ._monitor import logger

SWITCHES = ("keep_spellings", "plurals", "file_words", "keep_common", "least", "synonyms")

# What each step did, in their order.
_STEPS = ("go with another spelling", "go with their plural or singular",
          "are about files or no words, and are left out",
          "are on nearly all pictures, and are left out",
          "are on too few pictures, and are not learned", "go with their synonyms")
_IN_USE = "are about files or no words, but on many pictures, and are learned"


def is_raw(dataset: Dataset, given: Mapping[str, Any]) -> bool:
    """Whether the dataset's tags are to be cleaned. A switch for what is not done is refused."""
    keep = flag(given["keep_tags"], "keep_tags")
    raw = not keep and dataset.seen is None
    for name in SWITCHES:
        if not raw and given[name] not in (None, False):
            raise ArgumentError(f"{name} is for raw keywords: " + (
                "keep_tags takes them as they are" if keep else
                f"{dataset.path} has lists of seen or unseen tags, and its tags are taken as they are"))
    return raw


def _options(given: Mapping[str, Any], method: int) -> _structs.f0t_prepare_options:
    options = _structs.f0t_prepare_options()
    for name, table in (("plurals", _structs.PLURALS), ("file_words", _structs.FILE_WORDS)):
        if given[name] is not None:
            setattr(options, name, choice(table, given[name], name))
    for name in ("keep_spellings", "keep_common"):
        setattr(options, name, flag(given[name], name))
    if given["synonyms"] is not None:
        options.synonyms = os.fsencode(given["synonyms"])
    if given["least"] is not None:
        options.least = count(given["least"], "least", 1)
    elif method == _structs.METHODS["blend"]:
        options.least = 1  # neighbours vote for the rarest tag, too
    return options


def _log(prepared: Any) -> None:
    for note, what in zip([*prepared.notes, prepared.file_words_in_use], [*_STEPS, _IN_USE]):
        if note.count:
            into = f" with {note.into.decode()!r}" if note.into else ""
            logger.info("%d keyword(s) %s: %r%s", note.count, what, note.example.decode(), into)


@contextmanager
def cleaned(dataset: Any, given: Mapping[str, Any], method: int, context: Any) -> Iterator[Any]:
    """The dataset with the tags to learn. Each step is logged."""
    out = POINTER(_structs.f0t_prepared)()
    library.f0t_tags_prepare(byref(out), dataset, byref(_options(given, method)), context)
    try:
        _log(out.contents)
        yield out.contents.dataset
    finally:
        library.f0t_prepared_free(out)
