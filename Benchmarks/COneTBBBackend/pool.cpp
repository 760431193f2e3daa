// SPDX-License-Identifier: Apache-2.0
#ifdef BENCH_ONETBB
#include "COneTBBBackend.h"
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <thread>
#include <vector>

namespace {
constexpr int bandCount = 5;
// Threads in the place of blocked ones that may exist at a time, but for `compensatePastLimit`.
constexpr int spareLimit = 256;

// Threads of all pools of the process. A task for which oneTBB may start none stays where it is, and
// nobody is told: so many as a system hardly gives, for tables of 2 MB.
constexpr int threadLimit = 16384;

// oneTBB starts no more threads than CPUs unless it is told once that it may.
void allowManyThreads() {
  static auto *limit = new tbb::global_control(tbb::global_control::max_allowed_parallelism, threadLimit);
  (void)limit;
}

// The words wait in one queue per band. oneTBB gets an anonymous task per word, and each task runs the best word of the
// moment it starts: a task that carried its word would run it in oneTBB's order, which knows no bands.
class Pool {
 public:
  explicit Pool(int32_t workers) : workers(workers), arena(workers, 0) {}

  void attach(void *context, onetbb_run_function run, onetbb_drop_function drop) {
    this->context = context;
    this->run = run;
    this->drop = drop;
  }

  // One holder less: the object that stands for the pool, or a task.
  void release() {
    if (holders.fetch_sub(1) != 1) return;
    auto drop = this->drop;
    auto context = this->context;
    delete this;
    if (drop) drop(context);
  }

  void queue(uintptr_t word, uint8_t band) {
    queues[band].push(word);
    // After the word: whoever sees the count finds the word.
    queued.fetch_add(1);
  }

  // False when all threads are blocked and the system refuses one more.
  bool announce(int64_t count) {
    tasks.fetch_add(count);
    holders.fetch_add(count);
    for (int64_t task = 0; task < count; task++)
      arena.enqueue([this] {
        // An arena of one slot has two, and its thread the second.
        runOne(std::min(tbb::this_task_arena::current_thread_index(), workers - 1));
        leave();
      });
    // Both sides are sequentially consistent: either this sees the blocked worker, or `block` sees the words.
    if (blocked.load() == 0) return true;
    std::lock_guard guard(lock);
    return relieve();
  }

  uint8_t bands() const {
    uint8_t bands = 0;
    for (int band = 0; band < bandCount; band++) bands |= queues[band].empty() ? 0 : 1 << band;
    return bands;
  }

  bool help() {
    if (!isWorker() || !runOne(membership.worker)) return false;
    helped.fetch_add(1);
    return true;
  }

  // False when all threads are blocked, fewer than the limit, and the system refuses one more. Past
  // the limit whoever waits asks for it.
  bool block() {
    if (!isWorker()) return true;
    std::lock_guard guard(lock);
    blocked.fetch_add(1);
    return relieve() || spareThreads >= spareLimit;
  }

  // The calling worker is blocked and waits for others: from now on a thread is started whenever
  // all are blocked and a word is queued. False when the system refuses it now. Of several workers
  // that block at a time, the last one to come here finds all of them blocked.
  bool compensatePastLimit() {
    if (!isWorker()) return true;
    std::lock_guard guard(lock);
    isNeeded = true;
    return relieve();
  }

  void unblock() {
    if (isWorker()) blocked.fetch_sub(1);
  }

  bool wait() {
    if (isWorker()) return false;
    std::unique_lock guard(lock);
    waiters.fetch_add(1);
    quiet.wait(guard, [this] { return tasks.load() == 0; });
    waiters.fetch_sub(1);
    return true;
  }

  std::atomic<int64_t> helped{0};
  std::atomic<int64_t> compensations{0};

 private:
  struct Membership {
    const Pool *pool = nullptr;
    int32_t worker = 0;
  };

  bool isWorker() const { return membership.pool == this; }

  bool take(uintptr_t &word) {
    // The words counted here may be taken by others during the search; each of them has a task that comes for one.
    while (queued.load() > 0)
      for (auto &queue : queues)
        if (queue.try_pop(word)) {
          queued.fetch_sub(1);
          return true;
        }
    return false;
  }

  bool runOne(int32_t worker) {
    uintptr_t word;
    if (!take(word)) return false;
    Membership outer = membership;
    membership = {this, worker};
    run(context, word, worker);
    membership = outer;
    return true;
  }

  // The end of a task. The pool may go with the last line.
  void leave() {
    if (tasks.fetch_sub(1) == 1 && waiters.load() > 0) {
      std::lock_guard guard(lock);
      quiet.notify_all();
    }
    release();
  }

  // Starts spare threads while words wait for blocked workers; false when the system refuses one
  // and all others are blocked. Under the lock, which each of them takes before it looks at the
  // counts.
  bool relieve() {
    // Sequentially consistent, as in `announce`. Where a worker is unblocked between two looks, one
    // thread comes too many and ends in `goesOn`.
    // No more than words wait: the new ones look for words when the lock is free.
    auto left = queued.load();
    while (left-- > 0 && spareThreads < blocked.load()) {
      bool isLast = blocked.load() >= workers + spareThreads;
      if (spareThreads >= spareLimit && !(isNeeded && isLast)) break;
      if (!startSpare()) return !isLast;
      spareThreads++;
      compensations.fetch_add(1);
      tasks.fetch_add(1);
      holders.fetch_add(1);
    }
    return true;
  }

  // Starts a thread that is none of oneTBB's; false when the system refuses it. Under the lock.
  //
  // An arena of their own would do for a while: once some of its threads have found nothing it has
  // no more demand, but those that are blocked in it still count as what oneTBB has given to all,
  // and as many workers of another arena are never started.
  bool startSpare() {
    try {
      auto place = std::find(numbers.begin(), numbers.end(), false);
      if (place == numbers.end()) place = numbers.insert(place, false);
      auto number = static_cast<int32_t>(place - numbers.begin());
      std::thread([this, number] { runSpare(number); }).detach();
      *place = true;
      return true;
    } catch (const std::exception &) {  // no thread, or no memory for it
      return false;
    }
  }

  // A spare thread runs words for as long as no more of them are there than blocked workers.
  void runSpare(int32_t number) {
    while (goesOn(number)) runOne(workers + number);
    leave();
  }

  // Whether a spare thread is to look for a word; after false it is not counted any more.
  bool goesOn(int32_t number) {
    std::lock_guard guard(lock);
    // Sequentially consistent: either this sees the word, or its `announce` takes the lock after
    // this and starts another thread.
    if (queued.load() > 0 && spareThreads <= blocked.load()) return true;
    spareThreads--;
    // Not all are blocked: who is the last one to block then asks again.
    if (spareThreads < spareLimit) isNeeded = false;
    numbers[number] = false;
    return false;
  }

  static thread_local Membership membership;

  const int32_t workers;
  void *context = nullptr;
  onetbb_run_function run = nullptr;
  onetbb_drop_function drop = nullptr;
  tbb::concurrent_queue<uintptr_t> queues[bandCount];
  // Words in the queues.
  std::atomic<int64_t> queued{0};
  // Tasks that oneTBB has and spare threads, as far as they have not ended.
  std::atomic<int64_t> tasks{0};
  std::atomic<int64_t> holders{1};
  std::atomic<int32_t> blocked{0};
  std::atomic<int32_t> waiters{0};
  std::mutex lock;
  std::condition_variable quiet;
  // Guarded by the lock.
  int32_t spareThreads = 0;
  // A blocked worker waits for others: the limit does not hold where all are blocked.
  bool isNeeded = false;
  // Which numbers spare threads have; their workers are as many above `workers`.
  std::vector<bool> numbers;
  tbb::task_arena arena;
};

thread_local Pool::Membership Pool::membership;

Pool *pool(uintptr_t handle) { return reinterpret_cast<Pool *>(handle); }
}  // namespace

uintptr_t onetbb_pool_make(int32_t workers) {
  allowManyThreads();
  return reinterpret_cast<uintptr_t>(new Pool(workers));
}

void onetbb_pool_attach(uintptr_t handle, void *context, onetbb_run_function run, onetbb_drop_function drop) {
  pool(handle)->attach(context, run, drop);
}

void onetbb_pool_release(uintptr_t handle) { pool(handle)->release(); }
void onetbb_pool_queue(uintptr_t handle, uintptr_t word, uint8_t band) { pool(handle)->queue(word, band); }
int32_t onetbb_pool_announce(uintptr_t handle, int64_t count) { return pool(handle)->announce(count); }
uint8_t onetbb_pool_bands(uintptr_t handle) { return pool(handle)->bands(); }
int32_t onetbb_pool_help(uintptr_t handle) { return pool(handle)->help(); }
int32_t onetbb_pool_block(uintptr_t handle) { return pool(handle)->block(); }
int32_t onetbb_pool_compensate_past_limit(uintptr_t handle) { return pool(handle)->compensatePastLimit(); }
void onetbb_pool_unblock(uintptr_t handle) { pool(handle)->unblock(); }
int32_t onetbb_pool_wait(uintptr_t handle) { return pool(handle)->wait(); }
int64_t onetbb_pool_helped(uintptr_t handle) { return pool(handle)->helped.load(); }
int64_t onetbb_pool_compensations(uintptr_t handle) { return pool(handle)->compensations.load(); }
#endif
