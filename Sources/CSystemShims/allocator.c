// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Allocator.h"

#include "Measurement.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <gnu/libc-version.h>
#include <malloc.h>
#endif

typedef int (*mallctl_function)(const char *, void *, size_t *, void *, size_t);

#ifdef BENCH_STATIC_ALLOCATOR
// A static build links jemalloc, so the symbol is there at link time and dlsym is not.
extern int mallctl(const char *, void *, size_t *, void *, size_t);
static mallctl_function find(void) { return mallctl; }
#else
// A symbol of the process, not of a library opened here: present only when jemalloc was preloaded.
static mallctl_function find(void) { return (mallctl_function)dlsym(RTLD_DEFAULT, "mallctl"); }
#endif

static uint64_t allocated_by_this_thread(mallctl_function control) {
  uint64_t bytes = 0;
  size_t size = sizeof bytes;
  return control("thread.allocated", &bytes, &size, 0, 0) == 0 ? bytes : 0;
}

int shim_jemalloc(char *version, uint64_t capacity) {
  if (capacity > 0) version[0] = 0;
  mallctl_function control = find();
  if (!control) return 0;
  const char *text = 0;
  size_t size = sizeof text;
  if (control("version", &text, &size, 0, 0) == 0 && text) snprintf(version, capacity, "%s", text);
  uint64_t before = allocated_by_this_thread(control);
  void *volatile block = malloc(4096);
  uint64_t after = allocated_by_this_thread(control);
  free(block);
  return after >= before + 4096 ? 1 : 2;
}

int shim_jemalloc_thread_cache(void) {
  mallctl_function control = find();
  _Bool enabled = 0;
  size_t size = sizeof enabled;
  if (!control || control("thread.tcache.enabled", &enabled, &size, 0, 0) != 0) return -1;
  return enabled;
}

int64_t shim_jemalloc_epoch_ns(void) {
  mallctl_function control = find();
  if (!control) return -1;
  uint64_t epoch = 1;
  control("epoch", 0, 0, &epoch, sizeof epoch);
  uint64_t start = shim_monotonic_ns();
  for (int i = 0; i < 16; i++) control("epoch", 0, 0, &epoch, sizeof epoch);
  return (int64_t)((shim_monotonic_ns() - start) / 16);
}

// All arenas together, by the number that jemalloc gives to them.
#define ALL_ARENAS "stats.arenas.4096"

// Adds up one kind of size classes: small ones are bins, the others extents.
static int add_classes(mallctl_function control, const char *number, const char *sizes, const char *requests,
                       shim_allocations *given) {
  unsigned classes = 0;
  size_t width = sizeof classes;
  if (control(number, &classes, &width, 0, 0) != 0) return -1;
  for (unsigned i = 0; i < classes; i++) {
    char name[64];
    size_t bytes = 0;
    uint64_t count = 0;
    snprintf(name, sizeof name, "arenas.%s.%u.size", sizes, i);
    width = sizeof bytes;
    if (control(name, &bytes, &width, 0, 0) != 0) return -1;
    snprintf(name, sizeof name, ALL_ARENAS ".%s.%u.nrequests", requests, i);
    width = sizeof count;
    if (control(name, &count, &width, 0, 0) != 0) return -1;
    given->count += count;
    given->bytes += count * bytes;
  }
  return 0;
}

int shim_allocations_now(shim_allocations *given) {
  *given = (shim_allocations){0, 0};
  mallctl_function control = find();
  if (!control || shim_jemalloc_thread_cache() != 0) return -1;
  uint64_t epoch = 1;
  if (control("epoch", 0, 0, &epoch, sizeof epoch) != 0) return -1;
  if (add_classes(control, "arenas.nbins", "bin", "bins", given) != 0) return -1;
  return add_classes(control, "arenas.nlextents", "lextent", "lextents", given);
}

typedef struct {
  uint64_t count, size;
  pthread_barrier_t turns;
} asked;

static void *ask(void *context) {
  asked *wanted = context;
  pthread_barrier_wait(&wanted->turns);
  pthread_barrier_wait(&wanted->turns);
  for (uint64_t i = 0; i < wanted->count; i++) {
    void *volatile block = malloc(wanted->size);
    free(block);
  }
  pthread_barrier_wait(&wanted->turns);
  // The end of a thread allocates and frees as well, so it waits until everything is read.
  pthread_barrier_wait(&wanted->turns);
  return 0;
}

int shim_allocations_counted(uint64_t count, uint64_t size, shim_allocations *counted) {
  *counted = (shim_allocations){0, 0};
  asked wanted = {.count = count, .size = size};
  if (pthread_barrier_init(&wanted.turns, 0, 2) != 0) return -2;
  pthread_t thread;
  if (pthread_create(&thread, 0, ask, &wanted) != 0) {
    pthread_barrier_destroy(&wanted.turns);
    return -2;
  }
  shim_allocations before, after;
  pthread_barrier_wait(&wanted.turns);
  int error = shim_allocations_now(&before);
  pthread_barrier_wait(&wanted.turns);
  pthread_barrier_wait(&wanted.turns);
  if (error == 0) error = shim_allocations_now(&after);
  pthread_barrier_wait(&wanted.turns);
  pthread_join(thread, 0);
  pthread_barrier_destroy(&wanted.turns);
  if (error == 0) *counted = (shim_allocations){after.count - before.count, after.bytes - before.bytes};
  return error;
}

static int has_part(struct dl_phdr_info *library, size_t size, void *part) {
  (void)size;
  return library->dlpi_name && strstr(library->dlpi_name, part) != 0;
}

int shim_is_loaded(const char *part) { return dl_iterate_phdr(has_part, (void *)part); }

void shim_c_library(char *name, uint64_t capacity) {
#ifdef __GLIBC__
  snprintf(name, capacity, "glibc %s", gnu_get_libc_version());
#else
  snprintf(name, capacity, "unknown C library");
#endif
}

int64_t shim_live_bytes(void) {
#ifdef __GLIBC__
  struct mallinfo2 facts = mallinfo2();
  return (int64_t)(facts.uordblks + facts.hblkhd);
#else
  return -1;
#endif
}
