// Times the kernels beside this file as `src/bin/gpu.rs` times ours: the same sizes, as many
// launches in a row as take 50 ms, the median of eleven rows. Prints `name milliseconds` lines.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "grid_stride.cu"
#include "histogram.cu"
#include "mandelbrot.cu"
#include "matmul_tiled.cu"
#include "reduce.cu"
#include "saxpy.cu"
#include "transpose.cu"
#include "vector_add.cu"

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
}

template <typename T>
static T* upload(const std::vector<T>& host) {
    T* device;
    check(cudaMalloc(&device, host.size() * sizeof(T)));
    check(cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return device;
}

template <typename T, typename F>
static T* make(size_t n, F value) {
    std::vector<T> host(n);
    for (size_t i = 0; i < n; i++) {
        host[i] = value(i);
    }
    return upload(host);
}

template <typename F>
static double row(int count, F launch) {
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; i++) {
        launch();
    }
    check(cudaGetLastError());
    check(cudaDeviceSynchronize());
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <typename F>
static void measure(const char* name, F launch) {
    row(1, launch);
    double once = std::max(row(1, launch), 1e-4);
    int count = (int)std::min(std::max(std::ceil(50.0 / once), 1.0), 1000.0);
    std::vector<double> times;
    for (int i = 0; i < 11; i++) {
        times.push_back(row(count, launch) / count);
    }
    std::sort(times.begin(), times.end());
    printf("%s %.6f\n", name, times[5]);
}

int main() {
    size_t n = (size_t)1 << 27;
    {
        float* x = make<float>(n, [](size_t i) { return i % 1000 * 0.1f; });
        float* y = make<float>(n, [](size_t i) { return (float)(i % 777); });
        float* c = make<float>(n, [](size_t) { return 0.0f; });
        unsigned blocks = (unsigned)(n / 256);
        measure("saxpy", [&] { saxpy<<<blocks, 256>>>(0.5f, x, y, n); });
        measure("vector_add", [&] { vector_add<<<blocks, 256>>>(x, y, c, n); });
        measure("grid_stride", [&] { grid_stride<<<2048, 256>>>(0.5f, x, c, n); });
        check(cudaFree(x));
        check(cudaFree(y));
        check(cudaFree(c));
    }
    {
        size_t side = 8192;
        float* x = make<float>(side * side, [](size_t i) { return (float)i; });
        float* y = make<float>(side * side, [](size_t) { return 0.0f; });
        dim3 grid((unsigned)side / 32, (unsigned)side / 32), block(32, 8);
        measure("transpose", [&] { transpose<<<grid, block>>>(side, x, y); });
        check(cudaFree(x));
        check(cudaFree(y));
    }
    {
        size_t side = 2048;
        float* a = make<float>(side * side, [](size_t i) { return i * 37 % 101 / 101.0f - 0.5f; });
        float* b = make<float>(side * side, [](size_t i) { return i * 53 % 97 / 97.0f - 0.5f; });
        float* c = make<float>(side * side, [](size_t) { return 0.0f; });
        dim3 grid((unsigned)side / 16, (unsigned)side / 16), block(16, 16);
        measure("matmul_tiled", [&] { matmul_tiled<<<grid, block>>>(side, a, b, c); });
        check(cudaFree(a));
        check(cudaFree(b));
        check(cudaFree(c));
    }
    {
        float* x = make<float>(n, [](size_t i) { return i % 3 - 1.0f; });
        float* total = make<float>(1, [](size_t) { return 0.0f; });
        measure("reduce", [&] { reduce<<<2048, 256>>>(x, n, total); });
        check(cudaFree(x));
        check(cudaFree(total));
    }
    {
        size_t bytes = (size_t)1 << 28;
        auto byte = [](size_t i) { return (unsigned char)(i * 0x9e3779b97f4a7c15ull >> 56); };
        unsigned char* x = make<unsigned char>(bytes, byte);
        unsigned* bins = make<unsigned>(256, [](size_t) { return 0u; });
        measure("histogram", [&] { histogram<<<2048, 256>>>(x, bytes, bins); });
        check(cudaFree(x));
        check(cudaFree(bins));
    }
    {
        size_t side = 4096;
        unsigned* steps = make<unsigned>(side * side, [](size_t) { return 0u; });
        dim3 grid((unsigned)side / 16, (unsigned)side / 8), block(16, 8);
        measure("mandelbrot", [&] { mandelbrot<<<grid, block>>>(side, side, 512, steps); });
    }
    return 0;
}
