// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CSystemShims.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__thread void *shim_tls_worker __attribute__((tls_model("initial-exec")));
__thread void *shim_tls_operations __attribute__((tls_model("initial-exec")));
__thread void *shim_tls_inline __attribute__((tls_model("initial-exec")));
__thread struct shim_pool_membership shim_tls_pool __attribute__((tls_model("initial-exec")));

int shim_futex_wait(const void *address, uint32_t expected, int64_t timeout_ns) {
  struct timespec limit = {timeout_ns / 1000000000, timeout_ns % 1000000000};
  struct timespec *timeout = timeout_ns < 0 ? 0 : &limit;
  long result = syscall(SYS_futex, address, FUTEX_WAIT_PRIVATE, expected, timeout, 0, 0);
  return result == 0 ? 0 : errno;
}

int shim_futex_wake(const void *address, int count) {
  return (int)syscall(SYS_futex, address, FUTEX_WAKE_PRIVATE, count, 0, 0, 0);
}

int shim_membarrier_register(void) {
  long result = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
  return result == 0 ? 0 : errno;
}

int shim_membarrier(void) {
  long result = syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  return result == 0 ? 0 : errno;
}
