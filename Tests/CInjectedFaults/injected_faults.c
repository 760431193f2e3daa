// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CInjectedFaults.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>

static _Atomic int64_t calls;
static int64_t chosen = -1;
static int chosen_kind = -1, chosen_error;
static int64_t chosen_step;

void injected_fault(enum injected_kind kind, int error, int64_t number, int64_t step) {
  chosen_error = error;
  chosen_step = step;
  chosen = number;
  chosen_kind = (int)kind;
}

int64_t injected_calls(void) { return calls; }

#if !__has_feature(thread_sanitizer) && !__has_feature(address_sanitizer)

static int fails(enum injected_kind kind) {
  if ((int)kind != chosen_kind) return 0;
  int64_t number = atomic_fetch_add(&calls, 1) + 1;
  int64_t later = number - chosen;
  return later == 0 || (chosen_step && later > 0 && later % chosen_step == 0);
}

typedef int (*create_function)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
typedef int (*memalign_function)(void **, size_t, size_t);
typedef long (*syscall_function)(long, ...);
static create_function real_create;
static memalign_function real_memalign;
static syscall_function real_syscall;

// Before main, and by whoever comes first.
__attribute__((constructor)) static void resolve(void) {
  real_create = (create_function)dlsym(RTLD_NEXT, "pthread_create");
  real_memalign = (memalign_function)dlsym(RTLD_NEXT, "posix_memalign");
  real_syscall = (syscall_function)dlsym(RTLD_NEXT, "syscall");
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
  if (fails(INJECTED_THREAD)) return chosen_error;
  if (!real_create) resolve();
  return real_create(thread, attributes, body, argument);
}

int posix_memalign(void **block, size_t alignment, size_t size) {
  if (alignment >= 128 && fails(INJECTED_MEMORY)) return chosen_error;
  if (!real_memalign) resolve();
  return real_memalign(block, alignment, size);
}

long syscall(long number, ...) {
  long a[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) a[i] = va_arg(list, long);
  va_end(list);
  int is_wait = number == SYS_futex && ((int)a[1] & FUTEX_CMD_MASK) == FUTEX_WAIT;
  if ((is_wait && fails(INJECTED_FUTEX)) || (number == SYS_membarrier && fails(INJECTED_BARRIER))) {
    if (chosen_error == 0) return 0;
    errno = chosen_error;
    return -1;
  }
  if (!real_syscall) resolve();
  return real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
