/* Products as everybody calls them: checks, the cache of prepared products, execution. */
#include "math/matmul.h"

#include "base/alloc.h"
#include "base/context.h"
#include "base/monitor.h"
#include "base/size.h"
#include "base/team.h"
#include "math/onednn.h"
#include "math/panels.h"
#include "math/tiles.h"
#include "math/workspace.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* ---- Prepared products, kept for the next call of the same shape ------------------------------ */

/* A plan and what it was made for. */
typedef struct cached_plan {
    f0t_matmul op;
    bool bias;
    int threads;
    f0t_plan *plan;
    struct cached_plan *next;
} cached_plan;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cached_plan *idle; /* last used first */

static bool same_op(const f0t_matmul *x, const f0t_matmul *y)
{
    return x->m == y->m && x->n == y->n && x->k == y->k && x->type == y->type &&
           x->result == y->result && x->a_transposed == y->a_transposed &&
           x->b_transposed == y->b_transposed && x->accumulate == y->accumulate &&
           x->relu == y->relu;
}

static cached_plan *take_idle(const f0t_matmul *op, bool bias, const f0t_packed *packed)
{
    int threads = f0t_team_size();
    cached_plan *found = NULL;
    pthread_mutex_lock(&lock);
    for (cached_plan **at = &idle; *at; at = &(*at)->next)
        if ((*at)->bias == bias && (*at)->threads == threads && same_op(&(*at)->op, op) &&
            f0t_plan_fits((*at)->plan, packed)) {
            found = *at;
            *at = found->next;
            break;
        }
    pthread_mutex_unlock(&lock);
    return found;
}

static void release(cached_plan *cached)
{
    while (cached) {
        cached_plan *next = cached->next;
        f0t_plan_free(cached->plan);
        f0t_free(cached);
        cached = next;
    }
}

/* Takes a plan out of the cache, or makes one: it is the caller's alone until given back. */
static f0t_status take_plan(cached_plan **out, const f0t_matmul *op, bool bias,
                            const f0t_packed *packed)
{
    *out = take_idle(op, bias, packed);
    if (*out)
        return F0T_OK;
    cached_plan *made;
    F0T_TRY(f0t_alloc_zero(&made, 1, sizeof *made));
    made->op = *op;
    made->bias = bias;
    made->threads = f0t_team_size();
    f0t_status status = f0t_plan_create(&made->plan, op, bias, packed);
    if (status == F0T_OK)
        *out = made;
    else
        release(made);
    return status;
}

static void give_plan(cached_plan *cached)
{
    cached_plan *surplus = NULL;
    pthread_mutex_lock(&lock);
    cached->next = idle;
    idle = cached;
    cached_plan *last = idle;
    for (int kept = 1; last && kept < F0T_MATMUL_KEPT; kept++)
        last = last->next;
    if (last) {
        surplus = last->next;
        last->next = NULL;
    }
    pthread_mutex_unlock(&lock);
    release(surplus);
}

static void clear_plans(void)
{
    pthread_mutex_lock(&lock);
    cached_plan *all = idle;
    idle = NULL;
    pthread_mutex_unlock(&lock);
    release(all);
}

size_t f0t_matmul_kept(void)
{
    size_t count = 0;
    pthread_mutex_lock(&lock);
    for (cached_plan *at = idle; at; at = at->next)
        count++;
    pthread_mutex_unlock(&lock);
    return count;
}

/* ---- Checks ----------------------------------------------------------------------------------- */

static f0t_status check_size(size_t rows, size_t cols)
{
    size_t bytes;
    if (!f0t_size_mul(&bytes, rows, cols) || !f0t_size_mul(&bytes, bytes, sizeof(float)) ||
        bytes > PTRDIFF_MAX)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a matrix of %zu x %zu is larger than memory can be",
                        rows, cols);
    return F0T_OK;
}

static f0t_status check(const f0t_matmul *op)
{
    if (op->type != F0T_F32 && op->type != F0T_BF16)
        return f0t_fail(F0T_ERROR_ARGUMENT, "products take float32 or bfloat16, not %s",
                        f0t_dtype_name(op->type));
    if (op->result != F0T_F32 && (op->result != F0T_BF16 || op->type != F0T_BF16))
        return f0t_fail(F0T_ERROR_ARGUMENT, "a product of %s matrices cannot be %s",
                        f0t_dtype_name(op->type), f0t_dtype_name(op->result));
    if (op->accumulate && op->result != F0T_F32)
        return f0t_fail(F0T_ERROR_ARGUMENT, "a product can be added to float32 only, not to %s",
                        f0t_dtype_name(op->result));
    F0T_TRY(check_size(op->m, op->n));
    F0T_TRY(check_size(op->m, op->k));
    return check_size(op->k, op->n);
}

/* ---- Execution -------------------------------------------------------------------------------- */

/* k = 0: only what is around A·B. */
static void run_empty(void *c, const float *bias, const f0t_matmul *op)
{
    float *c32 = c;
    uint16_t *c16 = c;
    for (size_t i = 0; i < op->m * op->n; i++) {
        float value = (bias ? bias[i % op->n] : 0.0F) + (op->accumulate ? c32[i] : 0.0F);
        if (op->relu && value < 0)
            value = 0;
        if (op->result == F0T_BF16)
            c16[i] = f0t_f32_to_bf16_ref(value);
        else
            c32[i] = value;
    }
}

static f0t_status run_plan(cached_plan *cached, void *c, const void *a, const void *b,
                           const float *bias)
{
    f0t_workspace *scratch;
    F0T_TRY(f0t_workspace_take(&scratch, f0t_plan_scratch(cached->plan)));
    f0t_status status = f0t_plan_run(c, cached->plan, a, b, bias, scratch->data);
    f0t_workspace_give(scratch);
    return status;
}

static f0t_status run_native(void *c, const void *a, const void *b, const float *bias,
                             const f0t_matmul *op, const f0t_packed *packed)
{
    cached_plan *cached;
    const float *panels = packed ? f0t_packed_panels(packed) : NULL;
    if (panels)
        return f0t_panels_run(c, a, panels, bias, op);
    int before = f0t_team_enter();
    f0t_status status = take_plan(&cached, op, bias != NULL, packed);
    if (status == F0T_OK) {
        status = run_plan(cached, c, a, packed ? f0t_packed_data(packed) : b, bias);
        give_plan(cached);
    }
    f0t_team_leave(before);
    return status;
}

/* Bfloat16 on a CPU where it is not native: the same numbers in float32. A packed B holds float32 already. */
static f0t_status run_widened(void *c, const void *a, const void *b, const float *bias,
                              const f0t_matmul *op, const f0t_packed *packed)
{
    size_t of_a = op->m * op->k, of_b = packed ? 0 : op->k * op->n;
    size_t of_c = op->result == F0T_BF16 ? op->m * op->n : 0, total;
    f0t_workspace *wide;
    f0t_matmul wide_op = *op;
    wide_op.type = wide_op.result = F0T_F32;
    if (!f0t_size_add(&total, of_a, of_b) || !f0t_size_add(&total, total, of_c) ||
        !f0t_size_mul(&total, total, sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "no memory for a product of %zu x %zu x %zu", op->m,
                        op->n, op->k);
    F0T_TRY(f0t_workspace_take(&wide, total));
    float *wide_a = wide->data, *wide_b = wide_a + of_a, *wide_c = wide_b + of_b;
    f0t_dtype_to_f32(wide_a, a, F0T_BF16, of_a);
    f0t_dtype_to_f32(wide_b, b, F0T_BF16, of_b);
    f0t_status status = run_native(of_c ? wide_c : c, wide_a, wide_b, bias, &wide_op, packed);
    if (status == F0T_OK && of_c)
        f0t_f32_to_bf16(c, wide_c, of_c);
    f0t_workspace_give(wide);
    return status;
}

/* Multiplications that a core does in ten microseconds at best: a second thread would have to be there within five. */
static const double SHARED = 5e5;

static bool is_small(const f0t_matmul *op)
{
    return (double)op->m * (double)op->n * (double)op->k < SHARED;
}

static bool is_narrow(const f0t_packed *packed)
{
    return packed ? f0t_packed_type(packed) == F0T_BF16 : f0t_matmul_bf16_native();
}

static f0t_status run(void *c, const void *a, const void *b, const float *bias,
                      const f0t_matmul *op, const f0t_packed *packed)
{
    F0T_ENTER(is_small(op) ? F0T_ALONE : NULL);
    F0T_TRY(check(op));
    if (!op->m || !op->n)
        return F0T_OK;
    if (!op->k) {
        run_empty(c, bias, op);
        return F0T_OK;
    }
    const uint16_t *tiles = packed ? f0t_packed_tiles(packed) : NULL;
    if (tiles || (!packed && f0t_tiles_fit(op) && f0t_tiles_native()))
        return f0t_tiles_run(c, a, b, tiles, bias, op);
    if (op->type == F0T_BF16 && !is_narrow(packed))
        return run_widened(c, a, b, bias, op, packed);
    return run_native(c, a, b, bias, op, packed);
}

f0t_status f0t_matmul_run(void *c, const void *a, const void *b, const float *bias,
                          const f0t_matmul *op)
{
    return run(c, a, b, bias, op, NULL);
}

f0t_status f0t_matmul_run_packed(void *c, const void *a, const f0t_packed *b, const float *bias,
                                 const f0t_matmul *op)
{
    f0t_matmul plain = *op;
    plain.b_transposed = false;
    if (!f0t_packed_matches(b, op))
        return f0t_fail(F0T_ERROR_ARGUMENT, "the packed matrix is not %zu x %zu of %s", op->k,
                        op->n, f0t_dtype_name(op->type));
    return run(c, a, NULL, bias, &plain, b);
}

f0t_status f0t_matmul_run_stable(float *c, const float *a, const float *b, const float *bias,
                                 const f0t_matmul *op)
{
    f0t_matmul whole = *op;
    f0t_workspace *room;
    size_t size;
    if (op->m >= F0T_STABLE_ROWS || !op->m)
        return f0t_matmul_run(c, a, b, bias, op);
    whole.m = F0T_STABLE_ROWS;
    if (!f0t_size_add(&size, op->k, op->n) ||
        !f0t_size_mul(&size, size, F0T_STABLE_ROWS * sizeof(float)))
        return f0t_fail(F0T_ERROR_MEMORY, "rows of %zu and %zu numbers are too long", op->k, op->n);
    F0T_TRY(f0t_workspace_take(&room, size));
    float *rows = room->data, *results = rows + F0T_STABLE_ROWS * op->k;
    memset(rows, 0, F0T_STABLE_ROWS * op->k * sizeof *rows);
    memcpy(rows, a, op->m * op->k * sizeof *rows);
    f0t_status status = f0t_matmul_run(results, rows, b, bias, &whole);
    if (status == F0T_OK)
        memcpy(c, results, op->m * op->n * sizeof *c);
    f0t_workspace_give(room);
    return status;
}

void f0t_matmul_bf16_notice(const f0t_monitor *monitor)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    if (!f0t_matmul_bf16_native() && !atomic_flag_test_and_set(&said))
        f0t_log(monitor, F0T_LOG_WARNING,
                "this CPU has no fast bfloat16 arithmetic: computing in float32, all but small "
                "products");
}

void f0t_matmul_clear(void)
{
    clear_plans();
    f0t_workspace_clear();
}
