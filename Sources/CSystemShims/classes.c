// SPDX-License-Identifier: Apache-2.0
#include "CSystemShims.h"

// What the compiler emits for the method and for its class. Weak: programs without the room Operations link this file too.
extern const char start_method __asm__("$s10Operations9OperationC5startyyFTq") __attribute__((weak));
extern const char operation_class __asm__("$s10Operations9OperationCMn") __attribute__((weak));

// Of Swift's runtime, which libraries with resilient classes call for every method.
extern const void *swift_lookUpClassMethod(const void *metadata, const void *method, const void *class_descriptor)
    __attribute__((swiftcall));

int shim_inherits_start(uintptr_t subclass, uintptr_t base) {
  const void *own = swift_lookUpClassMethod((const void *)subclass, &start_method, &operation_class);
  return own == swift_lookUpClassMethod((const void *)base, &start_method, &operation_class);
}

// Of Swift's runtime, which reads weak references with it.
extern void *swift_tryRetain(void *object);

int shim_retain_unless_ending(uintptr_t object) { return swift_tryRetain((void *)object) != NULL; }
