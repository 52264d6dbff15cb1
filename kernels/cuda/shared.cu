// Shared memory: its rate with 128-bit accesses that meet no conflict, and what a stride costs when lanes meet in one bank.

// Each thread reads `rounds` times 8 float4 out of a block of 1024; `seed` is laid in shared memory first. One sum a thread.
extern "C" __global__ void __launch_bounds__(256) shared_read(int rounds, const float4* __restrict__ seed, float* sums) {
    __shared__ float4 cell[1024];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = t; i < 1024; i += blockDim.x) {
        cell[i] = seed[i];
    }
    __syncthreads();
    float4 sum = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
        int at = t + (round << 3);
#pragma unroll
        for (int k = 0; k < 8; ++k) {
            float4 v = cell[(at + (k << 7)) & 1023];
            sum.x += v.x;
            sum.y += v.y;
            sum.z += v.z;
            sum.w += v.w;
        }
    }
    sums[blockIdx.x * blockDim.x + t] = (sum.x + sum.y) + (sum.z + sum.w);
}

// Lane l reads word l * stride: stride 1 meets no conflict, 2 two lanes a bank, 32 all lanes one bank. The same number of
// loads whatever the stride.
extern "C" __global__ void __launch_bounds__(256)
    shared_stride(int rounds, int stride, const float* __restrict__ seed, float* sums) {
    __shared__ float cell[2048];
    int t = threadIdx.x;
#pragma unroll 1
    for (int i = t; i < 2048; i += blockDim.x) {
        cell[i] = seed[i];
    }
    __syncthreads();
    int lane = t & 31;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
#pragma unroll 4
    for (int round = 0; round < rounds; ++round) {
        int at = lane * stride + (t >> 5) * 4 + round;
        s0 += cell[at & 2047];
        s1 += cell[(at + 256) & 2047];
        s2 += cell[(at + 512) & 2047];
        s3 += cell[(at + 768) & 2047];
    }
    sums[blockIdx.x * blockDim.x + t] = (s0 + s1) + (s2 + s3);
}
