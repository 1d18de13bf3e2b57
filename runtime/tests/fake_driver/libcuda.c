/* A CUDA driver without a GPU, for tests of what the runtime does with one: it keeps "device" memory
   on the host, does everything at once, and knows the kernels of tests/kernels by their names.
   It checks what a driver takes for granted, and at exit prints what is still allocated.

   Work goes to the queue of its stream, and the queue is run at once. With the word `lazy` in FAKE_CUDA it is
   run as late as possible: when somebody waits for the stream, or for an event in it. Then work that should
   wait for another stream's and does not runs before it.

   FAKE_CUDA says what else is wrong with it, as words: no_device, old (sm_70), no_pools, no_memory, no_cooperation; foreign: work may
   use memory that is not the driver's;
   newer: sm_130. ampere: sm_80. one_old: GPU 0 is sm_70. terse: it knows no attribute that launches do not rely on. no_room: no block
   fits. apart: GPUs cannot access each other's memory.
   greedy: kernels take 168 registers, and not 32. cramped: coarsened code runs in blocks of 128 threads at most. huge: numbers are the largest there are. unaligned: memory begins
   at odd addresses. null_context, null_stream, null_memory, null_host, null_module, null_function, null_constant, null_array, null_mipmapped, null_level, null_texture, null_surface: these
   calls succeed and return a null pointer. stiff: kernels run in blocks of 512 threads at most.

   fake_fail lets one call fail, for tests that let each of them fail. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OK 0
#define INVALID_VALUE 1
#define OUT_OF_MEMORY 2
#define NO_DEVICE 100
#define INVALID_CONTEXT 201
#define INVALID_PTX 218
#define NOT_FOUND 500
#define ILLEGAL_ADDRESS 700

#define API __attribute__((visibility("default")))
typedef uint64_t address;

#define NOT_READY 600

static int is(const char *word) {
    const char *words = getenv("FAKE_CUDA");
    return words && strstr(words, word);
}

/* What is alive, and how often kernels were loaded. */
static long graphs, contexts, streams, events, memory, pinned, modules, loads, launches, early;
static int lost;
static __thread void *stack[4096], **top;
#define current (top > stack ? top[-1] : NULL)
#define COUNT(n, by) __atomic_add_fetch(&(n), (by), __ATOMIC_SEQ_CST)

__attribute__((destructor)) static void report(void) {
    fprintf(stderr,
            "fake driver: contexts %ld streams %ld events %ld memory %ld pinned %ld graphs %ld modules %ld loads %ld "
            "launches %ld early %ld\n",
            contexts, streams, events, memory, pinned, graphs, modules, loads, launches, early);
}

/* Every call of the runtime counts, and a call that is to fail does so before it has any effect. Those that
   functions here make of each other do not count. */
static long calls, failing_call;
static int failing_status;
static const char *failed = "";
static __thread int depth;
static void leave(int *entered) { depth--; }
static int call_status(const char *name) {
    if (depth > 1 || COUNT(calls, 1) != failing_call) return OK;
    failed = name;
    if (failing_status == ILLEGAL_ADDRESS) lost = 1;
    return failing_status;
}
#define CALL                                                        \
    __attribute__((cleanup(leave), unused)) int entered = ++depth; \
    int injected = call_status(__func__);                           \
    if (injected) return injected

/* Lets the `number`th call from now on fail with `status`; none, if that is 0. */
API void fake_fail(long number, int status) {
    failed = "", failing_status = status;
    __atomic_store_n(&failing_call, number, __ATOMIC_SEQ_CST);
    __atomic_store_n(&calls, 0, __ATOMIC_SEQ_CST);
}
/* The number of calls since then, and the name of the one that failed, or nothing. */
API long fake_calls(void) { return calls; }
API const char *fake_failed(void) { return failed; }
/* What is alive: contexts, streams, events, memory, pinned memory, graphs, modules. */
API void fake_left(long *left) {
    long alive[] = {contexts, streams, events, memory, pinned, graphs, modules};
    memcpy(left, alive, sizeof alive);
}

#define ENTER                                    \
    do {                                         \
        if (!current) return INVALID_CONTEXT;    \
        if (lost) return ILLEGAL_ADDRESS;        \
    } while (0)

API int cuInit(unsigned flags) {
    CALL;
    return is("no_device") ? NO_DEVICE : OK;
}
API int cuGetErrorName(int status, const char **name) {
    *name = status == NO_DEVICE         ? "CUDA_ERROR_NO_DEVICE"
            : status == OUT_OF_MEMORY   ? "CUDA_ERROR_OUT_OF_MEMORY"
            : status == INVALID_PTX     ? "CUDA_ERROR_INVALID_PTX"
            : status == INVALID_CONTEXT ? "CUDA_ERROR_INVALID_CONTEXT"
            : status == ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                        : NULL;
    return *name ? OK : INVALID_VALUE;
}
API int cuGetErrorString(int status, const char **text) {
    *text = status == NO_DEVICE         ? "no CUDA-capable device is detected"
            : status == ILLEGAL_ADDRESS ? "an illegal memory access was encountered"
                                        : NULL;
    return *text ? OK : INVALID_VALUE;
}
API int cuDriverGetVersion(int *version) {
    CALL;
    return *version = is("huge") ? INT32_MAX : 13000, OK;
}
API int cuDeviceGetCount(int *count) {
    CALL;
    return *count = is("huge") ? INT32_MAX : 2, OK;
}
API int cuDeviceGet(int *device, int ordinal) {
    CALL;
    return *device = 40 + ordinal, OK;
}
API int cuDeviceGetName(char *name, int len, int device) {
    CALL;
    return snprintf(name, len, "Fake %d", device), OK;
}
API int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    CALL;
    return *bytes = is("huge") ? SIZE_MAX : 1 << 30, OK;
}
API int cuDeviceGetAttribute(int *value, int attribute, int device) {
    CALL;
    if (is("huge") && attribute == 16) return *value = INT32_MAX, OK;
    switch (attribute) {
    case 1: return *value = 1024, OK;
    case 2: case 3: return *value = 1024, OK;
    case 4: return *value = 64, OK;
    case 5: return *value = INT32_MAX, OK;
    case 6: case 7: return *value = 65535, OK;
    case 8: return *value = 48 << 10, OK;
    case 10: return *value = 32, OK;
    case 16: return *value = 132, OK;
    case 97: return *value = 227 << 10, OK;
    case 95: return *value = !is("no_cooperation"), OK;
    case 75:
        if (is("huge_capability")) return *value = INT32_MAX, OK;
        return *value = is("one_old") ? (device == 40 ? 7 : 9) : is("old") ? 7 : is("newer") ? 13 : is("ampere") ? 8 : 9, OK;
    case 76: return *value = 0, OK;
    case 115: return is("no_pools") ? INVALID_VALUE : (*value = 1, OK);
    }
    if (is("terse")) return INVALID_VALUE;
    switch (attribute) {
    case 13: return *value = 1980000, OK;
    case 20: return *value = 3, OK;
    case 21: return *value = 131072, OK;
    case 22: return *value = 131072, OK;
    case 23: return *value = 65536, OK;
    case 24: case 25: case 26: return *value = 16384, OK;
    case 27: case 28: case 42: return *value = 32768, OK;
    case 29: case 43: return *value = 2048, OK;
    case 14: case 30: return *value = 512, OK;
    case 51: return *value = 32, OK;
    case 32: return *value = 1, OK;
    case 33: return *value = device, OK;
    case 34: case 50: return *value = 0, OK;
    case 39: return *value = 2048, OK;
    case 40: return *value = 3, OK;
    default: return INVALID_VALUE;
    }
}
API int cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
    CALL;
    if (is("terse")) return INVALID_VALUE;
    for (int i = 0; i < 16; i++) uuid[i] = device + i;
    return OK;
}
API int cuDeviceCanAccessPeer(int *can, int device, int peer) {
    CALL;
    if (device == peer) return INVALID_VALUE;
    return *can = !is("apart"), OK;
}
API int cuDevicePrimaryCtxRetain(void **context, int device) {
    CALL;
    lost = 0;
    if (is("null_context")) return *context = NULL, OK;
    return COUNT(contexts, 1), *context = (void *)(intptr_t)device, OK;
}
API int cuDevicePrimaryCtxRelease_v2(int device) {
    CALL;
    return COUNT(contexts, -1), OK;
}
API int cuCtxGetCurrent(void **context) {
    CALL;
    if (!top) top = stack;
    return *context = current, OK;
}
API int cuCtxPushCurrent_v2(void *context) {
    CALL;
    if (!top) top = stack;
    if (top == stack + 4096) return INVALID_VALUE;
    return *top++ = context, OK;
}
API int cuCtxPopCurrent_v2(void **context) {
    CALL;
    if (top == stack) return INVALID_CONTEXT;
    return *context = *--top, OK;
}

/* What cudarc calls besides. */
API int cuCtxSetCurrent(void *context) {
    if (!top) top = stack;
    if (top == stack) top++;
    return top[-1] = context, OK;
}
API int cuCtxSynchronize(void) {
    ENTER;
    return OK;
}

/* Memory: every address is that of a malloc. Work with memory that was freed before ends the process. */
static struct block {
    address at;
    size_t bytes;
} blocks[1 << 14];
static size_t most_blocks;
static char blocks_lock;
static void add_block(address at, size_t bytes) {
    while (__atomic_test_and_set(&blocks_lock, __ATOMIC_ACQUIRE));
    size_t i = 0;
    while (blocks[i].at) i++;
    blocks[i] = (struct block){at, bytes};
    if (i >= most_blocks) most_blocks = i + 1;
    __atomic_clear(&blocks_lock, __ATOMIC_RELEASE);
}
static void free_block(address at) {
    while (__atomic_test_and_set(&blocks_lock, __ATOMIC_ACQUIRE));
    size_t i = 0;
    while (i < most_blocks && blocks[i].at != at) i++;
    if (i == most_blocks) fprintf(stderr, "fake driver: memory is freed twice\n"), abort();
    blocks[i].at = 0;
    __atomic_clear(&blocks_lock, __ATOMIC_RELEASE);
    memset((void *)at, 0xdd, 1);
    free((void *)at);
    COUNT(memory, -1);
}
static void check_block(address at, size_t bytes) {
    if (is("foreign")) return;
    while (__atomic_test_and_set(&blocks_lock, __ATOMIC_ACQUIRE));
    size_t i = 0;
    while (i < most_blocks && !(blocks[i].at && blocks[i].at <= at && at + bytes <= blocks[i].at + blocks[i].bytes)) i++;
    if (i == most_blocks) fprintf(stderr, "fake driver: work with memory that is not there\n"), abort();
    __atomic_clear(&blocks_lock, __ATOMIC_RELEASE);
}
API int cuMemGetInfo_v2(size_t *free, size_t *total) {
    CALL;
    ENTER;
    return *free = is("huge") ? SIZE_MAX : 1 << 20, *total = 1 << 30, OK;
}
API int cuMemAlloc_v2(address *at, size_t bytes) {
    CALL;
    ENTER;
    if (bytes == 0) return INVALID_VALUE;
    if (bytes > 1 << 30) return OUT_OF_MEMORY;
    if (is("null_memory") || is("unaligned")) return *at = is("unaligned") ? 0x10004 : 0, OK;
    memset((void *)(*at = (address)aligned_alloc(256, (bytes + 255) / 256 * 256)), 0xab, bytes);
    add_block(*at, bytes);
    return COUNT(memory, 1), OK;
}
API int cuMemFree_v2(address at) {
    CALL;
    ENTER;
    return free_block(at), OK;
}
/* Page-locked memory, of which copies are made when their turn comes. */
static struct host {
    char *at;
    size_t bytes;
} hosts[1024];
API int cuMemAllocHost_v2(void **host, size_t bytes) {
    CALL;
    ENTER;
    if (is("null_host")) return *host = NULL, OK;
    if (bytes > 1 << 30) return OUT_OF_MEMORY;
    *host = malloc(bytes);
    for (struct host *h = hosts; h < hosts + 1024; h++) {
        char *none = NULL;
        if (__atomic_compare_exchange_n(&h->at, &none, *host, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            h->bytes = bytes;
            break;
        }
    }
    return COUNT(pinned, 1), OK;
}
API int cuMemFreeHost(void *host) {
    CALL;
    ENTER;
    for (struct host *h = hosts; h < hosts + 1024; h++)
        if (h->at == host) h->at = NULL;
    free(host);
    return COUNT(pinned, -1), OK;
}
static int is_pinned(const void *at) {
    for (struct host *h = hosts; h < hosts + 1024; h++)
        if (h->at && h->at <= (char *)at && (char *)at < h->at + h->bytes) return 1;
    return 0;
}

/* Queues. */
struct event {
    struct stream *stream;
    uint64_t number;
};
struct work {
    struct work *next;
    void (*run)(struct work *);
    address to, from;
    size_t bytes, pitch, rows;
    uint32_t value, unit;
    struct event event;
    void (*call)(void *);
    void *data;
    const char *kernel;
    unsigned grid, block, shared;
    uint64_t params[8];
};
struct stream {
    struct work *first, **last;
    uint64_t given, done;
};

static char queues;
static void lock(void) {
    while (__atomic_test_and_set(&queues, __ATOMIC_ACQUIRE));
}
static void unlock(void) { __atomic_clear(&queues, __ATOMIC_RELEASE); }

static void run_until(struct stream *stream, uint64_t number) {
    while (stream->done < number && stream->first) {
        struct work *work = stream->first;
        if (!(stream->first = work->next)) stream->last = &stream->first;
        work->run(work);
        stream->done++;
        free(work);
    }
}
static int give(void *to, struct work work) {
    struct stream *stream = to;
    if (!stream) return INVALID_VALUE;
    struct work *copy = malloc(sizeof work);
    *copy = work;
    copy->next = NULL;
    lock();
    *stream->last = copy;
    stream->last = &copy->next;
    stream->given++;
    if (!is("lazy")) run_until(stream, stream->given);
    unlock();
    return OK;
}
static int wait_for(struct stream *stream) {
    lock();
    run_until(stream, stream->given);
    unlock();
    return lost ? ILLEGAL_ADDRESS : OK;
}

/* The sides of a copy that are of the host. */
enum { HOST_SOURCE = 1, HOST_DESTINATION = 2, PINNED = 4 };
static void run_copy(struct work *w) {
    if (!(w->value & HOST_SOURCE)) check_block(w->from, w->bytes);
    if (!(w->value & HOST_DESTINATION)) check_block(w->to, w->bytes);
    void *host = (void *)(w->value & HOST_SOURCE ? w->from : w->to);
    if (w->value & PINNED && !is_pinned(host))
        fprintf(stderr, "fake driver: page-locked memory is freed before it is copied\n"), abort();
    memmove((void *)w->to, (void *)w->from, w->bytes);
    free(w->data);
}
static void run_set(struct work *w) {
    if (w->rows) check_block(w->to, (w->rows - 1) * w->pitch + w->bytes * w->unit);
    for (size_t row = 0; row < w->rows; row++) {
        char *to = (char *)w->to + row * w->pitch;
        for (size_t i = 0; i < w->bytes && w->unit == 4; i++) ((uint32_t *)to)[i] = w->value;
        for (size_t i = 0; i < w->bytes && w->unit == 2; i++) ((uint16_t *)to)[i] = w->value;
        if (w->unit == 1) memset(to, w->value, w->bytes);
    }
}
static void run_wait(struct work *w) {
    if (w->event.stream) run_until(w->event.stream, w->event.number);
}
static void run_call(struct work *w) { w->call(w->data); }
static void run_callback(struct work *w) {
    void (*callback)(void *, int, void *) = (void (*)(void *, int, void *))w->call;
    callback((void *)w->to, lost ? ILLEGAL_ADDRESS : OK, w->data);
}
static void run_free(struct work *w) { free_block(w->to); }

#ifndef NO_POOLS
API int cuMemAllocAsync(address *at, size_t bytes, void *stream) {
    CALL;
    return cuMemAlloc_v2(at, bytes);
}
API int cuMemFreeAsync(address at, void *stream) {
    CALL;
    ENTER;
    return give(stream, (struct work){.run = run_free, .to = at});
}
#endif
static int set(address to, size_t pitch, uint32_t value, uint32_t unit, size_t width, size_t rows, void *stream) {
    ENTER;
    if (to % unit || (rows > 1 && pitch % unit)) return INVALID_VALUE;
    return give(stream, (struct work){.run = run_set, .to = to, .pitch = pitch, .value = value, .unit = unit,
                                      .bytes = width, .rows = rows});
}
API int cuMemsetD8Async(address to, unsigned char byte, size_t count, void *stream) {
    CALL;
    return set(to, 0, byte, 1, count, 1, stream);
}
API int cuMemsetD16Async(address to, unsigned short value, size_t count, void *stream) {
    CALL;
    return set(to, 0, value, 2, count, 1, stream);
}
API int cuMemsetD32Async(address to, unsigned value, size_t count, void *stream) {
    CALL;
    return set(to, 0, value, 4, count, 1, stream);
}
API int cuMemsetD2D8Async(address to, size_t pitch, unsigned char value, size_t width, size_t rows, void *stream) {
    CALL;
    return set(to, pitch, value, 1, width, rows, stream);
}
API int cuMemsetD2D16Async(address to, size_t pitch, unsigned short value, size_t width, size_t rows, void *stream) {
    CALL;
    return set(to, pitch, value, 2, width, rows, stream);
}
API int cuMemsetD2D32Async(address to, size_t pitch, unsigned value, size_t width, size_t rows, void *stream) {
    CALL;
    return set(to, pitch, value, 4, width, rows, stream);
}
API int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t bytes, void *stream) {
    CALL;
    ENTER;
    if (bytes == 0) return INVALID_VALUE;
    /* What is not page-locked is copied before the call returns. */
    void *kept = is_pinned(from) ? NULL : memcpy(malloc(bytes), from, bytes);
    address source = (address)(kept ? kept : from);
    unsigned sides = HOST_SOURCE | (kept ? 0 : PINNED);
    return give(stream, (struct work){.run = run_copy, .to = to, .from = source, .bytes = bytes, .value = sides,
                                      .data = kept});
}
API int cuMemcpyDtoHAsync_v2(void *to, address from, size_t bytes, void *stream) {
    CALL;
    ENTER;
    if (bytes == 0) return INVALID_VALUE;
    unsigned sides = HOST_DESTINATION | (is_pinned(to) ? PINNED : 0);
    int given = give(stream, (struct work){.run = run_copy, .to = (address)to, .from = from, .bytes = bytes,
                                           .value = sides});
    return given || is_pinned(to) ? given : wait_for(stream);
}
API int cuMemcpyDtoDAsync_v2(address to, address from, size_t bytes, void *stream) {
    CALL;
    ENTER;
    if (bytes == 0) return INVALID_VALUE;
    return give(stream, (struct work){.run = run_copy, .to = to, .from = from, .bytes = bytes});
}
struct copy_rows {
    size_t from_start[2];
    unsigned from_type;
    const void *from_host;
    address from_device;
    void *from_array;
    size_t from_pitch, to_start[2];
    unsigned to_type;
    void *to_host;
    address to_device;
    void *to_array;
    size_t to_pitch, width, height;
};
API int cuMemcpy2DAsync_v2(const struct copy_rows *copy, void *stream) {
    CALL;
    ENTER;
    enum { HOST = 1, DEVICE = 2 };
    if (copy->from_pitch < copy->width || copy->to_pitch < copy->width) return INVALID_VALUE;
    for (size_t row = 0; row < copy->height; row++) {
        size_t from = row * copy->from_pitch, to = row * copy->to_pitch;
        int result = INVALID_VALUE;
        if (copy->from_type == HOST && copy->to_type == DEVICE)
            result = cuMemcpyHtoDAsync_v2(copy->to_device + to, (char *)copy->from_host + from, copy->width, stream);
        if (copy->from_type == DEVICE && copy->to_type == HOST)
            result = cuMemcpyDtoHAsync_v2((char *)copy->to_host + to, copy->from_device + from, copy->width, stream);
        if (copy->from_type == DEVICE && copy->to_type == DEVICE)
            result = cuMemcpyDtoDAsync_v2(copy->to_device + to, copy->from_device + from, copy->width, stream);
        if (result) return result;
    }
    return OK;
}
API int cuMemcpyPeerAsync(address to, void *to_context, address from, void *from_context, size_t bytes,
                          void *stream) {
    CALL;
    if (to_context == from_context) return INVALID_VALUE;
    return cuMemcpyDtoDAsync_v2(to, from, bytes, stream);
}

/* Textures: an array counts as memory. A texture object stays readable after its end, so that a kernel
   that reads it then is noticed. */
struct copy_side {
    size_t start[4];
    unsigned type;
    void *host;
    address device;
    void *array, *reserved;
    size_t pitch, height;
};
struct copy_node {
    struct copy_side from, to;
    size_t width, height, depth;
};
struct array_descriptor {
    size_t width, height, depth;
    unsigned format, channels, flags;
};
struct array {
    struct array_descriptor is;
    size_t texel;
    address data;
};
struct texture {
    int is_alive;
    struct array *array;
};
static size_t or_one(size_t extent) { return extent ? extent : 1; }
/* Sets everything of an array but its memory, whose size `bytes` takes. */
static int describe_array(struct array *array, const struct array_descriptor *given, size_t *bytes) {
    unsigned format = given->format, channels = given->channels;
    int is_known = (1 <= format && format <= 3) || (8 <= format && format <= 10) || format == 16 || format == 32;
    size_t size = format == 3 || format == 10 || format == 32 ? 4 : format == 1 || format == 8 ? 1 : 2;
    int is_layered = given->flags & 1;
    if (!given->width || (given->depth && !given->height && !is_layered) || given->flags & ~11u) return INVALID_VALUE;
    if (!is_known || (channels != 1 && channels != 2 && channels != 4)) return INVALID_VALUE;
    array->is = *given, array->texel = size * channels;
    *bytes = array->texel * given->width * or_one(given->height) * or_one(given->depth);
    return OK;
}
API int cuArray3DCreate_v2(struct array **array, const struct array_descriptor *given) {
    CALL;
    ENTER;
    if (is("null_array")) return *array = NULL, OK;
    struct array *made = calloc(1, sizeof *made);
    size_t bytes;
    int status = describe_array(made, given, &bytes);
    if (!status) status = cuMemAlloc_v2(&made->data, bytes);
    if (status) return free(made), status;
    return *array = made, OK;
}
API int cuArrayDestroy(struct array *array) {
    CALL;
    ENTER;
    free_block(array->data);
    return free(array), OK;
}
/* The levels of a mipmapped array share one block of memory. */
enum { MOST_LEVELS = 16 };
struct mipmapped {
    unsigned count;
    struct array levels[MOST_LEVELS];
};
API int cuMipmappedArrayCreate(struct mipmapped **array, const struct array_descriptor *given, unsigned levels) {
    CALL;
    ENTER;
    size_t greatest = given->width > given->height ? given->width : given->height;
    if (!levels || levels > MOST_LEVELS || greatest >> (levels - 1) == 0) return INVALID_VALUE;
    if (is("null_mipmapped")) return *array = NULL, OK;
    struct mipmapped *made = calloc(1, sizeof *made);
    made->count = levels;
    size_t offsets[MOST_LEVELS + 1] = {0};
    int status = OK;
    for (unsigned i = 0; i < levels && !status; i++) {
        struct array_descriptor level = *given;
        level.width = or_one(given->width >> i);
        if (given->height) level.height = or_one(given->height >> i);
        status = describe_array(&made->levels[i], &level, &offsets[i + 1]);
        offsets[i + 1] += offsets[i];
    }
    address data;
    if (!status) status = cuMemAlloc_v2(&data, offsets[levels]);
    if (status) return free(made), status;
    for (unsigned i = 0; i < levels; i++) made->levels[i].data = data + offsets[i];
    return *array = made, OK;
}
API int cuMipmappedArrayGetLevel(struct array **array, struct mipmapped *mipmapped, unsigned level) {
    CALL;
    ENTER;
    if (level >= mipmapped->count) return INVALID_VALUE;
    return *array = is("null_level") ? NULL : &mipmapped->levels[level], OK;
}
API int cuMipmappedArrayDestroy(struct mipmapped *array) {
    CALL;
    ENTER;
    free_block(array->levels[0].data);
    return free(array), OK;
}
API int cuMemcpy3DAsync_v2(const struct copy_node *copy, void *stream) {
    CALL;
    ENTER;
    enum { HOST = 1, DEVICE = 2, ARRAY = 3 };
    int reads = copy->from.type == ARRAY;
    const struct copy_side *other = reads ? &copy->to : &copy->from;
    struct array *array = reads ? copy->from.array : copy->to.array;
    size_t rows = copy->height * copy->depth;
    if ((!reads && copy->to.type != ARRAY) || copy->width != array->is.width * array->texel) return INVALID_VALUE;
    if (other->pitch < copy->width || other->height < copy->height) return INVALID_VALUE;
    for (size_t row = 0; row < rows; row++) {
        size_t place = row * other->pitch;
        address at = array->data + row * copy->width;
        int result = INVALID_VALUE;
        if (other->type == HOST && reads)
            result = cuMemcpyDtoHAsync_v2((char *)other->host + place, at, copy->width, stream);
        if (other->type == HOST && !reads)
            result = cuMemcpyHtoDAsync_v2(at, (char *)other->host + place, copy->width, stream);
        if (other->type == DEVICE && !reads)
            result = cuMemcpyDtoDAsync_v2(at, other->device + place, copy->width, stream);
        if (result) return result;
    }
    return OK;
}
struct resource_descriptor {
    unsigned type;
    union {
        struct array *array;
        struct mipmapped *mipmapped;
    };
    uint64_t reserved[15];
    unsigned flags;
};
struct texture_descriptor {
    unsigned address[3], filter, flags, anisotropy, mipmap_filter;
    float bias, least_level, most_level, border[4];
    int reserved[12];
};
API int cuTexObjectCreate(struct texture **object, const struct resource_descriptor *resource,
                          const struct texture_descriptor *texture, void *view) {
    CALL;
    ENTER;
    int is_mipmapped = resource->type == 1;
    if (resource->type > 1 || resource->flags || view || texture->filter > 1) return INVALID_VALUE;
    if (texture->flags & ~(is_mipmapped ? 0x23u : 3u) || texture->mipmap_filter > 1) return INVALID_VALUE;
    unsigned levels = is_mipmapped ? resource->mipmapped->count : 1;
    if (is_mipmapped && !(texture->flags & 2)) return INVALID_VALUE;
    if (texture->bias || texture->least_level || texture->most_level != levels - 1) return INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (texture->address[i] > 3 || (texture->address[i] % 2 == 0 && !(texture->flags & 2))) return INVALID_VALUE;
    for (int i = 0; i < 12; i++)
        if (texture->reserved[i]) return INVALID_VALUE;
    if (is("null_texture")) return *object = NULL, OK;
    struct texture *made = calloc(1, sizeof *made);
    made->is_alive = 1, made->array = is_mipmapped ? resource->mipmapped->levels : resource->array;
    return *object = made, OK;
}
API int cuTexObjectDestroy(struct texture *object) {
    CALL;
    ENTER;
    return object->is_alive = 0, OK;
}
/* Surface objects are of arrays that were made for them. */
API int cuSurfObjectCreate(struct texture **object, const struct resource_descriptor *resource) {
    CALL;
    ENTER;
    if (resource->type || resource->flags || !(resource->array->is.flags & 2)) return INVALID_VALUE;
    if (is("null_surface")) return *object = NULL, OK;
    struct texture *made = calloc(1, sizeof *made);
    made->is_alive = 1, made->array = resource->array;
    return *object = made, OK;
}
API int cuSurfObjectDestroy(struct texture *object) {
    CALL;
    ENTER;
    return object->is_alive = 0, OK;
}

/* Tensor maps: the address of the array, its extents and pitch, and a number that shows that a parameter is one. */
enum { TENSOR_MAP_WORDS = 16 };
static const uint64_t TENSOR_MAP = 0x7e50a3a9;
static int is_tensor_map(const uint64_t *words) { return words[TENSOR_MAP_WORDS - 1] == TENSOR_MAP; }
#ifndef NO_TENSOR_MAPS
API int cuTensorMapEncodeTiled(uint64_t *map, int type, unsigned dims, void *array, const uint64_t *extents,
                               const uint64_t *strides, const unsigned *box, const unsigned *element_strides,
                               int interleave, int swizzle, int promotion, int fill) {
    CALL;
    static const int sizes[] = {1, 2, 4, 4, 8};
    if ((uintptr_t)map % 64 || (uintptr_t)array % 16 || type < 0 || type > 4 || dims < 2 || dims > 3) return INVALID_VALUE;
    if (interleave || swizzle < 0 || swizzle > 3 || promotion < 0 || promotion > 3 || fill) return INVALID_VALUE;
    for (unsigned i = 0; i < dims; i++) {
        if (!extents[i] || extents[i] > 1ull << 32 || !box[i] || box[i] > 256 || element_strides[i] != 1) return INVALID_VALUE;
        if (i + 1 < dims && (strides[i] % 16 || strides[i] >> 40)) return INVALID_VALUE;
    }
    unsigned row = box[0] * sizes[type];
    if (row % 16 || (swizzle && row > 16u << swizzle)) return INVALID_VALUE;
    memset(map, 0, TENSOR_MAP_WORDS * sizeof *map);
    map[0] = (uintptr_t)array, map[1] = extents[0], map[2] = extents[1], map[3] = strides[0];
    return map[TENSOR_MAP_WORDS - 1] = TENSOR_MAP, OK;
}
#endif

API int cuCtxGetStreamPriorityRange(int *least, int *greatest) {
    CALL;
    ENTER;
    return *least = 0, *greatest = -5, OK;
}
API int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority) {
    CALL;
    ENTER;
    if (priority > 0 || priority < -5) return INVALID_VALUE;
    if (is("null_stream")) return *stream = NULL, OK;
    struct stream *made = calloc(1, sizeof *made);
    made->last = &made->first;
    return *stream = made, COUNT(streams, 1), OK;
}
API int cuStreamCreate(void **stream, unsigned flags) { return cuStreamCreateWithPriority(stream, flags, 0); }
API int cuStreamGetCtx(void *stream, void **context) {
    ENTER;
    return *context = is("other_context") ? stream : current, OK;
}
API int cuStreamDestroy_v2(void *stream) {
    CALL;
    ENTER;
    /* Events may still refer to it, so its memory stays. */
    wait_for(stream);
    return COUNT(streams, -1), OK;
}
API int cuStreamSynchronize(void *stream) {
    CALL;
    ENTER;
    return wait_for(stream);
}
API int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
    CALL;
    ENTER;
    if (!event) return INVALID_VALUE;
    return give(stream, (struct work){.run = run_wait, .event = *(struct event *)event});
}
API int cuStreamAddCallback(void *stream, void (*call)(void *, int, void *), void *data, unsigned flags) {
    CALL;
    ENTER;
    return give(stream, (struct work){.run = run_callback, .to = (address)stream, .call = (void (*)(void *))call,
                                      .data = data});
}
/* What the NCCL of tests calls. */
API int cuLaunchHostFunc(void *stream, void (*call)(void *), void *data) {
    CALL;
    ENTER;
    return give(stream, (struct work){.run = run_call, .call = call, .data = data});
}
API int cuEventCreate(void **event, unsigned flags) {
    CALL;
    ENTER;
    return *event = calloc(1, sizeof(struct event)), COUNT(events, 1), OK;
}
API int cuEventRecord(void *event, void *stream) {
    CALL;
    ENTER;
    if (!stream || !event) return INVALID_VALUE;
    lock();
    *(struct event *)event = (struct event){stream, ((struct stream *)stream)->given};
    unlock();
    return OK;
}
API int cuEventSynchronize(struct event *event) {
    CALL;
    ENTER;
    if (!event->stream) return OK;
    lock();
    run_until(event->stream, event->number);
    unlock();
    return OK;
}
API int cuEventQuery(struct event *event) {
    CALL;
    ENTER;
    return !event->stream || event->stream->done >= event->number ? OK : NOT_READY;
}
API int cuEventElapsedTime(float *milliseconds, struct event *start, struct event *end) {
    CALL;
    ENTER;
    if (cuEventQuery(start) || cuEventQuery(end)) return NOT_READY;
    return *milliseconds = 0.25f, OK;
}
API int cuEventDestroy_v2(void *event) {
    CALL;
    ENTER;
    free(event);
    return COUNT(events, -1), OK;
}

/* Kernels: a module and a function are the name of the entry, and a byte after its end that is 1 if threads are coarsened.
   The module "weighed" has an array in constant memory, of as many bytes as its text says. */
static address symbol(const char *module) {
    return ((address)module + strlen(module) + 2 + 255) / 256 * 256;
}
static int most_shared = 48 << 10;
API int cuFuncGetAttribute(int *value, int attribute, void *function) {
    CALL;
    ENTER;
    const char *name = function;
    if (attribute == 0 && is("stiff")) return *value = 512, OK;
    if (attribute == 0) return *value = is("cramped") && name[strlen(name) + 1] ? 128 : 1024, OK;
    if (attribute == 1) return *value = 400, OK;
    if (attribute != 4) return INVALID_VALUE;
    return *value = is("huge") ? INT32_MAX : is("greedy") ? 168 : 32, OK;
}
API int cuFuncSetAttribute(void *function, int attribute, int value) {
    CALL;
    ENTER;
    if (attribute != 8 || value < 0 || value > 227 << 10) return INVALID_VALUE;
    return most_shared = value, OK;
}

API int cuModuleLoadDataEx(void **module, const char *ptx, unsigned count, unsigned *options, void **values) {
    CALL;
    ENTER;
    const char *entry = strstr(ptx, ".entry "), *file = strstr(ptx, ".file 1 ");
    for (unsigned i = 0; i < count; i++)
        if (options[i] == 13 && values[i] == (void *)1 && file)
            fprintf(stderr, "fake driver: lines of %.*s\n", (int)strcspn(file, "\n"), file);
    if (!entry || strstr(ptx, "nonsense")) {
        if (count >= 2 && options[0] == 5 && options[1] == 6)
            snprintf(values[0], (size_t)values[1], "ptxas fatal: line 3: syntax error");
        return INVALID_PTX;
    }
    entry += strlen(".entry ");
    if (is("null_module")) return *module = NULL, OK;
    size_t length = strcspn(entry, " (\n");
    const char *constant = strstr(ptx, "$constant0[");
    size_t bytes = constant ? strtoul(constant + strlen("$constant0["), NULL, 10) : 0;
    char *name = calloc(length + 2 + 256 + bytes, 1);
    memcpy(name, entry, length);
    if (bytes) add_block(symbol(name), bytes);
    name[length + 1] = strstr(ptx, "coarsened_grid") != NULL;
    *module = name;
    return COUNT(modules, 1), COUNT(loads, 1), OK;
}
API int cuModuleUnload(char *module) {
    CALL;
    ENTER;
    *module = 0;
    return COUNT(modules, -1), OK;
}
API int cuModuleGetGlobal_v2(address *at, size_t *bytes, void *module, const char *name) {
    CALL;
    ENTER;
    if (strcmp(name, "$constant0")) return NOT_FOUND;
    *at = is("null_constant") ? 0 : symbol(module);
    for (size_t i = 0; i < most_blocks; i++)
        if (blocks[i].at == symbol(module)) *bytes = blocks[i].bytes;
    return OK;
}
API int cuModuleGetFunction(void **function, void *module, const char *name) {
    CALL;
    ENTER;
    if (is("null_function")) return *function = NULL, OK;
    return strcmp(module, name) ? NOT_FOUND : (*function = module, OK);
}
/* Of the kernel that is no Warpwise's. */
API int cuFuncGetParamInfo(const char *function, size_t index, size_t *offset, size_t *size) {
    ENTER;
    if (strcmp(function, "native_add") || index > 2) return INVALID_VALUE;
    return *offset = 8 * index, *size = index < 2 ? 8 : 4, OK;
}

/* As in compiler/src/fault.rs. */
#define VALUES 32
struct record {
    uint64_t count, check[2], index[3], len[3], others[3 * (VALUES - 2)], flag;
};

static void bring(uint64_t *words, int n, uint64_t thread, uint64_t value) {
    for (int i = 0; i < n; i++, value >>= 32) {
        uint64_t word = thread << 32 | (value & 0xffffffff);
        if (word < words[i]) words[i] = word;
    }
}

static void fault(struct record *record, uint64_t i, int kind, int span, uint64_t len) {
    bring(record->check, 2, i, (uint64_t)span << 16 | kind);
    bring(record->index, 2, i, i);
    bring(record->len, 2, i, len);
    record->count++;
    *(uint32_t *)record->flag = 1;
}

/* As many blocks as there is shared memory for, at most two. */
API int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int threads, size_t shared) {
    CALL;
    ENTER;
    if (threads < 1) return INVALID_VALUE;
    if (is("huge")) return *blocks = INT32_MAX, OK;
    return *blocks = shared > 227 << 10 || is("no_room") ? 0 : shared > 113 << 10 ? 1 : 2, OK;
}
/* Of all blocks that a multiprocessor has registers for, the largest. */
API int cuOccupancyMaxPotentialBlockSize(int *blocks, int *threads, void *function, size_t (*shared_of_block)(int),
                                         size_t shared, int most_threads) {
    CALL;
    ENTER;
    if (shared_of_block || most_threads < 0) return INVALID_VALUE;
    if (is("huge")) return *blocks = *threads = INT32_MAX, OK;
    if (is("no_room")) return *blocks = *threads = 0, OK;
    int each;
    *threads = is("greedy") ? 384 : 1024;
    int status = cuOccupancyMaxActiveBlocksPerMultiprocessor(&each, function, *threads, shared);
    if (status) return status;
    return *blocks = 132 * each, OK;
}

static void run_kernel(struct work *w) {
    const char *name = w->kernel;
    uint64_t *params = w->params;
    uint64_t threads = (uint64_t)w->grid * w->block;
    if (!strcmp(name, "meeting")) {
        /* The word in which blocks are counted comes last, and is 0 at first. */
        uint32_t *y = (uint32_t *)params[1];
        uint64_t *word = (uint64_t *)params[4];
        y[0] += w->grid, y[1] = *word;
        *word ^= 1ull << 63;
    } else if (!strcmp(name, "increment") || !strcmp(name, "faulty") || !strcmp(name, "following")) {
        uint32_t *y = (uint32_t *)params[0];
        int is_faulty = !strcmp(name, "faulty");
        for (uint64_t i = 0; i < threads; i++) {
            if (i < params[1]) y[i] = is_faulty ? 7 : y[i] + 1;
            else if (is_faulty) fault((struct record *)params[2], i, 0, 2, params[1]);
        }
    } else if (!strcmp(name, "native_add")) {
        uint32_t *x = (uint32_t *)params[0], *y = (uint32_t *)params[1];
        for (uint64_t i = 0; i < threads && i < (uint32_t)params[2]; i++) y[i] += x[i];
    } else if (!strcmp(name, "add")) {
        uint32_t *x = (uint32_t *)params[0], *y = (uint32_t *)params[2];
        for (uint64_t i = 0; i < threads && i < params[1] && i < params[3]; i++) y[i] += x[i];
    } else if (!strcmp(name, "weighed")) {
        uint32_t *x = (uint32_t *)symbol(name), *y = (uint32_t *)params[1];
        for (uint64_t i = 0; i < threads && i < params[2]; i++)
            for (uint64_t k = 0; k < params[0]; k++) y[i] = y[i] * 3 + x[k];
    } else if (!strcmp(name, "shown")) {
        struct texture *t = (struct texture *)params[0];
        uint32_t *y = (uint32_t *)params[3];
        if (!t->is_alive) fprintf(stderr, "fake driver: a texture is read after its end\n"), abort();
        for (uint64_t i = 0; i < threads && i < params[4] && i < params[2]; i++) y[i] += ((uint32_t *)t->array->data)[i];
    } else if (!strcmp(name, "marked")) {
        struct texture *t = (struct texture *)params[0];
        if (!t->is_alive) fprintf(stderr, "fake driver: a surface is written after its end\n"), abort();
        for (uint64_t i = 0; i < threads && i < params[2]; i++) ((uint32_t *)t->array->data)[i] += 1;
    } else if (!strcmp(name, "boxed")) {
        uint32_t *x = (uint32_t *)params[0], *y = (uint32_t *)params[5];
        for (uint64_t i = 0; i < threads && i < params[6] && i < params[3]; i++) y[i] += x[i];
    } else if (!strcmp(name, "divide")) {
        uint32_t d = params[0], *y = (uint32_t *)params[1];
        for (uint64_t i = 0; i < threads && i < params[2]; i++) {
            if (d) y[i] /= d;
            else fault((struct record *)params[3], i, 1, 1, 0);
        }
    } else if (!strcmp(name, "sized")) {
        /* What the launch asks for, and where the arrays begin that are not the first. */
        uint32_t *y = (uint32_t *)params[1];
        y[0] = w->shared, y[1] = params[3], y[2] = params[4];
    } else if (!strcmp(name, "measured")) {
        /* The grid, the grid that the coarsened code takes for the launch's, and how often kernels were loaded. */
        uint32_t *y = (uint32_t *)params[0];
        y[0] = w->grid, y[1] = name[strlen(name) + 1] ? params[3] : 0, y[2] = loads;
    } else if (!strcmp(name, "hello")) {
        /* As in compiler/src/output.rs: each thread prints message 0 with its number. */
        uint64_t *used = (uint64_t *)params[1], *lost_prints = used + 1;
        for (uint64_t i = 0; i < threads; i++) {
            uint64_t *at = used + 2 + *used / 8;
            if ((*used += 32) > 1 << 20) ++*lost_prints;
            else at[0] = 0, at[1] = params[0], at[2] = i, at[3] = i;
        }
        *(uint32_t *)((struct record *)params[0])->flag = 1;
    } else if (!strcmp(name, "poison")) {
        lost = 1;
    }
}

/* Gives a kernel with so many parameters of 64 bits to a stream; that with `record` is a fault record. */
static int give_kernel(const char *name, int count, int record, unsigned grid, unsigned block, unsigned shared,
                       void *stream, void **params) {
    COUNT(launches, 1);
    struct work work = {.run = run_kernel, .kernel = name, .grid = grid, .block = block, .shared = shared};
    for (int i = 0; i < count; i++) work.params[i] = *(uint64_t *)params[i];
    if (record < count && !work.params[record]) return INVALID_VALUE;
    if (!strcmp(name, "boxed") && !is_tensor_map(params[0])) return INVALID_VALUE;
    return give(stream, work);
}

/* Graphs: nodes in the order in which they are added, each with those that it runs behind. A launch runs the
   nodes in the opposite order as far as that is allowed, so that a dependency that is missing shows. */
struct node {
    struct work work;
    size_t count;
    struct node **before;
    int has_run;
};
struct graph {
    struct node *nodes[4096];
    size_t count;
    /* Launches that have not run: a graph that is destroyed stays until then. */
    size_t launched;
    int is_destroyed;
};
struct kernel_node {
    const char *name;
    unsigned grid[3], block[3], shared;
    void **params, **extra;
};
struct memset_node {
    address to;
    size_t pitch;
    unsigned value, unit;
    size_t width, height;
};
API int cuGraphCreate(struct graph **graph, unsigned flags) {
    CALL;
    ENTER;
    return *graph = calloc(1, sizeof(struct graph)), COUNT(graphs, 1), OK;
}
API int cuGraphDestroy(struct graph *graph) {
    CALL;
    ENTER;
    lock();
    graph->is_destroyed = 1;
    if (!graph->launched) free(graph);
    unlock();
    return COUNT(graphs, -1), OK;
}
static int add_node(struct node **node, struct graph *graph, struct node **before, size_t count, struct work work) {
    if (graph->count == 4096) return OUT_OF_MEMORY;
    struct node *made = calloc(1, sizeof *made);
    made->work = work, made->count = count;
    made->before = memcpy(malloc(count * sizeof *before + 1), before, count * sizeof *before);
    graph->nodes[graph->count++] = made;
    return *node = made, OK;
}
API int cuGraphAddKernelNode(struct node **node, struct graph *graph, struct node **before, size_t count,
                             struct kernel_node *kernel) {
    CALL;
    ENTER;
    struct work work = {.run = run_kernel, .kernel = kernel->name, .grid = *kernel->grid, .block = *kernel->block};
    int is_boxed = !strcmp(kernel->name, "boxed");
    int params = is_boxed ? 8 : !strcmp(kernel->name, "add") ? 5 : !strcmp(kernel->name, "divide") ? 4 : 3;
    if (is_boxed && !is_tensor_map(kernel->params[0])) return INVALID_VALUE;
    for (int i = 0; i < params; i++) work.params[i] = *(uint64_t *)kernel->params[i];
    return add_node(node, graph, before, count, work);
}
API int cuGraphAddMemcpyNode(struct node **node, struct graph *graph, struct node **before, size_t count,
                             struct copy_node *copy, void *context) {
    CALL;
    ENTER;
    if (copy->from.type != 2 || copy->to.type != 2 || copy->height != 1 || copy->depth != 1) return INVALID_VALUE;
    struct work work = {.run = run_copy, .to = copy->to.device, .from = copy->from.device, .bytes = copy->width};
    return add_node(node, graph, before, count, work);
}
API int cuGraphAddMemsetNode(struct node **node, struct graph *graph, struct node **before, size_t count,
                             struct memset_node *set, void *context) {
    CALL;
    ENTER;
    struct work work = {.run = run_set, .to = set->to, .pitch = set->pitch, .value = set->value, .unit = set->unit,
                        .bytes = set->width, .rows = set->height};
    return add_node(node, graph, before, count, work);
}
#ifndef NO_POOLS
API int cuGraphInstantiateWithFlags(struct graph **exec, struct graph *graph, uint64_t flags) {
    CALL;
    ENTER;
    return *exec = memcpy(malloc(sizeof *graph), graph, sizeof *graph), COUNT(graphs, 1), OK;
}
API int cuGraphExecUpdate_v2(struct graph *exec, struct graph *graph, void *result) {
    CALL;
    ENTER;
    if (exec->count != graph->count) return INVALID_VALUE;
    for (size_t i = 0; i < graph->count; i++)
        if (exec->nodes[i]->work.run != graph->nodes[i]->work.run) return INVALID_VALUE;
    return memcpy(exec, graph, sizeof *graph), OK;
}
#endif
API int cuGraphExecDestroy(struct graph *exec) {
    CALL;
    return cuGraphDestroy(exec);
}
static void run_node(struct node *node) {
    if (node->has_run) return;
    node->has_run = 1;
    for (size_t i = 0; i < node->count; i++) run_node(node->before[i]);
    node->work.run(&node->work);
}
static void run_graph(struct work *w) {
    struct graph *exec = (struct graph *)w->from;
    for (size_t i = 0; i < exec->count; i++) exec->nodes[i]->has_run = 0;
    for (size_t i = exec->count; i-- > 0;) run_node(exec->nodes[i]);
    if (!--exec->launched && exec->is_destroyed) free(exec);
}
API int cuGraphLaunch(struct graph *exec, void *stream) {
    CALL;
    ENTER;
    lock();
    exec->launched++;
    unlock();
    return give(stream, (struct work){.run = run_graph, .from = (address)exec});
}

API int cuLaunchCooperativeKernel(const char *name, unsigned grid, unsigned gy, unsigned gz, unsigned block,
                                  unsigned by, unsigned bz, unsigned shared, void *stream, void **params) {
    CALL;
    ENTER;
    if (grid * gy * gz > 132 * 2 || strcmp(name, "meeting")) return INVALID_VALUE;
    return give_kernel(name, 5, 3, grid, block, shared, stream, params);
}

API int cuLaunchKernel(const char *name, unsigned grid, unsigned gy, unsigned gz, unsigned block, unsigned by,
                       unsigned bz, unsigned shared, void *stream, void **params, void **extra) {
    CALL;
    ENTER;
    if (!grid || !gy || !gz || !block || !by || !bz || !stream) return INVALID_VALUE;
    if (!strcmp(name, "increment") || !strcmp(name, "faulty") || !strcmp(name, "following"))
        return give_kernel(name, 3, 2, grid, block, shared, stream, params);
    if (!strcmp(name, "native_add")) return give_kernel(name, 3, 3, grid, block, shared, stream, params);
    if (!strcmp(name, "add")) return give_kernel(name, 5, 4, grid, block, shared, stream, params);
    if (!strcmp(name, "weighed")) return give_kernel(name, 4, 3, grid, block, shared, stream, params);
    if (!strcmp(name, "shown")) return give_kernel(name, 6, 5, grid, block, shared, stream, params);
    if (!strcmp(name, "boxed")) return give_kernel(name, 8, 7, grid, block, shared, stream, params);
    if (!strcmp(name, "divide") || !strcmp(name, "marked"))
        return give_kernel(name, 4, 3, grid, block, shared, stream, params);
    if (!strcmp(name, "sized") && shared <= most_shared)
        return give_kernel(name, 6, 5, grid, block, shared, stream, params);
    if (!strcmp(name, "measured")) {
        int count = name[strlen(name) + 1] ? 4 : 3;
        return give_kernel(name, count, 2, grid, block, shared, stream, params);
    }
    if (!strcmp(name, "hello")) return give_kernel(name, 2, 0, grid, block, shared, stream, params);
    if (!strcmp(name, "fresh") && shared <= most_shared) return give_kernel(name, 1, 0, grid, block, shared, stream, params);
    if (!strcmp(name, "poison")) return give_kernel(name, 0, 0, grid, block, shared, stream, params);
    return INVALID_VALUE;
}

#ifndef NO_POOLS
/* Launches that may start early, of kernels that wait. */
struct launch_attribute {
    int id;
    union {
        int value;
        char bytes[64];
        uint64_t alignment;
    };
};
struct kernel_launch {
    unsigned grid[3], block[3], shared;
    void *stream;
    struct launch_attribute *attributes;
    unsigned count;
};
API int cuLaunchKernelEx(const struct kernel_launch *launch, const char *name, void **params, void **extra) {
    CALL;
    ENTER;
    if (launch->count != 1 || launch->attributes->id != 6 || launch->attributes->value != 1) return INVALID_VALUE;
    if (strcmp(name, "following") && strcmp(name, "weighed")) return INVALID_VALUE;
    COUNT(early, 1);
    return cuLaunchKernel(name, launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
                          launch->block[2], launch->shared, launch->stream, params, extra);
}
#endif
