#include "base/fault.h"

#include <stdatomic.h>

/* `armed` is apart from the counters so that a program without faults only reads. */
static atomic_bool armed;
static struct {
    atomic_uint_fast64_t nth, count;
} faults[F0T_FAULT_KINDS];

void f0t_fault_set(f0t_fault kind, uint64_t nth)
{
    atomic_store(&faults[kind].nth, nth);
    atomic_store(&faults[kind].count, 0);
    atomic_store(&armed, true);
}

uint64_t f0t_fault_count(f0t_fault kind)
{
    return atomic_load(&faults[kind].count);
}

bool f0t_fault_hit(f0t_fault kind)
{
    if (!atomic_load_explicit(&armed, memory_order_relaxed))
        return false;
    return atomic_fetch_add(&faults[kind].count, 1) + 1 == atomic_load(&faults[kind].nth);
}
