// SPDX-License-Identifier: Apache-2.0
#include "CFoundationHook.h"

__attribute__((constructor)) static void install(void) { operations_foundation_install(); }
