/*
 * fast0tag: image tagging with words it has never seen.
 *
 * A picture has a principal direction in word-vector space: along it, the words that fit the
 * picture come before the words that do not. fast0tag learns a function from picture features to
 * that direction and ranks any vocabulary along it.
 *
 * This header is the manual of the library, meant to be read from top to bottom; the part for
 * importing, inspecting and reporting is fast0tag_tools.h. To load a model and tag a picture:
 *
 *     const char *picture = "dog.jpg";
 *     const f0t_tag_input input = {.size = sizeof input, .count = 1, .paths = &picture};
 *     f0t_tagger *tagger = NULL;
 *     f0t_tag_results *results = NULL;
 *     if (f0t_tagger_open(&tagger, "photos.f0t", NULL, NULL) ||
 *         f0t_tagger_run(&results, tagger, &input, NULL, NULL))
 *         fprintf(stderr, "%s\n", f0t_last_error());
 *     else if (results->failed)
 *         fprintf(stderr, "%s\n", results->items[0].error);
 *     for (size_t i = 0; results && i < results->items[0].count; i++)
 *         printf("%s\n", results->items[0].tags[i].tag);
 *     f0t_tag_results_free(results);
 *     f0t_tagger_close(tagger);
 *
 * Models come from "fast0tag train", or from f0t_train. Here are, in this order: errors, monitors and
 * contexts; word vectors, vocabularies and datasets; training and models; networks and the features of
 * pictures; and, at the end, tagging and the keywords of pictures.
 *
 * Contract, kept by every function:
 *  - A function that can fail returns f0t_status, F0T_OK being 0; one that returns void or a value
 *    cannot fail. After a failure f0t_last_error() has one line that says what and where.
 *  - Outputs come first. `T **out` gives an object that the caller frees; on failure *out is NULL.
 *    A returned `const T *` is borrowed and lives as long as the object that it belongs to.
 *  - NULL where an object, a text or an array is required fails with F0T_ERROR_ARGUMENT and names the
 *    argument; a function that returns a value requires its object. Every free or close accepts NULL.
 *  - Strings are UTF-8. Matrices are row-major, without padding.
 *  - Objects do not change after their creation: many threads may share one. The last error belongs
 *    to the calling thread. The library never prints, never exits, never touches the locale or
 *    signal handlers.
 */
#ifndef FAST0TAG_H
#define FAST0TAG_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define F0T_API __attribute__((visibility("default")))
#else
#define F0T_API
#endif

/* ---- Version ------------------------------------------------------------------------------- */

#define F0T_VERSION_MAJOR 0
#define F0T_VERSION_MINOR 1
#define F0T_VERSION_PATCH 0

/* The version of the library that is running, as "MAJOR.MINOR.PATCH". */
F0T_API const char *f0t_version(void);

/* ---- Status and errors --------------------------------------------------------------------- */

/* The numbers are pinned: they do not change between versions. */
typedef enum f0t_status {
    F0T_OK = 0,
    F0T_ERROR_MEMORY = 1,      /* out of memory */
    F0T_ERROR_IO = 2,          /* the system could not open, read, write or rename */
    F0T_ERROR_FORMAT = 3,      /* a file is not what it should be */
    F0T_ERROR_ARGUMENT = 4,    /* a call was made with invalid values */
    F0T_ERROR_MISMATCH = 5,    /* two inputs do not belong together */
    F0T_ERROR_NOT_FOUND = 6,   /* a file, word or name does not exist */
    F0T_ERROR_UNSUPPORTED = 7, /* valid, but not supported by this version */
    F0T_ERROR_NUMERIC = 8,     /* NaN, a singular matrix, no convergence */
    F0T_ERROR_INTERRUPTED = 9, /* the stop flag of the monitor was set */
    F0T_ERROR_INTERNAL = 10    /* a bug in fast0tag */
} f0t_status;

/* The last failure of the calling thread: one line, without newline, never NULL, never empty after
 * a failure. Overwritten by the next failure; success does not change it. */
F0T_API const char *f0t_last_error(void);

/* Makes `line` the last error of the calling thread, and returns `status`: for functions of your own that
 * fail as those of the library do, by `return f0t_error_set(F0T_ERROR_IO, "…")`. A line that is too long is
 * truncated. */
F0T_API f0t_status f0t_error_set(f0t_status status, const char *line);

/* Names of files and tags may contain what a terminal would execute. Writes `text` to to[size] with
 * control characters, marks that change the direction of text, and bytes that are not UTF-8 escaped as
 * \n, \t, \r or \x1b, truncated to size - 1 bytes and NUL-terminated. Returns the length of the whole, as
 * snprintf does. */
F0T_API size_t f0t_line_escape(char *to, size_t size, const char *text);

/* A short name such as "bad format". Never NULL. */
F0T_API const char *f0t_status_name(f0t_status status);

/* ---- Progress, log and cancellation -------------------------------------------------------- */

typedef enum f0t_log_level { F0T_LOG_INFO = 0, F0T_LOG_WARNING = 1 } f0t_log_level;

/* How far a piece of work is. `total` is 0 where it is not known. */
typedef struct f0t_progress {
    const char *stage; /* what is being done: "reading glove.txt" */
    const char *unit;  /* of done and total: "bytes", "images", "rules" */
    uint64_t done;
    uint64_t total;
} f0t_progress;

/* A context (below) may have a monitor. Its callbacks are called from the calling
 * thread only, `progress` about ten times per second and once when a stage has ended, with all
 * of it done. Set *stop (from a signal handler, from another
 * thread) and the work ends soon with F0T_ERROR_INTERRUPTED. Any member may be NULL. */
typedef struct f0t_monitor {
    void (*log)(void *user, f0t_log_level level, const char *line);
    void (*progress)(void *user, const f0t_progress *progress);
    void *user;
    const volatile sig_atomic_t *stop;
} f0t_monitor;

/* ---- Contexts ------------------------------------------------------------------------------ */

/* How work is done: with how many threads, on which device, and who watches. Functions that compute, or
 * may take long, take a context as their last argument; NULL is all CPUs and nobody. A context is cheap,
 * and many threads may share one. Nothing is set for the process: two contexts work side by side.
 *
 * The threads are OpenMP's. Those that wait for each other sleep after some microseconds, whatever
 * OMP_WAIT_POLICY and GOMP_SPINCOUNT say: for that, the first parallel work starts a team of threads that
 * sleep. They take no signals. A network's layers are too short for that: while one runs, and up to a second after, the
 * threads wait as OpenMP has them wait, unless other programs are seen to interrupt the process. */
typedef struct f0t_context f0t_context;

/* Every structure of options begins with its size, which its initializer sets, so that a later version
 * can have more members: f0t_context_options options = F0T_CONTEXT_OPTIONS. */
typedef struct f0t_context_options {
    size_t size;
    int threads;                /* [0: as many as the machine has] */
    const char *device;         /* [NULL: "cpu"] */
    const f0t_monitor *monitor; /* [NULL] borrowed: it must outlive the context */

    /* Several processes that work together, each with a context of its own: docs/scaling.md. */
    const char *processes; /* "mpi": those that mpirun started [NULL: this one alone] */
    const char
        *task; /* what they do, such as the command line: it must be the same in all [NULL] */
    bool coarse_sums; /* gradients travel as bfloat16 [no: float32] */
} f0t_context_options;

#define F0T_CONTEXT_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_context_options) \
    }

F0T_API f0t_status f0t_context_create(f0t_context **out, const f0t_context_options *options);
F0T_API void f0t_context_free(f0t_context *context);
F0T_API int f0t_context_threads(const f0t_context *context);
/* Its monitor, or NULL: for functions of your own that take a context and log or can be stopped. */
F0T_API const f0t_monitor *f0t_context_monitor(const f0t_context *context);

/* Processes that work together make the same calls in the same order, f0t_train among them, and each gets the same result;
 * what the library writes, the first of them does, and one of them what is written outside it. A process joins once, and leaves as its context is freed. These
 * are how many there are and which one this is, from 0; 1 and 0 where it is alone. */
F0T_API size_t f0t_context_processes(const f0t_context *context);
F0T_API size_t f0t_context_rank(const f0t_context *context);
/* Each process says how it fares, `message` (NULL: f0t_last_error()) why it failed. Gives the same in all of them: F0T_OK, or
 * what the first that failed said. The last call before a context is freed, and one before something is written that
 * cannot be taken back. Where one has failed, what the others do fails soon, too, and the process exits next. */
F0T_API f0t_status f0t_context_agree(const f0t_context *context, f0t_status status,
                                     const char *message);

/* ---- Word vectors ------------------------------------------------------------------------------ */

/* What f0t_vectors_find and the like return when there is no such entry. */
#define F0T_NONE SIZE_MAX

/* A file of word vectors: `count` distinct words with `dim` numbers each. It may be
 *  - text, one word and its numbers per line, separated by spaces: GloVe; with a first line of two
 *    numbers (how many words, how many dimensions): word2vec and fastText;
 *  - the binary form of word2vec;
 *  - either of them packed by gzip;
 *  - this project's own form, a safetensors file that f0t_vectors_convert or
 *    "fast0tag vectors convert" writes. It is mapped, not read: it opens in milliseconds, whatever
 *    its size. The others are read into memory.
 * The form is detected by content; the name of the file does not matter. */
typedef struct f0t_vectors f0t_vectors;

/* What became of the rows of a file. rows = words + duplicates + empty + invalid + not_finite. */
typedef struct f0t_vectors_counts {
    uint64_t rows;       /* in the file, a truncated one not counted */
    uint64_t words;      /* kept */
    uint64_t duplicates; /* left out: the word occurred before; the first one counts */
    uint64_t empty;      /* left out: no word */
    uint64_t invalid;    /* left out: the word is not UTF-8, or has a NUL or a newline in it */
    uint64_t not_finite; /* left out: NaN, or beyond the range of the numbers */
    uint64_t zero;       /* kept, but all numbers are 0: such a word has no direction */
    uint64_t cut;        /* 1: the last row was truncated and is left out (see `tolerant`) */
} f0t_vectors_counts;

/* NULL is the defaults. */
typedef struct f0t_vectors_options {
    size_t size;
    /* a file that is truncated, or has another number of rows than its first line says, is read as
     * far as possible: a warning instead of an error */
    bool tolerant;
} f0t_vectors_options;

#define F0T_VECTORS_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_vectors_options) \
    }

/* Opens a file of any of these forms. What was left out is logged. */
F0T_API f0t_status f0t_vectors_open(f0t_vectors **out, const char *path,
                                    const f0t_vectors_options *options, const f0t_context *context);
/* The same from memory, which must stay unchanged until close. `name` is for messages. */
F0T_API f0t_status f0t_vectors_open_memory(f0t_vectors **out, const void *data, size_t size,
                                           const char *name, const f0t_vectors_options *options,
                                           const f0t_context *context);
/* From arrays: words[count], all different, and their vectors rows[count x dim], which are copied.
 * `name` is for messages and f0t_vectors_source; NULL: "memory". Fails with F0T_ERROR_ARGUMENT or
 * F0T_ERROR_NUMERIC, naming the word, where a file's word would be left out: word i stays word i.
 *
 *     const char *words[] = {"dog", "cat"};
 *     const float rows[] = {1, 0, 0.9F, 0.1F};
 *     f0t_vectors_create(&vectors, words, rows, 2, 2, NULL);
 */
F0T_API f0t_status f0t_vectors_create(f0t_vectors **out, const char *const *words,
                                      const float *rows, size_t count, size_t dim,
                                      const char *name);
F0T_API void f0t_vectors_close(f0t_vectors *vectors);

F0T_API size_t f0t_vectors_count(const f0t_vectors *vectors);
F0T_API size_t f0t_vectors_dim(const f0t_vectors *vectors);

/* Word i in the order of the file, `*length` bytes of UTF-8, not NUL-terminated. NULL when i is not
 * below the count, or when a mapped file is damaged there. */
F0T_API const char *f0t_vectors_word(size_t *length, const f0t_vectors *vectors, size_t i);

/* The index of the word with exactly this spelling, or F0T_NONE. f0t_vocab_create handles case,
 * plurals and phrases. */
F0T_API size_t f0t_vectors_find(const f0t_vectors *vectors, const char *word, size_t length);

/* The vectors of words first … first + count - 1, as the file has them, into out[count x dim]. */
F0T_API f0t_status f0t_vectors_get(float *out, const f0t_vectors *vectors, size_t first,
                                   size_t count);

/* The mean of all vectors of the file, [dim]. A file that was trimmed has the mean of the file it
 * came from, so that centring does the same with both. */
F0T_API const float *f0t_vectors_mean(const f0t_vectors *vectors);

/* A number that identifies the vector space: the same for a file and whatever was converted or trimmed
 * from it, in any order of the words; different for other vectors. */
F0T_API uint64_t f0t_vectors_fingerprint(const f0t_vectors *vectors);

/* "text", "text with header", "word2vec binary", "fast0tag vectors" or "arrays"; the element type on disk; the
 * file's name, for our own form that of the file that was converted. */
F0T_API const char *f0t_vectors_format(const f0t_vectors *vectors);
F0T_API const char *f0t_vectors_dtype(const f0t_vectors *vectors);
F0T_API const char *f0t_vectors_source(const f0t_vectors *vectors);
F0T_API f0t_vectors_counts f0t_vectors_get_counts(const f0t_vectors *vectors);

/* A word near another: its index and the cosine of the angle between the two. */
typedef struct f0t_neighbour {
    size_t index;
    float cosine;
} f0t_neighbour;

/* The k words whose vectors have the largest cosine with query[dim], best first, ties in the order
 * of the file; *found is less than k when there are fewer words. Words without a direction (all
 * zero, NaN) are not among them. Exact: every word is compared. */
F0T_API f0t_status f0t_vectors_nearest(f0t_neighbour *out, size_t *found, size_t k,
                                       const f0t_vectors *vectors, const float *query,
                                       const f0t_context *context);

/* ---- Files of word vectors --------------------------------------------------------------------- */

/* NULL is the defaults. */
typedef struct f0t_convert_options {
    size_t size;
    bool f16;      /* 16-bit numbers: half the size, three digits */
    bool tolerant; /* as in f0t_vectors_options */
} f0t_convert_options;

#define F0T_CONVERT_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_convert_options) \
    }

/* Writes the word vectors of the file `from`, of any form, into `to` in the form that opens at once
 * (f0t_vectors_open). Needs little memory: the vectors are streamed. `counts` (may be NULL) says
 * what became of the rows. A failure or an interruption leaves an old file `to` as it was. */
F0T_API f0t_status f0t_vectors_convert(f0t_vectors_counts *counts, const char *to, const char *from,
                                       const f0t_convert_options *options,
                                       const f0t_context *context);

/* The same with only the words that these tags need: the tags themselves and everything that
 * f0t_vocab_create may look up for them (other spellings, singular and plural, the words of a
 * phrase). Mean and fingerprint stay those of the whole file. */
F0T_API f0t_status f0t_vectors_trim(f0t_vectors_counts *counts, const char *to, const char *from,
                                    const char *const *tags, size_t tag_count,
                                    const f0t_convert_options *options, const f0t_context *context);

#define F0T_JOIN_MOST 16 /* files */

/* NULL is the defaults. */
typedef struct f0t_join_options {
    size_t size;
    const double *weights; /* [number of files], each above 0; only their ratios matter [1 each] */
    const char *const *tags; /* [tag_count]: only the words that these need, as f0t_vectors_trim
                                has it [NULL: all words] */
    size_t tag_count;
    bool f16, tolerant; /* as in f0t_convert_options */
    /* the files are of one space already, as fastText's aligned vectors of several languages: nothing is put side by
     * side. The vector of a word is that of the first file that has it, centred by the mean of that file, of length
     * 1; without weights */
    bool aligned;
} f0t_join_options;

#define F0T_JOIN_OPTIONS                 \
    {                                    \
        .size = sizeof(f0t_join_options) \
    }

/* Joins the word vectors of from[from_count], files of any form, into the file `to`, which opens at once:
 * what text knows of a word (GloVe) beside what a dictionary says of it (f0t_vectors_build_wordnet). The
 * vector of a word has one block per file, in their order; their dimensions add up.
 *  - A block is the file's vector of the word, centred by the mean of the file, of length 1, times the
 *    weight of the file. The whole is normalised to length 1.
 *  - The words are those of all files, each spelling once: those of the first file, then what the next
 *    one adds. A word that a file does not have in this spelling has the block that a vocabulary would
 *    find for it there, by rules 1 to 4 of f0t_vocab: "palm_tree" and "Palm Tree" meet "palm tree", "dogs"
 *    meets "dog", and a phrase gets the mean of its words. Where these find nothing the block is zero:
 *    such a word has what the other files give.
 *  - The mean of the result is stored as zero, since the blocks are centred: a vocabulary of it is the same
 *    whether it is to be centred or not.
 *  - Its fingerprint follows from the fingerprints of the files, their weights and their order: it is the
 *    same when a file was converted before, or trimmed, or with other `tags`. But a word that was trimmed
 *    away cannot give its block: trim the result, or name `tags`, rather than trim a file before.
 *  - f0t_vectors_source is such as "glove.txt + 0.7 WordNet".
 * Files in the form that opens at once are mapped; others are read into memory first, as by
 * f0t_vectors_open. `counts` (may be NULL) counts the words of all files as rows, those that an earlier
 * file has too as duplicates. A failure or an interruption leaves an old file `to` as it was. */
F0T_API f0t_status f0t_vectors_join(f0t_vectors_counts *counts, const char *to,
                                    const char *const *from, size_t from_count,
                                    const f0t_join_options *options, const f0t_context *context);

/* NULL is the defaults. */
typedef struct f0t_translate_options {
    size_t size;
    const char *const *tags; /* [tag_count]: only the words that these need, as f0t_vectors_trim
                                has it [NULL: all words] */
    size_t tag_count;
    bool only;          /* leave out the words that the dictionary does not have [no] */
    bool f16, tolerant; /* as in f0t_convert_options */
} f0t_translate_options;

#define F0T_TRANSLATE_OPTIONS                 \
    {                                         \
        .size = sizeof(f0t_translate_options) \
    }

#define F0T_DICTIONARY_FOLDER "/usr/share/dictd"

/* Gives the words of another language the vectors of their English meanings: from the word vectors of the
 * file `from`, of any form, and a dictionary into `to`, which opens at once. `dictionary` is a language,
 * "deu": FreeDict's dictionary from it to English, as Debian's packages dict-freedict-deu-eng and some
 * thirty more install it in F0T_DICTIONARY_FOLDER; or the path of a dictionary of dictd, FILE.index with
 * FILE.dict.dz or FILE.dict beside it, whose entries explain words in the language of `from`.
 *  - A meaning (an entry) is the mean of its translations, each found as a vocabulary finds it; the
 *    vector of a word is the mean of its meanings, each weighted by how near the others are to it: what several
 *    entries agree on ("Hund": dog, canine) counts, what one has for itself (a mine car) hardly does.
 *  - Words whose meanings lie apart are counted in the log; with `tags` they are named.
 *  - Words of `from` that the dictionary does not have stay as they are, after the others: "Frisbee" needs no
 *    translation.
 *  - The vector space is that of `from`, mean and fingerprint included: a model that was trained with English
 *    words ranks these, and one trained with these ranks English words.
 * `counts` (may be NULL) counts headwords and words of `from` as rows. A failure or an interruption leaves
 * an old file `to` as it was. */
F0T_API f0t_status f0t_vectors_translate(f0t_vectors_counts *counts, const char *to,
                                         const char *from, const char *dictionary,
                                         const f0t_translate_options *options,
                                         const f0t_context *context);

/* NULL is the defaults. */
typedef struct f0t_wordnet_options {
    size_t size;
    const char *from; /* the directory of WordNet's database files (data.noun, index.noun, …); NULL:
                         F0T_WORDNET_FOLDER, where Debian's package wordnet-base has them */
    size_t dim;       /* numbers per vector [300], up to 4096 */
    bool f16;         /* as in f0t_convert_options */
} f0t_wordnet_options;

#define F0T_WORDNET_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_wordnet_options) \
    }

#define F0T_WORDNET_FOLDER "/usr/share/wordnet"

/* Makes word vectors of all words and phrases of WordNet, a dictionary of English whose entries say
 * what is a kind of, a part of or similar to what, and writes them into `to` in the form that opens
 * at once. Nothing but the dictionary is needed, and the same dictionary always gives the same
 * bytes, with any number of threads. `counts` (may be NULL) says how many words there are.
 * Takes ten seconds on two cores, and 770 MB. docs/wordnet.md says how the vectors are made and how good
 * they are. */
F0T_API f0t_status f0t_vectors_build_wordnet(f0t_vectors_counts *counts, const char *to,
                                             const f0t_wordnet_options *options,
                                             const f0t_context *context);

/* ---- Vocabularies ------------------------------------------------------------------------------ */

/* An ordered list of tags, each with a vector of length 1. A tag is a word or a phrase; it gets its
 * vector from a vector file, the first of these that the file has (and that is not all zero):
 *  1. the tag exactly as it is;
 *  2. its other spellings: "_", "-", a space or nothing between the words of a phrase (palm tree,
 *     palm_tree, palm-tree, palmtree), lower case, folded case (straße: strasse), capitals;
 *  3. its singular, then its plural, then the verb that it is a form of, in English ("dogs" for "dog",
 *     "generate" for "generated"; "bus" is not a plural, "wedding" not a verb); for a phrase, those of
 *     its last word;
 *  4. for a phrase, the mean of the vectors of its words, each of length 1 and each found by 1 to 3.
 *     All of them must be there; stop words (a, of, the, …) are left out of the mean where there is
 *     another word.
 * Tags that have none of these are left out, and the report says so. */
typedef struct f0t_vocab f0t_vocab;

typedef struct f0t_vocab_options {
    size_t size;
    bool centred;        /* subtract the mean of the vector file from each word's vector, before it
                           is normalised to length 1 */
    bool no_suggestions; /* do not search for the nearest spelling of tags without a vector; it is
                            searched for the first 100, in one pass over all words of the file */
} f0t_vocab_options;

#define F0T_VOCAB_OPTIONS                 \
    {                                     \
        .size = sizeof(f0t_vocab_options) \
    }

/* Makes a vocabulary of tags[count]. Tags
 * that differ only in case, Unicode form or separators are one: the first spelling is kept. The vectors
 * may be closed afterwards. A tag that is not UTF-8, or is longer than 1024 bytes, fails. */
F0T_API f0t_status f0t_vocab_create(f0t_vocab **out, const char *const *tags, size_t count,
                                    const f0t_vectors *vectors, const f0t_vocab_options *options,
                                    const f0t_context *context);
F0T_API void f0t_vocab_free(f0t_vocab *vocab);

F0T_API size_t f0t_vocab_count(const f0t_vocab *vocab);
F0T_API size_t f0t_vocab_dim(const f0t_vocab *vocab);

/* Tag i as it was given first; NULL when i is not below the size. */
F0T_API const char *f0t_vocab_tag(const f0t_vocab *vocab, size_t i);

/* Finds a tag in any case and with any separators: *index is its index, or F0T_NONE when the
 * vocabulary does not have it. A missing tag is not a failure; lack of memory is. */
F0T_API f0t_status f0t_vocab_find(size_t *index, const f0t_vocab *vocab, const char *tag);

/* All vectors: [size x dim], each row of length 1. */
F0T_API const float *f0t_vocab_vectors(const f0t_vocab *vocab);

/* Whether the vectors were centred, and their space: a model stores both, and refuses vocabularies
 * that differ. */
F0T_API bool f0t_vocab_centred(const f0t_vocab *vocab);
F0T_API uint64_t f0t_vocab_fingerprint(const f0t_vocab *vocab);

/* How a tag got its vector. */
typedef enum f0t_match {
    F0T_MATCH_EXACT = 0,
    F0T_MATCH_CASE = 1,     /* other letter case or Unicode form */
    F0T_MATCH_JOINED = 2,   /* other separators between the words */
    F0T_MATCH_SINGULAR = 3, /* the vector of the singular */
    F0T_MATCH_PLURAL = 4,   /* the vector of the plural */
    F0T_MATCH_PARTS = 5,    /* the mean of the words of the phrase */
    F0T_MATCH_SAME = 6,     /* the same tag as one before it */
    F0T_MATCH_NONE = 7,     /* no vector */
    F0T_MATCH_BASE = 8      /* the vector of the verb: "run" for "running" */
} f0t_match;

/* "exact", "case", … Never NULL. */
F0T_API const char *f0t_match_name(f0t_match match);

/* What became of one of the tags passed to f0t_vocab_create. */
typedef struct f0t_vocab_entry {
    const char *tag; /* as it was given */
    f0t_match match;
    size_t index;        /* in the vocabulary; F0T_NONE for MATCH_NONE */
    const char *used;    /* the word of the file, or "palm + tree"; NULL for MATCH_NONE and SAME */
    const char *missing; /* MATCH_NONE: the tag, or the first word of the phrase that is missing */
    /* MATCH_NONE: the word of the file that is spelled most like `missing`, NULL when nothing is
     * near or it was not searched for */
    const char *nearest;
} f0t_vocab_entry;

/* The report: one entry per given tag, in that order; none for a vocabulary from f0t_vocab_open. NULL when i is not below the
 * count. */
F0T_API size_t f0t_vocab_entry_count(const f0t_vocab *vocab);
F0T_API const f0t_vocab_entry *f0t_vocab_get_entry(const f0t_vocab *vocab, size_t i);

/* Writes the tags and vectors, and what ranking many of them needs, into a file that f0t_vocab_open maps: a
 * million words open in a millisecond, nothing is copied, and f0t_vocab_rank reads a quarter of the bytes. How the
 * tags got their vectors is not in it, so that an opened vocabulary has no entries. */
F0T_API f0t_status f0t_vocab_save(const f0t_vocab *vocab, const char *path,
                                  const f0t_context *context);
F0T_API f0t_status f0t_vocab_open(f0t_vocab **out, const char *path, const f0t_context *context);
/* The same file as f0t_vocab_create and f0t_vocab_save make, in one pass that does not keep the vectors: some 0.4 GB for
 * a million words of 300 numbers. `tags` NULL: all words of the vectors. Tags without a vector, and those that are the
 * same as one before, are left out; `kept` (may be NULL) is how many were not. */
F0T_API f0t_status f0t_vocab_prepare(size_t *kept, const char *path, const char *const *tags,
                                     size_t count, const f0t_vectors *vectors,
                                     const f0t_vocab_options *options, const f0t_context *context);
/* Reads all of an opened vocabulary's file, which opening does not, and fails with F0T_ERROR_FORMAT where its checksum
 * does not match: codes that were altered would rank wrongly. */
F0T_API f0t_status f0t_vocab_check(const f0t_vocab *vocab);

/* The tags of `a`, then those of `b` that are not in `a`: seen and given tags together. Fails with
 * F0T_ERROR_MISMATCH when they are of different spaces. */
F0T_API f0t_status f0t_vocab_join(f0t_vocab **out, const f0t_vocab *a, const f0t_vocab *b);

/* Tags from a text file, one per line (a gzipped one, too). Spaces at the ends of a line and empty
 * lines are left out. */
typedef struct f0t_tags {
    const char *const *items; /* [count] */
    size_t count;
} f0t_tags;

F0T_API f0t_status f0t_tags_load(f0t_tags **out, const char *path, const f0t_context *context);
/* The nouns of WordNet that name what a picture may show (things, living beings, food, places of nature) and
 * insult nobody, in its order. `folder` has its database files, as for f0t_vectors_build_wordnet; NULL:
 * F0T_WORDNET_FOLDER. */
F0T_API f0t_status f0t_tags_from_wordnet(f0t_tags **out, const char *folder,
                                         const f0t_context *context);
F0T_API void f0t_tags_free(f0t_tags *tags);

/* General words for words, by WordNet: a dog is a domestic animal is an animal. docs/wordnet.md has the rules. */
typedef struct f0t_hypernyms f0t_hypernyms;

#define F0T_HYPERNYMS_MOST 16 /* words that f0t_hypernyms_find gives */

/* `folder` as in f0t_tags_from_wordnet. Takes half a second, and 60 MB. */
F0T_API f0t_status f0t_hypernyms_open(f0t_hypernyms **out, const char *folder,
                                      const f0t_context *context);
F0T_API void f0t_hypernyms_close(f0t_hypernyms *hypernyms);
/* The general words of an English noun, in any case, singular or plural, into words[F0T_HYPERNYMS_MOST], the nearest
 * first, valid until close; *count is 0 for a word that has none, which is not a failure. Of a word with several meanings
 * the first counts, or the second where the first has no general words. They are words that people use ("canine",
 * "chordate" are left out) and not more general than a keyword is ("animal", not "organism"). */
F0T_API f0t_status f0t_hypernyms_find(const char **words, size_t *count,
                                      const f0t_hypernyms *hypernyms, const char *tag);

/* ---- Datasets ---------------------------------------------------------------------------------- */

/*
 * A dataset is a directory: features.npy (M x D), tags.txt (one line per image: its tags, separated by
 * tabs), and optionally split.txt, images.txt, seen.txt, unseen.txt and dataset.json. docs/formats.md
 * has the details. M images, D features, T distinct tags.
 *
 *     f0t_dataset *dataset;
 *     size_t count;
 *     if (f0t_dataset_open(&dataset, "flickr8k", NULL, NULL) == F0T_OK) {
 *         const uint32_t *tags = f0t_dataset_image_tags(&count, dataset, 0);
 *         for (size_t i = 0; i < count; i++)
 *             printf("%s\n", f0t_dataset_tag(dataset, tags[i]));
 *     }
 *     f0t_dataset_close(dataset);
 */
typedef struct f0t_dataset f0t_dataset;

/* Which part of the dataset an image belongs to. */
typedef enum f0t_split { F0T_TRAIN = 0, F0T_VAL = 1, F0T_TEST = 2 } f0t_split;

/* How images are split where there is no split.txt: round(test M) of the images become test and
 * round(val M) val, drawn by seed alone: the same on every machine. */
typedef struct f0t_dataset_options {
    size_t size;
    uint64_t seed; /* 0 */
    double val;    /* 0.1 */
    double test;   /* 0.2 */
} f0t_dataset_options;

#define F0T_DATASET_OPTIONS                                          \
    {                                                                \
        .size = sizeof(f0t_dataset_options), .val = 0.1, .test = 0.2 \
    }

/* Opens a directory; `options` may be NULL. Everything except the features is read and checked: the
 * files must agree in M, and every line must be UTF-8. Features stay on disk. */
F0T_API f0t_status f0t_dataset_open(f0t_dataset **out, const char *path,
                                    const f0t_dataset_options *options, const f0t_context *context);
/* The same from two files: a matrix of features (npy) and the tags of its rows (as tags.txt). Without
 * the matrix (NULL) it is a dataset without features: enough for rules. */
F0T_API f0t_status f0t_dataset_open_files(f0t_dataset **out, const char *features, const char *tags,
                                          const f0t_dataset_options *options,
                                          const f0t_context *context);

/* A dataset that is already in memory. Each text is what the file of that name would contain, line by
 * line; NULL where there is no such file. */
typedef struct f0t_dataset_memory {
    size_t size;
    const char *path;     /* what messages call it, and the folder of relative image paths; NULL:
                             "memory" */
    const void *features; /* [rows x dim]; NULL: none. Borrowed until close; all else is copied */
    const char *dtype;    /* of the features: "float32", "float16" or "float64"; NULL: float32 */
    size_t rows, dim;
    const char *tags; /* tags.txt; the others may be NULL */
    const char *split, *images, *seen, *unseen;
    const char *json; /* dataset.json */
} f0t_dataset_memory;

#define F0T_DATASET_MEMORY                 \
    {                                      \
        .size = sizeof(f0t_dataset_memory) \
    }

F0T_API f0t_status f0t_dataset_open_memory(f0t_dataset **out, const f0t_dataset_memory *memory,
                                           const f0t_dataset_options *options,
                                           const f0t_context *context);

/* A dataset of matrices: features and labels as a program has them, without any text files.
 *
 *     const float features[] = {1, 0, 0, 1, 1, 1};
 *     const uint8_t labels[] = {1, 0, 0, 1, 1, 1};
 *     const char *tags[] = {"dog", "cat"};
 *     f0t_dataset_arrays arrays = {.size = sizeof arrays, .images = 3, .features = features, .dim = 2,
 *                                  .tags = tags, .tag_count = 2, .labels = labels};
 *     f0t_dataset_open_arrays(&dataset, &arrays, NULL, NULL);
 */
typedef struct f0t_dataset_arrays {
    size_t size;
    size_t images;         /* M */
    const float *features; /* [M x dim]; NULL: none. Borrowed until close; all else is copied */
    size_t dim;
    const char *const *tags; /* [tag_count] all different; they are numbered in this order */
    size_t tag_count;        /* T */
    const uint8_t *labels;   /* [M x T], 1 where the image has the tag, else 0; or NULL, and */
    const size_t *offsets;   /* [M + 1] with */
    const uint32_t *indices; /* the tags of image m: `indices` over the half-open range
                                [offsets[m], offsets[m + 1]) */
    const bool *unseen;      /* [T] which tags are unseen, the others being seen; NULL: not said */
    const uint8_t *split;    /* [M] values of f0t_split; NULL: drawn, as the options say */
    const char *name;        /* what messages call it; NULL: "memory" */
} f0t_dataset_arrays;

#define F0T_DATASET_ARRAYS                 \
    {                                      \
        .size = sizeof(f0t_dataset_arrays) \
    }

F0T_API f0t_status f0t_dataset_open_arrays(f0t_dataset **out, const f0t_dataset_arrays *arrays,
                                           const f0t_dataset_options *options,
                                           const f0t_context *context);
F0T_API void f0t_dataset_close(f0t_dataset *dataset);

F0T_API const char *f0t_dataset_path(const f0t_dataset *dataset);
/* Of dataset.json, else the last part of the path. */
F0T_API const char *f0t_dataset_name(const f0t_dataset *dataset);
/* What made the features, as JSON text (dataset.json's "backbone": name, checksum, preprocessing);
 * NULL where it is not known. */
F0T_API const char *f0t_dataset_backbone(const f0t_dataset *dataset);

/* M. */
F0T_API size_t f0t_dataset_image_count(const f0t_dataset *dataset);
/* The line of images.txt, a path relative to the directory or an id; NULL without images.txt. */
F0T_API const char *f0t_dataset_image(const f0t_dataset *dataset, size_t m);
/* [M] values of f0t_split, and whether split.txt gave them (else the seed did). */
F0T_API const uint8_t *f0t_dataset_split(const f0t_dataset *dataset);
F0T_API bool f0t_dataset_split_is_given(const f0t_dataset *dataset);
/* Number of images of one part. */
F0T_API size_t f0t_dataset_split_count(const f0t_dataset *dataset, f0t_split split);

/* T. Tags are numbered: those of seen.txt in its order, then those of unseen.txt, then the others as
 * they occur first in tags.txt. Tags are compared byte by byte, with blanks at their ends removed. */
F0T_API size_t f0t_dataset_tag_count(const f0t_dataset *dataset);
F0T_API const char *f0t_dataset_tag(const f0t_dataset *dataset, size_t t);
/* The index of a tag; false when the dataset does not have it. */
F0T_API bool f0t_dataset_find_tag(size_t *t, const f0t_dataset *dataset, const char *tag);

/* The tags of image m: *count indices, ascending, each once. */
F0T_API const uint32_t *f0t_dataset_image_tags(size_t *count, const f0t_dataset *dataset, size_t m);
/* The same for all images at once: those of image m are `indices` over the half-open range
 * [offsets[m], offsets[m + 1]); `offsets` is [M + 1]. */
F0T_API const size_t *f0t_dataset_offsets(const f0t_dataset *dataset);
F0T_API const uint32_t *f0t_dataset_indices(const f0t_dataset *dataset);
/* How many times a line of tags.txt repeated a tag (repeated tags count once). */
F0T_API uint64_t f0t_dataset_repeats(const f0t_dataset *dataset);

/* The seen and the unseen tags, *count indices each; NULL when the dataset has neither seen.txt nor
 * unseen.txt. With one of the two files, the other list is all other tags. */
F0T_API const uint32_t *f0t_dataset_seen(size_t *count, const f0t_dataset *dataset);
F0T_API const uint32_t *f0t_dataset_unseen(size_t *count, const f0t_dataset *dataset);

/* D; 0 when the dataset has no features. */
F0T_API size_t f0t_dataset_dim(const f0t_dataset *dataset);
/* The features file; NULL without features, or where they are in memory. */
F0T_API const char *f0t_dataset_features_path(const f0t_dataset *dataset);
/* Features of images first, …, first + count - 1 as they are in the file (not normalised) into
 * to[count x D]. Reads only these rows: the file may be larger than memory. Fails with
 * F0T_ERROR_NUMERIC at a NaN or an infinity, naming its row. */
F0T_API f0t_status f0t_dataset_read_features(float *to, const f0t_dataset *dataset, size_t first,
                                             size_t count);

/*
 * Writing a dataset, image by image. It is written into a new directory beside `path` and put in its
 * place by f0t_dataset_commit: there is a complete dataset or none.
 */
typedef struct f0t_dataset_writer f0t_dataset_writer;

/* NULL is a dataset without features that must not replace anything. */
typedef struct f0t_dataset_info {
    size_t size;
    const char *name;     /* NULL: the last part of the path */
    const char *backbone; /* a JSON object, or NULL */
    size_t dim;           /* D, when each image comes with its features; else 0 */
    bool half;            /* write them as float16 */
    const char *features; /* or: an npy file that exists, to be named by dataset.json; else NULL */
    bool replace;         /* an old dataset at `path` may be replaced. Only a dataset ever is: a
                             directory with a file that is not part of one is refused. */
} f0t_dataset_info;

#define F0T_DATASET_INFO                 \
    {                                    \
        .size = sizeof(f0t_dataset_info) \
    }

typedef struct f0t_dataset_row {
    size_t size;
    const char *image; /* path or id; NULL in all rows when there is none */
    const char *const *tags;
    size_t tag_count;
    bool has_split; /* all rows or none */
    f0t_split split;
    const float *features; /* [D], where info.dim is not 0 */
} f0t_dataset_row;

#define F0T_DATASET_ROW                 \
    {                                   \
        .size = sizeof(f0t_dataset_row) \
    }

F0T_API f0t_status f0t_dataset_create(f0t_dataset_writer **out, const char *path,
                                      const f0t_dataset_info *info);
F0T_API f0t_status f0t_dataset_write(f0t_dataset_writer *writer, const f0t_dataset_row *row);
/* Lists for seen.txt and unseen.txt. */
F0T_API f0t_status f0t_dataset_write_seen(f0t_dataset_writer *writer, const char *const *tags,
                                          size_t count);
F0T_API f0t_status f0t_dataset_write_unseen(f0t_dataset_writer *writer, const char *const *tags,
                                            size_t count);
/* Puts the dataset in its place. Frees the writer, also on failure. */
F0T_API f0t_status f0t_dataset_commit(f0t_dataset_writer *writer);
/* Removes what was written and frees the writer. */
F0T_API void f0t_dataset_abort(f0t_dataset_writer *writer);

/* ---- Features ---------------------------------------------------------------------------------- */

/* Features to be tagged: those of a dataset, of an npy file (one row per image), or of an npy file
 * that comes through standard input ("-", read into memory). */
typedef struct f0t_features f0t_features;

F0T_API f0t_status f0t_features_open(f0t_features **out, const char *path,
                                     const f0t_context *context);
F0T_API void f0t_features_close(f0t_features *features);
F0T_API size_t f0t_features_count(const f0t_features *features);
F0T_API size_t f0t_features_dim(const f0t_features *features);
/* What the dataset says of row m, or of all rows (its split.txt); NULL where it does not, or for a bare matrix. */
F0T_API const char *f0t_features_image(const f0t_features *features, size_t m);
F0T_API const uint8_t *f0t_features_split(const f0t_features *features);
/* Rows first, …, first + count - 1 into to[count x dim]. */
F0T_API f0t_status f0t_features_read(float *to, const f0t_features *features, size_t first,
                                     size_t count);

/* ---- Classes of a network -------------------------------------------------------------------- */

/* What a backbone already knows. Most networks were trained to tell C classes apart, and their last layer makes
 * one number per class of the D features: W x + b. The names of the classes have word vectors, so that a
 * picture's probabilities p are a direction, Σ p_c v_c, before anything was learned. */
typedef struct f0t_classes f0t_classes;

/* NULL is the defaults. */
typedef struct f0t_classes_options {
    size_t size;
    const char *output; /* the features, as in f0t_network_options, and of FILE.json where NULL */
    /* the value with one number per class; NULL: as FILE.json says, else the first output that has as many numbers
     * as there are labels */
    const char *classes;
    /* a text file, one line per class: its name, or several with commas between them, "tench, Tinca tinca"; may be
     * empty. NULL: as FILE.json says, else labels.txt in the folder of the network */
    const char *labels;
} f0t_classes_options;

#define F0T_CLASSES_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_classes_options) \
    }

/* The classes of a network: an ONNX file, or the description of the backbone that made some features
 * (f0t_dataset_backbone). Nothing is run. Fails with F0T_ERROR_NOT_FOUND where the classes have no names, with
 * F0T_ERROR_UNSUPPORTED where more than one layer lies between features and classes, and with F0T_ERROR_MISMATCH
 * where names and classes are not equally many. */
F0T_API f0t_status f0t_classes_open(f0t_classes **out, const char *network,
                                    const f0t_classes_options *options, const f0t_context *context);
/* The classes that a blend asks: those of `network`, else of the network that made the dataset's features. Where that one
 * has none with names, or makes other features, *out is NULL and the reason is logged: they are an extra. */
F0T_API f0t_status f0t_classes_open_for(f0t_classes **out, const char *network,
                                        const f0t_dataset *dataset, const f0t_context *context);
/* From arrays: labels[count], "" for a class without a name, weights[count x dim] and bias[count] (NULL: zeros),
 * which are copied. */
F0T_API f0t_status f0t_classes_create(f0t_classes **out, const char *const *labels,
                                      const float *weights, const float *bias, size_t count,
                                      size_t dim);
F0T_API void f0t_classes_close(f0t_classes *classes);

/* C, and D. */
F0T_API size_t f0t_classes_count(const f0t_classes *classes);
F0T_API size_t f0t_classes_dim(const f0t_classes *classes);
/* The label of class c; NULL when c is not below the count. */
F0T_API const char *f0t_classes_label(const f0t_classes *classes, size_t c);

/* The probabilities [rows x C] of the classes for features[rows x D] as the network makes them (not normalised):
 * the softmax of (W x + b) / temperature. 1 is the network's own; a larger one, up to 100, spreads them over more
 * classes, a smaller one, down to 0.01, over fewer. Fails with F0T_ERROR_NUMERIC, naming the row, when a feature
 * is NaN or infinite. */
F0T_API f0t_status f0t_classes_probabilities(float *out, const f0t_classes *classes,
                                             const float *features, size_t rows, double temperature,
                                             const f0t_context *context);

/* Vectors of the classes into out[C x dim], of length 1: that of the first name of the label that has one (as
 * tags have, f0t_vocab_create), else that of the last word of a name ("setter" of "English setter"). Where there
 * is none the row is 0 and found[c] (`found` may be NULL) false. `centred` as in f0t_vocab_options. */
F0T_API f0t_status f0t_classes_vectors(float *out, bool *found, const f0t_classes *classes,
                                       const f0t_vectors *vectors, bool centred,
                                       const f0t_context *context);

/* ---- Training ------------------------------------------------------------------------------ */

/* How f(x), the direction of an image, is made from its features (section 4 of the paper). */
typedef enum f0t_method {
    F0T_METHOD_NET = 0,    /* hidden ReLU layers and a linear one, trained by a ranking loss */
    F0T_METHOD_LINEAR = 1, /* f(x) = A x: ranking SVMs give directions, least squares gives A */
    F0T_METHOD_LINEAR_RANK = 2, /* f(x) = A x + b, trained by a ranking loss */
    /* the net's direction and other experts together, which also learns tags as themselves, those without a
     * vector among them, and says how sure it is: what "fast0tag train" does unless told otherwise */
    F0T_METHOD_BLEND = 3
} f0t_method;

/* The experts of a blend: what they go by. The first five score learned tags, weighted by how well they do on
 * images held out; direction, votes, classes and prior also score new words. */
typedef enum f0t_expert {
    F0T_EXPERT_DIRECTION = 0, /* f(x), and a tag's frequency */
    F0T_EXPERT_TAGS = 1,      /* a net with an output per tag */
    F0T_EXPERT_VOTES = 2,     /* the tags of the nearest training images */
    F0T_EXPERT_RIDGE = 3,     /* least squares onto the tags */
    F0T_EXPERT_FREQUENCY = 4, /* how often a tag was given */
    F0T_EXPERT_CLASSES = 5,   /* what the backbone was trained on (f0t_classes) */
    F0T_EXPERT_PRIOR = 6,     /* which words are frequent, judged by their vectors */
    F0T_EXPERTS = 7           /* how many there are */
} f0t_expert;

/* "direction", "tags", …; NULL for an invalid number. An unknown name fails with F0T_ERROR_NOT_FOUND. */
F0T_API const char *f0t_expert_name(f0t_expert expert);
F0T_API f0t_status f0t_expert_find(f0t_expert *out, const char *name);

/* What training minimises for an image with scores s, relevant tags p and irrelevant tags n. Images without
 * a relevant or without an irrelevant tag are left out, except by F0T_LOSS_LOGISTIC and F0T_PAIRS_BATCH. */
typedef enum f0t_loss {
    F0T_LOSS_RANKNET = 0,            /* mean over p, n of log(1 + exp(s_n - s_p)): the paper's */
    F0T_LOSS_RANKNET_UNWEIGHTED = 1, /* the sum in place of the mean */
    F0T_LOSS_HINGE = 2,              /* each tag on its own, targets +1 and -1 */
    F0T_LOSS_SQUARED_HINGE = 3,      /* the same, squared */
    F0T_LOSS_CRAMMER_SINGER = 4,     /* every p against the worst n */
    F0T_LOSS_MAX_OUT = 5,            /* the worst p against the worst n */
    F0T_LOSS_LISTMLE = 6,            /* likelihood of a list that has the relevant tags first */
    F0T_LOSS_LOGISTIC = 7,           /* log loss of each tag on its own */
    F0T_LOSSES = 8                   /* how many there are */
} f0t_loss;

typedef enum f0t_pairs {
    F0T_PAIRS_IMAGE = 0, /* a relevant and an irrelevant tag of the same image */
    F0T_PAIRS_BATCH = 1  /* of any two images of a mini-batch (ranknet alone) */
} f0t_pairs;

/* The loss of a ranking SVM: max(0, z), the paper's, or its square. */
typedef enum f0t_hinge { F0T_HINGE_PLAIN = 0, F0T_HINGE_SQUARED = 1 } f0t_hinge;

typedef enum f0t_optimizer_kind {
    F0T_OPTIMIZER_ADAM = 0, /* with decoupled weight decay (AdamW) */
    F0T_OPTIMIZER_SGD = 1   /* with momentum */
} f0t_optimizer_kind;

/* How features are conditioned after each image's are divided by their length. */
typedef enum f0t_condition_kind {
    F0T_CONDITION_AUTO = 0,  /* UNIT for the linear method, else SCALE */
    F0T_CONDITION_UNIT = 1,  /* nothing: length 1 */
    F0T_CONDITION_SCALE = 2, /* length √D, so that numbers are about 1 */
    F0T_CONDITION_STANDARD =
        3 /* each feature gets mean 0 and variance 1 over the training images */
} f0t_condition_kind;

/* Reported after each epoch. MiAP in percent, NaN without a validation part. */
typedef struct f0t_epoch {
    size_t number; /* from 1 */
    size_t epochs; /* at most this many */
    double loss;   /* mean over the images of the epoch */
    double miap;   /* of the validation part, over the training tags */
    bool best;     /* the best so far: these weights are kept */
    double rate;   /* the learning rate at its end */
    double images_per_second;
    double seconds; /* of training, since its start */
} f0t_epoch;

enum { F0T_HIDDEN_MAX = 8 };

/* Values that mean "choose it from the data"; no computation produces them by mistake. */
#define F0T_AUTO (-1.7976931348623157e308)
#define F0T_AUTO_COUNT SIZE_MAX
#define F0T_HIDDEN_AUTO F0T_AUTO_COUNT

/* F0T_TRAIN_OPTIONS sets the values in brackets; "auto" is F0T_AUTO or F0T_AUTO_COUNT, chosen by
 * f0t_train from the data and written into the model. Any other value is used as it is, or refused:
 * nothing is replaced silently. */
typedef struct f0t_train_options {
    size_t size;
    f0t_method method; /* [net] */
    uint64_t seed;     /* [0] */

    /* Tags. */
    bool all_tags;        /* train on the dataset's unseen tags too [no] */
    const uint32_t *tags; /* or: train on exactly these tags of the dataset, each once [NULL] */
    size_t tag_count;
    bool centred; /* subtract the mean of the vector file from the tag vectors [yes] */

    /* Net and linear-rank. */
    f0t_loss loss;   /* [ranknet] */
    f0t_pairs pairs; /* [image] */
    bool to_ranksvm; /* regress onto the directions of ranking SVMs instead of the loss [no] */
    f0t_condition_kind condition; /* [auto] */
    size_t hidden_count;          /* [auto: two layers, 2 D and D / 2 units, each at
                                     least as many as the word vectors have dimensions] */
    size_t hidden[F0T_HIDDEN_MAX];
    size_t batch;    /* images per mini-batch [auto: at most 1000, 24 batches per epoch] */
    size_t epochs;   /* at most [auto: about 1500 steps and at least 10 epochs] */
    size_t patience; /* epochs without a better validation MiAP [auto: a quarter] */
    f0t_optimizer_kind optimizer; /* [adam] */
    double rate;                  /* at the start, above 0 [auto] */
    double decay;                 /* of weights, 0 or more [auto] */
    double input_dropout;         /* in the half-open range [0, 1) [auto] */
    double hidden_dropout;        /* net only, likewise [auto: 0.3, the paper's] */
    bool constant_rate;           /* no cosine decay of the rate to 0 [no] */
    bool bf16;                    /* products of bfloat16, sums and weights of float32 [no] */

    /* Linear; hinge and lambda with to_ranksvm, too. */
    f0t_hinge hinge; /* of the ranking SVMs [squared] */
    double lambda;   /* above 0 [auto: chosen by validation MiAP; with to_ranksvm 1] */
    double ridge; /* 0 or more, as a share of the features' mean square [auto: chosen likewise] */

    /* Blend. */
    unsigned without;           /* experts that are switched off: bits 1 << f0t_expert [0: none] */
    const f0t_classes *classes; /* of the backbone that made the features; borrowed [NULL: none] */

    /* The run; of a blend no epochs are reported. */
    const char *checkpoint; /* file for what is needed to resume; NULL: none */
    bool resume;            /* resume from it if it exists */
    void (*epoch)(void *user, const f0t_epoch *epoch); /* may be NULL */
    void *epoch_user;

    /* More of net and linear-rank. */
    double init; /* first scale of the output layer: its weights are normal with deviation
                           init / sqrt(inputs); 0 or more [auto: 0.1] */
    double
        hidden_rate; /* net only: the rate of the hidden layers as a share of `rate`, from 0 to 1;
                           0 leaves them random [auto: 1; losses of one violator less] */
} f0t_train_options;

#define F0T_TRAIN_OPTIONS                                                                    \
    {                                                                                        \
        .size = sizeof(f0t_train_options), .centred = true, .hidden_count = F0T_HIDDEN_AUTO, \
        .batch = F0T_AUTO_COUNT, .epochs = F0T_AUTO_COUNT, .patience = F0T_AUTO_COUNT,       \
        .rate = F0T_AUTO, .decay = F0T_AUTO, .input_dropout = F0T_AUTO,                      \
        .hidden_dropout = F0T_AUTO, .hinge = F0T_HINGE_SQUARED, .lambda = F0T_AUTO,          \
        .ridge = F0T_AUTO, .init = F0T_AUTO, .hidden_rate = F0T_AUTO                         \
    }
/* The same for what has no preprocessor. */
F0T_API const f0t_train_options *f0t_train_options_default(void);

/* Fails with F0T_ERROR_ARGUMENT, saying which value is wrong and why; also when an option is set that
 * the method does not use. f0t_train does this first. */
F0T_API f0t_status f0t_train_options_check(const f0t_train_options *options);
/* The same for one option, named as on the command line ("input-dropout"), whatever its value: fails,
 * naming the methods that it belongs to, when options->method (or its target) does not use it. Names
 * that are not options of training pass. */
F0T_API f0t_status f0t_train_options_check_use(const f0t_train_options *options, const char *name);

/* Names as the command line has them: "net", "ranknet", …; NULL for an invalid number. An unknown
 * name fails with F0T_ERROR_NOT_FOUND and the list of names. */
F0T_API const char *f0t_method_name(f0t_method method);
F0T_API f0t_status f0t_method_find(f0t_method *out, const char *name);
F0T_API const char *f0t_loss_name(f0t_loss loss);
F0T_API f0t_status f0t_loss_find(f0t_loss *out, const char *name);

/* ---- Models ------------------------------------------------------------------------------------ */

/* What training gives: the function from features to directions, the tags it was trained with, and
 * all that was done to features and tag vectors. One safetensors file. Many threads may use one. */
typedef struct f0t_model f0t_model;

/* Learns from the training part of the dataset; its validation part chooses when to stop (and, for
 * the linear method, λ and the ridge). The tags are the seen ones (all, where the dataset does not
 * say which are seen); those without a vector are left out and named in the log, except by a blend, which
 * learns them as themselves. Annotations of other tags are never read. */
F0T_API f0t_status f0t_train(f0t_model **out, const f0t_dataset *dataset,
                             const f0t_vectors *vectors, const f0t_train_options *options,
                             const f0t_context *context);

/* NULL is the defaults. */
typedef struct f0t_refit_options {
    size_t size;
    const f0t_vectors *
        vectors; /* those that the model was trained with, for tags that are new to it [NULL: they are
                                   learned without a vector] */
    size_t
        weight; /* how often the network of tags sees images that a person has reviewed, as against others [2] */
    uint64_t seed; /* [0] */
} f0t_refit_options;

#define F0T_REFIT_OPTIONS                              \
    {                                                  \
        .size = sizeof(f0t_refit_options), .weight = 2 \
    }

/* Goes on with a blend, the model file at `path`, after some corrections, in a fraction of the time of a training: its
 * networks stay, that of tags with some more epochs and an output for each new tag; neighbours' votes, ridge and
 * frequencies are made of all images of the dataset; directions, weights and calibration stay as they are. The dataset
 * has the images that the model has learned from, with their tags of today, and others besides: one with fewer than
 * half as many is refused with F0T_ERROR_MISMATCH. */
F0T_API f0t_status f0t_model_refit(f0t_model **out, const char *path, const f0t_dataset *dataset,
                                   const f0t_refit_options *options, const f0t_context *context);

/* What f0t_train_tune did. */
typedef struct f0t_tuning {
    size_t trials;
    double first, best; /* how the default values and the chosen ones were judged, in percent */
    double seconds;
} f0t_tuning;

/* Searches for better values of what is "auto" in *options (rate, decay, dropout and conditioning of
 * net and linear-rank; λ and ridge of linear; a blend is refused), for about this many seconds, and stores them there:
 * call f0t_train with them next. A fifth of the training tags, drawn by seed, is held out; a trial
 * trains with the others, and is judged on the validation images by the mean of two MiAPs, over the
 * tags it was trained with and over those held out. The first trial has the default values, so that
 * the result is never worse by this measure. Annotations of other tags are never read. Trials are
 * recorded in the file `journal` (NULL: none), one line of JSON per trial; with options->resume the
 * search continues from there. */
F0T_API f0t_status f0t_train_tune(f0t_train_options *options, f0t_tuning *tuning,
                                  const f0t_dataset *dataset, const f0t_vectors *vectors,
                                  double seconds, const char *journal, const f0t_context *context);

F0T_API f0t_status f0t_model_load(f0t_model **out, const char *path, const f0t_context *context);
/* The same from the bytes of such a file, which may be freed afterwards. `name` is for messages. */
F0T_API f0t_status f0t_model_load_memory(f0t_model **out, const void *data, size_t size,
                                         const char *name, const f0t_context *context);
/* Written completely or not at all. */
F0T_API f0t_status f0t_model_save(const f0t_model *model, const char *path);
F0T_API void f0t_model_free(f0t_model *model);

F0T_API f0t_method f0t_model_method(const f0t_model *model);
/* D, the features that it takes; d, the dimension of its directions. */
F0T_API size_t f0t_model_input_dim(const f0t_model *model);
F0T_API size_t f0t_model_dim(const f0t_model *model);
/* The tags it was trained with. */
F0T_API const f0t_vocab *f0t_model_vocab(const f0t_model *model);
/* Which of them a text means: *index is its number, or F0T_NONE. A tag is meant in any spelling, by what was made one with it
 * when the keywords were cleaned ("dogs" for "dog", synonyms), and, where the training had neither, by its plural or singular
 * and with or without spaces. docs/pictures.md has the rule. */
F0T_API f0t_status f0t_model_find_tag(size_t *index, const f0t_model *model, const char *text);
/* How it was trained, as a JSON object: every option with the value that was used, and what the
 * validation part gave. */
F0T_API const char *f0t_model_training(const f0t_model *model);
/* What makes its features, as the dataset said (f0t_dataset_backbone); NULL where it did not. */
F0T_API const char *f0t_model_backbone(const f0t_model *model);
/* Where the keywords of the training's pictures have this tag in their hierarchy, "People|woman" for "woman":
 * the most frequent place; NULL if there is none. f0t_sidecars_write takes such paths. */
F0T_API const char *f0t_model_path(const f0t_model *model, const char *tag);

/* Which of the M rows of a dataset are in this part: out[M]. Its split.txt says so, or else the training, which has
 * drawn parts of its images. Fails with F0T_ERROR_ARGUMENT, saying what to do, where neither does, and where the
 * training has left none for the part: such rows would be tested on what was learned. */
F0T_API f0t_status f0t_model_part(bool *out, const f0t_model *model, const f0t_features *features,
                                  f0t_split part);

/* The directions [rows x d] of features [rows x D], which may be of any length. Fails with
 * F0T_ERROR_NUMERIC, naming the row, when a feature is NaN or infinite. */
F0T_API f0t_status f0t_model_directions(float *out, const f0t_model *model, const float *features,
                                        size_t rows, const f0t_context *context);

/* Fails with F0T_ERROR_MISMATCH when the vocabulary is of another vector space, or not centred as the
 * model's tags are: its ranking would be meaningless. */
F0T_API f0t_status f0t_model_check_vocab(const f0t_model *model, const f0t_vocab *vocab);

/* The k tags that come first along each of directions[rows x d], best first, ties by tag order, and
 * their scores: index and score (may be NULL) are [rows x min(k, size of the vocabulary)]. */
F0T_API f0t_status f0t_vocab_rank(uint32_t *index, float *score, size_t k, const f0t_vocab *vocab,
                                  const float *directions, size_t rows, const f0t_context *context);

/* A direction as it can be drawn: how far each of vectors[count x dim] comes along it, and across it, on the axis
 * at right angles to it that spreads them most; `across` may be NULL. Both are [count]. The direction may be of any
 * length; fails with F0T_ERROR_NUMERIC when it is 0, or not finite. */
F0T_API f0t_status f0t_direction_plane(double *along, double *across, const float *direction,
                                       const float *vectors, size_t count, size_t dim);

/* ---- Networks ---------------------------------------------------------------------------------- */

/* A neural network that turns the pixels of pictures into features: an ONNX file, of the families that
 * docs/onnx.md lists. Its weights may lie in the file or beside it. Many threads may use one.
 *
 *     f0t_network *network;
 *     if (f0t_network_open(&network, "mobilenet_v2.onnx", NULL, NULL) == F0T_OK) {
 *         const f0t_network_input *in = f0t_network_get_input(network);
 *         ... pixels[images x in->channels x in->height x in->width] ...
 *         ... features[images x f0t_network_dim(network)] ...
 *         f0t_network_run(features, network, pixels, images, NULL);
 *     }
 *     f0t_network_close(network);
 */
typedef struct f0t_network f0t_network;

/* NULL is the defaults. */
typedef struct f0t_network_options {
    size_t size;
    const char *output;   /* name of the value to compute; NULL: the features, that is, the input of
                             the classifier at the end of the network */
    bool bf16;            /* convolutions and products of bfloat16, where they are faster */
    size_t height, width; /* of the pictures, where the file does not fix it [224] */
    /* a folder of the user's own that keeps the network as it is prepared for this CPU, so that the next start takes
     * milliseconds: one file for each network, larger than its weights. It may be removed at any time; what is stale, or
     * may be somebody else's, is made anew. NULL: none */
    const char *cache;
} f0t_network_options;

#define F0T_NETWORK_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_network_options) \
    }

/* What the network takes: float32, channels before rows and columns unless `channels_last`. */
typedef struct f0t_network_input {
    const char *name;
    size_t channels, height, width;
    bool channels_last;
} f0t_network_input;

/* Fails with F0T_ERROR_UNSUPPORTED, naming operator and node, when computing the output needs an
 * operator that fast0tag lacks. */
F0T_API f0t_status f0t_network_open(f0t_network **out, const char *path,
                                    const f0t_network_options *options, const f0t_context *context);
/* The same from memory, which must stay unchanged until close. `name` is for messages. */
F0T_API f0t_status f0t_network_open_memory(f0t_network **out, const void *data, size_t size,
                                           const char *name, const f0t_network_options *options,
                                           const f0t_context *context);
F0T_API void f0t_network_close(f0t_network *network);

F0T_API const f0t_network_input *f0t_network_get_input(const f0t_network *network);
/* The name of the output, and how many numbers it has per picture. */
F0T_API const char *f0t_network_output(const f0t_network *network);
F0T_API size_t f0t_network_dim(const f0t_network *network);

/* pixels[images x channels x height x width] to out[images x dim]. The pixels must be what the network
 * was trained with: size, order of channels, mean and scale. The first run with a number of images
 * prepares it; runs use the threads of the context. */
F0T_API f0t_status f0t_network_run(float *out, f0t_network *network, const float *pixels,
                                   size_t images, const f0t_context *context);

/* ---- Features of pictures ---------------------------------------------------------------------- */

/* What turns pictures into features: the built-in descriptor, or a network. A model remembers the one
 * that the features of its training came from (f0t_model_backbone).
 *
 *     f0t_backbone *backbone;
 *     if (f0t_backbone_open(&backbone, "builtin", NULL, NULL) == F0T_OK) {
 *         const char *pictures[] = {"dog.jpg", "beach.png"};
 *         ... features[2 x f0t_backbone_dim(backbone)] ...
 *         f0t_backbone_run(features, NULL, backbone, pictures, 2, NULL);
 *     }
 *     f0t_backbone_close(backbone);
 *
 * Pictures are JPEG, PNG, WebP, TIFF, GIF, HEIC, AVIF, JPEG 2000, JPEG XL, BMP or SVG, or cameras' raw
 * files, of which the preview is taken; they are read by the program
 * fast0tag-picture, which is installed with the library, in processes of their own.
 */
typedef struct f0t_backbone f0t_backbone;

/* Pictures come from anywhere. They are decoded in processes of their own (fast0tag-picture), which open no file but
 * fonts, have no network and cannot start or signal others: a sandbox that the kernel enforces (Landlock and
 * seccomp). Where it cannot, pictures are read without, unless $F0T_REQUIRE_SANDBOX is set: then nothing is read
 * (F0T_ERROR_UNSUPPORTED). */
typedef enum f0t_sandbox {
    F0T_SANDBOX_UNKNOWN = 0, /* no such process was started yet, or none can be */
    F0T_SANDBOX_CLOSED = 1,
    F0T_SANDBOX_NONE = 2 /* a process that decoded had the rights of this one */
} f0t_sandbox;

/* What all of them said so far: NONE where one did. Where none was started yet and `ask`, one is. */
F0T_API f0t_sandbox f0t_picture_sandbox(bool ask);

/* NULL is the defaults. */
typedef struct f0t_backbone_options {
    size_t size;
    const char *preset; /* how pictures are prepared for a network: "imagenet", "caffe-vgg",
                           "mobilenet" or "clip"; NULL: as FILE.json beside FILE.onnx says */
    const char *output; /* as in f0t_network_options, and of FILE.json where NULL */
    bool bf16;
    /* a folder that caches the features of pictures, at most 1 GB per backbone: those of unchanged
     * pictures (path, size, time) are not computed again. It need not exist, may be damaged or
     * removed, and changes no result. NULL: none */
    const char *cache;
    /* what a picture may cost at most, for pictures of strangers: pixels, before any is decoded, and seconds of
     * processor time [0: 400 million and 30, which are also the most] */
    size_t picture_pixels, picture_seconds;
    const char *network_cache; /* as `cache` in f0t_network_options */
} f0t_backbone_options;

#define F0T_BACKBONE_OPTIONS                 \
    {                                        \
        .size = sizeof(f0t_backbone_options) \
    }

/* `name` is "builtin", the path of an ONNX file, or a description such as a model's. Options that do
 * not apply (a preset with "builtin") fail with F0T_ERROR_ARGUMENT. */
F0T_API f0t_status f0t_backbone_open(f0t_backbone **out, const char *name,
                                     const f0t_backbone_options *options,
                                     const f0t_context *context);
F0T_API void f0t_backbone_close(f0t_backbone *backbone);

/* D. */
F0T_API size_t f0t_backbone_dim(const f0t_backbone *backbone);
/* What it is, as a JSON object: name, and for a network its file, checksum and how pictures are
 * prepared. For dataset.json and models. */
F0T_API const char *f0t_backbone_description(const f0t_backbone *backbone);
/* Fails with F0T_ERROR_MISMATCH, saying what differs, when `description` is of another backbone; the
 * location of the file does not matter. */
F0T_API f0t_status f0t_backbone_check(const f0t_backbone *backbone, const char *description);

/* The pictures at these paths: files as they are, and all files below folders that have a picture's
 * file extension, in the order of their names. A picture that two of the paths lead to is there once. Names
 * that begin with a dot, and links to folders, are skipped. */
typedef struct f0t_pictures f0t_pictures;

F0T_API f0t_status f0t_pictures_find(f0t_pictures **out, const char *const *paths, size_t count,
                                     const f0t_context *context);
F0T_API const char *const *f0t_pictures_paths(size_t *count, const f0t_pictures *pictures);
F0T_API void f0t_pictures_free(f0t_pictures *pictures);
/* A number that identifies these files as they are now: by their paths, sizes and times, and those of their
 * XMP sidecars. What was made from the pictures is out of date when it changes. */
F0T_API f0t_status f0t_pictures_fingerprint(uint64_t *out, const char *const *paths, size_t count);

/* Features of `count` pictures into out[count x dim]. A picture that cannot be read is logged,
 * its row is 0 and good[i] false; with `good` NULL the call fails. Uses
 * the threads of the context, each with a process that decodes. */
F0T_API f0t_status f0t_backbone_run(float *out, bool *good, f0t_backbone *backbone,
                                    const char *const *pictures, size_t count,
                                    const f0t_context *context);

/* ---- Networks in eight bits -------------------------------------------------------------------- */

/* A network whose convolutions and dense layers are done in eight bits is smaller and, where the CPU has VNNI, faster.
 * Which range of numbers the eight bits stand for is found by running some pictures of the kind that it is for. Layers
 * that lose too much stay in floats. NULL is the defaults. */
typedef struct f0t_quantize_options {
    size_t size;
    bool entropy; /* ranges that lose the least information; else a percentile of the numbers */
    double percentile; /* [99.999] */
    double
        cosine; /* of the features to those of floats, on average over the pictures, at least [0.99] */
    size_t pictures;             /* at most, taken evenly from those that are given [64] */
    const char *preset, *output; /* as in f0t_backbone_options */
    bool
        narrow; /* weights of seven bits: for other engines on CPUs without VNNI, whose sums overflow else */
} f0t_quantize_options;

#define F0T_QUANTIZE_OPTIONS                                                                       \
    {                                                                                              \
        .size = sizeof(f0t_quantize_options), .percentile = 99.999, .cosine = 0.99, .pictures = 64 \
    }

typedef struct f0t_quantize_report {
    size_t size;
    size_t layers,
        kept;        /* convolutions and dense layers, and those of them that stayed in floats */
    size_t pictures; /* that were run */
    double cosine,
        cosine_least; /* of their features to those of floats: mean, and of the worst picture */
    uint64_t bytes_before, bytes; /* of the files */
} f0t_quantize_report;

/* Makes the ONNX file `to` out of the network at the path `network`: QuantizeLinear and DequantizeLinear around layers
 * of int8 weights with a scale per filter, as other programs read it, too. What FILE.json beside the network says, with
 * the preset and output of the options in its place, goes beside `to`; a file that is there and says something else is
 * refused. Operator sets below 13 are brought to 13 where their operators mean the same there. */
F0T_API f0t_status f0t_network_quantize(f0t_quantize_report *report, const char *to,
                                        const char *network, const char *const *pictures,
                                        size_t count, const f0t_quantize_options *options,
                                        const f0t_context *context);

/* ---- Tagging ----------------------------------------------------------------------------------- */

/*
 * A tagger is all that tagging needs, ready for use: a model, the words to choose from, and the backbone
 * that turns pictures into the model's features. The first example of this header opens one and tags a
 * picture by its path. A server that receives pictures, and wants ten tags of each, writes:
 *
 *     f0t_tag_input input = F0T_TAG_INPUT;
 *     f0t_tag_options options = F0T_TAG_OPTIONS;
 *     input.count = 1;
 *     input.data = &body;
 *     input.sizes = &body_size;
 *     options.k = 10;
 *     f0t_tagger_run(&results, tagger, &input, &options, context);
 *
 * What is done once is done when the tagger is made: the network is prepared, the vectors of the words are
 * laid out for products. Many threads may use one tagger at the same time, each call with a context of its
 * own (threads, monitor); a call that takes long does not hold up the others.
 */
typedef struct f0t_tagger f0t_tagger;

typedef struct f0t_tagger_options {
    size_t size;
    /* the words to rank, seen in training or not; borrowed until close [NULL: the model's tags] */
    const f0t_vocab *vocab;
    /* rank the model's tags together with those of `vocab` */
    bool with_model_tags;
    /* accept a vocabulary of other vectors than the model was trained with, if their dimensions agree;
     * its ranking may be meaningless */
    bool any_space;
    /* do not open the backbone: features are tagged, pictures are refused */
    bool features_only;
    /* as for f0t_backbone_open; one that differs from the model's own is refused [NULL: that] */
    const char *backbone;
    /* as in f0t_backbone_options */
    const char *preset, *output;
    bool bf16;
    const char *cache;
    /* adds the general words of each picture's tags after them, in addition to k, perhaps ones that are not in the
     * vocabulary (index F0T_NONE): "animal" of "dog". Their confidence is that of the surest tag below them;
     * f0t_tagger_write puts tags under them that have no place in the collection's own hierarchy. Borrowed until
     * close [NULL: none] */
    const f0t_hypernyms *hypernyms;
    size_t picture_pixels, picture_seconds;
    const char *network_cache;
} f0t_tagger_options;

#define F0T_TAGGER_OPTIONS                 \
    {                                      \
        .size = sizeof(f0t_tagger_options) \
    }

/* Makes a tagger of a model, which must outlive it. Fails with F0T_ERROR_MISMATCH when vocabulary,
 * backbone and model do not belong together. A model that was trained on bare features has no backbone
 * of its own: unless the options name one, its tagger takes features only. The tagger works on the device
 * of this context, whatever those of later calls. */
F0T_API f0t_status f0t_tagger_create(f0t_tagger **out, const f0t_model *model,
                                     const f0t_tagger_options *options, const f0t_context *context);
/* The same for a model file; the model is the tagger's. */
F0T_API f0t_status f0t_tagger_open(f0t_tagger **out, const char *path,
                                   const f0t_tagger_options *options, const f0t_context *context);
F0T_API void f0t_tagger_close(f0t_tagger *tagger);

F0T_API const f0t_model *f0t_tagger_model(const f0t_tagger *tagger);
/* The words that it chooses from. */
F0T_API const f0t_vocab *f0t_tagger_vocab(const f0t_tagger *tagger);

/* What is to be tagged: `count` pictures, or rows of features. One of paths, data, features and rows is
 * set. */
typedef struct f0t_tag_input {
    size_t size;
    size_t count;
    /* [count] files of pictures; f0t_pictures_find finds those of a folder */
    const char *const *paths;
    /* [count] pictures in memory: what such files contain, sizes[i] bytes each. names[i] is what messages call
     * them, and its extension is what SVG and cameras' raw files are known by; NULL: "picture 1", … */
    const void *const *data;
    const size_t *sizes;
    const char *const *names;
    /* [count x D], D as the model takes them (f0t_model_input_dim) */
    const float *features;
    /* the first `count` rows of these, read block by block, */
    const f0t_features *rows;
    /* or rather these of them, [count] */
    const size_t *which;
} f0t_tag_input;

#define F0T_TAG_INPUT                 \
    {                                 \
        .size = sizeof(f0t_tag_input) \
    }

typedef struct f0t_tag_options {
    size_t size;
    size_t k;    /* tags per picture, at most [5] */
    bool strict; /* a picture that cannot be read fails the call [no] */
    /* what a tag loses that repeats one before it ("wild nature" after "nature": a word in common, or nearly the
     * same vector), as a share of the distance between the first and the 20th score: 0 or more [0.07]. It decides
     * about the first ten places; scores stay as they are, so that they may rise from one tag to the next */
    double diverse;
    /* Of these tags those that are sure enough, perhaps none; 0: all. At most one of the three is set, for a model
     * that says how sure it is (F0T_METHOD_BLEND; others fail with F0T_ERROR_UNSUPPORTED). */
    double confidence; /* the least confidence of a tag, above 0 [0] */
    /* A promise, between 0 and 1: of pictures like those of the training that get a tag at all, the mean share of
     * right tags is at least this. It was tested on images held out from the training, and fails for one in ten
     * draws of them at most, however few they were; where they are too few for it the call fails with
     * F0T_ERROR_UNSUPPORTED and says how much can be promised. Learned tags and new words are promised each for
     * themselves, and a k that cuts off tags takes the least sure. [0] */
    double precision;
    double
        recall; /* likewise: pictures get at least this share, in the mean, of the tags that are right [0] */
} f0t_tag_options;

#define F0T_TAG_OPTIONS                                          \
    {                                                            \
        .size = sizeof(f0t_tag_options), .k = 5, .diverse = 0.07 \
    }

/*
 * What clients do with a confidence unless they are asked for something else, one rule for all of them. Tags of at
 * least F0T_SURE_LEAST, at most F0T_SURE_MOST per picture, are written or accepted together without a look at each: so
 * many of them are right as it says, and more. A person is asked about tags of at least F0T_OFFERED_LEAST: typing a
 * tag takes about six keys, so that a suggestion which is right in one of seven cases is just worth one.
 */
#define F0T_SURE_LEAST 0.6
#define F0T_OFFERED_LEAST 0.15
enum { F0T_SURE_MOST = 5 };

/* A tag and how well it fits: the product of the picture's direction and the tag's vector, larger being
 * better. A score compares the tags of one picture; across pictures it depends on the length of their
 * directions. Of a blend it is a logit, comparable across pictures, and says how sure the tag is. */
typedef struct f0t_tag_score {
    const char *tag; /* of the tagger's vocabulary or hypernyms, and valid as long as those */
    size_t index;    /* in the vocabulary; F0T_NONE: a general word that is not there */
    float score;
    float
        confidence; /* the probability that a person would keep the tag; NaN: the method has none */
} f0t_tag_score;

/* The tags of one picture, or why there are none. */
typedef struct f0t_tag_result {
    size_t input;              /* which picture, from 0 */
    f0t_status status;         /* F0T_OK, or what went wrong with it, */
    const char *error;         /* in one line; NULL where nothing did */
    const f0t_tag_score *tags; /* [count], best first, ties in the order of the vocabulary; general
                                  words of a hierarchy last */
    size_t count;
} f0t_tag_result;

typedef struct f0t_tag_results {
    const f0t_tag_result *items; /* [count], in the order of the input */
    size_t count;
    size_t failed; /* items without tags */
} f0t_tag_results;

/* Tags all of the input. A picture that cannot be read, or a row of `features` with NaN or infinity, does not
 * fail the call unless it is strict: its result has the reason, which is logged as well, and the others
 * have their tags. */
F0T_API f0t_status f0t_tagger_run(f0t_tag_results **out, const f0t_tagger *tagger,
                                  const f0t_tag_input *input, const f0t_tag_options *options,
                                  const f0t_context *context);
F0T_API void f0t_tag_results_free(f0t_tag_results *results);

/* The first half of it: the features of pictures (paths or data of the input) into out[count x D], as the model
 * takes them. Then taggers of the same model with different words (made with features_only) share what costs
 * most. Results have no tags: an item says why its picture could not be read, and its row is 0. */
F0T_API f0t_status f0t_tagger_features(float *out, f0t_tag_results **results,
                                       const f0t_tagger *tagger, const f0t_tag_input *input,
                                       const f0t_context *context);

/* The same for many pictures, without waiting for the last: `each` is called once per picture, in the order
 * of the input and by the calling thread, as soon as the picture's block is done. Blocks begin small, so
 * that the first tags come soon, and grow. A result is valid until `each` returns. Where it returns false, no more
 * are tagged, and f0t_tagger_each fails with F0T_ERROR_INTERRUPTED. Where several processes work together
 * (f0t_context_processes), they share the pictures, and `each` is called in the first one alone. */
typedef bool (*f0t_tag_callback)(void *user, const f0t_tag_result *result);
F0T_API f0t_status f0t_tagger_each(const f0t_tagger *tagger, const f0t_tag_input *input,
                                   const f0t_tag_options *options, f0t_tag_callback each,
                                   void *user, const f0t_context *context);

/* ---- Keywords of pictures ---------------------------------------------------------------------- */

/*
 * Tags as keywords in XMP sidecars, PICTURE.xmp, where photo programs look for them: in dc:subject,
 * lr:hierarchicalSubject and digiKam:TagsList. What is already in a sidecar stays: keywords that a
 * person or another program set are never changed. A list that we create includes the keywords that the
 * person gave the picture elsewhere (XMP, IPTC, its other sidecar), because some programs read only one list.
 * Ours are marked, and the next call replaces them: the same call twice changes nothing. One that somebody
 * removed is not written again. A sidecar is written completely or not at all; one that cannot be read is
 * left unchanged, which is a failure.
 *
 * A file that another program changes meanwhile is read again. What replaces a file has its owner, group,
 * mode, access control list and extended attributes. A sidecar that is a link, a file with several names
 * (hard links) and one whose owner or attributes cannot be kept are left unchanged, which is a failure. A
 * picture that is a link has its sidecar beside the link; embedded tags go into what it points to.
 */
typedef struct f0t_sidecars f0t_sidecars;

typedef struct f0t_sidecar_options {
    size_t size;
    bool plain_name; /* new ones are photo.xmp instead of photo.jpg.xmp; refused next to photo.svg,
                        photo.cr2 or the like, whose sidecar photo.xmp would also be */
    bool dry_run;    /* write nothing, only say what would change */
    bool embed; /* no sidecar: the tags go into the picture itself, JPEG or PNG. All its bytes but
                        those of its XMP packet stay as they are, and so does its mtime */
    bool touch; /* a picture that tags go into has the present time as its mtime */
    /* [folder_count] folders that a person named, borrowed: in pictures' paths that begin with one of
     * them, no link after it is followed when writing. */
    const char *const *folders;
    size_t folder_count;
} f0t_sidecar_options;

#define F0T_SIDECAR_OPTIONS                 \
    {                                       \
        .size = sizeof(f0t_sidecar_options) \
    }

/* `options` may be NULL. For one thread. */
F0T_API f0t_status f0t_sidecars_open(f0t_sidecars **out, const f0t_sidecar_options *options);
F0T_API void f0t_sidecars_close(f0t_sidecars *sidecars);
/* Makes these tags, best first, our tags of the picture. A tag may be a path, "People|woman": then
 * "woman" goes into dc:subject and the path into the other two lists. A word that the person has given the
 * picture is not written again, whatever its path. A sidecar that is there is used, by either name; of two, the
 * one that has tags of ours, else the one that most pictures of the folder that was named have. *path is that of
 * its sidecar (or its own), valid until the next call; *changed says whether it changed (or would). */
F0T_API f0t_status f0t_sidecars_write(const char **path, bool *changed, f0t_sidecars *sidecars,
                                      const char *picture, const char *const *tags, size_t count);
/* Removes all that f0t_sidecars_write wrote into the picture, or its sidecar of the name that the options
 * choose for new ones, and nothing else: the file means what it meant before, with what others changed since.
 * A sidecar, or the packet of a picture, that we made and that holds nothing else is deleted. Nothing happens where there is none. */
F0T_API f0t_status f0t_sidecars_remove(const char **path, bool *changed, f0t_sidecars *sidecars,
                                       const char *picture);
/* How the last file that was written changed (or would): "-old +new", words of the keyword lists; "" where
 * it did not. Valid until the next call. */
F0T_API const char *f0t_sidecars_change(const f0t_sidecars *sidecars);

/* Writes the tags of a result as keywords of a picture, as f0t_sidecars_write does. Tags that the pictures of
 * the training have in a hierarchy go to their place there (f0t_model_path). Fails with the result's own
 * error where there is one, and changes nothing. */
F0T_API f0t_status f0t_tagger_write(const char **path, bool *changed, const f0t_tagger *tagger,
                                    const f0t_tag_result *result, f0t_sidecars *sidecars,
                                    const char *picture);

/* ---- A catalogue ------------------------------------------------------------------------------- */

/*
 * What is known of a collection of pictures, in one file: where they are, when they were taken, a thumbnail, the
 * keywords that people gave them, their features and directions, what a model suggests, and what a person decided
 * about that. It is an SQLite database, which other programs may read while it is open here.
 *
 *     f0t_catalogue *catalogue;
 *     f0t_catalogue_pictures *page;
 *     if (f0t_catalogue_open(&catalogue, NULL, NULL) == F0T_OK &&
 *         f0t_catalogue_list(&page, catalogue, NULL) == F0T_OK)
 *         for (size_t i = 0; i < page->count; i++)
 *             printf("%s\n", page->items[i].path);
 *     f0t_catalogue_pictures_free(page);
 *     f0t_catalogue_close(catalogue);
 *
 * Each call is complete or has changed nothing, whenever the process is killed or the disk is full; many calls
 * become one by f0t_catalogue_begin and f0t_catalogue_commit. Several processes may have a catalogue open: they
 * read at the same time, and wait for each other to write. A catalogue is for one thread: another thread
 * opens its own. A file that is no catalogue, is damaged, of a newer version, or has other tables than we made
 * is refused. Pictures are known by their id, a number above 0 that stays the same when a picture moves.
 */
typedef struct f0t_catalogue f0t_catalogue;

typedef enum f0t_catalogue_mode {
    F0T_CATALOGUE_READ = 0,  /* whatever changes it fails; the file's folder may be read-only */
    F0T_CATALOGUE_WRITE = 1, /* it exists, and may be changed */
    F0T_CATALOGUE_CREATE = 2 /* the same, and it is made where there is none */
} f0t_catalogue_mode;

/* NULL is the defaults. */
typedef struct f0t_catalogue_options {
    size_t size;
    f0t_catalogue_mode mode; /* [read] */
    double wait; /* seconds that a call waits for another process that is writing [10] */
} f0t_catalogue_options;

#define F0T_CATALOGUE_OPTIONS                             \
    {                                                     \
        .size = sizeof(f0t_catalogue_options), .wait = 10 \
    }

/* `path` NULL: $XDG_DATA_HOME/fast0tag/catalogue.f0t, that is ~/.local/share/fast0tag/catalogue.f0t unless set; to
 * create that one, its folders are made too. Nobody but the user may read what is made. */
F0T_API f0t_status f0t_catalogue_open(f0t_catalogue **out, const char *path,
                                      const f0t_catalogue_options *options);
/* What was begun and not committed is undone. */
F0T_API void f0t_catalogue_close(f0t_catalogue *catalogue);
F0T_API const char *f0t_catalogue_path(const f0t_catalogue *catalogue);

/* Makes one change of all calls up to commit: others see all of it or nothing. Between the two, other processes
 * cannot write: keep it short. A call that fails in between leaves what was changed before. */
F0T_API f0t_status f0t_catalogue_begin(f0t_catalogue *catalogue);
F0T_API f0t_status f0t_catalogue_commit(f0t_catalogue *catalogue);
F0T_API f0t_status f0t_catalogue_rollback(f0t_catalogue *catalogue);

typedef enum f0t_picture_state {
    F0T_PICTURE_PRESENT = 0,
    F0T_PICTURE_MISSING = 1,   /* its file was not found when its folder was indexed last */
    F0T_PICTURE_UNREADABLE = 2 /* its file could not be read */
} f0t_picture_state;

#define F0T_NO_DATE INT64_MIN

typedef struct f0t_catalogue_picture {
    int64_t id;
    const char *path; /* absolute; bytes as the file system has them, which need not be UTF-8 */
    f0t_picture_state state;
    const char *error; /* why it could not be read; NULL where it could */
    uint64_t bytes;    /* of the file */
    int64_t mtime;     /* its time in nanoseconds since 1970; F0T_NO_DATE: to be read again, */
    uint64_t hash;     /* and a hash of its content; 0: not known */
    uint64_t sidecars; /* a hash of the sizes and times of its XMP sidecars; 0: it has none */
    int64_t
        taken; /* when the picture was taken: seconds since 1970 by the clock of the camera; F0T_NO_DATE */
    uint32_t width, height; /* upright; 0: not known */
} f0t_catalogue_picture;

typedef struct f0t_catalogue_pictures {
    const f0t_catalogue_picture *items; /* [count] */
    size_t count;
} f0t_catalogue_pictures;

typedef enum f0t_catalogue_order {
    F0T_ORDER_ID = 0,   /* as they were found */
    F0T_ORDER_DATE = 1, /* the latest first; those without a date last */
    F0T_ORDER_PATH = 2
} f0t_catalogue_order;

/* Which pictures are listed: those that are present and fulfil all that is set. */
typedef struct f0t_catalogue_query {
    size_t size;
    f0t_catalogue_order order; /* [id] */
    int64_t after;         /* the id of the last picture of the page before [0: the first page] */
    size_t limit;          /* pictures of a page, at most [100]; 0: all */
    const char *tag;       /* has this tag: a keyword, or one that was accepted [NULL] */
    const char *suggested; /* has an undecided suggestion of this tag [NULL] */
    bool untagged;         /* has no keyword and no accepted tag */
    bool undecided;        /* has a suggestion that is neither decided nor a keyword, of at least */
    double confidence;     /* this confidence [0] (for `suggested` too) */
    int64_t from, before;  /* taken in the half-open range [from, before) [F0T_NO_DATE: open] */
    const char *folder;    /* below this folder [NULL] */
    bool all_states;       /* also those that are missing or unreadable */
} f0t_catalogue_query;

#define F0T_CATALOGUE_QUERY                                                     \
    {                                                                           \
        .size = sizeof(f0t_catalogue_query), .limit = 100, .from = F0T_NO_DATE, \
        .before = F0T_NO_DATE                                                   \
    }

F0T_API f0t_status f0t_catalogue_list(f0t_catalogue_pictures **out, f0t_catalogue *catalogue,
                                      const f0t_catalogue_query *query);
/* How many there are, whatever after and limit say. */
F0T_API f0t_status f0t_catalogue_count(size_t *out, f0t_catalogue *catalogue,
                                       const f0t_catalogue_query *query);
/* One picture, as a list of one. Fails with F0T_ERROR_NOT_FOUND where there is none, and with F0T_ERROR_MISMATCH where the file at the path is not what the catalogue knows. A path may be relative. */
F0T_API f0t_status f0t_catalogue_get(f0t_catalogue_pictures **out, f0t_catalogue *catalogue,
                                     int64_t id);
F0T_API f0t_status f0t_catalogue_find_path(f0t_catalogue_pictures **out, f0t_catalogue *catalogue,
                                           const char *path);
F0T_API void f0t_catalogue_pictures_free(f0t_catalogue_pictures *pictures);

/* Where a keyword of a picture was found. */
typedef enum f0t_keyword_source {
    F0T_KEYWORD_NONE = 0, /* the tag is no keyword of the file */
    F0T_KEYWORD_XMP = 1,
    F0T_KEYWORD_IPTC = 2,
    F0T_KEYWORD_SVG = 3,
    F0T_KEYWORD_SIDECAR = 4
} f0t_keyword_source;

typedef enum f0t_decision { F0T_UNDECIDED = 0, F0T_ACCEPTED = 1, F0T_REJECTED = 2 } f0t_decision;

/* A tag of a picture: what the file, the model and people say of it. */
typedef struct f0t_catalogue_tag {
    const char *tag;
    const char *place; /* in the hierarchy of its keyword, "Places|Europe|Paris"; NULL: none */
    f0t_keyword_source source; /* of the keyword */
    float confidence;          /* of our suggestion; NaN: it is not suggested */
    f0t_decision decision;
    const char *who; /* decided; NULL where nobody did */
    int64_t at;      /* then: seconds since 1970 */
    bool
        written; /* we have written it into the picture's file or sidecar (f0t_catalogue_set_written) */
} f0t_catalogue_tag;

typedef struct f0t_catalogue_tags {
    const f0t_catalogue_tag
        *items; /* [count] keywords, then what was decided, then suggestions, surest first */
    size_t count;
} f0t_catalogue_tags;

/* All tags of a picture, each once; tags that a person rejected are among them. No suggestion is one tag, by the rule of the
 * catalogue's model (f0t_model_find_tag), with what a person has said. */
F0T_API f0t_status f0t_catalogue_get_tags(f0t_catalogue_tags **out, f0t_catalogue *catalogue,
                                          int64_t picture);
F0T_API void f0t_catalogue_tags_free(f0t_catalogue_tags *tags);

/* A tag, with those that are one with it, and how many pictures have it: as a keyword or accepted, and as a suggestion. Its
 * name is the spelling of most pictures. */
typedef struct f0t_catalogue_word {
    const char *tag;
    size_t given, suggested;
} f0t_catalogue_word;

typedef struct f0t_catalogue_words {
    const f0t_catalogue_word *items; /* [count], the most given first */
    size_t count;
} f0t_catalogue_words;

/* The tags that begin with `prefix` in any case (NULL: all), `limit` at most (0: all): for completion. */
F0T_API f0t_status f0t_catalogue_get_words(f0t_catalogue_words **out, f0t_catalogue *catalogue,
                                           const char *prefix, size_t limit);
F0T_API void f0t_catalogue_words_free(f0t_catalogue_words *words);

/* A person's yes or no to a tag of a picture, suggested or not: an accepted tag counts as one that the person gave,
 * a rejected one is not suggested for the picture again. F0T_UNDECIDED takes back what was decided. The last
 * decision counts, also one about a tag that is one with it ("dogs", "dog"); earlier ones are kept. `who` is a name of the
 * caller's choice. */
F0T_API f0t_status f0t_catalogue_decide(f0t_catalogue *catalogue, int64_t picture, const char *tag,
                                        f0t_decision decision, const char *who);

enum { F0T_TAG_SIZE = 1024 }; /* bytes of a tag in a catalogue at most, with its NUL */

/* What f0t_catalogue_undo took back. */
typedef struct f0t_catalogue_undone {
    size_t size;
    int64_t picture; /* 0: there was nothing to undo */
    char tag[F0T_TAG_SIZE];
    f0t_decision was, is; /* the decision before and now */
    size_t count; /* decisions that were taken back; the members above are of the first of them */
} f0t_catalogue_undone;

/* Takes back the last decision of `who` (NULL: of anybody), and with it all of `who` that were made between the same
 * f0t_catalogue_begin and f0t_catalogue_commit; those before them count again. Calling it again takes back what was
 * decided before that. */
F0T_API f0t_status f0t_catalogue_undo(f0t_catalogue_undone *undone, f0t_catalogue *catalogue,
                                      const char *who);

/* Notes that our tags in the picture's file or sidecar are now exactly these; whoever writes them says so. */
F0T_API f0t_status f0t_catalogue_set_written(f0t_catalogue *catalogue, int64_t picture,
                                             const char *const *tags, size_t count);

/*
 * Writes accepted tags into the pictures' XMP sidecars, or the pictures, as f0t_sidecars_write does: what people and other
 * programs wrote stays as it is, and a tag goes where the collection's hierarchy has it. Only pictures are looked at
 * whose accepted tags are others than were written the last time, and only files whose keywords change are touched. A
 * tag that is no longer accepted is taken away again, if we have written it. Whatever ends the call, the next one goes on.
 */
typedef struct f0t_catalogue_write_options {
    size_t size;
    /* as in f0t_sidecar_options: a picture that tags go into keeps its mtime unless touch is set */
    bool embed, plain_name, touch, dry_run;
    /* take back what the last call wrote; the one before it is the next. Decisions stay. A file that nobody has changed
     * since becomes what it was, byte for byte; another one loses our tags, or has those of before */
    bool undo;
    bool all; /* look at every picture that has accepted tags: some file may have lost them */
} f0t_catalogue_write_options;

#define F0T_CATALOGUE_WRITE_OPTIONS                 \
    {                                               \
        .size = sizeof(f0t_catalogue_write_options) \
    }

/* What became of one picture. */
typedef struct f0t_catalogue_written {
    int64_t picture;
    const char *path; /* of the picture */
    const char
        *file;    /* that was written: the picture or its sidecar; NULL where that is not known */
    bool changed; /* whether it changed, or would */
    const char *change; /* how: "-old +new"; "" where it did not */
    f0t_status status;  /* F0T_OK, or why it could not be written, */
    const char *error;  /* in one line; NULL where it could */
    bool exact;         /* with undo: the file is byte for byte what it was before, or gone again */
} f0t_catalogue_written;

/* Where it returns false, no more are written, and the call fails with F0T_ERROR_INTERRUPTED. */
typedef bool (*f0t_catalogue_write_callback)(void *user, const f0t_catalogue_written *written);

/* Calls `each` (may be NULL) once per picture that was looked at, or whose tags were taken out of a sidecar that it has left
 * behind. A picture that cannot be written, or whose file is not the one that the catalogue knows
 * (F0T_ERROR_MISMATCH), does not fail the call, and is looked at again by the next one. */
F0T_API f0t_status f0t_catalogue_write(f0t_catalogue *catalogue,
                                       const f0t_catalogue_write_options *options,
                                       f0t_catalogue_write_callback each, void *user,
                                       const f0t_context *context);

/* The thumbnail of a picture, a JPEG whose longer side has 256 pixels at most; *size is 0 where there is none. The
 * bytes are valid until the next call with this catalogue. */
F0T_API f0t_status f0t_catalogue_get_thumbnail(const void **data, size_t *size,
                                               f0t_catalogue *catalogue, int64_t picture);
/* Its features, as the catalogue's backbone makes them, and its direction, as the catalogue's model does: out[*dim] of
 * room for `most`; *dim is 0 where there are none. */
F0T_API f0t_status f0t_catalogue_get_features(float *out, size_t *dim, size_t most,
                                              f0t_catalogue *catalogue, int64_t picture);
F0T_API f0t_status f0t_catalogue_get_direction(float *out, size_t *dim, size_t most,
                                               f0t_catalogue *catalogue, int64_t picture);

/* The model that suggests: the path of its file; NULL: none. And what makes the features (f0t_backbone_description);
 * NULL: none have been made. */
F0T_API const char *f0t_catalogue_model(const f0t_catalogue *catalogue);
F0T_API const char *f0t_catalogue_backbone(const f0t_catalogue *catalogue);
/* A number that identifies the model by its content; 0: none. */
F0T_API uint64_t f0t_catalogue_model_fingerprint(const f0t_catalogue *catalogue);
/* Another model or backbone. Until a picture is indexed again it has no direction or features, being of another
 * space; the suggestions of the model before stay with it. NULL: none. */
F0T_API f0t_status f0t_catalogue_set_model(f0t_catalogue *catalogue, const char *path,
                                           uint64_t fingerprint);
F0T_API f0t_status f0t_catalogue_set_backbone(f0t_catalogue *catalogue, const char *description);
/* The file of word vectors, the model's own, that new words are looked up in; NULL: none. */
F0T_API const char *f0t_catalogue_vectors(const f0t_catalogue *catalogue);
F0T_API f0t_status f0t_catalogue_set_vectors(f0t_catalogue *catalogue, const char *path);

/* A keyword of a picture: a word, or a path of a hierarchy ("Places|Europe|Paris"), whose last part is the tag. */
typedef struct f0t_catalogue_keyword {
    const char *keyword;
    f0t_keyword_source source;
} f0t_catalogue_keyword;

/* All that is known of a picture but decisions, for f0t_catalogue_put. What is not known stays 0 or NULL. */
typedef struct f0t_catalogue_record {
    size_t size;
    f0t_catalogue_picture picture;         /* id 0: a new picture, or the one of this path */
    const f0t_catalogue_keyword *keywords; /* [keyword_count] */
    size_t keyword_count;
    const void *thumbnail; /* [thumbnail_size] */
    size_t thumbnail_size;
    const float *features; /* [dim] by the catalogue's backbone, kept as float16 */
    size_t dim;
    const float *direction; /* [direction_dim] by the catalogue's model, likewise */
    size_t direction_dim;
    const f0t_tag_score *suggestions; /* [suggestion_count] by the same; tag and confidence count */
    size_t suggestion_count;
} f0t_catalogue_record;

#define F0T_CATALOGUE_RECORD                                                     \
    {                                                                            \
        .size = sizeof(f0t_catalogue_record), .picture = {.taken = F0T_NO_DATE } \
    }

/* Adds the picture, or replaces all that was known of it; decisions about it stay. `id` (may be NULL) is its id. */
F0T_API f0t_status f0t_catalogue_put(int64_t *id, f0t_catalogue *catalogue,
                                     const f0t_catalogue_record *record);

/* A dataset of the pictures that people have tagged or decided about, to train with (f0t_train, f0t_model_refit): each
 * has its keywords and what was accepted, less what was rejected. A picture with nothing but rejections is learned
 * from, too. It holds copies, and may outlive the catalogue. */
F0T_API f0t_status f0t_catalogue_open_dataset(f0t_dataset **out, f0t_catalogue *catalogue,
                                              const f0t_dataset_options *options,
                                              const f0t_context *context);

/* What became of the pictures. */
typedef struct f0t_index_report {
    size_t found;     /* pictures at the paths; they are */
    size_t unchanged; /* as they were: by size and time, theirs and their sidecars', or */
    size_t added, changed;
    size_t moved;      /* known by their content: what was known of them stays with them, */
    size_t updated;    /* have other keywords in a sidecar, or suggestions of another model, */
    size_t unreadable; /* or could not be read, now or before */
    size_t missing;    /* pictures that are not where they were; the catalogue keeps them */
    double seconds;
} f0t_index_report;

/* NULL is the defaults. */
typedef struct f0t_index_options {
    size_t size;
    /* File of the model that suggests tags, which the catalogue remembers [NULL: the model that it has; where it has
     * none, there are no suggestions]. */
    const char *model;
    /* As for f0t_backbone_open; one that differs from the model's own is refused [NULL: the model's, else the
     * catalogue's, else "builtin"]. */
    const char *backbone;
    const char *preset, *output; /* as in f0t_backbone_options */
    bool bf16;
    bool again; /* also try pictures again that could not be read and have not changed */
    /* f0t_catalogue_watch: seconds without a change before it looks [2], and what it calls after each look, unless
     * NULL. */
    double settle;
    void (*indexed)(void *user, const f0t_index_report *report);
    void *user;
} f0t_index_options;

#define F0T_INDEX_OPTIONS                              \
    {                                                  \
        .size = sizeof(f0t_index_options), .settle = 2 \
    }

/* Brings the catalogue up to date with the pictures at these paths, files or folders with all that is below them:
 * adds what is new, reads again what has changed, finds what has moved, and notes what is missing below these folders.
 * A picture is its content: decisions stay with it, wherever it is now, and not with what has come to its path.
 * Of each picture it keeps what f0t_catalogue_record has; suggestions are the tags that the model has learned, of a
 * confidence of at least F0T_SUGGESTED_LEAST, the surest F0T_SUGGESTED_MOST. A picture that cannot be read is logged,
 * and tried again when it has changed; where the system failed, not the file (F0T_ERROR_IO), by the next call.
 * Pictures are committed some dozens at a time: after an interruption, of whatever kind, the next call goes on.
 * `report` (may be NULL) also says what was done before a failure. Without any path nothing is looked for: pictures
 * whose suggestions are of another model get new ones. */
#define F0T_SUGGESTED_LEAST 0.02
enum { F0T_SUGGESTED_MOST = 100 };
F0T_API f0t_status f0t_catalogue_index(f0t_index_report *report, f0t_catalogue *catalogue,
                                       const char *const *paths, size_t count,
                                       const f0t_index_options *options,
                                       const f0t_context *context);
/* The same for folders, and again whenever something has changed in them, when it has settled: until the stop flag of
 * the context's monitor is set, which is no failure. A picture that is still being copied is not read before it is
 * closed. */
F0T_API f0t_status f0t_catalogue_watch(f0t_catalogue *catalogue, const char *const *paths,
                                       size_t count, const f0t_index_options *options,
                                       const f0t_context *context);

/* Brings back the model that the last learning replaced (f0t_catalogue_learn), with the word vectors of then, and gives
 * the pictures its suggestions again (f0t_catalogue_index; `suggested`, may be NULL: how many have new ones). The two
 * change places: called again, it brings back the newer one. Fails with F0T_ERROR_NOT_FOUND where nothing was replaced. */
F0T_API f0t_status f0t_catalogue_restore_model(size_t *suggested, f0t_catalogue *catalogue,
                                               const f0t_context *context);

/* ---- Queries ----------------------------------------------------------------------------------- */

/*
 * What to find in a catalogue: terms, separated by blanks, all of which a picture must meet.
 *
 *     dog                  a word that has a vector, learned by the model or not
 *     "red car"            the same, a phrase
 *     -cat                 without: any term may have the minus
 *     tag:holiday          has this tag of a person; tag:"New York"
 *     before:2020          taken before that year, month (2020-02) or day (2020-02-29) began
 *     after:2020           taken after it ended
 *     date:2019            taken in it; date:2019..2020-02 from the first to the end of the second
 *     is:untagged          has no tag of a person
 *
 * Words that no picture shows, as "with" in girl with umbrella, are left out (F0T_FIND_LEFT_OUT) unless they are in quotes, have a
 * minus, or the query is nothing but them. In quotes, \" and \\ are a quote and a backslash. Pictures without a date meet no term about dates, and all such
 * terms that have the minus.
 */
typedef struct f0t_query f0t_query;

/* A query as it is typed into a field. Fails with F0T_ERROR_ARGUMENT, and names the character where. */
F0T_API f0t_status f0t_query_parse(f0t_query **out, const char *text);
/* The same of the arguments of a program, arguments[count]: each is a term, also with blanks in it (a phrase that
 * the shell took out of its quotes), except that one with a double quote is parsed as f0t_query_parse does. */
F0T_API f0t_status f0t_query_parse_arguments(f0t_query **out, const char *const *arguments,
                                             size_t count);
F0T_API void f0t_query_free(f0t_query *query);
/* The query in one spelling, which parses to the same query. */
F0T_API const char *f0t_query_text(const f0t_query *query);

/* ---- Finding pictures -------------------------------------------------------------------------- */

/*
 * Finds the pictures of a catalogue that a query describes:
 *
 *     f0t_finder *finder = NULL;
 *     f0t_query *query = NULL;
 *     f0t_find_results *found = NULL;
 *     if (f0t_finder_open(&finder, catalogue, NULL, NULL) || f0t_query_parse(&query, "dog -beach") ||
 *         f0t_finder_run(&found, finder, query, NULL, NULL))
 *         fprintf(stderr, "%s\n", f0t_last_error());
 *     for (size_t i = 0; found && i < found->count; i++)
 *         printf("%s %.2f\n", found->items[i].path, found->items[i].confidence);
 *     f0t_find_results_free(found);
 *     f0t_query_free(query);
 *     f0t_finder_close(finder);
 *
 * What the confidence of a word is for a picture:
 *  - a tag that a person gave it, or accepted, is certain (1); one that a person rejected does not hold (0);
 *  - a word that the model has learned has the confidence of the catalogue's suggestion, and none where it is
 *    not suggested;
 *  - any other word with a vector is new: its confidence is that of the model for new words along the picture's
 *    direction, less where the word is far from all that the model has learned, and at most 0.5: the word may be in
 *    no picture at all. All pictures are compared, exactly (the screen of f0t_vocab_rank).
 * Pictures are found where each word reaches its cut: one in ten, for a new word 0.07, or a third of what the
 * model is most sure of for this word among the pictures that nobody decided about, whichever is more. So most words that
 * nothing shows find nothing (docs/catalogue.md has the measure). Several
 * words are ranked by the product of their confidences, the probability of all of them if they are independent; ties
 * are in the order of the ids. Pictures found by tags and dates alone come by date, the latest first.
 *
 * A model without confidences (not F0T_METHOD_BLEND) has no cuts: the nearest are found.
 */
typedef struct f0t_finder f0t_finder;

typedef struct f0t_finder_options {
    size_t size;
    /* that of the catalogue's directions, borrowed [NULL: loaded from f0t_catalogue_model when it is needed] */
    const f0t_model *model;
    /* word vectors for new words, the file that the model was trained with or one made of it [NULL: that of
     * f0t_catalogue_vectors, if any] */
    const char *vectors;
} f0t_finder_options;

#define F0T_FINDER_OPTIONS                 \
    {                                      \
        .size = sizeof(f0t_finder_options) \
    }

/* The catalogue must outlive the finder, and is used by one of them at a time. What is needed once (model, vectors,
 * directions) is kept for the next query, which sees what was changed since, also by another process. The directions are in a file beside the catalogue, NAME.directions, which is
 * made here where it is missing or out of date, and mapped: a million pictures open in milliseconds. Where it cannot be
 * written they are read into memory. */
F0T_API f0t_status f0t_finder_open(f0t_finder **out, f0t_catalogue *catalogue,
                                   const f0t_finder_options *options, const f0t_context *context);
F0T_API void f0t_finder_close(f0t_finder *finder);

typedef struct f0t_find_options {
    size_t size;
    size_t k;          /* pictures, at most [20] */
    bool nearest;      /* no cut: the first k, however unsure */
    double confidence; /* the cut of every word [0: each its own] */
    /* Pictures like this one: a picture of the catalogue, or any other file, whose features are then made. They are
     * ranked by the cosine of the angle between directions, less what all pictures have in common; words of the query
     * are conditions [NULL] */
    const char *like;
} f0t_find_options;

#define F0T_FIND_OPTIONS                          \
    {                                             \
        .size = sizeof(f0t_find_options), .k = 20 \
    }

/* How a word of the query was understood. */
typedef enum f0t_find_kind {
    F0T_FIND_LEARNED = 0, /* the model has learned it */
    F0T_FIND_NEW = 1,     /* by its vector */
    F0T_FIND_TAG = 2,     /* there is no vector: as a tag that people gave */
    F0T_FIND_LEFT_OUT = 3 /* not at all: a word such as "with", which no picture shows */
} f0t_find_kind;

typedef struct f0t_find_word {
    const char *word; /* as in the query */
    bool without;
    f0t_find_kind kind;
    float cut; /* the confidence from which on it holds; NaN: there is none */
    float
        best; /* the highest that the model has for a picture that nobody decided about; NaN: none */
    size_t tagged; /* pictures that have it as a tag of a person */
} f0t_find_word;

typedef struct f0t_find_result {
    int64_t id;
    const char *path;
    int64_t taken; /* F0T_NO_DATE: not known */
    float
        confidence; /* of all words that are wanted; NaN: the query has none, or the model has no confidences */
    bool tagged;      /* all of these are tags of a person */
    float similarity; /* to f0t_find_options.like, -1 … 1; NaN: not asked for */
    /* [word_count] of each word; NaN: it is not known, and not above the cut */
    const float *words;
} f0t_find_result;

typedef struct f0t_find_results {
    const f0t_find_result *items; /* [count], best first */
    size_t count;
    bool more;                  /* there are more than k */
    const f0t_find_word *words; /* [word_count] in the order of the query */
    size_t word_count;
} f0t_find_results;

/* `query` may be NULL where `like` is set. A word that has no vector and is no tag fails with F0T_ERROR_NOT_FOUND. */
F0T_API f0t_status f0t_finder_run(f0t_find_results **out, f0t_finder *finder,
                                  const f0t_query *query, const f0t_find_options *options,
                                  const f0t_context *context);
F0T_API void f0t_find_results_free(f0t_find_results *found);

#ifdef __cplusplus
}
#endif

#endif
