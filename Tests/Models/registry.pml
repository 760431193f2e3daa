/* A registry chunk with two slots: members leave while an enumerator looks at them, and the last one frees the chunk.
 *
 * The word `left` has one bit per slot that its member has left, and the enumerator's pin. A member sets its bit; if the pin was
 * set it takes the stripe's lock and gives it up, which waits for the enumerator; whoever sets the last bit takes the lock, unlinks
 * the chunk and frees it. Enumerators hold the stripe's lock and pin. Sequential consistency.
 *
 * Properties: nobody touches the chunk after its end; an enumerator reads only members that are alive; the chunk is freed once.
 *
 * With -DMARK another model: a canceller of all members marks one in place, while it holds the stripe's lock and has found no limit
 * there, or else under the edit lock; a worker begins it, somebody edits it, and the queue gets a limit, whose setter enumerates
 * afterwards and makes a handle that needs no slot. Properties: in the end the member is marked or was begun before; a marked one
 * that has not begun in a queue with a limit has that handle; no edit is lost. -DW_LOOK, which is to FAIL: the canceller looks at
 * the limit before it takes the stripe's lock.
 *
 * Expected to FAIL: -DW_AFTER (a removal waits at the chunk until the pin is clear: the last member may free the chunk under
 * another one that still waits), -DW_NOPIN (removal does not wait for the pin), -DW_NOLOCK (the last member frees without the lock).
 */
#ifdef MARK
bit stripe, lock, cancelled, started, limited, flush, edited;
#define takeStripe atomic { !stripe; stripe = 1 }
#define takeLock atomic { !lock; lock = 1 }

proctype Canceller() {
  bit open, inPlace, follows;
#ifdef W_LOOK
  open = !limited;
  takeStripe;
#else
  takeStripe;
  open = !limited;
#endif
  if
  :: open -> atomic { if :: !lock && !started && !cancelled -> cancelled = 1; inPlace = 1 :: else fi }
  :: else
  fi;
  stripe = 0;
  if
  :: !inPlace ->
     takeLock;
     if :: !started -> cancelled = 1; follows = limited :: else fi;
     lock = 0;
     if :: follows -> flush = 1 :: else fi
  :: else
  fi
}
proctype Limiter() {
  bit mine;
  limited = 1;
  takeStripe;
  stripe = 0;                                   /* with a reference to the member */
  takeLock;
  mine = cancelled && !started;
  lock = 0;
  if :: mine -> flush = 1 :: else fi
}
proctype Worker() {
  bit free;
  free = !limited;                              /* else it waits for a slot */
  if :: free -> atomic { !lock; started = 1 } :: true fi
}
proctype Editor() {                             /* whoever has the lock gives it up with a plain store of the word */
  bit c, s;
  takeLock;
  atomic { c = cancelled; s = started };
  edited = 1;
  atomic { cancelled = c; started = s; lock = 0 }
}
active proctype Monitor() {
end:
  timeout ->
    assert(!stripe && !lock && edited && (cancelled || started));
    assert(!(cancelled && !started && limited) || flush)
}
init { atomic { run Canceller(); run Limiter(); run Worker(); run Editor() } }
#else
bit left0, left1, pin, stripe, freed, linked = 1;
bit alive0 = 1, alive1 = 1;
#define touch assert(!freed)

inline unlink() {
#ifdef W_NOLOCK
  skip;
#else
  atomic { !stripe; stripe = 1 };
#endif
  atomic { touch; linked = 0 };
  freed = 1;
  stripe = 0
}
proctype Member(bit id) {
  bit last, p;
#if defined(W_AFTER)
  atomic { touch; if :: id -> left1 = 1 :: else -> left0 = 1 fi; last = left0 && left1; p = pin };
  do :: p -> atomic { touch; p = pin } :: else -> break od;
#elif defined(W_NOPIN)
  atomic { touch; if :: id -> left1 = 1 :: else -> left0 = 1 fi; last = left0 && left1 };
#else
  atomic { touch; if :: id -> left1 = 1 :: else -> left0 = 1 fi; last = left0 && left1; p = pin };
  if :: p -> atomic { !stripe; stripe = 1 }; stripe = 0 :: else fi;
#endif
  if :: last -> unlink() :: else fi;
  if :: id -> alive1 = 0 :: else -> alive0 = 0 fi
}
proctype Enumerator() {
  bit here, l0, l1; byte n;
  do
  :: n == 2 -> break
  :: n < 2 ->
     n++;
     atomic { !stripe; stripe = 1 };
     here = linked;
     if
     :: here ->
        atomic { touch; pin = 1; l0 = left0; l1 = left1 };
        if :: !l0 -> assert(alive0) :: else fi;
        if :: !l1 -> assert(alive1) :: else fi;
        touch;
        pin = 0
     :: else
     fi;
     stripe = 0
  od
}
active proctype Monitor() {
end:
  timeout -> assert(freed && !linked && !alive0 && !alive1 && !pin && !stripe)
}
init { atomic { run Member(0); run Member(1); run Enumerator() } }
#endif
