/* A registry chunk with two slots: members leave while an enumerator looks at them, and the last one frees the chunk.
 *
 * The word `left` has one bit per slot that its member has left, and the enumerator's pin. A member sets its bit; if the pin was
 * set it takes the stripe's lock and gives it up, which waits for the enumerator; whoever sets the last bit takes the lock, unlinks
 * the chunk and frees it. Enumerators hold the stripe's lock and pin. Sequential consistency.
 *
 * Properties: nobody touches the chunk after its end; an enumerator reads only members that are alive; the chunk is freed once.
 *
 * Expected to FAIL: -DW_AFTER (a removal waits at the chunk until the pin is clear: the last member may free the chunk under
 * another one that still waits), -DW_NOPIN (removal does not wait for the pin), -DW_NOLOCK (the last member frees without the lock).
 */
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
