#include "base/parcel.h"

#include "base/alloc.h"

#include <string.h>

f0t_status f0t_parcel_add(f0t_parcel *parcel, const void *from, size_t bytes)
{
    F0T_TRY(f0t_grow(&parcel->data, &parcel->capacity, parcel->bytes, bytes, 1));
    if (bytes)
        memcpy(parcel->data + parcel->bytes, from, bytes);
    parcel->bytes += bytes;
    return F0T_OK;
}

const char *f0t_parcel_take(f0t_parcel_reader *reader, size_t bytes)
{
    const char *taken = reader->at;
    if (bytes > reader->left)
        return NULL;
    reader->at += bytes;
    reader->left -= bytes;
    return taken;
}

f0t_status f0t_parcel_read(void *to, f0t_parcel_reader *reader, size_t bytes)
{
    const char *from = f0t_parcel_take(reader, bytes);
    if (!from)
        return f0t_parcel_fail();
    memcpy(to, from, bytes);
    return F0T_OK;
}

const char *f0t_parcel_take_text(f0t_parcel_reader *reader, size_t bytes)
{
    const char *text = f0t_parcel_take(reader, bytes);
    return text && bytes && memchr(text, 0, bytes) == text + bytes - 1 ? text : NULL;
}

f0t_status f0t_parcel_fail(void)
{
    return f0t_fail(F0T_ERROR_FORMAT, "another process has sent results that are cut or mixed up");
}
