"""Training, and the comparison of methods."""
from __future__ import annotations

import math
from ctypes import POINTER, byref, c_double, c_size_t, pointer, sizeof
from contextlib import ExitStack
from typing import (Any, Callable, Iterable, Literal, Mapping, NamedTuple, Optional, Sequence, Union,
                    get_args)

import numpy.typing as npt

from . import _structs
from ._choices import (EVALUATION_METHODS, PAPERS, SCENARIOS, TARGETS, Condition, EvaluationMethod,
                       Expert, FileWords, Hinge, Loss, Method, Optimizer, Pairs, Paper, Plurals,
                       Scenario, Split, Target)
from ._clean import check_raw, clean_options
from ._convert import Path, choice, count, flag, path_bytes, real, text_bytes, units
from ._dataset import Dataset, open_dataset
from ._errors import ArgumentError
from ._labels import Labels
from ._library import library
from ._model import Model
from ._monitor import Monitor, ProgressCallback
from ._vectors import Vectors, VectorsLike, open_vectors


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


def _hidden(options: _structs.f0t_train_options, layers: Sequence[int]) -> None:
    numbers = units(layers)
    if len(numbers) > _structs.F0T_HIDDEN_MAX:
        raise ArgumentError(f"{len(numbers)} hidden layers; at most {_structs.F0T_HIDDEN_MAX}")
    options.hidden_count = len(numbers)
    options.hidden[:len(numbers)] = numbers


def _set_numbers(options: _structs.f0t_train_options, given: Mapping[str, Any]) -> None:
    for name in ("batch", "epochs", "patience"):
        if given[name] is not None:
            setattr(options, name, count(given[name], name, 1))
    for name, member in (("rate", "rate"), ("hidden_rate", "hidden_rate"), ("decay", "decay"),
                         ("init", "init"), ("dropout", "hidden_dropout"),
                         ("input_dropout", "input_dropout"), ("lambda_", "lambda"),
                         ("ridge", "ridge")):
        if given[name] is not None:
            value = real(given[name], name)
            if value == _structs.F0T_AUTO:
                raise ArgumentError(f"{name} is {value!r}; None lets the library choose")
            setattr(options, member, value)


def _without(experts: Sequence[Expert]) -> int:
    if isinstance(experts, str):
        raise TypeError("without is a list of experts")
    return sum({1 << choice(_structs.EXPERTS, name, "expert") for name in experts})


def _set_choices(options: _structs.f0t_train_options, given: Mapping[str, Any]) -> None:
    for name, table in (("loss", _structs.LOSSES), ("pairs", _structs.PAIRS),
                        ("condition", _structs.CONDITIONS), ("hinge", _structs.HINGES),
                        ("optimizer", _structs.OPTIMIZERS)):
        if given[name] is not None:
            setattr(options, name, choice(table, given[name], name))
    if given["target"] is not None:
        options.to_ranksvm = choice(TARGETS, given["target"], "target") == 1
    for name in ("all_tags", "centred", "constant_rate", "bf16", "resume"):
        setattr(options, name, flag(given[name], name))


def _options(given: Mapping[str, Any]) -> _structs.f0t_train_options:
    """The library's options from those of train(). What its method does not use is refused, also
    where it has the value that it would have anyway."""
    options = _structs.f0t_train_options.from_buffer_copy(
        library.f0t_train_options_default().contents)
    options.size = sizeof(options)
    options.method = choice(_structs.METHODS, given["method"], "method")
    options.seed = count(given["seed"], "seed")
    _set_choices(options, given)
    _set_numbers(options, given)
    if given["hidden"] is not None:
        _hidden(options, given["hidden"])
    if given["without"] is not None:
        options.without = _without(given["without"])
    if given["checkpoint"] is not None:
        options.checkpoint = path_bytes(given["checkpoint"])
    elif options.resume:
        raise ArgumentError("resume needs a checkpoint to go on from")
    for name in ("target", "loss", "pairs", "hidden", "batch", "epochs", "patience", "optimizer",
                 "rate", "hidden_rate", "decay", "init", "dropout", "input_dropout", "hinge", "lambda_",
                 "ridge", "without", "tune", "checkpoint"):
        if given[name] is not None:
            library.f0t_train_options_check_use(
                byref(options), name.rstrip("_").replace("_", "-").encode())
    return options


def train(data: Union[Dataset, Path, npt.ArrayLike], tags: Optional[Labels] = None, *,
          vectors: VectorsLike, tag_names: Optional[Sequence[str]] = None, method: Method = "blend",
          seed: int = 0, split: Optional[Sequence[Split]] = None, val: Optional[float] = None,
          backbone: Union[str, Mapping[str, Any], None] = None, all_tags: bool = False,
          centred: bool = True, loss: Optional[Loss] = None, pairs: Optional[Pairs] = None,
          target: Optional[Target] = None, condition: Optional[Condition] = None,
          hidden: Optional[Sequence[int]] = None, batch: Optional[int] = None,
          epochs: Optional[int] = None, patience: Optional[int] = None,
          optimizer: Optional[Optimizer] = None, rate: Optional[float] = None,
          decay: Optional[float] = None, dropout: Optional[float] = None,
          input_dropout: Optional[float] = None, constant_rate: bool = False, bf16: bool = False,
          hinge: Optional[Hinge] = None, lambda_: Optional[float] = None,
          ridge: Optional[float] = None, without: Optional[Sequence[Expert]] = None,
          classes: Optional[Path] = None, test: Optional[float] = None, keep_tags: bool = False,
          keep_spellings: bool = False, plurals: Optional[Plurals] = None,
          file_words: Optional[FileWords] = None, keep_common: bool = False,
          least: Optional[int] = None, synonyms: Optional[Path] = None, tune: Optional[float] = None,
          hidden_rate: Optional[float] = None, init: Optional[float] = None,
          checkpoint: Optional[Path] = None,
          resume: bool = False, epoch: Optional[EpochCallback] = None,
          progress: Optional[ProgressCallback] = None) -> Model:
    """Learns to tag from features[M, D] and a list of tags for each image, or a 0/1 matrix [M, T]
    with `tag_names`, or from a dataset.

    `vectors` are Vectors, the path of a file, or a dict of words and their vectors. Of features and
    tags, a share `val` (0.1) drawn by seed chooses when to stop, unless `split` says train, val or
    test of each image; so of a dataset's directory without split.txt. All other images are learned
    from, unless `test` keeps a share of them. A Dataset has its own split; a dataset's seen tags are
    those that are learned, unless all_tags.

    Tags that come without tag_names, or with a dataset without lists of seen and unseen ones, are
    taken for a person's keywords and cleaned as "fast0tag train" does it; what is done is logged.
    keep_tags takes them as they are; keep_spellings, plurals, file_words, keep_common and least
    change the steps, `synonyms` is a file of words that are one (docs/pictures.md).

    The options are those of "fast0tag train" (centred=False is its --keep-mean); None
    lets the library choose, and an option that the method does not use is refused. `without` lists
    experts of the blend to switch off, `classes` is a network whose classes it asks (those of the
    dataset's own, unless told). `tune` first searches so many seconds for better options, and `epoch`
    is called after each epoch: these two are not for the blend. `checkpoint` is a file that keeps what
    is needed to go on, with `resume`."""
    given = locals()
    options = _options(given)
    if val is not None and split is not None:
        raise TypeError("val goes without split, which says which images are for validation")
    if test is not None and split is not None:
        raise TypeError("test goes without split, which says which images are for testing")
    # The tags that are learned keep the order of the matrix's columns.
    of_arrays: dict[str, Any] = {} if tags is None else {"seen": tag_names}
    dataset = open_dataset(data, tags, seed, tag_names=tag_names, val=val, split=split,
                           backbone=backbone, test=test, test_unless_told=0.0, **of_arrays)
    return _run(options, dataset, open_vectors(vectors, progress), given, progress)


def _run(options: _structs.f0t_train_options, dataset: Dataset, vectors: Vectors,
         given: Mapping[str, Any], progress: Optional[ProgressCallback]) -> Model:
    out = POINTER(_structs.f0t_learned)()
    epoch: Optional[EpochCallback] = given["epoch"]
    check_raw(dataset, given)
    clean = clean_options(given)
    classes = given["classes"]
    tune = None if given["tune"] is None else real(given["tune"], "tune")
    if tune is not None and not tune > 0:
        raise ArgumentError(f"tune is {tune!r} seconds; it must be above 0")
    how = _structs.f0t_learn_options(
        train=pointer(options), clean=pointer(clean), keep_tags=flag(given["keep_tags"], "keep_tags"),
        classes=None if classes is None else path_bytes(classes), no_reference=True,
        tune=tune or 0)

    def told(_: Any, e: Any) -> None:
        if epoch:
            epoch(Epoch(*(getattr(e.contents, name) for name in Epoch._fields)))

    with vectors._use() as v, dataset._use() as d, Monitor(progress) as monitor:
        options.epoch = _structs.EPOCH(monitor.guard(told))
        library.f0t_learn(byref(out), d, v, byref(how), monitor.context)
    model = pointer(out.contents.model.contents)
    out.contents.model = POINTER(_structs.f0t_model)()  # which is taken over
    library.f0t_learned_free(out)
    return Model._wrap(model)


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
    miap = row.values[list(names).index("miap")] if row.value_count else None
    made["miap_low"] = _number(miap.low) if miap else None
    made["miap_high"] = _number(miap.high) if miap else None
    made["rival"] = None if row.rival is None else row.rival.decode()
    made["rival_difference"] = _number(row.rival_difference)
    for name in ("rival_low", "rival_high", "rival_p", "rival_draws_p", "best_p"):
        made[name] = _number(getattr(row, name))
    made["leads"] = row.leads
    made["differences"] = {
        other.method.decode(): {name: _number(getattr(other, name))
                                for name in ("miap", "low", "high", "p")}
        for other in row.differences[:row.difference_count]}
    made["repeats"] = row.repeats
    made["knobs"] = row.knobs.decode()
    made["refusal"] = None if row.refusal is None else row.refusal.decode()
    return made


def _one_run(evaluation: Any, row: int, run: int, names: Sequence[str], seed: int) -> dict[str, Any]:
    knobs: dict[str, float] = {}
    value = c_double()
    while (knob := library.f0t_eval_run_knob(byref(value), evaluation, row, run,
                                             len(knobs))) is not None:
        knobs[knob.decode()] = value.value
    return {"seed": seed + run, "knobs": knobs,
            **{name: _number(library.f0t_eval_run_value(evaluation, row, run, name.encode()))
               for name in names}}


def _rows(evaluation: Any, seed: int) -> list[dict[str, Any]]:
    rows = [library.f0t_eval_get_row(evaluation, i).contents
            for i in range(library.f0t_eval_row_count(evaluation))]
    names: list[str] = []
    while (name := library.f0t_eval_value_name(evaluation, len(names))) is not None:
        names.append(name.decode())
    made = [_row(row, names) for row in rows]
    for i, row in enumerate(made):
        row["runs"] = [] if row["refusal"] is not None else [
            _one_run(evaluation, i, run, names, seed) for run in range(row["repeats"])]
    return made


def _listed(table: Mapping[str, int], names: Union[str, Sequence[str], None],
            what: str) -> Optional[bytes]:
    """Names as a list or separated by commas; "all"."""
    if names is None or names == "all":
        return None if names is None else b"all"
    listed = names.split(",") if isinstance(names, str) else list(names)
    for name in listed:
        choice(table, name, what)
    if not listed:
        raise ArgumentError(f"no {what} of {', '.join(table)}")
    return ",".join(listed).encode()


def _compare(stack: ExitStack, dataset: Any, vectors: Any, options: _structs.f0t_eval_options,
             context: Any) -> Any:
    """The comparison, which is freed with the stack."""
    out = POINTER(_structs.f0t_eval)()
    library.f0t_eval_run(byref(out), dataset, vectors, byref(options), context)
    stack.callback(library.f0t_eval_free, out)
    return out


def _sizes(train_images: Union[int, Sequence[int], None]) -> list[int]:
    if train_images is None:
        return []
    sizes = [count(number, "train_images", 2)
             for number in (train_images if isinstance(train_images, Iterable) else [train_images])]
    if not 1 <= len(sizes) <= _structs.F0T_CURVE_SIZES or sizes != sorted(set(sizes)):
        raise ArgumentError(f"train_images is {train_images!r}; 1 to {_structs.F0T_CURVE_SIZES} rising "
                            "numbers are expected")
    return sizes


def _learning_curves(dataset: Any, vectors: Any, options: _structs.f0t_eval_options, sizes: list[int],
                     html: Optional[Path], context: Any) -> list[dict[str, Any]]:
    """The comparison with each number of training images."""
    made, results = [], options.results
    with ExitStack() as stack:
        for size in sizes:
            options.train_images = size
            options.results = results and results + b".%d" % size
            made.append(_compare(stack, dataset, vectors, options, context))
        if html is not None:
            library.f0t_eval_curves_save((POINTER(_structs.f0t_eval) * len(made))(*made),
                                         (c_size_t * len(sizes))(*sizes), len(sizes), path_bytes(html))
        rows = [{**row, "train_images": size}
                for size, out in zip(sizes, made) for row in _rows(out, options.seed)]
    return rows


def evaluate(data: Union[Dataset, Path, npt.ArrayLike], tags: Optional[Labels] = None, *,
             vectors: VectorsLike, tag_names: Optional[Sequence[str]] = None,
             methods: Union[EvaluationMethod, Literal["all"], Sequence[EvaluationMethod],
                            None] = None,
             scenarios: Union[Scenario, Literal["all"], Sequence[Scenario], None] = None,
             unseen: Union[str, int, None] = None, k: Union[int, Sequence[int]] = (3, 5), repeat: int = 1,
             draws: Optional[int] = None, seed: int = 0, split: Optional[Sequence[Split]] = None, tune: bool = True,
             trials: Optional[int] = None, budget: Optional[float] = None, epochs: Optional[int] = None,
             hidden: Optional[Sequence[int]] = None, bf16: bool = False, centred: bool = True,
             results: Optional[Path] = None, html: Optional[Path] = None,
             paper: Optional[Paper] = None, scores: Optional[Mapping[str, Path]] = None,
             programs: Optional[Mapping[str, Path]] = None, timeout: Optional[int] = None,
             knobs: Optional[Mapping[str, float]] = None, details: Optional[Path] = None,
             train_images: Union[int, Sequence[int], None] = None,
             progress: Optional[ProgressCallback] = None) -> list[dict[str, Any]]:
    """Compares methods (all, unless told) in scenarios on a dataset, or on features and tags: a row
    for each as a dict, the same as "fast0tag eval --json" writes.

    `unseen` draws the unseen tags by seed: "20%" or 58. `draws` runs with so many draws, also where the
    dataset lists unseen tags. `results` is a file that keeps what is done:
    the same call goes on from there. centred=False keeps the mean of the vectors.
    `html` is a folder for a page with tables and charts, `paper` (nuswide or iaprtc12) puts the
    paper's published rows there.

    `details` is a folder for the average precision of every image and tag by every method, as CSV.
    `knobs` are hyper-parameters that are not tuned: {"net.rate": 0.001}; `budget` are the seconds of one core that
    tuning may take per method and training, counted from sizes (30).
    `train_images` are rising numbers for learning curves: the whole comparison with each number of training
    images, in rows that have it as "train_images"; `html` is then a folder for curves-SCENARIO.svg, and with
    `results` each number has its file RESULTS.NUMBER. Not with `details` or `paper`.
    `scores` are methods of your own by name, each an .npy file (test images x ranked tags) or a folder of
    such; `programs` others that are called for each task, for at most `timeout` seconds. docs/evaluation.md
    has their files."""
    wanted = (_listed(EVALUATION_METHODS, methods, "method"),
              _listed(SCENARIOS, scenarios, "scenario"))
    if paper is not None:
        choice(PAPERS, paper, "paper")
    sizes = _sizes(train_images)
    if sizes and (details is not None or paper is not None):
        raise ArgumentError("train_images does not go with details or paper")
    own = [_structs.f0t_eval_own(text_bytes(name, "the name of a method"), scores=path_bytes(path))
           for name, path in (scores or {}).items()]
    own += [_structs.f0t_eval_own(text_bytes(name, "the name of a method"), program=path_bytes(path))
            for name, path in (programs or {}).items()]
    dataset = open_dataset(data, tags, seed, tag_names=tag_names, split=split)
    opened = open_vectors(vectors, progress)
    with dataset._use() as d, opened._use() as v, Monitor(progress) as monitor:
        options = _structs.f0t_eval_options(
            methods=wanted[0], scenarios=wanted[1],
            unseen=None if unseen is None else str(unseen).encode(),
            k=",".join(str(count(number, "k", 1))
                       for number in (k if isinstance(k, Iterable) else [k])).encode(),
            repeat=0 if draws is not None and repeat == 1 else count(repeat, "repeat", 1),
            draws=0 if draws is None else count(draws, "draws", 1), seed=count(seed, "seed"), no_tune=not flag(tune, "tune"),
            trials=0 if trials is None else count(trials, "trials", 1),
            budget=0 if budget is None else real(budget, "budget"),
            epochs=0 if epochs is None else count(epochs, "epochs", 1),
            hidden=None if hidden is None else
            ",".join(str(number) for number in units(hidden)).encode(),
            bf16=flag(bf16, "bf16"), centred=flag(centred, "centred"),
            results=None if results is None else path_bytes(results),
            own=(_structs.f0t_eval_own * max(len(own), 1))(*own), own_count=len(own),
            timeout=0 if timeout is None else count(timeout, "timeout", 1),
            details=None if details is None else path_bytes(details),
            set=",".join(f"{name}={real(value, name)!r}"
                         for name, value in knobs.items()).encode() if knobs else None)
        if sizes:
            return _learning_curves(d, v, options, sizes, html, monitor.context)
        with ExitStack() as stack:
            out = _compare(stack, d, v, options, monitor.context)
            if html is not None:
                library.f0t_eval_save_page(out, path_bytes(html), text_bytes(paper))
            rows = _rows(out, seed)
    return rows


def evaluation_methods() -> list[EvaluationMethod]:
    """The names of all methods that evaluate() knows."""
    return list(get_args(EvaluationMethod))
