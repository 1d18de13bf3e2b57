// A convolution of an image with 7x7 weights, from global memory; outside the image it is black.
extern "C" __global__ void convolution_2d(int width, int height, const float* __restrict__ weights, const float* __restrict__ image, float* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        float sum = 0.0f;
        for (int v = 0; v < 7; v++) {
            for (int u = 0; u < 7; u++) {
                int column = x + u, row = y + v;
                if (column >= 3 && column - 3 < width && row >= 3 && row - 3 < height) {
                    sum += weights[v * 7 + u] * image[(row - 3) * width + column - 3];
                }
            }
        }
        out[y * width + x] = sum;
    }
}
