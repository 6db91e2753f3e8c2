/*
 * Which picture a file is. A picture is its content, by size and hash; its path is where it was seen last.
 */
#ifndef F0T_CATALOGUE_IDENTITY_H
#define F0T_CATALOGUE_IDENTITY_H

#include "catalogue/scan.h"

/* Of a file that is left as it is known, and to the next scan. */
#define F0T_CHANGED_MEANWHILE "has changed while it was read; index once more"

/*
 * Hashes the files of a scan that are new or have changed, as far as a picture of the catalogue may have their content, and
 * then, in one change of the catalogue,
 *  - a file with the content of the picture of its path is that picture;
 *  - a file with the content of a picture whose own path has other content, or no file, is that picture, which has moved;
 *  - a file with the content of a picture that is still at its own path is a copy, and new;
 *  - a picture whose path has become another's, or whose file is gone, is missing;
 *  - a file with other content than the picture of its path, and that of no other, is `doubtful`: edited, or another
 *    picture, which its pixels will say.
 * Items become what is left to do. `report` counts pictures for which that is nothing.
 */
f0t_status f0t_identity_settle(f0t_scan *scan, f0t_catalogue *catalogue, f0t_index_report *report,
                               int threads, const f0t_monitor *monitor);

/* Inside a change: picture `id`, whose path `path` now has another picture, is missing, and *missing one more if it was not.
 * Its path is kept in a form that no file has, PATH//ID. */
f0t_status f0t_identity_displace(size_t *missing, f0t_catalogue *c, int64_t id, const char *path);

/* Fails with F0T_ERROR_MISMATCH where the file at `path` has other content than the catalogue knows of picture `id`. No file,
 * or a picture of which no content is known, is no failure. */
f0t_status f0t_identity_require(f0t_catalogue *c, int64_t id, const char *path);

/* Whether the sidecars beside the picture at `path` are another picture's, which left them there, or which they were beside
 * when it was seen last: f0t_catalogue_write takes our tags out of them. */
f0t_status f0t_identity_has_strange(bool *out, f0t_catalogue *c, const char *path);

#endif
