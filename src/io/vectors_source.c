#include "io/vectors_source.h"

#include "base/alloc.h"
#include "base/monitor.h"
#include "base/team.h"
#include "io/vectors_block.h"

#include <stdio.h>
#include <string.h>

enum { BLOCKS = 3, READ_JOB = 0, TAKE_JOB = 1, PARSE_JOB = 2 };

struct f0t_source {
    f0t_stream *stream;
    f0t_vectors_layout layout;
    bool tolerant;
    f0t_block blocks[BLOCKS];  /* one is read while one is parsed and one is taken */
    uint64_t records;          /* of a binary file, that blocks were cut for */
    uint64_t rows, lines_done; /* of the blocks that were parsed */
    bool cut;
    f0t_source_take take;
    void *context;
    f0t_failure reading, taking;
    char stage[300];
};

static const char *name_of(const f0t_source *s)
{
    return f0t_stream_name(s->stream);
}

static f0t_status start(f0t_source *s, const char *peek, size_t peeked)
{
    f0t_block *first = &s->blocks[0];
    F0T_TRY(f0t_block_init(first, s->stream));
    if (peeked)
        memcpy(first->text, peek, peeked);
    F0T_TRY(f0t_block_read(first, s->stream, peeked));
    F0T_TRY(f0t_layout_find(&s->layout, first->text, first->size, first->last, name_of(s)));
    first->begin = s->layout.begin;
    s->lines_done = s->layout.lines_before;
    f0t_status status = f0t_block_cut(first, &s->layout, &s->records);
    return status ? f0t_fail_prefix(status, "%s: ", name_of(s)) : F0T_OK;
}

f0t_status f0t_source_open(f0t_source **out, f0t_stream *stream, const char *peek, size_t peeked,
                           bool tolerant)
{
    f0t_source *s;
    *out = NULL;
    F0T_TRY(f0t_alloc_zero(&s, 1, sizeof *s));
    s->stream = stream;
    s->tolerant = tolerant;
    f0t_status status = start(s, peek, peeked);
    if (status != F0T_OK)
        f0t_source_close(s);
    else
        *out = s;
    return status;
}

void f0t_source_close(f0t_source *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < BLOCKS; i++)
        f0t_block_clear(&s->blocks[i]);
    f0t_free(s);
}

const f0t_vectors_layout *f0t_source_layout(const f0t_source *s)
{
    return &s->layout;
}

/* A binary file ends where its header says; a newline may follow. */
static f0t_status check_rest(f0t_source *s, f0t_block *block)
{
    char more;
    size_t got = 0;
    if (s->layout.form != F0T_FORM_BINARY || s->records < s->layout.rows)
        return F0T_OK;
    const char *p = block->text + block->end, *end = block->text + block->size;
    while (p < end && *p == '\n')
        p++;
    if (!block->last)
        F0T_TRY(f0t_stream_read(s->stream, &more, 1, &got));
    block->last = true;
    if ((p < end || got) && !s->tolerant)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: more bytes behind the %llu rows that its first line promises",
                        name_of(s), (unsigned long long)s->layout.rows);
    return F0T_OK;
}

/* Reads the block that comes behind `before`. */
static f0t_status read_block(f0t_source *s, f0t_block *block, const f0t_block *before)
{
    size_t held = before->size - before->end;
    if (!block->text)
        F0T_TRY(f0t_block_init(block, s->stream));
    memcpy(block->text, before->text + before->end, held);
    F0T_TRY(f0t_block_read(block, s->stream, held));
    f0t_status status = f0t_block_cut(block, &s->layout, &s->records);
    if (status != F0T_OK)
        return f0t_fail_prefix(status, "%s: ", name_of(s));
    return check_rest(s, block);
}

static f0t_status take_block(f0t_source *s, const f0t_block *block)
{
    for (size_t i = 0; i < block->piece_count; i++)
        F0T_TRY(s->take(s->context, &block->pieces[i].rows));
    return F0T_OK;
}

/* One step of the pipeline: block n + 1 is read, block n parsed, block n - 1 taken. */
static void run_step(f0t_source *s, size_t n)
{
    f0t_block *reading = &s->blocks[(n + 1) % BLOCKS], *parsing = &s->blocks[n % BLOCKS];
    const f0t_block *taking = &s->blocks[(n + 2) % BLOCKS];
    long jobs = PARSE_JOB + (long)parsing->piece_count;
    bool more = !parsing->last;
#pragma omp parallel for schedule(dynamic, 1) num_threads(f0t_team_size())
    for (long job = 0; job < jobs; job++) {
        if (job == READ_JOB && more)
            f0t_failure_keep(&s->reading, read_block(s, reading, parsing));
        else if (job == TAKE_JOB && n > 0)
            f0t_failure_keep(&s->taking, take_block(s, taking));
        else if (job >= PARSE_JOB)
            f0t_block_parse(parsing, (size_t)(job - PARSE_JOB), &s->layout, s->tolerant);
    }
}

static f0t_status raise_again(const f0t_failure *failure)
{
    return f0t_fail(failure->status, "%s", failure->message);
}

/* The failure that comes first in the file. */
static f0t_status check_step(f0t_source *s, const f0t_block *parsed)
{
    if (s->taking.status != F0T_OK)
        return raise_again(&s->taking);
    for (size_t i = 0; i < parsed->piece_count; i++) {
        const f0t_vectors_piece *piece = &parsed->pieces[i];
        s->lines_done += piece->lines;
        s->rows += piece->rows.lost.rows;
        s->cut = s->cut || piece->cut;
        if (piece->failure.status == F0T_ERROR_FORMAT)
            return f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: %s", name_of(s),
                            (unsigned long long)s->lines_done, piece->failure.message);
        if (piece->failure.status != F0T_OK)
            return raise_again(&piece->failure);
    }
    return s->reading.status == F0T_OK ? F0T_OK : raise_again(&s->reading);
}

static f0t_status check_count(f0t_source *s, const f0t_monitor *monitor)
{
    char text[200];
    if (s->layout.form != F0T_FORM_TEXT && s->rows != s->layout.rows) {
        snprintf(text, sizeof text, "has %llu rows, its first line promises %llu",
                 (unsigned long long)s->rows, (unsigned long long)s->layout.rows);
        if (!s->tolerant)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: %s", name_of(s), text);
        f0t_log(monitor, F0T_LOG_WARNING, "%s: %s", name_of(s), text);
        s->cut = s->cut || s->rows < s->layout.rows;
    }
    return F0T_OK;
}

f0t_status f0t_source_run(f0t_source *s, f0t_source_take take, void *context, bool *cut,
                          const f0t_monitor *monitor)
{
    s->take = take;
    s->context = context;
    snprintf(s->stage, sizeof s->stage, "reading %s", name_of(s));
    f0t_stage stage = f0t_stage_begin(monitor, s->stage, "bytes", f0t_stream_size(s->stream));
    F0T_TRY(check_rest(s, &s->blocks[0]));
    for (size_t n = 0;; n++) {
        run_step(s, n);
        F0T_TRY(check_step(s, &s->blocks[n % BLOCKS]));
        F0T_TRY(f0t_stage_update(&stage, f0t_stream_position(s->stream)));
        if (s->blocks[n % BLOCKS].last) {
            F0T_TRY(take_block(s, &s->blocks[n % BLOCKS]));
            break;
        }
    }
    f0t_stage_end(&stage);
    *cut = s->cut;
    return check_count(s, monitor);
}
