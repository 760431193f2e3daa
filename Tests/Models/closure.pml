/* Closure nodes: one cell that stands for a closure, is promoted to a facade on request, retires and is used again.
 *
 * The cell's state word holds generation, LIVE, STARTED, CANCELLED, PROMOTED and a lock bit; every transition is one exchange
 * that requires the lock bit clear, and its holder gives it up with a plain store; but the run retires a cell at which nobody has
 * looked since it started with a load and a store, between two stores of `retiring`, and who looks at a started cell sets `watched`
 * and waits for `retiring` (the heavy barrier makes that sequentially consistent; -DEXCHANGE is the way without it). One worker runs the cell's job, a user holds the handle
 * (asks for `operation`, and with -DCANCEL cancels, with -DLIMIT on a queue with a limit: an extra job that skips), an enumerator pins
 * the registry chunk and promotes what it finds (-DENUM), and the cell stands for a second closure afterwards, to which the old
 * handle must do nothing. One word of the cell has what uses a stored body, or, once there is one, the facade. Sequential consistency.
 *
 * Properties: the closure is moved out by one thread at a time and runs exactly once, or never when it was cancelled; the facade
 * finishes and leaves once, and is touched by nobody afterwards who has no reference of his own; the cell is given back once, by
 * the run or by the facade; the old handle never changes the second closure; an enumerator reads only members.
 *
 * Expected to FAIL: -DW_BODY (a facade made while the closure runs takes the closure too), -DW_RETIRE (the run retires the cell
 * without looking whether a facade was made), -DW_GENERATION (the handle does not compare generations), -DW_PIN (removal does not
 * wait for the pin; with ENUM), -DW_WATCH (a handle does not wait for the run that retires the cell), -DW_LOOK (the run retires
 * without looking for `watched`; with CANCEL), -DW_USE (the run reads what uses a stored body after it has started, when a facade may be in
 * the same word), -DW_BACK (a facade gives its cell back although the cell's own job is still out; with
 * CANCEL and LIMIT).
 *
 * -DBEHIND is another model: a closure added behind a barrier in a queue with a limit, and a canceller that finds it as soon as its
 * cell is open. The facade waits for the barrier in `pending`, and what is skipped before that falsifies the barrier's count.
 * Properties: the facade finishes once, after the barrier, and nobody edits it any more then. Expected to FAIL: -DW_OPEN (the
 * facade passes for a member of the queue before it is registered).
 */
#ifdef BEHIND
bit open, member, edit, started, finished, barrierDone, pushed;
bit listing;                                              /* the adder edits the list of dependencies */
byte pending, handles = 1, out;                           /* handles with the scheduler or in the ready list */

inline lockFacade() { atomic { !edit; edit = 1 } }
proctype Adder() {
#ifdef W_OPEN
  member = 1;
#endif
  open = 1;
  lockFacade();
  member = 1;
  listing = 1;
  pending = 2;                                            /* the token and the edge on the barrier */
  atomic { if :: barrierDone -> pending-- :: else -> pushed = 1 fi };
  listing = 0;
  atomic { pending--; if :: pending == 0 -> out++ :: else fi };
  edit = 0
}
proctype Barrier() {                                      /* the seal takes the list: one step with the push */
  atomic { barrierDone = 1; if :: pushed -> pending--; if :: pending == 0 -> out++ :: else fi :: else fi }
}
proctype Canceller() {                                    /* handed over already: an extra job that skips; else the edge holds it */
  open;
  lockFacade();
  atomic { if :: member && pending == 0 && !started -> handles++; out++ :: else fi; edit = 0 }
}
proctype Worker() {
  bit won;
end:
  do
  :: atomic { out > 0 -> out-- };
     atomic { !edit; won = !started; started = 1 };
     if :: won -> atomic { assert(barrierDone && !listing && !finished); finished = 1 } :: else fi;
     atomic { assert(handles > 0); handles-- }
  od
}
active proctype Monitor() {
end:
  timeout -> assert(finished && handles == 0 && out == 0 && pending == 0 && !edit)
}
init { atomic { run Adder(); run Barrier(); run Canceller(); run Worker(); run Worker() } }
#else
byte gen; bit live, started, cancelled, promoted, lock, watched;  /* the state word */
bit retiring;                                             /* of the run's thread: it retires the cell */
bit word;                                                 /* 0: what uses a stored body, 1: the facade */
bit body = 1, moving;                                     /* closure in the cell, somebody moves it out */
bit facadeBody, facadeStarted, facadeCancelled, facadeFinished, facadeLeft, facadeFreed;
byte facadeRc, handles, hasLeft;
bit slotLeft, pinned, cellFree, extraJob;
byte ran, given, second;

inline facadeRelease() { atomic { assert(facadeRc > 0 && !facadeFreed); facadeRc--; if :: facadeRc == 0 -> facadeFreed = 1 :: else fi } }

inline retired() { live = 0; promoted = 0; started = 0; cancelled = 0; watched = 0; gen++ }

inline takeBody(got) { atomic { assert(!moving); moving = 1 }; got = body; body = 0; moving = 0 }

inline promote() {                                        /* under the lock bit */
  facadeStarted = started; facadeCancelled = cancelled; handles = 1;
#ifdef W_BODY
  takeBody(b);
  facadeBody = b;
#else
  if :: !started -> takeBody(b); facadeBody = b :: else fi;
#endif
  word = 1;
  facadeRc = 1; promoted = 1
}
inline remove() {
#ifdef W_PIN
  slotLeft = 1
#else
  atomic { !pinned; slotLeft = 1 }
#endif
}
inline facadeIsGone() {                                   /* it has left, and its last handle is back */
  atomic { !lock; assert(live && promoted); retired() };
  atomic { given++; assert(given == 1); cellFree = 1 };
  facadeRelease()
}
inline facadeEnds() {                                     /* the handle that ran it is back */
  atomic { assert(!facadeFreed && !facadeFinished); facadeFinished = 1 };
  atomic { assert(!facadeLeft); facadeLeft = 1 };
  remove();
  atomic { hasLeft = 1; handles--; last = (handles == 0) };
#ifdef W_BACK
  last = 1;
#endif
  if :: last -> facadeIsGone() :: else fi
}
inline facadeDrops() {                                    /* a handle that lost is back */
  atomic { assert(!facadeFreed); handles--; last = (handles == 0 && hasLeft) };
  if :: last -> facadeIsGone() :: else fi
}

proctype Run() {
  bit p, c, b, last, won, isLeftAlone, use;
  use = word;
  atomic { !lock; assert(live); started = 1; p = promoted; c = cancelled };
#ifdef W_USE
  use = word;
#endif
  if
  :: p ->
     atomic { assert(!facadeFreed); won = !facadeStarted; facadeStarted = 1; c = facadeCancelled };
     if
     :: won ->
        if :: !c -> atomic { assert(facadeBody); facadeBody = 0; ran++ } :: else fi;
        facadeEnds()
     :: else -> facadeDrops()
     fi
  :: else ->
     takeBody(b);
     assert(b && use == 0);
     if :: !c -> ran++ :: else fi;
#ifdef W_RETIRE
     atomic { !lock; retired(); p = 0 };
#else
     isLeftAlone = 0;
#ifndef EXCHANGE
     retiring = 1;
#ifdef W_LOOK
     atomic { isLeftAlone = !promoted && !lock };
#else
     atomic { isLeftAlone = !watched && !promoted && !lock };
#endif
     if :: isLeftAlone -> atomic { lock = 0; retired() } :: else fi;  /* a store: whatever came in between is gone */
     retiring = 0;
#endif
     if
     :: isLeftAlone -> p = 0
     :: else -> atomic { !lock; p = promoted; if :: !p -> retired() :: else fi }
     fi;
#endif
     if
     :: p -> facadeEnds()
     :: else ->
        remove();
        atomic { given++; assert(given == 1); cellFree = 1 }
     fi
  fi
}

proctype RunExtraJob() {
  bit won, last;
end:
  extraJob;
  atomic { assert(!facadeFreed); won = !facadeStarted; facadeStarted = 1 };
  if :: won -> facadeEnds() :: else -> facadeDrops() fi
}

inline takeLock() { lock = 1; waits = started && !watched; if :: started -> watched = 1 :: else fi }
inline awaitRetiring(mine, g) {
#if !defined(EXCHANGE) && !defined(W_WATCH)
  if :: mine && waits -> atomic { !retiring; mine = (live && gen == g) } :: else fi
#else
  skip
#endif
}
/* the state word's exchange with the generation test; mine = 1: the lock bit is held */
inline lockNode(mine) {
#ifdef W_GENERATION
  atomic { !lock; mine = live; if :: mine -> takeLock() :: else fi }
#else
  atomic { !lock; mine = (live && gen == 0); if :: mine -> takeLock() :: else fi }
#endif
  ;
  awaitRetiring(mine, 0)
}
proctype Asker() {
  bit mine, b, waits;
  lockNode(mine);
  if
  :: mine ->
     assert(second == 0);                                 /* never the next closure */
     if :: !promoted -> promote() :: else fi;
     atomic { assert(!facadeFreed); facadeRc++ };
     lock = 0;
     facadeRelease()
  :: else
  fi
}
proctype Canceller() {
  bit mine, b, skips, waits;
  lockNode(mine);
  if
  :: mine ->
     assert(second == 0);
#ifdef LIMIT
     if :: !promoted && !started -> promote() :: else fi;
#endif
     if
     :: promoted ->
        atomic { assert(!facadeFreed); facadeRc++ };
        lock = 0;
        atomic { if :: !facadeFinished && !facadeCancelled -> facadeCancelled = 1; skips = !facadeStarted :: else fi };
#ifdef LIMIT
        if :: skips -> atomic { if :: !facadeStarted -> handles++; extraJob = 1 :: else fi } :: else fi;
#endif
        facadeRelease()
     :: else -> cancelled = 1; lock = 0
     fi
  :: else
  fi
}
proctype Enumerator() {
  bit mine, b, waits; byte g;
  atomic { pinned = 1; mine = !slotLeft };
  if
  :: mine ->
     atomic { mine = live; g = gen };
     if
     :: mine ->
        atomic { !lock; mine = (live && gen == g); if :: mine -> takeLock() :: else fi };
        awaitRetiring(mine, g);
        if
        :: mine ->
           assert(second == 0);
           if :: !promoted -> promote() :: else fi;
           atomic { assert(!facadeFreed); facadeRc++ };
           lock = 0;
           facadeRelease()
        :: else
        fi
     :: else
     fi
  :: else
  fi;
  pinned = 0
}
proctype Reuse() {                                        /* the cell stands for a second closure */
  cellFree;
  atomic { assert(!live && !body && !moving && !lock); body = 1; second = 1; live = 1 };
}

active proctype Monitor() {
end:
  timeout ->
    assert(given == 1 && second == 1 && live && !promoted && !started && !cancelled && !watched && !lock);
    assert(slotLeft);
    assert(facadeRc == 0 && (facadeFreed == facadeLeft) && body);
#ifdef CANCEL
    assert(ran <= 1)
#else
    assert(ran == 1)
#endif
}
init {
  atomic {
    live = 1; run Run(); run Asker(); run Reuse();
#ifdef CANCEL
    run Canceller();
#endif
#ifdef LIMIT
    run RunExtraJob();
#endif
#ifdef ENUM
    run Enumerator();
#endif
  }
}
#endif
