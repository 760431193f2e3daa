/* Credits: a worker counts the departures of operations of two queues and subtracts them in batches; whoever waits for a queue may
 * take what the worker holds back of it.
 *
 * The worker alone changes `earned` and `owner`, the queue that the credits beyond `taken` belong to. Before it earns for another
 * queue, or whenever it likes, it exchanges `taken` for `earned` and subtracts the difference. A collector for a queue reads `taken`,
 * `earned`, `owner`, in this order, and exchanges `taken` if it has not changed. Sequential consistency.
 *
 * Properties: each credit is subtracted once, and from its own queue; in the end nothing is outstanding.
 *
 * Expected to FAIL: -DW_ORDER (the collector reads whose credits they are first), -DW_STORE (the collector stores `taken` without
 * comparing), -DW_SWITCH (the worker changes the queue without subtracting).
 */
byte earned, taken; byte owner;                 /* 0: none */
byte outstanding[3];                            /* of queues 1 and 2 */

inline subtract(q, n) { atomic { assert(outstanding[q] >= (n)); outstanding[q] = outstanding[q] - (n) } }
inline settle() {
  if
  :: owner != 0 ->
     atomic { before = taken; taken = earned };
     q = owner; owner = 0;
     if :: earned > before -> subtract(q, earned - before) :: else fi
  :: else
  fi
}
inline earn(queue) {
  if
  :: owner != queue ->
#ifdef W_SWITCH
     skip;
#else
     settle();
#endif
     owner = queue
  :: else
  fi;
  earned++;
  if :: settle() :: skip fi
}
proctype Worker() {
  byte before, q;
  earn(1); earn(1); earn(2); earn(1); earn(2);
  settle()
}
proctype Collector(byte queue) {
  byte before, count, q, looks; bit won;
  do
  :: looks == 2 -> break
  :: looks < 2 ->
     looks++;
#ifdef W_ORDER
     q = owner; before = taken; count = earned;
#else
     before = taken; count = earned; q = owner;
#endif
     if
     :: q == queue && count > before ->
#ifdef W_STORE
        taken = count; won = 1;
#else
        atomic { won = (taken == before); if :: won -> taken = count :: else fi };
#endif
        if :: won -> subtract(queue, count - before) :: else fi
     :: else
     fi
  od
}
active proctype Monitor() {
end:
  timeout -> assert(outstanding[1] == 0 && outstanding[2] == 0 && taken == earned)
}
init { atomic { outstanding[1] = 3; outstanding[2] = 2; run Worker(); run Collector(1); run Collector(2) } }
