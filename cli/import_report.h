/* What an import made, on standard output. */
#ifndef F0T_CLI_IMPORT_REPORT_H
#define F0T_CLI_IMPORT_REPORT_H

#include "cli.h"

f0t_status cli_import_show(cli_context *cli, const f0t_import_report *report);
/* The notes alone, as remarks on standard error. */
void cli_import_log(const cli_context *cli, const f0t_import_report *report);

#endif
