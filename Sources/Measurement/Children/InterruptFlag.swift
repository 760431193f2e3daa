// SPDX-License-Identifier: Apache-2.0

internal import CSystemShims
internal import Glibc

/// Tells the orchestrator to stop: by SIGINT (Ctrl-C), SIGTERM, or SIGHUP when the terminal is
/// gone.
///
/// A SIGHUP that was ignored when the process started, as under nohup, stays ignored.
///
/// The flag is a descriptor that turns readable and stays so; whoever waits for a child waits for
/// it too. A second signal more than a second after the first ends the process at once; children
/// notice that by themselves.
package struct InterruptFlag: Sendable {
  /// Readable from the first signal on.
  package let descriptor: Int32

  /// Catches them from now on, in the whole process; nil when the kernel refuses.
  package static func install() -> InterruptFlag? {
    let descriptor = shim_interrupt_install()
    return descriptor < 0 ? nil : InterruptFlag(descriptor: descriptor)
  }

  /// A flag that is raised by writing to the other end of the descriptor's pipe.
  package init(descriptor: Int32) { self.descriptor = descriptor }

  /// True from the first signal on.
  package var isRaised: Bool { shim_hear(-1, -1, -1, descriptor, 0) != 0 }

  /// The number of the first signal; nil when there was none.
  package var signal: Int32? {
    let number = shim_interrupt_signal()
    return number == 0 ? nil : number
  }
}
