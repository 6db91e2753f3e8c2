"""Finds libfast0tag and libfast0tag-tools, and declares the functions that the package uses.

The declarations are those of the headers, word for word: tests/test_header.py looks for each of
them there.
"""
from __future__ import annotations

import ctypes
import os
import re
import subprocess
from ctypes import POINTER, c_bool, c_char_p, c_double, c_float, c_int, c_int64, c_size_t, c_uint8
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Any, Iterator

from . import _errors, _structs

VERSION = "0.1.0"  # of the headers that this package was written for
SONAME = "libfast0tag.so.0"
TOOLS = "libfast0tag-tools.so.0"  # beside it

DECLARATIONS = """
const char *f0t_version(void);
const char *f0t_last_error(void);

f0t_status f0t_context_create(f0t_context **out, const f0t_context_options *options);
void f0t_context_free(f0t_context *context);
int f0t_context_threads(const f0t_context *context);

f0t_status f0t_vectors_open(f0t_vectors **out, const char *path, const f0t_vectors_options *options, const f0t_context *context);
f0t_status f0t_vectors_open_memory(f0t_vectors **out, const void *data, size_t size, const char *name, const f0t_vectors_options *options, const f0t_context *context);
void f0t_vectors_close(f0t_vectors *vectors);
size_t f0t_vectors_count(const f0t_vectors *vectors);
size_t f0t_vectors_dim(const f0t_vectors *vectors);
const char *f0t_vectors_word(size_t *length, const f0t_vectors *vectors, size_t i);
size_t f0t_vectors_find(const f0t_vectors *vectors, const char *word, size_t length);
f0t_status f0t_vectors_get(float *out, const f0t_vectors *vectors, size_t first, size_t count);
const float *f0t_vectors_mean(const f0t_vectors *vectors);
uint64_t f0t_vectors_fingerprint(const f0t_vectors *vectors);
const char *f0t_vectors_format(const f0t_vectors *vectors);
const char *f0t_vectors_dtype(const f0t_vectors *vectors);
const char *f0t_vectors_source(const f0t_vectors *vectors);
f0t_status f0t_vectors_nearest(f0t_neighbour *out, size_t *found, size_t k, const f0t_vectors *vectors, const float *query, const f0t_context *context);
f0t_status f0t_vectors_convert(f0t_vectors_counts *counts, const char *to, const char *from, const f0t_convert_options *options, const f0t_context *context);
f0t_status f0t_vectors_join(f0t_vectors_counts *counts, const char *to, const char *const *from, size_t from_count, const f0t_join_options *options, const f0t_context *context);
f0t_status f0t_vectors_translate(f0t_vectors_counts *counts, const char *to, const char *from, const char *dictionary, const f0t_translate_options *options, const f0t_context *context);
f0t_status f0t_vectors_build_wordnet(f0t_vectors_counts *counts, const char *to, const f0t_wordnet_options *options, const f0t_context *context);

f0t_status f0t_vocab_create(f0t_vocab **out, const char *const *tags, size_t count, const f0t_vectors *vectors, const f0t_vocab_options *options, const f0t_context *context);
void f0t_vocab_free(f0t_vocab *vocab);
size_t f0t_vocab_count(const f0t_vocab *vocab);
size_t f0t_vocab_dim(const f0t_vocab *vocab);
const char *f0t_vocab_tag(const f0t_vocab *vocab, size_t i);
f0t_status f0t_vocab_find(size_t *index, const f0t_vocab *vocab, const char *tag);
const float *f0t_vocab_vectors(const f0t_vocab *vocab);
bool f0t_vocab_centred(const f0t_vocab *vocab);
uint64_t f0t_vocab_fingerprint(const f0t_vocab *vocab);
size_t f0t_vocab_entry_count(const f0t_vocab *vocab);
const f0t_vocab_entry *f0t_vocab_get_entry(const f0t_vocab *vocab, size_t i);
f0t_status f0t_vocab_save(const f0t_vocab *vocab, const char *path, const f0t_context *context);
f0t_status f0t_vocab_open(f0t_vocab **out, const char *path, const f0t_context *context);
f0t_status f0t_vocab_join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b);
f0t_status f0t_vocab_rank(uint32_t *index, float *score, size_t k, const f0t_vocab *vocab, const float *directions, size_t rows, const f0t_context *context);
f0t_status f0t_direction_plane(double *along, double *across, const float *direction, const float *vectors, size_t count, size_t dim);
f0t_status f0t_tags_load(f0t_tags **out, const char *path, const f0t_context *context);
void f0t_tags_free(f0t_tags *tags);

f0t_status f0t_dataset_open(f0t_dataset **out, const char *path, const f0t_dataset_options *options, const f0t_context *context);
f0t_status f0t_dataset_open_memory(f0t_dataset **out, const f0t_dataset_memory *memory, const f0t_dataset_options *options, const f0t_context *context);
void f0t_dataset_close(f0t_dataset *dataset);
const char *f0t_dataset_path(const f0t_dataset *dataset);
const char *f0t_dataset_name(const f0t_dataset *dataset);
const char *f0t_dataset_backbone(const f0t_dataset *dataset);
size_t f0t_dataset_image_count(const f0t_dataset *dataset);
const char *f0t_dataset_image(const f0t_dataset *dataset, size_t m);
const uint8_t *f0t_dataset_split(const f0t_dataset *dataset);
bool f0t_dataset_split_is_given(const f0t_dataset *dataset);
size_t f0t_dataset_tag_count(const f0t_dataset *dataset);
const char *f0t_dataset_tag(const f0t_dataset *dataset, size_t t);
const size_t *f0t_dataset_offsets(const f0t_dataset *dataset);
const uint32_t *f0t_dataset_indices(const f0t_dataset *dataset);
const uint32_t *f0t_dataset_seen(size_t *count, const f0t_dataset *dataset);
const uint32_t *f0t_dataset_unseen(size_t *count, const f0t_dataset *dataset);
size_t f0t_dataset_dim(const f0t_dataset *dataset);
f0t_status f0t_dataset_read_features(float *to, const f0t_dataset *dataset, size_t first, size_t count);
f0t_status f0t_dataset_create(f0t_dataset_writer **out, const char *path, const f0t_dataset_info *info);
f0t_status f0t_dataset_write(f0t_dataset_writer *writer, const f0t_dataset_row *row);
f0t_status f0t_dataset_write_seen(f0t_dataset_writer *writer, const char *const *tags, size_t count);
f0t_status f0t_dataset_write_unseen(f0t_dataset_writer *writer, const char *const *tags, size_t count);
f0t_status f0t_dataset_commit(f0t_dataset_writer *writer);
void f0t_dataset_abort(f0t_dataset_writer *writer);

f0t_status f0t_features_open(f0t_features **out, const char *path, const f0t_context *context);
void f0t_features_close(f0t_features *features);
size_t f0t_features_count(const f0t_features *features);
size_t f0t_features_dim(const f0t_features *features);
const char *f0t_features_image(const f0t_features *features, size_t m);
f0t_status f0t_features_read(float *to, const f0t_features *features, size_t first, size_t count);

const f0t_train_options *f0t_train_options_default(void);
f0t_status f0t_train_options_check_use(const f0t_train_options *options, const char *name);
f0t_status f0t_learn(f0t_learned **out, const f0t_dataset *dataset, const f0t_vectors *vectors, const f0t_learn_options *options, const f0t_context *context);
void f0t_learned_free(f0t_learned *learned);
f0t_status f0t_model_part(bool *out, const f0t_model *model, const f0t_features *features, f0t_split part);


f0t_status f0t_model_load(f0t_model **out, const char *path, const f0t_context *context);
f0t_status f0t_model_load_memory(f0t_model **out, const void *data, size_t size, const char *name, const f0t_context *context);
f0t_status f0t_model_save(const f0t_model *model, const char *path);
void f0t_model_free(f0t_model *model);
f0t_method f0t_model_method(const f0t_model *model);
size_t f0t_model_input_dim(const f0t_model *model);
size_t f0t_model_dim(const f0t_model *model);
const f0t_vocab *f0t_model_vocab(const f0t_model *model);
const char *f0t_model_training(const f0t_model *model);
const char *f0t_model_backbone(const f0t_model *model);
f0t_status f0t_model_directions(float *out, const f0t_model *model, const float *features, size_t rows, const f0t_context *context);
f0t_status f0t_model_check_vocab(const f0t_model *model, const f0t_vocab *vocab);

f0t_status f0t_backbone_open(f0t_backbone **out, const char *name, const f0t_backbone_options *options, const f0t_context *context);
void f0t_backbone_close(f0t_backbone *backbone);
size_t f0t_backbone_dim(const f0t_backbone *backbone);
const char *f0t_backbone_description(const f0t_backbone *backbone);
f0t_status f0t_backbone_check(const f0t_backbone *backbone, const char *description);
f0t_status f0t_backbone_run(float *out, bool *good, f0t_backbone *backbone, const char *const *pictures, size_t count, const f0t_context *context);
f0t_status f0t_pictures_find(f0t_pictures **out, const char *const *paths, size_t count, const f0t_context *context);
const char *const *f0t_pictures_paths(size_t *count, const f0t_pictures *pictures);
void f0t_pictures_free(f0t_pictures *pictures);

f0t_status f0t_tagger_create(f0t_tagger **out, const f0t_model *model, const f0t_tagger_options *options, const f0t_context *context);
void f0t_tagger_close(f0t_tagger *tagger);
f0t_status f0t_tagger_run(f0t_tag_results **out, const f0t_tagger *tagger, const f0t_tag_input *input, const f0t_tag_options *options, const f0t_context *context);
void f0t_tag_results_free(f0t_tag_results *results);

f0t_status f0t_catalogue_open(f0t_catalogue **out, const char *path, const f0t_catalogue_options *options);
void f0t_catalogue_close(f0t_catalogue *catalogue);
const char *f0t_catalogue_path(const f0t_catalogue *catalogue);
f0t_status f0t_catalogue_count(size_t *out, f0t_catalogue *catalogue, const f0t_catalogue_query *query);
f0t_status f0t_catalogue_get_thumbnail(const void **data, size_t *size, f0t_catalogue *catalogue, int64_t picture);
const char *f0t_catalogue_model(const f0t_catalogue *catalogue);
const char *f0t_catalogue_vectors(const f0t_catalogue *catalogue);
f0t_status f0t_catalogue_set_vectors(f0t_catalogue *catalogue, const char *path);
f0t_status f0t_catalogue_index(f0t_index_report *report, f0t_catalogue *catalogue, const char *const *paths, size_t count, const f0t_index_options *options, const f0t_context *context);
f0t_status f0t_query_parse_arguments(f0t_query **out, const char *const *arguments, size_t count);
void f0t_query_free(f0t_query *query);
f0t_status f0t_finder_open(f0t_finder **out, f0t_catalogue *catalogue, const f0t_finder_options *options, const f0t_context *context);
void f0t_finder_close(f0t_finder *finder);
f0t_status f0t_finder_run(f0t_find_results **out, f0t_finder *finder, const f0t_query *query, const f0t_find_options *options, const f0t_context *context);
void f0t_find_results_free(f0t_find_results *found);

f0t_status f0t_metrics_measure(f0t_measured **out, const float *scores, size_t images, size_t tags, const size_t *offsets, const uint32_t *relevant, const f0t_metrics_options *options, const f0t_context *context);
void f0t_measured_free(f0t_measured *measured);
f0t_status f0t_eval_options_check(const f0t_eval_options *options);
f0t_status f0t_eval_run(f0t_eval **out, const f0t_dataset *dataset, const f0t_vectors *vectors, const f0t_eval_options *options, const f0t_context *context);
void f0t_eval_free(f0t_eval *eval);
size_t f0t_eval_row_count(const f0t_eval *eval);
const f0t_eval_row *f0t_eval_get_row(const f0t_eval *eval, size_t i);
const char *f0t_eval_value_name(const f0t_eval *eval, size_t i);
double f0t_eval_run_value(const f0t_eval *eval, size_t row, size_t run, const char *name);
const char *f0t_eval_run_knob(double *value, const f0t_eval *eval, size_t row, size_t run, size_t i);
const char *f0t_eval_method_name(size_t i);
f0t_status f0t_eval_curves_save(const f0t_eval *const *evals, const size_t *images, size_t count, const char *folder);
f0t_status f0t_eval_save_page(const f0t_eval *eval, const char *folder, const char *paper);

f0t_status f0t_import(f0t_import_report **out, const char *output, const char *format, const char *const *sources, size_t source_count, const f0t_import_options *options, const f0t_context *context);
void f0t_import_report_free(f0t_import_report *report);
size_t f0t_import_report_dataset_count(const f0t_import_report *report);
const f0t_import_dataset *f0t_import_report_dataset(const f0t_import_report *report, size_t i);
size_t f0t_import_report_note_count(const f0t_import_report *report);
const f0t_import_note *f0t_import_report_note(const f0t_import_report *report, size_t i);
"""

_TYPES: dict[str, Any] = {
    "void": None, "bool": c_bool, "int": c_int, "size_t": c_size_t, "float": c_float,
    "double": c_double, "uint8_t": c_uint8, "uint32_t": c_uint32, "uint64_t": c_uint64, "int64_t": c_int64,
    "f0t_status": c_int, "f0t_method": c_int, "f0t_split": c_int, "char*": c_char_p, "void*": c_void_p,
}
_DECLARATION = re.compile(r"(.*?[ *])(f0t_\w+)\((.*)\);")


def _ctype(text: str) -> Any:
    """The ctypes type of "const f0t_model *" and the like."""
    text = re.sub(r"\bconst\b|\s", "", text)
    if text in _TYPES:
        return _TYPES[text]
    if text.endswith("*"):
        return POINTER(_ctype(text[:-1]))
    return getattr(_structs, text)


def _argument(text: str) -> Any:
    """The type of "const char *path": all but the name."""
    return _ctype(text[:len(text) - len(text.split(" ")[-1].lstrip("*"))])


def _check(status: int, function: Any, arguments: Any) -> int:
    if status:
        raise _errors.make(status, library.f0t_last_error().decode(errors="replace"))
    return status


def declarations() -> list[str]:
    return [line for line in DECLARATIONS.splitlines() if line]


def _declare(loaded: ctypes.CDLL, tools: ctypes.CDLL) -> None:
    for line in declarations():
        match = _DECLARATION.fullmatch(line)
        assert match, line
        result, name, arguments = match.groups()
        function = getattr(loaded if hasattr(loaded, name) else tools, name)
        setattr(loaded, name, function)
        function.restype = _ctype(result)
        function.argtypes = [] if arguments == "void" else [
            _argument(argument) for argument in arguments.split(", ")]
        if result.strip() == "f0t_status":
            function.errcheck = _check
    loaded.f0t_vectors_word.restype = c_void_p  # a word is not NUL-terminated


def _places() -> Iterator[str]:
    """Where the dynamic linker looks, then where pkg-config knows one."""
    yield SONAME
    try:
        asked = subprocess.run(["pkg-config", "--variable=libdir", "fast0tag"],
                               capture_output=True, text=True, check=False)
    except OSError:
        return
    if asked.returncode == 0 and asked.stdout.strip():
        yield os.path.normpath(os.path.join(asked.stdout.strip(), SONAME))


def _open() -> ctypes.CDLL:
    given = os.environ.get("FAST0TAG_LIBRARY")
    if given:
        try:
            return ctypes.CDLL(given)
        except OSError as error:
            raise ImportError(f"FAST0TAG_LIBRARY is '{given}': {error}") from None
    tried = []
    for place in _places():
        try:
            return ctypes.CDLL(place)
        except OSError as error:
            tried.append(str(error))
    raise ImportError(
        f"{SONAME} was not found ({'; '.join(tried)}). Install fast0tag ('make install', then "
        "'ldconfig'), or set FAST0TAG_LIBRARY to the path of libfast0tag.so.")


def _open_tools(loaded: ctypes.CDLL) -> ctypes.CDLL:
    """The tools that were installed with this library; they use the one that is loaded."""
    try:
        return ctypes.CDLL(os.path.join(os.path.dirname(loaded._name), TOOLS))
    except OSError as error:
        raise ImportError(f"{TOOLS} was not found beside {loaded._name}: {error}") from None


def _load() -> ctypes.CDLL:
    loaded = _open()
    try:
        loaded.f0t_version.restype = c_char_p
        version = loaded.f0t_version().decode()
    except AttributeError:
        raise ImportError(f"{loaded._name} is not libfast0tag") from None
    if version.split(".")[:2] != VERSION.split(".")[:2]:
        raise ImportError(f"{loaded._name} is fast0tag {version}; these bindings are for {VERSION}")
    tools = _open_tools(loaded)
    try:
        _declare(loaded, tools)
    except AttributeError as error:
        raise ImportError(f"{loaded._name} is another fast0tag {version} than these bindings are "
                          f"for: {error}") from None
    return loaded


# Every call through it lets other Python threads run. The last error is of the calling thread.
library = _load()
