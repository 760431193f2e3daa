// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "Process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

// Descriptors of the orchestrator start here, so that none is the target of a dup2 in the child.
enum { FIRST_FREE = 10 };

static int raised(int fd) {
  if (fd < 0) return -1;
  int high = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FREE);
  // Where the limit on descriptors is below the first one wanted, the kernel calls the argument invalid.
  int error = errno == EINVAL ? EMFILE : errno;
  close(fd);
  errno = error;
  return high;
}

static int raise_both(int ends[2], const int low[2]) {
  ends[0] = raised(low[0]);
  int error = ends[0] < 0 ? errno : 0;
  ends[1] = raised(low[1]);
  if (error == 0 && ends[1] < 0) error = errno;
  return error;
}

static int open_pipe(int ends[2]) {
  int low[2];
  return pipe2(low, O_CLOEXEC) != 0 ? errno : raise_both(ends, low);
}

// A pipe in one direction whose reader may go without a signal to the writer.
static int open_socket(int ends[2]) {
  int low[2];
  return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low) != 0 ? errno : raise_both(ends, low);
}

static void close_pipe(int ends[2]) {
  for (int i = 0; i < 2; i++) {
    if (ends[i] >= 0) close(ends[i]);
  }
}

// True when the line that starts at `change` and is `length` long is about the variable `entry`.
static int is_about(const char *entry, const char *change, size_t length) {
  size_t name = 0;
  while (name < length && change[name] != '=') name++;
  return strncmp(entry, change, name) == 0 && entry[name] == '=';
}

// A copy of the environment with the changes applied; `text` is cut into lines in place and must outlive it.
static char **changed_environment(char *text) {
  size_t kept = 0, lines = 1;
  while (environ[kept]) kept++;
  for (char *c = text; *c; c++) lines += *c == '\n';
  char **result = calloc(kept + lines + 1, sizeof *result);
  if (!result) return 0;
  size_t count = 0;
  for (size_t i = 0; i < kept; i++) {
    int changed = 0;
    for (const char *line = text; *line && !changed;) {
      size_t length = strcspn(line, "\n");
      changed = is_about(environ[i], line, length);
      line += length + (line[length] == '\n');
    }
    if (!changed) result[count++] = environ[i];
  }
  char *rest = text;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (strchr(line, '=')) result[count++] = line;
  }
  return result;
}

static int prepare(posix_spawn_file_actions_t *actions, posix_spawnattr_t *attributes, int results, int errors,
                   int liveness, int commands) {
  sigset_t blocked, all;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGINT);
  sigaddset(&blocked, SIGTERM);
  sigaddset(&blocked, SIGHUP);
  sigfillset(&all);
  int error = posix_spawnattr_setsigmask(attributes, &blocked);
  if (!error) error = posix_spawnattr_setsigdefault(attributes, &all);
  if (!error) error = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!error) error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, errors, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, errors, 2);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, results, SHIM_CHILD_RESULTS);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, liveness, SHIM_CHILD_LIVENESS);
  if (!error) error = posix_spawn_file_actions_adddup2(actions, commands, SHIM_CHILD_COMMANDS);
#ifdef __GLIBC__
  // What this process inherited without close-on-exec must not keep anybody's pipe open either.
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(actions, SHIM_CHILD_COMMANDS + 1);
#endif
  return error;
}

static int start(pid_t *pid, const char *path, char *const arguments[], const char *changes, int results, int errors,
                 int liveness, int commands) {
  char *text = strdup(changes);
  char **environment = text ? changed_environment(text) : 0;
  if (!environment) {
    free(text);
    return ENOMEM;
  }
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_init(&actions);
  posix_spawnattr_init(&attributes);
  int error = prepare(&actions, &attributes, results, errors, liveness, commands);
  if (!error) error = posix_spawn(pid, path, &actions, &attributes, arguments, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  free(environment);
  free(text);
  return error;
}

static struct shim_child spawn(const char *path, char *const arguments[], const char *changes) {
  int results[2] = {-1, -1}, errors[2] = {-1, -1}, liveness[2] = {-1, -1}, commands[2] = {-1, -1};
  int error = open_pipe(results);
  if (!error) error = open_pipe(errors);
  if (!error) error = open_pipe(liveness);
  if (!error) error = open_socket(commands);
  if (!error && fcntl(results[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
  if (!error && fcntl(errors[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
  pid_t pid = -1;
  if (!error) error = start(&pid, path, arguments, changes, results[1], errors[1], liveness[0], commands[0]);
  if (error) {
    close_pipe(results);
    close_pipe(errors);
    close_pipe(liveness);
    close_pipe(commands);
    return (struct shim_child){-1, -1, -1, -1, -1, error};
  }
  close(results[1]);
  close(errors[1]);
  close(liveness[0]);
  close(commands[0]);
  return (struct shim_child){pid, results[0], errors[0], liveness[1], commands[1], 0};
}

// The words of a text in which each ends with a zero byte, with a null pointer behind the last.
static char **list_of(const char *words, uint64_t length) {
  size_t count = 0;
  for (uint64_t i = 0; i < length; i++) count += words[i] == 0;
  char **list = calloc(count + 1, sizeof *list);
  for (size_t i = 0; list && i < count; i++, words += strlen(words) + 1) list[i] = (char *)words;
  return list;
}

struct shim_child shim_spawn(const char *path, const char *name, const char *verb, const char *argument,
                             const char *changes) {
  char *arguments[] = {(char *)name, (char *)verb, (char *)argument, 0};
  return spawn(path, arguments, changes);
}

struct shim_child shim_spawn_on_one_cpu(const char *path, const char *words, uint64_t length, const char *changes) {
  struct shim_child child = {-1, -1, -1, -1, -1, ENOMEM};
  char **arguments = list_of(words, length);
  if (!arguments) return child;
  cpu_set_t before;
  // A child inherits the mask of the thread that starts it.
  child.error = sched_getaffinity(0, sizeof before, &before) == 0 ? shim_pin(1) : errno;
  if (!child.error) {
    child = spawn(path, arguments, changes);
    sched_setaffinity(0, sizeof before, &before);
  }
  free(arguments);
  return child;
}

// In the child of a fork, where nothing may allocate: gives it its streams and lets go of everything else. What keeps it
// from being executed goes to `failure`, which an executed program has no more.
static void become(char *const arguments[], char *const environment[], int output, int errors, int kept, int failure,
                   pid_t parent) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGINT);
  if (getppid() != parent) _exit(127);
  struct sigaction standard = {.sa_handler = SIG_DFL};
  for (int number = 1; number < NSIG; number++) sigaction(number, &standard, 0);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, 0);
  int nothing = open("/dev/null", O_RDONLY);
  int ready = nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 && dup2(errors, 2) >= 0;
  // Descriptors of the orchestrator start above it; what is kept has close-on-exec, which a copy has not.
  if (ready && kept >= 0) ready = dup2(kept, SHIM_PROGRAM_KEPT) >= 0;
  int last = kept >= 0 ? SHIM_PROGRAM_KEPT + 1 : SHIM_PROGRAM_KEPT;
  if (ready && dup3(failure, last, O_CLOEXEC) >= 0) {
    failure = last;
#ifdef __GLIBC__
    closefrom(last + 1);
#endif
    execvpe(arguments[0], arguments, environment);
  }
  int error = errno;
  while (write(failure, &error, sizeof error) < 0 && errno == EINTR) {
  }
  _exit(127);
}

// What a forked child tells of its failure: 0 when it tells nothing until it is executed or gone.
static int failure_of(int told) {
  int error = 0;
  ssize_t count;
  do {
    count = read(told, &error, sizeof error);
  } while (count < 0 && errno == EINTR);
  return count == (ssize_t)sizeof error ? error : 0;
}

struct shim_program shim_start_program(const char *words, uint64_t length, const char *changes, int kept) {
  int output[2] = {-1, -1}, errors[2] = {-1, -1}, failure[2] = {-1, -1};
  char **arguments = list_of(words, length), *text = strdup(changes), **environment = text ? changed_environment(text) : 0;
  int error = arguments && environment ? open_pipe(output) : ENOMEM;
  if (!error) error = open_pipe(errors);
  if (!error) error = open_pipe(failure);
  if (!error && fcntl(output[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
  if (!error && fcntl(errors[0], F_SETFL, O_NONBLOCK) != 0) error = errno;
  if (!error && kept >= 0 && kept < FIRST_FREE) error = EBADF;
  // Who interrupts the program at once must find its group, and the program without the handlers of this process: a
  // signal that comes before waits until it has let go of them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t parent = getpid(), pid = error ? -1 : fork();
  if (pid == 0) become(arguments, environment, output[1], errors[1], kept, failure[1], parent);
  if (!error && pid < 0) error = errno;
  if (pid > 0) setpgid(pid, pid);
  pthread_sigmask(SIG_SETMASK, &before, 0);
  if (pid > 0) {
    close(failure[1]);
    failure[1] = -1;
    error = failure_of(failure[0]);
    if (error) shim_reap(pid, 1);
  }
  close_pipe(failure);
  free(arguments);
  free(environment);
  free(text);
  if (error) {
    close_pipe(output);
    close_pipe(errors);
    return (struct shim_program){-1, -1, -1, error};
  }
  close(output[1]);
  close(errors[1]);
  return (struct shim_program){pid, output[0], errors[0], 0};
}

int shim_can_talk(void) {
  int pipes[4][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  int error = 0;
  for (int i = 0; i < 4 && !error; i++) error = open_pipe(pipes[i]);
  for (int i = 0; i < 4; i++) close_pipe(pipes[i]);
  return error;
}

int shim_hear(int results, int errors, int liveness, int interrupt, int timeout_ms) {
  // A pipe's writing end reports POLLERR, asked or not, once no reader is left: the child is gone, however it went.
  struct pollfd watched[] = {{results, POLLIN, 0}, {errors, POLLIN, 0}, {liveness, 0, 0}, {interrupt, POLLIN, 0}};
  int count = poll(watched, 4, timeout_ms);
  if (count < 0) return errno == EINTR ? 0 : -errno;
  int heard = 0;
  for (int i = 0; i < 4; i++) {
    if (watched[i].revents) heard |= 1 << i;
  }
  return heard;
}

int64_t shim_read_available(int fd, void *buffer, uint64_t capacity) {
  ssize_t count;
  do {
    count = read(fd, buffer, capacity);
  } while (count < 0 && errno == EINTR);
  return count < 0 ? -errno : count;
}

struct shim_exit shim_reap(int32_t pid, int wait) {
  int status;
  pid_t reaped;
  do {
    reaped = waitpid(pid, &status, wait ? 0 : WNOHANG);
  } while (reaped < 0 && errno == EINTR);
  if (reaped == 0) return (struct shim_exit){0, 0};
  if (reaped < 0) return (struct shim_exit){-1, errno};
  if (WIFSIGNALED(status)) return (struct shim_exit){2, WTERMSIG(status)};
  return (struct shim_exit){1, WEXITSTATUS(status)};
}

void shim_keep_zombies(void) { signal(SIGCHLD, SIG_DFL); }

int shim_write_all(int fd, const void *bytes, uint64_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = write(fd, next, count);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    next += written;
    count -= (uint64_t)written;
  }
  return 0;
}

int shim_tell(int commands, const void *bytes, uint64_t count) {
  const char *next = bytes;
  while (count > 0) {
    ssize_t written = send(commands, next, count, MSG_NOSIGNAL);
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    next += written;
    count -= (uint64_t)written;
  }
  return 0;
}

int shim_open_lock(const char *path) {
  int file = raised(open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  return file < 0 ? -errno : file;
}

int shim_try_lock(int lock, int alone) {
  while (flock(lock, (alone ? LOCK_EX : LOCK_SH) | LOCK_NB) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

int shim_is_at(int file, const char *path) {
  struct stat opened, named;
  return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
         opened.st_ino == named.st_ino;
}
