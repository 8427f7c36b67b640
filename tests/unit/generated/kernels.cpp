#include "kernels.hpp"
#include "statements.hpp"

namespace devq::generated {

namespace {

const char* const fixed_functions = R"(
typedef struct { uint a; short b; uint2 v; uchar c[3]; } State;
ulong mixed(ulong h, ulong x) { return (h ^ x << 13) * 0x9E3779B97F4A7C15UL; }
uint of2(uint2 v) { return v.x + 3u * v.y; }
uint of3(uint3 v) { return of2(v.xy) + 5u * v.z; }
uint of4(uint4 v) { return of2(v.lo + 7u * v.hi); }
uint of8(uint8 v) { return of4(v.lo + 11u * v.hi); }
uint place(void) { return (uint)(get_local_id(1) * get_local_size(0) + get_local_id(0)); }
uint places(void) { return (uint)(get_local_size(0) * get_local_size(1)); }
uint share(uint x, __local uint* t, uint by) {
    const uint me = place(), all = places();
    t[me] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint theirs = t[(me + by) % all];
    barrier(CLK_LOCAL_MEM_FENCE);
    return theirs;
}
void reverse(uint* x, __local uint* t) {
    t[places() - 1u - place()] = *x;
    barrier(CLK_LOCAL_MEM_FENCE);
    *x ^= t[place()];
    barrier(CLK_LOCAL_MEM_FENCE);
}
void touch(State* o, uint x) {
    o->a += x;
    o->b = (short)(o->b ^ x);
    o->c[x % 3u] = (uchar)(x >> 3);
    o->v.y += o->a;
}
State turned(State o, uint x) {
    o.a ^= x;
    o.v = o.v.yx + (uint2)(x, o.c[1]);
    return o;
}
)";

/// A number of all components, those of floats without the sign of zeros, which the language leaves open.
std::string folded(const Vector& vector) {
    const std::string n = std::to_string(vector.width);
    const std::string whole = vector.element == "float" ? "as_uint" + n + "(" + vector.name + " + 0.0f)" : vector.name;
    const char* const functions[] = {"", "", "of2", "of3", "of4", "", "", "", "of8"};
    return joined({functions[vector.width], "(convert_uint", n, "(", whole, "))"});
}

/// Everything that the kernel computed goes into one number.
std::string result(const Scope& scope) {
    std::string text = "    ulong hash = mixed(s + 3u * arr[0] + 5u * arr[1], arr[2] ^ 7u * arr[3]";
    unsigned factor = 9;
    const auto add = [&](const std::string& value) {
        text += joined({" + ", std::to_string(factor), "u * ", value});
        factor += 2;
    };
    for (const std::string& name : scope.u32)
        add(name);
    for (const std::string& name : scope.small)
        add("(uint)" + name);
    for (const std::string& name : scope.i32)
        add("(uint)" + name);
    for (const std::string& name : scope.f32)
        add("as_uint(" + name + " + 0.0f)");
    for (const Vector& vector : scope.vectors)
        add(folded(vector));
    text += ");\n";
    for (const std::string& name : scope.u64)
        text += joined({"    hash += 3 * ", name, ";\n"});
    for (const std::string& name : scope.i64)
        text += joined({"    hash ^= as_ulong(", name, ");\n"});
    return text;
}

} // namespace

KernelText kernel(std::uint32_t seed, const std::string& name) {
    Statements random(seed);
    KernelText result_text;
    result_text.name = name;
    result_text.dimensions = 1 + random.expressions.pick(2);
    const bool flat = result_text.dimensions == 1;
    const std::vector<Shape> shapes =
        flat ? std::vector<Shape>{{{items, 1}, {1, 1}}, {{items, 1}, {8, 1}}, {{items, 1}, {32, 1}}}
             : std::vector<Shape>{{{16, 4}, {4, 4}}, {{8, 8}, {8, 2}}, {{4, 16}, {1, 4}}};
    result_text.shapes = {shapes[random.expressions.pick(2)], shapes[2]};
    std::string body = "    __local uint t[64];\n    __local uint4 t4[64];\n    __local uint sum;\n"
                       "    const uint lid = place(), size = places();\n";
    body += flat ? "    const int gid = get_global_id(0);\n"
                 : "    const int gid = (int)(get_global_id(1) * get_global_size(0) + get_global_id(0));\n";
    body += random.variables();
    random.statements(body, 1, 1 + random.expressions.pick(3), true); // small ones find as much, and build soon
    body += random.last();
    body += result(random.expressions.scope) + "    out[gid] = hash;\n";
    result_text.text =
        "__kernel void " + name + "(__global ulong* out, __global const uint* in, const uint n) {\n" + body + "}\n";
    return result_text;
}

std::string functions(std::uint32_t seed) {
    std::string text = fixed_functions;
    Statements random(seed);
    Scope& scope = random.expressions.scope;
    scope.u32 = {"a", "b"};
    scope.i32 = {"p"};
    text += "uint f0(uint a, int p) {\n    uint b = a * 5u + 1u;\n";
    random.statements(text, 1, 3, false);
    text += "    return " + random.expressions.u32(2) + ";\n}\n";
    scope.vectors = {{"uint", 4, "w"}};
    text += "uint4 f1(uint4 w, uint a) {\n    uint b = w.z ^ a;\n    int p = (int)a;\n";
    random.statements(text, 1, 2, false);
    text += "    if (" + random.expressions.i32(1) + " & 1) return w.wzyx;\n    return " +
            random.expressions.vector("uint", 4, 2) + ";\n}\n";
    scope.vectors.clear();
    text += "void f2(uint* x, int p, uint b) {\n    uint a = *x;\n";
    random.statements(text, 1, 2, false);
    text += "    *x = " + random.expressions.u32(2) + ";\n}\n";
    return text;
}

} // namespace devq::generated
