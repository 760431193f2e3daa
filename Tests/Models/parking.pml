/* Parking of a work-stealing pool: Sources/WorkStealingBackend/Pool+{Publishing,Parking,Searching,Compensation}.swift,
 * page Parking of the same room. Run by scripts/models.
 *
 * Workers with one deque per band, producers outside, spawning jobs, spurious wake-ups, a stopper,
 * and (BLOCK) jobs that block until another job has run, several at a time: announced, while a
 * compensation thread, a "spare", runs in the worker's place, or unannounced, without spares
 * (SPARES=0), while another worker is left. The system may refuse the thread of a spare. The
 * owner's release stores of `bottom` pass through a store buffer (TSO); its sequentially consistent
 * stores and every read-modify-write drain it.
 *
 * Properties: every job runs; nobody parks for ever beside a queued job (LONG: as many jobs run at once as there are workers
 * for them); the counts are right at the end; after a stop nobody leaves while a job runs, and then everybody; no token is left
 * over. LIVE: it settles, that is nobody spins for ever.
 *
 * Sizes: WORKERS BANDS PRODUCERS SUBMITS BATCH SPAWN SPURIOUS LIMIT SPARES KEEP, BLOCK (jobs that
 * block), DEPTH (of these, at a time), REFUSE (threads that are refused), OFFER (one job offers so
 * many and takes back what nobody took). Switches that keep it right: LONG, LOSE (a thief may lose
 * a race), ALL (everybody looks before sleeping, not only the last searcher), QUEUE (a taken share
 * may go to the deques whole), STOP, NEST (who blocked later goes on first, as where each waits for
 * the next), NOASK (nobody asks for a spare past the limit: as many jobs block as spares are kept),
 * ALIEN (what a job waits for comes late and from a producer), LATE (it is a spare's job that
 * spawns). Switches that remove one rule each and must fail: W_...; see scripts/models.
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
#define SPARES BLOCK                           /* so that past the limit there is always one more */
#else
#define SPARES 0
#endif
#endif
#ifndef KEEP
#define KEEP SPARES                            /* the limit; up to SPARES there are only past it */
#endif
#if KEEP > 0
#define KEPT KEEP                              /* spares that stay when they retire; the others end */
#else
#define KEPT 1
#endif
#ifndef REFUSE
#define REFUSE 0
#endif
#ifndef DEPTH
#if SPARES
#define DEPTH BLOCK
#else
#define DEPTH (WORKERS - 1)
#endif
#endif
#define THREADS (WORKERS + SPARES)
#ifndef OFFER
#define OFFER 0
#endif
#ifndef BLOCK
#define JOBS (PRODUCERS * SUBMITS * BATCH + SPAWN + OFFER)
#elif defined(ALIEN)
#define JOBS (PRODUCERS * SUBMITS * BATCH + (spawned -> SPAWN : 0) + (offered -> OFFER : 0))
#else
#define JOBS (PRODUCERS * SUBMITS * BATCH + (spawned -> SPAWN : 0) + (offered -> OFFER : 0) + blocks)
#endif
#define LAST (BANDS - 1)                       /* the band of pushed jobs: never band 0 when there are several */

byte sleepers, searching, present;             /* the word: every atomic block on these is one RMW */
bit stop, closing, over, shortage;
byte tokens;                                   /* the futex word */
bit  waiting[THREADS];                         /* inside FUTEX_WAIT */
byte inbox, front;                             /* jobs in the injector: added; to be taken */
bit inboxShown, frontShown;                    /* their band masks, which a look reads */
bit inboxLock, frontLock;
byte deq[THREADS * BANDS];                     /* jobs visible in each deque */
byte buffered[THREADS * BANDS];                /* bottom stores still in the owner's store buffer */
byte published[THREADS];                            /* published masks */
bit dismissed; byte blocks, blockedNow;             /* dismissed: under the lock; blockedNow: jobs that block */
byte running, ran, exited, producersDone, spurious; bit spawned, released, offered;
byte blocked, spares;                          /* the compensation word */
byte known = WORKERS;                          /* workers that thieves and looks go through */
/* under the lock; order: 1 run, 2 exit */
bit idleSpare[THREADS], alive[THREADS]; byte live, pendingSpare, order[THREADS], refusals;
#define NOBODY_LEFT (WORKERS + spares <= blocked)
#define D(w, b) ((w) * BANDS + (b))

inline flush(w) { d_step { f = 0;
  do :: f < BANDS -> deq[D(w, f)] = deq[D(w, f)] + buffered[D(w, f)]; buffered[D(w, f)] = 0; f++ :: else -> break od; f = 0 } }

inline wakeOne() {
  atomic { if
  :: waiting[0] -> waiting[0] = 0
  :: THREADS > 1 && waiting[1 % THREADS] -> waiting[1 % THREADS] = 0
  :: THREADS > 2 && waiting[2 % THREADS] -> waiting[2 % THREADS] = 0
  :: THREADS > 3 && waiting[3 % THREADS] -> waiting[3 % THREADS] = 0
  :: else fi }
}

/* with every step that makes a searcher: the last one's look counts no more */
#ifdef W_REOPEN
#define REOPEN skip
#else
#define REOPEN closing = 0
#endif

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
  kn = known;
  do
  :: atomic { k < kn * BANDS && !seen -> if :: OF(k / BANDS, mine) && SEES(k) -> seen = 1 :: else fi; k++ }
  :: else -> atomic { k = 0; kn = 0 }; break
  od
}

#if SPARES
/* one more spare runs, or is refused; all of it under the lock */
inline activate(isPast) {
  atomic {
    f = WORKERS;
    do :: f < THREADS && !idleSpare[f] -> f++ :: else -> break od;
    if
    :: dismissed -> skip
    :: !dismissed && f < THREADS -> idleSpare[f] = 0; order[f] = 1
    :: !dismissed && f == THREADS && (live < KEEP || isPast) ->
       f = WORKERS;
       do :: f < THREADS && alive[f] -> f++ :: else -> break od;
       assert(f < THREADS);
#ifndef W_KNOWN
       if :: known <= f -> known = f + 1 :: else fi;
#endif
       if
       :: alive[f] = 1; live++; order[f] = 1
       :: refusals < REFUSE -> refusals++; refused = 1
       fi
    :: !dismissed && f == THREADS && !(live < KEEP || isPast) ->
#ifdef W_PENDING
       spares--; present--
#else
       pendingSpare++
#endif
    fi;
#ifndef W_UNCOUNTED
    if :: !refused && !dismissed -> present++ :: else fi;
#endif
    f = 0 }
}

/* `won`: a spare is counted as active; without its thread the pool goes on if it can */
inline runSpare() {
  do
  :: won -> won = 0; activate(0);
#if REFUSE
     if
     :: refused -> refused = 0;
#ifndef W_LEFT
        atomic { spares--; won = NOBODY_LEFT };
#else
        atomic { won = (WORKERS + spares <= blocked); spares-- };
#endif
        if
        :: won -> won = 0;
#ifndef W_SHORT
           shortage = 1;
#endif
#ifndef W_UNSEEN
           look(1);
#endif
           if
           :: seen -> seen = 0;
              atomic { won = shortage; shortage = 0 };
              if :: won -> atomic { if :: NOBODY_LEFT && spares < KEEP -> spares++ :: else -> won = 0 fi } :: else fi
           :: else
           fi
        :: else
        fi
     :: else
     fi
#endif
  :: else -> break
  od
}
#endif


/* after a publication */
inline notify() {
  do
  :: atomic { (sleepers > 0 || shortage) && searching == 0 -> old = sleepers };
     atomic { if
     :: old > 0 && sleepers == old && searching == 0 -> sleepers--; searching++; REOPEN; old = 0; won = 1
     :: else -> won = 0 fi };
     if
     :: won -> won = 0; d_step { tokens++; assert(tokens <= THREADS) }; wakeOne(); break
     :: else
     fi;
#if REFUSE
     atomic { if
     :: old == 0 && sleepers == 0 && searching == 0 && shortage -> shortage = 0; won = 1
     :: else -> old = 0 fi };
     if
     :: won ->
        atomic { if :: NOBODY_LEFT && spares < KEEP -> spares++ :: else -> won = 0 fi };
        runSpare(); break
     :: else
     fi
#else
     old = 0
#endif
  :: else -> break
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
  byte i, old, k, kn, f, me = THREADS; bit won, seen, refused;
  do
  :: i < SUBMITS ->
#ifdef ALIEN
     i == 0 || blocked > 0 || blocks == BLOCK; /* no other job waits when the first one blocks */
#endif
     i++; inject(BATCH); notify()
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
  dismissed = 1; f = WORKERS;
  do
  :: f < THREADS -> if :: idleSpare[f] -> idleSpare[f] = 0; order[f] = 2 :: else fi; f++
  :: else -> f = 0; break
  od
}
#endif

proctype Worker(byte me) {
  byte own, k, kn, n, old, f, target, level; bit won, got, seen, last, requeued, refused;
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
     kn = known;
     do
     :: atomic { k < kn * BANDS && !got ->
        if
        :: k / BANDS != me && deq[k] > 0 -> deq[k]--; got = 1
#ifdef LOSE
        :: k / BANDS != me && deq[k] > 0              /* the CAS lost against another thief */
#endif
        :: (k / BANDS == me || deq[k] == 0)
        fi; k++ }
     :: else -> atomic { k = 0; kn = 0 }; break
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
  :: atomic { blocks < BLOCK && blockedNow < DEPTH -> blocks++; target = ran; blockedNow++; level = blockedNow };
#ifndef ALIEN
     pushOne(); publish(); notify();           /* the job that it will wait for, or another before it */
#endif
#if SPARES
     atomic { blocked++; if :: spares < blocked && spares < KEEP -> spares++; won = 1 :: else fi };
     runSpare();
#if !defined(W_PAST) && !defined(NOASK)
     /* compensatePastLimit(): nobody else is left; asked again where it is refused */
     do
     :: atomic { NOBODY_LEFT && ran == target -> spares++ };
        activate(1);
        if :: refused -> refused = 0; spares-- :: else -> break fi
     :: else -> break
     od;
#endif
#endif
#ifdef NEST
     ran > target && blockedNow == level;
#else
     ran > target;                             /* blocks until another job has run */
#endif
     target = 0;
#if SPARES
     blocked--
#endif
  :: else
  fi;
  atomic { running--; ran++; if :: level > 0 -> level = 0; blockedNow-- :: else fi };
#else
  atomic { running--; ran++ };
#endif
  goto fetch;
#if SPARES
retired:
  atomic {                                     /* under the lock */
    if
    :: pendingSpare > 0 -> pendingSpare--; order[me] = 1
    :: pendingSpare == 0 && dismissed -> order[me] = 2
    :: pendingSpare == 0 && !dismissed && me < WORKERS + KEPT -> idleSpare[me] = 1
    :: pendingSpare == 0 && !dismissed && me >= WORKERS + KEPT ->     /* the thread ends; its record may get another */
       alive[me] = 0; live--;
       do :: known > WORKERS && !alive[known - 1] -> known-- :: else -> break od
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
  :: atomic { THREADS > 3 && buffered[D(3 % THREADS, LAST)] > 0 -> flush(3 % THREADS) }
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
  assert(exited == WORKERS + live && sleepers == 0);
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
