/* A request's body of JSON (server/body.h). */
#include "fuzz.h"

#include "body.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    body b;
    if (body_read(&b, (const char *)data, size, 8) != F0T_OK)
        return 0;
    if (!b.rows || b.rows > 8 || !b.dim || !b.params.k || b.params.k > PARAMS_K_MOST)
        abort();
    for (size_t i = 0; i < b.rows * b.dim; i++)
        if (!isfinite(b.features[i]))
            abort();
    free(params_words(&b.params));
    body_free(&b);
    return 0;
}
