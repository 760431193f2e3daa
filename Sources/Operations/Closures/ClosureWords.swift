// SPDX-License-Identifier: Apache-2.0

import CSystemShims

/// The two words of a closure, which the caller keeps alive for as long as they are used.
///
/// A closure that is read from memory to be called is retained for the call, which costs more than
/// a job does. The convention behind the declaration: a closure argument is its function and its
/// context, in this order, in the first two argument registers, on every 64-bit platform of Swift
/// (tested).
@_silgen_name("shim_closure_words")
func closureWords(_ body: () -> Void) -> shim_closure

/// A stored closure in its natural form; inside a generic container it would be wrapped once more.
struct Body: Sendable {
  let call: @Sendable () -> Void
}

/// The two words of a function that does something with a stored body, as `closureWords(_:)`.
@_silgen_name("shim_body_words")
func bodyWords(_ function: StoredBody.Function) -> shim_closure
