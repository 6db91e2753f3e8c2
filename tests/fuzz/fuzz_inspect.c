#include "fuzz.h"

#include "report/inspect.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_inspection *found;
    if (f0t_inspect_memory(&found, data, size, "fuzz", NULL) == F0T_OK)
        f0t_inspection_free(found);
    return 0;
}
