// SPDX-License-Identifier: Apache-2.0
// What Swift cannot call directly on Linux. One function each, values in and out where possible.
#pragma once
#include <stdint.h>

#include "Allocator.h"
#include "ClassFacts.h"
#include "CommandLine.h"
#include "Counters.h"
#include "Demangling.h"
#include "MachineProbes.h"
#include "Measurement.h"
#include "Process.h"
#include "Recipes.h"
#include "Recording.h"
#include "Shortage.h"
#include "SystemFacts.h"
#include "SystemThreads.h"

/// Tells the core that the caller spins (x86 `pause`, Arm `yield`).
static inline void shim_pause(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

/// Keeps the compiler from moving anything across this place; costs no instruction.
///
/// Before a store that gives up a lock: the optimiser sinks the retain of a value that was read under the lock below
/// an atomic store, where another thread may already have released it.
static inline void shim_keep_order(void) { __asm__ volatile("" ::: "memory"); }

/// Asks for the two cache lines from `address` on, which need not be valid.
static inline void shim_prefetch(uintptr_t address) {
  __builtin_prefetch((const void *)address, 1);
  __builtin_prefetch((const void *)(address + 64), 1);
}

/// A Swift closure without arguments and result, as the two words that it is.
///
/// Whoever keeps the words keeps the closure alive. A call through them counts no reference.
struct shim_closure {
  uintptr_t function;
  uintptr_t context;
};
/// What Swift passes for a closure argument; declared there as a function that takes a closure.
struct shim_closure shim_closure_words(uintptr_t function, uintptr_t context);
/// Calls the closure, with Swift's calling convention.
static inline void shim_call_closure(struct shim_closure closure) {
  typedef __attribute__((swiftcall)) void (*function)(__attribute__((swift_context)) void *context);
  ((function)closure.function)((void *)closure.context);
}
/// Gives a reference to a closure's context up: without a read-modify-write where it is the only one.
void shim_release_context(uintptr_t context);
/// Calls the closure and gives the caller's reference up.
static inline void shim_call_closure_once(struct shim_closure closure) {
  shim_call_closure(closure);
  shim_release_context(closure.context);
}

/// What Swift passes for a function that does something with a body at an address.
struct shim_closure shim_body_words(uintptr_t function, uintptr_t context);
/// Calls such a function, which has no context.
static inline struct shim_closure shim_use_body(uintptr_t function, uintptr_t place, uint8_t use) {
  typedef __attribute__((swiftcall)) struct shim_closure (*body_function)(uintptr_t, uint8_t);
  return ((body_function)function)(place, use);
}

/// Per-thread slots, one per room that needs one; initial-exec so that a read is one load.
extern __thread void *shim_tls_worker __attribute__((tls_model("initial-exec")));
extern __thread void *shim_tls_operations __attribute__((tls_model("initial-exec")));
extern __thread void *shim_tls_inline __attribute__((tls_model("initial-exec")));

/// Retains the Swift object at an address unless it is ending, 0 then: as a weak reference is read, without one. Its
/// memory must last until this returns.
int shim_retain_unless_ending(uintptr_t object);

/// The work-stealing worker that runs on this thread.
static inline void *shim_get_worker(void) { return shim_tls_worker; }
static inline void shim_set_worker(void *p) { shim_tls_worker = p; }
/// The thread record of the operation layer.
static inline void *shim_get_operations(void) { return shim_tls_operations; }
static inline void shim_set_operations(void *p) { shim_tls_operations = p; }
/// The trampoline of the inline scheduler.
static inline void *shim_get_inline(void) { return shim_tls_inline; }
static inline void shim_set_inline(void *p) { shim_tls_inline = p; }

/// Which pool with a locked queue this thread works for, and as which worker.
struct shim_pool_membership {
  /// Identity of the pool's shared object, 0 for none.
  uintptr_t owner;
  /// Index of the worker.
  uintptr_t index;
};
extern __thread struct shim_pool_membership shim_tls_pool __attribute__((tls_model("initial-exec")));
static inline struct shim_pool_membership shim_get_pool(void) { return shim_tls_pool; }
static inline void shim_set_pool(struct shim_pool_membership pool) { shim_tls_pool = pool; }

/// Waits while `*address == expected`. `timeout_ns` < 0 means no limit. Returns 0, or errno (EAGAIN, EINTR, ETIMEDOUT).
int shim_futex_wait(const void *address, uint32_t expected, int64_t timeout_ns);
/// Wakes at most `count` waiters. Returns how many.
int shim_futex_wake(const void *address, int count);

/// Registers this process for expedited private barriers. Returns 0, or errno.
int shim_membarrier_register(void);
/// A memory barrier on every thread of this process that runs now. Returns 0, or errno.
int shim_membarrier(void);
