#include "fuzz.h"

#include "import/arff.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 1 << 22 }; /* values read: packed input takes only time */

/* A value is a number, missing, or one of those that the header lists. */
static void check(const f0t_arff *arff)
{
    for (size_t i = 0; i < arff->count; i++) {
        float value = arff->values[i];
        if (isinf(value))
            abort();
        if (arff->attributes[i].kind == F0T_ARFF_NOMINAL && !isnan(value) &&
            (value < 0 || (size_t)value >= f0t_names_count(&arff->attributes[i].values)))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_stream *stream;
    f0t_arff arff;
    bool found = true;
    if (f0t_stream_open_memory(&stream, data, size, "fuzz") != F0T_OK)
        return 0;
    f0t_status status = f0t_arff_open(&arff, stream);
    for (size_t total = 0; status == F0T_OK && found && total < MOST; total += arff.count) {
        status = f0t_arff_next(&found, &arff);
        if (status == F0T_OK && found)
            check(&arff);
    }
    f0t_arff_close(&arff);
    f0t_stream_close(stream);
    return 0;
}
