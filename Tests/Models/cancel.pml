/* Cancel of an operation that finishes, and what it takes along: dependents on the list, and one that comes after the seal.
 *
 * A has cancelDependentsOnCancel. Threads: a canceller of A, the finisher of A, and an adder of B, which depends on A. B is on
 * A's list when the adder's push comes before the seal; then the finisher cancels B before it resolves its edge. Otherwise the
 * adder itself asks A whether B is to be cancelled. Sequential consistency; every atomic access of the real code is one step.
 *
 * Properties: B starts once; when it does, it is cancelled exactly if A is; A is not marked after that.
 *
 * Result, no errors, states stored: 542.
 * Expected to FAIL: -DW_UNLOCKED (the adder reads A's mark while an editor that has not seen the seal holds the lock),
 * -DW_SEAL (the finisher reads it so).
 *
 * Run: scripts/models
 */
bit lock, cancelled, sealed, listed;     /* A: the edit lock and the mark in `state`; the list */
bit cancelledB, startedB;
byte done;

proctype Canceller() {
  bit over;
  atomic { !lock; lock = 1 };
  over = sealed;                                               /* isSealedForEditor */
  if
  :: !over -> atomic { assert(!startedB); cancelled = 1; lock = 0 }
  :: else -> lock = 0
  fi;
  done++
}

inline start() { atomic { assert(!startedB); assert(cancelledB == cancelled); startedB = 1 } }

proctype Finisher() {
  bit passes, takes;
  atomic { takes = listed; sealed = 1 };
#ifndef W_SEAL
  !lock;
#endif
  passes = cancelled;
  if
  :: takes ->
     if :: passes -> cancelledB = 1 :: else fi;
     start()
  :: else
  fi;
  done++
}

proctype Adder() {
  bit over, passes;
  atomic { over = sealed; if :: !over -> listed = 1 :: else fi };
  if
  :: over ->
#ifndef W_UNLOCKED
     !lock;
#endif
     passes = cancelled;                                       /* passesCancellationOn */
     if :: passes -> cancelledB = 1 :: else fi;
     start()
  :: else
  fi;
  done++
}

init {
  atomic { run Canceller(); run Finisher(); run Adder() };
  done == 3;
  assert(startedB && cancelledB == cancelled)
}
