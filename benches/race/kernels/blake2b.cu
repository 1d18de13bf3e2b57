// BLAKE2b of messages of 128 bytes, each of which is a single block: a thread for each message.
typedef unsigned long long word;

__constant__ word START[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

__device__ word rotate_right(word x, int by) {
    return x >> by | x << (64 - by);
}

__device__ void mix(word& a, word& b, word& c, word& d, word x, word y) {
    a += b + x;
    d = rotate_right(d ^ a, 32);
    c += d;
    b = rotate_right(b ^ c, 24);
    a += b + y;
    d = rotate_right(d ^ a, 16);
    c += d;
    b = rotate_right(b ^ c, 63);
}

extern "C" __global__ void blake2b(int n, const word* __restrict__ messages, word* __restrict__ hashes) {
    const int order[10][16] = {
        {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
        {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
        {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
        {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
        {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
        {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
        {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
        {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
        {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
        {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
    };
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        word m[16], v[16];
#pragma unroll
        for (int k = 0; k < 16; k++) {
            m[k] = messages[16 * i + k];
        }
        // A hash of 64 bytes, without a key.
        word first = START[0] ^ 0x01010040;
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v[k] = k == 0 ? first : START[k];
            v[k + 8] = START[k];
        }
        v[12] ^= 128;
        v[14] = ~v[14];
#pragma unroll
        for (int round = 0; round < 12; round++) {
            const int* s = order[round % 10];
            mix(v[0], v[4], v[8], v[12], m[s[0]], m[s[1]]);
            mix(v[1], v[5], v[9], v[13], m[s[2]], m[s[3]]);
            mix(v[2], v[6], v[10], v[14], m[s[4]], m[s[5]]);
            mix(v[3], v[7], v[11], v[15], m[s[6]], m[s[7]]);
            mix(v[0], v[5], v[10], v[15], m[s[8]], m[s[9]]);
            mix(v[1], v[6], v[11], v[12], m[s[10]], m[s[11]]);
            mix(v[2], v[7], v[8], v[13], m[s[12]], m[s[13]]);
            mix(v[3], v[4], v[9], v[14], m[s[14]], m[s[15]]);
        }
#pragma unroll
        for (int k = 0; k < 8; k++) {
            hashes[8 * i + k] = (k == 0 ? first : START[k]) ^ v[k] ^ v[k + 8];
        }
    }
}
