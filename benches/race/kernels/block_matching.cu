// Motion estimation: the displacement, of 16x16, at which 8x8 pixels are most like the frame before. A block for each
// square of pixels, a thread for each displacement.
extern "C" __global__ void block_matching(int width, int height, const unsigned char* __restrict__ before, const unsigned char* __restrict__ frame, unsigned* __restrict__ best) {
    __shared__ unsigned char pixels[8][8];
    __shared__ unsigned char window[24][24];
    __shared__ unsigned parts[8];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * 8, top = blockIdx.y * 8;
    if (tx < 8 && ty < 8) {
        pixels[ty][tx] = frame[(top + ty) * width + left + tx];
    }
    for (int row = ty; row < 24; row += 16) {
        for (int column = tx; column < 24; column += 16) {
            int y = min(max(top + row - 8, 0), height - 1);
            int x = min(max(left + column - 8, 0), width - 1);
            window[row][column] = before[y * width + x];
        }
    }
    __syncthreads();
    unsigned cost = 0;
    for (int row = 0; row < 8; row++) {
        for (int column = 0; column < 8; column++) {
            cost += abs(pixels[row][column] - window[ty + row][tx + column]);
        }
    }
    // The least cost, and of several the first displacement.
    int t = ty * 16 + tx;
    unsigned least = cost * 256 + t;
    for (int step = 16; step > 0; step /= 2) {
        least = min(least, __shfl_xor_sync(0xffffffff, least, step));
    }
    if (t % 32 == 0) {
        parts[t / 32] = least;
    }
    __syncthreads();
    if (t == 0) {
        for (int k = 1; k < 8; k++) {
            least = min(least, parts[k]);
        }
        best[blockIdx.y * gridDim.x + blockIdx.x] = least;
    }
}
