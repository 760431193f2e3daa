/* Release of a dependent operation: the CORRECTED protocol (edit lock in `state`, LOCKED bit in `pending`).
 *
 * Operation B depends on A0 and A1 (with -DNODEPS on nothing). Threads: submitter, finishers of A0, A1, A2, two workers, and by
 * macro a canceller (-DCANCEL), a remover of A0 (-DREMOVE), a late adder of A2 (-DADD), a waiter on B (-DWAIT). -DNEVER: A0 is
 * never submitted; its owner drops it, so its deinit walks its list once B has let go of it. -DCANCEL2: a second canceller.
 * -DEARLY: somebody finishes B before it is added, or never; B ignores its dependencies then, as a cancelled one does. -DBARRIER:
 * A1 is a barrier of B's queue, so that B has a hidden edge on it, which nothing takes away. -DTHREE: B depends on A2 as well.
 * Sequential consistency; every atomic access of the real code is one step here, except where noted "own edge".
 *
 * `rc` is B's reference count: one per calling thread, one runtime reference, one group reference for edges in a lockedCount.
 * `tok` counts the handles to B inside the scheduler.
 *
 * Properties: B is with the scheduler at most once at a time (tok <= 1); it starts at most once; it starts only if cancelled, or
 * finished early, or every dependency it has at that moment is finished (so an addDependency that returned before the start is
 * honoured, and a removed one is not waited for), and never before the barrier has finished; no access after the last release;
 * no reference left over; B finishes whenever nothing blocks it; the waiter returns; no deadlock.
 *
 * Result, no errors, states stored: CANCEL+WAIT 100461; CANCEL+CANCEL2 151897; REMOVE+WAIT 92265; ADD+WAIT 277823;
 * CANCEL+REMOVE 227133; CANCEL+NEVER 10676; REMOVE+NEVER 22948; NODEPS+ADD+CANCEL+WAIT 109081; EARLY+ADD+BARRIER 274151;
 * EARLY+REMOVE+BARRIER+THREE 675168; EARLY+CANCEL+BARRIER 103405; EARLY+NODEPS+ADD 13689; ADD+REMOVE 1053484;
 * ADD+REMOVE+NEVER 809610; ADD+CANCEL 1046757; ADD+REMOVE+CANCEL 7649791.
 * Expected to FAIL: -DW_NOGROUP (no group reference), -DW_NOTAGS (the finisher does not ask whether its edge was removed),
 * -DW_NOHOLD (late addDependency does not recall an operation already with the scheduler), -DW_EARLY (edits ask for the
 * cancellation only, and take an operation that was finished early for one that waits for its dependencies).
 *
 * Run: scripts/models
 */
#define EMPTY 0
#define EDGE 1
#define SEALED 2

byte succ[3];             /* successor lists of A0, A1, A2: empty, holds B's edge, sealed */
byte succB;               /* EDGE stands for the waiter's record */
bit  waiterFlag;

/* B.state: LOCK, HOLD, STARTED, CANCELLED, EARLY (finishRequested), REGISTERED; B.queue != 0 is `submitted`. */
bit lock, hold, started, cancelled, early, registered, submitted;
/* StateBit.toBeSkipped. The submission has always asked for both; the edits had forgotten one. */
#define toBeSkipped (cancelled || early)
#ifdef W_EARLY
#define edited cancelled
#else
#define edited toBeSkipped
#endif
#ifdef BARRIER
#define hidden(i) (i == 1)
#else
#define hidden(i) 0
#endif
/* B.pending: count, LOCKED */
byte cnt; bit lockedCount;
/* B's side table, under LOCK */
bit  dep[3];              /* B's dependency list (each entry holds a reference on Ai) */
bit  blocking[3]; byte blk, edg; bit out;

byte rc; bit freed;
byte tok, handed; bit bodyRan; byte starts;

#define touch assert(!freed)
inline retain()  { atomic { touch; rc++ } }
inline release() { atomic { touch; assert(rc > 0); rc--; if :: rc == 0 -> freed = 1 :: else fi } }
inline acquireLock() { atomic { !lock; touch; lock = 1 } }
inline unlock() { atomic { touch; assert(lock); lock = 0 } }
inline handover() { atomic { touch; tok++; assert(tok == 1); handed++ } }

/* Under LOCK. Sets LOCKED while edges are outstanding; with `force` even at count 0 (B is then with the scheduler). */
inline moveCountUnderLock(force, tags, c) {
  atomic { touch; if :: lockedCount -> c = 255 :: else -> c = cnt; if :: (c > 0 || force) -> lockedCount = 1 :: else fi fi };
  if
  :: c == 255 -> skip
  :: c < 255 ->
     out = (c == 0);
     edg = c;
#ifndef W_NOGROUP
     if :: c > 0 -> retain() :: else fi;
#endif
     if
     :: c > 0 ->
        if :: tags && dep[0] && succ[0] != SEALED -> blocking[0] = 1; blk++ :: else fi;
        if :: (tags || hidden(1)) && dep[1] && succ[1] != SEALED -> blocking[1] = 1; blk++ :: else fi;
        if :: tags && dep[2] && succ[2] != SEALED -> blocking[2] = 1; blk++ :: else fi
     :: else
     fi
  fi
}
/* Under LOCK and LOCKED: one more edge. */
inline addEdge(i) {
  if :: edg == 0 -> retain() :: else fi;
  edg++; blk++; blocking[i] = 1;
  atomic { touch; cnt++ };
  atomic {
    if :: succ[i] == SEALED -> blocking[i] = 0; blk--; edg--; cnt--; if :: edg == 0 -> rc-- :: else fi   /* own edge, never published */
       :: else -> succ[i] = EDGE fi
  }
}

proctype Submitter() {
  byte done, n; bit z, h, f;
#ifdef NODEPS
  /* reads state once: no dependencies, not locked */
  if
  :: !lock && !hold ->
     retain(); submitted = 1; handover(); goto finish
  :: else
  fi;
#endif
  acquireLock();
  retain();
  submitted = 1;
  registered = 1; hold = 0;
  f = toBeSkipped;
  if
  :: f && !hidden(1) -> h = 1
  :: else ->
     cnt = (dep[0] && !f) + dep[1] + (dep[2] && !f);
     n = cnt;
     if :: dep[0] && !f -> atomic { if :: succ[0] == SEALED -> done++ :: else -> succ[0] = EDGE fi } :: else fi;
     if :: dep[1] -> atomic { if :: succ[1] == SEALED -> done++ :: else -> succ[1] = EDGE fi } :: else fi;
     if :: dep[2] && !f -> atomic { if :: succ[2] == SEALED -> done++ :: else -> succ[2] = EDGE fi } :: else fi;
     if
     :: done == 0 && n > 0 -> skip                             /* whoever resolves the last edge hands over */
     :: else -> atomic { touch; cnt = cnt - done; h = (cnt == 0) }
     fi
  fi;
  unlock();
  if :: h -> handover() :: else fi;
finish:
  release()
}

proctype Finisher(byte i; bit runs) {
  byte l; bit d, z, h, g;
#ifdef NEVER
  if :: !runs -> !dep[0] || freed :: else fi;                  /* deinit: B no longer retains A0 */
#endif
  atomic { l = succ[i]; succ[i] = SEALED };
  if
  :: l == EDGE ->
     touch;                                                    /* read the link in B's edge */
     atomic { touch; assert(cnt > 0); cnt--; d = lockedCount; z = (cnt == 0) };
     if
     :: !d && z -> handover()
     :: !d && !z -> skip
     :: d ->
        acquireLock();
        assert(edg > 0); edg--; g = (edg == 0);
        if
#ifdef W_NOTAGS
        :: true -> blk--; if :: blk == 0 && !out -> out = 1; h = 1 :: else fi
#else
        :: blocking[i] -> blocking[i] = 0; blk--; if :: blk == 0 && !out -> out = 1; h = 1 :: else fi
        :: else
#endif
        fi;
        unlock();
        if :: h -> handover() :: else fi;
        if :: g -> release() :: else fi
     fi
  :: else
  fi
}

proctype Canceller() {
  byte c; bit h;
  acquireLock();
  if
  :: succB == SEALED || cancelled -> skip
  :: else ->
     cancelled = 1;
     if
     :: submitted && !started ->
        moveCountUnderLock(0, 0, c);
        if
        :: lockedCount ->
           if :: blocking[0] -> blocking[0] = 0; blk-- :: else fi;
           if :: blocking[1] && !hidden(1) -> blocking[1] = 0; blk-- :: else fi;
           if :: blocking[2] -> blocking[2] = 0; blk-- :: else fi;
           if :: blk == 0 && !out -> out = 1; h = 1 :: else fi
        :: else
        fi
     :: else
     fi
  fi;
  unlock();
  if :: h -> handover() :: else fi;
  release()
}

proctype Early() {                                             /* B.finish() in no queue; later calls are in handles.pml */
  atomic { !lock; touch; if :: !submitted -> early = 1 :: else fi };
  release()
}

proctype Remover() {                                           /* B.removeDependency(A0) */
  byte c; bit h;
  acquireLock();
  if
  :: !dep[0] -> skip
  :: else ->
     if
     :: submitted && registered && !started ->
        moveCountUnderLock(0, !edited, c);
        if :: blocking[0] -> blocking[0] = 0; blk-- :: else fi;
        if :: lockedCount && blk == 0 && !out -> out = 1; h = 1 :: else fi
     :: else
     fi;
     dep[0] = 0
  fi;
  unlock();
  if :: h -> handover() :: else fi;
  release()
}

proctype Adder() {                                             /* B.addDependency(A2) */
  byte c; bit h;
  acquireLock();
  if
  :: started || edited -> skip                                 /* listed, no effect */
  :: else ->
     if
     :: !submitted -> dep[2] = 1; hold = 1
     :: submitted && !registered -> dep[2] = 1; hold = 1       /* the start looks at it */
     :: submitted && registered ->
        moveCountUnderLock(1, 1, c);
        dep[2] = 1;
        addEdge(2);
        if
#ifndef W_NOHOLD
        :: out -> hold = 1
#endif
        :: !out && blk == 0 -> out = 1; h = 1
        :: else
        fi
     fi
  fi;
  unlock();
  if :: h -> handover() :: else fi;
  release()
}

proctype Waiter() {
  atomic { touch; if :: succB == SEALED -> goto returned :: else -> succB = EDGE fi };
  waiterFlag;
returned:
  release()
}

proctype Worker() {
  byte l, c; bit go;
again:
end:
  atomic { handed > 0; handed-- };
  /* start: one compare-exchange on state in the common case */
  atomic {
    !lock; touch;
    if
    :: !hold -> assert(!started); started = 1; go = 1
    :: hold -> lock = 1; go = 0
    fi
  };
  if
  :: !go ->
     if
     :: !registered ->
        registered = 1;
        if
        :: !edited ->
           moveCountUnderLock(1, 0, c);
           if :: dep[0] -> addEdge(0) :: else fi;
           if :: dep[1] -> addEdge(1) :: else fi;
           if :: dep[2] -> addEdge(2) :: else fi
        :: else
        fi
     :: else
     fi;
     if
     :: blk > 0 -> atomic { out = 0; tok-- }; unlock(); goto again      /* park */
     :: else -> atomic { touch; hold = 0; lock = 0; assert(!started); started = 1 }
     fi
  :: else
  fi;
  atomic {
    starts++; assert(starts == 1);
    bodyRan = !toBeSkipped;
    assert(!hidden(1) || succ[1] == SEALED);
    assert(toBeSkipped || ((!dep[0] || succ[0] == SEALED) && (!dep[1] || succ[1] == SEALED) && (!dep[2] || succ[2] == SEALED)))
  };
  touch;
  atomic { l = succB; succB = SEALED };
  if :: l == EDGE -> waiterFlag = 1 :: else fi;
  /* started: nobody else touches dep[] any more */
  dep[0] = 0; dep[1] = 0; dep[2] = 0;
  release();
  goto again
}

active proctype Monitor() {
end:
  timeout ->
    assert(succB == SEALED && starts == 1 && freed && rc == 0 && handed == 0 && edg == 0 && cnt == 0)
}

init {
  atomic {
#ifndef NODEPS
    dep[0] = 1; dep[1] = 1; hold = 1;
#ifdef THREE
    dep[2] = 1; run Finisher(2, 1);
#endif
    run Finisher(1, 1);
#ifdef NEVER
    run Finisher(0, 0);
#else
    run Finisher(0, 1);
#endif
#endif
    rc = 1; run Submitter(); run Worker(); run Worker();
#ifdef CANCEL
    rc++; run Canceller();
#endif
#ifdef CANCEL2
    rc++; run Canceller();
#endif
#ifdef EARLY
    rc++; run Early();
#endif
#ifdef REMOVE
    rc++; run Remover();
#endif
#ifdef ADD
    rc++; run Adder(); run Finisher(2, 1);
#endif
#ifdef WAIT
    rc++; run Waiter();
#endif
  }
}
