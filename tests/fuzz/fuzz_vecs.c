/* The first byte chooses the ending of the name. */
#include "fuzz.h"

#include "base/alloc.h"
#include "import/vecs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"x.hvecs", "x.hvecs32", "x.fvec", "x.ivecs"};
    f0t_vecs vecs;
    float *row = NULL;
    if (!size)
        return 0;
    f0t_status status = f0t_vecs_open_memory(&vecs, data + 1, size - 1, names[data[0] % 4]);
    if (status == F0T_OK)
        status = f0t_alloc(&row, vecs.dim, sizeof *row);
    for (size_t i = 0; status == F0T_OK && i < vecs.count; i++)
        status = f0t_vecs_read(row, &vecs, i);
    f0t_free(row);
    f0t_vecs_close(&vecs);
    return 0;
}
