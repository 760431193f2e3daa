/* A frame of a fork: offered on the owner's deque, taken back or run by a thief, joined, and used again.
 *
 * The owner forks FRAMES times in the same place of its stack; the deque is one slot, taken in one step (deque.pml shows that). The
 * thief takes what is there, runs it or sends it home, and tells the owner through `state`; the owner takes it back, or waits: it
 * looks a few times, announces that it sleeps, and parks until the thief's token. What has come home it runs itself. With -DSLEEP
 * the thief may keep the frame on its own deque and sleep; then the owner, once it has announced its sleep, withdraws it from
 * there, unless the thief comes to it first. Sequential consistency.
 *
 * Properties: the body runs exactly once per fork, before the join ends; the thief never touches the frame after the owner has
 * left it; the owner does not sleep for ever (an invalid end state).
 *
 * Expected to FAIL: -DW_EARLY (the thief says done before the body), -DW_TOUCH (the thief looks at the frame after it has said
 * done), -DW_STORE (done is a store after a look, not an exchange), -DW_BLIND (the owner announces its sleep with a store),
 * -DW_KEEP (a frame that the thief does not run stays with it), -DW_BOTH (the owner does not look how a frame has ended); with
 * -DSLEEP also -DW_LEAVE (the owner does not withdraw it) and -DW_GRAB (it withdraws what the thief has come to).
 */
#ifndef FRAMES
#define FRAMES 3
#endif
#define OPEN 0
#define PARKED 1
#define RETURNED 2
#define DONE 3

bit slot;                                                 /* the frame is on the deque */
bit kept;                                                 /* it is on the thief's, who may sleep */
bit alive;                                                /* the frame is in use */
byte state, runs;
bit token;

inline park() { atomic { token -> token = 0 } }           /* returns with a token, possibly a late one */

active proctype Owner() {
  byte round = 0;
  bit mine, won;
  do
  :: round < FRAMES ->
     atomic { alive = 1; state = OPEN; runs = 0; slot = 1 };
     skip;                                                /* the first half */
     atomic { mine = slot; slot = 0 };
     if
     :: mine -> runs++
     :: else ->
        do
        :: atomic { state >= RETURNED -> break }
        :: atomic { state < RETURNED -> skip };           /* a look that finds nothing; it may give up after any */
           if
           :: skip
           :: true ->
#ifdef W_BLIND
              state = PARKED; won = 1;
#else
              atomic { won = (state == OPEN); if :: won -> state = PARKED :: else fi };
#endif
              if
              :: won ->
                 do
                 :: atomic { state >= RETURNED -> break }
                 :: atomic { state < RETURNED -> skip };
                    if
                    :: park()
#if defined(SLEEP) && !defined(W_LEAVE)
#ifdef W_GRAB
                    :: atomic { state < RETURNED -> kept = 0; state = RETURNED }
#else
                    :: atomic { kept -> kept = 0; state = RETURNED }
#endif
#endif
                    fi
                 od
              :: else
              fi;
              break
           fi
        od;
#ifndef W_BOTH
        if :: state == RETURNED -> runs++ :: else fi
#else
        runs++
#endif
     fi;
     assert(runs == 1);
     alive = 0;
     round++
  :: else -> break
  od
}

active proctype Thief() {
  byte before, outcome;
end:
  do
#ifdef SLEEP
  :: atomic { slot -> slot = 0; kept = 1 };
     if                                                   /* comes to it, or sleeps for as long as it is there */
     :: atomic { kept -> kept = 0 }
     :: skip; end_asleep: !kept; goto end
     :: atomic { !kept -> goto end }
     fi;
#else
  :: atomic { slot -> slot = 0 };
#endif
     if :: outcome = DONE :: outcome = RETURNED fi;       /* a frame that it runs, or one of another operation */
#ifdef W_KEEP
     if :: outcome == RETURNED -> break :: else fi;
#endif
#ifndef W_EARLY
     assert(alive); if :: outcome == DONE -> runs++ :: else fi;
#endif
#ifdef W_STORE
     before = state; assert(alive); state = outcome;
#else
     atomic { assert(alive); before = state; state = outcome };
#endif
#ifdef W_EARLY
     assert(alive); if :: outcome == DONE -> runs++ :: else fi;
#endif
#ifdef W_TOUCH
     assert(alive);
#endif
     if :: before == PARKED -> token = 1 :: else fi       /* through the record, not the frame */
  od
}
