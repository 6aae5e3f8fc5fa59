/* compile.h - compiles CUDA to PTX with the compiler of this machine, and gets resources from
 * ptxas.
 * SPDX-License-Identifier: MIT
 */
#ifndef WL_CLI_COMPILE_H
#define WL_CLI_COMPILE_H

#include "options.h"
#include "process.h"
#include "ptxas.h"

#define ARCH_LENGTH 16

/* Is it what compilers call an architecture, "sm_90" or "sm_90a"? */
bool arch_is_valid(const char *arch);
/* The architecture of a device; false: not in its file. */
bool arch_of_device(const wl_device *device, char arch[ARCH_LENGTH]);

/* The PTX of a CUDA file, in memory of malloc, compiled with --compiler, --define, ... The path of
 * the compiler that made it is in `compiler`. WL_E_INPUT: it does not compile (the compiler's
 * messages are on stderr then); WL_E_UNSUPPORTED: there is no compiler. */
wl_status compile_cuda(const options *options, const char *path, const char *arch, char compiler[PATH_LENGTH],
                       char **ptx, size_t *length, wl_error *err);

/* Asks ptxas what the entries of a PTX text need: beside `compiler` ("": not known), in PATH, or
 * where CUDA is installed. `arch` NULL: that of the text. If there is no ptxas, or it refuses the
 * text, the report is empty. cubin: the machine code with lines, in memory of malloc; NULL: it is
 * not wanted, or (at the end) not there. WL_E_NOMEM. */
wl_status compile_resources(const char *ptx, size_t length, const char *compiler, const char *arch,
                            ptxas_report *report, char **cubin, size_t *cubin_length, wl_error *err);

#endif /* WL_CLI_COMPILE_H */
