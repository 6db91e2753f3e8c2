/* Decimal numbers in text files, read the same in every locale and rounded correctly. */
#ifndef F0T_IO_NUMBER_H
#define F0T_IO_NUMBER_H

/* Reads [+-]digits[.digits][e[+-]digits] (either digits of the mantissa may be missing, not both),
 * or inf, infinity or nan in any case, from text[0, end). Returns where the number ends, or NULL
 * when none begins here. The result is the nearest float32, ties to even; too large gives infinity,
 * too small zero. */
const char *f0t_number_read(float *out, const char *text, const char *end);

#endif
