/* An NCCL without GPUs, for tests of what the runtime does with one. Its ranks do not meet: a call enqueues,
   on the fake driver's stream, what would come out if all ranks had passed the elements of this one. Elements
   are `f32`, and reductions are sums. At exit it prints what was done.

   FAKE_NCCL says what is wrong with it, as words: old (2.9), no_init, null_comm, no_reduce. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define API __attribute__((visibility("default")))
typedef struct {
    char bytes[128];
} id;
struct comm {
    int ranks, rank;
};
struct work {
    const float *from;
    float *to;
    size_t count;
    int copies, factor;
};

static long comms, destroyed, aborted, groups, sends, receives;
__attribute__((destructor)) static void report(void) {
    fprintf(stderr, "fake nccl: comms %ld destroyed %ld aborted %ld groups %ld sends %ld receives %ld\n", comms,
            destroyed, aborted, groups, sends, receives);
}
static int is(const char *word) {
    const char *words = getenv("FAKE_NCCL");
    return words && strstr(words, word);
}

API const char *ncclGetErrorString(int status) {
    return status == 0 ? "no error" : status == 1 ? "unhandled cuda error" : status == 4 ? "invalid argument" : "?";
}
API const char *ncclGetLastError(void *comm) { return is("no_init") ? "there is no way\n" : ""; }
API int ncclGetVersion(int *version) { return *version = is("old") ? 2908 : 23203, 0; }
API int ncclGetUniqueId(id *made) { return memset(made, 7, sizeof *made), 0; }

static void *make(int ranks, int rank) {
    if (is("null_comm")) return NULL;
    struct comm *comm = malloc(sizeof *comm);
    *comm = (struct comm){ranks, rank};
    __atomic_add_fetch(&comms, 1, __ATOMIC_SEQ_CST);
    return comm;
}
API int ncclCommInitRank(void **comm, int ranks, id given, int rank) {
    if (is("no_init")) return 1;
    for (int i = 0; i < 128; i++)
        if (given.bytes[i] != 7) return 4;
    return *comm = make(ranks, rank), 0;
}
API int ncclCommInitAll(void **made, int ranks, const int *ordinals) {
    if (is("no_init")) return 1;
    for (int i = 0; i < ranks; i++) {
        for (int j = 0; j < i; j++)
            if (ordinals[i] == ordinals[j]) return 4;
        made[i] = make(ranks, i);
    }
    return 0;
}
API int ncclCommDestroy(void *comm) { return free(comm), __atomic_add_fetch(&destroyed, 1, __ATOMIC_SEQ_CST), 0; }
API int ncclCommAbort(void *comm) { return free(comm), __atomic_add_fetch(&aborted, 1, __ATOMIC_SEQ_CST), 0; }

static void run(void *data) {
    struct work *w = data;
    for (int copy = 0; copy < w->copies; copy++)
        for (size_t i = 0; i < w->count; i++) w->to[copy * w->count + i] = w->factor * w->from[i];
    free(w);
}
static int enqueue(const void *from, void *to, size_t count, int copies, int factor, void *stream) {
    static int (*call)(void *, void (*)(void *), void *);
    if (!call) {
        void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        *(void **)&call = dlsym(driver, "cuLaunchHostFunc");
    }
    struct work *work = malloc(sizeof *work);
    *work = (struct work){from, to, count, copies, factor};
    return call(stream, run, work) ? 1 : 0;
}
API int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, struct comm *comm, void *stream) {
    if (is("no_reduce")) return 3;
    if (type != 7 || op != 0) return 4;
    return enqueue(from, to, count, 1, comm->ranks, stream);
}
API int ncclAllGather(const void *from, void *to, size_t count, int type, struct comm *comm, void *stream) {
    return type != 7 ? 4 : enqueue(from, to, count, comm->ranks, 1, stream);
}
API int ncclReduceScatter(const float *from, void *to, size_t count, int type, int op, struct comm *comm,
                          void *stream) {
    return type != 7 || op != 0 ? 4 : enqueue(from + comm->rank * count, to, count, 1, comm->ranks, stream);
}
API int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, struct comm *comm, void *stream) {
    return type != 7 || root >= comm->ranks ? 4 : enqueue(from, to, count, 1, 1, stream);
}
static __thread int depth;
API int ncclSend(const void *from, size_t count, int type, int peer, struct comm *comm, void *stream) {
    if (!depth || type != 7 || peer == comm->rank || peer >= comm->ranks) return 4;
    return __atomic_add_fetch(&sends, 1, __ATOMIC_SEQ_CST), 0;
}
API int ncclRecv(void *to, size_t count, int type, int peer, struct comm *comm, void *stream) {
    if (!depth || type != 7 || peer == comm->rank || peer >= comm->ranks) return 4;
    return __atomic_add_fetch(&receives, 1, __ATOMIC_SEQ_CST), 0;
}
API int ncclGroupStart(void) { return depth++, __atomic_add_fetch(&groups, 1, __ATOMIC_SEQ_CST), 0; }
API int ncclGroupEnd(void) { return depth-- ? 0 : 4; }
