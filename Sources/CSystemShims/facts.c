// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "SystemFacts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
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

int64_t shim_peak_rss(void) {
  char text[4096];
  int64_t count = shim_read_file("/proc/self/status", text, sizeof text - 1);
  if (count <= 0) return -1;
  text[count] = 0;
  const char *line = strstr(text, "\nVmHWM:");
  return line ? strtoll(line + 7, 0, 10) * 1024 : -1;
}

int32_t shim_awake_threads(void) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return -1;
  const pid_t own = (pid_t)syscall(SYS_gettid);
  int32_t awake = 0;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    if (entry->d_name[0] == '.' || atoi(entry->d_name) == own) continue;
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%.20s/stat", entry->d_name);
    const int64_t count = shim_read_file(path, text, sizeof text - 1);
    // Else it ended meanwhile.
    if (count <= 0) continue;
    text[count] = 0;
    // The state stands behind the name, which may hold anything.
    const char *name_end = strrchr(text, ')');
    if (name_end && name_end[1] == ' ' && name_end[2] == 'R') awake++;
  }
  closedir(tasks);
  return awake;
}
