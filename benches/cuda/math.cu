// Times nvcc's mathematical functions as `src/bin/math.rs` times ours: the same kernel, sizes, rounds
// and inputs. Prints `name_rounds milliseconds` lines.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(cudaError_t error) {
    if (error != cudaSuccess) {
        fprintf(stderr, "%s\n", cudaGetErrorString(error));
        exit(1);
    }
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
static double median(F launch) {
    row(1, launch);
    double once = std::max(row(1, launch), 1e-4);
    int count = (int)std::min(std::max(std::ceil(50.0 / once), 1.0), 1000.0);
    std::vector<double> times;
    for (int i = 0; i < 11; i++) {
        times.push_back(row(count, launch) / count);
    }
    std::sort(times.begin(), times.end());
    return times[5];
}

template <typename T, typename K>
static void measure(const char* name, K kernel, double low, double high) {
    size_t n = (size_t)1 << 24;
    std::vector<T> host(n);
    for (size_t i = 0; i < n; i++) {
        host[i] = (T)(low + (high - low) * 0.999 * (double)i / (double)n);
    }
    T step = (T)((high - low) * 0.001 / 64.0);
    T *x, *y;
    check(cudaMalloc(&x, n * sizeof(T)));
    check(cudaMalloc(&y, n * sizeof(T)));
    check(cudaMemcpy(x, host.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    for (unsigned rounds : {1u, 64u}) {
        double time = median([&] { kernel<<<(unsigned)(n / 256), 256>>>(x, y, n, step, rounds); });
        printf("%s_%u %.6f\n", name, rounds, time);
    }
    check(cudaFree(x));
    check(cudaFree(y));
}

#define FUNCTION(T, name, call)                                                          \
    extern "C" __global__ void name(const T* __restrict__ in, T* __restrict__ out, size_t n, T step, unsigned rounds) { \
        size_t i = blockIdx.x * blockDim.x + threadIdx.x;                                \
        if (i < n) {                                                                     \
            T x = in[i];                                                                 \
            T sum = 0;                                                                   \
            for (unsigned k = 0; k < rounds; k++) {                                      \
                sum += call;                                                             \
                x += step;                                                               \
            }                                                                            \
            out[i] = sum;                                                                \
        }                                                                                \
    }

FUNCTION(float, acos_f32, acosf(x))
FUNCTION(float, acosh_f32, acoshf(x))
FUNCTION(float, asin_f32, asinf(x))
FUNCTION(float, asinh_f32, asinhf(x))
FUNCTION(float, atan_f32, atanf(x))
FUNCTION(float, atanh_f32, atanhf(x))
FUNCTION(float, cbrt_f32, cbrtf(x))
FUNCTION(float, cos_f32, cosf(x))
FUNCTION(float, cosh_f32, coshf(x))
FUNCTION(float, erf_f32, erff(x))
FUNCTION(float, erfc_f32, erfcf(x))
FUNCTION(float, exp_f32, expf(x))
FUNCTION(float, exp2_f32, exp2f(x))
FUNCTION(float, exp_m1_f32, expm1f(x))
FUNCTION(float, ln_f32, logf(x))
FUNCTION(float, ln_1p_f32, log1pf(x))
FUNCTION(float, log10_f32, log10f(x))
FUNCTION(float, log2_f32, log2f(x))
FUNCTION(float, sin_f32, sinf(x))
FUNCTION(float, sinh_f32, sinhf(x))
FUNCTION(float, tan_f32, tanf(x))
FUNCTION(float, tanh_f32, tanhf(x))
FUNCTION(float, atan2_f32, atan2f(x, 1.5f))
FUNCTION(float, hypot_f32, hypotf(x, 1.5f))
FUNCTION(float, powf_f32, powf(x, 1.5f))
FUNCTION(double, acos_f64, acos(x))
FUNCTION(double, acosh_f64, acosh(x))
FUNCTION(double, asin_f64, asin(x))
FUNCTION(double, asinh_f64, asinh(x))
FUNCTION(double, atan_f64, atan(x))
FUNCTION(double, atanh_f64, atanh(x))
FUNCTION(double, cbrt_f64, cbrt(x))
FUNCTION(double, cos_f64, cos(x))
FUNCTION(double, cosh_f64, cosh(x))
FUNCTION(double, erf_f64, erf(x))
FUNCTION(double, erfc_f64, erfc(x))
FUNCTION(double, exp_f64, exp(x))
FUNCTION(double, exp2_f64, exp2(x))
FUNCTION(double, exp_m1_f64, expm1(x))
FUNCTION(double, ln_f64, log(x))
FUNCTION(double, ln_1p_f64, log1p(x))
FUNCTION(double, log10_f64, log10(x))
FUNCTION(double, log2_f64, log2(x))
FUNCTION(double, sin_f64, sin(x))
FUNCTION(double, sinh_f64, sinh(x))
FUNCTION(double, tan_f64, tan(x))
FUNCTION(double, tanh_f64, tanh(x))
FUNCTION(double, atan2_f64, atan2(x, 1.5))
FUNCTION(double, hypot_f64, hypot(x, 1.5))
FUNCTION(double, powf_f64, pow(x, 1.5))

int main() {
    measure<float>("acos_f32", acos_f32, -0.99, 0.99);
    measure<float>("acosh_f32", acosh_f32, 1.0, 50.0);
    measure<float>("asin_f32", asin_f32, -0.99, 0.99);
    measure<float>("asinh_f32", asinh_f32, -50.0, 50.0);
    measure<float>("atan_f32", atan_f32, -10.0, 10.0);
    measure<float>("atanh_f32", atanh_f32, -0.99, 0.99);
    measure<float>("cbrt_f32", cbrt_f32, -100.0, 100.0);
    measure<float>("cos_f32", cos_f32, -30.0, 30.0);
    measure<float>("cosh_f32", cosh_f32, -10.0, 10.0);
    measure<float>("erf_f32", erf_f32, -3.0, 3.0);
    measure<float>("erfc_f32", erfc_f32, -3.0, 9.0);
    measure<float>("exp_f32", exp_f32, -20.0, 20.0);
    measure<float>("exp2_f32", exp2_f32, -20.0, 20.0);
    measure<float>("exp_m1_f32", exp_m1_f32, -3.0, 3.0);
    measure<float>("ln_f32", ln_f32, 0.01, 100.0);
    measure<float>("ln_1p_f32", ln_1p_f32, -0.9, 10.0);
    measure<float>("log10_f32", log10_f32, 0.01, 100.0);
    measure<float>("log2_f32", log2_f32, 0.01, 100.0);
    measure<float>("sin_f32", sin_f32, -30.0, 30.0);
    measure<float>("sinh_f32", sinh_f32, -10.0, 10.0);
    measure<float>("tan_f32", tan_f32, -30.0, 30.0);
    measure<float>("tanh_f32", tanh_f32, -3.0, 3.0);
    measure<float>("atan2_f32", atan2_f32, -10.0, 10.0);
    measure<float>("hypot_f32", hypot_f32, -10.0, 10.0);
    measure<float>("powf_f32", powf_f32, 0.1, 10.0);
    measure<double>("acos_f64", acos_f64, -0.99, 0.99);
    measure<double>("acosh_f64", acosh_f64, 1.0, 50.0);
    measure<double>("asin_f64", asin_f64, -0.99, 0.99);
    measure<double>("asinh_f64", asinh_f64, -50.0, 50.0);
    measure<double>("atan_f64", atan_f64, -10.0, 10.0);
    measure<double>("atanh_f64", atanh_f64, -0.99, 0.99);
    measure<double>("cbrt_f64", cbrt_f64, -100.0, 100.0);
    measure<double>("cos_f64", cos_f64, -30.0, 30.0);
    measure<double>("cosh_f64", cosh_f64, -10.0, 10.0);
    measure<double>("erf_f64", erf_f64, -3.0, 3.0);
    measure<double>("erfc_f64", erfc_f64, -3.0, 9.0);
    measure<double>("exp_f64", exp_f64, -20.0, 20.0);
    measure<double>("exp2_f64", exp2_f64, -20.0, 20.0);
    measure<double>("exp_m1_f64", exp_m1_f64, -3.0, 3.0);
    measure<double>("ln_f64", ln_f64, 0.01, 100.0);
    measure<double>("ln_1p_f64", ln_1p_f64, -0.9, 10.0);
    measure<double>("log10_f64", log10_f64, 0.01, 100.0);
    measure<double>("log2_f64", log2_f64, 0.01, 100.0);
    measure<double>("sin_f64", sin_f64, -30.0, 30.0);
    measure<double>("sinh_f64", sinh_f64, -10.0, 10.0);
    measure<double>("tan_f64", tan_f64, -30.0, 30.0);
    measure<double>("tanh_f64", tanh_f64, -3.0, 3.0);
    measure<double>("atan2_f64", atan2_f64, -10.0, 10.0);
    measure<double>("hypot_f64", hypot_f64, -10.0, 10.0);
    measure<double>("powf_f64", powf_f64, 0.1, 10.0);
    return 0;
}
