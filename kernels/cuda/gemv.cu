// y = W x as one token of decoding does it: every weight is read once, the vector stays in cache. One warp a row.

static __device__ float low_bf16(unsigned pair) { return __uint_as_float(pair << 16); }
static __device__ float high_bf16(unsigned pair) { return __uint_as_float(pair & 0xffff0000U); }

static __device__ float warp_sum(float sum) {
    for (int lane = 16; lane > 0; lane >>= 1) {
        sum += __shfl_down_sync(0xffffffffU, sum, lane);
    }
    return sum;
}

static __device__ float dot8(uint4 w, uint4 x) {
    float s = low_bf16(w.x) * low_bf16(x.x) + high_bf16(w.x) * high_bf16(x.x);
    s += low_bf16(w.y) * low_bf16(x.y) + high_bf16(w.y) * high_bf16(x.y);
    s += low_bf16(w.z) * low_bf16(x.z) + high_bf16(w.z) * high_bf16(x.z);
    s += low_bf16(w.w) * low_bf16(x.w) + high_bf16(w.w) * high_bf16(x.w);
    return s;
}

// W: rows x columns BF16, row-major; x: BF16; columns a multiple of 1024 (four 128-bit loads a lane and step).
extern "C" __global__ void __launch_bounds__(256)
    gemv_bf16(int rows, int columns, const uint4* __restrict__ w, const uint4* __restrict__ x, float* y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= rows) {
        return;
    }
    int eights = columns >> 3;
    const uint4* mine = w + (long long)row * eights;
    float s0 = 0.0f, s1 = 0.0f, s2 = 0.0f, s3 = 0.0f;
#pragma unroll 1
    for (int k = lane; k < eights; k += 128) {
        uint4 w0 = mine[k], w1 = mine[k + 32], w2 = mine[k + 64], w3 = mine[k + 96];
        s0 += dot8(w0, x[k]);
        s1 += dot8(w1, x[k + 32]);
        s2 += dot8(w2, x[k + 64]);
        s3 += dot8(w3, x[k + 96]);
    }
    float sum = warp_sum((s0 + s1) + (s2 + s3));
    if (lane == 0) {
        y[row] = sum;
    }
}

static __device__ int dot_bytes(unsigned a, unsigned b, int sum) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 610
    return __dp4a((int)a, (int)b, sum);
#else
    for (int shift = 0; shift < 32; shift += 8) {
        sum += (int)(signed char)(a >> shift) * (int)(signed char)(b >> shift);
    }
    return sum;
#endif
}

// 32 weights of 4 bits in one 128-bit word: word k holds weights 8k..8k+7; the low nibbles of its bytes are the first four.
static __device__ int dot32(uint4 w, uint4 first, uint4 second) {
    const unsigned low = 0x0f0f0f0fU;
    int s = dot_bytes(w.x & low, first.x, 0);
    s = dot_bytes((w.x >> 4) & low, first.y, s);
    s = dot_bytes(w.y & low, first.z, s);
    s = dot_bytes((w.y >> 4) & low, first.w, s);
    s = dot_bytes(w.z & low, second.x, s);
    s = dot_bytes((w.z >> 4) & low, second.y, s);
    s = dot_bytes(w.w & low, second.z, s);
    return dot_bytes((w.w >> 4) & low, second.w, s);
}

// Groups of 32 weights with one FP32 scale and the offset 8; x as INT8 with a scale and the sum of its integers per group.
// columns a multiple of 2048: two groups a lane and step.
extern "C" __global__ void __launch_bounds__(256)
    gemv_int4(int rows, int columns, const uint4* __restrict__ w, const float* __restrict__ scale, const uint4* __restrict__ x,
              const float* __restrict__ x_scale, const int* __restrict__ x_sum, float* y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    int lane = threadIdx.x & 31;
    if (row >= rows) {
        return;
    }
    int groups = columns >> 5;
    const uint4* mine = w + (long long)row * groups;
    const float* scales = scale + (long long)row * groups;
    float s0 = 0.0f, s1 = 0.0f;
#pragma unroll 1
    for (int g = lane; g < groups; g += 64) {
        int h = g + 32;
        uint4 w0 = mine[g], w1 = mine[h];
        float d0 = scales[g], d1 = scales[h];
        s0 += d0 * x_scale[g] * (float)(dot32(w0, x[2 * g], x[2 * g + 1]) - 8 * x_sum[g]);
        s1 += d1 * x_scale[h] * (float)(dot32(w1, x[2 * h], x[2 * h + 1]) - 8 * x_sum[h]);
    }
    float sum = warp_sum(s0 + s1);
    if (lane == 0) {
        y[row] = sum;
    }
}
