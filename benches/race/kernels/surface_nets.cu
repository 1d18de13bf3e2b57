// The vertices of surface nets: a thread for each cell of a volume averages the places where the surface crosses its
// edges.

extern "C" __global__ void surface_nets(int side, float level, const float* __restrict__ field, float4* __restrict__ vertices) {
    // The corners at the ends of each edge. Bit 0 of a corner is x, bit 1 is y, bit 2 is z.
    constexpr int edges[12][2] = {
        {0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3}, {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7},
    };
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int z = blockIdx.z * blockDim.z + threadIdx.z;
    if (x + 1 < side && y + 1 < side && z + 1 < side) {
        float corners[8];
        for (int k = 0; k < 8; k++) {
            int cx = x + (k & 1), cy = y + (k >> 1 & 1), cz = z + (k >> 2);
            corners[k] = field[(cz * side + cy) * side + cx];
        }
        float sum[3] = {};
        int count = 0;
        #pragma unroll
        for (int e = 0; e < 12; e++) {
            int a = edges[e][0], b = edges[e][1];
            if ((corners[a] < level) != (corners[b] < level)) {
                float t = (level - corners[a]) / (corners[b] - corners[a]);
                for (int axis = 0; axis < 3; axis++) {
                    float from = a >> axis & 1, to = b >> axis & 1;
                    sum[axis] += from + (to - from) * t;
                }
                count++;
            }
        }
        int cells = side - 1;
        int cell = (z * cells + y) * cells + x;
        if (count > 0) {
            float crossings = count;
            vertices[cell] = make_float4(x + sum[0] / crossings, y + sum[1] / crossings, z + sum[2] / crossings, crossings);
        } else {
            vertices[cell] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
    }
}
