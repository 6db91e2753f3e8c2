#include "io/npy_header.h"

#include "base/size.h"

#include <stdio.h>
#include <string.h>

/* "3 x 4 float32", cut with … when it is long. */
static void describe(const f0t_npy_header *h, char out[160])
{
    size_t used = 0;
    for (size_t i = 0; i < h->dims && used < 100; i++)
        used += (size_t)snprintf(out + used, 160 - used, "%s%zu", i ? " x " : "", h->shape[i]);
    snprintf(out + used, 160 - used, "%s%s",
             used >= 100 ? " … "
             : used      ? " "
                         : "one ",
             f0t_dtype_name(h->dtype));
}

/* Elements and bytes. As NumPy has it, sizes beside a 0 must multiply to something sane too. */
static f0t_status count_elements(f0t_npy_header *h, size_t *bytes, const char *name)
{
    bool empty = false;
    *bytes = f0t_dtype_size(h->dtype);
    for (size_t i = 0; i < h->dims; i++) {
        empty = empty || !h->shape[i];
        if ((h->shape[i] && !f0t_size_mul(bytes, *bytes, h->shape[i])) || *bytes > PTRDIFF_MAX)
            return f0t_fail(F0T_ERROR_FORMAT, "%s: the sizes in 'shape' multiply to too much",
                            name);
    }
    *bytes = empty ? 0 : *bytes;
    h->count = *bytes / f0t_dtype_size(h->dtype);
    return F0T_OK;
}

static f0t_status check_size(f0t_npy_header *h, size_t size, const char *name)
{
    size_t bytes;
    char what[160];
    F0T_TRY(count_elements(h, &bytes, name));
    describe(h, what);
    if (size - h->offset < bytes)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: the file is cut: its header says %s, %zu bytes, and %zu are there",
                        name, what, bytes, size - h->offset);
    if (size - h->offset > bytes)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: %zu bytes follow the array (%s, %zu bytes): not a file of one array",
                        name, size - h->offset - bytes, what, bytes);
    return F0T_OK;
}

f0t_status f0t_npy_header_parse(f0t_npy_header *h, const void *file, size_t size, const char *name)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    const unsigned char *bytes = file;
    *h = (f0t_npy_header){0};
    if (size < 8 || memcmp(bytes, magic, sizeof magic) != 0)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: is no npy file (its first bytes are not \\x93NUMPY)",
                        name);
    h->version = bytes[6];
    if (h->version < 1 || h->version > 3 || bytes[7] != 0)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "%s: npy version %d.%d is not 1.0, 2.0 or 3.0", name,
                        bytes[6], bytes[7]);
    size_t width = h->version == 1 ? 2 : 4, length = 0, dict = 8 + width;
    if (size < dict)
        return f0t_fail(F0T_ERROR_FORMAT, "%s: the file is cut after %zu bytes", name, size);
    for (size_t i = width; i-- > 0;)
        length = length << 8 | bytes[8 + i];
    if (length > size - dict)
        return f0t_fail(F0T_ERROR_FORMAT,
                        "%s: the header says that it is %zu bytes long, and %zu are there", name,
                        length, size - dict);
    h->offset = dict + length;
    F0T_TRY(f0t_npy_dict_parse(h, (const char *)bytes + dict, length, dict, name));
    return check_size(h, size, name);
}
