// SPDX-License-Identifier: Apache-2.0
// What every place that may record an event reads: whether a recording is under way, the thread's ring, the time.
#pragma once
#include <stdint.h>
#if defined(__linux__) && defined(__has_include)
#if __has_include(<sys/rseq.h>)
#include <sys/rseq.h>
#define SHIM_KNOWS_RSEQ 1
#endif
#endif

#include "Measurement.h"

/// Which recording is under way. Alone on its cache lines, which all threads share while nobody writes them. Hidden, so
/// that a test of it is one comparison with a place that the linker knows.
struct shim_recording {
  /// The number of the recording, and `shim_wants_all` below it; 0 for none.
  uint32_t word;
  /// Events take their time from the processor's counter.
  uint32_t uses_counter;
} __attribute__((aligned(128)));
extern struct shim_recording shim_recording __attribute__((visibility("hidden")));

/// In the word of a recording that is full, and not of latency alone.
static const uint32_t shim_wants_all = 1;
/// Bits below the number.
static const uint32_t shim_number_shift = 1;

#ifdef BENCH_WITHOUT_RECORDER
// For comparisons: what the hooks cost while nothing is recorded. Nothing can be recorded.
static inline uint32_t shim_recording_word(void) { return 0; }
#else
/// Not 0 while a recording is under way; for tests of several things at once.
static inline uint32_t shim_recording_word(void) {
  // relaxed: a hint; whoever records asks `shim_recording_number`.
  return __atomic_load_n(&shim_recording.word, __ATOMIC_RELAXED);
}
#endif
/// Whether a recording is under way; one comparison.
static inline int shim_is_recording(void) { return __builtin_expect(shim_recording_word() != 0, 0); }
/// Whether a full recording is under way; one comparison.
static inline int shim_is_recording_all(void) {
  return __builtin_expect((shim_recording_word() & shim_wants_all) != 0, 0);
}
/// The number of the recording that is under way, with what its beginning has published; 0 for none.
static inline uint32_t shim_recording_number(void) {
  // acquire, edge RecordingBegun: pairs with the store in `shim_set_recording`.
  return __atomic_load_n(&shim_recording.word, __ATOMIC_ACQUIRE) >> shim_number_shift;
}
static inline void shim_set_recording(uint32_t number, int wants_all) {
  // release, edge RecordingBegun.
  __atomic_store_n(&shim_recording.word, number << shim_number_shift | (wants_all ? shim_wants_all : 0),
                   __ATOMIC_RELEASE);
}
/// Before `shim_set_recording`.
static inline void shim_set_uses_counter(int uses_counter) {
  // relaxed: published with the number.
  __atomic_store_n(&shim_recording.uses_counter, uses_counter != 0, __ATOMIC_RELAXED);
}
/// Ends the recording with that number, if it is under way; 1 for the caller that did.
static inline int shim_end_recording(uint32_t number) {
  // relaxed, both: nothing is published; readers of rings check what they have read.
  uint32_t word = __atomic_load_n(&shim_recording.word, __ATOMIC_RELAXED);
  if (word >> shim_number_shift != number) return 0;
  return __atomic_compare_exchange_n(&shim_recording.word, &word, 0, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/// The ring of the calling thread.
extern __thread void *shim_tls_ring __attribute__((tls_model("initial-exec")));
static inline void *shim_get_ring(void) { return shim_tls_ring; }
/// Gives the thread its ring; `end` is called with it when the thread ends. Returns 0, or errno.
int shim_keep_ring(void *ring, void (*end)(void *));
/// Writes the calling thread's name, 16 bytes with a terminator, and returns the system's number of the thread.
int32_t shim_thread_identity(char *name);

/// Opens the system's account of the calling thread's waits for a processor; -1 where there is none. The thread closes it.
int shim_open_wait_account(void);
void shim_close_wait_account(int account);
/// For how long the thread could have run and had no processor since it began, ns; -1 where that cannot be read.
int64_t shim_read_wait_account(int account);

/// The processor's counter of time, which takes the same steps on every processor where `shim_counter_is_invariant`.
static inline uint64_t shim_time_counter(void) {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  uint64_t ticks;
  __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
  return ticks;
#else
  return 0;
#endif
}
/// Whether the processor says that its counter neither stops nor changes its step.
int shim_counter_is_invariant(void);

/// The time of an event, in the unit of the recording that is under way.
static inline uint64_t shim_event_time(void) {
  // relaxed: as the number, which the caller has read.
  if (__atomic_load_n(&shim_recording.uses_counter, __ATOMIC_RELAXED)) return shim_time_counter();
  return shim_monotonic_ns();
}

/// The number of the calling thread's processor by way of the system; -1 where it is not known.
int32_t shim_ask_processor(void);
/// The number of the calling thread's processor; -1 where it is not known.
///
/// Read from the memory that the kernel keeps for the thread (rseq), where there is some: an instruction that tells it
/// (RDTSCP) waits for all earlier loads.
static inline int32_t shim_processor(void) {
#ifdef SHIM_KNOWS_RSEQ
  if (__rseq_size != 0) {
    const struct rseq *area = (const struct rseq *)((const char *)__builtin_thread_pointer() + __rseq_offset);
    return (int32_t)*(const volatile uint32_t *)&area->cpu_id;
  }
#endif
  return shim_ask_processor();
}
