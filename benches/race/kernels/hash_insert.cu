// Insertion into a hash table with linear probing, by compare-and-swap.
extern "C" __global__ void hash_insert(int n, unsigned size, const unsigned* __restrict__ keys, unsigned* __restrict__ slots, unsigned* __restrict__ inserted) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned key = keys[i];
        unsigned slot = key * 0x9e3779b1u % size;
        while (true) {
            unsigned found = atomicCAS(&slots[slot], 0, key);
            if (found == 0) {
                atomicAdd(inserted, 1);
                break;
            }
            if (found == key) {
                break;
            }
            slot = (slot + 1) % size;
        }
    }
}
