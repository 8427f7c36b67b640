// The CUDA text compiles: by NVRTC where it is found, for three generations of GPUs.
#include "support.hpp"
#include <cstdlib>
#include <dlfcn.h>
#include <doctest/doctest.h>

using namespace devq::frontend;

namespace {

/// The few functions of NVRTC that this needs; its C interface is stable over its versions.
struct Nvrtc {
    using Program = void*;
    int (*create)(Program*, const char*, const char*, int, const char* const*, const char* const*) = nullptr;
    int (*compile)(Program, int, const char* const*) = nullptr;
    int (*log_size)(Program, std::size_t*) = nullptr;
    int (*log)(Program, char*) = nullptr;
    int (*destroy)(Program*) = nullptr;

    bool load() {
        void* library = nullptr;
        for (const std::string folder : {"", "/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"})
            for (const char* name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
                if (library == nullptr)
                    library = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr)
            return false;
        const auto find = [library](auto& function, const char* name) {
            function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
            return function != nullptr;
        };
        return find(create, "nvrtcCreateProgram") && find(compile, "nvrtcCompileProgram") &&
               find(log_size, "nvrtcGetProgramLogSize") && find(log, "nvrtcGetProgramLog") &&
               find(destroy, "nvrtcDestroyProgram");
    }

    /// The log where it does not compile or warns, else empty.
    std::string faults(const std::string& text, const std::string& architecture) const {
        Program program = nullptr;
        REQUIRE(create(&program, text.c_str(), "kernel.cu", 0, nullptr, nullptr) == 0);
        const std::string option = "-arch=" + architecture;
        const char* options[] = {option.c_str()};
        const int status = compile(program, 1, options);
        std::size_t size = 0;
        log_size(program, &size);
        std::string messages(size, '\0');
        log(program, messages.data());
        messages.resize(messages.find('\0') == std::string::npos ? messages.size() : messages.find('\0'));
        destroy(&program);
        return status == 0 && messages.empty() ? std::string() : "status " + std::to_string(status) + "\n" + messages;
    }
};

const char* const source = R"(
struct shape { long size[8]; int rank; };
__constant float weights[4] = {0.5f, 1.0f, 2.0f, INFINITY};
__constant int4 corner[] = {(int4)(1, 2, 3, 4), (int4)(5)};
float group_sum(float x, __local float* scratch) {
    const int id = get_local_id(0);
    scratch[id] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int n = get_local_size(0) / 2; n > 0; n >>= 1) {
        if (id < n) scratch[id] += scratch[id + n];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return scratch[0];
}
__kernel void everything(__global float* y, __global const float* x, __global half* h, __global int* a, __local float* first,
                         __local int2* second, const struct shape s, const float4 v, const uchar c) {
    __local float tile[8][9];
    __local float4 wide[4];
    const int i = get_global_id(0);
    float4 f = vload4(i, x) + v * weights[i & 3];
    f.xy = f.zw; f.lo += f.odd;
    int4 m = f > 0.5f;
    f = m ? f : (float4)(0.0f);
    f = fmax(f, exp(f)) + log(f) + tanh(f.wzyx) + erf(f) + pow(f, f) + rsqrt(f) + select(f, -f, isnan(f));
    f += convert_float4(convert_uchar4_sat_rte(f)) + vload_half4(i, h) + convert_float4(corner[i & 1] << i);
    vstore_half4_rte(f, i, h); vstore_half_rtz(f.x, i, h);
    float16 big = (float16)(f, f, f, f);
    big.s0f = big.s12;
    second[i & 3] = (int2)(i, s.rank) * (int2)(s.size[1]);
    wide[i & 3] = f; tile[i & 7][0] = group_sum(big.sa, first);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(a, i); atomic_max(a + 1, i); atomic_cmpxchg(a + 2, 1, i); atomic_inc((volatile __global uint*)a); atomic_xchg((__global float*)a, 1.0f);
    atom_add((__global long*)a, 5l);
    event_t e = async_work_group_copy(first, x, (size_t)8, (event_t)0);
    wait_group_events(1, &e);
    float whole; int p;
    y[i] = dot(f.xyz, (float3)(1, 2, 3)) + any(m) + clz(i) + mul_hi(i, 5) + rotate(i, 3) + fract(f.x, &whole) + frexp(f.y, &p) +
           tile[0][0] + wide[1].z + second[2].y + c + (i > 3 ? whole : p) + sinpi(f.x) + lgamma(f.y) + fma(f.x, f.y, f.z) + upsample((short)i, (ushort)1);
    #pragma unroll
    for (int k = 0; k < 8; k++) y[k] += k;
    a[3] /= i; a[4] = a[5] % i; m.x /= i; m.yz %= i; m.w <<= i; f.x /= f.y; f.yz /= i;
    printf("%d %5.2v4f %lu (%s\n", m.x, f, (ulong)i, "text");
    double d = f.x; y[0] = (float)sqrt(d) + (float)convert_float_rtp(d);
}
__kernel __attribute__((reqd_work_group_size(64, 1, 1))) void fixed(__global float* y) { y[get_global_id(0)] = get_work_dim(); }
__kernel void memcpy(__global int* new) { new[0] = 1; }
__kernel void class(__global int* threadIdx, int float4) { threadIdx[get_global_id(0)] = float4 / threadIdx[1]; }
)";

} // namespace

TEST_CASE("CUDA: entries, and no word of the host's") {
    WriteOptions options;
    options.target = Target::cuda;
    const std::string text = write(*parse(source, {}), options);
    CHECK(text.find("extern \"C\" __global__ void devq_kernel_everything(") != std::string::npos);
    CHECK(text.find("__launch_bounds__(64) void devq_kernel_fixed(") != std::string::npos);
    // two local arguments: sizes, each place rounded up to 16
    CHECK(text.find("unsigned a4, unsigned a5") != std::string::npos);
    CHECK(text.find("at += (a4 + 15u) / 16u * 16u;") != std::string::npos);
    CHECK(text.find("vector_size") == std::string::npos);
    CHECK(text.find("#include") == std::string::npos);
}

TEST_CASE("CUDA: NVRTC compiles it without a word") {
    Nvrtc nvrtc;
    if (!nvrtc.load()) {
        MESSAGE("skipped: no NVRTC (libnvrtc.so) was found");
        return;
    }
    WriteOptions options;
    options.target = Target::cuda;
    const std::string text = write(*parse(source, {}), options);
    for (const char* architecture : {"sm_75", "sm_80", "sm_90"}) {
        CAPTURE(architecture);
        CHECK(nvrtc.faults(text, architecture) == "");
    }
}
