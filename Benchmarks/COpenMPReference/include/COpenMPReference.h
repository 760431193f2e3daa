// SPDX-License-Identifier: Apache-2.0
// Programs on OpenMP tasks. The calling thread is one of the workers. Defined only with the package trait OpenMP.
#pragma once
#include <stdint.h>

/// One task per node of a native graph, with a `depend` clause that names its predecessors, and waits for all.
void openmp_graph(uintptr_t graph, int32_t workers);
/// One task per slot, which increments it, and waits for all.
void openmp_independent(uintptr_t slots, int64_t count, int32_t workers);
/// The Fibonacci number: fib(n - 1) is a task, fib(n - 2) is computed in place, taskwait joins them.
uint64_t openmp_fibonacci(int64_t argument, int32_t workers);
