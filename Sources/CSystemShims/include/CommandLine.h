// SPDX-License-Identifier: Apache-2.0
// What the command line needs from the system: replacing this process, running a program.
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
/// The path of the running executable; empty when the kernel does not tell. Valid until the next call.
const char *shim_executable_path(void);
/// Copies what can be read from a descriptor, up to its end, into a file in memory, at most `most` bytes. Returns the
/// descriptor of that file, which children do not inherit; or -errno, -EFBIG when there is more.
int shim_keep_input(int from, uint64_t most);
/// Writes the text to a descriptor. Returns 0, or errno.
int shim_write_text(int descriptor, const char *text);
/// Makes sure that descriptors 0, 1 and 2 are in use, so that no file opened later is taken for a standard stream. One
/// that was closed stays unusable. Before anything else is opened.
void shim_hold_standard_streams(void);
/// From now on a write to a pipe without a reader, or beyond the limit on file sizes, returns an error instead of ending
/// the process. Programs started by `shim_execute` inherit it, measuring children do not.
void shim_report_lost_writes(void);
