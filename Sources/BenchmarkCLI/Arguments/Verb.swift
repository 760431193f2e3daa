// SPDX-License-Identifier: Apache-2.0

internal import Statistics

/// What `bench` can be told to do.
package enum Verb: String, CaseIterable, Sendable {
  case run, compare, check, counts, profile, replay, record, report, baseline, history, list,
    schema, doctor
  case selftest

  private var falseAlarms: String { UnitFormatter.percent(GateFamily.gateAlpha) }

  /// One line for the overview.
  package var summary: String {
    switch self {
    case .run: "measure schedulers on workloads (the default verb)"
    case .compare: "say which of two schedulers or settings is faster, by how much, how surely"
    case .check: "say whether this code is worse than earlier code, for a pull request"
    case .counts: "count instructions, atomics and allocations, and compare with a baseline"
    case .profile: "record a run and say why it takes what it takes"
    case .replay: "run a recorded graph again, on schedulers or in virtual time"
    case .record: "run your build and keep its graph, to replay it"
    case .report: "show stored runs again, or write them in the forms of other tools"
    case .baseline: "keep the present commit by a name, to gate later ones against"
    case .history: "keep the figures of commits, and find where they change"
    case .list: "show workloads with axes, schedulers with knobs, references and metrics"
    case .schema: "print the columns and metrics of the CSV, or check a file"
    case .doctor: "say what about this machine makes figures doubtful, with remedies"
    case .selftest: "test this machine as an instrument, and make its certificate"
    }
  }

  /// What follows `bench`.
  package var usage: String {
    switch self {
    case .run: "bench [run] [WORKLOAD…] [OPTIONS]"
    case .compare: "bench compare [WORKLOAD…] --scheduler BASE,OTHER | A.csv B.csv [OPTIONS]"
    case .check: "bench check [--base REV | --baseline NAME] [WORKLOAD…] [OPTIONS]"
    case .counts: "bench counts [WORKLOAD…] [OPTIONS]"
    case .profile: "bench profile WORKLOAD | --graph FILE | --recording FILE [OPTIONS]"
    case .replay: "bench replay FILE [--simulate] [OPTIONS]"
    case .record: "bench record [OPTIONS] -- ninja|make … | --import FILE"
    case .report: "bench report FILE… [OPTIONS]"
    case .baseline: "bench baseline save NAME | list | show NAME | delete NAME [OPTIONS]"
    case .history: "bench history add|scan|confirm|bisect|show|export [OPTIONS]"
    case .list: "bench list [NAME…] [OPTIONS]"
    case .schema: "bench schema [--check FILE]"
    case .doctor: "bench doctor [OPTIONS]"
    case .selftest: "bench selftest [OPTIONS]"
    }
  }

  /// A paragraph below the usage line.
  package var explanation: String {
    switch self {
    case .run:
      """
      Measures every scheduler on every workload, each measurement in a process of its own, in
      rounds: a round runs every scheduler once, in random order. Prints a table; writes every
      figure to results/runs/<run id>.csv and the machine's description beside it.
      """
    case .compare:
      """
      Compares schedulers, or values of a knob, in pairs: both sides take turns in one process, in
      random order. The first scheduler, and the first value, is the base. Looks after 20, 40 and 80
      pairs, as far as the budget reaches, and stops when the answer is clear: slower, faster,
      equivalent or inconclusive, always with the difference that could have been seen. Never gates:
      the exit code is 0 whatever the verdict, and 1 when a measurement failed. Two results files
      instead of workloads are compared as they are, which measures nothing and gives no verdict.
      """
    case .check:
      """
      Builds the base in a worktree of its own, unless it is there, and measures it in pairs with
      this build: two live processes take turns, in random order. Red when something is established
      to be worse than its tolerance or limit, in at most \(falseAlarms) of gates of equal \
      code; what is not
      settled, too noisy or not measured is said. A gate that judged nothing is not green.
      """
    case .counts:
      """
      Counts instructions, atomic read-modify-writes and allocations per operation, in processes
      under valgrind that see one CPU, and compares them with results/baselines/counts.csv. Sizes
      are small and there is one worker unless named otherwise. A count says the same on a busy
      machine, and nothing of waiting, contention and caches. Exit code 1: some take more than
      before; 3: too noisy to judge; 5: the baseline has nothing of this machine and toolchain; 72:
      valgrind is missing.
      """
    case .profile:
      """
      Records what every operation and worker does in a run of a program, and says whose doing the
      waiting was. A process runs the program by turns without and with the recording, in random
      order: the first line under the sentence is how much longer it takes when it is recorded, with
      the interval. Above 15 % no cause is named. Timing results never come from recorded runs.
      --recording takes what a program of yours has recorded, and runs nothing. Exit code 1: the
      program failed, or the recording has no room for all of it.
      """
    case .replay:
      """
      Takes a recording that `bench profile --trace` wrote, or the file of a graph that `run --graph`
      takes. Without --simulate its graph runs again on every scheduler, as `run --graph` does, and
      its options are those of `run`. With --simulate it is scheduled in virtual time, for other
      numbers of workers, other policies and another overhead, beside what no schedule can be faster
      than. Bodies take what they took, memory is equally far for all workers, and who sleeps wakes
      at once. The speed-up is over the recorded run, and over one worker where a graph is named.
      Deterministic for a seed. Exit code 65: the file is no recording of a whole graph, and no
      graph.
      """
    case .record:
      """
      Runs the build, which has this terminal and Ctrl-C, and writes a graph file of what it ran:
      tasks with their times, and what they waited for. Ninja tells the times in its log; where make
      builds, this program stands in for the shell of recipes and takes them. --import makes such a
      file of a graph of another form. The exit code is that of the build; where that is 0, 69 means
      that nothing ran, 65 that a file of the build cannot be read, and 72 that there is no such
      program.
      """
    case .report:
      """
      Shows the runs of results files as `run` shows its own, or writes them in a form that another
      tool reads. - stands for standard input. Of several files, text and markdown have a section
      each, csv has one header above all rows, and json an object each; the forms of other tools
      take one run, so --output has to name a folder then. What a form has no room for is named on
      stderr. Exit code 65 means that a file cannot be read or is malformed.
      """
    case .baseline:
      """
      A baseline is a commit with a name, in results/baselines/<machine>/NAME.baseline: plain text
      that belongs into git. It is of the machine on which it is saved. Exit code 5 means that there
      is none of that name for this machine.
      """
    case .history:
      """
      A history keeps the ratio of every figure of a commit to that of a pinned reference, a commit
      named in results/history/reference. add measures a commit against it, both built from their
      revisions, or takes files of runs that did. scan looks for commits at which a figure changes,
      and ends with exit code 1 when it suspects one. confirm measures the commits around it against
      each other; bisect finds the one in between. show draws every series. export writes files for
      Apache Otava. Exit code 2 means a regression that confirm has measured, 3 that it remains
      open, 5 that the series is of another machine, and 65 that a file of the history, or one to
      add, is missing, malformed or does not fit.
      """
    case .list:
      """
      Prints what `run` accepts: names, axes and knobs with their default values, metrics.
      With names only those workloads, schedulers and references.
      """
    case .schema: "Prints the registry that every result file follows, or checks one file."
    case .doctor:
      """
      Looks at the program, the CPUs, their clock, heat, limits and load. A finding has what was
      found, its effect on figures, and the command that changes it. What this machine does not
      have, or does not let this process read, is said to be so. Exit code 1 means that there are
      findings. Changes nothing on the machine.
      """
    case .selftest:
      """
      Compares this program with itself as a gate compares two revisions, and says how often equal
      sides are called different and which difference the pairs of each workload show. Measures what
      the clock, an empty iteration and the wake-up of a thread cost, and proves that allocations
      are counted one by one and that bodies run. All of it is the certificate of this machine, in
      results/certificates: reports name its day, and a gate leaves out what it calls too noisy.
      Takes less than 3 minutes. Exit code 1 means that a proof does not hold; the certificate says
      so. Ctrl-C keeps the certificate that there was.
      """
    }
  }

  /// Command lines with what each of them does.
  package var examples: [(command: String, meaning: String)] {
    switch self {
    case .run:
      [
        ("bench --quick", "every workload at small sizes, 6 rounds, about 15 seconds"),
        ("bench chain wavefront", "two workloads at their real sizes"),
        (
          "bench wavefront --where n=64,512 --workers 1,2",
          "two sizes by two worker counts"
        ),
        (
          "bench chain --where spin-us=0,50",
          "every scheduler that has this knob, once with each value"
        ),
        ("bench --filter 'fan|fork' --scheduler work-stealing,dispatch", "two schedulers only"),
        ("bench chain --reference foundation", "beside Foundation's own OperationQueue"),
        ("bench run --graph build.ninja", "replay a recorded build"),
        ("bench --quick --format csv --output my.csv", "figures for a script"),
      ]
    case .compare:
      [
        ("bench compare chain --scheduler dispatch,work-stealing", "one workload, two schedulers"),
        (
          "bench compare --scheduler work-stealing --where spin-us=20,0 --budget 2m",
          "every workload, one knob"
        ),
        (
          "bench compare chain --scheduler inline,dispatch --metric cpu --tolerance 5%",
          "by processor time; less than 5 % does not matter"
        ),
        ("bench compare chain --scheduler dispatch,dispatch", "what equal sides look like here"),
        ("bench compare old.csv new.csv", "two runs that were measured apart: no verdict"),
      ]
    case .check:
      [
        ("bench check --base HEAD~1 --quick", "in about two minutes, once the base is built"),
        ("bench check chain --scheduler work-stealing", "against the merge base with main"),
        ("bench check --baseline main --require-conclusive", "what is not settled fails as well"),
        ("bench check --quick --format markdown", "for a comment on a pull request"),
      ]
    case .counts:
      [
        ("bench counts", "the standard cases against the baseline"),
        ("bench counts chain --scheduler dispatch --explain", "and the functions that they are in"),
        ("bench counts wavefront --where n=64 --workers 1,2", "at other sizes"),
        ("bench counts --base HEAD~1 --explain", "where instructions went since that commit"),
        ("bench counts --record", "make the counts of this machine the baseline"),
      ]
    case .profile:
      [
        (
          "bench profile --graph build.ninja --scheduler thread-pool",
          "why does it take so long there?"
        ),
        (
          "bench profile --graph build.ninja --scheduler dispatch --against work-stealing",
          "and which operations take longer there?"
        ),
        (
          "bench profile --graph build.ninja --scheduler dispatch --output profile",
          "a recorded build, with a page of pictures"
        ),
        ("bench profile chain --scheduler inline --trace chain.trace", "for `bench replay`"),
        ("bench profile --recording app.trace --output app", "what a program of yours recorded"),
      ]
    case .replay:
      [
        ("bench replay run.trace", "the recorded graph on every scheduler"),
        (
          "bench replay run.trace --simulate --workers 2,64 --policy fifo,critical-path",
          "what more workers and another policy would give"
        ),
        ("bench replay run.trace --simulate --overhead x0.5", "if an operation cost half"),
      ]
    case .record:
      [
        ("bench record -- ninja -C out", "a build by Ninja, kept in out.csv"),
        ("bench record --output app.csv -- make -j8", "one by make, with the makes inside it"),
        ("bench record --import workflow.json", "a WfCommons file in our form"),
        ("bench run --graph app.csv", "every scheduler on it"),
      ]
    case .report:
      [
        ("bench report results/runs/RUN.csv", "the tables of that run"),
        ("bench report old.csv new.csv --format markdown", "two runs, for a pull request"),
        ("bench report RUN.csv --format jmh --output jmh.json", "for a visualiser of JMH results"),
        ("bench report results/runs/*.csv --format bmf --output exports", "a file for each run"),
        ("bench report - --format influx", "a run from standard input"),
      ]
    case .baseline:
      [
        ("bench baseline save main", "the commit that is checked out"),
        ("bench baseline save main --force", "in the place of the one before"),
        ("bench baseline list", "those of every machine"),
        ("bench baseline show main --format json", "for a script"),
        ("bench baseline delete main", "of this machine"),
      ]
    case .history:
      [
        ("bench history add chain fan", "this commit against the reference, on two workloads"),
        ("bench history add comparison.csv", "what was measured elsewhere"),
        ("bench history scan", "suspicions in every series"),
        ("bench history confirm", "is the latest suspicion a regression?"),
        ("bench history bisect v1 main --filter chain.*wall", "the commit that changed it"),
        ("bench history show --filter chain", "sparklines of the series of a workload"),
        ("bench history export --output otava", "a configuration and tables in a folder"),
      ]
    case .list:
      [
        ("bench list", "names, axes and defaults"),
        ("bench list chain work-stealing", "only these"),
        ("bench list --format json", "workloads and schedulers for a script"),
      ]
    case .schema:
      [
        ("bench schema", "columns and metrics"),
        ("bench schema --check results/runs/RUN.csv", "exit code 0 when the file is valid"),
      ]
    case .doctor:
      [
        ("bench doctor", "findings about this machine"),
        ("bench doctor --format json", "the same for a script"),
      ]
    case .selftest:
      [
        ("bench selftest", "what a gate measures"),
        ("bench selftest --full", "every workload on every scheduler"),
        ("bench selftest --dry-run", "how long that takes"),
      ]
    }
  }
}
