/* Anything, recognised by its content; the checksum of a model is made right. */
#include "fuzz.h"
#include "tensors.h"

#include "report/inspect.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_inspection *found;
    const bool tensors = size > 8 && data[8] == '{';
    uint8_t *file = tensors ? tensors_signed_copy(data, size) : NULL;
    if (f0t_inspect_memory(&found, file ? file : data, size, "fuzz", NULL) == F0T_OK)
        f0t_inspection_free(found);
    free(file);
    return 0;
}
