// SPDX-License-Identifier: Apache-2.0
// Threads, processors and compiler barriers: calls that need _GNU_SOURCE or compiler built-ins.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Starts a thread that calls `body(argument)`. `name` is cut to 15 bytes; `stack_size` 0 means the system's default.
/// Returns 0 and sets `*thread`, or returns errno.
int shim_thread_start(uintptr_t *thread, const char *name, size_t stack_size,
                      void (*body)(void *), void *argument);
/// Waits for the end of a thread. Returns 0, or errno.
int shim_thread_join(uintptr_t thread);
/// Lets a thread free itself at its end. Returns 0, or errno.
int shim_thread_detach(uintptr_t thread);
/// Bytes of stack of the calling thread; 0 when the system does not say.
uint64_t shim_thread_stack_size(void);
/// The address above which three quarters of the calling thread's stack lie; 0 when the system does not say. Opens a file
/// on the main thread.
uintptr_t shim_stack_floor(void);
/// Where the calling thread's stack is now, near enough.
static inline uintptr_t shim_stack_position(void) { return (uintptr_t)__builtin_frame_address(0); }
/// Gives the processor to another thread that is ready to run.
void shim_thread_yield(void);

/// Processors that this process may run on, by its affinity mask; 0 when the system does not say.
int shim_processor_count(void);

/// Writes the numbers of the processors that the calling thread may run on, in order. Returns how many it wrote, at most
/// `capacity`; 0 when the system does not say.
int shim_allowed_processors(int *numbers, int capacity);

/// Restricts the calling thread to `count` processors. Returns 0, or errno.
int shim_restrict_thread(const int *numbers, int count);

/// Keeps the compiler from moving memory accesses across the call; costs no instruction.
static inline void shim_compiler_barrier(void) { __asm__ volatile("" ::: "memory"); }
