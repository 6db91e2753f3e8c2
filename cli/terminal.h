/* A terminal that gives keys one by one, and is as before whatever ends the program. */
#ifndef F0T_CLI_TERMINAL_H
#define F0T_CLI_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/* Keys that are no bytes. */
enum {
    TERMINAL_END = -1, /* there are no more keys */
    TERMINAL_REDRAW = 256,
    TERMINAL_UP,
    TERMINAL_DOWN,
    TERMINAL_LEFT,
    TERMINAL_RIGHT,
    TERMINAL_OTHER /* a key that nobody asked for */
};

/* False where standard input or output is no terminal, or one that cannot move its cursor. */
bool terminal_open(void);
void terminal_close(void);

/* The next key: a byte of text, an ASCII control character, or one of those above. */
int terminal_key(void);

size_t terminal_width(void);
/* Begins a screen: what is printed next stands at the top of an empty one. */
void terminal_clear(void);
/* Prints at most `most` columns of the text, as f0t_line_escape writes it; returns how many. */
size_t terminal_print(const char *text, size_t most);
/* The same with the end of a text that is too long, which is what tells paths apart. */
void terminal_print_end(const char *text, size_t most);

#endif
