// SPDX-License-Identifier: Apache-2.0
// A build in the foreground, and the clock of its recipe lines.
#pragma once
#include <stdint.h>

/// What make gives the recipe shell before the target, so that a script with that shell in its first line is told from
/// a recipe.
#define SHIM_RECIPE_MARK "@recipe"
/// Variables by which a recipe shell learns the path that it is started under, its log, the shell that it stands for, and
/// the recipe line that a make in it was started by.
#define SHIM_RECIPE_NAME "RECIPE_CLOCK_NAME"
#define SHIM_RECIPE_LOG "RECIPE_CLOCK_LOG"
#define SHIM_RECIPE_SHELL "RECIPE_CLOCK_SHELL"
#define SHIM_RECIPE_PARENT "RECIPE_CLOCK_PARENT"

/// Runs a program found in PATH with this process's streams, and waits; meanwhile Ctrl-C is for the program alone.
///
/// `words` are its arguments and `variables` are `NAME=VALUE`, each ended by a zero byte. Returns its exit code, 128 and
/// the number of the signal that ended it, or -errno when it cannot be started. Main thread only.
int shim_run_in_foreground(const char *words, uint64_t length, const char *variables, uint64_t variables_length);

/// Returns unless this process was started as the shell of a recipe, by the path in `SHIM_RECIPE_NAME`: then it runs the
/// line in the shell that it stands for, appends a record to the log and ends as that shell did.
///
/// A record is seven texts, each ended by a zero byte: its own number, that of the line around it or nothing, the process
/// of the make, begin and end in nanoseconds of the monotonic clock, the folder, the target.
/// Before any thread starts.
void shim_become_recipe_shell(int count, char *const *arguments);
