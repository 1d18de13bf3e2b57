// A convolution of images of several channels with 3x3 weights, a thread for each result.
extern "C" __global__ void conv2d_channels(int width, int height, int in_channels, int out_channels, const float* __restrict__ weights, const float* __restrict__ x, float* __restrict__ out) {
    int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    int image = blockIdx.z / out_channels;
    int to = blockIdx.z % out_channels;
    if (column < width && row < height) {
        float sum = 0.0f;
        for (int from = 0; from < in_channels; from++) {
            int plane = image * in_channels + from;
            int filter = to * in_channels + from;
            for (int v = 0; v < 3; v++) {
                for (int u = 0; u < 3; u++) {
                    int i = column + u - 1, j = row + v - 1;
                    if (i >= 0 && i < width && j >= 0 && j < height) {
                        float pixel = x[(plane * height + j) * width + i];
                        sum += weights[filter * 9 + v * 3 + u] * pixel;
                    }
                }
            }
        }
        out[((image * out_channels + to) * height + row) * width + column] = sum;
    }
}
