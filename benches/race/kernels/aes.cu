// AES-128 of a block of 16 bytes a thread, by a table of 256 words and the S-box in shared memory.
__device__ unsigned rotate_right(unsigned x, int by) {
    return x >> by | x << (32 - by);
}

extern "C" __global__ void aes(int n, const unsigned* __restrict__ table, const unsigned* __restrict__ s_box, const unsigned* __restrict__ round_keys, const unsigned* __restrict__ blocks, unsigned* __restrict__ out) {
    __shared__ unsigned rounds[256];
    __shared__ unsigned last[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    rounds[t] = table[t];
    last[t] = s_box[t];
    __syncthreads();
    if (i < n) {
        unsigned state[4], next[4];
        for (int k = 0; k < 4; k++) {
            state[k] = blocks[4 * i + k] ^ round_keys[k];
        }
        for (int round = 1; round < 10; round++) {
            for (int k = 0; k < 4; k++) {
                next[k] = rounds[state[k] >> 24]
                    ^ rotate_right(rounds[state[(k + 1) % 4] >> 16 & 0xff], 8)
                    ^ rotate_right(rounds[state[(k + 2) % 4] >> 8 & 0xff], 16)
                    ^ rotate_right(rounds[state[(k + 3) % 4] & 0xff], 24)
                    ^ round_keys[4 * round + k];
            }
            for (int k = 0; k < 4; k++) {
                state[k] = next[k];
            }
        }
        for (int k = 0; k < 4; k++) {
            out[4 * i + k] = (last[state[k] >> 24] << 24
                | last[state[(k + 1) % 4] >> 16 & 0xff] << 16
                | last[state[(k + 2) % 4] >> 8 & 0xff] << 8
                | last[state[(k + 3) % 4] & 0xff])
                ^ round_keys[40 + k];
        }
    }
}
