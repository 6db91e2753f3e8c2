#include "fuzz.h"

#include "io/file.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 22 }; /* bytes unpacked: a packed bomb takes only time */

/* Lines and bytes in turn, as the first byte says. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_stream *stream;
    char *line, bytes[100];
    size_t length, got = 1, total = 0;
    uint8_t pattern = size ? data[0] : 0;
    if (!size || f0t_stream_open_memory(&stream, data + 1, size - 1, "fuzz") != F0T_OK)
        return 0;
    for (unsigned i = 0; got && total < MOST; i++) {
        if (pattern >> i % 8 & 1) {
            if (f0t_stream_read(bytes, &got, stream, sizeof bytes) != F0T_OK)
                break;
            total += got;
        } else {
            if (f0t_stream_line(&line, &length, stream) != F0T_OK || !line)
                break;
            if (line[length] != '\0' || memchr(line, '\n', length))
                abort();
            total += length + 1;
        }
    }
    if (f0t_stream_position(stream) > f0t_stream_size(stream))
        abort();
    f0t_stream_close(stream);
    return 0;
}
