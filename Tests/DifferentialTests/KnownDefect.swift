// SPDX-License-Identifier: Apache-2.0

/// Where Foundation on Linux departs from its documentation, so that the two sides cannot be
/// compared there.
///
/// The complete list: what is not here is compared. A case says which statement of the operation
/// contract is concerned, what programs avoid or comparisons forgive, and why. `Prediction` names
/// the case at each refusal.
enum KnownDefect: String, CaseIterable {
  case removedDependency
  case droppedDependent
  case selfDependency
  case editAfterStart
  case readinessBehindBarrier
  case readinessComesLate
  case barrierOnEmptyQueue
  case cancelledBehindBarrier
  case cancelledBarrier
  case cancelledAddedBehindBarrier
  case cancelAllOneByOne
  case cancelledCondition
  case cancelledNeedsSlot
  case blocksOneAfterTheOther
  case completionElsewhere
  case qualityOfService
  case missing

  /// Statements of the operation contract.
  var statements: [Int] {
    switch self {
    case .removedDependency: [26, 54]
    case .droppedDependent: [34]
    case .selfDependency: [30]
    case .editAfterStart: [29]
    case .readinessBehindBarrier: [37, 116]
    case .readinessComesLate: [19, 37]
    case .barrierOnEmptyQueue: [103, 116]
    case .cancelledBehindBarrier: [47, 116]
    case .cancelledBarrier: [34, 52, 116]
    case .cancelledAddedBehindBarrier: [46, 116]
    case .cancelAllOneByOne: [52]
    case .cancelledCondition: [38, 39, 47]
    case .cancelledNeedsSlot: [49]
    case .blocksOneAfterTheOther: [75]
    case .completionElsewhere: [58, 60, 61]
    case .qualityOfService: [88, 90, 93, 94, 96]
    case .missing: [79, 97, 124]
    }
  }

  /// What programs avoid or the comparison forgives, and why.
  var reason: String {
    switch self {
    case .removedDependency:
      "avoided: removing an unfinished dependency stalls the operation for ever, and removing one after a cancellation "
        + "makes it unready; only finished ones of uncancelled operations are removed"
    case .droppedDependent:
      "avoided: a dependency that finishes touches dependents that are gone; a run keeps all operations to its end"
    case .selfDependency: "avoided: addDependency(self) never returns"
    case .editAfterStart:
      "avoided: an edge added to a started operation changes its isReady, and one removed shortens its list"
    case .readinessBehindBarrier:
      "forgiven: isReady of an operation behind a barrier, because the barrier is one of its dependencies there"
    case .readinessComesLate:
      "avoided: of the dependents of one operation some run before the others have become ready, so that one that is "
        + "started by hand from inside another stops the process"
    case .barrierOnEmptyQueue:
      "avoided: a barrier added to an empty queue ignores suspension and limit, and nobody waits for it"
    case .cancelledBehindBarrier:
      "avoided: an operation that is cancelled behind a barrier finishes before the barrier"
    case .cancelledBarrier:
      "avoided: cancelling all with a barrier pending lets younger operations pass executing older ones, and the "
        + "barrier's end leaves pointers to it behind"
    case .cancelledAddedBehindBarrier:
      "avoided: adding an operation that is cancelled already never returns while a barrier is pending: the queue takes "
        + "its own lock twice"
    case .cancelAllOneByOne:
      "avoided: cancelAllOperations() may set a member free that waits for another one before it is cancelled itself"
    case .cancelledCondition:
      "avoided: a cancelled operation whose own condition does not hold stays until it does; the statements leave open "
        + "which of the two counts"
    case .cancelledNeedsSlot:
      "avoided: a cancelled operation of a class of the library waits for a slot; those of subclasses do so on both"
    case .blocksOneAfterTheOther:
      "forgiven: the order of the blocks of one block operation; their number is compared"
    case .completionElsewhere:
      "forgiven: when and where completion blocks run, and what the property holds afterwards; that each runs once is "
        + "compared"
    case .qualityOfService:
      "avoided: a quality of service changes the start order and loses priority changes"
    case .missing: "avoided: what does not exist there cannot be compared"
    }
  }
}
