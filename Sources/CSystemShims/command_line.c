// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CommandLine.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static char **arguments;
static size_t count;

int shim_add_argument(const char *argument) {
  char **larger = realloc(arguments, (count + 2) * sizeof *larger);
  if (!larger) return ENOMEM;
  arguments = larger;
  arguments[count] = strdup(argument);
  if (!arguments[count]) return ENOMEM;
  arguments[++count] = NULL;
  return 0;
}

static void forget_arguments(void) {
  for (size_t i = 0; i < count; i++) free(arguments[i]);
  free(arguments);
  arguments = NULL;
  count = 0;
}

int shim_execute(const char *path) {
  if (count == 0) return EINVAL;
  execv(path, arguments);
  int error = errno;
  forget_arguments();
  return error;
}

int shim_run_program(const char *name) {
  if (count == 0) return 127;
  pid_t child = fork();
  if (child == 0) {
    dup2(2, 1);
    execvp(name, arguments);
    _exit(127);
  }
  forget_arguments();
  if (child < 0) return 127;
  int status;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *shim_executable_path(void) {
  static char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  path[length > 0 ? length : 0] = 0;
  return path;
}

int shim_write_text(int descriptor, const char *text) {
  for (size_t left = strlen(text); left > 0;) {
    ssize_t written = write(descriptor, text, left);
    if (written < 0) {
      if (errno == EINTR) continue;
      // Somebody else who has the same stream open made it return at once.
      struct pollfd room = {descriptor, POLLOUT, 0};
      if (errno == EAGAIN && (poll(&room, 1, -1) >= 0 || errno == EINTR)) continue;
      return errno;
    }
    text += written;
    left -= (size_t)written;
  }
  return 0;
}

int shim_keep_input(int from, uint64_t most) {
  int file = memfd_create("input", MFD_CLOEXEC);
  if (file < 0) return -errno;
  char buffer[65536];
  int error = 0;
  for (uint64_t kept = 0; !error;) {
    ssize_t got = read(from, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) return file;
    if (got < 0) {
      error = errno;
    } else if ((uint64_t)got > most - kept) {
      error = EFBIG;
    }
    for (ssize_t written = 0; !error && written < got;) {
      ssize_t step = write(file, buffer + written, (size_t)(got - written));
      if (step > 0) written += step;
      if (step < 0 && errno != EINTR) error = errno;
    }
    if (got > 0) kept += (uint64_t)got;
  }
  close(file);
  return -error;
}

void shim_hold_standard_streams(void) {
  for (int fd = 0; fd <= 2; fd++) {
    // Opened the wrong way round, so that using the stream fails as it would have; the lowest free number is `fd`.
    if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  }
}

void shim_report_lost_writes(void) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}
