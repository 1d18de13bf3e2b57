// The Mandelbrot set: the number of steps until each point escapes.
extern "C" __global__ void mandelbrot(int width, int height, int limit, int* __restrict__ steps) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column < width && row < height) {
        float cx = (float)column / (float)width * 3.0f - 2.0f;
        float cy = (float)row / (float)height * 2.0f - 1.0f;
        float x = 0.0f, y = 0.0f;
        int n = 0;
        while (n < limit && x * x + y * y <= 4.0f) {
            float next = x * x - y * y + cx;
            y = 2.0f * x * y + cy;
            x = next;
            n++;
        }
        steps[row * width + column] = n;
    }
}
