// Matrix rates of Hopper's warpgroup instruction (sm_90a only): a block of two warpgroups multiplies a 128 x K tile by a 256 x K
// tile (transposed) `rounds` times into 128 x 256 sums. K is one row of 128 bytes: 64 BF16 or FP16, 32 TF32, 128 FP8 or INT8, four
// steps of 32 bytes. Both tiles lie in shared memory, rows of 128 bytes in the 128-byte swizzle: 16-byte piece p of row r is
// stored at piece p ^ (r & 7), eight rows a block of 1024 bytes.
#if defined(__CUDACC_RTC__) && defined(__CUDA_ARCH_FEAT_SM90_ALL)

#define ROWS_A 128
#define ROWS_B 256

static __device__ unsigned shared_address(const void* p) {
    unsigned long long wide;
    asm("cvta.to.shared.u64 %0, %1;" : "=l"(wide) : "l"(p));
    return (unsigned)wide;
}

// Start address >> 4; leading offset 1 (unused in this layout); stride 1024 bytes between groups of eight rows; swizzle 128 B.
static __device__ unsigned long long descriptor(unsigned address) {
    return (unsigned long long)((address & 0x3ffffU) >> 4) | (1ULL << 16) | (64ULL << 32) | (1ULL << 62);
}

static __device__ void lay(uint4* tile, const uint4* __restrict__ source, int rows) {
    for (int i = threadIdx.x; i < rows * 8; i += blockDim.x) {
        int row = i >> 3, piece = i & 7;
        tile[row * 8 + (piece ^ (row & 7))] = source[i];
    }
}

#define V8(c, d, i)                                                                                                       \
    "+" c(d[i]), "+" c(d[i + 1]), "+" c(d[i + 2]), "+" c(d[i + 3]), "+" c(d[i + 4]), "+" c(d[i + 5]), "+" c(d[i + 6]),       \
        "+" c(d[i + 7])
#define V32(c, d, i) V8(c, d, i), V8(c, d, i + 8), V8(c, d, i + 16), V8(c, d, i + 24)
#define V128(c, d) V32(c, d, 0), V32(c, d, 32), V32(c, d, 64), V32(c, d, 96)

#define N128                                                                                                              \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,"   \
    "%31,%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,"  \
    "%60,%61,%62,%63,%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%85,%86,%87,%88,"  \
    "%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111,%112,%113,"    \
    "%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127}"

#define MULTIPLY(kind, tail, cs, d, a, b)                                                                                 \
    asm volatile("{\n.reg .pred p;\nsetp.ne.b32 p, 1, 0;\nwgmma.mma_async.sync.aligned." kind " " N128                      \
                 ", %128, %129, p" tail ";\n}\n"                                                                            \
                 : V128(cs, d)                                                                                              \
                 : "l"(a), "l"(b))

#define KERNEL(name, kind, tail, S, cs)                                                                                   \
    extern "C" __global__ void __launch_bounds__(256)                                                                       \
        name(int rounds, const uint4* __restrict__ a, const uint4* __restrict__ b, S* out) {                                \
        __shared__ __align__(1024) uint4 tile[(ROWS_A + ROWS_B) * 8];                                                       \
        lay(tile, a, ROWS_A);                                                                                               \
        lay(tile + ROWS_A * 8, b, ROWS_B);                                                                                  \
        asm volatile("fence.proxy.async;" ::: "memory");                                                                    \
        __syncthreads();                                                                                                    \
        int group = threadIdx.x >> 7;                                                                                       \
        unsigned base = shared_address(tile);                                                                               \
        unsigned long long da = descriptor(base + group * 64 * 128), db = descriptor(base + ROWS_A * 128);                  \
        S sum[128];                                                                                                         \
        _Pragma("unroll") for (int i = 0; i < 128; ++i) { sum[i] = 0; }                                                     \
        _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {                                                  \
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");                                                         \
            MULTIPLY(kind, tail, cs, sum, da, db);                                                                          \
            MULTIPLY(kind, tail, cs, sum, da + 2, db + 2);                                                                  \
            MULTIPLY(kind, tail, cs, sum, da + 4, db + 4);                                                                  \
            MULTIPLY(kind, tail, cs, sum, da + 6, db + 6);                                                                  \
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");                                                  \
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");                                                  \
        }                                                                                                                   \
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");                                                      \
        int lane = threadIdx.x & 31, warp = (threadIdx.x >> 5) & 3;                                                         \
        S* mine = out + ((long long)blockIdx.x * ROWS_A + group * 64 + warp * 16 + (lane >> 2)) * ROWS_B + 2 * (lane & 3);   \
        _Pragma("unroll") for (int j = 0; j < 32; ++j) {                                                                    \
            mine[8 * j] = sum[4 * j];                                                                                       \
            mine[8 * j + 1] = sum[4 * j + 1];                                                                               \
            mine[8 * ROWS_B + 8 * j] = sum[4 * j + 2];                                                                      \
            mine[8 * ROWS_B + 8 * j + 1] = sum[4 * j + 3];                                                                  \
        }                                                                                                                   \
    }

KERNEL(wgmma_bf16, "m64n256k16.f32.bf16.bf16", ", 1, 1, 0, 0", float, "f")
KERNEL(wgmma_fp16, "m64n256k16.f32.f16.f16", ", 1, 1, 0, 0", float, "f")
KERNEL(wgmma_tf32, "m64n256k8.f32.tf32.tf32", ", 1, 1", float, "f")
KERNEL(wgmma_fp8, "m64n256k32.f32.e4m3.e4m3", ", 1, 1", float, "f")
KERNEL(wgmma_int8, "m64n256k32.s32.s8.s8", "", int, "r")

#endif
