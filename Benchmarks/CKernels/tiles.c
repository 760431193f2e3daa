// SPDX-License-Identifier: Apache-2.0
#include "CTiles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct matrix {
  intptr_t tiles, size;
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

static size_t bytes(const struct matrix *matrix) {
  return (size_t)(matrix->tiles * matrix->tiles * matrix->size * matrix->size) * sizeof(double);
}

uintptr_t ctiles_make(intptr_t tiles, intptr_t size) {
  struct matrix *matrix = malloc(sizeof *matrix);
  if (!matrix) return 0;
  *matrix = (struct matrix){tiles, size, NULL};
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
  intptr_t size = of(c)->size;
  double *sum = tile(of(c), row, column);
  for (intptr_t k = 0; k < of(c)->tiles; k++) {
    const double *left = tile(of(a), row, k), *right = tile(of(b), k, column);
    for (intptr_t i = 0; i < size; i++)
      for (intptr_t m = 0; m < size; m++) {
        double factor = left[i * size + m];
        for (intptr_t j = 0; j < size; j++) sum[i * size + j] += factor * right[m * size + j];
      }
  }
}

void ctiles_potrf(uintptr_t handle, intptr_t k) {
  intptr_t size = of(handle)->size;
  double *a = tile(of(handle), k, k);
  for (intptr_t j = 0; j < size; j++) {
    double pivot = a[j * size + j];
    for (intptr_t m = 0; m < j; m++) pivot -= a[j * size + m] * a[j * size + m];
    pivot = sqrt(pivot);
    a[j * size + j] = pivot;
    for (intptr_t i = j + 1; i < size; i++) {
      double sum = a[i * size + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * size + m] * a[j * size + m];
      a[i * size + j] = sum / pivot;
    }
  }
}

void ctiles_trsm(uintptr_t handle, intptr_t row, intptr_t k) {
  intptr_t size = of(handle)->size;
  const double *l = tile(of(handle), k, k);
  double *a = tile(of(handle), row, k);
  for (intptr_t i = 0; i < size; i++)
    for (intptr_t j = 0; j < size; j++) {
      double sum = a[i * size + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * size + m] * l[j * size + m];
      a[i * size + j] = sum / l[j * size + j];
    }
}

void ctiles_gemm_transposed(uintptr_t handle, intptr_t row, intptr_t column, intptr_t k) {
  intptr_t size = of(handle)->size;
  const double *left = tile(of(handle), row, k), *right = tile(of(handle), column, k);
  double *a = tile(of(handle), row, column);
  for (intptr_t i = 0; i < size; i++)
    for (intptr_t j = 0; j < size; j++) {
      double sum = 0;
      for (intptr_t m = 0; m < size; m++) sum += left[i * size + m] * right[j * size + m];
      a[i * size + j] -= sum;
    }
}

void ctiles_getrf(uintptr_t handle, intptr_t k) {
  intptr_t size = of(handle)->size;
  double *a = tile(of(handle), k, k);
  for (intptr_t m = 0; m < size; m++)
    for (intptr_t i = m + 1; i < size; i++) {
      double factor = a[i * size + m] / a[m * size + m];
      a[i * size + m] = factor;
      for (intptr_t j = m + 1; j < size; j++) a[i * size + j] -= factor * a[m * size + j];
    }
}

void ctiles_trsm_row(uintptr_t handle, intptr_t k, intptr_t column) {
  intptr_t size = of(handle)->size;
  const double *l = tile(of(handle), k, k);
  double *a = tile(of(handle), k, column);
  for (intptr_t i = 0; i < size; i++)
    for (intptr_t m = 0; m < i; m++) {
      double factor = l[i * size + m];
      for (intptr_t j = 0; j < size; j++) a[i * size + j] -= factor * a[m * size + j];
    }
}

void ctiles_trsm_column(uintptr_t handle, intptr_t row, intptr_t k) {
  intptr_t size = of(handle)->size;
  const double *u = tile(of(handle), k, k);
  double *a = tile(of(handle), row, k);
  for (intptr_t i = 0; i < size; i++)
    for (intptr_t j = 0; j < size; j++) {
      double sum = a[i * size + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * size + m] * u[m * size + j];
      a[i * size + j] = sum / u[j * size + j];
    }
}

void ctiles_gemm(uintptr_t handle, intptr_t row, intptr_t column, intptr_t k) {
  intptr_t size = of(handle)->size;
  const double *left = tile(of(handle), row, k), *right = tile(of(handle), k, column);
  double *a = tile(of(handle), row, column);
  for (intptr_t i = 0; i < size; i++)
    for (intptr_t m = 0; m < size; m++) {
      double factor = left[i * size + m];
      for (intptr_t j = 0; j < size; j++) a[i * size + j] -= factor * right[m * size + j];
    }
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
