// SPDX-License-Identifier: Apache-2.0

package import Harness

/// The built-in workloads.
package enum WorkloadCatalog {
  /// Every built-in workload, in the order in which they are listed.
  ///
  /// A new workload is one file and one line here.
  package static let all: [WorkloadDescription] = [
    .independent, .chain, .fan, .wavefront, .layered, .forkJoin, .priorityMix, .cancel,
    .submitLatency, .independentBodies, .independentObjects, .wavefrontWork, .graphChain,
    .graphWavefront,
    .graphLayered, .forkJoinStack, .treeSearch, .taskBench,
    .graphTaskBench, .minimumGrain, .cholesky, .lu, .matrixMultiply, .smithWaterman, .mergeSort,
    .quickSort, .queens,
    .priorityLevels, .deadlineMix, .qualityMix, .priorityInversion, .starvation, .priorityChange,
    .cancelRunning, .cancelInside, .cancelTasks, .cancelWaiting, .cancelCascade, .cancelShare,
    .cancelStorm, .timeoutsAndRetries, .openLoop, .knee, .pingPong, .producers, .actors, .limit,
    .barriers, .suspension, .resources, .blocking, .asyncClosures, .pending, .churn,
  ]
}
