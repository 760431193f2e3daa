// SPDX-License-Identifier: Apache-2.0

internal import Harness
internal import Machine
internal import Statistics

/// The children of a pair, and which contestant of which of them a side is.
///
/// In one process the sides are contestants of it; else each has a process to itself.
struct SideChildren {
  private struct Seat {
    let child: MeasuringChild
    let process: Int
    let contestant: Int
    /// Of one run of its program.
    let operations: Int
  }

  private let deadline: Duration
  private var children: [MeasuringChild] = []
  private var seats: [Int: Seat] = [:]

  init(deadline: Duration) { self.deadline = deadline }

  /// Starts a child of the program and prepares the sides in it, in this order.
  mutating func start(
    _ runner: ChildRunner, sides: [Int], assignment: (Int) -> Assignment
  ) throws(PairFailure) {
    let first = assignment(sides[0])
    let only = sides.count == 1 ? sides[0] : nil
    let process = children.count
    try Self.blaming(only) { () throws(MeasurementFailure) in
      let child = try runner.start(
        ChildSetup(allocator: first.allocator, cpus: first.cpus),
        padding: first.environmentPadding, deadline: deadline)
      children.append(child)
      try child.awaitReady()
    }
    for (contestant, side) in sides.enumerated() {
      let child = children[process]
      var operations = 0
      try Self.blaming(side) { () throws(MeasurementFailure) in
        operations = try child.prepare(assignment(side))
      }
      seats[side] = Seat(
        child: child, process: process, contestant: contestant, operations: operations)
    }
  }

  /// Which of the children measures a side, counted from 0.
  func process(of side: Int) -> Int { seats[side]?.process ?? 0 }

  /// Operations of one run of a side's program.
  func operations(of side: Int) -> Int { seats[side]?.operations ?? 0 }

  /// Fixes the runs for one sample and warms up.
  func settle(_ side: Int, _ calibration: Calibration) throws(PairFailure) {
    try with(side) { child throws(MeasurementFailure) in
      try child.freeze(runs: calibration.runs)
      var ignored = MeasurementOutcome()
      try child.iterate(
        Iterations(warmups: calibration.warmups, least: 0, most: 0), into: &ignored)
    }
  }

  /// Measures a side while the threads of the others sleep.
  func iterate(
    _ side: Int, _ iterations: Iterations, into outcome: inout MeasurementOutcome
  ) throws(PairFailure) {
    var own = outcome
    try with(side) { child throws(MeasurementFailure) in
      own.allocatorProof = child.allocatorProof
      try child.iterate(iterations, into: &own)
      // Those of another process would run on beside the side that comes next.
      if children.count > 1 { try child.select(0) }
    }
    outcome = own
  }

  /// Has the children shut down; tells what each says of itself, with the side that it is of alone.
  func stop(_ take: (EndReport, _ side: Int?) -> Void) throws(PairFailure) {
    for (index, child) in children.enumerated() {
      let sides = seats.filter { $0.value.process == index }.keys
      let only = sides.count == 1 ? sides.first : nil
      try Self.blaming(only) { () throws(MeasurementFailure) in take(try child.stop(), only) }
    }
  }

  /// Ends the children that are still there.
  func end() {
    for child in children { child.end() }
  }

  /// Does something with the child of a side, the side being its contestant.
  private func with(
    _ side: Int, _ body: (MeasuringChild) throws(MeasurementFailure) -> Void
  ) throws(PairFailure) {
    guard let seat = seats[side] else {
      fatalError("SideChildren: side \(side) has no seat; expected it to be started")
    }
    try Self.blaming(side) { () throws(MeasurementFailure) in
      if seats.count > children.count { try seat.child.select(seat.contestant) }
      try body(seat.child)
    }
  }

  private static func blaming(
    _ side: Int?, _ body: () throws(MeasurementFailure) -> Void
  ) throws(PairFailure) {
    do throws(MeasurementFailure) { try body() } catch { throw PairFailure(side: side, error) }
  }
}
