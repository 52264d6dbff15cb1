// Random data made where it is used. The value at index i depends on (i & mask) and the seed alone, so that the host can
// recompute any sample and the sum of the whole. Zeros or constants would flatter a device: fewer bits toggle.

static __device__ unsigned mixed(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352dU;
    x ^= x >> 15;
    x *= 0x846ca68bU;
    x ^= x >> 16;
    return x;
}

// Uniform in [0, 1): 24 bits, exact in FP32.
extern "C" __global__ void fill_uniform(long long n, unsigned mask, unsigned seed, float* a) {
    long long step = (long long)gridDim.x * blockDim.x;
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        a[i] = (mixed(((unsigned)i & mask) ^ seed) >> 8) * 5.9604644775390625e-08f;
    }
}

// 32 random bits a word, ANDed with `keep` and ORed with `set`: enough to make INT4 pairs, FP8 without NaN, BF16 in a range.
extern "C" __global__ void fill_bits(long long n, unsigned mask, unsigned seed, unsigned keep, unsigned set, unsigned* a) {
    long long step = (long long)gridDim.x * blockDim.x;
#pragma unroll 1
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        a[i] = (mixed(((unsigned)i & mask) ^ seed) & keep) | set;
    }
}
