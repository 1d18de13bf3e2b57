// A generation of the Game of Life on a torus of bytes.
extern "C" __global__ void life(int width, int height, const unsigned char* __restrict__ cells, unsigned char* __restrict__ next) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) {
        int neighbours = 0;
        for (int dy = -1; dy <= 1; dy++) {
            for (int dx = -1; dx <= 1; dx++) {
                if (dx != 0 || dy != 0) {
                    neighbours += cells[(y + dy + height) % height * width + (x + dx + width) % width];
                }
            }
        }
        bool alive = cells[y * width + x] == 1;
        next[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
    }
}
