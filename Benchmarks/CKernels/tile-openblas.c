// SPDX-License-Identifier: Apache-2.0
#include "CTiles.h"
#include "tile-kernels.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME "libopenblas.so.0"

// The values of the reference interface of BLAS for C, and of LAPACK for Fortran.
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED, UPPER = 121, LOWER, NOT_UNIT = 131, UNIT, LEFT = 141, RIGHT };

static void (*dgemm)(
  int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *, int);
static void (*dtrsm)(int, int, int, int, int, int, int, double, const double *, int, double *, int);
static void (*dpotrf)(const char *, const int *, double *, const int *, int *, size_t);
static int has_one_thread;

static void potrf(intptr_t n, double *a) {
  // LAPACK reads columns, so that the lower part is the upper one to it.
  int count = (int)n, info;
  dpotrf("U", &count, a, &count, &info, 1);
}

static void solve(intptr_t n, int side, int part, int form, int diagonal, const double *by, double *a) {
  dtrsm(ROW_MAJOR, side, part, form, diagonal, (int)n, (int)n, 1, by, (int)n, a, (int)n);
}

static void trsm(intptr_t n, const double *l, double *a) { solve(n, RIGHT, LOWER, TRANSPOSED, NOT_UNIT, l, a); }

static void trsm_row(intptr_t n, const double *l, double *a) { solve(n, LEFT, LOWER, PLAIN, UNIT, l, a); }

static void trsm_column(intptr_t n, const double *u, double *a) { solve(n, RIGHT, UPPER, PLAIN, NOT_UNIT, u, a); }

static void product(intptr_t n, int form, double factor, const double *left, const double *right, double *a) {
  int count = (int)n;
  dgemm(ROW_MAJOR, PLAIN, form, count, count, count, factor, left, count, right, count, 1, a, count);
}

static void gemm_transposed(intptr_t n, const double *left, const double *right, double *a) {
  product(n, TRANSPOSED, -1, left, right, a);
}

static void gemm(intptr_t n, double factor, const double *left, const double *right, double *a) {
  product(n, PLAIN, factor, left, right, a);
}

const struct tile_kernels tile_openblas = {potrf, trsm, gemm_transposed, tile_getrf, trsm_row, trsm_column, gemm};

static void load(void) {
  // The library starts its threads while it is loaded, as many as this says.
  static const char variable[] = "OPENBLAS_NUM_THREADS";
  const char *before = getenv(variable);
  char *kept = before ? strdup(before) : NULL;
  setenv(variable, "1", 1);
  void *library = dlopen(NAME, RTLD_NOW | RTLD_LOCAL);
  if (kept) setenv(variable, kept, 1);
  else unsetenv(variable);
  free(kept);
  if (!library) return;
  *(void **)&dgemm = dlsym(library, "cblas_dgemm");
  *(void **)&dtrsm = dlsym(library, "cblas_dtrsm");
  *(void **)&dpotrf = dlsym(library, "dpotrf_");
  int (*threads)(void);
  *(void **)&threads = dlsym(library, "openblas_get_num_threads");
  has_one_thread = dgemm && dtrsm && dpotrf && threads && threads() == 1;
}

int32_t ctiles_load_openblas(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load);
  return has_one_thread;
}

// Whether one of the folders, which colons divide, has the library.
static int32_t is_in(const char *folders) {
  for (const char *begin = folders, *end; *begin; begin = *end ? end + 1 : end) {
    end = begin + strcspn(begin, ":");
    char path[4096];
    int length = snprintf(path, sizeof path, "%.*s/" NAME, (int)(end - begin), begin);
    if (length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0) return 1;
  }
  return 0;
}

int32_t ctiles_finds_openblas(void) {
  const char *own = getenv("LD_LIBRARY_PATH");
  return (own && is_in(own))
    || is_in("/usr/local/lib:/usr/lib/x86_64-linux-gnu:/usr/lib/aarch64-linux-gnu:/usr/lib64:/usr/lib");
}
