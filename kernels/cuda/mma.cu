// Matrix rates through mma.sync: a warp multiplies a 32 x K tile by a 32 x K tile (transposed) `rounds` times into the same
// 32 x 32 sums, all from registers: 8 sums of 16 x 8 (or 16 of 8 x 8), 2 left and 4 right fragments.
//
// A kernel exists only where the architecture has the instruction. Elsewhere the compiler would emulate it (FP8 through HMMA on
// sm_90, INT4 from sm_90 on) and the figure would describe the emulation. The tests read the machine code to hold this.
//
// In 32-bit words every fragment has the same layout whatever the precision: row g = lane / 4, word t = lane % 4 (+ 4 for the
// second half of K); results at row g, columns 2t and 2t + 1. So one loader and one writer serve all.
#ifdef __CUDACC_RTC__

#define ARCH __CUDA_ARCH__
#define HAS_TURING (ARCH == 750)
#define HAS_AMPERE ((ARCH >= 800 && ARCH < 1000) || ARCH >= 1200)
#define HAS_INT4 (ARCH >= 800 && ARCH < 900)
#define HAS_FP8 ((ARCH >= 890 && ARCH < 900) || ARCH >= 1200)
#if (ARCH == 1200 || ARCH == 1210) && defined(__CUDA_ARCH_SPECIFIC__)
#define HAS_FP4 1
#else
#define HAS_FP4 0
#endif

#define LANE (threadIdx.x & 31)
#define WARP ((blockIdx.x * blockDim.x + threadIdx.x) >> 5)

// m16n8 with K of eight words a row: 4 words of A, 2 of B, 4 sums.
#define STEP_16(kind, cs, d, a, b)                                                                                         \
    asm volatile("mma.sync.aligned." kind " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                          \
                 : "+" cs(d[0]), "+" cs(d[1]), "+" cs(d[2]), "+" cs(d[3])                                                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

#define KERNEL_16(name, kind, S, cs)                                                                                      \
    extern "C" __global__ void __launch_bounds__(256)                                                                       \
        name(int rounds, const unsigned* __restrict__ a, const unsigned* __restrict__ b, S* out) {                          \
        int g = LANE >> 2, t = LANE & 3;                                                                                    \
        unsigned fa[2][4], fb[4][2];                                                                                        \
        S sum[2][4][4];                                                                                                     \
        for (int m = 0; m < 2; ++m) {                                                                                       \
            for (int r = 0; r < 4; ++r) {                                                                                   \
                fa[m][r] = a[(16 * m + g + 8 * (r & 1)) * 8 + t + 4 * (r >> 1)];                                            \
            }                                                                                                               \
        }                                                                                                                   \
        for (int n = 0; n < 4; ++n) {                                                                                       \
            for (int r = 0; r < 2; ++r) {                                                                                   \
                fb[n][r] = b[(8 * n + g) * 8 + t + 4 * r];                                                                  \
            }                                                                                                               \
        }                                                                                                                   \
        for (int m = 0; m < 2; ++m) {                                                                                       \
            for (int n = 0; n < 4; ++n) {                                                                                   \
                for (int r = 0; r < 4; ++r) {                                                                               \
                    sum[m][n][r] = 0;                                                                                       \
                }                                                                                                           \
            }                                                                                                               \
        }                                                                                                                   \
        _Pragma("unroll 4") for (int round = 0; round < rounds; ++round) {                                                  \
            _Pragma("unroll") for (int n = 0; n < 4; ++n) {                                                                 \
                STEP_16(kind, cs, sum[0][n], fa[0], fb[n]);                                                       \
                STEP_16(kind, cs, sum[1][n], fa[1], fb[n]);                                                       \
            }                                                                                                               \
        }                                                                                                                   \
        S* mine = out + (long long)WARP * 1024;                                                                             \
        for (int m = 0; m < 2; ++m) {                                                                                       \
            for (int n = 0; n < 4; ++n) {                                                                                   \
                for (int r = 0; r < 4; ++r) {                                                                               \
                    mine[(16 * m + g + 8 * (r >> 1)) * 32 + 8 * n + 2 * t + (r & 1)] = sum[m][n][r];                        \
                }                                                                                                           \
            }                                                                                                               \
        }                                                                                                                   \
    }

#if HAS_AMPERE
// FP16 sums: twice the rate of FP32 sums on GeForce. Two results a word, columns 2t and 2t + 1.
extern "C" __global__ void __launch_bounds__(256)
    mma_fp16_half(int rounds, const unsigned* __restrict__ a, const unsigned* __restrict__ b, unsigned* out) {
    int g = LANE >> 2, t = LANE & 3;
    unsigned fa[2][4], fb[4][2], sum[2][4][2] = {};
    for (int m = 0; m < 2; ++m) {
        for (int r = 0; r < 4; ++r) {
            fa[m][r] = a[(16 * m + g + 8 * (r & 1)) * 8 + t + 4 * (r >> 1)];
        }
    }
    for (int n = 0; n < 4; ++n) {
        fb[n][0] = b[(8 * n + g) * 8 + t];
        fb[n][1] = b[(8 * n + g) * 8 + t + 4];
    }
#pragma unroll 4
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int n = 0; n < 4; ++n) {
#pragma unroll
            for (int m = 0; m < 2; ++m) {
                asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
                             : "+r"(sum[m][n][0]), "+r"(sum[m][n][1])
                             : "r"(fa[m][0]), "r"(fa[m][1]), "r"(fa[m][2]), "r"(fa[m][3]), "r"(fb[n][0]), "r"(fb[n][1]));
            }
        }
    }
    unsigned* mine = out + (long long)WARP * 512;
    for (int m = 0; m < 2; ++m) {
        for (int n = 0; n < 4; ++n) {
            for (int r = 0; r < 2; ++r) {
                mine[(16 * m + g + 8 * r) * 16 + 4 * n + t] = sum[m][n][r];
            }
        }
    }
}

KERNEL_16(mma_bf16, "m16n8k16.row.col.f32.bf16.bf16.f32", float, "f")
KERNEL_16(mma_fp16, "m16n8k16.row.col.f32.f16.f16.f32", float, "f")
KERNEL_16(mma_tf32, "m16n8k8.row.col.f32.tf32.tf32.f32", float, "f")
KERNEL_16(mma_int8, "m16n8k32.row.col.s32.s8.s8.s32", int, "r")
#endif
#if HAS_INT4
KERNEL_16(mma_int4, "m16n8k64.row.col.s32.s4.s4.s32", int, "r")
#endif
#if HAS_FP8
KERNEL_16(mma_fp8, "m16n8k32.row.col.f32.e4m3.e4m3.f32", float, "f")
#endif

#if HAS_FP4
// NVFP4: blocks of 16 share one E4M3 scale; all scales are 1.0 (0x38) here.
#undef STEP_16
#define STEP_16(kind, cs, d, a, b)                                                                                         \
    asm volatile("mma.sync.aligned." kind " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3}, "                         \
                 "{%10}, {0, 0}, {%10}, {0, 0};"                                                                            \
                 : "+" cs(d[0]), "+" cs(d[1]), "+" cs(d[2]), "+" cs(d[3])                                                   \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(0x38383838U))
KERNEL_16(mma_fp4, "kind::mxf4nvf4.block_scale.scale_vec::4X.m16n8k64.row.col.f32.e2m1.e2m1.f32.ue4m3", float, "f")
#endif

#if HAS_TURING
// FP16 on Turing: m16n8k8, four words a row of K. The caller's rows hold four words.
extern "C" __global__ void __launch_bounds__(256)
    mma_fp16(int rounds, const unsigned* __restrict__ a, const unsigned* __restrict__ b, float* out) {
    int g = LANE >> 2, t = LANE & 3;
    unsigned fa[2][2], fb[4];
    float sum[2][4][4] = {};
    for (int m = 0; m < 2; ++m) {
        fa[m][0] = a[(16 * m + g) * 4 + t];
        fa[m][1] = a[(16 * m + g + 8) * 4 + t];
    }
    for (int n = 0; n < 4; ++n) {
        fb[n] = b[(8 * n + g) * 4 + t];
    }
#pragma unroll 4
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int m = 0; m < 2; ++m) {
#pragma unroll
            for (int n = 0; n < 4; ++n) {
                float* d = sum[m][n];
                asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
                             : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                             : "r"(fa[m][0]), "r"(fa[m][1]), "r"(fb[n]));
            }
        }
    }
    float* mine = out + (long long)WARP * 1024;
    for (int m = 0; m < 2; ++m) {
        for (int n = 0; n < 4; ++n) {
            for (int r = 0; r < 4; ++r) {
                mine[(16 * m + g + 8 * (r >> 1)) * 32 + 8 * n + 2 * t + (r & 1)] = sum[m][n][r];
            }
        }
    }
}

// INT8 and INT4 on Turing: m8n8 with four words a row.
#define KERNEL_8(name, kind)                                                                                              \
    extern "C" __global__ void __launch_bounds__(256)                                                                       \
        name(int rounds, const unsigned* __restrict__ a, const unsigned* __restrict__ b, int* out) {                        \
        int g = LANE >> 2, t = LANE & 3;                                                                                    \
        unsigned fa[4], fb[4];                                                                                              \
        int sum[4][4][2] = {};                                                                                              \
        for (int i = 0; i < 4; ++i) {                                                                                       \
            fa[i] = a[(8 * i + g) * 4 + t];                                                                                 \
            fb[i] = b[(8 * i + g) * 4 + t];                                                                                 \
        }                                                                                                                   \
        _Pragma("unroll 4") for (int round = 0; round < rounds; ++round) {                                                  \
            _Pragma("unroll") for (int m = 0; m < 4; ++m) {                                                                 \
                _Pragma("unroll") for (int n = 0; n < 4; ++n) {                                                             \
                    asm volatile("mma.sync.aligned." kind " {%0,%1}, {%2}, {%3}, {%0,%1};"                                  \
                                 : "+r"(sum[m][n][0]), "+r"(sum[m][n][1])                                                   \
                                 : "r"(fa[m]), "r"(fb[n]));                                                                 \
                }                                                                                                           \
            }                                                                                                               \
        }                                                                                                                   \
        int* mine = out + (long long)WARP * 1024;                                                                           \
        for (int m = 0; m < 4; ++m) {                                                                                       \
            for (int n = 0; n < 4; ++n) {                                                                                   \
                mine[(8 * m + g) * 32 + 8 * n + 2 * t] = sum[m][n][0];                                                      \
                mine[(8 * m + g) * 32 + 8 * n + 2 * t + 1] = sum[m][n][1];                                                  \
            }                                                                                                               \
        }                                                                                                                   \
    }
KERNEL_8(mma_int8, "m8n8k16.row.col.s32.s8.s8.s32")
KERNEL_8(mma_int4, "m8n8k32.row.col.s32.s4.s4.s32")
#endif

#endif
