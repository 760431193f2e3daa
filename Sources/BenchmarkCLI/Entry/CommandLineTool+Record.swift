// SPDX-License-Identifier: Apache-2.0

internal import BuildRecording
internal import Harness
internal import Machine
internal import Measurement
internal import Results
internal import TaskGraphFiles

extension CommandLineTool {
  /// `bench record`: makes a graph file of a build that it runs, or of a file of another form.
  func record(_ request: RecordRequest) throws(ToolFailure) -> ExitCode {
    switch request.source {
    case .build(let words): try record(words, request)
    case .file(let path): try `import`(path, request)
    }
  }

  private func record(_ words: [String], _ request: RecordRequest) throws(ToolFailure) -> ExitCode {
    let command: BuildCommand
    let started = try Self.start()
    let output: String
    let build: RecordedBuild
    do throws(RecordingFailure) { command = try BuildCommand(words) } catch {
      throw ToolFailure(error)
    }
    output = request.output ?? "\(nameReplacingOthers(in: command.name)).csv"
    try rehearse(output, request)
    do throws(RecordingFailure) { build = try command.record() } catch { throw ToolFailure(error) }
    let code = ExitCode(rawValue: build.code)
    let graph: TaskGraph
    do throws(RecordingFailure) { graph = try build.graph.get() } catch {
      // The build's own failure comes first: whoever started it waits for that.
      guard code != .success else { throw ToolFailure(error) }
      console.say(
        "bench: the build ended with \(build.code), and nothing is recorded: \(ToolFailure(error))")
      return code
    }
    var facts = [
      TaskGraph.Fact(key: TaskGraph.Fact.nameKey, value: command.name),
      .init(key: "command", value: words.joined(separator: " ")),
      .init(key: "machine", value: Self.machine(MachineFacts.read())),
      .init(key: "recorded", value: started.time.text),
    ]
    if code != .success { facts.append(.init(key: "exit", value: "\(build.code)")) }
    try write(graph, facts: facts, to: output, request)
    if code != .success {
      console.say(
        "bench: the build ended with \(build.code); \(output) has what it ran until then")
    }
    return code
  }

  private func `import`(_ path: String, _ request: RecordRequest) throws(ToolFailure) -> ExitCode {
    let output: String
    let graph: TaskGraph
    do throws(PlanError) {
      let summary = try GraphSummary.read(path)
      output = request.output ?? "\(summary.benchmark).csv"
      do throws(TaskGraphError) { graph = try TaskGraphFile.load(path: summary.file) } catch {
        throw .graph("\(error)")
      }
    } catch {
      guard case .graph(let finding) = error else { throw ToolFailure(error) }
      throw ToolFailure(.malformedInput, place: OptionName.importing.flag, finding: finding)
    }
    if output != "-" { try rehearse(output, request) }
    let facts = [
      TaskGraph.Fact(key: TaskGraph.Fact.nameKey, value: path == "-" ? "stdin" : graph.name),
      .init(key: "imported", value: "\(graph.source.rawValue)"),
    ]
    try write(graph, facts: graph.source == .csv ? [] : facts, to: output, request)
    return .success
  }

  private func rehearse(_ output: String, _ request: RecordRequest) throws(ToolFailure) {
    do throws(FileError) { try AtomicFile.rehearse(output, overwrite: request.force) } catch {
      throw ToolFailure(writing: error)
    }
  }

  private func write(
    _ graph: TaskGraph, facts: [TaskGraph.Fact], to output: String, _ request: RecordRequest
  ) throws(ToolFailure) {
    let bytes = graph.csv(facts: facts)
    if output == "-" {
      try console.out(String(decoding: bytes, as: UTF8.self))
    } else {
      do throws(FileError) {
        try AtomicFile.write(bytes, to: output, overwrite: request.force)
      } catch { throw ToolFailure(writing: error) }
    }
    guard !request.quiet else { return }
    for note in graph.notes { console.say("bench: \(note)") }
    let summary = GraphSummary(
      path: output, taskCount: graph.tasks.count, edgeCount: graph.edgeCount,
      totalWorkNanoseconds: graph.totalWorkNanoseconds,
      criticalPathNanoseconds: graph.criticalPathNanoseconds)
    console.say("bench: \(summary.sizes)")
    if output != "-" {
      console.say("bench: \(output); replay it with `bench run --graph \(output)`")
    }
  }

  /// `2 CPUs, Intel Xeon`.
  private static func machine(_ facts: MachineFacts) -> String {
    let count = "\(facts.usableThreads) CPU\(facts.usableThreads == 1 ? "" : "s")"
    return facts.processor.map { "\(count), \($0)" } ?? count
  }
}

extension ToolFailure {
  /// Why a build gives no graph.
  init(_ failure: RecordingFailure) {
    let code: ExitCode =
      switch failure.cause {
      case .command: .usage
      case .missing: .missing
      case .system: .internalFault
      case .input: .malformedInput
      case .nothing: .nothingMatched
      }
    self.init(
      code, place: failure.place, finding: failure.finding, expectation: failure.expectation,
      nextStep: failure.nextStep)
  }
}
