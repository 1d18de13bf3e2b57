// Rodinia's lavaMD: forces between the 100 particles of a box and those of the boxes around it, a block for each box.
extern "C" __global__ void lavamd(float alpha, const float4* __restrict__ particles, float4* __restrict__ out) {
    __shared__ float4 others[100];
    int t = threadIdx.x;
    int box_x = blockIdx.x, box_y = blockIdx.y, box_z = blockIdx.z;
    int across = gridDim.x, down = gridDim.y, deep = gridDim.z;
    int first = ((box_z * down + box_y) * across + box_x) * 100;
    float4 own = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (t < 100) {
        own = particles[first + t];
    }
    float potential = 0.0f, fx = 0.0f, fy = 0.0f, fz = 0.0f;
    for (int z = max(box_z - 1, 0); z < min(box_z + 2, deep); z++) {
        for (int y = max(box_y - 1, 0); y < min(box_y + 2, down); y++) {
            for (int x = max(box_x - 1, 0); x < min(box_x + 2, across); x++) {
                int start = ((z * down + y) * across + x) * 100;
                __syncthreads();
                if (t < 100) {
                    others[t] = particles[start + t];
                }
                __syncthreads();
                if (t < 100) {
                    for (int k = 0; k < 100; k++) {
                        float4 other = others[k];
                        float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
                        float weight = other.w * expf(-alpha * (dx * dx + dy * dy + dz * dz));
                        potential += weight;
                        fx += 2.0f * weight * dx;
                        fy += 2.0f * weight * dy;
                        fz += 2.0f * weight * dz;
                    }
                }
            }
        }
    }
    if (t < 100) {
        out[first + t] = make_float4(potential, fx, fy, fz);
    }
}
