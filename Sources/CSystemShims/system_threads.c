// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "SystemThreads.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

struct start {
  void (*body)(void *);
  void *argument;
};

static void *run_body(void *p) {
  struct start start = *(struct start *)p;
  free(p);
  start.body(start.argument);
  return 0;
}

int shim_thread_start(uintptr_t *thread, const char *name, size_t stack_size,
                      void (*body)(void *), void *argument) {
  pthread_attr_t attributes;
  int error = pthread_attr_init(&attributes);
  if (error) return error;
  if (stack_size) error = pthread_attr_setstacksize(&attributes, stack_size);
  struct start *start = error ? 0 : malloc(sizeof *start);
  if (!error && !start) error = ENOMEM;
  if (!error) {
    start->body = body;
    start->argument = argument;
    pthread_t created;
    error = pthread_create(&created, &attributes, run_body, start);
    if (error) {
      free(start);
    } else {
      char short_name[16];
      strncpy(short_name, name, sizeof short_name - 1);
      short_name[sizeof short_name - 1] = 0;
      pthread_setname_np(created, short_name);
      *thread = (uintptr_t)created;
    }
  }
  pthread_attr_destroy(&attributes);
  return error;
}

int shim_thread_join(uintptr_t thread) { return pthread_join((pthread_t)thread, 0); }

int shim_thread_detach(uintptr_t thread) { return pthread_detach((pthread_t)thread); }

uint64_t shim_thread_stack_size(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return 0;
  size_t size = 0;
  pthread_attr_getstacksize(&attributes, &size);
  pthread_attr_destroy(&attributes);
  return size;
}

uintptr_t shim_stack_floor(void) {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes)) return 0;
  void *lowest = 0;
  size_t size = 0;
  int error = pthread_attr_getstack(&attributes, &lowest, &size);
  pthread_attr_destroy(&attributes);
  return error ? 0 : (uintptr_t)lowest + size / 4;
}

void shim_thread_yield(void) { sched_yield(); }

int shim_processor_count(void) {
  // The set grows until the kernel's mask fits: machines with more than 1024 processors exist.
  for (int bits = 1024; bits <= 1 << 20; bits *= 2) {
    cpu_set_t *set = CPU_ALLOC(bits);
    if (!set) return 0;
    size_t size = CPU_ALLOC_SIZE(bits);
    int result = sched_getaffinity(0, size, set);
    int count = result == 0 ? CPU_COUNT_S(size, set) : 0;
    int again = result != 0 && errno == EINVAL;
    CPU_FREE(set);
    if (!again) return count;
  }
  return 0;
}

int shim_allowed_processors(int *numbers, int capacity) {
  for (int bits = 1024; bits <= 1 << 20; bits *= 2) {
    cpu_set_t *set = CPU_ALLOC(bits);
    if (!set) return 0;
    size_t size = CPU_ALLOC_SIZE(bits);
    int result = sched_getaffinity(0, size, set);
    int again = result != 0 && errno == EINVAL;
    int count = 0;
    for (int number = 0; result == 0 && number < bits && count < capacity; number++) {
      if (CPU_ISSET_S(number, size, set)) numbers[count++] = number;
    }
    CPU_FREE(set);
    if (!again) return count;
  }
  return 0;
}

int shim_restrict_thread(const int *numbers, int count) {
  int bits = 1024;
  for (int i = 0; i < count; i++) {
    if (numbers[i] < 0 || numbers[i] >= 1 << 20) return EINVAL;
    while (numbers[i] >= bits) bits *= 2;
  }
  cpu_set_t *set = CPU_ALLOC(bits);
  if (!set) return ENOMEM;
  size_t size = CPU_ALLOC_SIZE(bits);
  CPU_ZERO_S(size, set);
  for (int i = 0; i < count; i++) CPU_SET_S(numbers[i], size, set);
  int result = sched_setaffinity(0, size, set) == 0 ? 0 : errno;
  CPU_FREE(set);
  return result;
}
