/* A full registry chunk with two slots: members leave while an enumerator looks at them, and an adder looks whether it may use the
 * chunk again.
 *
 * A member stores 0 into its slot, then reads `pins`; the store may reach memory later than the read. If the stripe is pinned the
 * member takes the stripe's lock and gives it up, which waits for the enumerator. An enumerator pins, passes a barrier that brings
 * every store so far to memory (AsymmetricBarrier.heavy), and reads the slots under the lock. With -DALWAYS there is no such
 * barrier, and the stripe is always pinned. The adder uses the chunk again if both slots are 0. The stripe is its own: it stores that it has
 * opened the stripe, which may reach memory later, then reads `pins`, and takes the lock only if the stripe is pinned. An enumerator
 * that has the lock waits until the adder has closed the stripe.
 *
 * Properties: an enumerator reads only members that are alive; no member touches the chunk after it is used again, nor does its
 * store come later than that; adder and enumerator are not in the lists at the same time.
 *
 * Expected to FAIL: -DW_HEAVY (no barrier), -DW_LATE (the barrier comes before the pin), -DW_FIRST (a member reads the pins before
 * its store), -DW_NOPIN (it does not look at them), -DW_NOLOCK (the enumerator does not take the lock), -DW_ONE (a chunk is used
 * again when one slot is 0), -DW_ALONE (the enumerator does not wait for the adder), -DW_LOOKED (the adder reads the pins before its
 * store), -DW_REPEAT (the adder that finds a pin changes the lists without the lock), and with -DALWAYS -DW_NEVER (no barrier, and pins as with one).
 *
 * With -DMARK another model: a canceller of all members marks one in place, while it holds the stripe's lock and has found no limit
 * there, or else under the edit lock; a worker begins it, somebody edits it, and the queue gets a limit, whose setter enumerates
 * afterwards and makes a handle that needs no slot. Properties: in the end the member is marked or was begun before; a marked one
 * that has not begun in a queue with a limit has that handle; no edit is lost. -DW_LOOK, which is to FAIL: the canceller looks at
 * the limit before it takes the stripe's lock.
 */
#ifdef MARK
bit stripe, lock, cancelled, started, limited, skips, edited;
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
     if :: follows -> skips = 1 :: else fi
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
  if :: mine -> skips = 1 :: else fi
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
    assert(!(cancelled && !started && limited) || skips)
}
init { atomic { run Canceller(); run Limiter(); run Worker(); run Editor() } }
#else
byte slot[2] = 1;                               /* 1 a member, 2 one of the chunk's next use, 0 none */
bit buffered[2];                                /* the store of 0 has not reached memory */
bit alive[2] = 1;
bit stripe, reused;
bit openAlone, openBuffered;                    /* the adder has opened the stripe; its store has not reached memory */
bit adderInLists;
byte enumeratorsInLists;
#if defined(ALWAYS) && !defined(W_NEVER)
#define base 1
#else
#define base 0
#endif
byte pins = base;

inline arrive(i) {
  if :: buffered[i] -> assert(slot[i] == 1); slot[i] = 0; buffered[i] = 0 :: else fi
}
inline takeLock() { atomic { !stripe; stripe = 1 } }

proctype Memory() {
end:
  do
  :: atomic { buffered[0] -> arrive(0) }
  :: atomic { buffered[1] -> arrive(1) }
  :: atomic { openBuffered -> openBuffered = 0; openAlone = 1 }
  od
}
proctype Member(bit id) {
  bit waits;
#ifdef W_FIRST
  waits = (pins > 0);
#endif
  atomic { assert(!reused); buffered[id] = 1 };
#ifndef W_FIRST
  waits = (pins > 0);
#endif
#ifdef W_NOPIN
  waits = 0;
#endif
  if
  :: waits -> takeLock(); atomic { arrive(id); stripe = 0 }   /* what precedes an unlock comes first */
  :: else
  fi;
  alive[id] = 0
}
inline heavy() {
#if !defined(ALWAYS) && !defined(W_HEAVY)
  atomic { arrive(0); arrive(1); if :: openBuffered -> openBuffered = 0; openAlone = 1 :: else fi }
#else
  skip
#endif
}
proctype Enumerator() {
  byte n, word, i;
  do
  :: n == 2 -> break
  :: n < 2 ->
     n++;
#ifdef W_LATE
     heavy();
     pins++;
#else
     pins++;
     heavy();
#endif
#ifndef W_NOLOCK
     takeLock();
#endif
#ifndef W_ALONE
     !openAlone;
#endif
     atomic { enumeratorsInLists++; assert(!adderInLists) };
     i = 0;
     do
     :: i == 2 -> break
     :: i < 2 ->
        word = slot[i];
        if :: word == 1 -> assert(alive[i]) :: else fi;       /* takes a reference */
        i++
     od;
     enumeratorsInLists--;
#ifndef W_NOLOCK
     stripe = 0;
#endif
     pins--
  od
}
proctype Adder() {
  byte n;
  bit first, second, alone;
  do
  :: n == 2 || reused -> break
  :: n < 2 && !reused ->
     n++;
#ifdef W_LOOKED
     alone = (pins == 0);
     openBuffered = 1;
#else
     openBuffered = 1;
     alone = (pins == 0);
#endif
     if
     :: !alone ->
        atomic { openBuffered = 0; openAlone = 0 };           /* its own stores come in order */
#ifndef W_REPEAT
        takeLock()
#endif
     :: else
     fi;
     atomic { adderInLists = 1; assert(enumeratorsInLists == 0) };
     first = (slot[0] == 0);
     second = (slot[1] == 0);
#ifdef W_ONE
     if :: first || second -> atomic { reused = 1; slot[0] = 2 } :: else fi;
#else
     if :: first && second -> atomic { reused = 1; slot[0] = 2 } :: else fi;
#endif
     adderInLists = 0;
     if
     :: alone -> atomic { openBuffered = 0; openAlone = 0 }
     :: else -> stripe = 0
     fi
  od
}
active proctype Monitor() {
end:
  timeout ->
    assert(!openAlone && !openBuffered && !adderInLists && enumeratorsInLists == 0);
    assert(!alive[0] && !alive[1] && !buffered[0] && !buffered[1] && pins == base && !stripe);
    assert(slot[1] == 0 && slot[0] == (reused -> 2 : 0))
}
init { atomic { run Memory(); run Member(0); run Member(1); run Enumerator(); run Adder() } }
#endif
