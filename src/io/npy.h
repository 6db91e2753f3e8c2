/* NumPy's .npy, versions 1 to 3: one array. */
#ifndef F0T_IO_NPY_H
#define F0T_IO_NPY_H

#include "base/dtype.h"
#include "io/file.h"

enum { F0T_NPY_DIMS = 32 };

typedef struct f0t_npy f0t_npy;

/* The file is exactly one array: one that is cut, and one with bytes after its array, is refused.
 * Reading fails where another program has made it shorter meanwhile. */
f0t_status f0t_npy_open(f0t_npy **out, const char *path);
/* `data` is borrowed and lives longer than the array. */
f0t_status f0t_npy_open_memory(f0t_npy **out, const void *data, size_t size, const char *name);
/* The same for a bare row-major matrix, without a header. */
f0t_status f0t_npy_open_matrix(f0t_npy **out, const void *elements, f0t_dtype dtype, size_t rows,
                               size_t cols, const char *name);
void f0t_npy_close(f0t_npy *npy);

f0t_dtype f0t_npy_dtype(const f0t_npy *npy);
size_t f0t_npy_dims(const f0t_npy *npy);         /* number of dimensions */
const size_t *f0t_npy_shape(const f0t_npy *npy); /* [dims] */
size_t f0t_npy_count(const f0t_npy *npy);        /* elements: the product of the shape */
bool f0t_npy_fortran(const f0t_npy *npy);        /* column-major on disk */
bool f0t_npy_swapped(const f0t_npy *npy);        /* the other byte order on disk */
int f0t_npy_version(const f0t_npy *npy);         /* 1, 2 or 3 */

/* As a matrix: rows x cols. A vector has one column, a single number is 1 x 1; fails (FORMAT) for
 * more than two dimensions, and for rows without columns, whose number no file size backs. */
f0t_status f0t_npy_matrix(size_t *rows, size_t *cols, const f0t_npy *npy);

/* The elements where they lie in the file when they are row-major, of this machine's byte order and
 * aligned for their type; else NULL. */
const void *f0t_npy_data(const f0t_npy *npy);

/* Rows [first, first + count) of the matrix as float32 into to[count x cols], whatever is on disk.
 * Reads only what it needs: files may be larger than memory. Column-major files are met in one
 * strip per column: ask for hundreds of rows at once there. */
f0t_status f0t_npy_read_rows(float *to, const f0t_npy *npy, size_t first, size_t count);

/* Elements [first, first + count) in the order of the file, whatever their shape, in this machine's
 * byte order. */
f0t_status f0t_npy_read_elements(void *to, const f0t_npy *npy, size_t first, size_t count);

/* Writes a row-major matrix in a stream: begin, rows in as many calls as one likes, commit when all
 * are there. */
typedef struct f0t_npy_writer f0t_npy_writer;

f0t_status f0t_npy_create(f0t_npy_writer **out, const char *path, f0t_dtype dtype, size_t cols);
/* `rows` more rows of float32; they are converted to the file's type (F32, F16 or F64). */
f0t_status f0t_npy_write_rows(f0t_npy_writer *writer, const float *from, size_t rows);
/* Writes the number of rows into the header and puts the file in its place. Frees the writer, also
 * on failure. */
f0t_status f0t_npy_commit(f0t_npy_writer *writer);
void f0t_npy_abort(f0t_npy_writer *writer);

#endif
