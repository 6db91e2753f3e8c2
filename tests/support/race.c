/* Two threads of OpenMP that do not wait for each other: what the thread sanitizer must find, or it finds nothing elsewhere. */
#include <omp.h>
#include <stdio.h>

int main(void)
{
    static int shared;
    int alone = 0;
#pragma omp parallel num_threads(2)
    {
#pragma omp atomic
        alone++;
        for (int i = 0; i < 1000; i++)
            shared++;
    }
    printf("%d threads, %d\n", alone, shared);
    return 0;
}
