// A warp that goes `paths` ways walks each of them in turn. Every lane does the same work whatever `paths` is; only the number
// of different ways inside a warp changes. The branch holds a loop, so that no compiler turns it into a select.

extern "C" __global__ void __launch_bounds__(256) divergence(int paths, int rounds, const float* __restrict__ a, float* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int mine = (threadIdx.x & 31) % paths;
    float x = a[i];
    float y = x + 0.5f;
#pragma unroll 1
    for (int path = 0; path < paths; ++path) {
        if (path == mine) {
            float scale = 0.5f + 0.0078125f * path;
#pragma unroll 1
            for (int round = 0; round < rounds; ++round) {
                x = x * scale + 0.25f;
                y = y * scale + 0.125f;
                x = x * scale + 0.0625f;
                y = y * scale + 0.03125f;
            }
        }
    }
    out[i] = x + y;
}
