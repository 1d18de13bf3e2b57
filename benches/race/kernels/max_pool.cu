// Pooling of planes: the largest of 3x3 pixels at every second pixel, and its place.
extern "C" __global__ void max_pool(int width, int height, int out_width, int out_height, const float* __restrict__ x, float* __restrict__ y, unsigned* __restrict__ places) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int plane = blockIdx.z;
    if (column < out_width && row < out_height) {
        float largest = -INFINITY;
        int place = 0;
        for (int dy = 0; dy < 3; dy++) {
            for (int dx = 0; dx < 3; dx++) {
                int below = 2 * row + dy - 1, right = 2 * column + dx - 1;
                if (below >= 0 && below < height && right >= 0 && right < width) {
                    int i = below * width + right;
                    float value = x[plane * width * height + i];
                    if (value > largest) {
                        largest = value;
                        place = i;
                    }
                }
            }
        }
        int out = (plane * out_height + row) * out_width + column;
        y[out] = largest;
        places[out] = place;
    }
}
