// A driver library that runs the kernels on the processor and fails as the environment says. The probe's own child runs against it,
// NVIDIA's bindings included. What a real driver checks is checked: image type and architecture, kernel names, memory bounds.
//
// FAKE_CUDA_INIT=<code> · INIT_HANG · DEVICES=<n> · CC=8.9 · NAME · SMS · L2=<MiB> · MEM=<MiB> · FREE=<MiB> · ALLOC_LIMIT=<MiB> ·
// PIN_LIMIT=<MiB> · VERSION=12090 · MAX_ABI · CONTEXT=<code> · CONTEXT_HANG · ATTRIBUTE_<n>=<value>; and with a kernel's name:
// HANG, CRASH, FAULT (700), TDR (702), SKIP (leaves the output as it was).
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

typedef unsigned long long u64;
typedef int Result;
enum { OK = 0, INVALID = 1, NO_MEMORY = 2, NOT_FOUND = 500 };

static const char* setting(const char* name, const char* otherwise = "") {
    std::string full = std::string("FAKE_CUDA_") + name;
    const char* found = getenv(full.c_str());
    return found ? found : otherwise;
}
static long number(const char* name, long otherwise) {
    const char* found = setting(name);
    return *found ? atol(found) : otherwise;
}
static bool named(const char* fault, const std::string& kernel) { return kernel == setting(fault); }
static void hang() {
    for (;;) {
        pause();
    }
}

static Result sticky;
static std::map<u64, size_t> memory;
static size_t in_use;
static const size_t MIB = 1 << 20;

typedef int (*Launcher)(unsigned*, unsigned*, unsigned, void**);
struct Kernel {
    std::string name;
    Launcher launcher;
};
struct Module {
    std::string image;
};
struct Call {
    Kernel* kernel;
    unsigned grid[3], block[3], shared;
    void** arguments;
};
struct Graph {
    std::vector<Call> calls;
};
struct Event {
    double at = 0;
};
static Graph* capturing;

static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

#define EXPORT(result, name, ...) static result fake_##name(__VA_ARGS__)
#define GUARD                                                                                                             \
    if (sticky) return sticky

EXPORT(Result, cuInit, unsigned) {
    if (*setting("INIT_HANG")) hang();
    return Result(number("INIT", 0));
}
EXPORT(Result, cuDriverGetVersion, int* v) {
    *v = int(number("VERSION", 13000));
    return OK;
}
EXPORT(Result, cuDeviceGetCount, int* n) {
    *n = int(number("DEVICES", 1));
    return OK;
}
EXPORT(Result, cuDeviceGet, int* d, int ordinal) {
    *d = ordinal;
    return ordinal < number("DEVICES", 1) ? OK : 101;
}
EXPORT(Result, cuDeviceGetName, char* out, int size, int) {
    snprintf(out, size_t(size), "%s", setting("NAME", "Fake GPU"));
    return OK;
}
EXPORT(Result, cuDeviceGetUuid, unsigned char* out, int device) {
    memset(out, 0x10 + device, 16);
    return OK;
}
EXPORT(Result, cuDeviceTotalMem, size_t* out, int) {
    *out = size_t(number("MEM", 4096)) * MIB;
    return OK;
}
EXPORT(Result, cuDeviceGetAttribute, int* out, int attribute, int) {
    std::string key = "ATTRIBUTE_" + std::to_string(attribute);
    if (*setting(key.c_str())) {
        *out = int(number(key.c_str(), 0));
        return OK;
    }
    const char* cc = setting("CC", "8.9");
    switch (attribute) {
        case 13: *out = 2000000; return OK;
        case 16: *out = int(number("SMS", 2)); return OK;
        case 17: *out = 0; return OK;
        case 18: *out = 0; return OK;
        case 32: *out = 1; return OK;
        case 36: *out = 8000000; return OK;
        case 37: *out = 256; return OK;
        case 38: *out = int(number("L2", 1) * long(MIB)); return OK;
        case 75: *out = atoi(cc); return OK;
        case 76: *out = atoi(strchr(cc, '.') + 1); return OK;
        case 81: *out = 100 * 1024; return OK;
    }
    return INVALID;
}
EXPORT(Result, cuDevicePrimaryCtxRetain, void** context, int) {
    if (*setting("CONTEXT_HANG")) hang();
    static int one;
    *context = &one;
    return Result(number("CONTEXT", 0));
}
EXPORT(Result, cuDevicePrimaryCtxRelease, int) {
    size_t left = memory.size();
    fprintf(stderr, "fake driver: %zu allocations left\n", left);
    return OK;
}
EXPORT(Result, cuCtxSetCurrent, void*) { return OK; }
EXPORT(Result, cuMemGetInfo, size_t* free_, size_t* total) {
    GUARD;
    *total = size_t(number("MEM", 4096)) * MIB;
    *free_ = size_t(number("FREE", 1024)) * MIB - in_use;
    return OK;
}
EXPORT(Result, cuMemAlloc, u64* out, size_t size) {
    GUARD;
    if (size > size_t(number("ALLOC_LIMIT", 1 << 20)) * MIB || in_use + size > size_t(number("FREE", 1024)) * MIB) return NO_MEMORY;
    void* p = nullptr;
    if (posix_memalign(&p, 256, size)) return NO_MEMORY;
    memset(p, 0xCB, size);
    *out = u64(p);
    memory[*out] = size;
    in_use += size;
    return OK;
}
EXPORT(Result, cuMemFree, u64 p) {
    if (!memory.count(p)) return INVALID;
    in_use -= memory[p];
    memory.erase(p);
    free(reinterpret_cast<void*>(p));
    return OK;
}
EXPORT(Result, cuMemHostAlloc, void** out, size_t size, unsigned) {
    GUARD;
    if (size > size_t(number("PIN_LIMIT", 4096)) * MIB) return NO_MEMORY;
    *out = malloc(size);
    return OK;
}
EXPORT(Result, cuMemFreeHost, void* p) {
    free(p);
    return OK;
}
static bool inside(u64 p, size_t size) {
    auto at = memory.upper_bound(p);
    if (at == memory.begin()) return false;
    --at;
    return p + size <= at->first + at->second;
}
EXPORT(Result, cuMemcpyHtoD, u64 to, const void* from, size_t size) {
    GUARD;
    if (!inside(to, size)) return INVALID;
    memcpy(reinterpret_cast<void*>(to), from, size);
    return OK;
}
EXPORT(Result, cuMemcpyDtoH, void* to, u64 from, size_t size) {
    GUARD;
    if (!inside(from, size)) return INVALID;
    memcpy(to, reinterpret_cast<void*>(from), size);
    return OK;
}
EXPORT(Result, cuMemcpyDtoD, u64 to, u64 from, size_t size) {
    GUARD;
    if (!inside(from, size) || !inside(to, size)) return INVALID;
    memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), size);
    return OK;
}
EXPORT(Result, cuMemcpyHtoDAsync, u64 to, const void* from, size_t size, void*) { return fake_cuMemcpyHtoD(to, from, size); }
EXPORT(Result, cuMemcpyDtoHAsync, void* to, u64 from, size_t size, void*) { return fake_cuMemcpyDtoH(to, from, size); }
EXPORT(Result, cuMemcpyDtoDAsync, u64 to, u64 from, size_t size, void*) { return fake_cuMemcpyDtoD(to, from, size); }

EXPORT(Result, cuStreamCreate, void** out, unsigned) {
    GUARD;
    static int one;
    *out = &one;
    return OK;
}
EXPORT(Result, cuStreamDestroy, void*) { return OK; }
EXPORT(Result, cuStreamSynchronize, void*) { return sticky; }
EXPORT(Result, cuCtxSynchronize) { return sticky; }
EXPORT(Result, cuEventCreate, Event** out, unsigned) {
    GUARD;
    *out = new Event;
    return OK;
}
EXPORT(Result, cuEventRecord, Event* e, void*) {
    GUARD;
    e->at = now();
    return OK;
}
EXPORT(Result, cuEventSynchronize, Event*) { return sticky; }
EXPORT(Result, cuEventElapsedTime, float* ms, Event* a, Event* b) {
    GUARD;
    *ms = float((b->at - a->at) * 1e3);
    return OK;
}

static size_t elf_size(const unsigned char* p) {
    u64 sections;
    unsigned short entry, count;
    memcpy(&sections, p + 40, 8);
    memcpy(&entry, p + 58, 2);
    memcpy(&count, p + 60, 2);
    return size_t(sections + u64(entry) * count);
}
EXPORT(Result, cuModuleLoadDataEx, Module** out, const void* image, unsigned, int*, void**) {
    GUARD;
    auto* p = static_cast<const unsigned char*>(image);
    const char* cc = setting("CC", "8.9");
    int major = atoi(cc), minor = atoi(strchr(cc, '.') + 1);
    if (memcmp(p, "\177ELF", 4) == 0) {
        unsigned flags;
        memcpy(&flags, p + 48, 4);
        int sm = p[8] >= 8 ? int(flags >> 8 & 255) : int(flags & 255);
        if (p[18] != 190 || p[8] > number("MAX_ABI", 8)) return 200;
        if (sm / 10 != major || sm % 10 > minor) return 209;
        *out = new Module{std::string(reinterpret_cast<const char*>(p), elf_size(p))};
        return OK;
    }
    std::string text(static_cast<const char*>(image));
    size_t at = text.find(".version ");
    if (at == std::string::npos) return 218;
    double version = atof(text.c_str() + at + 9);
    if (version > atof(setting("MAX_PTX", "9.5"))) return 222;
    if (*setting("NO_JIT")) return 221;
    *out = new Module{text};
    return OK;
}
EXPORT(Result, cuModuleGetFunction, Kernel** out, Module* module, const char* name) {
    GUARD;
    std::string section = std::string(".text.") + name + '\0', entry = std::string(".entry ") + name;
    if (module->image.find(section) == std::string::npos && module->image.find(entry) == std::string::npos) return NOT_FOUND;
    static void* library = dlopen(getenv("FAKE_CUDA_KERNELS"), RTLD_NOW | RTLD_LOCAL);
    void* found = library ? dlsym(library, (std::string("launch_") + name).c_str()) : nullptr;
    if (!found) {
        fprintf(stderr, "fake driver: no processor version of %s (%s)\n", name, library ? "symbol" : dlerror());
        return NOT_FOUND;
    }
    *out = new Kernel{name, Launcher(found)};
    return OK;
}
EXPORT(Result, cuOccupancyMaxActiveBlocksPerMultiprocessor, int* out, Kernel*, int, size_t) {
    GUARD;
    *out = 3;
    return OK;
}
static Result run(Call& call) {
    const std::string& name = call.kernel->name;
    if (named("HANG", name)) hang();
    if (named("CRASH", name)) abort();
    if (named("SKIP", name)) return OK;
    if (named("FAULT", name)) return sticky = 700;
    if (named("TDR", name)) return sticky = 702;
    unsigned threads = call.block[0] * call.block[1] * call.block[2];
    if (threads == 0 || threads > 1024 || call.grid[0] == 0) return INVALID;
    return call.kernel->launcher(call.grid, call.block, call.shared, call.arguments) ? (sticky = 719) : OK;
}
EXPORT(Result, cuLaunchKernel, Kernel* k, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
       void*, void** arguments, void**) {
    GUARD;
    Call call{k, {gx, gy, gz}, {bx, by, bz}, shared, arguments};
    if (capturing) {
        capturing->calls.push_back(call);
        return OK;
    }
    return run(call);
}
EXPORT(Result, cuStreamBeginCapture, void*, int) {
    GUARD;
    capturing = new Graph;
    return OK;
}
EXPORT(Result, cuStreamEndCapture, void*, Graph** out) {
    *out = capturing;
    capturing = nullptr;
    return OK;
}
EXPORT(Result, cuGraphInstantiate, Graph** out, Graph* graph, u64) {
    GUARD;
    *out = graph;
    return OK;
}
EXPORT(Result, cuGraphLaunch, Graph* graph, void*) {
    GUARD;
    for (auto& call : graph->calls) {
        if (Result bad = run(call)) return bad;
    }
    return OK;
}
EXPORT(Result, cuGetErrorName, int, const char** out) {
    *out = "FAKE";
    return OK;
}

#define ENTRY(name) {#name, reinterpret_cast<void*>(fake_##name)}
static const std::map<std::string, void*> table = {
    ENTRY(cuInit), ENTRY(cuDriverGetVersion), ENTRY(cuDeviceGetCount), ENTRY(cuDeviceGet), ENTRY(cuDeviceGetName),
    ENTRY(cuDeviceGetUuid), ENTRY(cuDeviceTotalMem), ENTRY(cuDeviceGetAttribute), ENTRY(cuDevicePrimaryCtxRetain),
    ENTRY(cuDevicePrimaryCtxRelease), ENTRY(cuCtxSetCurrent), ENTRY(cuMemGetInfo), ENTRY(cuMemAlloc), ENTRY(cuMemFree),
    ENTRY(cuMemHostAlloc), ENTRY(cuMemFreeHost), ENTRY(cuMemcpyHtoD), ENTRY(cuMemcpyDtoH), ENTRY(cuMemcpyDtoD),
    ENTRY(cuMemcpyHtoDAsync), ENTRY(cuMemcpyDtoHAsync), ENTRY(cuMemcpyDtoDAsync), ENTRY(cuStreamCreate), ENTRY(cuStreamDestroy),
    ENTRY(cuStreamSynchronize), ENTRY(cuCtxSynchronize), ENTRY(cuEventCreate), ENTRY(cuEventRecord), ENTRY(cuEventSynchronize),
    ENTRY(cuEventElapsedTime), ENTRY(cuModuleLoadDataEx), ENTRY(cuModuleGetFunction), ENTRY(cuLaunchKernel), ENTRY(cuOccupancyMaxActiveBlocksPerMultiprocessor),
    ENTRY(cuStreamBeginCapture), ENTRY(cuStreamEndCapture), ENTRY(cuGraphInstantiate), ENTRY(cuGraphLaunch), ENTRY(cuGetErrorName),
};

#ifndef FAKE_OLD_DRIVER
extern "C" int cuGetProcAddress_v2(const char* symbol, void** out, int, u64, void*) {
    auto found = table.find(symbol);
    if (found == table.end() && strcmp(symbol, "cuGraphInstantiateWithFlags") == 0) found = table.find("cuGraphInstantiate");
    *out = found == table.end() ? nullptr : found->second;
    return *out ? OK : NOT_FOUND;
}
#endif
