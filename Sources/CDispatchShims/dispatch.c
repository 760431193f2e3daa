// SPDX-License-Identifier: Apache-2.0
#include "CDispatchShims.h"

// Declared here because the headers of the Swift toolchain are not on the path of C targets.
extern void *dispatch_get_global_queue(intptr_t identifier, uintptr_t flags);
extern void *dispatch_queue_create(const char *label, void *attributes);
extern void dispatch_async_f(void *queue, void *context, void (*work)(void *));
extern void dispatch_release(void *object);

void shim_dispatch_async(uintptr_t context, void (*work)(void *)) {
  dispatch_async_f(dispatch_get_global_queue(0, 0), (void *)context, work);
}

void shim_dispatch_async_extra(uintptr_t context, void (*work)(void *)) {
  void *queue = dispatch_queue_create("scheduler-bench.compensation", 0);
  dispatch_async_f(queue, (void *)context, work);
  dispatch_release(queue);
}
