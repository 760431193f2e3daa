// SPDX-License-Identifier: Apache-2.0
#include "CTiles.h"
#include "tile-kernels.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
  intptr_t tiles, size;
  const struct tile_kernels *kernels;
  double *elements;
};

static struct matrix *of(uintptr_t handle) { return (struct matrix *)handle; }

// The elements of a tile, which lie together.
static double *tile(const struct matrix *matrix, intptr_t i, intptr_t j) {
  return matrix->elements + (i * matrix->tiles + j) * matrix->size * matrix->size;
}

static double *element(const struct matrix *matrix, intptr_t row, intptr_t column) {
  intptr_t size = matrix->size;
  return tile(matrix, row / size, column / size) + row % size * size + column % size;
}

double ctiles_element(uintptr_t handle, intptr_t row, intptr_t column) { return *element(of(handle), row, column); }

static size_t bytes(const struct matrix *matrix) {
  return (size_t)(matrix->tiles * matrix->tiles * matrix->size * matrix->size) * sizeof(double);
}

uintptr_t ctiles_make(intptr_t tiles, intptr_t size, int32_t uses_openblas) {
  struct matrix *matrix = malloc(sizeof *matrix);
  if (!matrix) return 0;
  *matrix = (struct matrix){tiles, size, uses_openblas ? &tile_openblas : &tile_loops, NULL};
  matrix->elements = calloc(1, bytes(matrix));
  if (matrix->elements) return (uintptr_t)matrix;
  free(matrix);
  return 0;
}

void ctiles_drop(uintptr_t handle) {
  free(of(handle)->elements);
  free(of(handle));
}

// Between -1/2 and 1/2, from the finalizer of SplitMix64.
static double drawn(uint64_t value) {
  value += 0x9e3779b97f4a7c15u;
  value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9u;
  value = (value ^ value >> 27) * 0x94d049bb133111ebu;
  return (double)((value ^ value >> 31) >> 11) * 0x1p-53 - 0.5;
}

void ctiles_fill(uintptr_t handle, uint64_t seed, int32_t is_symmetric, double dominance) {
  struct matrix *matrix = of(handle);
  intptr_t count = matrix->tiles * matrix->size;
  for (intptr_t row = 0; row < count; row++)
    for (intptr_t column = 0; column < count; column++) {
      intptr_t first = row, second = column;
      if (is_symmetric && first < second) first = column, second = row;
      *element(matrix, row, column) = drawn(seed + (uint64_t)(first * count + second)) + (row == column ? dominance : 0);
    }
}

void ctiles_copy(uintptr_t to, uintptr_t from) { memcpy(of(to)->elements, of(from)->elements, bytes(of(from))); }

void ctiles_multiply(uintptr_t c, uintptr_t a, uintptr_t b, intptr_t row, intptr_t column) {
  double *sum = tile(of(c), row, column);
  for (intptr_t k = 0; k < of(c)->tiles; k++)
    of(c)->kernels->gemm(of(c)->size, 1, tile(of(a), row, k), tile(of(b), k, column), sum);
}

void ctiles_potrf(uintptr_t handle, intptr_t k) {
  of(handle)->kernels->potrf(of(handle)->size, tile(of(handle), k, k));
}

void ctiles_trsm(uintptr_t handle, intptr_t row, intptr_t k) {
  of(handle)->kernels->trsm(of(handle)->size, tile(of(handle), k, k), tile(of(handle), row, k));
}

void ctiles_gemm_transposed(uintptr_t handle, intptr_t row, intptr_t column, intptr_t k) {
  of(handle)->kernels->gemm_transposed(
    of(handle)->size, tile(of(handle), row, k), tile(of(handle), column, k), tile(of(handle), row, column));
}

void ctiles_getrf(uintptr_t handle, intptr_t k) {
  of(handle)->kernels->getrf(of(handle)->size, tile(of(handle), k, k));
}

void ctiles_trsm_row(uintptr_t handle, intptr_t k, intptr_t column) {
  of(handle)->kernels->trsm_row(of(handle)->size, tile(of(handle), k, k), tile(of(handle), k, column));
}

void ctiles_trsm_column(uintptr_t handle, intptr_t row, intptr_t k) {
  of(handle)->kernels->trsm_column(of(handle)->size, tile(of(handle), k, k), tile(of(handle), row, k));
}

void ctiles_gemm(uintptr_t handle, intptr_t row, intptr_t column, intptr_t k) {
  of(handle)->kernels->gemm(
    of(handle)->size, -1, tile(of(handle), row, k), tile(of(handle), k, column), tile(of(handle), row, column));
}

// Which part of a matrix a product takes.
enum part { WHOLE, LOWER, LOWER_TRANSPOSED, UNIT_LOWER, UPPER };

// y ← part(A)·x, or what is in the other triangle left out.
static void apply(const struct matrix *a, enum part part, const double *x, double *y) {
  intptr_t count = a->tiles * a->size;
  for (intptr_t row = 0; row < count; row++) {
    double sum = part == UNIT_LOWER ? x[row] : 0;
    intptr_t first = part == UPPER || part == LOWER_TRANSPOSED ? row : 0;
    intptr_t end = part == LOWER ? row + 1 : part == UNIT_LOWER ? row : count;
    for (intptr_t column = first; column < end; column++)
      sum += (part == LOWER_TRANSPOSED ? *element(a, column, row) : *element(a, row, column)) * x[column];
    y[row] = sum;
  }
}

// The greatest difference of P·x and Q·(R·x), by the greatest P·x; infinite without memory or with no number.
static double residual(uintptr_t p, uintptr_t q, enum part first, uintptr_t r, enum part second, uint64_t seed) {
  intptr_t count = of(p)->tiles * of(p)->size;
  double *vectors = malloc((size_t)count * 4 * sizeof(double));
  if (!vectors) return INFINITY;
  double *x = vectors, *direct = x + count, *half = direct + count, *twice = half + count;
  for (intptr_t place = 0; place < count; place++) x[place] = drawn(~seed + (uint64_t)place);
  apply(of(p), WHOLE, x, direct);
  apply(of(r), second, x, half);
  apply(of(q), first, half, twice);
  double difference = 0, scale = 0;
  for (intptr_t place = 0; place < count; place++) {
    difference = fmax(difference, fabs(direct[place] - twice[place]));
    if (!isfinite(twice[place])) difference = INFINITY;
    scale = fmax(scale, fabs(direct[place]));
  }
  free(vectors);
  return difference / scale;
}

double ctiles_product_residual(uintptr_t c, uintptr_t a, uintptr_t b, uint64_t seed) {
  return residual(c, a, WHOLE, b, WHOLE, seed);
}

double ctiles_cholesky_residual(uintptr_t a, uintptr_t l, uint64_t seed) {
  return residual(a, l, LOWER, l, LOWER_TRANSPOSED, seed);
}

double ctiles_lu_residual(uintptr_t a, uintptr_t lu, uint64_t seed) {
  return residual(a, lu, UNIT_LOWER, lu, UPPER, seed);
}
