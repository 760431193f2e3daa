// SPDX-License-Identifier: Apache-2.0
#include "CSystemShims.h"

// What the compiler emits for the methods and for their class. Weak: programs without the room Operations link this file too.
#define METHOD(name, symbol) extern const char name __asm__("$s10Operations9OperationC" symbol) __attribute__((weak))
METHOD(start_method, "5startyyFTq");
METHOD(is_ready_getter, "7isReadySbvgTq");
METHOD(is_finished_getter, "10isFinishedSbvgTq");
METHOD(cancel_method, "6cancelyyFTq");
METHOD(operation_descriptor, "Mn");
METHOD(operation_class, "N");

// Of Swift's runtime, which libraries with resilient classes call for every method.
extern const void *swift_lookUpClassMethod(const void *metadata, const void *method, const void *class_descriptor)
    __attribute__((swiftcall));

static int overrides(uintptr_t subclass, const void *method) {
  const void *own = swift_lookUpClassMethod((const void *)subclass, method, &operation_descriptor);
  return own != swift_lookUpClassMethod(&operation_class, method, &operation_descriptor);
}

uintptr_t shim_known_classes[SHIM_KNOWN_CLASSES];

uintptr_t shim_find_overrides(uintptr_t subclass) {
  uintptr_t found = 0;
  if (overrides(subclass, &start_method)) found |= SHIM_OVERRIDES_START;
  if (overrides(subclass, &is_ready_getter) || overrides(subclass, &is_finished_getter)) found |= SHIM_OVERRIDES_FLAGS;
  if (overrides(subclass, &cancel_method)) found |= SHIM_OVERRIDES_CANCEL;
  // relaxed: the word says all there is to know, and is the same whoever finds it.
  __atomic_store_n(&shim_known_classes[SHIM_PLACE_OF_CLASS(subclass)], subclass | found, __ATOMIC_RELAXED);
  return found;
}

// Of Swift's runtime, which reads weak references with it.
extern void *swift_tryRetain(void *object);

int shim_retain_unless_ending(uintptr_t object) { return swift_tryRetain((void *)object) != NULL; }
