// Dilation of an image of bytes by a square of 7x7 pixels, through a tile with a border in shared memory. Pixels at the
// border of the image are repeated.
extern "C" __global__ void dilate_shared(int width, int height, const unsigned char* __restrict__ image, unsigned char* __restrict__ out) {
    __shared__ unsigned char tile[14][40];
    int tx = threadIdx.x, ty = threadIdx.y;
    int left = blockIdx.x * 32, top = blockIdx.y * 8;
    for (int row = ty; row < 14; row += 8) {
        for (int column = tx; column < 38; column += 32) {
            int y = min(max(top + row - 3, 0), height - 1);
            int x = min(max(left + column - 3, 0), width - 1);
            tile[row][column] = image[y * width + x];
        }
    }
    __syncthreads();
    int x = left + tx, y = top + ty;
    if (x < width && y < height) {
        int largest = 0;
        for (int dy = 0; dy < 7; dy++) {
            for (int dx = 0; dx < 7; dx++) {
                largest = max(largest, tile[ty + dy][tx + dx]);
            }
        }
        out[y * width + x] = largest;
    }
}
