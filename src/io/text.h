/* Text that came from anywhere: lines that are UTF-8 without control characters, and words. */
#ifndef F0T_IO_TEXT_H
#define F0T_IO_TEXT_H

#include "io/file.h"

/* NULL when the text can be a tag or a name in a file of lines; else what is wrong with it: not
 * UTF-8, or a control character. Tabs pass. */
const char *f0t_text_fault(const char *text, size_t length);

/* True when the text can be a word of a vector file: valid UTF-8 without NUL or newline. */
bool f0t_text_is_word(const char *text, size_t length);

/* Without blanks (space, tab, carriage return) at both ends. */
void f0t_text_trim(const char **text, size_t *length);

/* The next line of the stream, checked, without the byte-order mark that some programs put first;
 * *line is NULL at the end. A failure names the file and the line. */
f0t_status f0t_text_line(const char **line, size_t *length, f0t_stream *stream);

/* The same, trimmed. */
f0t_status f0t_text_line_trimmed(const char **line, size_t *length, f0t_stream *stream);

/* Fails with FORMAT and "FILE:LINE: " before the message, for the line that was read last. */
#define f0t_text_fail(stream, format, ...)                                  \
    f0t_fail(F0T_ERROR_FORMAT, "%s:%llu: " format, f0t_stream_name(stream), \
             (unsigned long long)f0t_stream_line_number(stream), __VA_ARGS__)

#endif
