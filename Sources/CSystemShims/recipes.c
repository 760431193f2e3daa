// SPDX-License-Identifier: Apache-2.0
// A build in the foreground, and the clock of its recipe lines.
#define _GNU_SOURCE
#include "Recipes.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Waits for a child; its exit code, or 128 and the number of its signal.
static int ended(pid_t child, int *signal_number) {
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  *signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  return *signal_number ? 128 + *signal_number : WEXITSTATUS(status);
}

int shim_run_in_foreground(const char *words, uint64_t length, const char *variables, uint64_t variables_length) {
  size_t count = 0;
  for (uint64_t i = 0; i < length; i++) count += words[i] == 0;
  char **arguments = calloc(count + 1, sizeof *arguments);
  if (!arguments || count == 0) {
    free(arguments);
    return -ENOMEM;
  }
  for (size_t i = 0; i < count; i++, words += strlen(words) + 1) arguments[i] = (char *)words;
  int failure[2];
  if (pipe2(failure, O_CLOEXEC) != 0) {
    free(arguments);
    return -errno;
  }
  // As in system(3): Ctrl-C is for the build, and this process stays to tell what came of it.
  struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit, child_ended, standard = {.sa_handler = SIG_DFL};
  sigaction(SIGCHLD, &standard, &child_ended);
  sigaction(SIGINT, &ignore, &interrupt);
  sigaction(SIGQUIT, &ignore, &quit);
  pid_t parent = getpid(), child = fork();
  if (child == 0) {
    sigaction(SIGINT, &interrupt, 0);
    sigaction(SIGQUIT, &quit, 0);
    sigaction(SIGPIPE, &standard, 0);
    // A build without whoever records it would go on unseen.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(127);
    for (const char *end = variables + variables_length; variables < end; variables += strlen(variables) + 1)
      putenv((char *)variables);
    execvp(arguments[0], arguments);
    int error = errno;
    ssize_t ignored = write(failure[1], &error, sizeof error);
    (void)ignored;
    _exit(127);
  }
  int result = child < 0 ? -errno : 0, signal_number;
  close(failure[1]);
  if (child > 0) {
    int error = 0;
    ssize_t told;
    do {
      told = read(failure[0], &error, sizeof error);
    } while (told < 0 && errno == EINTR);
    result = ended(child, &signal_number);
    if (told == (ssize_t)sizeof error) result = -error;
  }
  close(failure[0]);
  sigaction(SIGINT, &interrupt, 0);
  sigaction(SIGQUIT, &quit, 0);
  sigaction(SIGCHLD, &child_ended, 0);
  free(arguments);
  return result;
}

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static volatile pid_t shell_process;

// make ends a recipe by a signal to the process that it started, which is this one.
static void pass_on(int number) {
  if (shell_process > 0) kill(shell_process, number);
}

// One record, in one write, so that records of lines that end together do not mix.
static void note(const char *log, const char *parent, const char *own, uint64_t begin, uint64_t end,
                 const char *target) {
  char folder[PATH_MAX];
  if (!getcwd(folder, sizeof folder)) folder[0] = 0;
  char *text;
  int length = asprintf(&text, "%s%c%s%c%d%c%llu%c%llu%c%s%c%s%c", own, 0, parent, 0, (int)getppid(), 0,
                        (unsigned long long)begin, 0, (unsigned long long)end, 0, folder, 0, target, 0);
  if (length < 0) return;
  int file = open(log, O_WRONLY | O_APPEND | O_CLOEXEC);
  if (file < 0 || write(file, text, (size_t)length) != (ssize_t)length)
    fprintf(stderr, "bench: %s: the time of a recipe of %s cannot be noted: %s\n", log, target, strerror(errno));
  if (file >= 0) close(file);
  free(text);
}

static void run_line(char **arguments, const char *shell, const char *log, const char *target) {
  const char *above = getenv(SHIM_RECIPE_PARENT);
  char parent[64] = "", own[64];
  if (above) snprintf(parent, sizeof parent, "%s", above);
  // A process number can come again in a long build, and not at the same time.
  uint64_t begin = now();
  snprintf(own, sizeof own, "%llu-%d", (unsigned long long)begin, (int)getpid());
  struct sigaction action = {.sa_handler = pass_on}, before[4];
  static const int passed[4] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
  sigset_t all, mask;
  sigfillset(&all);
  // A signal that comes before the shell has its number waits.
  sigprocmask(SIG_SETMASK, &all, &mask);
  for (int i = 0; i < 4; i++) sigaction(passed[i], &action, &before[i]);
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 4; i++) sigaction(passed[i], &before[i], 0);
    sigprocmask(SIG_SETMASK, &mask, 0);
    setenv(SHIM_RECIPE_PARENT, own, 1);
    execv(shell, arguments);
    fprintf(stderr, "bench: %s: the shell of a recipe cannot be started: %s\n", shell, strerror(errno));
    _exit(127);
  }
  if (child < 0) {
    fprintf(stderr, "bench: %s: the shell of a recipe cannot be started: %s\n", shell, strerror(errno));
    _exit(127);
  }
  shell_process = child;
  sigprocmask(SIG_SETMASK, &mask, 0);
  int number = 0, code = ended(child, &number);
  note(log, parent, own, begin, now(), target);
  if (number) {
    // What make says of a shell that a signal ended, it says of this process then.
    signal(number, SIG_DFL);
    raise(number);
  }
  _exit(code);
}

// The target that begins at the third argument with a quote, up to the one that ends it; `skipped` is what follows.
static char *unquoted(int count, char *const *arguments, int *skipped) {
  int end = 2;
  size_t length = 0;
  for (;; end++) {
    size_t own = strlen(arguments[end]);
    length += own + 1;
    int opens = end == 2 && own == 1;
    if ((own > 0 && arguments[end][own - 1] == '\'' && !opens) || end + 1 == count) break;
  }
  char *text = calloc(length + 1, 1);
  if (!text) _exit(127);
  for (int i = 2; i <= end; i++) strcat(strcat(text, i == 2 ? "" : " "), arguments[i]);
  size_t whole = strlen(text);
  if (text[whole - 1] == '\'') text[whole - 1] = 0;
  *skipped = end + 1;
  return text + 1;
}

void shim_become_recipe_shell(int count, char *const *arguments) {
  const char *log = getenv(SHIM_RECIPE_LOG), *shell = getenv(SHIM_RECIPE_SHELL), *name = getenv(SHIM_RECIPE_NAME);
  if (!log || !shell || !name || count < 1 || strcmp(arguments[0], name) != 0) return;
  char **rest = calloc((size_t)count + 1, sizeof *rest);
  if (!rest) _exit(127);
  int isLine = count > 3 && strcmp(arguments[1], SHIM_RECIPE_MARK) == 0, skipped = isLine ? 3 : 1;
  char *target = isLine ? arguments[2] : "";
  // With .ONESHELL make takes the flags apart at blanks alone: the quotes stay, and a target may be several words.
  if (target[0] == '\'') target = unquoted(count, arguments, &skipped);
  rest[0] = (char *)shell;
  for (int i = skipped; i < count; i++) rest[i - skipped + 1] = arguments[i];
  // Outside of a recipe `$@` is empty: make itself wants to know something.
  if (target[0]) run_line(rest, shell, log, target);
  execv(shell, rest);
  fprintf(stderr, "bench: %s: the shell of a recipe cannot be started: %s\n", shell, strerror(errno));
  _exit(127);
}
