// SPDX-License-Identifier: Apache-2.0
// jemalloc of the system (Debian: libjemalloc-dev), linked only by builds with the trait StaticAllocator. Every other
// build gives it to its child processes when it starts them.
#pragma once
#include <jemalloc/jemalloc.h>
