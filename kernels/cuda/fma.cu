// FP32 fused multiply-adds in eight independent chains: 16 operations a round, no memory in between.

extern "C" __global__ void __launch_bounds__(256) fma_chains(int rounds, float scale, float shift, const float* __restrict__ a, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float x0 = a[i];
    float x1 = x0 + 1.0f, x2 = x0 + 2.0f, x3 = x0 + 3.0f, x4 = x0 + 4.0f, x5 = x0 + 5.0f, x6 = x0 + 6.0f, x7 = x0 + 7.0f;
#pragma unroll 8
    for (int round = 0; round < rounds; ++round) {
        x0 = x0 * scale + shift;
        x1 = x1 * scale + shift;
        x2 = x2 * scale + shift;
        x3 = x3 * scale + shift;
        x4 = x4 * scale + shift;
        x5 = x5 * scale + shift;
        x6 = x6 * scale + shift;
        x7 = x7 * scale + shift;
    }
    out[i] = ((x0 + x1) + (x2 + x3)) + ((x4 + x5) + (x6 + x7));
}
