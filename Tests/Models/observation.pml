// SPDX-License-Identifier: Apache-2.0
// Observation.md, "Telling": changers note events under the object's lock; one thread at a time tells them without it.
//
//   CHANGERS  threads that change the object, EVENTS changes of each; the first handler call changes the object again
//   OBSERVE   an observer comes while they do
// Checked: events are told in the order noted, each once, all of them, never two at a time, and an observer is told
// exactly what was noted after he came.
// Left out on purpose: W_AGAIN (whoever has told does not look again), W_ALONE (no mark that somebody tells),
// W_SINCE (an observer is told whatever is told after he came, whenever it was noted).

#ifndef CHANGERS
#define CHANGERS 2
#endif
#ifndef EVENTS
#define EVENTS 2
#endif
#define TOTAL (CHANGERS * EVENTS + 1)

bit locked, telling, inHandler, reentered, registered;
byte noted, taken;        // events appended; events taken out of the log
byte told;                // events told so far
byte since = 255;         // the observer's first event
byte seen;                // how many he was told
byte ended;

inline lock() { atomic { !locked -> locked = 1 } }
inline unlock() { locked = 0 }

inline tell() {
  do
  :: lock();
     if
#ifdef W_ALONE
     :: taken == noted -> unlock(); break
     :: else ->
#else
     :: telling || taken == noted -> unlock(); break
     :: else -> telling = 1;
#endif
        first = taken; last = noted; taken = noted;
        unlock();
        do
        :: first < last ->
           atomic { assert(!inHandler); inHandler = 1 }
           assert(told == first);
           told++;
           // The event has those who had come when it was noted.
           lock();
           if
#ifdef W_SINCE
           :: registered -> seen++
#else
           :: registered && first >= since -> seen++
#endif
           :: else
           fi;
           unlock();
           first++;
           if
           :: !reentered ->
              // The handler changes the object: it notes, finds that somebody tells, and returns.
              reentered = 1;
              lock(); noted++; unlock()
           :: else
           fi;
           inHandler = 0
        :: else -> break
        od;
#ifdef W_AGAIN
        lock(); telling = 0; unlock(); break
#else
        lock(); telling = 0; unlock()
#endif
     fi
  od
}

active [CHANGERS] proctype changer() {
  byte n, first, last;
  do
  :: n < EVENTS -> lock(); noted++; unlock(); tell(); n++
  :: else -> break
  od;
  ended++
}

#ifdef OBSERVE
active proctype observer() {
  lock(); registered = 1; since = noted; unlock();
  ended++
}
#define THREADS (CHANGERS + 1)
#else
#define THREADS CHANGERS
#endif

active proctype check() {
  ended == THREADS ->
  assert(noted == TOTAL && told == TOTAL && !telling && !locked);
  assert(!registered || seen == TOTAL - since)
}
