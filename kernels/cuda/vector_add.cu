// c = a + b, the worked example: one thread an element, the last block partly idle.

extern "C" __global__ void vector_add(int n, const float* a, const float* b, float* c) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        c[i] = a[i] + b[i];
    }
}

// Who works on element i: its block and its seat in it. What the page's index walk shows is read back from here.
extern "C" __global__ void index_walk(int n, int* block, int* thread) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}

// Nothing at all: what is left is the price of a launch.
extern "C" __global__ void empty() {}
