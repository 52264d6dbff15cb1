// The same .cu under a plain C++ compiler: one block at a time, each thread a fibre (or, for the race detector, a thread of the
// system). Shared memory is poisoned before every block. SHIM_REVERSE in the environment runs the threads of a block from the
// last to the first: some faults show in one order only.
#pragma once
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#define __global__
#define __device__
#define __restrict__ __restrict
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct alignas(16) float4 {
    float x, y, z, w;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};

namespace shim {
struct uint3_ {
    unsigned x, y, z;
};
#ifdef SHIM_THREADS
#define SHIM_LOCAL thread_local
#else
#define SHIM_LOCAL
#endif
extern SHIM_LOCAL uint3_ thread;
extern SHIM_LOCAL int linear;
extern uint3_ block;
extern dim3 block_size, grid_size;
extern int error;

void barrier();
void warp_barrier();
unsigned* warp_slots();
void* dynamic_memory();
void* fixed_memory(int key, size_t bytes);
void begin_launch(dim3 grid, dim3 block, unsigned dynamic_bytes);
void run_block(int threads, void (*body)(void*), void* closure);
int end_launch();

template <class... A, size_t... I> void call(void (*f)(A...), void** a, std::index_sequence<I...>) {
    f(*static_cast<std::remove_reference_t<A>*>(a[I])...);
}

template <class... A> int launch(void (*f)(A...), dim3 grid, dim3 threads, unsigned dynamic_bytes, void** arguments) {
    struct Closure {
        void (*f)(A...);
        void** arguments;
    } closure{f, arguments};
    auto body = [](void* c) {
        auto* held = static_cast<Closure*>(c);
        call(held->f, held->arguments, std::index_sequence_for<A...>{});
    };
    begin_launch(grid, threads, dynamic_bytes);
    for (unsigned z = 0; z < grid.z; ++z) {
        for (unsigned y = 0; y < grid.y; ++y) {
            for (unsigned x = 0; x < grid.x; ++x) {
                block = {x, y, z};
                run_block(int(threads.x * threads.y * threads.z), body, &closure);
                if (error) {
                    return end_launch();
                }
            }
        }
    }
    return end_launch();
}
}  // namespace shim

#define threadIdx (::shim::thread)
#define blockIdx (::shim::block)
#define blockDim (::shim::block_size)
#define gridDim (::shim::grid_size)

static inline void __syncthreads() { shim::barrier(); }
static inline void __syncwarp() { shim::warp_barrier(); }

static inline float __uint_as_float(unsigned bits) {
    float value;
    memcpy(&value, &bits, 4);
    return value;
}

template <class T> T __shfl_down_sync(unsigned, T value, unsigned delta) {
    unsigned* slots = shim::warp_slots();
    int lane = shim::linear & 31;
    memcpy(&slots[lane], &value, 4);
    shim::warp_barrier();
    T found = value;
    if (lane + int(delta) < 32) {
        memcpy(&found, &slots[lane + delta], 4);
    }
    shim::warp_barrier();
    return found;
}
