// Memory streams with 128-bit accesses. Each thread keeps four of them in flight and walks the array with the grid's stride.
// n4 counts float4; the tail of fewer than four strides is done one at a time.

static __device__ float4 plus(float4 a, float4 b) {
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    a.w += b.w;
    return a;
}

static __device__ float4 fused(float4 b, float s, float4 c) {
    b.x += s * c.x;
    b.y += s * c.y;
    b.z += s * c.z;
    b.w += s * c.w;
    return b;
}

// One sum a warp: `sums` holds gridDim * blockDim / 32 values.
extern "C" __global__ void __launch_bounds__(256) stream_read(long long n4, const float4* __restrict__ a, float* sums) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    float4 zero = {0.0f, 0.0f, 0.0f, 0.0f};
    float4 s0 = zero, s1 = zero, s2 = zero, s3 = zero;
#pragma unroll 1
    for (; i + 3 * step < n4; i += 4 * step) {
        float4 a0 = a[i], a1 = a[i + step], a2 = a[i + 2 * step], a3 = a[i + 3 * step];
        s0 = plus(s0, a0);
        s1 = plus(s1, a1);
        s2 = plus(s2, a2);
        s3 = plus(s3, a3);
    }
#pragma unroll 1
    for (; i < n4; i += step) {
        s0 = plus(s0, a[i]);
    }
    s0 = plus(plus(s0, s1), plus(s2, s3));
    float sum = (s0.x + s0.y) + (s0.z + s0.w);
    for (int lane = 16; lane > 0; lane >>= 1) {
        sum += __shfl_down_sync(0xffffffffU, sum, lane);
    }
    if ((threadIdx.x & 31) == 0) {
        sums[(blockIdx.x * blockDim.x + threadIdx.x) >> 5] = sum;
    }
}

extern "C" __global__ void __launch_bounds__(256) stream_copy(long long n4, const float4* __restrict__ a, float4* __restrict__ b) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (; i + 3 * step < n4; i += 4 * step) {
        float4 a0 = a[i], a1 = a[i + step], a2 = a[i + 2 * step], a3 = a[i + 3 * step];
        b[i] = a0;
        b[i + step] = a1;
        b[i + 2 * step] = a2;
        b[i + 3 * step] = a3;
    }
#pragma unroll 1
    for (; i < n4; i += step) {
        b[i] = a[i];
    }
}

// a = b + s * c
extern "C" __global__ void __launch_bounds__(256)
    stream_triad(long long n4, float s, const float4* __restrict__ b, const float4* __restrict__ c, float4* __restrict__ a) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (; i + step < n4; i += 2 * step) {
        float4 b0 = b[i], b1 = b[i + step], c0 = c[i], c1 = c[i + step];
        a[i] = fused(b0, s, c0);
        a[i + step] = fused(b1, s, c1);
    }
#pragma unroll 1
    for (; i < n4; i += step) {
        a[i] = fused(b[i], s, c[i]);
    }
}

static __device__ float4 pattern(float value, long long i) {
    float x = value + (float)(i & 1023);
    float4 v = {x, x + 0.25f, x + 0.5f, x + 0.75f};
    return v;
}

extern "C" __global__ void __launch_bounds__(256) stream_write(long long n4, float value, float4* __restrict__ a) {
    long long step = (long long)gridDim.x * blockDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 1
    for (; i + 3 * step < n4; i += 4 * step) {
        a[i] = pattern(value, i);
        a[i + step] = pattern(value, i + step);
        a[i + 2 * step] = pattern(value, i + 2 * step);
        a[i + 3 * step] = pattern(value, i + 3 * step);
    }
#pragma unroll 1
    for (; i < n4; i += step) {
        a[i] = pattern(value, i);
    }
}
