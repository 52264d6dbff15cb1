// A management library with one or two devices whose fields are partly "not supported", as on laptops and in virtual machines.
// FAKE_NVML_INIT=<code> · HANG · TEMPERATURE · SLOWDOWN · BATTERY · MIG · LIMIT_W · UTILISATION · PROCESSES · REASONS · BARE (nearly nothing
// is supported) · PCIE=<generation>x<lanes>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

static const char* text(const char* name, const char* otherwise) {
    char full[64];
    snprintf(full, sizeof full, "FAKE_NVML_%s", name);
    const char* found = getenv(full);
    return found ? found : otherwise;
}
static unsigned number(const char* name, unsigned otherwise) {
    const char* found = text(name, "");
    return *found ? unsigned(atol(found)) : otherwise;
}
static const int OK = 0, NOT_SUPPORTED = 3;
static bool bare() { return *text("BARE", ""); }
#define NEED                                                                                                              \
    if (bare()) return NOT_SUPPORTED

extern "C" {
int nvmlInitWithFlags(unsigned) {
    while (*text("HANG", "")) pause();
    return int(number("INIT", 0));
}
int nvmlInit_v2() { return nvmlInitWithFlags(0); }
int nvmlShutdown() { return OK; }
const char* nvmlErrorString(int code) { return code == 18 ? "Driver/library version mismatch" : code == 3 ? "Not Supported" : "Unknown Error"; }
int nvmlSystemGetDriverVersion(char* out, unsigned size) {
    snprintf(out, size, "580.95.05");
    return OK;
}
int nvmlSystemGetCudaDriverVersion_v2(int* out) {
    *out = 13000;
    return OK;
}
int nvmlDeviceGetCount_v2(unsigned* n) {
    *n = number("DEVICES", 1);
    return OK;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** out) {
    *out = reinterpret_cast<void*>(size_t(index + 1));
    return OK;
}
int nvmlDeviceGetUUID(void* device, char* out, unsigned size) {
    unsigned char byte = static_cast<unsigned char>(0x10 + size_t(device) - 1);
    char hex[33];
    for (int i = 0; i < 16; ++i) snprintf(hex + 2 * i, 3, "%02x", byte);
    snprintf(out, size, "GPU-%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex, hex, hex, hex);
    if (*text("MIG", "")) out[4] = 'f';
    return OK;
}
int nvmlDeviceGetName(void*, char* out, unsigned size) {
    snprintf(out, size, "%s", getenv("FAKE_CUDA_NAME") ? getenv("FAKE_CUDA_NAME") : "Fake GPU");
    return OK;
}
int nvmlDeviceGetMemoryInfo(void*, unsigned long long* out) {
    NEED;
    out[0] = 4096ULL << 20;
    out[1] = 1024ULL << 20;
    out[2] = 3072ULL << 20;
    return OK;
}
int nvmlDeviceGetMemoryBusWidth(void*, unsigned* out) {
    NEED;
    *out = 256;
    return OK;
}
int nvmlDeviceGetClockInfo(void*, int kind, unsigned* out) {
    *out = kind == 2 ? 8000 : 1980;
    return OK;
}
int nvmlDeviceGetMaxClockInfo(void*, int kind, unsigned* out) {
    NEED;
    *out = kind == 2 ? 8001 : 2000;
    return OK;
}
int nvmlDeviceGetTemperature(void*, int, unsigned* out) {
    *out = number("TEMPERATURE", 45);
    return OK;
}
int nvmlDeviceGetTemperatureThreshold(void*, int, unsigned* out) {
    NEED;
    *out = number("SLOWDOWN", 95);
    return OK;
}
int nvmlDeviceGetPowerUsage(void*, unsigned* out) {
    NEED;
    *out = 60000;
    return OK;
}
int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* out) {
    NEED;
    *out = number("LIMIT_W", 100) * 1000;
    return OK;
}
int nvmlDeviceGetPowerManagementDefaultLimit(void*, unsigned* out) {
    NEED;
    *out = 100000;
    return OK;
}
int nvmlDeviceGetPowerSource(void*, unsigned* out) {
    NEED;
    *out = *text("BATTERY", "") ? 1 : 0;
    return OK;
}
int nvmlDeviceGetEccMode(void*, int*, int*) { return NOT_SUPPORTED; }
int nvmlDeviceGetMigMode(void*, unsigned* now, unsigned* next) {
    if (!*text("MIG", "")) return NOT_SUPPORTED;
    *now = *next = 1;
    return OK;
}
static unsigned pcie(bool lanes) {
    const char* found = text("PCIE", "4x16");
    return unsigned(atoi(lanes ? strchr(found, 'x') + 1 : found));
}
int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* out) {
    NEED;
    *out = pcie(false);
    return OK;
}
int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* out) {
    NEED;
    *out = pcie(true);
    return OK;
}
int nvmlDeviceGetCurrPcieLinkGeneration(void*, unsigned* out) {
    NEED;
    *out = pcie(false);
    return OK;
}
int nvmlDeviceGetCurrPcieLinkWidth(void*, unsigned* out) {
    NEED;
    *out = pcie(true);
    return OK;
}
int nvmlDeviceGetNvLinkState(void*, unsigned, int*) { return NOT_SUPPORTED; }
int nvmlDeviceGetUtilizationRates(void*, unsigned* out) {
    NEED;
    out[0] = number("UTILISATION", 0);
    out[1] = 0;
    return OK;
}
int nvmlDeviceGetComputeRunningProcesses_v3(void*, unsigned* n, void*) {
    *n = 0;
    return OK;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* out) {
    *out = number("REASONS", 1);
    return OK;
}
}
