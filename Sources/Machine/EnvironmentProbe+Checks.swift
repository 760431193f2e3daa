// SPDX-License-Identifier: Apache-2.0

internal import Harness

// What `doctor` looks at besides processors and load: the program, and how the system is set up.

extension EnvironmentProbe {
  /// Every check of the machine.
  func checks(after: LoadReading) -> [Check] {
    [
      processorCheck(), siblingCheck(), wakeUpCheck(), governorCheck(), turboCheck(),
      heatCheck(after), largePagesCheck(), randomizationCheck(), timerSlackCheck(), clockCheck(),
      quotaCheck(), throttlingCheck(after), loadCheck(), pressureCheck(), stealCheck(after),
      counterCheck(),
    ]
  }

  /// What depends on how the program was built and what it finds to run with.
  static func programChecks(_ files: SystemFiles) -> [Check] {
    [buildCheck(), allocatorCheck(files)]
  }

  private static func buildCheck() -> Check {
    var findings: [Finding] = []
    if BuildFacts.isDebug {
      findings.append(
        Finding(
          .severe, "debug build", found: "this program was built without optimisation",
          consequence: "every figure is several times too large, and not by the same factor",
          remedy: "swift run -c release bench"))
    }
    if let sanitizer = BuildFacts.sanitizer {
      findings.append(
        Finding(
          .severe, "sanitizer", found: "this program was built with the \(sanitizer) sanitizer",
          consequence: "every memory access pays for checks",
          remedy: "build again without --sanitize"))
    }
    return Check("build", BuildFacts.optimization, findings: findings)
  }

  static func allocatorCheck(_ files: SystemFiles) -> Check {
    if AllocatorSupport.isLinkedIn { return Check("allocator", "jemalloc, linked in") }
    switch JemallocLibrary.locate(files) {
    case .success(let path): return Check("allocator", path)
    case .failure(let error):
      let finding = Finding(
        .warning, "no jemalloc", found: error.message,
        consequence: "the default allocator is missing; the C library's own makes operations that "
          + "cross threads up to twice as expensive",
        remedy: "sudo apt-get install \(JemallocLibrary.debianPackage)")
      return Check("allocator", "the C library's alone", findings: [finding])
    }
  }

  private func largePagesCheck() -> Check {
    let path = MachineFacts.largePagesPath
    guard let mode = facts.transparentHugePages else {
      return Check(
        "large pages", missing: [path], in: facts.files, why: "the kernel gives none by itself")
    }
    guard mode == "always" else { return Check("large pages", mode) }
    let finding = Finding(
      .note, "large pages come and go", found: "transparent huge pages are set to always",
      consequence: "whether memory gets them differs from process to process",
      remedy: "echo madvise | sudo tee \(path)")
    return Check("large pages", mode, findings: [finding])
  }

  private func randomizationCheck() -> Check {
    let path = MachineFacts.randomizationPath
    guard let randomization = facts.addressRandomization else {
      return Check("addresses", missing: [path], in: facts.files, why: "no \(path)")
    }
    guard randomization < 2 else { return Check("addresses", "random") }
    let finding = Finding(
      .warning, "addresses are not random", found: "randomize_va_space is \(randomization)",
      consequence:
        "one accident of layout is in every process, and no number of them averages it out",
      remedy: "echo 2 | sudo tee \(path)")
    return Check("addresses", "randomize_va_space \(randomization)", findings: [finding])
  }

  private func timerSlackCheck() -> Check {
    let path = MachineFacts.timerSlackPath
    guard let slack = facts.timerSlackNanoseconds else {
      return Check("timer slack", missing: [path], in: facts.files, why: "no \(path)")
    }
    let text = "\(decimal(Double(slack) / 1000, digits: 1)) µs"
    guard slack > Self.usualTimerSlack else { return Check("timer slack", text) }
    let finding = Finding(
      .warning, "timers are late", found: "the kernel may let a timer go off \(text) late",
      consequence: "every wait with a time limit, and every sleep, takes up to that much longer",
      remedy: "echo \(Self.usualTimerSlack) | sudo tee /proc/$$/timerslack_ns, in the shell that "
        + "starts bench")
    return Check("timer slack", text, findings: [finding])
  }

  private func clockCheck() -> Check {
    let cost = "one read takes \(decimal(figures.clockCostNanoseconds, digits: 0)) ns"
    guard let source = facts.clockSource else {
      return Check(
        "clock", missing: [MachineFacts.clockFolder + "/current_clocksource"], in: facts.files,
        why: "the kernel names no clock source; \(cost)")
    }
    let value = "\(source), \(cost)"
    guard figures.clockCostNanoseconds > 100 || Self.slowClocks.contains(source) else {
      return Check("clock", value)
    }
    let better = ["tsc", "arch_sys_counter", "kvm-clock"].first(where: facts.clockSources.contains)
    let finding = Finding(
      .warning, "reading the clock is slow", found: "\(cost) with the clock source \(source)",
      consequence: "latencies and short iterations contain it",
      remedy: better.flatMap { $0 == source ? nil : $0 }.map {
        "echo \($0) | sudo tee \(MachineFacts.clockFolder)/current_clocksource"
      } ?? "the kernel offers nothing faster; sudo dmesg | grep -i clocksource says why, and "
        + "booting with tsc=reliable insists on the processor's counter")
    return Check("clock", value, findings: [finding])
  }

  private func counterCheck() -> Check {
    let subject = "hardware counters"
    guard let refusal = facts.counterRefusal else {
      return Check(subject, "instructions, cycles and cache misses can be counted")
    }
    let metrics = HardwareEvent.allCases.map(\.rawValue).joined(separator: ", ")
    let finding = Finding(
      .note, "no hardware counters",
      found: "the processor's events cannot be counted: \(refusal.finding)",
      consequence: "\(metrics) are unavailable:\(refusal.reason); times and switches are not",
      remedy: refusal.remedy)
    return Check(subject, refusal.finding, findings: [finding])
  }

  /// What Linux gives a process that did not ask, in nanoseconds.
  private static let usualTimerSlack: Int64 = 50_000
  /// Clocks that a read asks a device, or a tick, for.
  private static let slowClocks: Set<String> = [
    "hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies",
  ]
}
