// SPDX-License-Identifier: Apache-2.0
// Programs on libdispatch's C functions: groups, the global concurrent queue of default priority, no blocks.
// Whoever calls these must link libdispatch, which importing Dispatch in Swift does.
#pragma once
#include <stdint.h>

/// Makes the nodes and edges of a native graph. Returns a handle.
uintptr_t dispatch_reference_build(uintptr_t graph);
/// Runs every node once and waits.
void dispatch_reference_run(uintptr_t program);
void dispatch_reference_drop(uintptr_t program);

/// Hands over one function per slot, which increments it, and waits for all.
void dispatch_reference_independent(uintptr_t slots, int64_t count);
/// The Fibonacci number, with one function per call that is not a leaf and continuations; UINT64_MAX if a value got lost.
uint64_t dispatch_reference_fibonacci(int64_t argument);

/// A group, for single functions.
uintptr_t dispatch_reference_open(void);
/// Hands over one function that stamps and increments the slot of `sample`, and waits for it; the time just before.
uint64_t dispatch_reference_sample(uintptr_t group, uintptr_t stamps, uintptr_t slots, int64_t sample);
void dispatch_reference_close(uintptr_t group);
