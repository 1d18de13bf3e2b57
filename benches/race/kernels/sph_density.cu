// The density of each particle of a fluid, from those within a radius: particles are sorted by the cells of a grid.
extern "C" __global__ void sph_density(int n, float radius, float mass, int side, const int* __restrict__ starts, const float3* __restrict__ positions, float* __restrict__ densities) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float3 own = positions[i];
    int cx = min((int)(own.x / radius), side - 1);
    int cy = min((int)(own.y / radius), side - 1);
    int cz = min((int)(own.z / radius), side - 1);
    float sum = 0.0f;
    for (int z = max(cz - 1, 0); z < min(cz + 2, side); z++) {
        for (int y = max(cy - 1, 0); y < min(cy + 2, side); y++) {
            for (int x = max(cx - 1, 0); x < min(cx + 2, side); x++) {
                int cell = (z * side + y) * side + x;
                int end = starts[cell + 1];
                for (int j = starts[cell]; j < end; j++) {
                    float3 other = positions[j];
                    float dx = own.x - other.x, dy = own.y - other.y, dz = own.z - other.z;
                    float inside = radius * radius - (dx * dx + dy * dy + dz * dz);
                    if (inside > 0.0f) {
                        sum += inside * inside * inside;
                    }
                }
            }
        }
    }
    float cube = radius * radius * radius;
    float norm = 315.0f / (64.0f * 3.14159265f * cube * cube * cube);
    densities[i] = mass * norm * sum;
}
