// SPDX-License-Identifier: Apache-2.0

/// The file form: RFC 4180, a line per figure, which says what it is about.
extension Certificate {
  private static let header = ["kind", "subject", "figure", "value"]
  private static let schema = 1

  private enum Kind: String { case certificate, machine, proof, alarms, workload }
  private enum Figure: String {
    case schema, time, commit, toolchain, comparisons, verdicts, holds, evidence
    case pairing, pairs, detectable
    case machineID = "machine_id"
    case clockCost = "clock_cost_ns"
    case clockStep = "clock_step_ns"
    case emptyBench = "empty_bench_ns"
    case wakeUp = "wakeup_cost_ns"
    case belowFivePercent = "below_5_percent"
  }

  /// Where the certificate of a machine lies.
  package static func path(resultsFolder: String, machine: MachineID) -> String {
    // Not every file system takes a colon.
    "\(resultsFolder)/certificates/\(nameReplacingOthers(in: machine.text)).csv"
  }

  /// What there is for a machine at a moment.
  package static func standing(resultsFolder: String, machine: MachineID, at moment: Timestamp)
    -> CertificateStanding
  {
    let path = path(resultsFolder: resultsFolder, machine: machine)
    guard File.exists(path) else { return .none }
    let certificate: Certificate
    do {
      certificate = try Certificate(csv: try File.read(path), path: path)
    } catch { return .unreadable("\(error)") }
    guard certificate.machineID == machine else { return .foreign(certificate) }
    return certificate.days(at: moment) > validDays ? .old(certificate) : .valid(certificate)
  }

  /// The file's bytes; `init(csv:path:)` reads an equal certificate back.
  package var csv: [UInt8] {
    var lines = csvLine(Self.header)
    func add(_ kind: Kind, _ subject: String, _ figure: Figure, _ value: String) {
      lines += csvLine([kind.rawValue, subject, figure.rawValue, value])
    }
    add(.certificate, "", .schema, "\(Self.schema)")
    add(.certificate, "", .time, time.text)
    add(.certificate, "", .machineID, machineID.text)
    add(.certificate, "", .commit, commit ?? "")
    add(.certificate, "", .toolchain, toolchain)
    add(.machine, "", .clockCost, clockCostNanoseconds.description)
    add(.machine, "", .clockStep, clockStepNanoseconds.description)
    add(.machine, "", .emptyBench, emptyBenchNanoseconds.description)
    add(.machine, "", .wakeUp, wakeUpNanoseconds?.description ?? "")
    for proof in proofs {
      add(.proof, proof.name, .holds, proof.holds ? "yes" : "no")
      add(.proof, proof.name, .evidence, proof.evidence)
    }
    if let alarms {
      add(.alarms, "", .comparisons, "\(alarms.comparisons)")
      add(.alarms, "", .belowFivePercent, "\(alarms.belowFivePercent)")
      add(.alarms, "", .verdicts, "\(alarms.verdicts)")
    }
    for workload in workloads {
      let subject = "\(workload.benchmark)/\(workload.params.text)/\(workload.scheduler)"
      add(.workload, subject, .pairing, workload.pairing.rawValue)
      add(.workload, subject, .pairs, "\(workload.pairs)")
      add(.workload, subject, .detectable, workload.detectable.description)
    }
    return Array(lines.utf8)
  }

  /// Reads a file whose content is at hand; `path` is for messages.
  ///
  /// Throws the first of what is wrong with it. O(bytes).
  package init(csv bytes: [UInt8], path: String) throws(CSVError) {
    var reader = try LineReader(bytes, header: Self.header, path: path)
    func one(_ kind: Kind, _ figure: Figure) throws(CSVError) -> Line {
      try reader.next(kind.rawValue, figure.rawValue)
    }
    let version = try one(.certificate, .schema)
    guard version.value == "\(Self.schema)" else {
      throw version.error("\(Self.schema), the only schema that this version of bench knows")
    }
    time = try one(.certificate, .time).read("a moment such as 2026-01-31T12:00:00Z") {
      Timestamp(text: $0)
    }
    machineID = try one(.certificate, .machineID).read("h: and 16 hexadecimal digits") {
      MachineID(text: $0)
    }
    let commit = try one(.certificate, .commit)
    self.commit = try commit.optional("40 hexadecimal digits, or nothing") {
      isHexadecimal($0, digits: 40) ? $0 : nil
    }
    toolchain = try one(.certificate, .toolchain).read("a text that is not empty") {
      $0.isEmpty ? nil : $0
    }
    clockCostNanoseconds = try one(.machine, .clockCost).figure()
    clockStepNanoseconds = try one(.machine, .clockStep).figure()
    emptyBenchNanoseconds = try one(.machine, .emptyBench).figure()
    wakeUpNanoseconds = try one(.machine, .wakeUp).optional(Line.aFigure, Line.figure)
    proofs = []
    while reader.isAt(Kind.proof.rawValue) {
      let holds = try one(.proof, .holds)
      guard isName(holds.subject) else { throw holds.error("a name of A-Z a-z 0-9 _ -", "subject") }
      let isProven = try holds.read("yes or no") { ["yes": true, "no": false][$0] }
      let evidence = try reader.next(Kind.proof.rawValue, Figure.evidence.rawValue, holds.subject)
      proofs.append(Proof(name: holds.subject, holds: isProven, evidence: evidence.value))
    }
    if reader.isAt(Kind.alarms.rawValue) {
      let comparisons = try one(.alarms, .comparisons).count(1...Int.max)
      alarms = Alarms(
        comparisons: comparisons,
        belowFivePercent: try one(.alarms, .belowFivePercent).count(0...comparisons),
        verdicts: try one(.alarms, .verdicts).count(0...comparisons))
    } else {
      alarms = nil
    }
    workloads = []
    while !reader.isAtEnd {
      let pairing = try one(.workload, .pairing)
      let parts = pairing.subject.split(separator: "/", omittingEmptySubsequences: false)
      guard parts.count == 3, isName(String(parts[0])), isName(String(parts[2])),
        let params = RowParameters(text: String(parts[1]))
      else { throw pairing.error("workload/parameters/scheduler", "subject") }
      workloads.append(
        Workload(
          benchmark: String(parts[0]), params: params, scheduler: String(parts[2]),
          pairing: try pairing.read("alternating or lock-step") { Pairing(rawValue: $0) },
          pairs: try reader.next(Kind.workload.rawValue, Figure.pairs.rawValue, pairing.subject)
            .count(1...Int.max),
          detectable: try reader.next(
            Kind.workload.rawValue, Figure.detectable.rawValue, pairing.subject
          ).figure()))
    }
  }
}

/// One line of the file behind its header.
private struct Line {
  static let aFigure = "a number, 0 or more"

  let path: String
  let number: Int
  let subject: String
  let value: String

  /// A number, finite and not negative.
  static func figure(_ text: String) -> Double? {
    Double(text).flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  func figure() throws(CSVError) -> Double { try read(Self.aFigure, Self.figure) }

  func count(_ range: ClosedRange<Int>) throws(CSVError) -> Int {
    let bound = range.upperBound == .max ? "or more" : "to \(range.upperBound)"
    return try read("a whole number, \(range.lowerBound) \(bound)") {
      Int($0).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  func read<Value>(_ expectation: String, _ parse: (String) -> Value?) throws(CSVError) -> Value {
    guard let value = parse(value) else { throw error(expectation) }
    return value
  }

  /// Nil for an empty value.
  func optional<Value>(
    _ expectation: String, _ parse: (String) -> Value?
  ) throws(CSVError) -> Value? {
    value.isEmpty ? nil : try read(expectation, parse)
  }

  func error(_ expectation: String, _ column: String = "value") -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: number, column: column,
        finding: quoted(column == "value" ? value : subject), expectation: expectation,
        nextStep: Self.nextStep))
  }

  static let nextStep = "make a new one with `bench selftest`"
}

/// Hands over the lines in the order in which a certificate has them.
private struct LineReader {
  private let path: String
  private var records: ArraySlice<CSVRecord>
  private let lastLine: Int

  init(_ bytes: [UInt8], header: [String], path: String) throws(CSVError) {
    let all = try CSVRecordReader.records(bytes, path: path)
    self.path = path
    records = all.dropFirst()
    lastLine = all.last?.line ?? 1
    guard all.first?.fields == header else {
      throw error(
        1, "the first line is not the header of a certificate", header.joined(separator: ","))
    }
    if let odd = records.first(where: { $0.fields.count != header.count }) {
      throw error(odd.line, "\(odd.fields.count) fields", "\(header.count), as in the header")
    }
  }

  var isAtEnd: Bool { records.isEmpty }

  func isAt(_ kind: String) -> Bool { records.first?.fields[0] == kind }

  /// The next line, which must be this figure, of this subject if one is named.
  mutating func next(_ kind: String, _ figure: String, _ subject: String? = nil)
    throws(CSVError) -> Line
  {
    let wanted = subject.map { "\(kind),\($0),\(figure)" } ?? "\(kind) … \(figure)"
    guard let record = records.popFirst() else {
      throw error(lastLine, "the file ends here", "a line \(wanted)")
    }
    let fields = record.fields
    guard fields[0] == kind, fields[2] == figure, subject == nil || fields[1] == subject else {
      throw error(record.line, quoted(fields.prefix(3).joined(separator: ",")), "a line \(wanted)")
    }
    return Line(path: path, number: record.line, subject: fields[1], value: fields[3])
  }

  private func error(_ line: Int, _ finding: String, _ expectation: String) -> CSVError {
    CSVError(
      finding: Finding(
        path: path, line: line, finding: finding, expectation: expectation,
        nextStep: Line.nextStep))
  }
}
