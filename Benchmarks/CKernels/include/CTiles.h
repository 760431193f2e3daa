// SPDX-License-Identifier: Apache-2.0
// Dense matrices of doubles in square tiles, row by row, and what is done to a tile, by plain loops or by OpenBLAS. A
// matrix is a word, so that a body's closure captures no reference count.
#pragma once
#include <stdint.h>

/// Whether the loader's usual folders have OpenBLAS; loads nothing.
int32_t ctiles_finds_openblas(void);
/// Loads OpenBLAS once, with one thread. Returns 1 when it is there and says that it has one thread, else 0. The first
/// call changes the environment for a moment: no other thread may read it then.
int32_t ctiles_load_openblas(void);

/// Zeroed matrix of `tiles` by `tiles` tiles of `size` by `size`. Returns 0 when there is no memory. With `uses_openblas`
/// the kernels are those of OpenBLAS, which must be loaded; LU of a diagonal tile stays a loop.
uintptr_t ctiles_make(intptr_t tiles, intptr_t size, int32_t uses_openblas);
/// Frees a matrix.
void ctiles_drop(uintptr_t matrix);
/// Fills it: what row and column have, drawn from the seed, between -1/2 and 1/2. With `dominance`, which is added to the
/// diagonal, and symmetry it is positive definite.
void ctiles_fill(uintptr_t matrix, uint64_t seed, int32_t is_symmetric, double dominance);
/// The element of a row and column of the whole matrix.
double ctiles_element(uintptr_t matrix, intptr_t row, intptr_t column);
/// Copies all elements of a matrix of the same shape.
void ctiles_copy(uintptr_t to, uintptr_t from);

/// C[i,j] += A[i,k] · B[k,j] for all k.
void ctiles_multiply(uintptr_t c, uintptr_t a, uintptr_t b, intptr_t row, intptr_t column);

/// Cholesky, lower part: L of the diagonal tile k in its place.
void ctiles_potrf(uintptr_t matrix, intptr_t k);
/// A[i,k] ← A[i,k] · L[k,k]^-T.
void ctiles_trsm(uintptr_t matrix, intptr_t i, intptr_t k);
/// A[i,j] ← A[i,j] - A[i,k] · A[j,k]^T.
void ctiles_gemm_transposed(uintptr_t matrix, intptr_t i, intptr_t j, intptr_t k);

/// LU without pivoting: L below the diagonal, which is 1, and U of the diagonal tile k in its place.
void ctiles_getrf(uintptr_t matrix, intptr_t k);
/// A[k,j] ← L[k,k]^-1 · A[k,j].
void ctiles_trsm_row(uintptr_t matrix, intptr_t k, intptr_t j);
/// A[i,k] ← A[i,k] · U[k,k]^-1.
void ctiles_trsm_column(uintptr_t matrix, intptr_t i, intptr_t k);
/// A[i,j] ← A[i,j] - A[i,k] · A[k,j].
void ctiles_gemm(uintptr_t matrix, intptr_t i, intptr_t j, intptr_t k);

/// |C·x - A·(B·x)| by the greatest |C·x|, for an x of the seed: O(n²), and 0 but for rounding when C is A·B.
double ctiles_product_residual(uintptr_t c, uintptr_t a, uintptr_t b, uint64_t seed);
/// |A·x - L·(L^T·x)| by the greatest |A·x|; L is the lower part.
double ctiles_cholesky_residual(uintptr_t a, uintptr_t l, uint64_t seed);
/// |A·x - L·(U·x)| by the greatest |A·x|; L and U are the parts of `lu`.
double ctiles_lu_residual(uintptr_t a, uintptr_t lu, uint64_t seed);
