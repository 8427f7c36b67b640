// Options::host_forms: indices in 64 bits and atomics without a lock give the same as the user's own text, and
// compilers make vectors of loops that they else leave alone.
#include "split_support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <limits>

using namespace devq::frontend;
using namespace devq::frontend::test;

namespace {

Options host_forms() {
    Options options;
    options.host_forms = true;
    return options;
}

std::string body(const std::string& kernel) {
    const std::string text = dense(program_text(kernel, host_forms()));
    const std::size_t open = text.find("){", text.find("voidk(")) + 2;
    return text.substr(open, text.find("DEVQ_PROGRAM_END") - open - 1);
}

constexpr const char* stencil = R"(
__kernel void k(__global float* y, __global const float* x, const float weight, const int n) {
    int column = get_global_id(0);
    int row = get_global_id(1);
    if (column > 0 && column < n - 1 && row > 0 && row < n - 1) {
        int i = row * n + column;
        y[i] = weight * x[i] + 0.2f * (x[i - 1] + x[i + 1] + x[i - n] + x[i + n]);
    }
})";
constexpr const char* unsigned_ids = R"(
__kernel void k(__global float* y, __global const float* x, const uint n) {
    const uint i = get_global_id(0);
    if (i < n)
        y[i] = x[i] * 2.0f;
})";
constexpr const char* neighbour = R"(
__kernel void k(__global uint* out, __global const uint* in) {
    __local uint part[256];
    const uint id = get_local_id(0);
    part[id] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < 256; step *= 2) {
        const uint before = id >= step ? part[id - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[id] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = part[id];
})";

/// How many loops the compiler made vectors of.
std::size_t vectorised(const char* source, const Options& options) {
    const bool is_clang = run_command(host_compiler() + " --version").second.find("clang") != std::string::npos;
    const HostProgram program(source, false,
                              std::string("-O3 -march=x86-64-v3 ") +
                                  (is_clang ? "-Rpass=loop-vectorize" : "-fopt-info-vec-optimized"),
                              options);
    std::size_t count = 0;
    for (std::size_t at = 0; (at = program.log().find("vectorized", at)) != std::string::npos; ++at)
        ++count;
    return count;
}

/// Both forms of a kernel `k` of out, in (256 ints each) and a number.
void compare_forms(const std::string& source, int n, Size offset = {0, 0, 0}, bool items_apart = false) {
    CAPTURE(source);
    CAPTURE(n);
    std::vector<std::vector<int>> results;
    for (const Options& options : {Options(), host_forms()}) {
        const HostProgram program(source, false, "-O1", options);
        std::vector<int> in = random_ints(256, 7), out(256, -1);
        program.run("k", {Argument::of(out), Argument::of(in), Argument::value(n)}, {64, 1, 1}, {16, 1, 1}, offset,
                    items_apart);
        results.push_back(out);
    }
    CHECK(results[0] == results[1]);
    CHECK(std::count(results[0].begin(), results[0].end(), -1) < 256);
}

} // namespace

TEST_CASE("indices: sums of ints in 64 bits, variables that are computed once get a twin") {
    CHECK(body("kernel void k(global int* p, int a, int b) { p[a * 4 + b] = p[a]; }") == "p[(long)a*4+(long)b]=p[a];");
    CHECK(body("kernel void k(global int* p, int a, uchar c) { int i = a + c; p[i] = p[i - 1]; }") ==
          "inti=a+c;longdevq_wide_i_1=(long)a+(long)c;p[devq_wide_i_1]=p[devq_wide_i_1-1];");
    // written again, of another type, or not a sum
    CHECK(body("kernel void k(global int* p, int a) { int i = a + 1; i++; p[i] = p[(i) + 1]; }") ==
          "inti=a+1;i++;p[i]=p[((long)i)+1];");
    CHECK(body("kernel void k(global int* p, int a) { int i = a + 1; f: p[i] = 0; int* q = &i; }").find("devq_wide") ==
          std::string::npos);
    CHECK(body("kernel void k(global int* p, long a, uint u) { p[a + 1] = p[u + 1] + p[u]; }") ==
          "p[a+1]=p[u+1]+p[u];");
    CHECK(body("kernel void k(global int* p, int a) { p[p[a] + 1] = p[a << 1] + p[max(a, 1) + a]; }") ==
          "p[p[a]+1]=p[a<<1]+p[max(a,1)+a];");
    CHECK(body("kernel void k(global int* p) { int a[4]; p[0] = a[sizeof(a[1 + 1]) - 4u]; }").find("a[1+1]") !=
          std::string::npos);
}

TEST_CASE("indices: an id in an unsigned sum into local memory or an array") {
    const auto local_part = [](const std::string& index) {
        const std::string text = body("kernel void k(global uint* p, uint n, int m) { local uint s[64]; "
                                      "const uint id = get_local_id(0); p[id] = s[" +
                                      index + "]; }");
        const std::size_t at = text.find("=s_1[") + 5;
        return text.substr(at, text.size() - at - 2);
    };
    CHECK(local_part("id - n") == "devq_item.devq_index(id,0u-n)");
    CHECK(local_part("n + id") == "devq_item.devq_index(id,0u+n)");
    CHECK(local_part("-n * 2 + id - (m + 1)") == "devq_item.devq_index(id,0u-n*2-(m+1))");
    CHECK(local_part("id") == "id");
    CHECK(local_part("n - id") == "n-id");
    CHECK(local_part("id * 2 + n") == "id*2+n");
    CHECK(local_part("id * 2 - id") == "id*2-id");
    // global memory may be larger than such an index can tell
    CHECK(body("kernel void k(global uint* p, uint n) { const uint id = get_global_id(0); p[id - n] = 0; }")
              .find("devq_index") == std::string::npos);
    CHECK(body("kernel void k(global uint* p, uint n) { uint id = get_local_id(0); local uint s[64]; id += n; "
               "p[n] = s[id - n]; }")
              .find("devq_index") == std::string::npos);
}

TEST_CASE("atomics in local memory need no lock") {
    const std::string text = body("kernel void k(global int* p, local int* q) { local int s[2]; atomic_add(p, 1); "
                                  "atomic_inc(q); atom_max(&s[1], 2); atomic_cmpxchg(q + 1, 1, 2); }");
    CHECK(text.find("atomic_add(p,1);devq_local_atomic_inc(q);devq_local_atom_max(&s_1[1],2);devq_local_atomic_cmpxchg("
                    "q+1,1,2);") != std::string::npos);
}

TEST_CASE("both forms compute the same") {
    if (no_compiler())
        return;
    const std::string head = "__kernel void k(__global int* out, __global const int* in, const int n) {\n";
    // indices that wrap around, go backwards, and hide one another's names
    for (const int n : {1, 3, 0, -2, std::numeric_limits<int>::min()})
        compare_forms(head + "__local int part[16]; const uint id = get_local_id(0), g = get_global_id(0);\n"
                             "const uint back = (uint)n; part[id] = in[g]; barrier(1);\n"
                             "int sum = id >= back ? part[id - back] : 7;\n"
                             "if (id + back < 16) sum += part[id + back] * 3 + part[back + id];\n"
                             "if (id > 0) sum += part[id - 1] + part[id + (uint)-1];\n"
                             "if (id < 15) sum += part[-0xffffffffu + id];\n"
                             "barrier(1); out[g] = sum; }",
                      n);
    compare_forms(
        head + "int i = get_global_id(0), j = i * 2 + n; int sum = 0;\n"
               "if (j > 0) { int i = 3 - n, j = i + 1; sum = in[i + 5] + in[j + 5]; }\n"
               "for (int i = n + 1, k = n * 2; i < 5; ++i) sum += in[i * 4 + k];\n"
               "switch (n) { case 1: ; int q = j + 1; sum += in[q & 63]; break; default: sum += in[-(-j) + 1]; }\n"
               "out[i] = sum + in[j - n]; }",
        2);
    // ids that need all their bits, of items that run one by one
    for (const bool items_apart : {false, true}) {
        const std::uint32_t offset = items_apart ? 0x80000000u : 0u;
        compare_forms(head + "__local int part[16]; const uint id = get_local_id(0), g = get_global_id(0);\n"
                             "const uint first = (uint)n + (uint)get_group_id(0) * 16u, none = 0;\n"
                             "part[id] = (int)g; barrier(1);\n"
                             "out[g - (uint)n] = part[id - none] + part[g - first]; }",
                      static_cast<int>(offset), {offset, 0, 0}, items_apart);
    }
}

TEST_CASE("local atomics count right") {
    if (no_compiler())
        return;
    const std::string text =
        "__kernel void k(__global int* out, __global const int* in, const int n) {\n"
        "__local int s[8]; __local float f; const int id = get_local_id(0);\n"
        "if (id < 8) s[id] = id == 4 ? 0x7fffffff : 0; barrier(1);\n"
        "atomic_add(&s[in[id] & 3], n); atomic_max(&s[4], in[id]); atomic_min(&s[5], -in[id]); atomic_sub(&s[6], 2);\n"
        "atomic_xor(&s[7], in[id]); atomic_or(&s[7], 256); atomic_and(&s[7], 0xffff);\n"
        "atomic_xchg(&f, (float)n); atomic_cmpxchg(&s[6], -32, 5); atomic_dec(&s[6]); atomic_add(&s[4], 1);\n"
        "barrier(1); if (id < 8) out[get_group_id(0) * 8 + id] = s[id] + (int)f; }";
    compare_forms(text, 3);
}

#if defined(__x86_64__)
TEST_CASE("compilers make vectors of guarded neighbours, of unsigned ids and of neighbours in local memory") {
    if (no_compiler())
        return;
    CHECK(vectorised(stencil, host_forms()) >= 1);
    CHECK(vectorised(unsigned_ids, host_forms()) >= 1);
    const std::size_t plain = vectorised(neighbour, Options());
    CHECK(vectorised(neighbour, host_forms()) >= std::max<std::size_t>(plain, 3));
}
#endif
