// Sum of an array: each block adds its share in shared memory, in a tree. Every barrier here is needed; the tests take them
// out one by one and must notice. blockDim is a power of two; `partial` holds one sum a block.

extern "C" __global__ void reduce_sum(int n, const float* __restrict__ a, float* partial) {
    extern __shared__ float cell[];
    int t = threadIdx.x;
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + t;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
#pragma unroll 1
    for (; i + 3 * step < n; i += 4 * step) {
        s0 += a[i];
        s1 += a[i + step];
        s2 += a[i + 2 * step];
        s3 += a[i + 3 * step];
    }
#pragma unroll 1
    for (; i < n; i += step) {
        s0 += a[i];
    }
    cell[t] = (s0 + s1) + (s2 + s3);
    __syncthreads();  // after the load
    for (int half = blockDim.x / 2; half > 0; half >>= 1) {
        if (t < half) {
            cell[t] += cell[t + half];
        }
        __syncthreads();  // in the loop
    }
    if (t == 0) {
        partial[blockIdx.x] = cell[0];
    }
}
