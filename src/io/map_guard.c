#include "io/map_guard.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

struct f0t_map_guard {
    atomic_uintptr_t begin; /* 0: free for another mapping */
    atomic_size_t size;
    atomic_bool cut;
    f0t_map_guard *next; /* set before it comes into the list */
};

/* The handler may go along it at any time: what is in the list stays there, to be used again. */
static _Atomic(f0t_map_guard *) guards;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rest */
static size_t taken;
static struct sigaction before;
static bool installed;
static size_t page;

/* ---- In the handler: nothing but atomic variables and calls of the system ------------------------------------- */

static f0t_map_guard *find(uintptr_t at)
{
    f0t_map_guard *g = atomic_load(&guards);
    while (g && at - atomic_load(&g->begin) >= atomic_load(&g->size))
        g = g->next;
    return g;
}

/* All from this page on: a file that was made shorter has nothing more after it. */
static bool put_zeros(f0t_map_guard *g, uintptr_t at)
{
    const uintptr_t begin = at / page * page, end = atomic_load(&g->begin) + atomic_load(&g->size);
    void *place = (void *)begin; /* NOLINT: the system gives addresses as numbers */
    const bool done = mmap(place, end - begin, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                           -1, 0) != MAP_FAILED;
    if (done)
        atomic_store(&g->cut, true);
    return done;
}

/* Without a handler before ours, the system ends the process: at the same instruction, or for the signal that was sent. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) {
        before.sa_handler(number);
    } else {
        (void)sigaction(number, &before, NULL);
        if (info->si_code <= 0)
            (void)raise(number);
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const uintptr_t at = (uintptr_t)info->si_addr;
    f0t_map_guard *g = info->si_code > 0 ? find(at) : NULL;
    if (!g || !put_zeros(g, at))
        pass_on(number, info, context);
    errno = error;
}

/* ---- Outside ---------------------------------------------------------------------------------------------------- */

static f0t_status install(void)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    ours.sa_sigaction = handle;
    page = (size_t)sysconf(_SC_PAGESIZE);
    if (installed || sigaction(SIGBUS, &ours, &before) == 0) {
        installed = true;
        return F0T_OK;
    }
    return f0t_fail_errno(errno, "a handler of SIGBUS");
}

/* Another that came after ours may call ours: then it stays. */
static void remove_handler(void)
{
    struct sigaction now;
    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
        now.sa_sigaction == handle && sigaction(SIGBUS, &before, NULL) == 0)
        installed = false;
}

static f0t_status take(f0t_map_guard **out, uintptr_t begin, size_t size)
{
    f0t_map_guard *g = atomic_load(&guards);
    F0T_TRY(install());
    while (g && atomic_load(&g->begin))
        g = g->next;
    if (!g) {
        F0T_TRY(f0t_alloc_zero(&g, 1, sizeof *g));
        g->next = atomic_load(&guards);
        atomic_store(&guards, g);
    }
    atomic_store(&g->cut, false);
    atomic_store(&g->size, size);
    atomic_store(&g->begin, begin);
    taken++;
    *out = g;
    return F0T_OK;
}

f0t_status f0t_map_guard_take(f0t_map_guard **out, const void *begin, size_t size)
{
    *out = NULL;
    pthread_mutex_lock(&lock);
    f0t_status status = take(out, (uintptr_t)begin, size);
    if (!taken && installed)
        remove_handler();
    pthread_mutex_unlock(&lock);
    return status;
}

void f0t_map_guard_drop(f0t_map_guard *g)
{
    if (!g)
        return;
    pthread_mutex_lock(&lock);
    atomic_store(&g->size, 0);
    atomic_store(&g->begin, 0);
    if (--taken == 0)
        remove_handler();
    pthread_mutex_unlock(&lock);
}

bool f0t_map_guard_is_cut(const f0t_map_guard *g)
{
    return g && atomic_load_explicit(&g->cut, memory_order_acquire);
}
