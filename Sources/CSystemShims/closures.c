// SPDX-License-Identifier: Apache-2.0
#include "CSystemShims.h"

struct shim_closure shim_closure_words(uintptr_t function, uintptr_t context) {
  return (struct shim_closure){function, context};
}
