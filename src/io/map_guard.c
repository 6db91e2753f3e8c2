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
    atomic_uint version;    /* odd while begin and size change: they are a pair */
    atomic_uintptr_t begin; /* 0: free for another mapping */
    atomic_size_t size;
    atomic_bool cut;
    f0t_map_guard *next; /* set before it comes into the list */
};

/* The handler may go along it at any time: what is in the list stays there, to be used again. */
static _Atomic(f0t_map_guard *) guards;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the rest */
static size_t taken;
static struct sigaction before; /* changes only while ours is not installed */
static atomic_bool spent;       /* it was to be called once (SA_RESETHAND), and was */
static bool installed;
static size_t page;

/* ---- In the handler: nothing but atomic variables and calls of the system ------------------------------------- */

/* A mapping that a thread reads is watched all the while: a slot that changes now is of another one. */
static bool holds(const f0t_map_guard *g, uintptr_t at, uintptr_t *end)
{
    const unsigned version = atomic_load(&g->version);
    const uintptr_t begin = atomic_load(&g->begin);
    const size_t size = atomic_load(&g->size);
    *end = begin + size;
    return version % 2 == 0 && atomic_load(&g->version) == version && begin <= at &&
           at - begin < size;
}

static f0t_map_guard *find(uintptr_t at, uintptr_t *end)
{
    f0t_map_guard *g = atomic_load(&guards);
    while (g && !holds(g, at, end))
        g = g->next;
    return g;
}

/* All from this page on: a file that was made shorter has nothing more after it. */
static bool put_zeros(f0t_map_guard *g, uintptr_t at, uintptr_t end)
{
    const uintptr_t begin = at / page * page;
    void *place = (void *)begin; /* NOLINT: the system gives addresses as numbers */
    const bool done = mmap(place, end - begin, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
                           -1, 0) != MAP_FAILED;
    if (done)
        atomic_store(&g->cut, true);
    return done;
}

/* The system ends the process: at the same instruction, or for the signal that was sent. */
static void leave_to_system(int number, const siginfo_t *info)
{
    struct sigaction none = {.sa_handler = SIG_DFL};
    sigemptyset(&none.sa_mask);
    (void)sigaction(number, &none, NULL);
    if (info->si_code <= 0)
        (void)raise(number);
}

static void pass_on(int number, siginfo_t *info, void *context)
{
    const bool is_function = before.sa_flags & SA_SIGINFO ||
                             (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN);
    if (!is_function && before.sa_handler == SIG_IGN && info->si_code <= 0)
        return; /* what is sent is ignored; a fault cannot be */
    if (!is_function || ((unsigned)before.sa_flags & SA_RESETHAND && atomic_exchange(&spent, true)))
        leave_to_system(number, info);
    else if (before.sa_flags & SA_SIGINFO)
        before.sa_sigaction(number, info, context);
    else
        before.sa_handler(number);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int error = errno;
    const uintptr_t at = (uintptr_t)info->si_addr;
    uintptr_t end;
    f0t_map_guard *g = info->si_code > 0 ? find(at, &end) : NULL;
    if (!g || !put_zeros(g, at, end))
        pass_on(number, info, context);
    errno = error;
}

/* ---- Outside ---------------------------------------------------------------------------------------------------- */

static void lock_all(void)
{
    pthread_mutex_lock(&lock);
}

static void unlock_all(void)
{
    pthread_mutex_unlock(&lock);
}

/* Without memory for these, a child that is forked while another thread opens or closes a file may not open one. */
static void watch_forks(void)
{
    (void)pthread_atfork(lock_all, unlock_all, unlock_all);
}

/* A fault right after ours is there already finds what was before it. */
static f0t_status install(void)
{
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
    sigemptyset(&ours.sa_mask);
    ours.sa_sigaction = handle;
    if (installed)
        return F0T_OK;
    page = (size_t)sysconf(_SC_PAGESIZE);
    atomic_store(&spent, false);
    if (sigaction(SIGBUS, NULL, &before) != 0 || sigaction(SIGBUS, &ours, NULL) != 0)
        return f0t_fail_errno(errno, "a handler of SIGBUS");
    installed = true;
    return F0T_OK;
}

/* Another that came after ours may call ours: then it stays. */
static void remove_handler(void)
{
    struct sigaction now, none = {.sa_handler = SIG_DFL};
    sigemptyset(&none.sa_mask);
    if (sigaction(SIGBUS, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO &&
        now.sa_sigaction == handle &&
        sigaction(SIGBUS, atomic_load(&spent) ? &none : &before, NULL) == 0)
        installed = false;
}

static void set(f0t_map_guard *g, uintptr_t begin, size_t size)
{
    atomic_fetch_add(&g->version, 1);
    atomic_store(&g->begin, begin);
    atomic_store(&g->size, size);
    atomic_fetch_add(&g->version, 1);
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
    set(g, begin, size);
    taken++;
    *out = g;
    return F0T_OK;
}

f0t_status f0t_map_guard_take(f0t_map_guard **out, const void *begin, size_t size)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    *out = NULL;
    pthread_once(&once, watch_forks);
    lock_all();
    f0t_status status = take(out, (uintptr_t)begin, size);
    if (!taken && installed)
        remove_handler();
    unlock_all();
    return status;
}

void f0t_map_guard_drop(f0t_map_guard *g)
{
    if (!g)
        return;
    lock_all();
    set(g, 0, 0);
    if (--taken == 0)
        remove_handler();
    unlock_all();
}

bool f0t_map_guard_is_cut(const f0t_map_guard *g)
{
    return g && atomic_load_explicit(&g->cut, memory_order_acquire);
}
