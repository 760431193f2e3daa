// SPDX-License-Identifier: Apache-2.0
// The child's side of Process.h, and the orchestrator's signals.
#define _GNU_SOURCE
#include "Process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Sleeps until the orchestrator's end of the pipe is closed, which the kernel does however the orchestrator dies.
static void *watch_orchestrator(void *unused) {
  (void)unused;
  char byte;
  for (;;) {
    ssize_t count = read(SHIM_CHILD_LIVENESS, &byte, 1);
    if (count == 0 || (count < 0 && errno != EINTR)) _exit(125);
  }
}

static int start_watching(void) {
  pthread_attr_t attributes;
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all);
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 128 * 1024);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, &attributes, watch_orchestrator, 0);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  pthread_attr_destroy(&attributes);
  if (!error) pthread_setname_np(thread, "liveness");
  return error;
}

static int is_pipe(int fd) {
  struct stat kind;
  return fstat(fd, &kind) == 0 && S_ISFIFO(kind.st_mode);
}

int shim_child_begin(void) {
  if (!is_pipe(SHIM_CHILD_RESULTS) || !is_pipe(SHIM_CHILD_LIVENESS)) return EBADF;
  if (fcntl(SHIM_CHILD_COMMANDS, F_SETFD, FD_CLOEXEC) != 0) return errno;
  if (fcntl(SHIM_CHILD_RESULTS, F_SETFD, FD_CLOEXEC) != 0) return errno;
  if (fcntl(SHIM_CHILD_LIVENESS, F_SETFD, FD_CLOEXEC) != 0) return errno;
  signal(SIGINT, SIG_IGN);
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  signal(SIGPIPE, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &blocked, 0);
  // Started through a link in /proc, it would be listed as "exe".
  pthread_setname_np(pthread_self(), "bench-child");
  return start_watching();
}

int shim_usable_cpus(void) {
  cpu_set_t usable;
  return sched_getaffinity(0, sizeof usable, &usable) == 0 ? CPU_COUNT(&usable) : 0;
}

int shim_pin(int count) {
  cpu_set_t usable, chosen;
  if (sched_getaffinity(0, sizeof usable, &usable) != 0) return errno;
  CPU_ZERO(&chosen);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&chosen) < count; cpu++) {
    if (CPU_ISSET(cpu, &usable)) CPU_SET(cpu, &chosen);
  }
  if (count < 1 || CPU_COUNT(&chosen) < count) return ERANGE;
  return sched_setaffinity(0, sizeof chosen, &chosen) == 0 ? 0 : errno;
}

static volatile sig_atomic_t interrupt_signal;
static volatile sig_atomic_t first_interrupt_at;
static int interrupt_pipe[2] = {-1, -1};

static void handle_interrupt(int number) {
  int error = errno;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (interrupt_signal == 0) {
    first_interrupt_at = (sig_atomic_t)now.tv_sec;
    interrupt_signal = number;
    ssize_t ignored = write(interrupt_pipe[1], "!", 1);
    (void)ignored;
  } else if ((sig_atomic_t)now.tv_sec - first_interrupt_at > 1) {
    // Wrappers deliver one Ctrl-C twice within milliseconds; a later one means that the user will not wait.
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = error;
}

// A hang-up that whoever started this process chose to ignore, as nohup does, stays ignored.
static int catch_signal(int number, const struct sigaction *action) {
  struct sigaction before;
  if (sigaction(number, 0, &before) != 0) return -1;
  if (number == SIGHUP && before.sa_handler == SIG_IGN) return 0;
  return sigaction(number, action, 0);
}

int shim_interrupt_install(void) {
  if (interrupt_pipe[0] < 0 && pipe2(interrupt_pipe, O_CLOEXEC | O_NONBLOCK) != 0) return -errno;
  struct sigaction action = {.sa_handler = handle_interrupt, .sa_flags = SA_RESTART};
  sigemptyset(&action.sa_mask);
  // Whoever started this process may have had them blocked, and a mask is inherited.
  sigset_t caught;
  sigemptyset(&caught);
  sigaddset(&caught, SIGINT);
  sigaddset(&caught, SIGTERM);
  sigaddset(&caught, SIGHUP);
  pthread_sigmask(SIG_UNBLOCK, &caught, 0);
  if (catch_signal(SIGINT, &action) != 0 || catch_signal(SIGTERM, &action) != 0 || catch_signal(SIGHUP, &action) != 0)
    return -errno;
  return interrupt_pipe[0];
}

int shim_interrupt_signal(void) { return interrupt_signal; }
