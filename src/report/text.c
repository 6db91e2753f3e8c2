#include "report/text.h"

#include "base/alloc.h"
#include "io/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DECIMALS_MOST = 9 };

void f0t_text_add_bytes(f0t_text *text, const char *raw, size_t size)
{
    if (text->status == F0T_OK)
        text->status = f0t_grow(&text->bytes, &text->capacity, text->size, size + 1, 1);
    if (text->status != F0T_OK)
        return;
    memcpy(text->bytes + text->size, raw, size);
    text->size += size;
    text->bytes[text->size] = 0;
}

void f0t_text_add(f0t_text *text, const char *raw)
{
    f0t_text_add_bytes(text, raw, strlen(raw));
}

void f0t_text_free(f0t_text *text)
{
    f0t_free(text->bytes);
    *text = (f0t_text){0};
}

f0t_status f0t_text_save(const f0t_text *text, const char *path)
{
    f0t_writer *writer;
    F0T_TRY(text->status);
    F0T_TRY(f0t_writer_open_nofollow(&writer, path));
    return f0t_writer_finish(writer,
                             f0t_writer_write(writer, text->bytes ? text->bytes : "", text->size));
}

/* ---- Escaping ----------------------------------------------------------------------------- */

static const char *entity_of(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return c < 0x20 || c == 0x7F ? "?" : NULL;
    }
}

void f0t_text_escape(f0t_text *text, const char *raw)
{
    const char *from = raw;
    for (; *raw; raw++) {
        const char *entity = entity_of((unsigned char)*raw);
        if (!entity)
            continue;
        f0t_text_add_bytes(text, from, (size_t)(raw - from));
        f0t_text_add(text, entity);
        from = raw + 1;
    }
    f0t_text_add_bytes(text, from, (size_t)(raw - from));
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* Numbers of so many decimals that fit into 64 bits; no plot has others. */
static bool write_fixed(char *out, size_t size, double value, int decimals)
{
    uint64_t unit = 1;
    for (int i = 0; i < decimals; i++)
        unit *= 10;
    double scaled = fabs(value) * (double)unit;
    if (!(scaled < 9e18))
        return false;
    uint64_t whole = (uint64_t)llround(scaled);
    const char *sign = value < 0 && whole ? "-" : "";
    if (decimals)
        snprintf(out, size, "%s%" PRIu64 ".%0*" PRIu64, sign, whole / unit, decimals, whole % unit);
    else
        snprintf(out, size, "%s%" PRIu64, sign, whole);
    return true;
}

static void drop_zeros(char *number)
{
    size_t length = strlen(number);
    if (!strchr(number, '.'))
        return;
    while (number[length - 1] == '0')
        number[--length] = 0;
    if (number[length - 1] == '.')
        number[length - 1] = 0;
}

void f0t_number_write(char out[F0T_NUMBER_SIZE], double value, int decimals)
{
    int places = decimals < 0 ? -decimals : decimals;
    if (!write_fixed(out, F0T_NUMBER_SIZE, value, places < DECIMALS_MOST ? places : DECIMALS_MOST))
        strcpy(out, "–");
    else if (decimals < 0)
        drop_zeros(out);
}

void f0t_text_number(f0t_text *text, double value, int decimals)
{
    char number[F0T_NUMBER_SIZE];
    f0t_number_write(number, value, decimals);
    f0t_text_add(text, number);
}

static void add_power(f0t_text *text, int power)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char plain[16];
    f0t_text_add(text, "10");
    snprintf(plain, sizeof plain, "%d", power);
    for (const char *c = plain; *c; c++)
        f0t_text_add(text, *c == '-' ? "⁻" : digits[*c - '0']);
}

void f0t_text_label(f0t_text *text, double value)
{
    double size = fabs(value);
    if (!isfinite(value) || size == 0 || (size >= 1e-3 && size < 1e6)) {
        f0t_text_number(text, value, size >= 100 ? -1 : -5);
        return;
    }
    int power = (int)floor(log10(size) + 1e-9);
    double lead = value / pow(10, power);
    if (fabs(fabs(lead) - 1) > 1e-6) {
        f0t_text_number(text, lead, -2);
        f0t_text_add(text, "·");
    } else if (lead < 0) {
        f0t_text_add(text, "-");
    }
    add_power(text, power);
}

/* ---- Forms -------------------------------------------------------------------------------- */

/* One conversion, `form` pointing after its %; returns how many bytes of `form` it was. */
static size_t add_argument(f0t_text *text, const char *form, va_list *args)
{
    char number[24];
    if (form[0] == 's') {
        f0t_text_escape(text, va_arg(*args, const char *));
        return 1;
    }
    if (form[0] == 'd') {
        snprintf(number, sizeof number, "%d", va_arg(*args, int));
        f0t_text_add(text, number);
        return 1;
    }
    if (form[0] == 'z' && form[1] == 'u') {
        snprintf(number, sizeof number, "%zu", va_arg(*args, size_t));
        f0t_text_add(text, number);
        return 2;
    }
    if (form[0] == 'f') {
        f0t_text_number(text, va_arg(*args, double), -2);
        return 1;
    }
    if (form[0] == '.' && form[1] >= '0' && form[1] <= '9' && form[2] == 'f') {
        f0t_text_number(text, va_arg(*args, double), form[1] - '0');
        return 3;
    }
    f0t_text_add(text, "%");
    return form[0] == '%';
}

void f0t_text_form(f0t_text *text, const char *form, ...)
{
    va_list args;
    va_start(args, form);
    for (const char *percent; (percent = strchr(form, '%')) != NULL;) {
        f0t_text_add_bytes(text, form, (size_t)(percent - form));
        form = percent + 1;
        form += add_argument(text, form, &args);
    }
    f0t_text_add(text, form);
    va_end(args);
}

/* ---- Base64 ------------------------------------------------------------------------------- */

void f0t_text_base64(f0t_text *text, const void *data, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *bytes = data;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        char four[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63],
                        digits[group & 63]};
        for (size_t k = left + 1; k < 4; k++)
            four[k] = '=';
        f0t_text_add_bytes(text, four, sizeof four);
    }
}
