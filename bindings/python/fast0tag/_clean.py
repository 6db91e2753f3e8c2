"""Raw keywords before training: how they are cleaned, by the defaults of "fast0tag train"."""
from __future__ import annotations

import os
from typing import Any, Mapping

from . import _structs
from ._convert import choice, count, flag
from ._dataset import Dataset
from ._errors import ArgumentError

SWITCHES = ("keep_spellings", "plurals", "file_words", "keep_common", "least", "synonyms")


def check_raw(dataset: Dataset, given: Mapping[str, Any]) -> None:
    """Refuses a switch for cleaning where the dataset's tags are taken as they are."""
    keep = flag(given["keep_tags"], "keep_tags")
    raw = not keep and dataset.seen is None
    for name in SWITCHES:
        if not raw and given[name] not in (None, False):
            raise ArgumentError(f"{name} is for raw keywords: " + (
                "keep_tags takes them as they are" if keep else
                f"{dataset.path} has lists of seen or unseen tags, and its tags are taken as they are"))


def clean_options(given: Mapping[str, Any]) -> _structs.f0t_prepare_options:
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
    return options
