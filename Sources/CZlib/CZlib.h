// SPDX-License-Identifier: Apache-2.0
// zlib of the system (Debian: zlib1g-dev), for the compressed form of histograms.
#pragma once
#include <zlib.h>
