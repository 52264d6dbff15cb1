#include "cuda_cpu.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace shim {
SHIM_LOCAL uint3_ thread;
SHIM_LOCAL int linear;
uint3_ block;
dim3 block_size, grid_size;
int error;

static char message[256];
static std::vector<char> dynamic_;
static std::map<int, std::vector<char>> fixed_;
static std::vector<unsigned> slots_;
static const char POISON = char(0xCB);

void begin_launch(dim3 grid, dim3 threads, unsigned dynamic_bytes) {
    grid_size = grid;
    block_size = threads;
    error = 0;
    message[0] = 0;
    dynamic_.assign(dynamic_bytes + 256, POISON);
    slots_.assign(threads.x * threads.y * threads.z + 32, 0xCBCBCBCBu);
}

int end_launch() { return error; }

static void poison() {
    memset(dynamic_.data(), POISON, dynamic_.size());
    for (auto& held : fixed_) {
        memset(held.second.data(), POISON, held.second.size());
    }
}

static void place(int number) {
    linear = number;
    unsigned n = unsigned(number);
    thread = {n % block_size.x, n / block_size.x % block_size.y, n / (block_size.x * block_size.y)};
}

unsigned* warp_slots() { return slots_.data() + (linear & ~31); }

static void* aligned(std::vector<char>& held) { return reinterpret_cast<void*>((reinterpret_cast<size_t>(held.data()) + 127) & ~size_t(127)); }

void* dynamic_memory() { return aligned(dynamic_); }
}  // namespace shim

#ifndef SHIM_THREADS
#include <setjmp.h>
#include <ucontext.h>

namespace shim {
enum State : char { FRESH, AT_BARRIER, AT_WARP, DONE };
static const size_t STACK = 64 * 1024;

struct Fibre {
    ucontext_t context;
    jmp_buf place;
    bool entered = false;
    std::vector<char> stack;
    int thread = -1;
};

// ucontext makes the stacks; after that setjmp switches, which asks nothing of the kernel.
static jmp_buf scheduler;
static std::vector<Fibre*> idle;
static std::vector<Fibre*> owner;
static std::vector<State> state;
static Fibre* running;
static void (*body_)(void*);
static void* closure_;
static int threads_, started_;
static bool reverse_;

void* fixed_memory(int key, size_t bytes) {
    auto& held = fixed_[key];
    if (held.size() < bytes + 128) {
        held.assign(bytes + 128, POISON);
    }
    return aligned(held);
}

static int nth(int k) { return reverse_ ? threads_ - 1 - k : k; }

static void leave(Fibre* me) {
    if (_setjmp(me->place) == 0) {
        _longjmp(scheduler, 1);
    }
}

// A fibre runs thread after thread; only one that waits keeps it. So a kernel without barriers costs no switch at all.
static void carry() {
    for (;;) {
        while (started_ < threads_ && running->thread >= 0) {
            int mine = running->thread;
            body_(closure_);
            state[mine] = DONE;
            running->thread = -1;
            if (started_ < threads_) {
                running->thread = nth(started_++);
                place(running->thread);
            }
        }
        if (running->thread >= 0) {
            int mine = running->thread;
            body_(closure_);
            state[mine] = DONE;
            running->thread = -1;
        }
        Fibre* me = running;
        idle.push_back(me);
        leave(me);
    }
}

static void enter(Fibre* fibre) {
    running = fibre;
    place(fibre->thread);
    if (_setjmp(scheduler) == 0) {
        if (fibre->entered) {
            _longjmp(fibre->place, 1);
        }
        fibre->entered = true;
        setcontext(&fibre->context);
    }
}

static Fibre* fresh() {
    if (!idle.empty()) {
        Fibre* fibre = idle.back();
        idle.pop_back();
        return fibre;
    }
    auto* fibre = new Fibre;
    fibre->stack.resize(STACK);
    getcontext(&fibre->context);
    fibre->context.uc_stack.ss_sp = fibre->stack.data();
    fibre->context.uc_stack.ss_size = STACK;
    fibre->context.uc_link = nullptr;
    makecontext(&fibre->context, carry, 0);
    return fibre;
}

static void wait_as(State kind) {
    Fibre* me = running;
    state[me->thread] = kind;
    owner[me->thread] = me;
    leave(me);
}

void barrier() { wait_as(AT_BARRIER); }
void warp_barrier() { wait_as(AT_WARP); }

static bool resume(int first, int last, State kind) {
    for (int k = 0; k < threads_; ++k) {
        int t = nth(k);
        if (t >= first && t < last && state[t] == kind) {
            Fibre* fibre = owner[t];
            state[t] = FRESH;
            enter(fibre);
        }
    }
    return true;
}

static int count(int first, int last, State kind) {
    int n = 0;
    for (int t = first; t < last; ++t) {
        n += state[t] == kind;
    }
    return n;
}

static bool release_a_warp() {
    bool any = false;
    for (int first = 0; first < threads_; first += 32) {
        int last = first + 32 < threads_ ? first + 32 : threads_;
        int waiting = count(first, last, AT_WARP);
        if (waiting == last - first) {
            any = resume(first, last, AT_WARP);
        } else if (waiting) {
            error = 1;
            snprintf(message, sizeof message, "warp not together: %d of %d lanes wait", waiting, last - first);
            return false;
        }
    }
    return any;
}

void run_block(int threads, void (*body)(void*), void* closure) {
    threads_ = threads;
    body_ = body;
    closure_ = closure;
    started_ = 0;
    reverse_ = getenv("SHIM_REVERSE") != nullptr;
    state.assign(threads, FRESH);
    owner.assign(threads, nullptr);
    poison();
    while (started_ < threads_) {
        Fibre* fibre = fresh();
        fibre->thread = nth(started_++);
        enter(fibre);
    }
    while (!error) {
        if (release_a_warp()) {
            continue;
        }
        int waiting = count(0, threads, AT_BARRIER), done = count(0, threads, DONE);
        if (error || done == threads) {
            break;
        }
        if (waiting != threads) {
            error = 1;
            snprintf(message, sizeof message, "barrier not reached by all: %d waiting, %d finished of %d", waiting, done, threads);
            break;
        }
        resume(0, threads, AT_BARRIER);
    }
}
}  // namespace shim

#else
#include <pthread.h>

#include <mutex>
#include <thread>

namespace shim {
static pthread_barrier_t block_barrier;
static std::vector<pthread_barrier_t> warp_barriers;
static std::mutex fixed_lock;

void* fixed_memory(int key, size_t bytes) {
    std::lock_guard<std::mutex> hold(fixed_lock);
    auto& held = fixed_[key];
    if (held.size() < bytes + 128) {
        held.assign(bytes + 128, POISON);
    }
    return aligned(held);
}

void barrier() { pthread_barrier_wait(&block_barrier); }
void warp_barrier() { pthread_barrier_wait(&warp_barriers[linear / 32]); }

void run_block(int threads, void (*body)(void*), void* closure) {
    poison();
    pthread_barrier_init(&block_barrier, nullptr, unsigned(threads));
    warp_barriers.resize(size_t(threads + 31) / 32);
    for (size_t w = 0; w < warp_barriers.size(); ++w) {
        int left = threads - int(w) * 32;
        pthread_barrier_init(&warp_barriers[w], nullptr, unsigned(left < 32 ? left : 32));
    }
    std::vector<std::thread> all;
    for (int t = 0; t < threads; ++t) {
        all.emplace_back([=] {
            place(t);
            body(closure);
        });
    }
    for (auto& one : all) {
        one.join();
    }
    pthread_barrier_destroy(&block_barrier);
    for (auto& one : warp_barriers) {
        pthread_barrier_destroy(&one);
    }
}
}  // namespace shim
#endif

extern "C" const char* shim_message() { return shim::message; }
