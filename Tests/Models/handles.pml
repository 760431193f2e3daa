/* Handles of one operation B that waits in a queue without other members, whose owner has dropped it.
 *
 * A handle is a job that stands for B: its own header (0), an extra job that a move or a second hand-over made (1..), or the skip
 * extraJob of a cancelled one. `handles` counts those that are out. B leaves its queue when it has ended, and the handles that are
 * out then keep B and the queue until the last one is back. The queue is freed with its last member and handle. Two workers run handles; by macro a canceller (-DCANCEL), one or two changes of level (-DMOVE,
 * -DMOVE2), a late addDependency with the end of that dependency (-DADD), a wait that runs B on the waiting worker (-DWAIT), a
 * finish before the add (-DEARLY), a limit that is set meanwhile (-DLIMIT), a finish after the add (-DFINISH).
 * With -DRETURN three changes there, elsewhere and back, while at most two handles should be out. With -DGRANT any handle may find
 * that B has been granted what it needs, and then starts it although another one is the latest. With -DSLOT a cancelled B needs a slot,
 * since its class overrides start().
 * Sequential consistency; steps under the edit lock that nobody else can see are one step.
 *
 * Properties: B starts exactly once; not while a dependency that was added before is unfinished, unless cancelled or finished early;
 * after a change of level by its latest handle, unless it needs no slot; no handle is handed over while it is out already (its link
 * word would be in two lists); nobody touches B, an extra job or the queue after its end; B leaves once, when it has finished; nothing is left over.
 *
 * Expected to FAIL: -DW_COUNT (the runner lets go of B whatever else is out), -DW_QUEUE (the handles keep B
 * and not its queue), -DW_SAME (a waiter's handle passes for the header), -DW_LATER (a waiter counts its handle
 * and begins in two steps), -DW_CHOOSE (the handle to hand over is chosen after the
 * unlock), -DW_KEEP (a parking run keeps neither B nor its queue), -DW_EARLY (an edit asks for the cancellation only, and takes
 * an operation that was finished early for one that waits for its dependencies), -DW_STEPS (a finish in the queue sets its bit in
 * one step and begins B in another), -DW_FORGET (a handle that a worker has dropped is still a place to return to),
 * -DW_PLACE (every cancelled B is started by whichever handle comes first).
 */
#define SKIP 7
#define NONE 8
bit lock, hold, started, cancelled, moved;      /* B.state */
#ifdef EARLY
bit early = 1;                                  /* B.state: finishRequested */
#else
bit early;
#endif
#define toBeSkipped (cancelled || early)            /* StateBit.toBeSkipped */
#ifdef W_EARLY
#define edited cancelled
#else
#define edited toBeSkipped
#endif
bit lockedCount, out = 1, hasSkipJob, tagged, group, wasParked, headerIsBack, hasLeft, depSealed, depAdded;
byte handles = 1, latest, extraJobs = 1;         /* the cold table, under the lock */
byte place[2];                                  /* the extraJob that stands in a level; 0 none */
byte bag[8]; bit gone[8];                       /* handles in the scheduler; extraJobs freed */
byte rc, starts, qrefs; bit finished, left, freed, qfreed;

#define touch assert(!freed)
#define touchQ assert(!qfreed)
inline takeLock() { atomic { !lock; touch; lock = 1 } }
inline dropLock() { atomic { touch; assert(lock); lock = 0 } }
inline release() { atomic { touch; assert(rc > 0); rc--; if :: rc == 0 -> freed = 1 :: else fi } }
inline handOver(i) { atomic { touch; touchQ; assert(bag[i] == 0 && !gone[i]); bag[i] = 1 } }
inline keepQ() { atomic { touchQ; qrefs++ } }
inline dropQ() { atomic { touchQ; qrefs--; if :: qrefs == 0 -> qfreed = 1 :: else fi } }

inline nextHandle() {                           /* under the lock: what handleIfFree returns */
  if
  :: wasParked && headerIsBack -> headerIsBack = 0; handles++; latest = 0
  :: wasParked && !headerIsBack -> handles++; latest = extraJobs; extraJobs++
  :: else
  fi;
  h = latest
}
inline handOverChosen() {
#ifdef W_CHOOSE
  h = latest;
#endif
  handOver(h)
}
inline letGo() {                                /* the last handle of an operation that has left */
  touchQ;                                       /* the slot that names the queue is removed */
  release();                                    /* the runtime's reference */
#ifndef W_QUEUE
  dropQ()
#endif
}
inline dropHandle() {
  takeLock();
  handles--; last = (handles == 0 && hasLeft);
  dropLock();
  if :: last -> letGo() :: else fi
}
inline finish() {
  atomic { touch; starts++; assert(starts == 1);
           assert(toBeSkipped || !depAdded || depSealed || ignoresLate); finished = 1 };
  touchQ;                                       /* leaveGate */
#ifdef W_COUNT
  release();
#else
#ifndef W_QUEUE
  keepQ();                                      /* the handles' */
#endif
  takeLock(); hasLeft = 1; dropLock();
  dropHandle();
#endif
  atomic { assert(!left && finished); left = 1; touchQ };
  dropQ()                                       /* the count goes to zero: the queue's reference to itself */
}
bit ignoresLate;                                /* the dependency came after the start: no effect */

inline forgetPlace(i) {                         /* under the lock */
  atomic {
    if :: i > 0 && place[0] == i -> place[0] = 0 :: i > 0 && place[1] == i -> place[1] = 0 :: else fi
  }
}

#ifdef SLOT                                     /* start() is B's own */
#define needsNoSlot early
#else
#define needsNoSlot toBeSkipped
#endif

/* begin: result 1 won, 0 lost, 2 parked */
#ifdef W_PLACE
#define outOfDate (moved && !toBeSkipped && latest != i)
#else
#define outOfDate (moved && !hasNoPlace && latest != i)
#endif
inline begin(i) {
  atomic { !lock; touch; r = 3; isKept = 0;
    if :: !hold && !moved && !started -> started = 1; r = 1 :: else fi };
  if
  :: r == 3 ->                                  /* the slow path keeps B and its queue: it may park */
     isKept = 1;
#ifndef W_KEEP
     keepQ();
#endif
     atomic { !lock; rc++; hasNoPlace = moved && needsNoSlot };
     takeLock();
     if
     :: started || outOfDate ->
        r = 0;
#ifndef W_FORGET
        forgetPlace(i);
#endif
        dropLock()
#ifdef GRANT
     :: !started && outOfDate ->
        hold = 0;
        if :: tagged -> r = 0; forgetPlace(i) :: else -> started = 1; r = 1 fi;
        dropLock()
#endif
     :: else ->
        hold = 0;
        if
        :: tagged ->
           out = 0; wasParked = 1; handles--;
           if :: i == 0 -> headerIsBack = 1 :: else fi;
           forgetPlace(i);
           r = 2; dropLock()
        :: else ->
           assert(!moved || latest == i || needsNoSlot);
           started = 1; r = 1; dropLock()
        fi
     fi
  :: else
  fi
}

proctype Worker() {
  byte i, r; bit last, isKept, hasNoPlace;
end:
  do
  :: atomic {
       if
       :: bag[0] -> i = 0 :: bag[1] -> i = 1 :: bag[2] -> i = 2 :: bag[3] -> i = 3 :: bag[4] -> i = 4
       :: bag[5] -> i = 5 :: bag[6] -> i = 6
       :: bag[SKIP] -> i = SKIP
       fi;
       bag[i] = 0; touch; touchQ; assert(!gone[i])
     };
     begin(i);
     if
     :: r == 1 -> finish()
     :: r == 0 -> touchQ; dropHandle()
     :: r == 2 -> touchQ                        /* leaveGate */
     fi;
     if
     :: isKept ->
        release();
#ifndef W_KEEP
        dropQ()
#endif
     :: else
     fi;
     hasNoPlace = 0;
     if :: i > 0 -> gone[i] = 1 :: else fi       /* the extraJob's memory goes with its run */
  od
}

inline skipOutsideTheList() {
  takeLock();
  if :: started || !out || !needsNoSlot || hasSkipJob -> skips = 0 :: else -> handles++; hasSkipJob = 1 fi;
  dropLock();
  if :: skips -> handOver(SKIP) :: else fi
}

proctype Canceller() {
  byte h; bit skips, mine;
  takeLock();
  if
  :: finished || cancelled -> skip
  :: else ->
     cancelled = 1;
     if
     :: !started && lockedCount ->
        tagged = 0;
        if :: !out -> out = 1; nextHandle(); mine = 1 :: else -> skips = 1 fi
     :: !started && !lockedCount -> skips = 1
     :: else
     fi
  fi;
  dropLock();
  if :: mine -> handOverChosen() :: else fi;
  if :: skips -> skipOutsideTheList() :: else fi;
  release()
}

proctype Mover() {
  byte h; bit mine;
  takeLock();
  if
  :: !started && out -> handles++; h = extraJobs; extraJobs++; latest = h; moved = 1; mine = 1
  :: else
  fi;
  dropLock();
  if :: mine -> handOver(h) :: else fi;
  release()
}

proctype Limiter() {                            /* a queue that gets a limit looks at its members */
  bit skips, mine;
  takeLock();
  if :: !started -> mine = 1; qrefs++ :: else fi;   /* whoever sets a limit keeps the queue */
  dropLock();
  if :: mine -> skips = 1; skipOutsideTheList(); dropQ() :: else fi;
  release()
}

proctype Early() {                              /* B.finish() in its queue */
  bit last, mine;
#ifdef W_STEPS
  atomic { !lock; touch; if :: !started -> early = 1 :: else fi };
#endif
  takeLock();
  if
  :: !started ->                                /* a started one is sealed by one of two: body.pml */
     early = 1; tagged = 0; started = 1; out = 1; qrefs++;
     handles++; mine = 1                        /* one more, or the header that had come back */
  :: else
  fi;
  dropLock();
  if :: mine -> finish(); dropQ() :: else fi;
  release()
}

inline change(level) {
  takeLock();
  mine = 0;
  if
  :: !started && out ->
     moved = 1;
     if
     :: handles > 2 && place[level] != 0 -> latest = place[level]
     :: else -> handles++; h = extraJobs; extraJobs++; latest = h; place[level] = h; mine = 1
     fi
  :: else
  fi;
  dropLock();
  if :: mine -> handOver(h) :: else fi
}

proctype Returner() {
  byte h; bit mine;
  change(0);
  change(1);
  change(0);
  release()
}

proctype Adder() {
  byte h; bit mine;
  takeLock();
  if
  :: started || edited -> ignoresLate = 1
  :: else ->
     if :: !lockedCount -> lockedCount = 1 :: else fi;
     tagged = 1; group = 1; rc++; depAdded = 1;
     if :: out -> hold = 1 :: else fi
  fi;
  dropLock();
  release()
}

proctype DependencyEnds() {                     /* after the edge was pushed */
  byte h; bit mine;
  depAdded || ignoresLate || cancelled;
  if
  :: depAdded ->
     depSealed = 1;
     takeLock();
     if
     :: tagged -> tagged = 0; if :: !out -> out = 1; nextHandle(); mine = 1 :: else fi
     :: else
     fi;
     dropLock();
     if :: mine -> handOverChosen() :: else fi;
     release()                                  /* the group reference */
  :: else
  fi
}

proctype Waiter() {                             /* runs B on its own thread, or gives up and sleeps */
  byte r; bit last, mine, isKept, hasNoPlace;
  takeLock();
  if :: started -> skip :: else -> mine = 1; qrefs++ fi;
  dropLock();
  if
  :: mine ->
     takeLock();
     if
     :: started || moved || hold || !out -> dropLock()
     :: else ->
        handles++;
#ifdef W_SAME
        dropLock();
        begin(0);
        if :: r == 1 -> finish() :: r == 0 -> dropHandle() :: else fi
#else
#ifdef W_LATER
        dropLock();
        atomic { !lock; touch;
          if
          :: !hold && !moved && !started -> started = 1; r = 1
          :: else -> r = 0
          fi };
        if :: r == 1 -> finish() :: else -> dropHandle() fi
#else
        started = 1;
        dropLock();
        finish()
#endif
#endif
     fi;
     dropQ()
  :: else
  fi;
  release()
}

active proctype Monitor() {
end:
  timeout ->
    assert(starts == 1 && left && freed && qfreed && handles == 0 && rc == 0);
    assert(bag[0] + bag[1] + bag[2] + bag[3] + bag[4] + bag[5] + bag[6] + bag[SKIP] == 0)
}

init {
  atomic {
    rc = 1; qrefs = 1; bag[0] = 1;
    run Worker(); run Worker();
#ifdef CANCEL
    rc++; run Canceller();
#endif
#ifdef MOVE
    rc++; run Mover();
#endif
#ifdef MOVE2
    rc++; run Mover();
#endif
#ifdef RETURN
    rc++; run Returner();
#endif
#ifdef ADD
    rc++; run Adder(); run DependencyEnds();
#endif
#ifdef LIMIT
    rc++; run Limiter();
#endif
#ifdef FINISH
    rc++; run Early();
#endif
#ifdef WAIT
    rc++; run Waiter();
#endif
  }
}
