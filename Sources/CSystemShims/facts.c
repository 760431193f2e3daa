// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "SystemFacts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int64_t shim_read_file(const char *path, void *buffer, uint64_t capacity) {
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return -errno;
  uint64_t count = 0;
  int error = 0;
  while (count < capacity) {
    ssize_t got = read(fd, (char *)buffer + count, capacity - count);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) error = errno;
    if (got <= 0) break;
    count += (uint64_t)got;
  }
  close(fd);
  return error ? -error : (int64_t)count;
}

int shim_can_read(const char *path) { return access(path, R_OK) == 0; }

int64_t shim_peak_rss(void) {
  char text[4096];
  int64_t count = shim_read_file("/proc/self/status", text, sizeof text - 1);
  if (count <= 0) return -1;
  text[count] = 0;
  const char *line = strstr(text, "\nVmHWM:");
  return line ? strtoll(line + 7, 0, 10) * 1024 : -1;
}
