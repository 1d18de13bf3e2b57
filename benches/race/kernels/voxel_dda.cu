// The first full voxel on each ray of a camera through a cube of bits (Amanatides and Woo), and the number of steps to
// it.
extern "C" __global__ void voxel_dda(int size, int width, int height, const unsigned* __restrict__ voxels, unsigned* __restrict__ found, unsigned* __restrict__ steps) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) {
        return;
    }
    float extent = size;
    float origin[3] = {0.5f * extent + 0.3f, 0.5f * extent + 0.1f, 0.05f};
    float direction[3] = {(x + 0.5f) / width - 0.5f, (y + 0.5f) / height - 0.5f, 0.8f};
    int cell[3], step[3];
    float delta[3];
    // The distances at which the ray leaves the cell along each axis.
    float next[3];
    for (int k = 0; k < 3; k++) {
        cell[k] = (int)floorf(origin[k]);
        step[k] = direction[k] < 0.0f ? -1 : 1;
        delta[k] = fabsf(1.0f / direction[k]);
        float border = step[k] > 0 ? cell[k] + 1.0f : (float)cell[k];
        next[k] = (border - origin[k]) / direction[k];
    }
    unsigned place = 0xffffffffu, count = 0;
    while (cell[0] >= 0 && cell[0] < size && cell[1] >= 0 && cell[1] < size && cell[2] >= 0 && cell[2] < size) {
        int at = (cell[2] * size + cell[1]) * size + cell[0];
        if ((voxels[at / 32] >> (at % 32)) & 1) {
            place = at;
            break;
        }
        if (next[0] < next[1] && next[0] < next[2]) {
            cell[0] += step[0];
            next[0] += delta[0];
        } else if (next[0] >= next[1] && next[1] < next[2]) {
            cell[1] += step[1];
            next[1] += delta[1];
        } else {
            cell[2] += step[2];
            next[2] += delta[2];
        }
        count++;
    }
    found[y * width + x] = place;
    steps[y * width + x] = count;
}
