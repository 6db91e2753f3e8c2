#include "fuzz.h"

#include "import/mulan.h"
#include "io/text.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    f0t_names labels = {0};
    if (f0t_mulan_xml_read(&labels, (const char *)data, size, "fuzz") == F0T_OK)
        for (size_t i = 0; i < f0t_names_count(&labels); i++) {
            const char *name = f0t_names_get(&labels, i);
            if (!*name || f0t_text_fault(name, strlen(name)))
                abort();
        }
    f0t_names_free(&labels);
    return 0;
}
