// SPDX-License-Identifier: Apache-2.0
// A pool of oneTBB's threads that runs words through a function. Defined only with the package trait OneTBB.
#pragma once
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Runs a word on the worker of that index.
typedef void (*onetbb_run_function)(void *context, uintptr_t word, int32_t worker);
/// The pool is gone and will not call again.
typedef void (*onetbb_drop_function)(void *context);

/// A pool of `workers` threads. It lives until `onetbb_pool_release` was called and everything queued has run.
uintptr_t onetbb_pool_make(int32_t workers);
/// Says whom to call; once, before anything is queued.
void onetbb_pool_attach(uintptr_t pool, void *context, onetbb_run_function run, onetbb_drop_function drop);
/// Gives up the pool.
void onetbb_pool_release(uintptr_t pool);

/// Queues a word in a band, 0 (most urgent) to 4. Every queued word is followed by one announcement. Any thread.
void onetbb_pool_queue(uintptr_t pool, uintptr_t word, uint8_t band);
/// Asks oneTBB to run as many queued words; 0 when all threads are blocked and the system refuses
/// another.
int32_t onetbb_pool_announce(uintptr_t pool, int64_t count);
/// One bit per band in which words wait.
uint8_t onetbb_pool_bands(uintptr_t pool);
/// Runs one queued word on the calling thread if it is a worker of the pool; 1 when it did.
int32_t onetbb_pool_help(uintptr_t pool);
/// The calling worker blocks, or runs again; 0 when words wait, all threads are blocked, fewer than the
/// limit, and the system refuses another. Nothing on other threads.
int32_t onetbb_pool_block(uintptr_t pool);
void onetbb_pool_unblock(uintptr_t pool);
/// The calling worker, blocked, waits for others: a thread comes whenever all are blocked and a word
/// is queued, whatever the limit; 0 when the system refuses it. Nothing on other threads.
int32_t onetbb_pool_compensate_past_limit(uintptr_t pool);
/// Waits until nothing is queued or running; 0 when the calling thread is a worker, which would wait for itself.
int32_t onetbb_pool_wait(uintptr_t pool);

/// Words run by `onetbb_pool_help`, and threads started in the place of blocked ones.
int64_t onetbb_pool_helped(uintptr_t pool);
int64_t onetbb_pool_compensations(uintptr_t pool);

#ifdef __cplusplus
}
#endif
