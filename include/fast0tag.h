/*
 * fast0tag: image tagging with words it has never seen.
 *
 * A picture has a principal direction in word-vector space: along it, the words that fit the
 * picture come before the words that do not. fast0tag learns a function from picture features to
 * that direction and ranks any vocabulary along it.
 *
 * This header is the manual of the library, meant to be read from top to bottom; the part for
 * importing, inspecting and reporting is fast0tag_tools.h. What stands here so far is the ground:
 * word vectors, vocabularies and datasets.
 *
 *     f0t_vectors *vectors = NULL;
 *     f0t_vocab *vocab = NULL;
 *     const char *tags[] = {"palm tree", "dogs"};
 *     if (f0t_vectors_open(&vectors, "glove.safetensors", NULL) ||
 *         f0t_vocab_create(&vocab, tags, 2, vectors, NULL))
 *         fprintf(stderr, "%s\n", f0t_last_error());
 *     else
 *         printf("%zu tags of %zu dimensions\n", f0t_vocab_size(vocab), f0t_vocab_dim(vocab));
 *     f0t_vocab_free(vocab);
 *     f0t_vectors_close(vectors);
 *
 * Contract, kept by every function:
 *  - A function that can fail returns f0t_status, F0T_OK being 0; one that returns void or a value
 *    cannot fail. After a failure f0t_last_error() has one line that says what and where.
 *  - Outputs come first. `T **out` gives an object that the caller frees; on failure *out is NULL.
 *    A returned `const T *` is borrowed and lives as long as the object it was asked from.
 *  - Every free or close takes NULL. Strings are UTF-8. Matrices are row-major, without padding.
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
    F0T_ERROR_MEMORY = 1,      /* no memory */
    F0T_ERROR_IO = 2,          /* the system could not open, read, write or rename */
    F0T_ERROR_FORMAT = 3,      /* a file is not what it should be */
    F0T_ERROR_ARGUMENT = 4,    /* a call was made with values that make no sense */
    F0T_ERROR_MISMATCH = 5,    /* two inputs do not belong together */
    F0T_ERROR_NOT_FOUND = 6,   /* a file, word or name does not exist */
    F0T_ERROR_UNSUPPORTED = 7, /* right, but nothing that this version can do */
    F0T_ERROR_NUMERIC = 8,     /* NaN, a singular matrix, no convergence */
    F0T_ERROR_INTERRUPTED = 9, /* the stop flag of the monitor was set */
    F0T_ERROR_INTERNAL = 10    /* a defect of fast0tag */
} f0t_status;

/* The last failure of the calling thread: one line, without newline, never NULL, never empty after
 * a failure. Overwritten by the next failure; success leaves it alone. */
F0T_API const char *f0t_last_error(void);

/* A short name such as "bad format". Never NULL. */
F0T_API const char *f0t_status_name(f0t_status status);

/* ---- Watching long work -------------------------------------------------------------------- */

typedef enum f0t_log_level { F0T_LOG_INFO = 0, F0T_LOG_WARNING = 1 } f0t_log_level;

/* How far a piece of work is. `total` is 0 where it is not known. */
typedef struct f0t_progress {
    const char *stage; /* what is being done: "reading glove.txt" */
    const char *unit;  /* of done and total: "bytes", "images", "rules" */
    uint64_t done;
    uint64_t total;
} f0t_progress;

/* Functions that may take long take a monitor, or NULL. Its callbacks come from the calling thread,
 * progress about ten times a second. Set *stop (from a signal handler, from another thread) and the
 * work ends soon with F0T_ERROR_INTERRUPTED. Any member may be NULL. */
typedef struct f0t_monitor {
    void (*log)(void *user, f0t_log_level level, const char *line);
    void (*progress)(void *user, const f0t_progress *progress);
    void *user;
    const volatile sig_atomic_t *stop;
} f0t_monitor;

/* ---- Threads ------------------------------------------------------------------------------- */

/* Number of threads that the library's own parallel work uses in this process: 0 (the start value)
 * means as many as the machine has. */
F0T_API void f0t_threads_set(int count);
F0T_API int f0t_threads_get(void);

#ifdef __cplusplus
}
#endif

#endif
