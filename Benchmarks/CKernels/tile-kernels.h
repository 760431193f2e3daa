// SPDX-License-Identifier: Apache-2.0
// What is done to tiles of n by n doubles, row by row: the steps of the factorizations and of a product.
#pragma once
#include <stdint.h>

struct tile_kernels {
  // The lower part of a becomes L with A = L · L^T; what is above the diagonal is left alone or not, as it likes.
  void (*potrf)(intptr_t n, double *a);
  // a ← a · l^-T.
  void (*trsm)(intptr_t n, const double *l, double *a);
  // a ← a - left · right^T.
  void (*gemm_transposed)(intptr_t n, const double *left, const double *right, double *a);
  // a becomes L below the diagonal, which is 1, and U; without pivoting.
  void (*getrf)(intptr_t n, double *a);
  // a ← l^-1 · a; the diagonal of l is 1.
  void (*trsm_row)(intptr_t n, const double *l, double *a);
  // a ← a · u^-1.
  void (*trsm_column)(intptr_t n, const double *u, double *a);
  // a ← a + factor · left · right.
  void (*gemm)(intptr_t n, double factor, const double *left, const double *right, double *a);
};

// Plain loops.
extern const struct tile_kernels tile_loops;
// Those of OpenBLAS; only after ctiles_load_openblas has returned 1.
extern const struct tile_kernels tile_openblas;
// The plain loop, for OpenBLAS too: LAPACK has no factorization without pivoting.
void tile_getrf(intptr_t n, double *a);
