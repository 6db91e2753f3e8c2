#include "fuzz.h"

#include "import/csv.h"

#include <stdlib.h>

enum { MOST = 1 << 22 }; /* bytes of cells: packed input takes only time */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_stream *stream;
    f0t_csv *csv = NULL;
    const f0t_csv_cell *cells;
    size_t count = 1, first = 0, total = 0;
    if (f0t_stream_open_memory(&stream, data, size, "fuzz") != F0T_OK)
        return 0;
    if (f0t_csv_open(&csv, stream, 0) == F0T_OK)
        while (count && total < MOST && f0t_csv_next(&cells, &count, csv) == F0T_OK) {
            for (size_t i = 0; i < count; i++) {
                if (cells[i].text[cells[i].length] != '\0')
                    abort();
                total += cells[i].length + 1;
            }
            if (first && count && count != first)
                abort();
            first = first ? first : count;
        }
    f0t_csv_close(csv);
    f0t_stream_close(stream);
    return 0;
}
