"""Training, and the comparison of methods."""
from __future__ import annotations

import math
from ctypes import POINTER, byref
from typing import Any, Callable, Mapping, NamedTuple, Optional, Sequence, Union

import numpy.typing as npt

from . import _structs
from ._convert import Path, choice, count, path_bytes, text_bytes
from ._dataset import Dataset, TagLists, open_dataset
from ._errors import ArgumentError
from ._library import library
from ._model import Model
from ._monitor import Monitor, ProgressCallback
from ._vectors import Vectors, open_vectors


class Epoch(NamedTuple):
    """What a training says after each epoch."""

    number: int
    epochs: int
    loss: float
    miap: float  # percent, of the validation part; NaN without one
    best: bool
    rate: float
    images_per_second: float
    seconds: float


EpochCallback = Callable[[Epoch], object]


def _hidden(options: _structs.f0t_train_options, units: Sequence[int]) -> None:
    if len(units) > _structs.F0T_HIDDEN_MAX:
        raise ArgumentError(f"{len(units)} hidden layers; {_structs.F0T_HIDDEN_MAX} at the most")
    options.hidden_count = len(units)
    for i, number in enumerate(units):
        options.hidden[i] = count(number, "units of a hidden layer", 1)


def train(data: Union[Dataset, Path, npt.ArrayLike], tags: Optional[TagLists] = None, *,
          vectors: Union[Vectors, Path], method: str = "net", seed: int = 0,
          split: Optional[Sequence[str]] = None, val: float = 0.1,
          backbone: Union[str, Mapping[str, Any], None] = None, all_tags: bool = False,
          keep_mean: bool = False, loss: str = "ranknet", pairs: str = "image",
          target: str = "loss", condition: str = "auto", hidden: Optional[Sequence[int]] = None,
          batch: Optional[int] = None, epochs: Optional[int] = None,
          patience: Optional[int] = None, optimizer: str = "adam", rate: Optional[float] = None,
          decay: Optional[float] = None, dropout: Optional[float] = None,
          input_dropout: Optional[float] = None, constant_rate: bool = False, bf16: bool = False,
          hinge: str = "squared", lambda_: Optional[float] = None, ridge: Optional[float] = None,
          tune: Optional[float] = None, checkpoint: Optional[Path] = None, resume: bool = False,
          epoch: Optional[EpochCallback] = None,
          progress: Optional[ProgressCallback] = None) -> Model:
    """Learns to tag from features[M, D] and a list of tags for each image, or from a dataset.

    Of features and tags, a share `val` drawn by seed chooses when to stop, unless `split` says
    train, val or test of each image. A dataset has its own split, and its seen tags are those that
    are learned, unless all_tags. The options are those of "fast0tag train"; None lets the library
    choose. `tune` first searches so many seconds for better ones. `checkpoint` is a file that keeps
    what is needed to go on, with `resume`. `epoch` is called after each epoch."""
    opened = open_vectors(vectors, progress)
    if isinstance(data, Dataset) or tags is None:
        if split is not None or backbone is not None:
            raise TypeError("split and backbone go with features and tags: a dataset has its own")
        dataset = open_dataset(data, tags, seed=seed)
    else:
        dataset = open_dataset(data, tags, seed=seed, val=val, test=0.0, split=split,
                               backbone=backbone)
    options = _structs.f0t_train_options()
    library.f0t_train_options_init(byref(options))
    options.method = choice(_structs.METHODS, method, "method")
    options.seed = count(seed, "seed")
    options.all_tags = all_tags
    options.keep_tag_mean = keep_mean
    options.loss = choice(_structs.LOSSES, loss, "loss")
    options.pairs = choice(_structs.PAIRS, pairs, "pairs")
    options.to_ranksvm = choice({"loss": 0, "ranksvm": 1}, target, "target") == 1
    options.condition = choice(_structs.CONDITIONS, condition, "condition")
    options.optimizer = choice(_structs.OPTIMIZERS, optimizer, "optimizer")
    options.hinge = choice(_structs.HINGES, hinge, "hinge")
    options.constant_rate = constant_rate
    options.bf16 = bf16
    if hidden is not None:
        _hidden(options, hidden)
    for name, number in (("batch", batch), ("epochs", epochs), ("patience", patience)):
        if number is not None:
            setattr(options, name, count(number, name, 1))
    for name, value in (("rate", rate), ("decay", decay), ("hidden_dropout", dropout),
                        ("input_dropout", input_dropout), ("lambda", lambda_), ("ridge", ridge)):
        if value is not None:
            setattr(options, name, value)
    options.checkpoint = None if checkpoint is None else path_bytes(checkpoint)
    options.resume = resume
    return _run(options, dataset, opened, tune, epoch, progress)


def _run(options: _structs.f0t_train_options, dataset: Dataset, vectors: Vectors,
         tune: Optional[float], epoch: Optional[EpochCallback],
         progress: Optional[ProgressCallback]) -> Model:
    out = POINTER(_structs.f0t_model)()
    tuning = _structs.f0t_tuning()

    def told(_: Any, e: Any) -> None:
        if epoch:
            epoch(Epoch(*(getattr(e.contents, name) for name in Epoch._fields)))

    with dataset._use() as d, vectors._use() as v, Monitor(progress) as monitor:
        options.epoch = _structs.EPOCH(monitor.guard(told))
        if tune is not None:
            library.f0t_train_tune(byref(options), byref(tuning), d, v, tune, None,
                                   monitor.pointer)
        library.f0t_train(byref(out), d, v, byref(options), monitor.pointer)
    return Model(out)


# ---- Comparison ----------------------------------------------------------------------------------


def _number(value: float) -> Optional[float]:
    return value if math.isfinite(value) else None


def _row(row: Any, names: Sequence[str]) -> dict[str, Any]:
    """A row with the keys of "fast0tag eval --json", in their order."""
    made: dict[str, Any] = {"method": row.method.decode(), "scenario": row.scenario.decode(),
                            "images": row.images, "tags": row.tags}
    for i, name in enumerate(names):
        made[name] = _number(row.values[i].mean) if row.value_count else None
        if row.repeats > 1:
            made[name + "_sd"] = _number(row.values[i].deviation) if row.value_count else None
    made["repeats"] = row.repeats
    made["knobs"] = row.knobs.decode()
    made["refusal"] = None if row.refusal is None else row.refusal.decode()
    return made


def _rows(evaluation: Any) -> list[dict[str, Any]]:
    rows = [library.f0t_eval_get_row(evaluation, i).contents
            for i in range(library.f0t_eval_row_count(evaluation))]
    names: list[str] = []
    while (name := library.f0t_eval_value_name(evaluation, len(names))) is not None:
        names.append(name.decode())
    return [_row(row, names) for row in rows]


def _listed(names: Union[str, Sequence[str], None], what: str) -> Optional[bytes]:
    return text_bytes(names if names is None or isinstance(names, str) else ",".join(names), what)


def evaluate(data: Union[Dataset, Path, npt.ArrayLike], tags: Optional[TagLists] = None, *,
             vectors: Union[Vectors, Path], methods: Union[str, Sequence[str], None] = None,
             scenarios: Union[str, Sequence[str], None] = None,
             unseen: Union[str, int, None] = None, k: Sequence[int] = (3, 5), repeat: int = 1,
             seed: int = 0, split: Optional[Sequence[str]] = None, tune: bool = True,
             trials: Optional[int] = None, epochs: Optional[int] = None,
             hidden: Optional[Sequence[int]] = None, bf16: bool = False, keep_mean: bool = False,
             results: Optional[Path] = None, html: Optional[Path] = None,
             paper: Optional[str] = None,
             progress: Optional[ProgressCallback] = None) -> list[dict[str, Any]]:
    """Compares methods (all, unless told) in scenarios on a dataset, or on features and tags: a row
    for each as a dict, the same as "fast0tag eval --json" writes.

    `unseen` draws the unseen tags by seed: "20%" or 58. `results` is a file that keeps what is done:
    the same call goes on from there. `html` is a folder for a page with tables and charts, `paper`
    (nuswide or iaprtc12) puts the paper's published rows there."""
    opened = open_vectors(vectors, progress)
    if split is not None and tags is None:
        raise TypeError("split goes with features and tags: a dataset has its own")
    given = {} if split is None else {"split": split}
    dataset = open_dataset(data, tags, seed=seed, **given)
    out = POINTER(_structs.f0t_eval)()
    with dataset._use() as d, opened._use() as v, Monitor(progress) as monitor:
        options = _structs.f0t_eval_options(
            methods=_listed(methods, "methods"), scenarios=_listed(scenarios, "scenarios"),
            unseen=None if unseen is None else str(unseen).encode(),
            k=",".join(str(count(number, "k", 1)) for number in k).encode(),
            repeat=count(repeat, "repeat", 1), seed=count(seed, "seed"), no_tune=not tune,
            trials=0 if trials is None else count(trials, "trials", 1),
            epochs=0 if epochs is None else count(epochs, "epochs", 1),
            hidden=None if hidden is None else
            ",".join(str(count(units, "hidden", 1)) for units in hidden).encode(),
            bf16=bf16, keep_tag_mean=keep_mean, results=None if results is None else path_bytes(results),
            monitor=monitor.pointer)
        library.f0t_eval_run(byref(out), d, v, byref(options))
        try:
            if html is not None:
                library.f0t_eval_save_page(out, path_bytes(html), text_bytes(paper))
            return _rows(out)
        finally:
            library.f0t_eval_free(out)


def evaluation_methods() -> list[str]:
    """The names of all methods that evaluate() knows."""
    names: list[str] = []
    while (name := library.f0t_eval_method_name(len(names))) is not None:
        names.append(name.decode())
    return names
