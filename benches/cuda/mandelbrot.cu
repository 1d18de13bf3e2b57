// Escape times of an image; 16x8 threads.
extern "C" __global__ void mandelbrot(size_t width, size_t height, unsigned int most, unsigned int* out) {
    size_t px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height) {
        return;
    }
    float x0 = px / (float)width * 3.0f - 2.0f, y0 = py / (float)height * 2.0f - 1.0f;
    float x = 0.0f, y = 0.0f;
    unsigned int n = 0;
    while (n < most && x * x + y * y <= 4.0f) {
        float t = x * x - y * y + x0;
        y = 2.0f * x * y + y0;
        x = t;
        n++;
    }
    out[py * width + px] = n;
}
