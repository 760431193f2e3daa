/* Chase-Lev deque: one owner, thieves, growth into a second buffer, batch push, ageing (the owner takes from the steal end).
 *
 * Memory: thieves act on memory directly. The owner's release and relaxed stores (slots, bottom after push and restore, buffer)
 * pass through a first-in first-out store buffer (TSO); its seq_cst store (pop) and its CAS wait until that buffer is empty.
 * Sequential consistency is the special case in which the buffer is emptied at once. Weaker hardware (Arm) is not modelled.
 * Capacity 2, then 4: indices wrap in the first buffer, with ITEMS >= 5 in the second as well.
 *
 * Properties: every item is taken exactly once, by the owner or a thief; never a value from an unwritten or freed slot; when the
 * owner has found the deque empty after its last push, top == bottom; no deadlock.
 *
 * Result (SPIN 6.5.2, exhaustive, 0 errors): 4 items, 2 thieves x 2 attempts: 4 854 117 states;
 *   5 items (-DITEMS=5 -DTHIEVES=1 -DSTEALS=3): 657 726 states; -DALONE -DTHIEVES=1: 185 238 states.
 * Variants that are expected to FAIL:
 *   -DW_POP    pop stores bottom with release instead of seq_cst      (an item taken twice)
 *   -DW_ORDER  a thief reads bottom before top                        (taken twice)
 *   -DW_FULL   fullness test off by one                               (lost and taken twice)
 *   -DW_FREE   the old buffer is freed when the new one is published  (a thief returns garbage)
 * ALONE: a pool of one. The owner pops with plain loads and stores until it starts the thieves, a step that empties its store
 * buffer. Expected to FAIL with it:
 *   -DW_ALONE  the owner goes on popping plainly when thieves run     (taken twice)
 *   -DW_START  the start of the thieves orders nothing                (taken twice)
 *
 * Code: Sources/ConcurrencyPrimitives/WordDeque.swift; page Deque of WorkStealingBackend. Run: scripts/models, or spin -a deque.pml && gcc -O2 -DSAFETY -DCOLLAPSE -o pan pan.c && ./pan -m2000000
 */
#ifndef ITEMS
#define ITEMS 4
#endif
#ifndef THIEVES
#define THIEVES 2
#endif
#ifndef STEALS
#define STEALS 2
#endif
#define CAP0 2
#define CAP1 4

byte slots[CAP0 + CAP1];               /* the two buffers, one after the other; 0 = never written, POISON = freed */
#define POISON 99
#define SLOT(g, i) ((g) -> (CAP0 + (i) % CAP1) : ((i) % CAP0))
#define BOTTOM 100
#define BUFFER 101

byte top, bottom; bit buffer;
bit taken[ITEMS + 1];
byte thievesDone;
#ifdef ALONE
bit alone = 1, started;
#define ALONE_NOW alone
#else
#define ALONE_NOW false
#endif

/* The owner's store buffer: first in, first out. A seq_cst store and a CAS wait until it is empty, loads do not. */
chan stores = [8] of { byte, byte };
inline write(a, v) {
  if
  :: a == BOTTOM -> bottom = v
  :: a == BUFFER -> buffer = v
  :: else -> slots[a] = v
  fi
}
active proctype StoreBuffer() {
  byte a, v;
end:
  do :: atomic { stores ? a, v -> write(a, v); a = 0; v = 0 } od
}
#define store(a, v) stores ! a, v
#define setSlot(a, v) atomic { stores ! a, v; own[a] = v }

inline take(x) { d_step { assert(x != 0 && x != POISON); assert(!taken[x]); taken[x] = 1 } }

active proctype Owner() {
  byte b, t, cached, next = 1, x, i; bit g, won;   /* b, g, own: the owner's view of bottom, buffer and slots */
  byte own[CAP0 + CAP1];
again:
  do
  :: next <= ITEMS ->                              /* push */
     if
#ifdef W_FULL
     :: b - cached > (g -> CAP1 : CAP0) ->
#else
     :: b - cached >= (g -> CAP1 : CAP0) ->
#endif
        cached = top;
        if
#ifdef W_FULL
        :: b - cached > (g -> CAP1 : CAP0) ->
#else
        :: b - cached >= (g -> CAP1 : CAP0) ->
#endif
           if :: g -> goto again :: else fi;       /* the second buffer is full: take something first */
           i = cached;
           do
           :: i < b -> setSlot(SLOT(1, i), own[SLOT(0, i)]); i++
           :: else -> i = 0; break
           od;
           store(BUFFER, 1); g = 1;
#ifdef W_FREE
           atomic { empty(stores) -> slots[0] = POISON; slots[1] = POISON }
#endif
        :: else
        fi
     :: else
     fi;
     setSlot(SLOT(g, b), next); next++;
     if
     :: next <= ITEMS && b + 1 - cached < (g -> CAP1 : CAP0) ->      /* batch: two slots, one bottom store */
        setSlot(SLOT(g, b + 1), next); next++; b++
     :: true
     fi;
     b++; store(BOTTOM, b)
#ifdef ALONE
  :: !started ->                                   /* the first compensation thread */
#ifndef W_ALONE
     alone = 0;
#endif
#ifdef W_START
     started = 1
#else
     atomic { empty(stores) -> started = 1 }
#endif
  :: alone && b > 0 ->                             /* pop in a pool of one */
     t = top;
     if
     :: t < b -> b--; store(BOTTOM, b); x = own[SLOT(g, b)]; take(x)
     :: else -> if :: next > ITEMS -> break :: else fi
     fi; t = 0; x = 0
  :: b == 0 && next > ITEMS -> break               /* the plain pop of the last word leaves no trace in top */
#endif
  :: !ALONE_NOW && b > 0 ->                        /* pop */
     b--;
#ifdef W_POP
     store(BOTTOM, b);
#else
     atomic { empty(stores) -> bottom = b };       /* seq_cst */
#endif
     t = top;
     if
     :: t > b -> b++; store(BOTTOM, b);
        if :: next > ITEMS -> break :: else fi
     :: t == b ->
        x = own[SLOT(g, b)];
        atomic { empty(stores) -> won = (top == t); if :: won -> top = t + 1 :: else fi };
        b++; store(BOTTOM, b);
        if :: won -> take(x) :: else fi
     :: t < b -> x = own[SLOT(g, b)]; take(x)
     fi; t = 0; x = 0; won = 0
  :: b > 0 ->                                      /* ageing: the owner takes from the steal end */
     t = top;
     if
     :: t < b ->
        x = own[SLOT(g, t)];
        atomic { empty(stores) -> won = (top == t); if :: won -> top = t + 1 :: else fi };
        if :: won -> take(x) :: else fi
     :: else
     fi; t = 0; x = 0; won = 0
  od;
#ifdef ALONE
  atomic { empty(stores) -> started = 1 };
#endif
  thievesDone == THIEVES && empty(stores);
  assert(top == bottom);
  for (i : 1 .. ITEMS) { assert(taken[i]) }
}

active [THIEVES] proctype Thief() {
  byte t, b, x, n; bit g, won;
#ifdef ALONE
  started;
#endif
  do
  :: n < STEALS -> n++;
#ifdef W_ORDER
     b = bottom; t = top;
#else
     t = top; b = bottom;
#endif
     if
     :: t < b ->
        g = buffer;
        x = slots[SLOT(g, t)];
        atomic { won = (top == t); if :: won -> top = t + 1 :: else fi };
        if :: won -> take(x) :: else fi
     :: else
     fi; t = 0; b = 0; x = 0; g = 0; won = 0
  :: else -> break
  od;
  thievesDone++
}
