// SPDX-License-Identifier: Apache-2.0
// Tells the operation layer of the main queue before the program's first line, which Swift has no way to do.
#pragma once

/// Implemented by OperationsFoundation: installs what answers `OperationQueue.current` on the main thread.
void operations_foundation_install(void);
