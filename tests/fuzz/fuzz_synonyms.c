#include "fuzz.h"

#include "import/synonyms.h"

#include <stdlib.h>

/* Groups of two words or more, none of them empty. */
static void check(const f0t_synonyms *synonyms)
{
    for (size_t g = 0; g < synonyms->count; g++) {
        if (synonyms->groups[g].count < 2)
            abort();
        for (size_t i = 0; i < synonyms->groups[g].count; i++)
            if (!synonyms->groups[g].words[i][0])
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_stream *stream;
    f0t_synonyms *synonyms;
    if (f0t_stream_open_memory(&stream, data, size, "fuzz") != F0T_OK)
        return 0;
    if (f0t_synonyms_read(&synonyms, stream) == F0T_OK)
        check(synonyms);
    f0t_synonyms_free(synonyms);
    f0t_stream_close(stream);
    return 0;
}
