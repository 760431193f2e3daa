// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Synchronization

/// A thread could not be started.
package struct SystemThreadError: Error, CustomStringConvertible {
  /// The name asked for.
  package let name: String
  /// What pthread_create returned.
  package let errno: Int32

  /// Place, finding, expectation and next step.
  package var description: String {
    "thread \(name): the system refused to start it with errno \(errno); expected a free thread. "
      + "Raise the limit on processes (ulimit -u) or ask for fewer workers."
  }
}

/// A thread of the operating system with a name and a stack size.
///
/// Join it once, or detach it once, or drop it, which detaches it. The body keeps what it captures
/// alive until it returns.
package final class SystemThread: Sendable {
  /// As given to `start`; the system shows the first 15 bytes.
  package let name: String
  private let handle: UInt
  /// True once joined or detached.
  private let isReleased = Atomic<Bool>(false)

  private init(name: String, handle: UInt) {
    self.name = name
    self.handle = handle
  }

  /// Starts a thread that runs `body` and ends.
  ///
  /// `stackSize` is in bytes, 0 for the system's default (usually 8 MiB of address space).
  package static func start(
    name: String, stackSize: Int = 0, _ body: @escaping @Sendable () -> Void
  ) throws(SystemThreadError) -> SystemThread {
    let argument = unsafe Unmanaged.passRetained(Body(run: body))
    var handle: UInt = 0
    let error = unsafe shim_thread_start(
      &handle, name, stackSize,
      { argument in
        guard let argument = unsafe argument else { return }
        // SAFETY: the argument is the retained Body below; this is its one release.
        unsafe Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
      }, argument.toOpaque())
    guard error == 0 else {
      // SAFETY: the thread does not exist, so nobody else releases the body.
      unsafe argument.release()
      throw SystemThreadError(name: name, errno: error)
    }
    return SystemThread(name: name, handle: handle)
  }

  /// Bytes of stack of the calling thread; 0 when the system does not say.
  package static var currentStackSize: Int { Int(clamping: shim_thread_stack_size()) }

  /// Waits until the body has returned.
  ///
  /// Any thread but this one; once.
  package func join() {
    takeOver(for: "join")
    let error = shim_thread_join(handle)
    guard error == 0 else {
      fatalError(
        "thread \(name): join failed with errno \(error); expected another, joinable thread. "
          + "A thread must not join itself.")
    }
  }

  /// Lets the thread free itself at its end.
  package func detach() {
    takeOver(for: "detach")
    _ = shim_thread_detach(handle)
  }

  private func takeOver(for verb: String) {
    // relaxed: the flag guards the handle, which never changes; it orders nothing else.
    guard !isReleased.exchange(true, ordering: .relaxed) else {
      fatalError(
        "thread \(name): \(verb) after it had been joined or detached; expected one of the two, once."
      )
    }
  }

  deinit {
    // relaxed: nobody else refers to the object any more.
    if !isReleased.load(ordering: .relaxed) { _ = shim_thread_detach(handle) }
  }

  /// Carries the closure through the C argument.
  private final class Body: Sendable {
    let run: @Sendable () -> Void
    init(run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
