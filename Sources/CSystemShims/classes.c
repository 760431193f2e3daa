// SPDX-License-Identifier: Apache-2.0
#include "CSystemShims.h"

// What the compiler emits for the methods and for their class. Weak: programs without the room Operations link this file too.
extern const char start_method __asm__("$s10Operations9OperationC5startyyFTq") __attribute__((weak));
extern const char cancel_method __asm__("$s10Operations9OperationC6cancelyyFTq") __attribute__((weak));
extern const char operation_class __asm__("$s10Operations9OperationCMn") __attribute__((weak));

// Of Swift's runtime, which libraries with resilient classes call for every method.
extern const void *swift_lookUpClassMethod(const void *metadata, const void *method, const void *class_descriptor)
    __attribute__((swiftcall));

static int inherits(uintptr_t subclass, uintptr_t base, const void *method) {
  const void *own = swift_lookUpClassMethod((const void *)subclass, method, &operation_class);
  return own == swift_lookUpClassMethod((const void *)base, method, &operation_class);
}

int shim_inherits_start(uintptr_t subclass, uintptr_t base) { return inherits(subclass, base, &start_method); }

int shim_inherits_cancel(uintptr_t subclass, uintptr_t base) { return inherits(subclass, base, &cancel_method); }

// Of Swift's runtime, which reads weak references with it.
extern void *swift_tryRetain(void *object);

int shim_retain_unless_ending(uintptr_t object) { return swift_tryRetain((void *)object) != NULL; }
