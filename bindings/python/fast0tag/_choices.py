"""The names that can be chosen, as types: what mypy and editors know, and the tables come from.

tests/test_choices.py compares them with the library's own.
"""
from __future__ import annotations

from typing import Any, Literal, get_args

# Where a C enumeration is meant, in the order of its numbers from 0.
Method = Literal["net", "linear", "linear-rank", "blend"]
Expert = Literal["direction", "tags", "votes", "ridge", "frequency", "classes", "prior"]
Loss = Literal["ranknet", "ranknet-unweighted", "hinge", "squared-hinge", "crammer-singer",
               "max-out", "listmle", "logistic"]
Pairs = Literal["image", "batch"]
Target = Literal["loss", "ranksvm"]
Hinge = Literal["plain", "squared"]
Optimizer = Literal["adam", "sgd"]
Condition = Literal["auto", "unit", "scale", "standard"]
Split = Literal["train", "val", "test"]
Plurals = Literal["rare", "all", "none"]
FileWords = Literal["rare", "all", "none"]
Match = Literal["exact", "case", "joined", "singular", "plural", "parts", "same", "none", "base"]

EvaluationMethod = Literal["random", "frequency", "frequency-told", "frequency-predicted", "cca",
                           "wsabie", "tagprop", "warp", "fasttag",
                           "seen2unseen", "labelem", "labelem+", "conse", "linear", "linear-rank",
                           "net", "sdl", "blend", "ranksvm", "ranksvm-plain", "vote", "sum",
                           "promote", "direction+given", "fu2015-direct", "fu2015"]
Scenario = Literal["conventional", "conventional-unseen", "zero-shot", "seen-unseen", "open",
                   "completion"]
Layout = Literal["nuswide", "tagprop", "mulan", "csv", "photos"]
Preset = Literal["imagenet", "caffe-vgg", "mobilenet", "clip"]
Paper = Literal["nuswide", "iaprtc12"]


def numbered(choices: Any) -> dict[str, int]:
    """The names of a Literal with their numbers."""
    return {name: number for number, name in enumerate(get_args(choices))}


EVALUATION_METHODS = numbered(EvaluationMethod)
SCENARIOS = numbered(Scenario)
LAYOUTS = numbered(Layout)
PRESETS = numbered(Preset)
PAPERS = numbered(Paper)
TARGETS = numbered(Target)
