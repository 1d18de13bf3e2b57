/* A profiler's NVTX library, for tests: it attaches to ranges as profilers do and prints them.
   FAKE_NVTX=refuses: it does not attach. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*function)(void);
struct callbacks {
    size_t size;
    int (*get_module_function_table)(int module, function ***table, unsigned *count);
};
struct version {
    size_t size;
    uint32_t version, reserved;
    void (*set)(uint32_t);
};

static __thread int depth;
static int push(const char *name) { return fprintf(stderr, "range %d %s\n", depth, name), depth++; }
static int pop(void) { return --depth; }

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t)) {
    const struct callbacks *callbacks = get_export_table(1);
    const struct version *version = get_export_table(3);
    if (getenv("FAKE_NVTX") || get_export_table(0) || get_export_table(4)) return 0;
    if (!callbacks || callbacks->size != sizeof *callbacks) return 0;
    if (!version || version->size != sizeof *version || version->version != 3) return 0;
    version->set(3);
    static const unsigned counts[] = {0, 16, 9, 15, 7, 16, 7};
    function **table;
    unsigned count;
    if (callbacks->get_module_function_table(0, &table, &count)) return 0;
    if (callbacks->get_module_function_table(7, &table, &count)) return 0;
    for (int module = 1; module < 7; module++) {
        if (!callbacks->get_module_function_table(module, &table, &count)) return 0;
        if (count != counts[module] || table[0] || table[count]) return 0;
        /* Every place may be written to. */
        for (unsigned i = 1; i < count; i++) *table[i] = NULL;
    }
    callbacks->get_module_function_table(1, &table, NULL);
    *table[9] = (function)push;
    *table[11] = (function)pop;
    return 1;
}
