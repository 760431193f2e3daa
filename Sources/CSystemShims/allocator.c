// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Allocator.h"

#include "Measurement.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
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
