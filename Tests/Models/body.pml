/* The body without references: who has begun an operation holds none to it, and whoever finishes it meanwhile keeps it.
 *
 * Threads: the worker that has begun the operation (or the thread that has begun it early, to finish it at once), and two
 * callers of finish(), each with a reference of its own that it gives up at the end. The body may call finish() itself
 * (-DINSIDE), which leaves the end of the membership to the return of start(). The worker ends the operation itself, or
 * leaves it to the callers: any choice is possible. Sequential consistency; every atomic access of the real code is one
 * step here.
 *
 * `rc` is the reference count: one per caller of finish(), one for the membership, which the one that wins the seal gives up.
 * The queue is kept in the same steps as the operation and needs no variable of its own.
 *
 * Properties: no access after the last release; no release too many; nothing is left over once everybody is done.
 *
 * Result, no errors, states stored: plain 1177; INSIDE 1486.
 * Expected to FAIL: -DW_NOPIN (the finisher keeps nothing).
 *
 * Run: scripts/models
 */
byte rc = 3; bit freed;
bit sealed, sealedByFinish, detached;
byte done;

#define touch assert(!freed)
inline retain()  { atomic { touch; rc++ } }
inline release() { atomic { touch; assert(rc > 0); rc--; if :: rc == 0 -> freed = 1 :: else fi } }

/* finish() with a reference in hand. */
inline finish(won, seen) {
  atomic { touch; won = !sealed; sealed = 1 };
  if
  :: won ->
     touch;                                                    /* releases dependents, tells observers */
     atomic { touch; seen = detached };
     if
     :: !seen ->
#ifndef W_NOPIN
        retain();
#endif
        atomic { touch; seen = detached; sealedByFinish = 1 };
#ifndef W_NOPIN
        if :: seen -> release() :: else fi
#endif
     :: else
     fi;
     touch;                                                    /* completion block, registry */
     release()                                                 /* the membership */
  :: else
  fi
}

proctype Worker() {
  bit won, seen;
  touch;                                                       /* inside start() */
#ifdef INSIDE
  atomic { touch; won = !sealed; sealed = 1 };
  touch;                                                       /* releases dependents; start() returns */
  if :: won -> touch; release(); goto end :: else fi;
#endif
  if
  :: true ->
     atomic { touch; won = !sealed; sealed = 1 };
     if :: won -> touch; release(); goto end :: else fi
  :: true
  fi;
  touch;                                                       /* detach: slot to the operation */
  atomic { touch; seen = sealedByFinish; detached = 1 };
  if
  :: seen ->
#ifndef W_NOPIN
     release()
#else
     skip
#endif
  :: else
  fi;
end:
  done++
}

proctype Caller() {
  bit won, seen;
  finish(won, seen);
  release();
  done++
}

init {
  atomic { run Worker(); run Caller(); run Caller() };
  done == 3;
  assert(rc == 0 && freed)
}
