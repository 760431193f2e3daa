// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Counters.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int shim_counter_open(uint32_t type, uint64_t config, int32_t thread) {
  struct perf_event_attr attributes;
  memset(&attributes, 0, sizeof attributes);
  attributes.type = type;
  attributes.size = sizeof attributes;
  attributes.config = config;
  attributes.disabled = 1;
  // Each event by itself: many kernels read no group that threads inherit.
  attributes.inherit = 1;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  long descriptor = syscall(SYS_perf_event_open, &attributes, thread, -1, -1, PERF_FLAG_FD_CLOEXEC);
  return descriptor < 0 ? -errno : (int)descriptor;
}

int shim_counter_start(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_ENABLE, 0) == 0 ? 0 : errno; }

int shim_counter_stop(int descriptor) { return ioctl(descriptor, PERF_EVENT_IOC_DISABLE, 0) == 0 ? 0 : errno; }

int shim_counter_read(int descriptor, struct shim_count *count) {
  struct shim_count seen;
  ssize_t bytes = read(descriptor, &seen, sizeof seen);
  if (bytes < 0) return errno;
  // The end of the file is what an event reads that the kernel could not put on the processor.
  if (bytes != sizeof seen) return EIO;
  *count = seen;
  return 0;
}

int32_t shim_threads(int32_t *numbers, int32_t capacity) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return 0;
  int32_t count = 0;
  for (struct dirent *entry; (entry = readdir(tasks));) {
    if (entry->d_name[0] == '.') continue;
    if (count < capacity) numbers[count] = atoi(entry->d_name);
    count++;
  }
  closedir(tasks);
  return count;
}
