/* The ring of events of one thread: Sources/Scheduling/Recording/EventRing.swift, page Recording of the same room. Run by
 * scripts/models.
 *
 * The owner writes EVENTS events of two words into CAPACITY places and counts each when it is written. A reader takes the
 * count, reads what should be there, takes the count again and keeps only what cannot have been overwritten.
 *
 * Properties: an event that is kept is whole and is the one of its number; what was in the ring from beginning to end is kept,
 * but for the one that is overwritten next.
 *
 * Switches that remove one rule each and must fail: W_AGAIN (no second look), W_NEXT (the second look forgets the event that is
 * being written), W_COUNT (an event is counted before it is written).
 */
#ifndef EVENTS
#define EVENTS 5
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif

byte first[CAPACITY], second[CAPACITY];        /* number + 1; 0 for nothing */
byte written;

active proctype owner() {
  byte number;
  do
  :: number < EVENTS ->
#ifdef W_COUNT
     written = number + 1;
#endif
     first[number % CAPACITY] = number + 1;
     second[number % CAPACITY] = number + 1;
     written = number + 1;
     number++
  :: else -> break
  od
}

active proctype reader() {
  byte end, begin, now, lost, number;
  byte a[EVENTS], b[EVENTS];
  end = written;
  begin = (end > CAPACITY -> end - CAPACITY : 0);
  number = begin;
  do
  :: number < end ->
     a[number] = first[number % CAPACITY];
     b[number] = second[number % CAPACITY];
     number++
  :: else -> break
  od;
  now = written;
#ifdef W_AGAIN
  now = end;
#endif
#ifdef W_NEXT
  lost = (now > CAPACITY -> now - CAPACITY : 0);
#else
  lost = (now >= CAPACITY -> now + 1 - CAPACITY : 0);
#endif
  number = (begin > lost -> begin : lost);
  assert(now > end || number == (end >= CAPACITY -> end + 1 - CAPACITY : 0));
  do
  :: number < end ->
     assert(a[number] == number + 1 && b[number] == number + 1);
     number++
  :: else -> break
  od
}
