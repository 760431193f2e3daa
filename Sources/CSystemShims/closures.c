// SPDX-License-Identifier: Apache-2.0
#include "CSystemShims.h"
#include <stdbool.h>

struct shim_closure shim_closure_words(uintptr_t function, uintptr_t context) {
  return (struct shim_closure){function, context};
}

struct shim_closure shim_body_words(uintptr_t function, uintptr_t context) {
  return (struct shim_closure){function, context};
}

// Of the Swift runtime.
extern void swift_release(void *object);
extern void swift_nonatomic_release(void *object);
extern bool swift_isUniquelyReferenced_nonNull_native(const void *object);

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
// ThreadSanitizer knows no fences.
#define COUNTS_ATOMICALLY 1
#endif
#endif

void shim_release_context(uintptr_t context) {
  void *object = (void *)context;
  if (object == NULL) return;
#ifndef COUNTS_ATOMICALLY
  if (swift_isUniquelyReferenced_nonNull_native(object)) {
    // Whoever gave up the reference before this one has done with what the context holds.
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return swift_nonatomic_release(object);
  }
#endif
  swift_release(object);
}
