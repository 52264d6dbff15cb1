// Processor versions of the matrix kernels for the fake driver: the same rows, the same result layout, plain arithmetic. They prove
// nothing about the instruction (the machine code and a real GPU do); they let the whole path around it run.
#include <cmath>
#include <cstring>
#include <vector>

namespace {
float bf16(unsigned bits) {
    unsigned wide = bits << 16;
    float value;
    memcpy(&value, &wide, 4);
    return value;
}
float small(unsigned bits, int exponent_bits, int mantissa_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1;
    int exponent = int(bits >> mantissa_bits) & ((1 << exponent_bits) - 1), mantissa = int(bits) & ((1 << mantissa_bits) - 1);
    float value = exponent ? std::ldexp(float((1 << mantissa_bits) + mantissa), exponent - bias - mantissa_bits)
                           : std::ldexp(float(mantissa), 1 - bias - mantissa_bits);
    return bits >> (exponent_bits + mantissa_bits) & 1 ? -value : value;
}
float decode(int kind, unsigned bits) {
    switch (kind) {
        case 0: return bf16(bits);
        case 1: return small(bits, 5, 10);
        case 2: {
            float value;
            memcpy(&value, &bits, 4);
            return value;
        }
        case 3: return small(bits, 4, 3);
        case 4: return float(static_cast<signed char>(bits));
        case 5: return float(int(bits << 28) >> 28);
        default: return small(bits, 2, 1);
    }
}
const int WIDTH[] = {16, 16, 32, 8, 8, 4, 4};

std::vector<float> unpack(const unsigned* words, int rows, int row_words, int kind) {
    std::vector<float> out;
    unsigned mask = WIDTH[kind] == 32 ? ~0u : (1u << WIDTH[kind]) - 1;
    for (int i = 0; i < rows * row_words; ++i) {
        for (int at = 0; at < 32; at += WIDTH[kind]) {
            out.push_back(decode(kind, words[i] >> at & mask));
        }
    }
    return out;
}
unsigned short half(float value) {
    unsigned sign = value < 0 ? 0x8000u : 0u;
    float size = std::fabs(value);
    if (size >= 65520.0f) return static_cast<unsigned short>(sign | 0x7C00);
    int exponent = 0;
    std::frexp(size, &exponent);
    int step = (exponent < -13 ? -13 : exponent) - 11;
    unsigned units = unsigned(std::lrint(std::ldexp(size, -step)));
    return static_cast<unsigned short>(sign | (unsigned(step + 24) << 10) + units);
}

int multiply(int kind, int rows_a, int rows_b, int row_words, unsigned places, void** arguments, bool as_half = false) {
    int rounds = *static_cast<int*>(arguments[0]);
    auto* a_words = *static_cast<unsigned**>(arguments[1]);
    auto* b_words = *static_cast<unsigned**>(arguments[2]);
    auto* out = *static_cast<unsigned**>(arguments[3]);
    auto a = unpack(a_words, rows_a, row_words, kind), b = unpack(b_words, rows_b, row_words, kind);
    size_t k = a.size() / size_t(rows_a);
    std::vector<unsigned> result;
    std::vector<unsigned short> halves;
    for (int i = 0; i < rows_a; ++i) {
        for (int j = 0; j < rows_b; ++j) {
            double sum = 0;
            for (size_t x = 0; x < k; ++x) {
                sum += double(a[size_t(i) * k + x]) * b[size_t(j) * k + x];
            }
            sum *= rounds;
            unsigned word;
            if (kind == 4 || kind == 5) {
                word = unsigned(static_cast<long long>(sum));
            } else {
                float value = float(sum);
                memcpy(&word, &value, 4);
            }
            result.push_back(word);
            if (as_half) halves.push_back(half(float(sum)));
        }
    }
    const void* from = as_half ? static_cast<const void*>(halves.data()) : result.data();
    size_t bytes = as_half ? halves.size() * 2 : result.size() * 4;
    for (unsigned p = 0; p < places; ++p) {
        memcpy(reinterpret_cast<char*>(out) + size_t(p) * bytes, from, bytes);
    }
    return 0;
}
int row_words() {
    const char* cc = getenv("FAKE_CUDA_CC");
    return cc && strcmp(cc, "7.5") == 0 ? 4 : 8;
}
}  // namespace

#define MMA(name, kind)                                                                                                   \
    extern "C" int launch_mma_##name(unsigned* g, unsigned* b, unsigned, void** a) {                                        \
        return multiply(kind, 32, 32, row_words(), g[0] * b[0] / 32, a);                                                    \
    }
#define WGMMA(name, kind)                                                                                                 \
    extern "C" int launch_wgmma_##name(unsigned* g, unsigned*, unsigned, void** a) { return multiply(kind, 128, 256, 32, g[0], a); }

MMA(bf16, 0)
MMA(fp16, 1)
MMA(tf32, 2)
MMA(fp8, 3)
MMA(int8, 4)
MMA(int4, 5)
MMA(fp4, 6)
WGMMA(bf16, 0)
WGMMA(fp16, 1)
WGMMA(tf32, 2)
WGMMA(fp8, 3)
WGMMA(int8, 4)
extern "C" int launch_mma_fp16_half(unsigned* g, unsigned* b, unsigned, void** a) {
    return multiply(1, 32, 32, row_words(), g[0] * b[0] / 32, a, true);
}
