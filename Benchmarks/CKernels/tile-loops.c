// SPDX-License-Identifier: Apache-2.0
#include "tile-kernels.h"
#include <math.h>

static void potrf(intptr_t n, double *a) {
  for (intptr_t j = 0; j < n; j++) {
    double pivot = a[j * n + j];
    for (intptr_t m = 0; m < j; m++) pivot -= a[j * n + m] * a[j * n + m];
    pivot = sqrt(pivot);
    a[j * n + j] = pivot;
    for (intptr_t i = j + 1; i < n; i++) {
      double sum = a[i * n + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * n + m] * a[j * n + m];
      a[i * n + j] = sum / pivot;
    }
  }
}

static void trsm(intptr_t n, const double *l, double *a) {
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t j = 0; j < n; j++) {
      double sum = a[i * n + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * n + m] * l[j * n + m];
      a[i * n + j] = sum / l[j * n + j];
    }
}

static void gemm_transposed(intptr_t n, const double *left, const double *right, double *a) {
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t j = 0; j < n; j++) {
      double sum = 0;
      for (intptr_t m = 0; m < n; m++) sum += left[i * n + m] * right[j * n + m];
      a[i * n + j] -= sum;
    }
}

void tile_getrf(intptr_t n, double *a) {
  for (intptr_t m = 0; m < n; m++)
    for (intptr_t i = m + 1; i < n; i++) {
      double factor = a[i * n + m] / a[m * n + m];
      a[i * n + m] = factor;
      for (intptr_t j = m + 1; j < n; j++) a[i * n + j] -= factor * a[m * n + j];
    }
}

static void trsm_row(intptr_t n, const double *l, double *a) {
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t m = 0; m < i; m++) {
      double factor = l[i * n + m];
      for (intptr_t j = 0; j < n; j++) a[i * n + j] -= factor * a[m * n + j];
    }
}

static void trsm_column(intptr_t n, const double *u, double *a) {
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t j = 0; j < n; j++) {
      double sum = a[i * n + j];
      for (intptr_t m = 0; m < j; m++) sum -= a[i * n + m] * u[m * n + j];
      a[i * n + j] = sum / u[j * n + j];
    }
}

static void gemm(intptr_t n, double factor, const double *left, const double *right, double *a) {
  for (intptr_t i = 0; i < n; i++)
    for (intptr_t m = 0; m < n; m++) {
      double scaled = factor * left[i * n + m];
      for (intptr_t j = 0; j < n; j++) a[i * n + j] += scaled * right[m * n + j];
    }
}

const struct tile_kernels tile_loops = {potrf, trsm, gemm_transposed, tile_getrf, trsm_row, trsm_column, gemm};
