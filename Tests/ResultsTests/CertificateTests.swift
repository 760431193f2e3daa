// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestFolders
import Testing

@testable import Results

@Suite("The certificate of a machine") struct CertificateTests {
  private static let noon = Timestamp(unixSeconds: 1_800_000_000)
  private static let machine = MachineID(of: EnvironmentRecord())

  private static let sample = Certificate(
    time: noon, machineID: machine, commit: String(repeating: "a", count: 40), toolchain: "6.3",
    clockCostNanoseconds: 25.5, clockStepNanoseconds: 1, emptyBenchNanoseconds: 90,
    wakeUpNanoseconds: 2400,
    proofs: [
      .init(name: "allocation-counter", holds: true, evidence: "1000 of 1000, \"exact\""),
      .init(name: "bodies-run", holds: true, evidence: "2.0 times the work, 2.0 times the time"),
    ],
    alarms: .init(comparisons: 4000, belowFivePercent: 201, verdicts: 3),
    workloads: [
      .init(
        benchmark: "chain", params: RowParameters([("n", "64"), ("workers", "2")]),
        scheduler: "work-stealing", pairing: .alternating, pairs: 20, detectable: 0.021),
      .init(
        benchmark: "chain", params: RowParameters([("n", "64"), ("workers", "2")]),
        scheduler: "dispatch", pairing: .alternating, pairs: 20, detectable: 0.055),
      .init(
        benchmark: "fan", params: RowParameters([]), scheduler: "work-stealing",
        pairing: .lockStep, pairs: 20, detectable: 0.05),
    ])

  @Test func whatIsWrittenReadsBackEqual() throws {
    var certificate = Self.sample
    #expect(try Certificate(csv: certificate.csv, path: "c.csv") == certificate)
    certificate.commit = nil
    certificate.wakeUpNanoseconds = nil
    certificate.alarms = nil
    certificate.workloads = []
    certificate.proofs[0].holds = false
    let read = try Certificate(csv: certificate.csv, path: "c.csv")
    #expect(read == certificate)
    #expect(!read.canGate && Self.sample.canGate)
  }

  @Test func aWorkloadIsLookedUpByItsSchedulerElseTheWorstSpeaks() throws {
    let certificate = Self.sample
    let own = try #require(certificate.workload("chain", scheduler: "work-stealing"))
    #expect(own.detectable == 0.021 && !own.isNoisy)
    let worst = try #require(certificate.workload("chain", scheduler: "thread-pool"))
    #expect(worst.scheduler == "dispatch" && worst.isNoisy)
    // As fine as asked for, in two processes, is fine enough.
    #expect(certificate.workload("fan", scheduler: "work-stealing")?.isNoisy == false)
    #expect(certificate.workload("wavefront", scheduler: "work-stealing") == nil)
  }

  /// Every line of the file, wrong in one way, with what must be said of it.
  @Test(
    arguments: [
      ("kind,subject,figure,value", "kind,value", "c.csv:1: the first line is not the header"),
      ("schema,1", "schema,2", "c.csv:2: value: \"2\"; expected 1, the only schema"),
      ("time,2027-01-15T08:00:00Z", "time,noon", "c.csv:3: value: \"noon\"; expected a moment"),
      ("machine_id,h:", "machine_id,x:", "c.csv:4: value: \"x:"),
      ("commit,aaaa", "commit,zzzz", "c.csv:5: value: \"zzzzaaaa"),
      ("toolchain,6.3", "toolchain,", "c.csv:6: value: \"\"; expected a text"),
      ("clock_cost_ns,25.5", "clock_cost_ns,-1", "c.csv:7: value: \"-1\"; expected a number"),
      ("clock_step_ns,1.0", "clock_step_ns,nan", "c.csv:8: value: \"nan\"; expected a number"),
      ("empty_bench_ns,90.0", "empty_bench_ns,", "c.csv:9: value: \"\"; expected a number"),
      ("wakeup_cost_ns,2400.0", "wakeup_cost_ns,inf", "c.csv:10: value: \"inf\""),
      ("machine,,wakeup_cost_ns,2400.0\n", "", "c.csv:10: \"proof,allocation-counter,holds\""),
      ("holds,yes", "holds,maybe", "c.csv:11: value: \"maybe\"; expected yes or no"),
      ("proof,allocation-counter,holds", "proof,a b,holds", "c.csv:11: subject: \"a b\""),
      ("proof,bodies-run,evidence", "proof,other,evidence", "expected a line proof,bodies-run,"),
      ("comparisons,4000", "comparisons,0", "c.csv:15: value: \"0\"; expected a whole number, 1"),
      ("below_5_percent,201", "below_5_percent,4001", "expected a whole number, 0 to 4000"),
      ("verdicts,3", "verdicts,3.5", "c.csv:17: value: \"3.5\"; expected a whole number"),
      ("pairing,alternating", "pairing,both", "c.csv:18: value: \"both\"; expected alternating"),
      ("fan//work-stealing,pairing", "fan/work-stealing,pairing", "c.csv:24: subject: \"fan/wo"),
      ("pairs,20", "pairs,0", "c.csv:19: value: \"0\"; expected a whole number, 1 or more"),
      ("detectable,0.021", "detectable,x", "c.csv:20: value: \"x\"; expected a number"),
      ("detectable,0.05\n", "detectable,0.05,x\n", "c.csv:26: 5 fields; expected 4"),
      ("workload,fan//work-stealing,detectable,0.05\n", "", "c.csv:25: the file ends here"),
    ])
  func whatIsMalformedIsNamedWithItsPlace(right: String, wrong: String, said: String) throws {
    let text = String(decoding: Self.sample.csv, as: UTF8.self)
    let range = try #require(text.range(of: right))
    let broken = text.replacingCharacters(in: range, with: wrong)
    let error = #expect(throws: CSVError.self) {
      try Certificate(csv: Array(broken.utf8), path: "c.csv")
    }
    let message = try #require(error).description
    #expect(message.contains(said), "\(message)")
    #expect(message.hasSuffix("; make a new one with `bench selftest`"))
  }

  @Test func theStandingSaysOfWhomAndHowOld() throws {
    try TestDirectory.with { folder in try theStanding(in: folder) }
  }

  private func theStanding(in folder: String) throws {
    let path = Certificate.path(resultsFolder: folder, machine: Self.machine)
    #expect(path == "\(folder)/certificates/h-\(Self.machine.text.dropFirst(2)).csv")
    func standing(afterDays days: Int64) -> CertificateStanding {
      Certificate.standing(
        resultsFolder: folder, machine: Self.machine,
        at: Timestamp(unixSeconds: Self.noon.unixSeconds + days * 86_400))
    }
    #expect(standing(afterDays: 0) == .none)
    try File.makeDirectories(File.directory(of: path))
    try AtomicFile.write(Self.sample.csv, to: path, overwrite: false)
    #expect(standing(afterDays: 30) == .valid(Self.sample))
    #expect(standing(afterDays: 31) == .old(Self.sample))
    #expect(standing(afterDays: 31).certificate == nil)
    #expect(Self.sample.days(at: Timestamp(unixSeconds: 0)) == 0)
    var foreign = Self.sample
    foreign.machineID = try #require(MachineID(text: "h:ffffffffffffffff"))
    try AtomicFile.write(foreign.csv, to: path, overwrite: true)
    #expect(standing(afterDays: 0) == .foreign(foreign))
    try AtomicFile.write(Array("nonsense\n".utf8), to: path, overwrite: true)
    guard case .unreadable(let why) = standing(afterDays: 0) else {
      Issue.record("\(standing(afterDays: 0))")
      return
    }
    #expect(why.hasPrefix("\(path):1: "))
  }
}
