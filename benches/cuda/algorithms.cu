// The algorithms by CUB and cuBLAS, on the sizes of `src/bin/algorithms.rs`: a name and the median of
// milliseconds in each line.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cub/cub.cuh>
#include <cublas_v2.h>
#include <cuda_bf16.h>

#define CHECK(call)                                                     \
    do {                                                                \
        auto status = (call);                                           \
        if (static_cast<int>(status) != 0) {                            \
            std::fprintf(stderr, "%s: %d\n", #call, int(status));       \
            std::exit(1);                                               \
        }                                                               \
    } while (0)

__global__ void fill(uint32_t *words, size_t count) {
    size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        uint32_t x = uint32_t(i) * 2654435761u;
        words[i] = x ^ x >> 15;
    }
}

// The numbers of the Rust program's matrices: eight bits from -0.5 to 0.5.
template <class T> __global__ void fill_numbers(T *numbers, size_t count, size_t seed) {
    size_t stride = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) {
        uint32_t x = uint32_t(i + seed) * 2654435761u;
        numbers[i] = T(float((x ^ x >> 15) % 256) / 256.0f - 0.5f);
    }
}

template <class T> static T *matrix(size_t side, size_t seed) {
    T *numbers;
    CHECK(cudaMalloc(&numbers, side * side * sizeof(T)));
    fill_numbers<<<1024, 256>>>(numbers, side * side, seed);
    return numbers;
}

static uint32_t *words(size_t count) {
    uint32_t *words;
    CHECK(cudaMalloc(&words, count * 4));
    fill<<<1024, 256>>>(words, count);
    return words;
}

template <class Launch> void report(const char *name, Launch launch) {
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    std::vector<float> times;
    for (int round = 0; round < 12; ++round) {
        CHECK(cudaEventRecord(start));
        for (int i = 0; i < 10; ++i) launch();
        CHECK(cudaEventRecord(stop));
        CHECK(cudaEventSynchronize(stop));
        float time;
        CHECK(cudaEventElapsedTime(&time, start, stop));
        if (round > 0) times.push_back(time / 10);
    }
    std::sort(times.begin(), times.end());
    std::printf("%s %.6f\n", name, times[times.size() / 2]);
}

// Calls a function of CUB once for the size of its memory, and reports it.
template <class Call> void report_cub(const char *name, Call call) {
    size_t bytes = 0;
    CHECK(call(nullptr, bytes));
    void *memory;
    CHECK(cudaMalloc(&memory, bytes));
    report(name, [&] { CHECK(call(memory, bytes)); });
    CHECK(cudaFree(memory));
}

int main() {
    const size_t n = 1 << 28, sorted = 1 << 26;
    uint32_t *in = words(n), *out = words(n), *values = words(sorted), *to_values = words(sorted);
    float *floats = reinterpret_cast<float *>(in), *sum;
    uint8_t *bytes = reinterpret_cast<uint8_t *>(in), *flags;
    int *count, *counts;
    CHECK(cudaMalloc(&sum, 4));
    CHECK(cudaMalloc(&count, 4));
    CHECK(cudaMalloc(&counts, 256 * 4));
    CHECK(cudaMalloc(&flags, n));
    std::vector<uint8_t> pattern(n);
    for (size_t i = 0; i < n; ++i) pattern[i] = (i * 2654435761u >> 9 & 1);
    CHECK(cudaMemcpy(flags, pattern.data(), n, cudaMemcpyHostToDevice));

    report_cub("sum", [&](void *memory, size_t &size) {
        return cub::DeviceReduce::Sum(memory, size, floats, sum, n);
    });
    report_cub("scan", [&](void *memory, size_t &size) {
        return cub::DeviceScan::InclusiveSum(memory, size, in, out, n);
    });
    report_cub("scan_f32", [&](void *memory, size_t &size) {
        return cub::DeviceScan::InclusiveSum(memory, size, floats, reinterpret_cast<float *>(out), n);
    });
    report_cub("select", [&](void *memory, size_t &size) {
        return cub::DeviceSelect::Flagged(memory, size, in, flags, out, count, int(n));
    });
    report_cub("histogram", [&](void *memory, size_t &size) {
        return cub::DeviceHistogram::HistogramEven(memory, size, bytes, counts, 257, 0, 256, int(n));
    });
    report_cub("sort", [&](void *memory, size_t &size) {
        return cub::DeviceRadixSort::SortKeys(memory, size, in, out, sorted);
    });
    report_cub("sort_pairs", [&](void *memory, size_t &size) {
        return cub::DeviceRadixSort::SortPairs(memory, size, in, out, values, to_values, sorted);
    });

    auto *wide = reinterpret_cast<uint64_t *>(words(sorted * 2)), *to_wide = reinterpret_cast<uint64_t *>(words(sorted * 2));
    report_cub("sort_wide", [&](void *memory, size_t &size) {
        return cub::DeviceRadixSort::SortPairs(memory, size, in, out, wide, to_wide, sorted);
    });

    cublasHandle_t blas;
    CHECK(cublasCreate(&blas));
    const int side = 8192;
    const float one = 1, zero = 0;
    float *a = matrix<float>(side, 1), *b = matrix<float>(side, 77);
    auto *half_a = matrix<__nv_bfloat16>(side, 1), *half_b = matrix<__nv_bfloat16>(side, 77);
    auto *c = reinterpret_cast<float *>(words(size_t(side) * side));
    report("transpose", [&] {
        CHECK(cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, side, side, &one, a, side, &zero, b, side, c, side));
    });
    report("gemm_f32", [&] {
        CHECK(cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, b, side, a, side, &zero, c, side));
    });
    report("gemm_tf32", [&] {
        CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, b, CUDA_R_32F, side, a, CUDA_R_32F,
                           side, &zero, c, CUDA_R_32F, side, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_GEMM_DEFAULT));
    });
    report("gemm_bf16", [&] {
        CHECK(cublasGemmEx(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, half_b, CUDA_R_16BF, side,
                           half_a, CUDA_R_16BF, side, &zero, c, CUDA_R_32F, side, CUBLAS_COMPUTE_32F,
                           CUBLAS_GEMM_DEFAULT));
    });
    const double one_double = 1, zero_double = 0;
    double *double_a = matrix<double>(side, 1), *double_b = matrix<double>(side, 77), *double_c = matrix<double>(side, 0);
    report("gemm_f64", [&] {
        CHECK(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one_double, double_b, side,
                          double_a, side, &zero_double, double_c, side));
    });
    const int one_integer = 1, zero_integer = 0;
    auto *bytes_a = reinterpret_cast<int8_t *>(words(size_t(side) * side / 4));
    auto *bytes_b = reinterpret_cast<int8_t *>(words(size_t(side) * side / 4));
    // With a transposed factor, as cuBLAS needs it for tensor cores.
    report("gemm_i8", [&] {
        CHECK(cublasGemmEx(blas, CUBLAS_OP_T, CUBLAS_OP_N, side, side, side, &one_integer, bytes_b, CUDA_R_8I, side,
                           bytes_a, CUDA_R_8I, side, &zero_integer, c, CUDA_R_32I, side, CUBLAS_COMPUTE_32I,
                           CUBLAS_GEMM_DEFAULT));
    });
}
