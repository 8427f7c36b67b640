// Kernels with barriers that cannot be split, and what says so.
#include "split_support.hpp"
#include <doctest/doctest.h>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define N 64
// Each kernel: out and in of N ints an item-group, a scalar; local memory of its own.
void swap_ends(__local int* t, int x) {
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void parting(__global int* out, __global const int* in, int n) {
    out[get_global_id(0)] = 1;
    if ((int)get_local_id(0) < n) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 2;
}
__kernel void parting_loop(__global int* out, __global const int* in, int n) {
    for (int i = 0; i < in[get_local_id(0)]; ++i) barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = 2;
}
// ---- not split ----
__kernel void behind_comma(__global int* out, __global const int* in, int n) {
    __local int t[N];
    int x = n;
    x += 2, swap_ends(t, x);
    out[get_global_id(0)] = t[0];
}
int swapped(__local int* t, int x) {
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[0];
}
__kernel void within_sizeof(__global int* out, __global const int* in, int n) {
    __local int t[N];
    t[get_local_id(0)] = n;
    out[get_global_id(0)] = (int)sizeof(swapped(t, 5)) + t[get_local_id(0)];
}
struct fixed { const int a; int b; };
__kernel void const_member(__global int* out, __global const int* in, int n) {
    __local int t[N];
    struct fixed s = {n, (int)get_local_id(0)};
    t[get_local_id(0)] = s.b;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s.a + s.b + t[0];
}
__kernel void breaks_last(__global int* out, __global const int* in, int n) {
    __local int t[N];
    int i = get_local_id(0), x;
    do {
        t[i] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = t[get_local_size(0) - 1 - i];
        if (x & 1) break;
        x += 10;
    } while (0);
    out[get_global_id(0)] = x;
}
__kernel void returns_late(__global int* out, __global const int* in, int n) {
    __local int t[N];
    int k = get_local_id(0);
    for (int i = 0; i < 2; i++) {
        t[k] = i;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i == 1) {
            if (k & 1) return;
            out[get_global_id(0)] = 5 + t[get_local_size(0) - 1 - k];
            return;
        }
    }
}
__kernel void in_switch(__global int* out, __global const int* in, int n) {
    switch (n) { case 1: barrier(CLK_LOCAL_MEM_FENCE); break; default: break; }
    out[get_global_id(0)] = n;
}
__kernel void with_goto(__global int* out, __global const int* in, int n) {
again:
    barrier(CLK_LOCAL_MEM_FENCE);
    if (n-- > 0) goto again;
    out[get_global_id(0)] = n;
}
int early(int x) { if (x > 3) return x; barrier(CLK_LOCAL_MEM_FENCE); return x + 1; }
__kernel void early_helper(__global int* out, __global const int* in, int n) { out[get_global_id(0)] = early(n); }
__kernel void half_logic(__global int* out, __global const int* in, int n) { out[get_global_id(0)] = n > 0 && early(n); }
__kernel void reduced(__global int* out, __global const int* in, int n) {
    __local int t[N];
    swap_ends(t, n);
    out[get_global_id(0)] = t[0];
}
)";

const HostProgram& program() {
    static const HostProgram compiled(source, false, "-O2");
    return compiled;
}

std::string failure_of(const char* kernel, int n) {
    try {
        std::vector<int> in{3, 3, 3, 2, 3, 3, 3, 3}, out(16);
        program().run(kernel, {Argument::of(out), Argument::of(in), Argument::value(n)}, {16, 1, 1}, {8, 1, 1});
    } catch (const std::exception& error) {
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("split: items that part at a barrier are found") {
    if (no_compiler())
        return;
    CHECK(program().kernel("parting").split == 1);
    CHECK(failure_of("parting", 3) == "the items of group 0 part at a barrier");
    CHECK(failure_of("parting", 8) == "");
    CHECK(failure_of("parting", 0) == "");
    CHECK(failure_of("parting_loop", 0) == "the items of group 0 part at a barrier");
}

TEST_CASE("split: helpers that would double it again and again are no trap") {
    std::string text = "void f0(void) { barrier(CLK_LOCAL_MEM_FENCE); }\n";
    for (int i = 1; i <= 40; ++i) {
        const std::string below = "f" + std::to_string(i - 1) + "(); ";
        text += "void f" + std::to_string(i) + "(void) { " + below + below + "}\n";
    }
    const std::string written = program_text(text + "kernel void k(global int* p) { f40(); p[0] = 1; }");
    CHECK(written.find("its length, with the functions that have barriers") != std::string::npos);
    CHECK(program_text("void f(void) { barrier(1); } kernel void k(global int* p) { f(); }").find("devq_split_k") !=
          std::string::npos);
}

TEST_CASE("split: what cannot be split says why") {
    if (no_compiler())
        return;
    const auto reason = [](const char* kernel) {
        const devq_host_kernel& found = program().kernel(kernel);
        CHECK(found.split == 0);
        CHECK((found.run_groups == nullptr));
        return std::string(found.fiber_reason != nullptr ? found.fiber_reason : "");
    };
    CHECK(reason("in_switch").find("a barrier in 'switch' (kernel.cl:") == 0);
    CHECK(reason("with_goto").find("'goto' in a kernel with barriers (kernel.cl:") == 0);
    CHECK(reason("early_helper").find("'early' has a barrier and returns before its end (kernel.cl:") == 0);
    CHECK(reason("behind_comma").find("a barrier in 'swap_ends' behind a comma (kernel.cl:") == 0);
    CHECK(reason("within_sizeof").find("a barrier in 'swapped', which sizeof may not call") == 0);
    CHECK(reason("const_member").find("'s', a struct with a const member, kept across a barrier") == 0);
    for (const char* kernel : {"breaks_last", "returns_late"}) // items part, and no barrier follows
        CHECK(program().kernel(kernel).fiber_reason != nullptr);
    CHECK(reason("half_logic").find("a barrier in 'early' that only a part of an expression may reach") == 0);
    CHECK((program().kernel("reduced").fiber_reason == nullptr));

    const std::string keep = "void keep(global int* p) { int a[8192]; a[p[0] & 8191] = 1; barrier(1); p[1] = a[0]; }\n";
    const auto calls = [&](int count) {
        std::string text = keep + "kernel void k(global int* p) { ";
        for (int i = 0; i < count; ++i)
            text += "keep(p); ";
        return program_text(text + "}");
    };
    CHECK(calls(2).find("devq_split_k") != std::string::npos);
    CHECK(calls(20).find("what a work-item keeps across barriers") != std::string::npos);

    std::string doubling = "int f0(int a) { barrier(1); return a; }\n"; // each level twice the one before: it must end
    for (int i = 1; i < 30; ++i) {
        const std::string before = "f" + std::to_string(i - 1) + "(a)";
        doubling += "int f" + std::to_string(i) + "(int a) { return " + before + " + " + before + "; }\n";
    }
    doubling += "kernel void k(global int* p) { p[0] = f29(1); }";
    CHECK(program_text(doubling).find("\"its length, with the functions") != std::string::npos);
}
