// Random kernels with barriers: split at them, on fibers, and on an OpenCL CPU device where there is one, they compute
// the same. DEVQ_TEST_SEED repeats a run, DEVQ_TEST_KERNELS sets how many kernels there are.
#include <cstdlib>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <optional>
#include <random>
#include <string>
#include <vector>

using namespace devq;

namespace {

std::uint32_t number_of(const char* variable, std::uint32_t otherwise) {
    const char* text = std::getenv(variable);
    return text != nullptr && *text != '\0' ? static_cast<std::uint32_t>(std::strtoul(text, nullptr, 10)) : otherwise;
}

/// The parts in order. Unlike those of operators, the elements of a list are evaluated from left to right, so that a
/// seed gives the same kernels by every compiler.
std::string joined(std::initializer_list<std::string> parts) {
    std::string result;
    for (const std::string& part : parts)
        result += part;
    return result;
}

/// Kernels without races or undefined results: items exchange values by local memory, with a barrier before and behind.
class Generator {
public:
    explicit Generator(std::uint32_t seed) : random_(seed) {}

    /// @param on_fibers adds a barrier that is never reached, at a place where kernels cannot be split
    std::string kernel(const std::string& name, bool on_fibers) {
        loops_ = 0;
        std::string body =
            "    __local uint t[64];\n    const uint lid = get_local_id(0), size = get_local_size(0);\n"
            "    const int gid = get_global_id(0);\n"
            "    uint a = in[gid], b = lid, c = 7u, d = in[gid] >> 3, s = n, arr[4] = {1u, lid, n, 3u};\n"
            "    uint4 w = (uint4)(a, b, c, 5u);\n";
        statements(body, 1, 6, true);
        if (on_fibers)
            body += "    switch (n) { case 12345: barrier(CLK_LOCAL_MEM_FENCE); break; default: break; }\n";
        return "__kernel void " + name + "(__global uint* out, __global const uint* in, const uint n) {\n" + body +
               "    out[gid] = a + 3u * b + 5u * c + 7u * d + s + arr[0] + arr[1] * arr[2] + arr[3] + w.x + w.y * w.z "
               "+ "
               "w.w;\n}\n";
    }

private:
    unsigned pick(unsigned count) { return static_cast<unsigned>(random_() % count); }
    std::string variable() { return std::string(1, "abcd"[pick(4)]); }
    std::string literal() { return std::to_string(pick(100)) + "u"; }

    std::string uniform(unsigned depth = 2) {
        if (depth == 0 || pick(3) == 0) {
            const unsigned which = pick(loops_ > 0 ? 4 : 3);
            return which == 0   ? "n"
                   : which == 1 ? "s"
                   : which == 2 ? (pick(2) ? literal() : std::string("(uint)get_group_id(0)"))
                                : "i" + std::to_string(pick(loops_));
        }
        const char* operators[] = {"+", "-", "*", "^", "&", ">>"};
        return joined({"(", uniform(depth - 1), " ", operators[pick(6)], " ", uniform(depth - 1), ")"});
    }

    std::string expression(unsigned depth = 3) {
        if (depth == 0 || pick(4) == 0) {
            const std::string leaves[] = {variable(), literal(), "lid", "arr[" + variable() + " & 3u]",
                                          "w.y",      uniform(1)};
            return leaves[pick(6)];
        }
        const std::string x = expression(depth - 1), y = expression(depth - 1);
        switch (pick(10)) {
        case 0:
            return "(" + x + " / (" + y + " | 1u))";
        case 1:
            return "(" + x + " % (" + y + " | 1u))";
        case 2:
            return "(" + x + " << (" + y + " & 31u))";
        case 3:
            return joined({"(", x, " > ", y, " ? ", expression(depth - 1), " : ", variable(), ")"});
        case 4:
            return std::string(pick(2) ? "min(" : "max(") + x + ", " + y + ")";
        case 5:
            return "rotate(" + x + ", " + y + ")";
        default: {
            const char* operators[] = {"+", "-", "*", "^", "|", "&"};
            return "(" + x + " " + operators[pick(6)] + " " + y + ")";
        }
        }
    }

    void statements(std::string& out, unsigned depth, unsigned count, bool barriers) {
        for (unsigned i = 0; i < count; ++i)
            statement(out, depth, barriers);
    }

    void statement(std::string& out, unsigned depth, bool barriers) {
        const std::string indent(4 * depth, ' ');
        const std::string wait = indent + "barrier(CLK_LOCAL_MEM_FENCE);\n";
        const char* assigns[] = {" = ", " += ", " ^= ", " -= "};
        switch (pick(barriers ? 12 : 5)) {
        case 0:
        case 1:
            out += joined({indent, variable(), assigns[pick(4)], expression(), ";\n"});
            break;
        case 2:
            out += joined({indent, "arr[", variable(), " & 3u]", assigns[pick(4)], expression(), ";\n"});
            break;
        case 3:
            out += indent + "w." + (pick(2) != 0 ? "xz += w.yw" : "y ^= " + expression()) + ";\n";
            break;
        case 4:
            if (depth > 3)
                break;
            if (pick(2))
                out += indent + "if (" + expression(2) + " & 1u) {\n";
            else
                out += indent + "for (uint j = 0; j < (" + variable() + " & 3u); ++j) {\n";
            statements(out, depth + 1, 2, false);
            out += indent + "}\n";
            break;
        case 5:
        case 6:
        case 7:
            out += joined({indent, "t[lid] = ", expression(), ";\n", wait, indent, variable(), assigns[pick(4)],
                           "t[(lid + ", uniform(), ") % size];\n", wait});
            break;
        case 8:
            out += indent + "s = s * 3u + " + uniform() + ";\n";
            break;
        case 9:
            out += joined({indent, variable(), " ^= share(", expression(), ", t, ", uniform(), ");\n"});
            break;
        case 10:
            if (depth > 3)
                break;
            out += indent + "if (" + uniform() + " & 1u) {\n";
            statements(out, depth + 1, 2, true);
            if (pick(2)) {
                out += indent + "} else {\n";
                statements(out, depth + 1, 2, true);
            }
            out += indent + "}\n";
            break;
        default:
            if (depth > 3)
                break;
            const std::string i = "i" + std::to_string(loops_);
            out +=
                indent + "for (uint " + i + " = 0; " + i + " < " + std::to_string(1 + pick(4)) + "u; ++" + i + ") {\n";
            ++loops_;
            statements(out, depth + 1, 2, true);
            if (pick(3) == 0)
                out += joined({indent, "    if (", uniform(), " & 1u) ", pick(2) ? "break;\n" : "continue;\n"});
            statements(out, depth + 1, 1, true);
            --loops_;
            out += indent + "}\n";
        }
    }

    std::mt19937 random_;
    unsigned loops_ = 0; ///< around the place: i0, i1, ...
};

const char* const helper = R"(
uint share(uint x, __local uint* t, uint by) {
    const uint me = get_local_id(0), all = get_local_size(0);
    t[me] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint theirs = t[(me + by) % all];
    barrier(CLK_LOCAL_MEM_FENCE);
    return theirs;
}
)";

struct Side {
    const char* what;
    Device device;
    Program program;
};

std::vector<std::uint32_t> results(const Side& side, const std::string& name, std::size_t size, std::uint32_t n) {
    const std::size_t count = 64;
    std::vector<std::uint32_t> in(count), out(count);
    for (std::size_t i = 0; i < count; ++i)
        in[i] = static_cast<std::uint32_t>(i * 2654435761u + n);
    const Queue queue = side.device.create_queue();
    const Buffer din = side.device.allocate(4 * count), dout = side.device.allocate(4 * count);
    queue.write(din, std::span<const std::uint32_t>(in));
    queue.launch(side.program.kernel(name), Range(count).grouped(size), dout, din, n);
    queue.read(std::span(out), dout);
    return out;
}

std::optional<Device> opencl_device() {
    try {
        return open_device("opencl-cpu");
    } catch (const Error& error) {
        MESSAGE("skipped: generated kernels on OpenCL: " << error.what());
        return std::nullopt;
    }
}

} // namespace

TEST_CASE("generated kernels: split, on fibers and (DEVQ_TEST_OPENCL=1) by OpenCL, the same results") {
    const std::uint32_t seed = number_of("DEVQ_TEST_SEED", std::random_device{}());
    const std::uint32_t count = number_of("DEVQ_TEST_KERNELS", 12);
    CAPTURE(seed);
    const Device cpu = open_device("cpu:0");
    // PoCL 3.1 ends the process on some of these ("Could not find a dominating alternative variable") and computes
    // others wrong, so that it is asked on demand only.
    const std::optional<Device> opencl =
        std::getenv("DEVQ_TEST_OPENCL") != nullptr ? opencl_device() : std::optional<Device>();
    constexpr std::uint32_t per_program = 6;
    for (std::uint32_t first = 0; first < count; first += per_program) {
        std::string split = helper, fibers = helper;
        for (std::uint32_t k = first; k < std::min(first + per_program, count); ++k) {
            split += Generator(seed + k).kernel("k" + std::to_string(k), false);
            fibers += Generator(seed + k).kernel("k" + std::to_string(k), true);
        }
        std::vector<Side> sides{{"split", cpu, cpu.build(split)}, {"fibers", cpu, cpu.build(fibers)}};
        CHECK_MESSAGE(sides[0].program.build_log().find("fiber") == std::string::npos, sides[0].program.build_log());
        CHECK(sides[1].program.build_log().find("fiber") != std::string::npos);
        if (opencl)
            sides.push_back({"OpenCL", *opencl, opencl->build(split)});
        for (std::uint32_t k = first; k < std::min(first + per_program, count); ++k)
            for (const std::size_t size : {1, 8, 32}) {
                const std::string name = "k" + std::to_string(k);
                const auto expected = results(sides[0], name, size, seed % 50 + k);
                for (std::size_t side = 1; side < sides.size(); ++side) {
                    CAPTURE(std::string(sides[side].what));
                    CAPTURE(size);
                    CAPTURE(Generator(seed + k).kernel(name, false));
                    CHECK(results(sides[side], name, size, seed % 50 + k) == expected);
                }
            }
    }
}
