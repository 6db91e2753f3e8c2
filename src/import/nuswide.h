/*
 * NUS-WIDE (Chua et al., CIVR 2009) as it is published: ImageList/, Groundtruth/, NUS_WID_Tags/,
 * ConceptsList/ and Low_Level_Features/, all text. Releases differ in where the folders are and in
 * the case and ending of names, so files are found by name anywhere below the given folder.
 */
#ifndef F0T_IMPORT_NUSWIDE_H
#define F0T_IMPORT_NUSWIDE_H

#include "import/features.h"
#include "io/dataset_folder.h"

/* ---- Files ----------------------------------------------------------------------------------- */

/* The text files (.txt, .dat) below a folder, by their names in lower case. */
typedef struct f0t_nus_files {
    const char *root;
    const f0t_monitor *monitor; /* or NULL */
    f0t_names names;
    f0t_texts paths;
} f0t_nus_files;

f0t_status f0t_nus_files_scan(f0t_nus_files *files, const char *root);
void f0t_nus_files_free(f0t_nus_files *files);
/* Opens one of the files, watched by the monitor. */
f0t_status f0t_nus_files_open(f0t_stream **out, const f0t_nus_files *files, const char *path);
/* The path of NAME.txt or NAME.dat, whatever its case; NULL when there is none. */
const char *f0t_nus_files_find(const f0t_nus_files *files, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Images and words ------------------------------------------------------------------------ */

enum { F0T_NUS_PARTS = 2, F0T_NUS_NO_PART = 0xFF };

/* The images of Imagelist.txt (or of the other two lists in a row, without it). */
typedef struct f0t_nus_images {
    f0t_names all;                  /* paths with slashes */
    uint32_t *parts[F0T_NUS_PARTS]; /* [counts] the images of TrainImagelist and TestImagelist */
    size_t counts[F0T_NUS_PARTS];
    uint8_t *split; /* [all] F0T_TRAIN, F0T_TEST or F0T_NUS_NO_PART */
} f0t_nus_images;

f0t_status f0t_nus_images_read(f0t_nus_images *images, const f0t_nus_files *files);
void f0t_nus_images_free(f0t_nus_images *images);

/* An image list from a stream: appended to `names`; `order` (may be NULL) gets the index of each
 * line and *count their number. With `known` a line that is not in `names` yet fails. */
f0t_status f0t_nus_read_list(uint32_t **order, size_t *count, f0t_stream *stream, f0t_names *names,
                             bool known);

/* One word per line; one that is there twice fails. */
f0t_status f0t_nus_read_words(f0t_names *words, f0t_stream *stream);

/* The photo's id: "2124494179" of "actor/0001_2124494179.jpg". */
void f0t_nus_photo_id(size_t *start, size_t *length, const char *text);

/* ---- Marks ----------------------------------------------------------------------------------- */

/* Which of some words each image has. */
typedef struct f0t_nus_marks {
    f0t_rows rows;
    uint32_t *row_of; /* [images] the row of an image, UINT32_MAX without; NULL: the same number */
} f0t_nus_marks;

void f0t_nus_marks_free(f0t_nus_marks *marks);
/* The words of image m. */
const uint32_t *f0t_nus_marks_get(size_t *count, const f0t_nus_marks *marks, size_t m);

/* A matrix of 0 and 1, separated by blanks or tabs, one row per line: `columns` in each. Here
 * and below empty lines are passed over. */
f0t_status f0t_nus_read_matrix(f0t_rows *rows, f0t_stream *stream, size_t columns,
                               const f0t_monitor *monitor);
/* A 0 or 1 per line: `count` lines into column[0], column[stride], … */
f0t_status f0t_nus_read_column(uint8_t *column, f0t_stream *stream, size_t stride, size_t count);

/* All_Tags.txt: an id and the photo's raw tags per line. `ids` (one per line) and rows over `words`;
 * *others counts tags that are no words. */
f0t_status f0t_nus_read_raw(f0t_texts *ids, f0t_rows *rows, uint64_t *others, f0t_stream *stream,
                            const f0t_names *words, const f0t_monitor *monitor);

/* The ground truth of the concepts, and the matrix of the 1,000 tags; *found is false where the
 * release lacks the files. */
f0t_status f0t_nus_concepts_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                                 const f0t_nus_images *images, const f0t_names *concepts);
f0t_status f0t_nus_tags_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                             const f0t_nus_images *images, const f0t_names *tags);
f0t_status f0t_nus_raw_read(f0t_nus_marks *marks, bool *found, const f0t_nus_files *files,
                            const f0t_nus_images *images, const f0t_names *words,
                            f0t_import_job *job);

/* ---- Low-level features ---------------------------------------------------------------------- */

typedef struct f0t_nus_features f0t_nus_features;

/* Opens the files of "CH,EDH": Normalized_CH.dat in the order of Imagelist, or Train_Normalized_CH.dat
 * and Test_Normalized_CH.dat in that of their lists (*by_part). */
f0t_status f0t_nus_features_open(f0t_nus_features **out, bool *by_part, const f0t_nus_files *files,
                                 const f0t_nus_images *images, const char *names);
void f0t_nus_features_close(f0t_nus_features *features);
size_t f0t_nus_features_dim(const f0t_nus_features *features);
/* Row `row` of the files (train, then test), which are read once: rows must ascend. */
f0t_status f0t_nus_features_read(float *to, f0t_nus_features *features, size_t row);

#endif
