// SPDX-License-Identifier: Apache-2.0

@_exported public import Foundation
@_exported public import Operations

// A program written for Foundation changes `import Foundation` for `import OperationsFoundation`.
// Names declared here hide those of the modules that this one exports, so the program's names mean
// the classes of `Operations`.

/// The operation of this package, not Foundation's.
public typealias Operation = Operations.Operation
/// The block operation of this package, not Foundation's.
public typealias BlockOperation = Operations.BlockOperation
/// The queue of this package, not Foundation's.
public typealias OperationQueue = Operations.OperationQueue
/// What `observe` returns, under Foundation's name, which Foundation has on Apple's platforms only.
public typealias NSKeyValueObservation = Operations.Observation
/// What `observe(_:options:changeHandler:)` takes, under Foundation's name.
public typealias NSKeyValueObservingOptions = Operations.ObservingOptions
/// What `observe(_:options:changeHandler:)` tells, under Foundation's name.
public typealias NSKeyValueObservedChange = Operations.KeyValueChange
/// The quality of service of this package, not Foundation's.
public typealias QualityOfService = Operations.QualityOfService
