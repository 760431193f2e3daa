/* An heir: B depends on D, which was cancelled and passes its cancellation on. Whoever lets B go, B begins cancelled.
 *
 * B depends on E too, and an edit comes at any time. By default the edit removes F, a third dependency, which never finishes;
 * it may be the edit of an observer, between D's seal and D's mark of its heirs. With -DADD the edit adds D itself, which
 * finishes at any time, and B has been recalled before by another edit or has not. Threads: the finishers of D and E, the editor,
 * the worker that gets B's handle, and a thread that waits for B and may run it. Every call of cancel() makes its mark before it
 * returns. Sequential consistency; every atomic access of the real code is one step, but a push with its count and tag.
 *
 * Properties: B begins once; when it does, it is marked if D is one of its dependencies; nobody is left with a handle.
 *
 * Result, no errors, states stored: 37 447; ADD 44 551.
 * Expected to FAIL: -DW_RECALL (an edit takes an edge of what has finished for resolved, and does not recall B), alone and with
 * ADD; -DADD -DW_LOOK (the begin looks before it takes the lock); -DADD -DW_CLEAR (the begin gives the recall up before the mark).
 *
 * Run: scripts/models
 */
bit sealedD, sealedE;
bit pushedD;                                       /* D's list has B's edge */
bit lock, hold, cancelled, started;                /* B: `state` */
bit listsD;                                        /* D is one of B's dependencies */
byte pending;                                      /* B: edges outstanding; `counted` is the word's bit `lockedCount` */
bit counted;
bit tagD, tagE, tagF, isOut;                       /* B: the cold table */
byte handles, done;

#define ACQUIRE atomic { !lock; lock = 1 }
#define PASSES (sealedD && listsD)                 /* a dependency has finished that wants B cancelled */

/* The edge of D is taken for resolved: D has finished. */
inline settle() {
#ifndef W_RECALL
  hold = 1
#else
  skip
#endif
}

/* moveCountUnderLock: tags what has not finished. */
inline move(tags, isForced) {
  if
  :: counted || (pending == 0 && !isForced) -> skip
  :: else ->
     atomic { counted = 1; isOut = (pending == 0) };
     if
     :: tags && !isOut ->
        if
        :: listsD && pushedD -> if :: sealedD -> settle() :: else -> tagD = 1 fi
        :: else
        fi;
        if :: sealedE :: else -> tagE = 1 fi;
#ifndef ADD
        tagF = 1
#endif
     :: else
     fi
  fi
}

inline freeHandle(mine) {
  if
  :: counted && !isOut && !tagD && !tagE && !tagF -> isOut = 1; mine = 1
  :: else
  fi
}

inline unlock(mine) { atomic { lock = 0; handles = handles + mine; mine = 0 } }

/* markCancelled. */
inline mark(mine) {
  ACQUIRE;
  if
  :: !cancelled ->
     cancelled = 1;
     if
     :: !started ->
        move(0, 0);
        tagD = 0; tagE = 0; tagF = 0;
        freeHandle(mine)
     :: else
     fi
  :: else
  fi;
  unlock(mine)
}

/* resolve, and resolveUnderLock where the edit lock counts. */
inline resolve(tag, mine) {
  atomic {
    pending--;
    if
    :: !counted && pending == 0 -> isOut = 1; handles++
    :: else
    fi;
    isLocked = counted
  };
  if
  :: isLocked ->
     ACQUIRE;
     if :: tag -> tag = 0; freeHandle(mine) :: else fi;
     unlock(mine)
  :: else
  fi
}

proctype FinisherD() {
  bit mine, isLocked, takes;
  atomic { sealedD = 1; takes = pushedD };
  if
  :: takes -> mark(mine); resolve(tagD, mine)      /* its observers were told before: the editor may be one */
  :: else
  fi;
  done++
}

proctype FinisherE() {
  bit mine, isLocked;
  sealedE = 1;
  resolve(tagE, mine);
  done++
}

proctype Editor() {
  bit mine, inherits;
  ACQUIRE;
  if
  :: started -> skip
#ifdef ADD
  :: !started && cancelled -> listsD = 1           /* what will be skipped lists it only */
  :: !started && !cancelled ->
     move(1, 1);
     listsD = 1;
     atomic { if :: !sealedD -> pushedD = 1; pending++; tagD = 1 :: else fi };
     if
     :: !pushedD -> inherits = 1; settle()
     :: else
     fi;
     if
     :: isOut && tagD -> hold = 1
     :: else -> freeHandle(mine)
     fi
#else
  :: !started ->
     move((!cancelled), 0);
     if :: counted -> tagF = 0; freeHandle(mine) :: else fi
#endif
  fi;
  unlock(mine);
  if :: inherits -> mark(mine) :: else fi;
  done++
}

inline start() {
  assert(!started);
  assert(cancelled || !listsD);
  started = 1
}

/* beginSlowly; a begin without the lock is its shortest case. */
proctype Worker() {
  bit mine, looked, found;
again:
  if
  :: handles > 0 ->
     atomic { handles--; looked = 0 }
  :: done == 4 && handles == 0 && started -> goto over
  fi;
look:
#ifdef W_LOOK
  if
  :: hold && PASSES && !cancelled -> mark(mine)
  :: else
  fi;
#endif
  ACQUIRE;
  if
  :: started -> unlock(mine)                       /* lost */
  :: else ->
     found = 0;
     if
     :: hold ->
#ifndef W_LOOK
        found = (PASSES && !cancelled && !looked);
#endif
#ifndef W_CLEAR
        hold = found
#else
        hold = 0
#endif
     :: else
     fi;
     if
     :: found ->
        looked = 1;
        unlock(mine);
        mark(mine);
        goto look
     :: !found && counted && (tagD || tagE || tagF) ->
        isOut = 0;                                 /* parked */
        unlock(mine)
     :: else ->
        start();
        unlock(mine)
     fi
  fi;
  goto again;
over:
  skip
}

/* isHeldBackByRecall: D passes its cancellation on once it has finished, and F never finishes. */
#ifdef ADD
#define RECALLED (hold && !cancelled && (listsD || !sealedE))
#else
#define RECALLED (hold && !cancelled)
#endif

/* runHere: one more handle, which begins in the same step. */
proctype Waiter() {
  bit mine;
  if
  :: hold && PASSES && !cancelled -> mark(mine)
  :: else
  fi;
  ACQUIRE;
  if
  :: !started && isOut && !RECALLED && !(tagD || tagE || tagF) -> start()
  :: else
  fi;
  unlock(mine);
  done++
}

init {
  atomic {
#ifdef ADD
    pending = 1;
    if :: hold = 1 :: skip fi;
#else
    listsD = 1; pushedD = 1; pending = 3;
#endif
    run FinisherD(); run FinisherE(); run Editor(); run Worker(); run Waiter()
  };
  done == 4;
  handles == 0 && started;
  assert(cancelled || !listsD)
}
