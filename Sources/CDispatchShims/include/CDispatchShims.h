// SPDX-License-Identifier: Apache-2.0
// The parts of libdispatch that take a C function instead of a closure; its Swift module hides them on Linux.
// Whoever calls these must link libdispatch, which importing Dispatch in Swift does.
#pragma once
#include <stdint.h>

/// Hands `work(context)` to the global concurrent queue of default priority.
void shim_dispatch_async(uintptr_t context, void (*work)(void *));

/// Hands `work(context)` to a serial queue of its own, for which libdispatch starts a thread even when as many as there
/// are processors exist and are blocked. The queue frees itself.
void shim_dispatch_async_extra(uintptr_t context, void (*work)(void *));
