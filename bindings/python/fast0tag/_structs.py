"""The structs and numbers of fast0tag.h and fast0tag_tools.h, named as they are there.

tests/test_header.py compiles the headers and compares every size, offset, kind and number.
"""
from __future__ import annotations

from ctypes import (CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int,
                    c_int64,                    c_size_t, c_uint, c_uint32, c_uint64, c_void_p, sizeof)
from typing import Any

from . import _choices

F0T_NONE = (1 << 64) - 1
F0T_HIDDEN_AUTO = F0T_NONE
F0T_AUTO = -1.7976931348623157e308
F0T_HIDDEN_MAX = 8
F0T_CURVE_SIZES = 16
F0T_PREPARE_STEPS = 6
F0T_NO_DATE = -(1 << 63)

# Enumerations: the names that Python users write, and their numbers.
METHODS = _choices.numbered(_choices.Method)
EXPERTS = _choices.numbered(_choices.Expert)
LOSSES = _choices.numbered(_choices.Loss)
PAIRS = _choices.numbered(_choices.Pairs)
HINGES = _choices.numbered(_choices.Hinge)
OPTIMIZERS = _choices.numbered(_choices.Optimizer)
CONDITIONS = _choices.numbered(_choices.Condition)
SPLITS = _choices.numbered(_choices.Split)
LEVELS = {"info": 0, "warning": 1}
PLURALS = _choices.numbered(_choices.Plurals)
FILE_WORDS = _choices.numbered(_choices.FileWords)
MATCHES = _choices.numbered(_choices.Match)


class Sized(Structure):
    """A struct that begins with its own size, which is set here: later versions may have more."""

    def __init__(self, *arguments: Any, **members: Any) -> None:
        super().__init__(sizeof(self), *arguments, **members)


class f0t_context(Structure):
    pass


class f0t_vectors(Structure):
    pass


class f0t_vocab(Structure):
    pass


class f0t_hypernyms(Structure):
    pass


class f0t_dataset(Structure):
    pass


class f0t_dataset_writer(Structure):
    pass


class f0t_features(Structure):
    pass


class f0t_model(Structure):
    pass


class f0t_backbone(Structure):
    pass


class f0t_pictures(Structure):
    pass


class f0t_tagger(Structure):
    pass


class f0t_catalogue(Structure):
    pass


class f0t_query(Structure):
    pass


class f0t_finder(Structure):
    pass


class f0t_eval(Structure):
    pass


class f0t_import_report(Structure):
    pass


class f0t_classes(Structure):
    pass


class f0t_progress(Structure):
    _fields_ = [("stage", c_char_p), ("unit", c_char_p), ("done", c_uint64), ("total", c_uint64)]


LOG = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
PROGRESS = CFUNCTYPE(None, c_void_p, POINTER(f0t_progress))


class f0t_monitor(Structure):
    _fields_ = [("log", LOG), ("progress", PROGRESS), ("user", c_void_p), ("stop", POINTER(c_int))]


class f0t_context_options(Sized):
    _fields_ = [("size", c_size_t), ("threads", c_int), ("device", c_char_p),
                ("monitor", POINTER(f0t_monitor)), ("processes", c_char_p), ("task", c_char_p),
                ("coarse_sums", c_bool)]


class f0t_vectors_counts(Structure):
    _fields_ = [("rows", c_uint64), ("words", c_uint64), ("duplicates", c_uint64),
                ("empty", c_uint64), ("invalid", c_uint64), ("not_finite", c_uint64),
                ("zero", c_uint64), ("cut", c_uint64)]


class f0t_vectors_options(Sized):
    _fields_ = [("size", c_size_t), ("tolerant", c_bool)]


class f0t_neighbour(Structure):
    _fields_ = [("index", c_size_t), ("cosine", c_float)]


class f0t_vocab_options(Sized):
    _fields_ = [("size", c_size_t), ("centred", c_bool), ("no_suggestions", c_bool)]


class f0t_vocab_entry(Structure):
    _fields_ = [("tag", c_char_p), ("match", c_int), ("index", c_size_t), ("used", c_char_p),
                ("missing", c_char_p), ("nearest", c_char_p)]


class f0t_tags(Structure):
    _fields_ = [("items", POINTER(c_char_p)), ("count", c_size_t)]


class f0t_dataset_options(Sized):
    _fields_ = [("size", c_size_t), ("seed", c_uint64), ("val", c_double), ("test", c_double)]


class f0t_dataset_memory(Sized):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("features", c_void_p), ("dtype", c_char_p),
                ("rows", c_size_t), ("dim", c_size_t), ("tags", c_char_p), ("split", c_char_p),
                ("images", c_char_p), ("seen", c_char_p), ("unseen", c_char_p), ("json", c_char_p)]


class f0t_dataset_info(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("backbone", c_char_p), ("dim", c_size_t),
                ("half", c_bool), ("features", c_char_p), ("replace", c_bool)]


class f0t_dataset_row(Sized):
    _fields_ = [("size", c_size_t), ("image", c_char_p), ("tags", POINTER(c_char_p)),
                ("tag_count", c_size_t), ("has_split", c_bool), ("split", c_int),
                ("features", POINTER(c_float))]


class f0t_epoch(Structure):
    _fields_ = [("number", c_size_t), ("epochs", c_size_t), ("loss", c_double), ("miap", c_double),
                ("best", c_bool), ("rate", c_double), ("images_per_second", c_double),
                ("seconds", c_double)]


EPOCH = CFUNCTYPE(None, c_void_p, POINTER(f0t_epoch))


class f0t_train_options(Sized):
    _fields_ = [("size", c_size_t), ("method", c_int), ("seed", c_uint64), ("all_tags", c_bool),
                ("tags", POINTER(c_uint32)), ("tag_count", c_size_t), ("centred", c_bool),
                ("loss", c_int), ("pairs", c_int), ("to_ranksvm", c_bool), ("condition", c_int),
                ("hidden_count", c_size_t), ("hidden", c_size_t * F0T_HIDDEN_MAX),
                ("batch", c_size_t), ("epochs", c_size_t), ("patience", c_size_t),
                ("optimizer", c_int), ("rate", c_double), ("decay", c_double),
                ("input_dropout", c_double), ("hidden_dropout", c_double),
                ("constant_rate", c_bool), ("bf16", c_bool), ("hinge", c_int),
                ("lambda", c_double), ("ridge", c_double), ("without", c_uint),
                ("classes", POINTER(f0t_classes)), ("checkpoint", c_char_p), ("resume", c_bool),
                ("epoch", EPOCH), ("epoch_user", c_void_p),
                ("init", c_double), ("hidden_rate", c_double)]


class f0t_tuning(Structure):
    _fields_ = [("trials", c_size_t), ("first", c_double), ("best", c_double),
                ("seconds", c_double)]


class f0t_backbone_options(Sized):
    _fields_ = [("size", c_size_t), ("preset", c_char_p), ("output", c_char_p),
                ("bf16", c_bool), ("cache", c_char_p), ("picture_pixels", c_size_t),
                ("picture_seconds", c_size_t), ("network_cache", c_char_p)]


class f0t_tagger_options(Sized):
    _fields_ = [("size", c_size_t), ("vocab", POINTER(f0t_vocab)), ("with_model_tags", c_bool),
                ("any_space", c_bool), ("features_only", c_bool), ("backbone", c_char_p),
                ("preset", c_char_p), ("output", c_char_p), ("bf16", c_bool), ("cache", c_char_p),
                ("hypernyms", POINTER(f0t_hypernyms)),
                ("picture_pixels", c_size_t), ("picture_seconds", c_size_t),
                ("network_cache", c_char_p)]


class f0t_tag_input(Sized):
    _fields_ = [("size", c_size_t), ("count", c_size_t), ("paths", POINTER(c_char_p)),
                ("data", POINTER(c_void_p)), ("sizes", POINTER(c_size_t)),
                ("names", POINTER(c_char_p)), ("features", POINTER(c_float)),
                ("rows", POINTER(f0t_features)), ("which", POINTER(c_size_t))]


class f0t_tag_options(Sized):
    _fields_ = [("size", c_size_t), ("k", c_size_t), ("strict", c_bool), ("diverse", c_double),
                ("confidence", c_double), ("precision", c_double), ("recall", c_double)]


class f0t_tag_score(Structure):
    _fields_ = [("tag", c_char_p), ("index", c_size_t), ("score", c_float),
                ("confidence", c_float)]


class f0t_tag_result(Structure):
    _fields_ = [("input", c_size_t), ("status", c_int), ("error", c_char_p),
                ("tags", POINTER(f0t_tag_score)), ("count", c_size_t)]


class f0t_tag_results(Structure):
    _fields_ = [("items", POINTER(f0t_tag_result)), ("count", c_size_t), ("failed", c_size_t)]


class f0t_catalogue_options(Sized):
    _fields_ = [("size", c_size_t), ("mode", c_int), ("wait", c_double)]


class f0t_catalogue_query(Sized):
    _fields_ = [("size", c_size_t), ("order", c_int), ("after", c_int64), ("limit", c_size_t),
                ("tag", c_char_p), ("suggested", c_char_p), ("untagged", c_bool),
                ("undecided", c_bool), ("confidence", c_double), ("from", c_int64),
                ("before", c_int64), ("folder", c_char_p), ("all_states", c_bool)]


class f0t_index_report(Structure):
    _fields_ = [("found", c_size_t), ("unchanged", c_size_t), ("added", c_size_t),
                ("changed", c_size_t), ("moved", c_size_t), ("updated", c_size_t),
                ("unreadable", c_size_t), ("missing", c_size_t), ("seconds", c_double)]


INDEXED = CFUNCTYPE(None, c_void_p, POINTER(f0t_index_report))


class f0t_index_options(Sized):
    _fields_ = [("size", c_size_t), ("model", c_char_p), ("backbone", c_char_p),
                ("preset", c_char_p), ("output", c_char_p), ("bf16", c_bool), ("again", c_bool),
                ("settle", c_double), ("indexed", INDEXED), ("user", c_void_p)]


class f0t_finder_options(Sized):
    _fields_ = [("size", c_size_t), ("model", POINTER(f0t_model)), ("vectors", c_char_p)]


class f0t_find_options(Sized):
    _fields_ = [("size", c_size_t), ("k", c_size_t), ("nearest", c_bool), ("confidence", c_double),
                ("like", c_char_p)]


class f0t_find_word(Structure):
    _fields_ = [("word", c_char_p), ("without", c_bool), ("kind", c_int), ("cut", c_float),
                ("best", c_float), ("tagged", c_size_t)]


class f0t_find_result(Structure):
    _fields_ = [("id", c_int64), ("path", c_char_p), ("taken", c_int64), ("confidence", c_float),
                ("tagged", c_bool), ("similarity", c_float), ("words", POINTER(c_float))]


class f0t_find_results(Structure):
    _fields_ = [("items", POINTER(f0t_find_result)), ("count", c_size_t), ("more", c_bool),
                ("words", POINTER(f0t_find_word)), ("word_count", c_size_t)]


class f0t_convert_options(Sized):
    _fields_ = [("size", c_size_t), ("f16", c_bool), ("tolerant", c_bool)]


class f0t_join_options(Sized):
    _fields_ = [("size", c_size_t), ("weights", POINTER(c_double)), ("tags", POINTER(c_char_p)),
                ("tag_count", c_size_t), ("f16", c_bool), ("tolerant", c_bool),
                ("aligned", c_bool)]


class f0t_translate_options(Sized):
    _fields_ = [("size", c_size_t), ("tags", POINTER(c_char_p)), ("tag_count", c_size_t),
                ("only", c_bool), ("f16", c_bool), ("tolerant", c_bool)]


class f0t_wordnet_options(Sized):
    _fields_ = [("size", c_size_t), ("from", c_char_p), ("dim", c_size_t), ("f16", c_bool)]


class f0t_eval_own(Structure):
    _fields_ = [("name", c_char_p), ("scores", c_char_p), ("program", c_char_p),
                ("tasks", c_char_p)]


class f0t_eval_options(Sized):
    _fields_ = [("size", c_size_t), ("methods", c_char_p), ("scenarios", c_char_p),
                ("unseen", c_char_p), ("k", c_char_p), ("repeat", c_size_t), ("seed", c_uint64),
                ("no_tune", c_bool), ("trials", c_size_t), ("epochs", c_size_t), ("hidden", c_char_p),
                ("bf16", c_bool), ("centred", c_bool), ("results", c_char_p), ("figure", c_char_p),
                ("classes", POINTER(f0t_classes)), ("draws", c_size_t), ("own", POINTER(f0t_eval_own)),
                ("own_count", c_size_t), ("timeout", c_size_t), ("details", c_char_p),
                ("set", c_char_p), ("train_images", c_size_t), ("budget", c_double),
                ("model", c_char_p), ("blend_epochs", c_size_t)]


class f0t_metrics_options(Sized):
    _fields_ = [("size", c_size_t), ("k", POINTER(c_size_t)), ("k_count", c_size_t),
                ("seen", POINTER(c_bool))]


class f0t_measured_value(Structure):
    _fields_ = [("name", c_char_p), ("value", c_double)]


class f0t_measured(Structure):
    _fields_ = [("values", POINTER(f0t_measured_value)), ("count", c_size_t),
                ("image_precisions", POINTER(c_double)), ("tag_precisions", POINTER(c_double))]


class f0t_eval_value(Structure):
    _fields_ = [("name", c_char_p), ("mean", c_double), ("deviation", c_double),
                ("low", c_double), ("high", c_double)]


class f0t_eval_difference(Structure):
    _fields_ = [("method", c_char_p), ("miap", c_double), ("low", c_double), ("high", c_double),
                ("p", c_double)]


class f0t_eval_row(Structure):
    _fields_ = [("method", c_char_p), ("title", c_char_p), ("scenario", c_char_p),
                ("refusal", c_char_p), ("images", c_size_t), ("tags", c_size_t),
                ("repeats", c_size_t), ("values", POINTER(f0t_eval_value)),
                ("value_count", c_size_t), ("knobs", c_char_p), ("rival", c_char_p),
                ("rival_difference", c_double), ("rival_p", c_double), ("rival_low", c_double),
                ("rival_high", c_double), ("rival_draws_p", c_double), ("best_p", c_double),
                ("leads", c_bool), ("differences", POINTER(f0t_eval_difference)),
                ("difference_count", c_size_t)]


class f0t_classes_options(Sized):
    _fields_ = [("size", c_size_t), ("output", c_char_p), ("classes", c_char_p),
                ("labels", c_char_p)]


class f0t_prepare_options(Sized):
    _fields_ = [("size", c_size_t), ("plurals", c_int), ("file_words", c_int),
                ("keep_spellings", c_bool), ("keep_common", c_bool), ("least", c_size_t),
                ("synonyms", c_char_p)]


class f0t_prepare_note(Structure):
    _fields_ = [("count", c_size_t), ("example", c_char_p), ("images", c_size_t),
                ("into", c_char_p)]


class f0t_prepare_merge(Structure):
    _fields_ = [("from", c_char_p), ("into", c_char_p)]


class f0t_prepared(Structure):
    _fields_ = [("dataset", POINTER(f0t_dataset)), ("keywords", c_size_t), ("least", c_size_t),
                ("notes", f0t_prepare_note * F0T_PREPARE_STEPS),
                ("file_words_in_use", f0t_prepare_note),
                ("merges", POINTER(f0t_prepare_merge)), ("merge_count", c_size_t),
                ("rare", POINTER(c_char_p)), ("rare_count", c_size_t)]


class f0t_reference(Structure):
    _fields_ = [("model", c_double), ("frequency", c_double), ("neighbours", c_double),
                ("images", c_size_t), ("compared", c_size_t)]


class f0t_refit_options(Sized):
    _fields_ = [("size", c_size_t), ("vectors", POINTER(f0t_vectors)), ("weight", c_size_t),
                ("seed", c_uint64)]


class f0t_learn_options(Sized):
    _fields_ = [("size", c_size_t), ("train", POINTER(f0t_train_options)),
                ("clean", POINTER(f0t_prepare_options)), ("keep_tags", c_bool),
                ("classes", c_char_p), ("tune", c_double), ("trials", c_char_p),
                ("output", c_char_p), ("no_reference", c_bool),
                ("refit", POINTER(f0t_refit_options)), ("test", c_double),
                ("vectors_path", c_char_p)]


class f0t_learned(Structure):
    _fields_ = [("model", POINTER(f0t_model)), ("prepared", POINTER(f0t_prepared)),
                ("images", c_size_t), ("tuning", f0t_tuning), ("reference", f0t_reference),
                ("suggested", c_size_t), ("seconds", c_double)]


class f0t_import_options(Sized):
    _fields_ = [("size", c_size_t), ("replace", c_bool), ("name", c_char_p), ("features", c_char_p),
                ("ids", c_char_p), ("copy_features", c_bool), ("backbone", c_char_p),
                ("images", c_char_p), ("val", c_double), ("seed", c_uint64),
                ("own_features", c_char_p), ("sets", c_char_p), ("prefix", c_char_p),
                ("image_column", c_char_p), ("tags_column", c_char_p), ("split_column", c_char_p),
                ("separator", c_char_p), ("tag_columns", c_bool), ("no_header", c_bool),
                ("delimiter", c_char), ("table", c_char_p), ("folder_tags", c_bool),
                ("strict", c_bool), ("vectors", POINTER(f0t_vectors)),
                ("extract", POINTER(f0t_backbone)), ("hierarchy", c_char_p),
                ("synonyms", c_char_p)]


class f0t_import_dataset(Structure):
    _fields_ = [("path", c_char_p), ("images", c_size_t), ("dim", c_size_t), ("tags", c_size_t),
                ("seen", c_size_t), ("unseen", c_size_t), ("train", c_size_t), ("val", c_size_t),
                ("test", c_size_t), ("untagged", c_size_t)]


class f0t_import_note(Structure):
    _fields_ = [("count", c_uint64), ("what", c_char_p), ("example", c_char_p)]
