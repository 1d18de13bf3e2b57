// A step of finite differences in time and space, of radius 4: a block walks through the volume along z, with the plane
// in shared memory and the values before and behind it in registers.
extern "C" __global__ void fdtd3d(int depth, const float* __restrict__ coefficients, const float* __restrict__ input, float* __restrict__ out) {
    __shared__ float tile[16][40];
    int tx = threadIdx.x, ty = threadIdx.y;
    // Four cells of padding are around the volume.
    int width = gridDim.x * 32 + 8, height = gridDim.y * 8 + 8;
    int plane = width * height;
    int corner = blockIdx.y * 8 * width + blockIdx.x * 32;
    int place = corner + (ty + 4) * width + tx + 4;
    float behind[4], ahead[4];
#pragma unroll
    for (int k = 0; k < 4; k++) {
        behind[k] = input[(3 - k) * plane + place];
        ahead[k] = input[(k + 5) * plane + place];
    }
    float current = input[4 * plane + place];
    for (int z = 0; z < depth; z++) {
        int at = (z + 4) * plane;
        tile[ty + 4][tx + 4] = current;
        if (ty < 4) {
            tile[ty][tx + 4] = input[at + corner + ty * width + tx + 4];
            tile[ty + 12][tx + 4] = input[at + corner + (ty + 12) * width + tx + 4];
        }
        if (tx < 4) {
            tile[ty + 4][tx] = input[at + corner + (ty + 4) * width + tx];
            tile[ty + 4][tx + 36] = input[at + corner + (ty + 4) * width + tx + 36];
        }
        __syncthreads();
        float value = coefficients[0] * current;
#pragma unroll
        for (int k = 1; k < 5; k++) {
            float across = tile[ty + 4][tx + 4 - k] + tile[ty + 4][tx + 4 + k];
            float down = tile[ty + 4 - k][tx + 4] + tile[ty + 4 + k][tx + 4];
            value += coefficients[k] * (behind[k - 1] + ahead[k - 1] + across + down);
        }
        out[at + place] = value;
        __syncthreads();
#pragma unroll
        for (int k = 3; k > 0; k--) {
            behind[k] = behind[k - 1];
        }
        behind[0] = current;
        current = ahead[0];
#pragma unroll
        for (int k = 0; k < 3; k++) {
            ahead[k] = ahead[k + 1];
        }
        if (z + 1 < depth) {
            ahead[3] = input[at + 5 * plane + place];
        }
    }
}
