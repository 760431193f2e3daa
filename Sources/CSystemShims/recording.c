// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

struct shim_recording shim_recording;
__thread void *shim_tls_ring __attribute__((tls_model("initial-exec")));

static pthread_once_t ring_once = PTHREAD_ONCE_INIT;
static pthread_key_t ring_key;
static int ring_error;
static void (*ring_end)(void *);

static void thread_ends(void *ring) {
  shim_tls_ring = 0;
  __atomic_load_n(&ring_end, __ATOMIC_RELAXED)(ring);
}

static void make_ring_key(void) { ring_error = pthread_key_create(&ring_key, thread_ends); }

int shim_keep_ring(void *ring, void (*end)(void *)) {
  // relaxed: the same function every time.
  __atomic_store_n(&ring_end, end, __ATOMIC_RELAXED);
  pthread_once(&ring_once, make_ring_key);
  if (ring_error) return ring_error;
  shim_tls_ring = ring;
  return pthread_setspecific(ring_key, ring);
}

int32_t shim_thread_identity(char *name) {
  prctl(PR_GET_NAME, name, 0, 0, 0);
  return (int32_t)syscall(SYS_gettid);
}

int shim_open_wait_account(void) { return open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC); }

void shim_close_wait_account(int account) { close(account); }

int64_t shim_read_wait_account(int account) {
  // Three numbers: time on a processor, time without one, times that it got one.
  char text[80];
  ssize_t count = pread(account, text, sizeof text - 1, 0);
  if (count <= 0) return -1;
  text[count] = 0;
  char *end;
  strtoull(text, &end, 10);
  return *end == ' ' ? (int64_t)strtoull(end, 0, 10) : -1;
}

int shim_counter_is_invariant(void) {
#if defined(__x86_64__)
  unsigned a, b, c, d;
  return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & 1u << 8) != 0;
#elif defined(__aarch64__)
  // The architecture promises it.
  return 1;
#else
  return 0;
#endif
}

int32_t shim_ask_processor(void) { return sched_getcpu(); }
