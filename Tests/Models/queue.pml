/* Queue policy. Two independent models in one file; define exactly one of LIMIT and COUNT.
 *
 * ---- LIMIT: packed word (ready, running, limit, SUSPENDED, who releases), ready list, drains with a budget, start gate of fast mode.
 * Two workers take words (operations handed over in fast mode, drains, extra jobs that skip); inserters make operations ready; one
 * controller changes the policy:
 *   -DSUSPEND    limit 2, suspend, resume                    -DLOWER     limit 2 -> 1 -> 0 -> 2
 *   -DSWITCH     fast mode (operations already in deques) -> limit 1 -> unlimited -> limit 1 -> unlimited
 *   -DPAUSE      fast mode -> suspend -> limit 1 while suspended -> resume
 *   -DTWICE      suspend, resume, suspend, resume
 *   -DSKIP      with SUSPEND or LOWER: one operation X is cancelled while it sits in the ready list
 * A start (or a skip of a cancelled operation) is "claimed" by the atomic step that reads SUSPENDED.
 * Properties: at a start, the bodies running including the new one are at most the limit in the word at that moment; no start is
 * claimed between the return of suspend and resume; every operation runs exactly once; when all is quiet no ready operation is
 * left and running is 0 (so nothing is stranded); X finishes exactly once, its two references are dropped exactly once; the queue
 * is never fast while somebody holds jobs that he has claimed from the list (so nothing overtakes them).
 * Variants that are expected to FAIL (readings of the uncorrected text):
 *   -DW_EMPTY    a drain that saw an empty list does running-1 unconditionally       (stranded operation; with LOWER)
 *   -DW_LOWER    a drain does not compare running with the limit between operations  (limit exceeded; with LOWER)
 *   -DW_OUTSIDE  the limit is read outside the word before the insertion             (stranded operation; with LOWER)
 *   -DW_FAST     operations started in fast mode are not counted after the switch    (limit exceeded; with SWITCH)
 *   -DW_ENTRY    going back to unlimited uncounts only operations whose entry is still set  (slot lost; with SWITCH)
 *   -DW_LEAK     going back to unlimited forgets the counted operations              (stranded operation; with SWITCH)
 *   -DW_TWO      closing the queue forgets its releaser, so that there may be two    (fast too early; with TWICE, SWITCH)
 *
 * ---- COUNT: batched completion credits, queue waiter, barriers as operations.
 * Two workers with private credits, which go back when a worker finds nothing to run (also those of barriers), two adders, -DBARRIERS=n (0..2) barriers, one waiter.
 * Properties: a barrier runs alone, after everything added before it, before anything added after it; the count neither loses nor
 * doubles (never negative, 0 at the end); the waiter returns, and only when nothing is outstanding; no deadlock.
 * -DEAGER: credits go back after each operation while somebody waits or a barrier is pending.
 * Expected to FAIL: -DW_IDLE (a worker goes idle with credits), -DW_TOTAL (the barrier waits for the plain total, which includes the operations it holds back).
 *
 * Result, no errors, states stored: LIMIT: SUSPEND 42625; LOWER 64937; PAUSE 314577; SWITCH 1392689;
 * SUSPEND+SKIP 3125780; LOWER+SKIP 4747227. COUNT: BARRIERS=0 19408; 1 2051845; 2 66076189 (3.8 GB).
 *
 * Run: scripts/models
 */

#ifdef LIMIT
#define INF 15
#define WORKERS 2
#ifndef OPS
#define OPS 3
#endif
#define BUDGET 2
#if defined(SWITCH) || defined(PAUSE) || defined(TWICE)
#define START_FAST 1
#else
#define START_FAST 0
#endif

byte ready, running, limit; bit susp, releasing; /* the packed word: every atomic block on these is one RMW */
#define isOpen (!susp && limit == INF)
#define fast (isOpen && !releasing)
byte inHand;                                     /* ghost: authors with claimed jobs that have not reached the scheduler */
byte outsideLimit;
byte list; byte opWords, drainWords;             /* ready list (without X); words inside the scheduler */
bit begun[WORKERS];                              /* written by the worker only, plain stores */
bit counted[WORKERS]; bit policy;                /* under the policy mutex */
byte bodies, ran; bit suspendReturned;
bit xListed, xCancelled, xStarted, xFinished; byte xRefs, extraJobs, deferred;

byte runningSpare;                               /* drains started by this RMW; 0 outside atomic blocks */
/* Inside an RMW on the packed word; `rel` is the author's: jobs that he has claimed and takes out of the list afterwards. */
inline openUp() {
  if
  :: releasing -> rel = 0
  :: else -> assert(inHand == 0); rel = ready; ready = 0; if :: rel > 0 -> releasing = 1; inHand++ :: else fi
  fi
}
inline startMore() {
  if
  :: isOpen -> openUp()
  :: else ->
     do
     :: !susp && ready > runningSpare && running < limit -> running++; drainWords++; runningSpare++
     :: else -> break
     od; runningSpare = 0
  fi
}
inline startOne() {
  if
  :: isOpen -> openUp()
  :: !isOpen && !susp && ready > 0 && running < limit -> running++; drainWords++
  :: else
  fi
}
inline carryOut() {                              /* what was claimed goes to the scheduler as it is, then what came meanwhile */
  do
  :: rel > 0 ->
     atomic { assert(list >= rel); list = list - rel };
     atomic { opWords = opWords + rel; rel = 0; inHand-- };
     atomic {
#ifdef W_TWO
       if :: isOpen && releasing -> releasing = 0; openUp() :: else fi
#else
       releasing = 0;
       if :: isOpen -> openUp() :: else fi
#endif
     }
  :: else -> break
  od
}
#ifdef W_TWO
#define closing releasing = 0
#else
#define closing skip
#endif

inline insertWord() {
#ifdef W_OUTSIDE
  atomic { ready++; if :: !susp && running < k -> running++; drainWords++ :: else fi }
#else
  atomic { ready++; startOne() };
  carryOut()
#endif
}
inline takePolicy() { atomic { !policy; policy = 1 } }
inline dropPolicy() { policy = 0 }
inline beginBody() { bodies++; assert(bodies <= limit); assert(!suspendReturned) }
inline uncount() {
  takePolicy();
  if
  :: counted[id] -> counted[id] = 0; atomic { running--; startOne() }; carryOut()
  :: else
  fi;
  dropPolicy()
}

proctype Inserter(byte n) {
  byte i; bit m; byte k, rel;
  do
  :: i == n -> break
  :: i < n ->
     m = fast;
     if
     :: m -> atomic { opWords++ }
     :: else ->
#ifdef W_OUTSIDE
        k = outsideLimit;
#endif
        atomic { list++ }; insertWord()
     fi;
     i++
  od
}

proctype Worker(byte id) {
  bit m; byte b; bit x; byte k, rel;
end:
  do
  :: atomic { opWords > 0 -> opWords-- };
     begun[id] = 1;                                             /* plain store; ordered against the next load, see the design */
     atomic { m = isOpen; if :: m -> beginBody() :: else fi };  /* load of the packed word */
     if
     :: m ->
        atomic { bodies--; ran++ };
        begun[id] = 0;
        m = isOpen;
        if :: !m -> uncount() :: else fi
     :: else ->
        begun[id] = 0;
        m = isOpen;
        if :: !m -> uncount() :: else fi;
#ifdef W_OUTSIDE
        k = outsideLimit;
#endif
        atomic { list++ }; insertWord()
     fi
  :: atomic { drainWords > 0 -> drainWords-- };
     b = 0;
next:
#ifdef W_EMPTY
     m = (list > 0 || xListed);
     if
     :: !m -> atomic { running-- }; goto out
     :: m ->
        atomic { if :: ready > 0 && !susp && !isOpen && running <= limit -> ready--; beginBody() :: else -> running--; m = 0 fi };
        if :: !m -> goto out :: else fi
     fi;
#else
     atomic {
       if
#ifdef W_LOWER
       :: ready > 0 && !susp && !isOpen -> ready--; m = 1; beginBody()
#else
       :: ready > 0 && !susp && !isOpen && running <= limit ->
          ready--; m = 1; beginBody();
          if :: ready > 0 && running < limit -> running++; drainWords++ :: else fi   /* one more drain before this one runs */
#endif
       :: else -> m = 0; running--
       fi
     };
     if :: !m -> goto out :: else fi;
#endif
     /* the ticket taken from `ready` guarantees an entry */
     x = 0;
     atomic {
       if
       :: list > 0 -> list--
       :: xListed -> xListed = 0; x = 1
       fi
     };
     if
     :: x ->
        atomic { if :: xStarted -> bodies--; x = 0 :: else -> xStarted = 1 fi };        /* compare-exchange on X.state */
        if
        :: x -> atomic { bodies--; ran++; xFinished = 1 }
        :: else
        fi;
        atomic { assert(xRefs > 0); xRefs-- }
     :: else -> atomic { bodies--; ran++ }
     fi;
     b++;
     if :: b < BUDGET -> goto next :: else -> atomic { drainWords++ } fi;
out: skip
#ifdef SKIP
  :: atomic { extraJobs > 0 -> extraJobs-- };
     atomic { if :: susp -> deferred++; x = 0 :: else -> assert(!suspendReturned); x = 1 fi };   /* under the ready list's lock */
     if
     :: x ->
        atomic { if :: !xStarted -> xStarted = 1; x = 1 :: else -> x = 0 fi };
        if :: x -> atomic { assert(!xFinished); xFinished = 1; ran++ } :: else fi;
        atomic { assert(xRefs > 0); xRefs-- }
     :: else
     fi
#endif
  od
}

inline setLimit(to) {
  takePolicy();
  if
  :: limit == INF && to != INF ->
     atomic { limit = 0; closing };                             /* limit 0 starts nothing while we look */
#ifndef W_FAST
     n = 0;                                                     /* process-wide memory barrier here */
     if :: begun[0] -> counted[0] = 1; n++ :: else fi;
     if :: begun[1] -> counted[1] = 1; n++ :: else fi;
#endif
     atomic { running = running + n; limit = to; startMore() };
     carryOut()
  :: limit != INF && to == INF ->
     n = 0;
#ifndef W_LEAK
#ifdef W_ENTRY
     if :: counted[0] && begun[0] -> counted[0] = 0; n++ :: else fi;
     if :: counted[1] && begun[1] -> counted[1] = 0; n++ :: else fi;
#else
     if :: counted[0] -> counted[0] = 0; n++ :: else fi;
     if :: counted[1] -> counted[1] = 0; n++ :: else fi;
#endif
#endif
     atomic { running = running - n; limit = to; startMore() };
     carryOut()
  :: else -> atomic { limit = to; startMore() }; carryOut()
  fi;
  outsideLimit = to;
  dropPolicy()
}
inline suspend() { takePolicy(); atomic { susp = 1; closing }; dropPolicy(); suspendReturned = 1 }
inline resume() {
  suspendReturned = 0;
  takePolicy();
  atomic { susp = 0; startMore() };
  dropPolicy();
  carryOut();
  atomic { extraJobs = extraJobs + deferred; deferred = 0 }
}

proctype Controller() {
  byte n, rel;
#ifdef SUSPEND
  suspend(); resume();
#endif
#ifdef LOWER
  setLimit(1); setLimit(0); setLimit(2);
#endif
#ifdef SWITCH
  setLimit(1); setLimit(INF); setLimit(1); setLimit(INF);
#endif
#ifdef PAUSE
  suspend(); setLimit(1); resume();
#endif
#ifdef TWICE
  suspend(); resume(); suspend(); resume();
#endif
}
proctype Canceller() {                                          /* X was released into the list before */
  bit s;
  xCancelled = 1;
  s = xStarted;
  if :: !s -> atomic { if :: !xStarted -> xRefs++; extraJobs++ :: else fi } :: else fi    /* under X's edit lock: not STARTED */
}
proctype XInserter() {
  byte rel;
  atomic { xListed = 1 };
  atomic { ready++; startOne() };
  carryOut();
  run Canceller()
}

active proctype Monitor() {
end:
  timeout ->
    assert(!releasing && ready == 0 && list == 0 && running == 0 && bodies == 0 && opWords == 0 && drainWords == 0);
#ifdef SKIP
    assert(ran == OPS + 1 && xFinished && xRefs == 0 && !xListed && extraJobs == 0 && deferred == 0)
#else
    assert(ran == OPS)
#endif
}
init {
  atomic {
    limit = (START_FAST == 1 -> INF : 2); outsideLimit = limit;
    run Worker(0); run Worker(1); run Inserter(OPS - 1); run Inserter(1); run Controller();
#ifdef SKIP
    xRefs = 1; run XInserter();
#endif
  }
}
#endif

#ifdef COUNT
#ifndef BARRIERS
#define BARRIERS 1
#endif
#ifndef OPS
#define OPS 2
#endif
byte total; bit barrierBit, waitBit;             /* one word: outstanding count and two flags */
bit policy;                                      /* mutex */
byte pending, front;                             /* barriers added so far, first unfinished one */
byte segment[3];                                 /* barrier i and the operations added after it, before barrier i+1 */
byte held[3]; byte barrierReady[3];           /* 0, 1 released, 2 taken by a worker */
byte runnable, executing; bit barrierRunning;
byte credit[2]; byte epoch; byte live;           /* live: really unfinished (ghost) */
byte unplaced;                                   /* ghost: counted as older, not yet runnable */

inline takePolicy() { atomic { !policy; policy = 1 } }
inline dropPolicy() { policy = 0 }
inline evaluate() {                              /* under the mutex: may the first pending barrier run? */
  if
  :: front < pending && barrierReady[front] == 0 ->
     sum = segment[front] + (pending > front + 1 -> segment[front + 1] : 0);
#ifdef W_TOTAL
     sum = 1;
#endif
     t = total;
     assert(t >= sum);
     if :: t == sum -> barrierReady[front] = 1 :: else fi
  :: else
  fi
}
inline settle(n) {
  atomic { assert(total >= n); total = total - n; z = (total == 0); bb = barrierBit; ww = waitBit };
  if :: bb -> takePolicy(); evaluate(); dropPolicy() :: else fi;
  if :: z && ww -> atomic { epoch++ } :: else fi
}
proctype Adder(byte n) {
  byte i, sum, t; bit bb;
  do
  :: i == n -> break
  :: i < n ->
     atomic { total++; live++; bb = barrierBit; unplaced = unplaced + (bb == 0 -> 1 : 0) };   /* one RMW */
     if
     :: !bb -> atomic { runnable++; unplaced-- }
     :: bb ->
        takePolicy();
        if
        :: front < pending -> segment[pending - 1]++; held[pending - 1]++; evaluate()
        :: else -> atomic { runnable++ }
        fi;
        dropPolicy()
     fi;
     i++
  od
}
proctype BarrierAdder() {
  byte sum, t;
  takePolicy();
  atomic { total++; live++; barrierBit = 1 };
  segment[pending] = 1; pending++;
  evaluate();
  dropPolicy()
}
proctype Worker(byte id) {
  byte sum, t, c; bit z, bb, ww, flags;
end:
  do
  :: atomic { runnable > 0 -> runnable--; executing++; assert(!barrierRunning) };
     atomic { executing--; live--; credit[id]++ };
#ifdef EAGER
     flags = barrierBit || waitBit;
     if :: flags -> c = credit[id]; credit[id] = 0; settle(c) :: else fi
#endif
  :: atomic { front < pending && barrierReady[front] == 1 -> barrierReady[front] = 2; assert(!barrierRunning); barrierRunning = 1; assert(executing == 0 && runnable == 0 && unplaced == 0) };
     atomic { assert(executing == 0); barrierRunning = 0; live-- };
     takePolicy();
     atomic { runnable = runnable + held[front]; held[front] = 0; front++; if :: front == pending -> barrierBit = 0 :: else fi };
     dropPolicy();
#ifdef EAGER
     settle(1);
     takePolicy(); evaluate(); dropPolicy()
#else
     credit[id]++
#endif
#ifndef W_IDLE
  :: runnable == 0 && credit[id] > 0 -> c = credit[id]; credit[id] = 0; settle(c)        /* before searching or parking */
#endif
  od
}
proctype Waiter() {
  byte e; bit z;
again:
  e = epoch;
  atomic { waitBit = 1; z = (total == 0); if :: z -> assert(live == 0) :: else fi };
  if
  :: z -> skip
  :: else -> epoch != e; goto again
  fi
}
active proctype Monitor() {
end:
  timeout -> assert(total == 0 && live == 0 && runnable == 0 && held[0] == 0 && held[1] == 0 && front == BARRIERS && pending == BARRIERS)
}
init {
  atomic {
    run Worker(0); run Worker(1); run Adder(OPS); run Adder(1); run Waiter();
#if BARRIERS > 0
    run BarrierAdder();
#endif
#if BARRIERS > 1
    run BarrierAdder();
#endif
  }
}
#endif
