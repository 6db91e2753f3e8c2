#include "onnx/budget.h"

#include "base/monitor.h"
#include "base/size.h"

/* So much for any file, and for each byte of it. */
static const size_t LOAD_BYTES = (size_t)64 << 20, LOAD_BYTES_EACH = 32;
static const size_t RUN_BYTES = (size_t)128 << 20, RUN_BYTES_EACH = 16;
static const size_t ARENA_BYTES = (size_t)512 << 20, ARENA_BYTES_EACH = 64;
static const size_t LOAD_STEPS = 300000000, RUN_STEPS = 300000000, STEPS_EACH = 64;
static const double OPERATIONS = 5e10, OPERATIONS_EACH = 5e4;

enum { AT_ONCE = 1 << 20, IMAGES_MOST = 64 }; /* steps between two looks; pictures that count */

static size_t scaled(size_t base, size_t each, size_t file)
{
    size_t most;
    return f0t_size_mul(&most, each, file) && f0t_size_add(&most, most, base) ? most : SIZE_MAX;
}

static size_t that_count(size_t images)
{
    return images < 1 ? 1 : images > IMAGES_MOST ? IMAGES_MOST : images;
}

f0t_onnx_budget f0t_onnx_budget_load(size_t file, const f0t_monitor *monitor)
{
    f0t_onnx_budget budget = {.monitor = monitor,
                              .file = file,
                              .bytes = scaled(LOAD_BYTES, LOAD_BYTES_EACH, file),
                              .steps = scaled(LOAD_STEPS, STEPS_EACH, file)};
    return budget;
}

f0t_onnx_budget f0t_onnx_budget_run(size_t file, size_t images, const f0t_monitor *monitor)
{
    size_t steps;
    f0t_onnx_budget budget = {
        .monitor = monitor, .file = file, .bytes = scaled(RUN_BYTES, RUN_BYTES_EACH, file)};
    budget.steps = f0t_size_mul(&steps, scaled(RUN_STEPS, STEPS_EACH, file), that_count(images))
                       ? steps
                       : SIZE_MAX;
    return budget;
}

size_t f0t_onnx_budget_arena(size_t file)
{
    return scaled(ARENA_BYTES, ARENA_BYTES_EACH, file);
}

double f0t_onnx_budget_operations(size_t file, size_t images)
{
    return (OPERATIONS + OPERATIONS_EACH * (double)file) * (double)that_count(images);
}

f0t_status f0t_onnx_budget_take(f0t_onnx_budget *budget, size_t count, size_t size)
{
    size_t bytes;
    if (!f0t_size_mul(&bytes, count, size))
        bytes = SIZE_MAX;
    if (bytes > budget->bytes)
        return f0t_fail(
            F0T_ERROR_UNSUPPORTED,
            "it would need %zu MB more memory, which a file of %zu bytes does not explain",
            (bytes >> 20) + 1, budget->file);
    budget->bytes -= bytes;
    return F0T_OK;
}

void f0t_onnx_budget_give(f0t_onnx_budget *budget, size_t count, size_t size)
{
    budget->bytes += count * size; /* was taken before */
}

f0t_status f0t_onnx_budget_look(const f0t_onnx_budget *budget)
{
    if (f0t_monitor_stopped(budget->monitor))
        return f0t_fail(F0T_ERROR_INTERRUPTED, "interrupted in the network");
    return F0T_OK;
}

f0t_status f0t_onnx_budget_grant(f0t_onnx_budget *budget, uint64_t steps)
{
    F0T_TRY(f0t_onnx_budget_look(budget));
    if (steps - budget->granted > budget->steps)
        return f0t_fail(F0T_ERROR_UNSUPPORTED, "it is more work than a file of %zu bytes explains",
                        budget->file);
    budget->steps -= steps - budget->granted;
    budget->granted = budget->steps < AT_ONCE ? budget->steps : AT_ONCE;
    budget->steps -= budget->granted;
    return F0T_OK;
}
