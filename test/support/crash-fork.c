/*
 * Forks Node, so that a start in the crash proofs costs a fork: `crash-serve.ts` says when. The few calls of Node's and
 * libuv's C interfaces that it needs are declared here; no header of theirs has to be installed.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

typedef void *env_t, *value_t, *info_t;
typedef value_t (*function_t)(env_t, info_t);
extern int napi_create_function(env_t, const char *, size_t, function_t, void *, value_t *);
extern int napi_create_int32(env_t, int, value_t *);
extern int napi_get_cb_info(env_t, info_t, size_t *, value_t *, value_t *, void **);
extern int napi_get_uv_event_loop(env_t, void **);
extern int napi_get_value_int32(env_t, value_t, int *);
extern int napi_set_named_property(env_t, value_t, const char *, value_t);
extern int uv_loop_fork(void *);

static value_t number(env_t env, int value) {
  value_t made = NULL;
  napi_create_int32(env, value, &made);
  return made;
}

/* V8 keeps its heap out of forks, since whoever forks to start another program has no use for it. */
static void keep_all_memory(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4352];
  unsigned long from, to;
  if (maps == NULL) return;
  while (fgets(line, sizeof line, maps) != NULL)
    if (sscanf(line, "%lx-%lx", &from, &to) == 2) madvise((void *)from, to - from, MADV_DOFORK);
  fclose(maps);
}

/* Whoever is not a parent of this process may trace it, too. */
static value_t traceable(env_t env, info_t info) {
  (void)info;
  return number(env, prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0));
}

/* 0 in the new process, which has one thread and an event loop of its own; its number in the old one. */
static value_t fork_here(env_t env, info_t info) {
  void *loop = NULL;
  int pid;
  (void)info;
  napi_get_uv_event_loop(env, &loop);
  keep_all_memory();
  pid = fork();
  if (pid == 0 && uv_loop_fork(loop) != 0) _exit(70);
  return number(env, pid);
}

/* Waits until the one that was forked has ended: with what, or by which signal, as a negative number. */
static value_t await_end(env_t env, info_t info) {
  int status = 0;
  (void)info;
  while (wait(&status) < 0);
  return number(env, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

/* Node's own end waits for threads that only the old process has. */
static value_t end(env_t env, info_t info) {
  size_t count = 1;
  value_t code = NULL;
  int value = 0;
  napi_get_cb_info(env, info, &count, &code, NULL, NULL);
  napi_get_value_int32(env, code, &value);
  _exit(value);
}

value_t napi_register_module_v1(env_t env, value_t exports) {
  const struct { const char *name; function_t run; } all[] = {
    {"awaitEnd", await_end}, {"end", end}, {"fork", fork_here}, {"traceable", traceable},
  };
  size_t each;
  for (each = 0; each < sizeof all / sizeof all[0]; each++) {
    value_t made = NULL;
    napi_create_function(env, all[each].name, (size_t)-1, all[each].run, NULL, &made);
    napi_set_named_property(env, exports, all[each].name, made);
  }
  return exports;
}
