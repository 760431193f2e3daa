// SPDX-License-Identifier: Apache-2.0
// What the command line needs from the system: replacing this process, running a program, one line of its output.
#pragma once
#include <stdint.h>

/// Adds an argument to the list that the next call of `shim_execute` or `shim_run_program` uses up; the first one is the
/// program's own name. Main thread only, like the two below. Returns 0, or ENOMEM.
int shim_add_argument(const char *argument);
/// Replaces this process by the program at `path` with the arguments added. Returns errno; does not return on success.
int shim_execute(const char *path);
/// Runs a program found in PATH with the arguments added, its stdout joined to stderr, and waits for it. Returns its exit
/// code, 128 + the number of the signal that ended it, or 127 when it could not be started.
int shim_run_program(const char *name);
/// The first line that a shell command prints on stdout, without its line feed, at most 255 bytes; empty when it fails.
/// Valid until the next call.
const char *shim_first_line(const char *command);

/// The path of the running executable; empty when the kernel does not tell. Valid until the next call.
const char *shim_executable_path(void);
/// Writes the text to a descriptor. Returns 0, or errno.
int shim_write_text(int descriptor, const char *text);
