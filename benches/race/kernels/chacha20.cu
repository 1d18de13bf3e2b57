// The ChaCha20 key stream, one block of 64 bytes a thread.
__device__ unsigned rotate_left(unsigned x, int by) {
    return x << by | x >> (32 - by);
}

__device__ void quarter_round(unsigned* state, int a, int b, int c, int d) {
    state[a] += state[b];
    state[d] = rotate_left(state[d] ^ state[a], 16);
    state[c] += state[d];
    state[b] = rotate_left(state[b] ^ state[c], 12);
    state[a] += state[b];
    state[d] = rotate_left(state[d] ^ state[a], 8);
    state[c] += state[d];
    state[b] = rotate_left(state[b] ^ state[c], 7);
}

extern "C" __global__ void chacha20(int n, const unsigned* __restrict__ key, const unsigned* __restrict__ nonce, unsigned* __restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned initial[16], state[16];
        initial[0] = 0x61707865;
        initial[1] = 0x3320646e;
        initial[2] = 0x79622d32;
        initial[3] = 0x6b206574;
        for (int k = 0; k < 8; k++) {
            initial[4 + k] = key[k];
        }
        initial[12] = i;
        for (int k = 0; k < 3; k++) {
            initial[13 + k] = nonce[k];
        }
        for (int k = 0; k < 16; k++) {
            state[k] = initial[k];
        }
        for (int round = 0; round < 10; round++) {
            quarter_round(state, 0, 4, 8, 12);
            quarter_round(state, 1, 5, 9, 13);
            quarter_round(state, 2, 6, 10, 14);
            quarter_round(state, 3, 7, 11, 15);
            quarter_round(state, 0, 5, 10, 15);
            quarter_round(state, 1, 6, 11, 12);
            quarter_round(state, 2, 7, 8, 13);
            quarter_round(state, 3, 4, 9, 14);
        }
        for (int k = 0; k < 16; k++) {
            out[16 * i + k] = state[k] + initial[k];
        }
    }
}
