/* Parking of a work-stealing pool: Sources/WorkStealingBackend/Pool+{Publishing,Parking,Searching,Compensation}.swift,
 * page Parking of the same room. Run by scripts/models.
 *
 * Workers with one deque per band, producers outside, spawning jobs, spurious wake-ups, a stopper, and (BLOCK) a job that
 * blocks until another job has run: announced, while a compensation thread, a "spare", runs in its worker's place, or
 * unannounced, without spares (SPARES=0). The owner's release stores of `bottom` pass through a store buffer (TSO); its
 * sequentially consistent stores and every read-modify-write drain it.
 *
 * Properties: every job runs; nobody parks for ever beside a queued job (LONG: as many jobs run at once as there are workers
 * for them); the counts are right at the end; after a stop nobody leaves while a job runs, and then everybody; no token is left
 * over. LIVE: it settles, that is
 * nobody spins for ever.
 *
 * Sizes: WORKERS BANDS PRODUCERS SUBMITS BATCH SPAWN SPURIOUS LIMIT SPARES KEEP. Switches that keep it right: LONG, LOSE (a thief may lose
 * a race), ALL (everybody looks before sleeping, not only the last searcher), QUEUE (a taken share may go to the deques whole),
 * STOP, BLOCK, LATE (it is a spare's job that spawns), OFFER (one job offers so many and takes back what nobody took). Switches that remove one rule each and must fail: W_...; see scripts/models.
 */
#ifndef WORKERS
#define WORKERS 2
#endif
#ifndef BANDS
#define BANDS 1
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif
#ifndef SUBMITS
#define SUBMITS 1
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef SPAWN
#define SPAWN 0
#endif
#ifndef SPURIOUS
#define SPURIOUS 0
#endif
#ifndef SPARES
#ifdef BLOCK
#define SPARES 1
#else
#define SPARES 0
#endif
#endif
#ifndef KEEP
#define KEEP SPARES                            /* the limit; up to SPARES there are only past it */
#endif
#define THREADS (WORKERS + SPARES)
#ifndef OFFER
#define OFFER 0
#endif
#ifndef BLOCK
#define JOBS (PRODUCERS * SUBMITS * BATCH + SPAWN + OFFER)
#else
#define JOBS (PRODUCERS * SUBMITS * BATCH + (spawned -> SPAWN : 0) + blocks)
#endif
#define LAST (BANDS - 1)                       /* the band of pushed jobs: never band 0 when there are several */

byte sleepers, searching, present;             /* the word: every atomic block on these is one RMW */
bit stop, closing, over;
byte tokens;                                   /* the futex word */
bit  waiting[THREADS];                         /* inside FUTEX_WAIT */
byte inbox, front;                             /* jobs in the injector: added; to be taken */
bit inboxShown, frontShown;                    /* their band masks, which a look reads */
bit inboxLock, frontLock;
byte deq[THREADS * BANDS];                     /* jobs visible in each deque */
byte buffered[THREADS * BANDS];                /* bottom stores still in the owner's store buffer */
byte published[THREADS];                            /* published masks */
bit dismissed, blocking; byte blocks;          /* dismissed: under the lock */
byte running, ran, exited, producersDone, spurious; bit spawned, released, offered;
byte blocked, spares;                          /* the compensation word */
bit idleSpare[THREADS]; byte startedSpares, pendingSpare, order[THREADS];  /* under the lock; order: 1 run, 2 exit */
#define LAST_SPARE (THREADS - 1)
#define D(w, b) ((w) * BANDS + (b))

inline flush(w) { d_step { f = 0;
  do :: f < BANDS -> deq[D(w, f)] = deq[D(w, f)] + buffered[D(w, f)]; buffered[D(w, f)] = 0; f++ :: else -> break od; f = 0 } }

inline wakeOne() {
  atomic { if
  :: waiting[0] -> waiting[0] = 0
  :: THREADS > 1 && waiting[1 % THREADS] -> waiting[1 % THREADS] = 0
  :: THREADS > 2 && waiting[2 % THREADS] -> waiting[2 % THREADS] = 0
  :: else fi }
}

/* with every step that makes a searcher: the last one's look counts no more */
#ifdef W_REOPEN
#define REOPEN skip
#else
#define REOPEN closing = 0
#endif

/* after a publication */
inline notify() {
  do
  :: atomic { sleepers > 0 && searching == 0 -> old = sleepers };
     atomic { if
     :: sleepers == old && searching == 0 -> sleepers--; searching++; REOPEN; old = 0; won = 1
     :: else -> old = 0; won = 0 fi };
     if
     :: won -> won = 0; d_step { tokens++; assert(tokens <= THREADS) }; wakeOne(); break
     :: else
     fi
  :: else -> break
  od
}

/* every deque (mine = 1: my own too) and the injector, one load at a time */
#if defined(W_OTHERS)
#define OF(w, mine) ((w) != me)
#else
#define OF(w, mine) ((mine) || (w) != me)
#endif
#if defined(W_MASK)
#define SEES(i) (published[(i) / BANDS] & (1 << ((i) % BANDS)))
#elif defined(W_BAND)
#define SEES(i) ((i) % BANDS == 0 && deq[i] > 0)
#else
#define SEES(i) (deq[i] > 0)
#endif
inline look(mine) {
  atomic { k = 0; seen = inboxShown };
  if :: !seen -> seen = frontShown :: else fi;
  do
  :: atomic { k < THREADS * BANDS && !seen -> if :: OF(k / BANDS, mine) && SEES(k) -> seen = 1 :: else fi; k++ }
  :: else -> k = 0; break
  od
}

/* the mask is stored only when it changes */
inline inject(count) { atomic { !inboxLock -> inbox = inbox + count; inboxShown = 1 } }

/* a share of the injected jobs: one, or all that are left */
inline takeShare() {
  if
  :: inboxShown || frontShown ->
     atomic { !frontLock -> frontLock = 1 };
     if
     :: front == 0 && inboxShown ->
        atomic { !inboxLock -> inboxLock = 1; front = inbox; inbox = 0 };
#ifdef W_FRONT
        inboxShown = 0;
        atomic { frontShown = (front > 0); inboxLock = 0 }
#else
        frontShown = (front > 0);
        atomic { inboxShown = 0; inboxLock = 0 }
#endif
     :: else
     fi;
     atomic { if :: front > 1 -> n = 1 :: n = front fi; front = front - n; frontShown = (front > 0); frontLock = 0 }
  :: else
  fi
}

proctype Producer() {
  byte i, old; bit won;
  do
  :: i < SUBMITS -> i++; inject(BATCH); notify()
  :: else -> break
  od;
  producersDone++
}

/* push one job on the own deque with release stores */
inline pushOne() { atomic { buffered[D(me, LAST)]++; own = own | (1 << LAST) } }
/* the seq_cst publication: drains the store buffer */
inline publish() { atomic { flush(me); published[me] = own } }

inline moveChain() { do :: n > 1 -> pushOne(); n-- :: else -> n = 0; break od }

/* the last searcher while everybody else sleeps */
#define ALL_ASLEEP (searching == 1 && sleepers + 1 == present)

#if SPARES
inline dismiss() {
  dismissed = 1;
  if :: idleSpare[WORKERS] -> idleSpare[WORKERS] = 0; order[WORKERS] = 2 :: else fi;
  if :: idleSpare[LAST_SPARE] -> idleSpare[LAST_SPARE] = 0; order[LAST_SPARE] = 2 :: else fi
}
#endif

proctype Worker(byte me) {
  byte own, k, n, old, f, target; bit won, got, seen, last, requeued;
#if SPARES
  if :: me >= WORKERS -> goto end_retired :: else fi;   /* its thread starts with the first order */
#endif
fetch:
#if SPARES
  if
  :: me >= WORKERS && spares > blocked ->      /* surplus: give the own jobs away, then leave through the search */
     atomic { flush(me); k = 0;
       do :: k < BANDS -> n = n + deq[D(me, k)]; deq[D(me, k)] = 0; k++ :: else -> break od; k = 0; own = 0 };
     if :: n > 0 -> publish(); inject(n); n = 0; notify() :: else fi;
     goto idle
  :: else
  fi;
#endif
  atomic { flush(me); got = 0; k = 0;          /* pop */
    do
    :: k < BANDS -> if :: deq[D(me, k)] > 0 -> deq[D(me, k)]--; got = 1; break :: else -> own = own & ~(1 << k); k++ fi
    :: else -> break
    od; k = 0 };
  if :: got -> got = 0; goto execute :: else fi;
  takeShare();                                 /* a worker that is not counted as searching drains the injector */
  if
#ifdef QUEUE
  :: n > 0 -> do :: n > 0 -> pushOne(); n-- :: else -> break od; publish(); notify(); goto fetch
#endif
  :: n > 1 ->
     moveChain();
#ifndef W_DRAIN
     publish();
#else
     published[me] = own;
#endif
     notify();
     goto execute
  :: n == 1 -> n = 0; goto execute
  :: else
  fi;
idle:
#ifdef LIMIT
  atomic { if :: searching < LIMIT -> searching++; REOPEN; won = 1 :: else -> won = 0; sleepers++ fi };
  if :: won -> won = 0 :: else -> goto park fi;
#else
  atomic { searching++; REOPEN };
#endif
search:
#if SPARES
  atomic { if :: me >= WORKERS && spares > blocked -> spares--; won = 1 :: else fi };
  if
  :: won -> won = 0;
     atomic { if
#ifndef W_DESERT
       :: stop && ALL_ASLEEP -> won = 1
#endif
       :: else -> assert(searching > 0); last = (searching == 1); searching--; present-- fi };
     if
     :: won -> won = 0; atomic { spares++ }    /* nobody else is left to end the pool */
     :: else ->
#ifndef W_RETIRE
        if :: last -> last = 0; look(1); if :: seen -> seen = 0; notify() :: else fi :: else fi;
#endif
        last = 0; goto retired
     fi
  :: else
  fi;
#endif
#ifndef W_NOROUND
  takeShare();
  atomic { if :: n > 0 -> got = 1 :: else fi };
  if
#ifdef QUEUE
  :: got -> do :: n > 0 -> pushOne(); n-- :: else -> break od; requeued = 1
#endif
  :: got -> moveChain()
  :: else
     do
     :: atomic { k < THREADS * BANDS && !got ->
        if
        :: k / BANDS != me && deq[k] > 0 -> deq[k]--; got = 1
#ifdef LOSE
        :: k / BANDS != me && deq[k] > 0              /* the CAS lost against another thief */
#endif
        :: (k / BANDS == me || deq[k] == 0)
        fi; k++ }
     :: else -> k = 0; break
     od
  fi;
#endif
  if
  :: got ->
     got = 0;
#ifdef W_EARLY
     look(1);
#endif
     atomic { flush(me); published[me] = own; assert(searching > 0); last = (searching == 1); searching-- };
#ifndef W_NOHAND
     if
     :: last -> last = 0;
#ifndef W_EARLY
        look(1);
#endif
        if :: seen -> seen = 0; notify() :: else fi
     :: else
     fi;
#endif
     seen = 0; last = 0;
#ifdef QUEUE
     if :: requeued -> requeued = 0; goto fetch :: else fi;
#endif
     goto execute
  :: else
  fi;
  atomic {                                     /* give up */
    if
#ifdef W_LEAVE
    :: stop -> searching--; won = 1; last = (searching == 0)
#else
    :: stop && ALL_ASLEEP -> closing = 1; won = 1           /* no job runs */
#endif
    :: else -> assert(searching > 0); searching--; sleepers++; last = (searching == 0)
    fi };
  if
#ifdef W_LEAVE
  :: won -> won = 0;
     if :: last -> look(0) :: else fi; last = 0;
     if :: seen -> seen = 0; atomic { searching++ }; goto search :: else -> goto ended fi
#else
  :: won -> won = 0;
#ifndef W_BLIND
     look(0);
#endif
     if
     :: seen -> seen = 0; goto search
     :: else ->
        atomic { if :: closing && ALL_ASLEEP -> over = 1; n = sleepers; sleepers = 0; searching = 0; k = n :: else fi };
        if :: !over -> goto search :: else fi;
#if SPARES
        atomic { dismiss() };
#endif
        d_step { tokens = tokens + n; assert(tokens <= THREADS); n = 0 };
        do :: k > 0 -> wakeOne(); k-- :: else -> break od;
        goto ended
     fi
#endif
  :: else
  fi;
#ifndef W_NOCHECK
#if defined(ALL)
  last = 1;
#endif
  if :: last -> look(0) :: else fi; last = 0;
  if
  :: seen -> seen = 0;
     atomic { if :: sleepers > 0 -> sleepers--; searching++; REOPEN; won = 1 :: else -> won = 0 fi };
     if :: won -> won = 0; goto search :: else fi         /* no slot left: a token is on its way */
  :: else
  fi;
#endif
  last = 0;
park:
  if
  :: atomic { tokens > 0 -> tokens-- }; if :: over -> goto ended :: else -> goto search fi
  :: atomic { tokens == 0 -> waiting[me] = 1 };
end_asleep: !waiting[me]; goto park
  fi;
execute:
  running++;
#ifdef LATE
  atomic { if :: SPAWN > 0 && !spawned && me >= WORKERS -> spawned = 1; n = SPAWN :: else fi };
#else
  atomic { if :: SPAWN > 0 && !spawned -> spawned = 1; n = SPAWN :: else fi };
#endif
  if
  :: n > 0 ->
     do :: n > 0 -> pushOne(); n-- :: else -> break od;
#ifndef W_RELEASE
     publish();
#else
     published[me] = own;
#endif
     notify()
  :: else
  fi;
#if OFFER
  atomic { if :: !offered -> offered = 1; n = OFFER :: else fi };
  if
  :: n > 0 ->
     do
     :: n > 0 -> n--;                          /* on top of another one by a release store, and the counts are a hint */
        atomic { won = (deq[D(me, LAST)] + buffered[D(me, LAST)] > 0) };
        pushOne();
        if
        :: won && !(sleepers > 0 && searching == 0) -> won = 0
        :: else -> won = 0; publish(); notify()
        fi
     :: else -> break
     od;
#ifdef W_AWAIT
     ran >= OFFER;                             /* for all of them, by other workers */
#endif
     n = OFFER;
     do
     :: n > 0 -> n--;                          /* the newest first; the pop drains the store buffer */
        atomic { flush(me); if :: deq[D(me, LAST)] > 0 -> deq[D(me, LAST)]--; got = 1 :: else fi };
        if
        :: sleepers > 0 && searching == 0 && deq[D(me, LAST)] > 0 -> publish(); notify()
        :: else
        fi;
        atomic { if :: got -> got = 0; ran++ :: else fi }
     :: else -> break
     od
  :: else
  fi;
#endif
#ifdef LONG
  released;
#endif
#ifdef BLOCK
  if
  :: atomic { blocks < BLOCK && !blocking -> blocks++; blocking = 1; target = ran };
     pushOne(); publish(); notify();           /* the job that it will wait for, or another before it */
#if SPARES
     atomic { blocked++; if :: spares < blocked && spares < KEEP -> spares++; won = 1 :: else fi };
#ifndef W_PAST
     /* compensatePastLimit(): nobody else is left */
     atomic { if :: !won && WORKERS + spares <= blocked && spares < SPARES -> spares++; won = 1 :: else fi };
#endif
     if
     :: won -> won = 0;
#ifndef W_UNCOUNTED
        atomic { present++ };
#endif
        atomic { if                            /* under the lock */
          :: idleSpare[LAST_SPARE] -> idleSpare[LAST_SPARE] = 0; order[LAST_SPARE] = 1
          :: !idleSpare[LAST_SPARE] && idleSpare[WORKERS] -> idleSpare[WORKERS] = 0; order[WORKERS] = 1
          :: !idleSpare[LAST_SPARE] && !idleSpare[WORKERS] ->
             if
             :: startedSpares < SPARES -> order[WORKERS + startedSpares] = 1; startedSpares++
#ifdef W_PENDING
             :: startedSpares == SPARES -> spares--; present--
#else
             :: startedSpares == SPARES -> pendingSpare++
#endif
             fi
          fi }
     :: else
     fi;
#endif
     ran > target;                             /* blocks until another job has run */
#if SPARES
     atomic { blocked--; target = 0; blocking = 0 }
#else
     atomic { target = 0; blocking = 0 }
#endif
  :: else
  fi;
#endif
  atomic { running--; ran++ };
  goto fetch;
#if SPARES
retired:
  atomic {                                     /* under the lock */
    if
    :: pendingSpare > 0 -> pendingSpare--; order[me] = 1
    :: pendingSpare == 0 && dismissed -> order[me] = 2
    :: pendingSpare == 0 && !dismissed -> idleSpare[me] = 1
    fi };
end_retired:
  atomic { order[me] > 0 -> if :: order[me] == 2 -> won = 1 :: else fi; order[me] = 0 };
  if :: won -> won = 0 :: else -> goto fetch fi;
#endif
ended:
  exited++
}

active proctype StoreBuffers() { byte f;
end:
  do
  :: atomic { buffered[D(0, LAST)] > 0 -> flush(0) }
  :: atomic { THREADS > 1 && buffered[D(1 % THREADS, LAST)] > 0 -> flush(1 % THREADS) }
  :: atomic { THREADS > 2 && buffered[D(2 % THREADS, LAST)] > 0 -> flush(2 % THREADS) }
#if SPURIOUS > 0
  :: atomic { spurious < SPURIOUS && waiting[0] -> spurious++; waiting[0] = 0 }
  :: atomic { spurious < SPURIOUS && waiting[1] -> spurious++; waiting[1] = 0 }
#endif
  od
}

#ifdef STOP
proctype Stopper() { byte n;
  producersDone == PRODUCERS;
#if defined(W_LEAVE)
  atomic { stop = 1; n = sleepers; searching = searching + n; sleepers = 0 };
#elif defined(W_UNHEARD)
  stop = 1;
#else
  atomic { stop = 1; if :: sleepers == present -> sleepers--; searching++; n = 1 :: else fi };
#endif
  d_step { tokens = tokens + n; assert(tokens <= THREADS) };
  do :: n > 0 -> wakeOne(); n-- :: else -> break od
}
#endif

#define MIN(a, b) ((a) < (b) -> (a) : (b))
init {
  byte i;
  atomic {
    present = WORKERS;
    for (i : 0 .. THREADS - 1) { run Worker(i) }
    for (i : 1 .. PRODUCERS) { run Producer() }
#ifdef STOP
    run Stopper()
#endif
  };
#ifndef LIVE
#ifdef LONG
  timeout -> assert(running == MIN(JOBS, WORKERS)); released = 1;   /* work conservation: nobody parked beside a queued job */
#endif
  timeout ->
  assert(ran == JOBS && inbox + front == 0);
#if defined(STOP)
  assert(exited == WORKERS + startedSpares && sleepers == 0);
#else
  assert(sleepers == present && present == WORKERS + spares && spares <= SPARES);
#endif
  assert(searching == 0 && tokens == 0)
#endif
}
#ifdef LIVE
#define QUIET (ran == JOBS && sleepers == WORKERS && waiting[0] && waiting[1])
ltl settles { <> [] QUIET }
#endif
