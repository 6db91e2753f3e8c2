/* The text files of NUS-WIDE; the first byte says which. */
#include "fuzz.h"

#include "import/nuswide.h"

#include "base/alloc.h"

#include <stdlib.h>

static void read_list(f0t_stream *stream)
{
    f0t_names names = {0};
    uint32_t *order = NULL;
    size_t count;
    if (f0t_nus_read_list(&order, &count, stream, &names, false) == F0T_OK)
        for (size_t i = 0, start, length; i < count; i++)
            f0t_nus_photo_id(&start, &length, f0t_names_get(&names, order[i]));
    f0t_names_free(&names);
    f0t_free(order);
}

static void read_words(f0t_stream *stream)
{
    f0t_names words = {0};
    (void)!f0t_nus_read_words(&words, stream);
    f0t_names_free(&words);
}

static void read_matrix(f0t_stream *stream, size_t columns)
{
    f0t_rows rows = {0};
    if (f0t_nus_read_matrix(&rows, stream, columns, NULL) == F0T_OK)
        for (size_t i = 0; i < rows.used; i++)
            if (rows.indices[i] >= columns)
                abort();
    f0t_rows_free(&rows);
}

static void read_column(f0t_stream *stream)
{
    uint8_t column[3 * 8];
    (void)!f0t_nus_read_column(column, stream, 3, 8);
}

static void read_raw(f0t_stream *stream)
{
    f0t_names words = {0};
    f0t_texts ids = {0};
    f0t_rows rows = {0};
    uint32_t index;
    uint64_t others = 0;
    if (f0t_names_add(&index, NULL, &words, "sky", 3) == F0T_OK &&
        f0t_nus_read_raw(&ids, &rows, &others, stream, &words, NULL) == F0T_OK &&
        ids.count != rows.count)
        abort();
    f0t_names_free(&words);
    f0t_texts_free(&ids);
    f0t_rows_free(&rows);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_stream *stream;
    if (!size || f0t_stream_open_memory(&stream, data + 1, size - 1, "fuzz") != F0T_OK)
        return 0;
    switch (data[0] % 6) {
    case 0:
        read_list(stream);
        break;
    case 1:
        read_words(stream);
        break;
    case 2:
        read_matrix(stream, 3);
        break;
    case 3:
        read_matrix(stream, 20);
        break;
    case 4:
        read_column(stream);
        break;
    default:
        read_raw(stream);
    }
    f0t_stream_close(stream);
    return 0;
}
