/* An NVRTC that "compiles" the word after `__global__ void ` to PTX with an entry of that name, for the options that
   a test expects, and refuses source with the word `nonsense`. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
    char *source, ptx[256], log[256];
};

int nvrtcCreateProgram(struct program **program, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names) {
    *program = calloc(1, sizeof **program);
    return (*program)->source = strdup(source), 0;
}
int nvrtcDestroyProgram(struct program **program) {
    free((*program)->source);
    return free(*program), *program = NULL, 0;
}
int nvrtcCompileProgram(struct program *program, int count, const char *const *options) {
    const char *mark = "__global__ void ", *entry = strstr(program->source, mark);
    if (!entry || strstr(program->source, "nonsense")) {
        snprintf(program->log, sizeof program->log, "module.cu(1): error: identifier \"nonsense\" is undefined\n");
        return 6;
    }
    if (count != 2 || strcmp(options[0], "--use_fast_math") || strcmp(options[1], "--gpu-architecture=compute_90"))
        return 5;
    entry += strlen(mark);
    snprintf(program->ptx, sizeof program->ptx, ".visible .entry %.*s(", (int)strcspn(entry, "("), entry);
    return 0;
}
int nvrtcGetPTXSize(struct program *program, size_t *size) { return *size = strlen(program->ptx) + 1, 0; }
int nvrtcGetPTX(struct program *program, char *ptx) { return strcpy(ptx, program->ptx), 0; }
int nvrtcGetProgramLogSize(struct program *program, size_t *size) { return *size = strlen(program->log) + 1, 0; }
int nvrtcGetProgramLog(struct program *program, char *log) { return strcpy(log, program->log), 0; }
const char *nvrtcGetErrorString(int status) {
    return status == 6 ? "NVRTC_ERROR_COMPILATION" : status == 5 ? "NVRTC_ERROR_INVALID_OPTION" : "another error";
}
