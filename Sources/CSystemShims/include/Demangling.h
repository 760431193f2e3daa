// SPDX-License-Identifier: Apache-2.0
// Names of Swift symbols as people read them.
#pragma once
#include <stdint.h>

/// Writes the readable form of a Swift symbol's name, cut to the capacity; writes nothing but a terminator when the name
/// is none of Swift's, or the Swift runtime of this process cannot tell.
void shim_demangle(const char *name, char *text, uint64_t capacity);
