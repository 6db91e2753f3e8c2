#include "terminal.h"

#include "cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* Signals that end the program, or stop it: the terminal is put back before. */
static const int ENDING[] = {SIGINT,  SIGTERM, SIGHUP, SIGQUIT, SIGABRT,
                             SIGSEGV, SIGBUS,  SIGFPE, SIGILL,  SIGTSTP};
enum { SIGNALS = sizeof ENDING / sizeof *ENDING, ESCAPE = 27, ESCAPE_WAIT = 50 };

static struct {
    struct termios before, raw;
    struct sigaction handlers[SIGNALS], resized, continued;
    volatile sig_atomic_t open;
} state;

/* ---- There and back ----------------------------------------------------------------------- */

/* All of it may be called by a signal handler. */
static void put_back(void)
{
    if (state.open)
        tcsetattr(STDIN_FILENO, TCSANOW, &state.before);
}

static void on_end(int number)
{
    const int kept = errno;
    struct sigaction usual;
    sigset_t set;
    put_back();
    memset(&usual, 0, sizeof usual);
    usual.sa_handler = SIG_DFL;
    sigaction(number, &usual, NULL);
    sigemptyset(&set);
    sigaddset(&set, number);
    raise(number);
    sigprocmask(SIG_UNBLOCK, &set,
                NULL); /* ends here, but for Ctrl-Z, from which there is a way back */
    errno = kept;
}

static void catch (int number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_end;
    sigaction(number, &action, NULL);
}

/* A new size, or back from Ctrl-Z: whoever waits for a key hears of it. */
static void on_change(int number)
{
    const int kept = errno;
    if (number == SIGCONT && state.open) {
        tcsetattr(STDIN_FILENO, TCSANOW, &state.raw);
        catch (SIGTSTP);
    }
    errno = kept;
}

static void catch_signals(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_change; /* without SA_RESTART: read is to end */
    sigaction(SIGWINCH, &action, &state.resized);
    sigaction(SIGCONT, &action, &state.continued);
    for (size_t i = 0; i < SIGNALS; i++) {
        sigaction(ENDING[i], NULL, &state.handlers[i]);
        catch (ENDING[i]);
    }
}

bool terminal_open(void)
{
    static bool registered;
    const char *term = getenv("TERM");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO) || !term || !*term ||
        !strcmp(term, "dumb") || tcgetattr(STDIN_FILENO, &state.before) != 0)
        return false;
    state.raw = state.before;
    state.raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    state.raw.c_iflag &= ~(tcflag_t)(ICRNL | IXON);
    state.raw.c_cc[VMIN] = 1;
    state.raw.c_cc[VTIME] = 0;
    if (!registered)
        atexit(terminal_close);
    registered = true;
    state.open = 1;
    catch_signals();
    return tcsetattr(STDIN_FILENO, TCSANOW, &state.raw) == 0;
}

void terminal_close(void)
{
    if (!state.open)
        return;
    put_back();
    state.open = 0;
    sigaction(SIGWINCH, &state.resized, NULL);
    sigaction(SIGCONT, &state.continued, NULL);
    for (size_t i = 0; i < SIGNALS; i++)
        sigaction(ENDING[i], &state.handlers[i], NULL);
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* A byte, or TERMINAL_END; TERMINAL_REDRAW where a signal came first. */
static int read_byte(void)
{
    unsigned char c;
    const ssize_t got = read(STDIN_FILENO, &c, 1);
    return got == 1 ? c : got < 0 && errno == EINTR ? TERMINAL_REDRAW : TERMINAL_END;
}

static bool has_more(void)
{
    struct pollfd one = {.fd = STDIN_FILENO, .events = POLLIN};
    return poll(&one, 1, ESCAPE_WAIT) == 1;
}

/* ESC [ A, ESC O A, ESC [ 1 ; 5 A: what terminals send for keys without a letter (ECMA-48). */
static int read_sequence(void)
{
    if (!has_more())
        return ESCAPE;
    int c = read_byte();
    if (c != '[' && c != 'O')
        return TERMINAL_OTHER;
    do
        c = has_more() ? read_byte() : TERMINAL_END;
    while (c >= 0x20 && c < 0x40);
    return c == 'A'   ? TERMINAL_UP
           : c == 'B' ? TERMINAL_DOWN
           : c == 'C' ? TERMINAL_RIGHT
           : c == 'D' ? TERMINAL_LEFT
                      : TERMINAL_OTHER;
}

int terminal_key(void)
{
    fflush(stdout);
    const int c = read_byte();
    return c == ESCAPE ? read_sequence() : c;
}

/* ---- The screen --------------------------------------------------------------------------- */

size_t terminal_width(void)
{
    struct winsize size;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

void terminal_clear(void)
{
    printf("\033[H\033[J");
}

/* Columns on the screen: one per character. */
static size_t count_columns(const char *text)
{
    size_t columns = 0;
    for (; *text; text++)
        columns += (*text & 0xC0) != 0x80;
    return columns;
}

size_t terminal_print(const char *text, size_t most)
{
    char *shown = cli_shown(text);
    size_t columns = 0;
    for (const char *c = shown; *c; c++) {
        columns += (*c & 0xC0) != 0x80;
        if (columns > most)
            break;
        putchar(*c);
    }
    free(shown);
    return columns > most ? most : columns;
}

void terminal_print_end(const char *text, size_t most)
{
    char *shown = cli_shown(text);
    const char *at = shown;
    size_t columns = count_columns(shown);
    if (columns > most) {
        printf("…");
        for (columns++; columns > most; at++) /* the sign takes one, too */
            columns -= (at[1] & 0xC0) != 0x80;
    }
    fputs(at, stdout);
    free(shown);
}
