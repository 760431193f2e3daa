// SPDX-License-Identifier: Apache-2.0

import Foundation
import Operations

// The one file that a client of `Operations` needs who imports Foundation as well.

typealias Operation = Operations.Operation
typealias BlockOperation = Operations.BlockOperation
typealias OperationQueue = Operations.OperationQueue
typealias QualityOfService = Operations.QualityOfService
