#include "base/common.h"

#include "base/alloc.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

struct f0t_common {
    const f0t_group *group;
    size_t bytes;
    void **at; /* [group->size], each mapped or NULL */
    double met;
    f0t_exchange *meeting; /* under way; NULL: none */
};

/* Where a process's memory is found by the others: descriptor `file` of process `pid`, which is inode `inode`. Numbers are
 * doubles, for these travel. */
typedef struct place {
    double pid, file, inode; /* pid 0: there is none */
} place;

enum { NUMBERS = sizeof(place) / sizeof(double) };

/* A file without a name; below 0: none can be had. */
static int create_file(place *out, size_t bytes)
{
    struct stat status;
    struct rlimit most; /* a larger one would end the process by a signal */
    if (getrlimit(RLIMIT_FSIZE, &most) != 0 || bytes > most.rlim_cur)
        return -1;
    const int file = memfd_create("fast0tag", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, (off_t)bytes) != 0 || fstat(file, &status) != 0)
        return file;
    *out = (place){(double)getpid(), (double)file, (double)status.st_ino};
    return file;
}

/* What lies there may be another file where processes have other numbers for each other, as in containers. */
static bool is_there(int file, const place *told, size_t bytes)
{
    struct stat status;
    return fstat(file, &status) == 0 && (double)status.st_ino == told->inode &&
           (size_t)status.st_size == bytes;
}

static void *map(const place *told, size_t bytes)
{
    char path[64];
    void *memory = MAP_FAILED;
    snprintf(path, sizeof path, "/proc/%.0f/fd/%.0f", told->pid, told->file);
    const int file = told->pid > 0 ? open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (file < 0)
        return NULL;
    if (is_there(file, told, bytes))
        memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Maps the memory of all: false where one of them is missing in some process. */
static f0t_status map_all(bool *out, f0t_common *c, const place *places)
{
    double missing = 0;
    for (size_t r = 0; r < c->group->size; r++) {
        c->at[r] = map(&places[r], c->bytes);
        missing += !c->at[r];
    }
    F0T_TRY(f0t_group_total(c->group, &missing, 1));
    *out = !(missing > 0);
    return F0T_OK;
}

/* A process's file is open until all have their maps of it. */
static f0t_status open_all(bool *out, f0t_common *c)
{
    place *places;
    const f0t_group *group = c->group;
    F0T_TRY(f0t_alloc_zero(&places, group->size, sizeof *places));
    const int file = create_file(&places[group->rank], c->bytes);
    f0t_status status = f0t_group_total(group, (double *)places, group->size * NUMBERS);
    if (status == F0T_OK)
        status = map_all(out, c, places);
    if (file >= 0)
        close(file);
    f0t_free(places);
    return status;
}

f0t_status f0t_common_create(f0t_common **out, const f0t_group *group, size_t bytes)
{
    f0t_common *c;
    bool opened = false;
    *out = NULL;
    if (group->beside != group->size || !bytes)
        return F0T_OK;
    F0T_TRY(f0t_alloc_zero(&c, 1, sizeof *c));
    *c = (f0t_common){.group = group, .bytes = bytes};
    f0t_status status = f0t_alloc_zero(&c->at, group->size, sizeof *c->at);
    if (status == F0T_OK)
        status = open_all(&opened, c);
    if (status == F0T_OK && opened)
        *out = c;
    else
        f0t_common_free(c);
    return status;
}

void f0t_common_free(f0t_common *c)
{
    if (!c)
        return;
    (void)f0t_common_wait(c);
    for (size_t r = 0; c->at && r < c->group->size; r++)
        if (c->at[r])
            munmap(c->at[r], c->bytes);
    f0t_free(c->at);
    f0t_free(c);
}

void *f0t_common_at(const f0t_common *c, size_t rank)
{
    return c->at[rank];
}

/* A sum is complete when all have given their part of it. Its message, and the lock on the way to it, come after what was
 * written before, and before what is read after. */
f0t_status f0t_common_meet(f0t_common *c)
{
    F0T_TRY(f0t_common_wait(c));
    c->met = 1;
    return c->group->total(&c->meeting, &c->met, 1);
}

f0t_status f0t_common_wait(f0t_common *c)
{
    f0t_exchange *meeting = c->meeting;
    c->meeting = NULL;
    return meeting ? c->group->wait(meeting) : F0T_OK;
}
