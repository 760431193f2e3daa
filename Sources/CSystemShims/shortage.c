// SPDX-License-Identifier: Apache-2.0
// Whether the system gives what a measuring child will need.
#define _GNU_SOURCE
#include "Shortage.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void *wait_for_gate(void *gate) {
  pthread_mutex_lock(gate);
  pthread_mutex_unlock(gate);
  return 0;
}

int shim_start_threads(int count, int *started) {
  *started = 0;
  pthread_t *threads = calloc((size_t)count, sizeof *threads);
  if (!threads) return ENOMEM;
  pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  // They all live at the same time, since none gets past the gate before the last has started.
  pthread_mutex_lock(&gate);
  int error = 0;
  while (*started < count && !error) {
    error = pthread_create(&threads[*started], &attributes, wait_for_gate, &gate);
    if (!error) ++*started;
  }
  pthread_mutex_unlock(&gate);
  for (int i = 0; i < *started; i++) pthread_join(threads[i], 0);
  pthread_attr_destroy(&attributes);
  free(threads);
  return error;
}

int shim_map_bytes(uint64_t bytes) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return 0;
  void *room = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return errno;
  munmap(room, bytes);
  return 0;
}
