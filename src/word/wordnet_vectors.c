#include "word/wordnet_vectors.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "io/vectors_file.h"
#include "io/vectors_gather.h"
#include "word/wordnet_folder.h"

#include <string.h>

enum { DIM = 300, DIM_MOST = 4096, BATCH = 4096 };

/* One build under way. */
typedef struct build {
    const char *to;
    f0t_wordnet_options options;
    f0t_wordnet_folder folder;
    f0t_wordnet wordnet;
    f0t_wordnet_space space;
    f0t_gather gather;
    f0t_vectors_writer writer;
    f0t_word_rows rows;
    float *mean; /* [dim] */
    f0t_vectors_rest rest;
} build;

static f0t_status put_batch(build *b, size_t first, size_t count)
{
    const f0t_words *lemmas = &b->wordnet.lemmas.view;
    F0T_TRY(f0t_word_rows_reset(&b->rows, b->options.dim, count));
    F0T_TRY(f0t_wordnet_space_get(&b->space, first, count, b->rows.values));
    for (size_t i = first; i < first + count; i++) {
        size_t length;
        const char *word = f0t_words_at(lemmas, i, &length);
        f0t_word_rows_add(&b->rows, word, length);
    }
    return f0t_gather_take(&b->gather, &b->rows);
}

static f0t_status put_all(build *b)
{
    size_t total = b->wordnet.lemmas.view.count;
    f0t_stage stage = f0t_stage_begin(b->options.monitor, "vectors", "words", total);
    for (size_t first = 0; first < total; first += BATCH) {
        F0T_TRY(f0t_stage_update(&stage, first));
        F0T_TRY(put_batch(b, first, total - first < BATCH ? total - first : BATCH));
    }
    f0t_stage_end(&stage);
    return F0T_OK;
}

static f0t_status write_vectors(build *b)
{
    size_t dim = b->options.dim;
    F0T_TRY(f0t_gather_init(&b->gather, dim, NULL, f0t_vectors_writer_put, &b->writer));
    F0T_TRY(f0t_alloc(&b->mean, dim, sizeof *b->mean));
    F0T_TRY(f0t_vectors_writer_open(&b->writer, b->to, dim, b->options.f16));
    F0T_TRY(put_all(b));
    F0T_TRY(f0t_gather_finish(&b->gather, b->options.from, b->mean));
    b->rest = (f0t_vectors_rest){.words = &b->gather.kept.view,
                                 .mean = b->mean,
                                 .fingerprint = b->gather.fingerprint,
                                 .source = "WordNet",
                                 .counts = b->gather.counts};
    return F0T_OK;
}

static f0t_status run(build *b)
{
    F0T_TRY(f0t_wordnet_folder_open(&b->folder, b->options.from));
    F0T_TRY(f0t_wordnet_read(&b->wordnet, &b->folder.files));
    F0T_TRY(f0t_wordnet_space_find(&b->space, &b->wordnet, b->options.dim,
                                   &f0t_wordnet_recipe_default, b->options.monitor));
    return write_vectors(b);
}

f0t_status f0t_vectors_build_wordnet(f0t_vectors_counts *counts, const char *to,
                                     const f0t_wordnet_options *options)
{
    F0T_REQUIRE(to);
    build b = {.to = to};
    if (options)
        b.options = *options;
    b.options.from = b.options.from ? b.options.from : F0T_WORDNET_FOLDER;
    b.options.dim = b.options.dim ? b.options.dim : DIM;
    if (b.options.dim > DIM_MOST)
        return f0t_fail(F0T_ERROR_ARGUMENT, "vectors of %zu numbers: at most %d", b.options.dim,
                        DIM_MOST);
    f0t_status status = run(&b);
    if (b.writer.file)
        status = f0t_vectors_writer_finish(&b.writer, &b.rest, status);
    if (counts)
        *counts = b.rest.counts;
    f0t_word_rows_clear(&b.rows);
    f0t_gather_clear(&b.gather);
    f0t_free(b.mean);
    f0t_wordnet_space_clear(&b.space);
    f0t_wordnet_clear(&b.wordnet);
    f0t_wordnet_folder_close(&b.folder);
    return status;
}
