/* Parking of a work-stealing pool: Sources/WorkStealingBackend/Pool+{Publishing,Parking,Searching,Compensation}.swift,
 * page Parking of the same room. Run by scripts/models.
 *
 * Workers with one deque per band, producers outside, spawning jobs, spurious wake-ups, a stopper, and (BLOCK) a job that
 * blocks while a compensation thread, a "spare", runs in its worker's place. The owner's release stores of `bottom` pass
 * through a store buffer (TSO); its sequentially consistent stores and every read-modify-write drain it.
 *
 * Properties: every job runs; nobody parks for ever beside a queued job (LONG: as many jobs run at once as there are workers
 * for them); the counts are right at the end; everybody leaves after a stop; no token is left over. LIVE: it settles, that is
 * nobody spins for ever.
 *
 * Sizes: WORKERS BANDS PRODUCERS SUBMITS BATCH SPAWN SPURIOUS LIMIT. Switches that keep it right: LONG, LOSE (a thief may lose
 * a race), ALL (everybody looks before sleeping, not only the last searcher), QUEUE (a taken share may go to the deques whole),
 * STOP, BLOCK. Switches that remove one rule each and must fail: W_...; see scripts/models.
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
#ifndef BLOCK
#define SPARES 0
#endif
#ifndef SPARES
#define SPARES 1
#endif
#define THREADS (WORKERS + SPARES)
#ifndef BLOCK
#define JOBS (PRODUCERS * SUBMITS * BATCH + SPAWN)
#else
#define JOBS (PRODUCERS * SUBMITS * BATCH + SPAWN + blocks)
#endif
#define LAST (BANDS - 1)                       /* the band of pushed jobs: never band 0 when there are several */

byte sleepers, searching; bit stop;            /* the word: every atomic block on these is one RMW */
byte tokens;                                   /* the futex word */
bit  waiting[THREADS];                         /* inside FUTEX_WAIT */
byte inbox, front;                             /* jobs in the injector: added; to be taken */
bit inboxShown, frontShown;                    /* their band masks, which a look reads */
bit inboxLock, frontLock;
byte deq[THREADS * BANDS];                     /* jobs visible in each deque */
byte buffered[THREADS * BANDS];                /* bottom stores still in the owner's store buffer */
byte published[THREADS];                            /* published masks */
bit dismissed, blocking; byte blocks, participants;   /* participants: threads that are not retired, under the lock */
byte running, ran, exited, producersDone, spurious; bit spawned, released;
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

/* after a publication */
inline notify() {
  do
  :: atomic { sleepers > 0 && searching == 0 -> old = sleepers };
     atomic { if
     :: sleepers == old && searching == 0 -> sleepers--; searching++; old = 0; won = 1
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

#ifdef BLOCK
inline dismiss() {
  dismissed = 1;
  if :: idleSpare[WORKERS] -> idleSpare[WORKERS] = 0; order[WORKERS] = 2 :: else fi;
  if :: idleSpare[LAST_SPARE] -> idleSpare[LAST_SPARE] = 0; order[LAST_SPARE] = 2 :: else fi
}
#endif

proctype Worker(byte me) {
  byte own, k, n, old, f, target; bit won, got, seen, last, requeued;
#ifdef BLOCK
  if :: me >= WORKERS -> goto end_retired :: else fi;   /* its thread starts with the first order */
#endif
fetch:
#ifdef BLOCK
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
  atomic { if :: searching < LIMIT || stop -> searching++; won = 1 :: else -> won = 0; sleepers++ fi };
  if :: won -> won = 0 :: else -> goto park fi;
#else
  atomic { searching++ };
#endif
search:
#ifdef BLOCK
  atomic { if :: me >= WORKERS && spares > blocked -> spares--; won = 1 :: else fi };
  if
  :: won -> won = 0;
     atomic { if :: stop -> won = 1 :: else -> assert(searching > 0); last = (searching == 1); searching-- fi };
     if
     :: won -> won = 0; atomic { spares++ }    /* while stopping: leave by giving up only */
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
#ifndef W_STOP
    if
    :: stop -> searching--; won = 1; last = (searching == 0)
    :: else -> searching--; sleepers++; last = (searching == 0)
    fi };
  if
  :: won -> won = 0;
     if :: last -> look(0) :: else fi; last = 0;
     if :: seen -> seen = 0; atomic { searching++ }; goto search :: else goto leave fi
  :: else
  fi;
#else
    assert(searching > 0); searching--; sleepers++; last = 1 };
#endif
#ifndef W_NOCHECK
#if defined(ALL)
  last = 1;
#endif
  if :: last -> look(0) :: else fi; last = 0;
  if
  :: seen -> seen = 0;
     atomic { if :: sleepers > 0 -> sleepers--; searching++; won = 1 :: else -> won = 0 fi };
     if :: won -> won = 0; goto search :: else fi         /* no slot left: a token is on its way */
  :: else
  fi;
#endif
  last = 0;
#ifdef W_STOP
  if :: stop -> goto leave :: else fi;
#endif
park:
  if
  :: atomic { tokens > 0 -> tokens-- }; goto search
  :: atomic { tokens == 0 -> waiting[me] = 1 };
end_asleep: !waiting[me];
#ifdef W_STOP
     if :: stop -> goto leave :: else fi;
#endif
     goto park
  fi;
execute:
  running++;
  atomic { if :: SPAWN > 0 && !spawned -> spawned = 1; n = SPAWN :: else fi };
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
#ifdef LONG
  released;
#endif
#ifdef BLOCK
  if
  :: atomic { blocks < BLOCK && !blocking -> blocks++; blocking = 1; target = ran };
     pushOne(); publish(); notify();           /* the job that it will wait for, or another before it */
     atomic { blocked++; if :: spares < blocked && spares < SPARES -> spares++; won = 1 :: else fi };
     if
     :: won -> won = 0;
        atomic { if                            /* under the lock */
          :: idleSpare[LAST_SPARE] -> idleSpare[LAST_SPARE] = 0; order[LAST_SPARE] = 1; participants++
          :: !idleSpare[LAST_SPARE] && idleSpare[WORKERS] -> idleSpare[WORKERS] = 0; order[WORKERS] = 1; participants++
          :: !idleSpare[LAST_SPARE] && !idleSpare[WORKERS] ->
             if
             :: startedSpares < SPARES -> order[WORKERS + startedSpares] = 1; startedSpares++; participants++
#ifdef W_PENDING
             :: startedSpares == SPARES -> spares--
#else
             :: startedSpares == SPARES -> pendingSpare++; participants++
#endif
             fi
          fi }
     :: else
     fi;
     ran > target;                             /* blocks until another job has run */
     atomic { blocked--; target = 0; blocking = 0 }
  :: else
  fi;
#endif
  atomic { running--; ran++ };
  goto fetch;
#ifdef BLOCK
retired:
  atomic { participants--;                     /* under the lock */
    if
    :: pendingSpare > 0 -> pendingSpare--; order[me] = 1
    :: pendingSpare == 0 && participants == 0 -> dismiss(); order[me] = 2   /* everybody else has left */
    :: pendingSpare == 0 && participants > 0 -> idleSpare[me] = 1
    fi };
end_retired:
  atomic { order[me] > 0 -> if :: order[me] == 2 -> won = 1 :: else fi; order[me] = 0 };
  if :: won -> won = 0; goto ended :: else -> goto fetch fi;
#endif
leave:
#ifdef BLOCK
  atomic { if :: me >= WORKERS -> spares-- :: else -> blocked++ fi };  /* gone for good counts as blocked */
#ifndef W_BLOCKSEEN
  look(0);
  if
  :: seen -> seen = 0;
     atomic { if :: me >= WORKERS -> spares++ :: else -> blocked-- fi };
     atomic { searching++ }; goto search
  :: else
  fi;
#endif
  if :: me >= WORKERS -> goto retired :: else fi;
  atomic { participants--;                     /* under the lock; the last one out sends the retired ones home */
    if :: participants == 0 -> dismiss() :: else fi };
ended:
#endif
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

#if defined(STOP) || defined(W_STOP)
proctype Stopper() { byte n;
  producersDone == PRODUCERS;
#ifndef W_STOP
  atomic { stop = 1; n = sleepers; searching = searching + n; sleepers = 0 };
  d_step { tokens = tokens + n; assert(tokens <= THREADS) };
#else
  stop = 1; n = WORKERS; d_step { tokens = tokens + 10 };
#endif
  do :: n > 0 -> wakeOne(); n-- :: else -> break od
}
#endif

#define MIN(a, b) ((a) < (b) -> (a) : (b))
init {
  byte i;
  atomic {
    participants = WORKERS;
    for (i : 0 .. THREADS - 1) { run Worker(i) }
    for (i : 1 .. PRODUCERS) { run Producer() }
#if defined(STOP) || defined(W_STOP)
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
  assert(exited == WORKERS + startedSpares && sleepers == 0)
#elif !defined(W_STOP)
  assert(sleepers == WORKERS + spares && spares <= SPARES)
#endif
#ifdef W_STOP
  assert(searching == 0)
#else
  assert(searching == 0 && tokens == 0)
#endif
#endif
}
#ifdef LIVE
#define QUIET (ran == JOBS && sleepers == WORKERS && waiting[0] && waiting[1])
ltl settles { <> [] QUIET }
#endif
