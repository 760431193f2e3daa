// SPDX-License-Identifier: Apache-2.0
// Child processes: how an orchestrator starts, hears and ends them, and how they notice that it is gone.
#pragma once
#include <stdint.h>

/// The descriptors that a child inherits, besides 0 (/dev/null), 1 and 2 (both the error pipe).
enum { SHIM_CHILD_RESULTS = 3, SHIM_CHILD_LIVENESS = 4, SHIM_CHILD_COMMANDS = 5 };

/// A started child: its id and the orchestrator's ends of its pipes, or `error` (an errno) and nothing else.
struct shim_child {
  int32_t pid;
  int32_t results;
  int32_t errors;
  int32_t liveness;
  int32_t commands;
  int32_t error;
};

/// Starts `path` with the arguments name, verb, argument. `changes` are lines `KEY=VALUE` (set) or `KEY` (remove) over
/// this process's environment. The child starts with SIGINT, SIGTERM and SIGHUP blocked and every other signal as by
/// default.
struct shim_child shim_spawn(const char *path, const char *name, const char *verb, const char *argument,
                             const char *changes);

/// The same with any words, the program's name the first, each ended by a zero byte, `length` bytes together, for a child
/// that may use the first of this thread's CPUs alone.
struct shim_child shim_spawn_on_one_cpu(const char *path, const char *words, uint64_t length, const char *changes);

/// A started program of the system: its id and the reading ends of its stdout and stderr, which do not block; or `error`
/// (an errno) and nothing else.
struct shim_program {
  int32_t pid;
  int32_t output;
  int32_t errors;
  int32_t error;
};

/// The descriptor under which such a program gets the one it is told to keep.
enum { SHIM_PROGRAM_KEPT = 3 };

/// Starts a program found in PATH. `words` are its arguments, its own name first, each ended by a zero byte, `length` bytes
/// together; `changes` is as for `shim_spawn`. It has an empty stdin, a process group of its own and every signal as by
/// default, inherits `kept` (10 or more, or -1 for none) and nothing else, and gets SIGINT when the calling thread ends.
/// Returns when it is executed, or with why it cannot be.
struct shim_program shim_start_program(const char *words, uint64_t length, const char *changes, int kept);

/// Opens a file to be locked, making it if need be. Returns a descriptor that a program can keep, or -errno.
int shim_open_lock(const char *path);
/// Locks that file, for one (`alone`) or for many; a lock that is held changes its kind, with a moment in which others may
/// take it. Does not wait. Returns 0, or errno: EWOULDBLOCK when others hold it.
int shim_try_lock(int lock, int alone);
/// Whether the path still leads to the open file.
int shim_is_at(int file, const char *path);

/// Whether there are descriptors for the pipes of a child. Returns 0, or errno.
int shim_can_talk(void);

/// What poll said about a child, as a mask.
enum {
  SHIM_HEARD_RESULTS = 1,
  SHIM_HEARD_ERRORS = 2,
  SHIM_HEARD_DEATH = 4,
  SHIM_HEARD_INTERRUPT = 8,
};

/// Waits at most `timeout_ms` for results, error output, the child's death (nobody reads its liveness pipe any more) or
/// a byte on `interrupt`. A descriptor of -1 is not watched. Returns the mask, 0 on timeout, or -errno.
int shim_hear(int results, int errors, int liveness, int interrupt, int timeout_ms);

/// Writes all of it to a child's commands, also when nobody hears them. Returns 0, or errno.
int shim_tell(int commands, const void *bytes, uint64_t count);

/// Reads what is there, without blocking from a descriptor that does not. Returns the count, 0 at end of file, or -errno.
int64_t shim_read_available(int fd, void *buffer, uint64_t capacity);

/// How a child ended: state 0 still running, 1 exited, 2 signalled, -1 unknown to the kernel; and its code or signal.
struct shim_exit {
  int32_t state;
  int32_t number;
};
/// Takes the exit state of a child, without waiting when `wait` is 0.
struct shim_exit shim_reap(int32_t pid, int wait);
/// Makes sure that children stay to be reaped, whatever this process inherited.
void shim_keep_zombies(void);

/// In a child: closes its descriptors on exec, ignores SIGINT, SIGTERM, SIGHUP and SIGPIPE, and starts a thread that
/// sleeps in read and ends the process at once when the orchestrator is gone. Returns 0, or errno (EBADF: not a child).
int shim_child_begin(void);
/// Writes all of it. Returns 0, or errno.
int shim_write_all(int fd, const void *bytes, uint64_t count);
/// Restricts this thread, and threads that it starts, to the first `count` CPUs it may use. Returns 0, or errno (ERANGE
/// when there are fewer).
int shim_pin(int count);
/// CPUs this thread may use, or 0 when the kernel does not say.
int shim_usable_cpus(void);

/// Catches SIGINT, SIGTERM and, unless it is ignored, SIGHUP. Returns the descriptor that turns readable at the first and
/// stays so, or -errno. Another signal more than a second later ends the process.
int shim_interrupt_install(void);
/// The number of the first signal, or 0.
int shim_interrupt_signal(void);
