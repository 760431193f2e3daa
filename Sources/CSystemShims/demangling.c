// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Demangling.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*demangle_function)(const char *name, size_t length, char *buffer, size_t *capacity, uint32_t flags);

void shim_demangle(const char *name, char *text, uint64_t capacity) {
  text[0] = 0;
  demangle_function demangle = (demangle_function)dlsym(RTLD_DEFAULT, "swift_demangle");
  char *readable = demangle ? demangle(name, strlen(name), 0, 0, 0) : 0;
  if (!readable) return;
  size_t length = strlen(readable);
  if (length >= capacity) length = capacity - 1;
  memcpy(text, readable, length);
  text[length] = 0;
  free(readable);
}
