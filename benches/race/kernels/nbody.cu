// All-pairs n-body: the acceleration of each body by all others, whose tiles a block shares.
extern "C" __global__ void nbody(int n, float softening, const float4* __restrict__ bodies, float4* __restrict__ out) {
    __shared__ float4 tile[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    float4 me = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int first = 0; first < n; first += 256) {
        tile[t] = bodies[first + t];
        __syncthreads();
        for (int k = 0; k < 256; k++) {
            float4 other = tile[k];
            float x = other.x - me.x, y = other.y - me.y, z = other.z - me.z;
            float inverse = rsqrtf(x * x + y * y + z * z + softening);
            float pull = other.w * inverse * inverse * inverse;
            ax += x * pull;
            ay += y * pull;
            az += z * pull;
        }
        __syncthreads();
    }
    out[i] = make_float4(ax, ay, az, 0.0f);
}
