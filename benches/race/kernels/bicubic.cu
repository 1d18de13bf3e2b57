// Resizing of an image by Catmull and Rom's cubic, four by four pixels for each result.
__device__ void cubic_weights(float t, float* weights) {
    weights[0] = ((-0.5f * t + 1.0f) * t - 0.5f) * t;
    weights[1] = (1.5f * t - 2.5f) * t * t + 1.0f;
    weights[2] = ((-1.5f * t + 2.0f) * t + 0.5f) * t;
    weights[3] = (0.5f * t - 0.5f) * t * t;
}

extern "C" __global__ void bicubic(int width, int height, int out_width, int out_height, const float* __restrict__ image, float* __restrict__ out) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < out_width && y < out_height) {
        float from_x = (x + 0.5f) * ((float)width / out_width) - 0.5f;
        float from_y = (y + 0.5f) * ((float)height / out_height) - 0.5f;
        float left = floorf(from_x), top = floorf(from_y);
        float across[4], down[4];
        cubic_weights(from_x - left, across);
        cubic_weights(from_y - top, down);
        float sum = 0.0f;
        for (int j = 0; j < 4; j++) {
            int row = min(max((int)top + j - 1, 0), height - 1);
            float line = 0.0f;
            for (int i = 0; i < 4; i++) {
                int column = min(max((int)left + i - 1, 0), width - 1);
                line += across[i] * image[row * width + column];
            }
            sum += down[j] * line;
        }
        out[y * out_width + x] = sum;
    }
}
