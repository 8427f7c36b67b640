// Kernels split at their barriers: what is split and what not, and that a loop over the group computes what items do
// that really wait for one another.
#include "support.hpp"
#include <algorithm>
#include <doctest/doctest.h>
#include <numeric>
#include <random>

using namespace devq::frontend::test;

namespace {

const char* const source = R"(
#define N 64
// Each kernel: out and in of N ints an item-group, a scalar; local memory of its own.
__kernel void reduce(__global int* out, __global const int* in, int n) {
    __local int part[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int sum = 0;
    for (int i = lid; i < n; i += size) sum += in[i];
    part[lid] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = size / 2; s > 0; s >>= 1) {
        if (lid < s) part[lid] += part[lid + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (lid == 0) out[get_group_id(0)] = part[0];
}
__kernel void blelloch(__global int* out, __global const int* in, int n) {
    __local int t[2 * N];
    const int lid = get_local_id(0), size = 2 * get_local_size(0);
    const __global int* mine = in + get_group_id(0) * size;
    int offset = 1;
    t[2 * lid] = mine[2 * lid];
    t[2 * lid + 1] = mine[2 * lid + 1];
    for (int d = size >> 1; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) { int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1; t[b] += t[a]; }
        offset *= 2;
    }
    if (lid == 0) t[size - 1] = 0;
    for (int d = 1; d < size; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (lid < d) {
            int a = offset * (2 * lid + 1) - 1, b = offset * (2 * lid + 2) - 1;
            int keep = t[a]; t[a] = t[b]; t[b] += keep;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0) * size + 2 * lid] = t[2 * lid];
    out[get_group_id(0) * size + 2 * lid + 1] = t[2 * lid + 1];
}
__kernel void bitonic(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const uint lid = get_local_id(0);
    t[lid] = in[get_global_id(0)];
    for (uint k = 2; k <= get_local_size(0); k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            const uint other = lid ^ j;
            if (other > lid) {
                const bool up = (lid & k) == 0;
                if ((t[lid] > t[other]) == up) { const int x = t[lid]; t[lid] = t[other]; t[other] = x; }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[lid];
}
int scan(int x, __local int* t, int size) { // a helper with barriers and a result
    const int lid = get_local_id(0);
    t[lid] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < size; d *= 2) {
        const int left = lid >= d ? t[lid - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[lid] += left;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return t[lid];
}
void swap_ends(__local int* t, int x) {
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
}
__kernel void radix(__global int* out, __global const int* in, int n) {
    __local int t[N], keys[N];
    const int lid = get_local_id(0), size = get_local_size(0);
    int key = in[get_global_id(0)] & 0xff;
    for (int bit = 0; bit < 8; ++bit) {
        const int one = key >> bit & 1;
        const int before = scan(one, t, size);
        const int ones = t[size - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
        keys[one ? size - ones + before - 1 : lid - before] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
        key = keys[lid];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    swap_ends(t, key + scan(lid > 2 && key ? 1 : 2, t, size) + scan(scan(2, t, size), t, size));
    out[get_global_id(0)] = t[size - 1 - lid];
}
struct state { int count; float4 v; };
__kernel void variables(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0), gid = get_global_id(0), size = get_local_size(0);
    int kept[4] = {lid, 1, 2, 3};
    const int table[3] = {5, 6, 7};
    struct state s = {lid, (float4)(1, 2, 3, lid)};
    int addressed = lid * 2;
    int* p = &addressed;
    __local int* mine = t + lid;
    const __global int* q = in;
    q += lid;
    float4 f = (float4)(lid);
    uchar small = 250;
    n += lid;                       // a parameter of its own
    *mine = in[gid];
    barrier(CLK_LOCAL_MEM_FENCE);
    kept[lid & 3] += t[(lid + 1) % size];
    s.count++; s.v.xy = s.v.wz;
    *p += 3; f.x += table[lid % 3]; small += 9;
    int later;                      // written before it is read, in another region
    barrier(CLK_LOCAL_MEM_FENCE);
    later = kept[0] + kept[1] * 3 + s.count;
    t[lid] = later + addressed;
    barrier(CLK_LOCAL_MEM_FENCE);
    int last = t[size - 1 - lid], unused = 4;
    out[gid] = last + *q + n + (int)(f.x + f.w + s.v.x) + small + kept[lid & 3];
}
__kernel void control(__global int* out, __global const int* in, int n) {
    __local int t[N];
    __local int stop;
    const int lid = get_local_id(0), size = get_local_size(0);
    if (n < 0) return;              // all or none
    int x = in[get_global_id(0)] & 15, rounds = 0, y = 0;
    if (lid == 0) stop = 0;
    do {
        t[lid] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = t[(lid + 1) % size] + 1;
        if (lid == 0 && ++stop > n) stop = 100;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (stop == 100) break;
        if (n > 2) { rounds += 10; continue; }
        rounds++;
    } while (rounds < 40);
    while (true) {
        y++;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y == 3) { t[lid] = x; barrier(CLK_LOCAL_MEM_FENCE); x += t[size - 1]; } else { x++; }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (y >= n) break;
        if (lid & 1) continue;      // by some items, with nothing to wait for behind it
        x += 100;
        for (int i = 0; i < lid; ++i) { if (i == 3) break; x += i; }
    }
    for (int i = lid; i < lid + 3; ++i) { // as often for every item
        t[(i + 1) % size] = x + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        switch (n) { case 1: x += t[lid]; break; default: x -= t[lid]; }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    { int x2 = x * 2; barrier(CLK_LOCAL_MEM_FENCE); x = x2 + rounds; }
    int w = n;
    for (;;) { if (w-- == 0) break; barrier(CLK_LOCAL_MEM_FENCE); x ^= w; }
    if (lid == 5) return;           // some, at the end
    y = x;
    if (lid > size / 2) { y++; if (y & 1) return; y = -y; }
    out[get_global_id(0)] = y;
}
__kernel void copies(__global int* out, __global const int* in, int n) {
    __local int t[N];
    event_t e = async_work_group_copy(t, in + get_group_id(0) * get_local_size(0), get_local_size(0), (event_t)0);
    int x = n * get_local_id(0);
    wait_group_events(1, &e);
    x += t[get_local_size(0) - 1 - get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    t[get_local_id(0)] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + get_group_id(0) * get_local_size(0), t, get_local_size(0), e);
    wait_group_events(1, &e);
}
__kernel void shadows(__global int* out, __global const int* in, int n) {
    __local int t[N];
    int x = get_local_id(0), x_2 = 5;
    { int x = 7; t[get_local_id(0)] = x + x_2; barrier(CLK_LOCAL_MEM_FENCE); x += t[0]; out[get_global_id(0)] = x; }
    for (int x = 0; x < 2; ++x) { barrier(CLK_LOCAL_MEM_FENCE); x_2 += x; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] += x * 1000 + x_2;
}
__constant int hidden = 5, also_hidden = 6;
int hides(int also_hidden, __local int* t) { // the constant's name again, in a helper
    also_hidden += get_local_id(0);
    t[get_local_id(0)] = also_hidden;
    barrier(CLK_LOCAL_MEM_FENCE);
    return t[0] + also_hidden;
}
__kernel void constants(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int gid = get_global_id(0);
    out[gid] = hidden * 1000 + also_hidden;
    { int hidden = in[gid]; t[get_local_id(0)] = hidden; barrier(CLK_LOCAL_MEM_FENCE); hidden += t[0]; out[gid] += hidden; }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[gid] += hides(n, t) + also_hidden;
}
__kernel void first_parts(__global int* out, __global const int* in, int n) {
    __local int t[N];
    const int lid = get_local_id(0);
    int sum = 0, step = 1;
    for (int s = 1, at = lid + s; s < 8; s *= 2) { // at stays what it was
        t[lid] = at * s;
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += at + t[0];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (const int at = lid * step; step < 4; step++) {
        for (int i = 0, inner = lid + step; i < 2; ++i) { // the step changes around this one
            t[lid] = inner;
            barrier(CLK_LOCAL_MEM_FENCE);
            sum += at + inner * t[0];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    }
    out[get_global_id(0)] = sum;
}
__kernel __attribute__((reqd_work_group_size(4, 4, 2))) void cube(__global int* out, __global const int* in, int n) {
    __local int t[2][4][5];
    const int x = get_local_id(0), y = get_local_id(1), z = get_local_id(2);
    const int at = (z * 4 + y) * 4 + x;
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        t[z][y][x] = in[at] + i;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 4; ++k) sum += t[z][k][x] * t[1 - z][y][k];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_group_id(0) * 32 + at] = sum;
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
)";

const HostProgram& program() {
    static const HostProgram compiled(source, false, "-O2");
    return compiled;
}

bool no_compiler() {
    if (host_compiler().empty())
        MESSAGE("skipped: no C++ compiler (c++) is on the PATH");
    return host_compiler().empty();
}

std::vector<int> random_ints(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<int> values(count);
    for (int& value : values)
        value = static_cast<int>(random() % 1000);
    return values;
}

std::vector<int> results(const HostProgram& of, const char* kernel, int n, Size global, Size local, std::uint32_t seed,
                         bool items_apart) {
    std::vector<int> in = random_ints(256, seed), out(256, -1);
    of.run(kernel, {Argument::of(out), Argument::of(in), Argument::value(n)}, global, local, {0, 0, 0}, items_apart);
    return out;
}

void compare(const HostProgram& of, const char* kernel, int n, Size global, Size local) {
    const std::uint32_t seed = test_seed();
    CAPTURE(kernel);
    CAPTURE(n);
    CAPTURE(local[0]);
    CAPTURE(seed);
    REQUIRE(of.kernel(kernel).split == 1);
    const auto split = results(of, kernel, n, global, local, seed, false);
    const auto apart = results(of, kernel, n, global, local, seed, true);
    CHECK(split == apart);
    if (std::string(kernel) != "control") // which may write nothing
        CHECK(std::count(split.begin(), split.end(), -1) < 256);
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

TEST_CASE("split: the same results as of items that wait for one another") {
    if (no_compiler())
        return;
    for (const std::uint64_t size : {1, 2, 8, 32}) {
        const Size global{2 * size, 1, 1}, local{size, 1, 1};
        for (const char* kernel :
             {"reduce", "blelloch", "bitonic", "radix", "variables", "copies", "shadows", "constants", "first_parts"})
            compare(program(), kernel, 100, global, local);
        for (const int n : {-1, 0, 1, 2, 3, 7})
            compare(program(), "control", n, global, local);
    }
    for (const int n : {1, 5})
        compare(program(), "cube", n, {8, 4, 2}, {4, 4, 2});
}

TEST_CASE("split: known results") {
    if (no_compiler())
        return;
    std::vector<int> in(64), out(64);
    std::iota(in.begin(), in.end(), 0);
    int n = 64;
    program().run("reduce", {Argument::of(out), Argument::of(in), Argument::value(n)}, {16, 1, 1}, {16, 1, 1});
    CHECK(out[0] == 2016);
    program().run("blelloch", {Argument::of(out), Argument::of(in), Argument::value(n)}, {32, 1, 1}, {32, 1, 1});
    for (int i = 0; i < 64; ++i)
        CHECK(out[static_cast<std::size_t>(i)] == i * (i - 1) / 2);
    in = random_ints(64, 1);
    program().run("bitonic", {Argument::of(out), Argument::of(in), Argument::value(n)}, {64, 1, 1}, {64, 1, 1});
    std::sort(in.begin(), in.end());
    CHECK(out == in);
}

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
    CHECK((program().kernel("reduce").fiber_reason == nullptr));

    const std::string keep = "void keep(global int* p) { int a[8192]; a[p[0] & 8191] = 1; barrier(1); p[1] = a[0]; }\n";
    const auto calls = [&](int count) {
        std::string text = keep + "kernel void k(global int* p) { ";
        for (int i = 0; i < count; ++i)
            text += "keep(p); ";
        return program_text(text + "}");
    };
    CHECK(calls(2).find("devq_split_k") != std::string::npos);
    CHECK(calls(20).find("what a work-item keeps across barriers") != std::string::npos);
}
