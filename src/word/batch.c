/* Pieces of a batch by all threads; a failure is left for the calling thread. */
#include "word/batch.h"

#include "base/alloc.h"
#include "base/team.h"

enum { PIECE = 64, PIECES = F0T_BATCH / PIECE };

f0t_status f0t_batch_run(void *user, size_t count, f0t_batch_piece piece)
{
    f0t_failure *failures;
    f0t_status status = F0T_OK;
    long pieces = (long)((count + PIECE - 1) / PIECE);
    F0T_TRY(f0t_alloc_zero(&failures, PIECES, sizeof *failures));
#pragma omp parallel for schedule(dynamic, 1) num_threads(f0t_team_size())
    for (long p = 0; p < pieces; p++) {
        size_t first = (size_t)p * PIECE;
        size_t end = count - first < PIECE ? count : first + PIECE;
        f0t_failure_keep(&failures[p], piece(user, first, end));
    }
    for (long p = 0; p < pieces && status == F0T_OK; p++)
        if (failures[p].status != F0T_OK)
            status = f0t_failure_raise(&failures[p]);
    f0t_free(failures);
    return status;
}
