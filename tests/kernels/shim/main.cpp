// Runs one kernel by name on heap arrays of exactly the needed size, so that a sanitizer sees a step outside or a race.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define LAUNCHER(name) extern "C" int launch_##name(unsigned*, unsigned*, unsigned, void**)
LAUNCHER(vector_add);
LAUNCHER(no_bound_check);
LAUNCHER(reduce_sum);
LAUNCHER(no_barrier_in_loop);
LAUNCHER(no_barrier_after_load);
LAUNCHER(neighbour_race);
LAUNCHER(stream_read);
LAUNCHER(stream_copy);
LAUNCHER(stream_triad);
LAUNCHER(stream_write);
LAUNCHER(shared_read);
LAUNCHER(shared_stride);
LAUNCHER(divergence);
LAUNCHER(fma_chains);
LAUNCHER(gemv_bf16);
LAUNCHER(gemv_int4);
LAUNCHER(fill_uniform);
LAUNCHER(fill_bits);
LAUNCHER(index_walk);

using Launch = int (*)(unsigned*, unsigned*, unsigned, void**);

template <class... A> int go(Launch f, unsigned blocks, unsigned threads, unsigned shared, A... values) {
    unsigned g[3] = {blocks, 1, 1}, b[3] = {threads, 1, 1};
    void* arguments[] = {static_cast<void*>(&values)...};
    return f(g, b, shared, arguments);
}

struct Heap {
    void* p;
    explicit Heap(size_t bytes) : p(aligned_alloc(16, (bytes + 15) / 16 * 16)) { memset(p, 0x3C, bytes); }
    ~Heap() { free(p); }
    operator void*() const { return p; }
};

static int add(Launch f) {
    const int n = 1000;
    Heap a(4 * n), b(4 * n), c(4 * n);
    return go(f, 4, 256, 0, n, a.p, b.p, c.p);
}

static int reduce(Launch f) {
    const int n = 5003;
    Heap a(4 * n), partial(4 * 8);
    return go(f, 8, 128, 128 * 4, n, a.p, partial.p);
}

static int neighbour() {
    Heap a(4 * 512), out(4 * 512);
    return go(launch_neighbour_race, 1, 512, 0, 512, a.p, out.p);
}

static int streams() {
    const long long n = 777;
    Heap a(16 * n), b(16 * n), c(16 * n), sums(4 * 2 * 64 / 32);
    int bad = go(launch_stream_read, 2, 64, 0, n, a.p, sums.p);
    bad |= go(launch_stream_copy, 2, 64, 0, n, a.p, b.p);
    bad |= go(launch_stream_triad, 2, 64, 0, n, 0.5f, a.p, b.p, c.p);
    return bad | go(launch_stream_write, 2, 64, 0, n, 0.5f, a.p);
}

static int shared() {
    Heap seed(16 * 1024), sums(4 * 2 * 64);
    int bad = go(launch_shared_read, 2, 64, 0, 3, seed.p, sums.p);
    return bad | go(launch_shared_stride, 2, 64, 0, 3, 32, seed.p, sums.p);
}

static int compute() {
    Heap a(4 * 128), out(4 * 128);
    int bad = go(launch_divergence, 2, 64, 0, 4, 5, a.p, out.p);
    return bad | go(launch_fma_chains, 2, 64, 0, 5, 0.5f, 0.25f, a.p, out.p);
}

static int decode() {
    const int rows = 13, columns = 2048, groups = columns / 32;
    Heap w(2 * rows * columns), x(2 * columns), y(4 * rows), packed(rows * columns / 2), scale(4 * rows * groups), x8(columns);
    Heap x_scale(4 * groups), x_sum(4 * groups);
    int bad = go(launch_gemv_bf16, 4, 128, 0, rows, columns, w.p, x.p, y.p);
    return bad | go(launch_gemv_int4, 4, 128, 0, rows, columns, packed.p, scale.p, x8.p, x_scale.p, x_sum.p, y.p);
}

static int fills() {
    const long long n = 999;
    Heap a(4 * n);
    int block_and_seat = 999;
    Heap blocks(4 * n), seats(4 * n);
    int bad = go(launch_fill_uniform, 2, 64, 0, n, 255u, 7u, a.p);
    bad |= go(launch_fill_bits, 2, 64, 0, n, 255u, 7u, 0xFFu, 0u, a.p);
    return bad | go(launch_index_walk, 4, 256, 0, block_and_seat, blocks.p, seats.p);
}

int main(int, char** argv) {
    std::string what = argv[1];
    int bad = 1;
    if (what == "all") {
        bad = add(launch_vector_add) | reduce(launch_reduce_sum) | streams() | shared() | compute() | decode() | fills();
    } else if (what == "few") {
        bad = reduce(launch_reduce_sum) | shared();
    } else if (what == "no_bound_check") {
        bad = add(launch_no_bound_check);
    } else if (what == "no_barrier_in_loop") {
        bad = reduce(launch_no_barrier_in_loop);
    } else if (what == "no_barrier_after_load") {
        bad = reduce(launch_no_barrier_after_load);
    } else if (what == "neighbour_race") {
        bad = neighbour();
    }
    std::printf("done %d\n", bad);
    return bad;
}
