/* fast0tag vectors: word vectors are built, converted, trimmed, joined, translated and prepared; vectors_nearest.c looks
 * into them. */
#include "vectors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
    const char *output, *words, *from, *weights, *model, *dictionary;
    bool f16, tolerant, only, aligned;
    size_t dim;
} options;

static const options defaults = {.dim = 300};

/* ---- build, convert, trim, join, translate and prepare --------------------------------------------- */

static json_t *counts_as_json(const f0t_vectors_counts *counts)
{
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "rows", (json_int_t)counts->rows,
                     "words", (json_int_t)counts->words, "duplicates",
                     (json_int_t)counts->duplicates, "empty", (json_int_t)counts->empty, "invalid",
                     (json_int_t)counts->invalid, "not_finite", (json_int_t)counts->not_finite,
                     "zero", (json_int_t)counts->zero, "cut", counts->cut != 0);
}

/* The tags of `tags` (may be NULL) that got no vector from the file. */
static json_t *missing_tags(const cli_context *cli, const f0t_vectors *vectors,
                            const f0t_tags *tags, f0t_status *status)
{
    f0t_vocab *vocab;
    f0t_vocab_options how = {.size = sizeof(f0t_vocab_options), .no_suggestions = true};
    json_t *missing = json_array();
    *status = tags ? f0t_vocab_create(&vocab, tags->items, tags->count, vectors, &how, cli->context)
                   : F0T_OK;
    if (!tags || *status != F0T_OK)
        return missing;
    for (size_t i = 0; i < f0t_vocab_entry_count(vocab); i++) {
        const f0t_vocab_entry *entry = f0t_vocab_get_entry(vocab, i);
        if (entry->match == F0T_MATCH_NONE)
            json_array_append_new(missing, json_string(entry->tag));
    }
    f0t_vocab_free(vocab);
    return missing;
}

static void print_written(const char *path, const f0t_vectors *vectors, const f0t_tags *tags,
                          const json_t *missing)
{
    printf("%s: %zu words x %zu %s, of space %016" PRIx64 "\n", path, f0t_vectors_count(vectors),
           f0t_vectors_dim(vectors), f0t_vectors_dtype(vectors), f0t_vectors_fingerprint(vectors));
    if (!tags)
        return;
    printf("%zu of %zu tags have no vector%s", json_array_size(missing), tags->count,
           json_array_size(missing) ? ":" : "\n");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        printf("%s ", i ? "," : "");
        cli_print_shown(stdout, json_string_value(json_array_get(missing, i)));
    }
    if (json_array_size(missing))
        printf("\n");
}

/* What stands in the new file now. */
static f0t_status report(cli_context *cli, const char *path, const f0t_vectors_counts *counts,
                         const f0t_tags *tags)
{
    f0t_vectors *vectors;
    f0t_status status = f0t_vectors_open(&vectors, path, NULL, cli->context);
    if (status != F0T_OK)
        return status;
    json_t *missing = missing_tags(cli, vectors, tags, &status);
    if (status == F0T_OK && cli->json) {
        char space[17];
        snprintf(space, sizeof space, "%016" PRIx64, f0t_vectors_fingerprint(vectors));
        json_t *out =
            json_pack("{s:s, s:I, s:I, s:s, s:s, s:o}", "path", path, "words",
                      (json_int_t)f0t_vectors_count(vectors), "dim",
                      (json_int_t)f0t_vectors_dim(vectors), "type", f0t_vectors_dtype(vectors),
                      "fingerprint", space, "source", counts_as_json(counts));
        if (tags)
            json_object_set(out, "missing", missing);
        status = cli_print_json(cli, out);
    } else if (status == F0T_OK) {
        print_written(path, vectors, tags, missing);
    }
    json_decref(missing);
    f0t_vectors_close(vectors);
    return status;
}

static f0t_status run_build(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_wordnet_options how = {.size = sizeof how, .from = o->from, .dim = o->dim, .f16 = o->f16};
    f0t_vectors_counts counts;
    if (strcmp(cli->operands[0], "wordnet") != 0)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "'%s': vectors can only be built from wordnet",
                        cli->operands[0]);
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "no file to write: give -o OUT");
    f0t_status status = cli_check_replaceable(cli, "-o", o->output, "vectors");
    if (status == F0T_OK)
        status = f0t_vectors_build_wordnet(&counts, o->output, &how, cli->context);
    return status == F0T_OK ? report(cli, o->output, &counts, NULL) : status;
}

/* What is read stays: it may be all that there is of it. */
static f0t_status check_output(cli_context *cli, const options *o)
{
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "no file to write: give -o OUT");
    for (size_t i = 0; i < cli->operand_count; i++)
        if (cli_is_same_file(o->output, cli->operands[i]))
            return cli_fail(cli, F0T_ERROR_ARGUMENT,
                            "-o %s: is the file that is read; give another name", o->output);
    return cli_check_replaceable(cli, "-o", o->output, "vectors");
}

static f0t_status run_convert(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_convert_options how = {.size = sizeof how, .f16 = o->f16, .tolerant = o->tolerant};
    f0t_vectors_counts counts;
    f0t_status status = check_output(cli, o);
    if (status == F0T_OK)
        status = f0t_vectors_convert(&counts, o->output, cli->operands[0], &how, cli->context);
    return status == F0T_OK ? report(cli, o->output, &counts, NULL) : status;
}

static f0t_status run_trim(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_convert_options how = {.size = sizeof how, .f16 = o->f16, .tolerant = o->tolerant};
    f0t_vectors_counts counts;
    f0t_tags *tags;
    if (!o->words)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "no list of words: give --words FILE");
    if (cli_vectors_swapped(o->words, cli->operands[0]))
        return cli_fail_swapped(cli, "FILE --words WORDS -o OUT");
    f0t_status status = check_output(cli, o);
    if (status == F0T_OK)
        status = f0t_tags_load(&tags, o->words, cli->context);
    if (status != F0T_OK)
        return status;
    status = f0t_vectors_trim(&counts, o->output, cli->operands[0], tags->items, tags->count, &how,
                              cli->context);
    if (status == F0T_OK)
        status = report(cli, o->output, &counts, tags);
    f0t_tags_free(tags);
    return status;
}

/* ---- prepare ------------------------------------------------------------------------------- */

static f0t_status report_prepared(cli_context *cli, const options *o, size_t words, size_t given,
                                  size_t dim)
{
    if (cli->json)
        return cli_print_json(cli, json_pack("{s:s, s:I, s:I, s:I}", "path", o->output, "words",
                                             (json_int_t)words, "dim", (json_int_t)dim, "left_out",
                                             (json_int_t)(given - words)));
    printf("%s: %zu words x %zu, %zu without a vector or there before left out\n", o->output, words,
           dim, given - words);
    return F0T_OK;
}

/* Known before the work: a vocabulary without tags is of the space of its vectors. */
static f0t_status check_space(cli_context *cli, const f0t_model *model, const f0t_vectors *vectors,
                              const f0t_vocab_options *how)
{
    f0t_vocab *empty = NULL;
    f0t_status status = f0t_vocab_create(&empty, NULL, 0, vectors, how, cli->context);
    if (status == F0T_OK)
        status = f0t_model_check_vocab(model, empty);
    f0t_vocab_free(empty);
    return status;
}

static f0t_status prepare(cli_context *cli, const options *o, const f0t_model *model,
                          const f0t_vectors *vectors)
{
    const f0t_vocab_options how = {.size = sizeof(f0t_vocab_options),
                                   .centred = f0t_vocab_centred(f0t_model_vocab(model)),
                                   .no_suggestions = true};
    f0t_tags *tags = NULL;
    size_t kept;
    f0t_status status = check_space(cli, model, vectors, &how);
    if (status == F0T_OK && o->words)
        status = f0t_tags_load(&tags, o->words, cli->context);
    const size_t given = tags ? tags->count : f0t_vectors_count(vectors);
    if (status == F0T_OK)
        status = f0t_vocab_prepare(&kept, o->output, tags ? tags->items : NULL, given, vectors,
                                   &how, cli->context);
    if (status == F0T_OK)
        status = report_prepared(cli, o, kept, given, f0t_vectors_dim(vectors));
    f0t_tags_free(tags);
    return status;
}

static f0t_status check_prepare(cli_context *cli, const options *o)
{
    if (!o->output)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "no file to write: give -o OUT");
    if (!o->model)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "no model that will rank the words: give --model MODEL");
    return cli_check_replaceable(cli, "-o", o->output, "vocabulary");
}

static f0t_status run_prepare(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_model *model = NULL;
    f0t_vectors *vectors = NULL;
    f0t_status status = check_prepare(cli, o);
    if (status == F0T_OK)
        status = f0t_model_load(&model, o->model, cli->context);
    if (status == F0T_OK)
        status = f0t_vectors_open(&vectors, cli->operands[0], NULL, cli->context);
    if (status == F0T_OK)
        status = prepare(cli, o, model, vectors);
    f0t_vectors_close(vectors);
    f0t_model_free(model);
    return status;
}

/* ---- join ---------------------------------------------------------------------------------- */

/* One number per file, such as 1,0.7; the library checks the numbers themselves. */
static f0t_status parse_weights(cli_context *cli, double *values, const char *text)
{
    size_t count = 0;
    for (const char *at = text; at;) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || (*end && *end != ','))
            return cli_fail(cli, F0T_ERROR_ARGUMENT, "--weights: '%s' is not a list such as 1,0.7",
                            text);
        if (count < F0T_JOIN_MOST)
            values[count] = value;
        count++;
        at = *end ? end + 1 : NULL;
    }
    if (count != cli->operand_count)
        return cli_fail(cli, F0T_ERROR_ARGUMENT, "--weights: %zu for %zu files; give one per file",
                        count, cli->operand_count);
    return F0T_OK;
}

static f0t_status load_words(cli_context *cli, f0t_tags **tags, const options *o)
{
    *tags = NULL;
    if (!o->words)
        return F0T_OK;
    if (cli_vectors_swapped(o->words, cli->operands[0]))
        return cli_fail_swapped(cli, "FILE… --words WORDS -o OUT");
    return f0t_tags_load(tags, o->words, cli->context);
}

static f0t_status run_join(cli_context *cli, const void *given)
{
    const options *o = given;
    double weights[F0T_JOIN_MOST];
    f0t_join_options how = {
        .size = sizeof how, .f16 = o->f16, .tolerant = o->tolerant, .aligned = o->aligned};
    f0t_vectors_counts counts;
    f0t_tags *tags = NULL;
    f0t_status status = check_output(cli, o);
    if (status == F0T_OK && o->weights)
        status = parse_weights(cli, weights, o->weights);
    if (status == F0T_OK)
        status = load_words(cli, &tags, o);
    how.weights = o->weights ? weights : NULL;
    how.tags = tags ? tags->items : NULL;
    how.tag_count = tags ? tags->count : 0;
    if (status == F0T_OK)
        status = f0t_vectors_join(&counts, o->output, cli->operands, cli->operand_count, &how,
                                  cli->context);
    if (status == F0T_OK)
        status = report(cli, o->output, &counts, tags);
    f0t_tags_free(tags);
    return status;
}

static f0t_status run_translate(cli_context *cli, const void *given)
{
    const options *o = given;
    f0t_translate_options how = {
        .size = sizeof how, .f16 = o->f16, .tolerant = o->tolerant, .only = o->only};
    f0t_vectors_counts counts;
    f0t_tags *tags = NULL;
    if (!o->dictionary)
        return cli_fail(cli, F0T_ERROR_ARGUMENT,
                        "no dictionary: give --dictionary LANGUAGE, such as deu, or FILE.index");
    f0t_status status = check_output(cli, o);
    if (status == F0T_OK)
        status = load_words(cli, &tags, o);
    how.tags = tags ? tags->items : NULL;
    how.tag_count = tags ? tags->count : 0;
    if (status == F0T_OK)
        status = f0t_vectors_translate(&counts, o->output, cli->operands[0], o->dictionary, &how,
                                       cli->context);
    if (status == F0T_OK)
        status = report(cli, o->output, &counts, tags);
    f0t_tags_free(tags);
    return status;
}

/* ---- Tables ------------------------------------------------------------------------------- */

#define OUTPUT_OPTION                                              \
    {                                                              \
        "output", 'o', CLI_TEXT, offsetof(options, output), "OUT", \
            "The safetensors file to write.", NULL                 \
    }
#define F16_OPTION                                                                       \
    {                                                                                    \
        "f16", 0, CLI_FLAG, offsetof(options, f16), NULL,                                \
            "Write 16-bit numbers: half the size, three digits. Default: 32 bits.", NULL \
    }
#define TOLERANT_OPTION CLI_TOLERANT_OPTION(offsetof(options, tolerant))

static const cli_option build_options[] = {
    OUTPUT_OPTION,
    {"dim", 'd', CLI_COUNT, offsetof(options, dim), "N", "Numbers per vector. Default 300.", NULL},
    {"from", 0, CLI_TEXT, offsetof(options, from), "DIR",
     "The directory of WordNet's database files. Default " F0T_WORDNET_FOLDER ".", NULL},
    F16_OPTION,
    {.name = NULL},
};

static const cli_option convert_options[] = {
    OUTPUT_OPTION, F16_OPTION, TOLERANT_OPTION, {.name = NULL}};

static const cli_option trim_options[] = {
    OUTPUT_OPTION,
    {"words", 'w', CLI_TEXT, offsetof(options, words), "FILE",
     "The words and phrases to keep, one per line.", NULL},
    F16_OPTION,
    TOLERANT_OPTION,
    {.name = NULL},
};

static const cli_option join_options[] = {
    OUTPUT_OPTION,
    {"weights", 0, CLI_TEXT, offsetof(options, weights), "LIST",
     "One number above 0 per file, separated by commas: how much each counts. Default 1 each.",
     NULL},
    {"aligned", 0, CLI_FLAG, offsetof(options, aligned), NULL,
     "The files are of one space already, such as fastText's aligned vectors of two languages: OUT "
     "has the words of all of them, each with the vector of the first file that has it.",
     NULL},
    {"words", 'w', CLI_TEXT, offsetof(options, words), "FILE",
     "Only what these words and phrases need, one per line. Default: all words of all files.",
     NULL},
    F16_OPTION,
    TOLERANT_OPTION,
    {.name = NULL},
};

static const cli_option prepare_options[] = {
    OUTPUT_OPTION,
    {"model", 'm', CLI_TEXT, offsetof(options, model), "MODEL",
     "The model that will rank the words.", NULL},
    {"words", 'w', CLI_TEXT, offsetof(options, words), "FILE",
     "The words and phrases, one per line. Default: all words of V.", NULL},
    {.name = NULL},
};

static const cli_option translate_options[] = {
    OUTPUT_OPTION,
    {"dictionary", 'd', CLI_TEXT, offsetof(options, dictionary), "WHICH",
     "A language in three letters, such as deu or spa: FreeDict's dictionary from it to English, "
     "as Debian's packages dict-freedict-deu-eng, dict-freedict-spa-eng, … install it. Or "
     "FILE.index, "
     "a dictionary of dictd.",
     NULL},
    {"words", 'w', CLI_TEXT, offsetof(options, words), "FILE",
     "Only what these words and phrases need, one per line. Default: all words.", NULL},
    {"only", 0, CLI_FLAG, offsetof(options, only), NULL,
     "Leave out the words of IN that the dictionary does not have. Default: they stay as they are.",
     NULL},
    F16_OPTION,
    TOLERANT_OPTION,
    {.name = NULL},
};

static const cli_example build_examples[] = {
    {"fast0tag vectors build wordnet -o wordnet.safetensors",
     "Vectors for 147,306 words and phrases, without a download."},
    {"fast0tag vectors build wordnet --from WordNet-3.1/dict -o wn31.safetensors",
     "The same from another WordNet than Debian's."},
    {.command = NULL},
};

static const cli_verb verb_build = {
    .name = "build",
    .summary = "make word vectors from WordNet",
    .operands = "wordnet",
    .least = 1,
    .most = 1,
    .description = "Makes vectors for all words and phrases of WordNet, a dictionary that says "
                   "what is a kind of, a part of and similar to what (Debian's package "
                   "wordnet-base), from its relations, its definitions and the frequencies of its "
                   "senses. Takes seconds. The same WordNet always gives the same vectors.\n\n"
                   "They capture what a dictionary says of English words. Vectors trained on large "
                   "texts (GloVe, word2vec) know more about what occurs together in pictures: "
                   "prefer those if you have a file of them, or join both (fast0tag vectors join).",
    .options = build_options,
    .examples = build_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_build,
};

static const cli_example convert_examples[] = {
    {"fast0tag vectors convert glove.840B.300d.txt -o glove.safetensors",
     "Converts GloVe once; from then on it opens at once."},
    {"fast0tag vectors convert GoogleNews.bin.gz -o news.safetensors --f16",
     "Unpacks and converts word2vec's binary form, at half the size."},
    {.command = NULL},
};

static const cli_verb verb_convert = {
    .name = "convert",
    .summary = "convert word vectors of any form into one that opens at once",
    .operands = "IN",
    .least = 1,
    .most = 1,
    .description =
        "IN is a file of word vectors: GloVe text, word2vec text or binary, fastText .vec, each "
        "also packed by gzip, or one that this command wrote. The form is detected by content, not "
        "by name. OUT is a safetensors file that is mapped rather than read.\n\n"
        "Of duplicate words the first counts. Rows without a word, with a word that is not UTF-8, "
        "or with NaN or infinite numbers are left out and counted.",
    .options = convert_options,
    .examples = convert_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_convert,
};

static const cli_example trim_examples[] = {
    {"fast0tag vectors trim glove.safetensors --words tags.txt -o mine.safetensors",
     "Keeps what a vocabulary of tags.txt needs."},
    {.command = NULL},
};

static const cli_verb verb_trim = {
    .name = "trim",
    .summary = "keep only the vectors of some words",
    .operands = "IN",
    .least = 1,
    .most = 1,
    .description = "Like convert, but only with the words and phrases of a list and with what "
                   "replaces them if they have no vector: other spellings, singular, plural and "
                   "verb, the words of a phrase. The file has the same vector space as IN: a model "
                   "trained with one works with the other.",
    .options = trim_options,
    .examples = trim_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_trim,
};

static const cli_example join_examples[] = {
    {"fast0tag vectors join glove.safetensors wordnet.safetensors --weights 1,0.7 -o "
     "both.safetensors",
     "GloVe, and beside it what WordNet says of the same words."},
    {"fast0tag vectors join wiki.en.align.vec wiki.de.align.vec --aligned -o both.safetensors",
     "English and German words in one space: tags of either language, and of both."},
    {.command = NULL},
};

static const cli_conflict join_conflicts[] = {{"aligned", "weights"}, {.one = NULL}};

static const cli_verb verb_join = {
    .name = "join",
    .summary = "put the word vectors of several files side by side",
    .operands = "IN IN…",
    .least = 2,
    .most = F0T_JOIN_MOST,
    .description =
        "Each IN is a file of word vectors in any form. A word's vector in OUT is the vectors that "
        "the files have for it, one after the other: each centred by the mean of its file, of "
        "length "
        "1, times the file's weight; the whole is of length 1. OUT has the words of all files. "
        "What one file lacks the others give, and a word that a file has in another spelling, as "
        "singular, plural or verb, or as the words of a phrase, is found there.\n\n"
        "OUT is a vector space of its own, the same for the same files, weights and order, also "
        "when the files were converted before: a model trained with it needs it again. To keep "
        "only some words, use --words or trim OUT; a word that was trimmed from a file before "
        "cannot give anything.",
    .conflicts = join_conflicts,
    .options = join_options,
    .examples = join_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_join,
};

static const cli_example prepare_examples[] = {
    {"fast0tag vectors prepare glove.safetensors --model photos.f0t -o words.vocab",
     "All words of the file, for 'fast0tag tag photos.f0t PICTURES --vocab words.vocab'."},
    {.command = NULL},
};

static const cli_verb verb_prepare = {
    .name = "prepare",
    .summary = "make a vocabulary that 'fast0tag tag' opens and ranks at once",
    .operands = "V",
    .least = 1,
    .most = 1,
    .description =
        "V is the file of word vectors that MODEL was trained with. OUT has its words, or those of "
        "a list, with their vectors as MODEL needs them and what it takes to rank many: a million "
        "words open in a millisecond, without --vectors, and are ranked several times as fast. The "
        "ranking is exact.",
    .options = prepare_options,
    .examples = prepare_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_prepare,
};

static const cli_example translate_examples[] = {
    {"fast0tag vectors translate wordnet.safetensors --dictionary deu -o deutsch.safetensors",
     "Vectors for German words, by what they mean in English."},
    {"fast0tag vectors translate glove.txt --dictionary spa --words tags.txt -o mine.safetensors",
     "Those of one's own Spanish tags; says which are ambiguous or missing."},
    {.command = NULL},
};

static const cli_verb verb_translate = {
    .name = "translate",
    .summary = "give words of another language the vectors of their meanings",
    .operands = "IN",
    .least = 1,
    .most = 1,
    .description =
        "IN is a file of English word vectors in any form. A word of the dictionary gets a vector "
        "from the vectors of its translations: of several meanings those count that others are "
        "near to. Words whose meanings lie apart are reported; with --words their number is that "
        "of the list.\n\n"
        "OUT has the same vector space as IN: a model trained with one works with the other, so "
        "that tags can be learned in one language and suggested in another.",
    .options = translate_options,
    .examples = translate_examples,
    .json = true,
    .options_size = sizeof(options),
    .defaults = &defaults,
    .run = run_translate,
};

static const cli_verb *const verbs[] = {&verb_build,
                                        &verb_convert,
                                        &verb_trim,
                                        &verb_join,
                                        &verb_translate,
                                        &verb_prepare,
                                        &cli_verb_vectors_nearest,
                                        NULL};

const cli_verb cli_verb_vectors = {
    .name = "vectors",
    .summary = "build, convert, trim, join, translate and query word vectors",
    .operands = "",
    .description = "Word vectors give every tag its place. The commands turn the files they come "
                   "in into one that opens at once, cut it down, join several, translate them, and "
                   "show what is near what.",
    .verbs = verbs,
};
