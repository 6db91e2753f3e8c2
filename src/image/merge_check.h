/*
 * What a process says that XMP is after new tags, looked at before it is written: it may have been taken over by a
 * packet that it merged before, and would like to write into the files of others.
 */
#ifndef F0T_IMAGE_MERGE_CHECK_H
#define F0T_IMAGE_MERGE_CHECK_H

#include "image/worker.h"

/* `old` is what was there (length 0: nothing), `lines` what was asked for (protocol.h). Fails with F0T_ERROR_FORMAT
 * unless the new text is UTF-8 and XML that differs from the old one in lists of keywords alone, these have all that
 * a person put there, what is new in them was asked for or was there elsewhere, and the tags that were asked for are
 * in it or known as rejected; a packet goes altogether only where ours alone was in it and shall go. What is
 * hidden in those lists and not read as a keyword is refused. Fails with F0T_ERROR_UNSUPPORTED where the old text
 * cannot be compared, being no XML in UTF-8, UTF-16 or UTF-32. */
f0t_status f0t_merge_check(const f0t_xmp_merged *merged, const char *old, size_t length,
                           const char *lines, const char *path);

#endif
