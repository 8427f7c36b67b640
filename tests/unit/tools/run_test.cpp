#include "tool.hpp"
#include "tools/npy.hpp"
#include <cstdio>
#include <cstring>

using namespace tools_test;

namespace {

constexpr const char* kernels = R"(
typedef struct { float scale; int shift; } how;

kernel void scale(global const float* x, global float* y, float factor) {
    size_t i = get_global_id(0);
    y[i] = factor * x[i];
}

kernel void place(global int* out) {
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)(100 * get_group_id(1) + get_local_id(0));
}

kernel void structured(global float* y, how h, float4 v) { y[get_global_id(0)] = h.scale * v.w + h.shift; }

kernel void turned(global const short* x, local short* part, global short* y) {
    size_t l = get_local_id(0), n = get_local_size(0);
    part[l] = x[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    y[get_global_id(0)] = part[n - 1 - l];
}

kernel void one_more(global int* x) { printf("%d and one\n", x[0]++); }
)";

/// The first elements of the only result.
json first(const json& document) {
    REQUIRE(document.contains("results"));
    REQUIRE(document.at("results").size() == 1);
    return document.at("results").at(0).at("first");
}

} // namespace

TEST_CASE("devq run: a kernel on every device, with each form of argument") {
    const Workplace here;
    const std::string file = here.file("kernels.cl", kernels);
    for (const std::string& device : devices(here)) {
        CAPTURE(device);
        json document = here.document({"run", file, "--kernel", "scale", "--global", "8", "--device", device, "--arg",
                                       "buf:f32:8:iota", "--arg", "buf:f32:8:7.5", "--arg", "f32:0.5"});
        CHECK(document.at("device") == device);
        CHECK(document.at("results").at(0).at("name") == "y");
        CHECK(document.at("results").at(0).at("dtype") == "f32");
        CHECK(first(document) == json({0, 0.5, 1, 1.5, 2, 2.5, 3, 3.5}));

        document = here.document({"run", file, "--kernel", "place", "--global", "4x2", "--local", "2x1", "--device",
                                  device, "--arg", "buf:i32:2x4"});
        CHECK(first(document) == json({0, 1, 0, 1, 100, 101, 100, 101}));
        CHECK(document.at("results").at(0).at("sizes") == json({2, 4}));

        // scale = 2, shift = 3; v.w = 40
        document = here.document({"run", file, "--kernel", "structured", "--global", "1", "--device", device, "--arg",
                                  "buf:f32:1", "--arg", "hex:0000004003000000", "--arg", "f32:10,20,30,40"});
        CHECK(first(document) == json({83}));

        document = here.document({"run", file, "--kernel", "turned", "--global", "6", "--local", "3", "--device",
                                  device, "--arg", "buf:i16:6:iota", "--arg", "local:6", "--arg", "buf:i16:6"});
        CHECK(first(document) == json({2, 1, 0, 5, 4, 3}));
    }
}

TEST_CASE("devq run: NumPy files in and out, the same on all devices, timed") {
    const Workplace here;
    const std::string file = here.file("kernels.cl", kernels);
    devq::tools::Array input{devq::DType::f32, {3, 2}, std::vector<std::byte>(24)};
    const float values[] = {1, -2, 3, 1e30f, 0.25f, -0.0f};
    std::memcpy(input.bytes.data(), values, sizeof values);
    devq::tools::write_npy(here.path("in.npy"), input);
    const std::vector<std::string> found = devices(here);
    const json document = here.document({"run",       file,
                                         "--kernel",  "scale",
                                         "--global",  "6",
                                         "--device",  found.front(),
                                         "--arg",     "file:" + here.path("in.npy"),
                                         "--arg",     "buf:f32:3x2",
                                         "--arg",     "f32:-4",
                                         "--out",     here.path("out.npy") + ":y",
                                         "--time",    "5",
                                         "--compare", found.back()});
    CHECK(document.at("time").at("launches") == 5);
    CHECK(document.at("time").at("ms_min").get<double>() > 0);
    CHECK(document.at("time").at("ms_median").get<double>() >= document.at("time").at("ms_min").get<double>());
    CHECK(document.at("compare").at(0).at("differing") == 0);
    CHECK(document.at("other").at("device") == found.back());
    const devq::tools::Array output = devq::tools::read_npy(here.path("out.npy"));
    CHECK(output.sizes == input.sizes);
    float got[6];
    REQUIRE(output.bytes.size() == sizeof got);
    std::memcpy(got, output.bytes.data(), sizeof got);
    for (std::size_t i = 0; i < 6; ++i)
        CHECK(got[i] == -4 * values[i]);
}

TEST_CASE("devq run --compare: what two devices wrote") {
    const Workplace here;
    const std::string file = here.file("differ.cl", R"(
kernel void nearly(global float* y, float a) { y[get_global_id(0)] = a; }
kernel void gamma(global float* y) { y[get_global_id(0)] = tgamma(7.0f * y[get_global_id(0)]); }
)");
    // The same device twice agrees, whatever the tolerance.
    support::Result result =
        here.devq({"run", file, "--kernel", "nearly", "--global", "4", "--device", "cpu:0", "--compare", "cpu:0",
                   "--tolerance", "0", "--arg", "buf:f32:4", "--arg", "f32:0.1"});
    CHECK(result.status == 0);
    CHECK(holds(result.out, "y: the same on both"));
    const std::vector<std::string> found = devices(here);
    if (found.size() < 2) {
        std::puts("skipped: compare: this machine has one device");
        return;
    }
    // What two devices leave in memory that no work-item writes is the same: what --arg put there.
    result = here.devq({"run", file, "--kernel", "nearly", "--global", "2", "--device", found[0], "--compare", found[1],
                        "--arg", "buf:f32:5:iota", "--arg", "f32:-1"});
    CHECK(result.status == 0);
    CHECK(holds(result.out, "-1 -1 2 3 4"));
    // OpenCL leaves tgamma 16 units of the last place: two libraries agree within them, not in every bit.
    std::vector<std::string> gamma{"run",      file,     "--kernel",  "gamma",  "--global", "4096",
                                   "--device", found[0], "--compare", found[1], "--arg",    "buf:f32:4096:random:3"};
    CHECK(here.devq(gamma).status == 0);
    gamma.insert(gamma.end(), {"--tolerance", "0"});
    result = here.devq(gamma);
    CHECK(result.status == 1);
    CHECK(holds(result.out, "of 4096 elements differ"));
}

TEST_CASE("devq run: what kernels print, and a file of one number") {
    const Workplace here;
    const std::string file = here.file("kernels.cl", kernels);
    devq::tools::write_npy(here.path("one.npy"), {devq::DType::i32, {}, std::vector<std::byte>(4)});
    for (const std::string& device : devices(here)) {
        CAPTURE(device);
        std::vector<std::string> words{"run",      file,
                                       "--kernel", "one_more",
                                       "--global", "1",
                                       "--device", device,
                                       "--arg",    "file:" + here.path("one.npy"),
                                       "--out",    here.path("two.npy")};
        const support::Result text = here.devq(words);
        CAPTURE(text.err);
        CHECK(text.status == 0);
        CHECK(holds(text.out, "0 and one\n"));
        const devq::tools::Array two = devq::tools::read_npy(here.path("two.npy"));
        CHECK(two.sizes.empty());
        CHECK(two.bytes == std::vector<std::byte>{std::byte{1}, std::byte{0}, std::byte{0}, std::byte{0}});

        words.emplace_back("--json"); // one document on stdout, and nothing else
        const support::Result document = here.devq(words);
        CHECK(document.status == 0);
        CHECK(json::parse(document.out, nullptr, false).is_object());
        CHECK(holds(document.err, "0 and one\n"));
    }
}

TEST_CASE("devq run: random buffers repeat by their seed") {
    const Workplace here;
    const std::string file = here.file("copy.cl", "kernel void copy(global const int* x, global int* y) "
                                                  "{ y[get_global_id(0)] = x[get_global_id(0)]; }");
    const auto with = [&](const std::string& fill) {
        return first(here.document({"run", file, "--kernel", "copy", "--global", "16", "--device", "cpu:0", "--arg",
                                    "buf:i32:16:" + fill, "--arg", "buf:i32:16"}));
    };
    const json seven = with("random:7");
    CHECK(seven == with("random:7"));
    CHECK(seven != with("random:8"));
    CHECK(with("random") == with("random"));
    for (const json& value : seven)
        CHECK((value.get<int>() >= 0 && value.get<int>() < 100));
}

TEST_CASE("devq run: wrong use is told in words, with exit code 2") {
    const Workplace here;
    const std::string file = here.file("kernels.cl", kernels);
    struct Wrong {
        std::vector<std::string> words;
        std::string says;
    };
    const std::vector<std::string> scale{"run", file, "--kernel", "scale", "--device", "cpu:0"};
    const Wrong cases[] = {
        {{"--global", "8"}, "takes 3 arguments"},
        {{"--global", "0", "--arg", "f32:1"}, "is no size"},
        {{"--global", "8x8x8x8"}, "is no size"},
        {{"--global", "8x"}, "is no size"},
        {{"--global", "-8"}, "is no size"},
        {{"--global", "8", "--local", "2x2"}, "another number of dimensions"},
        {{"--global", "8", "--local", "3", "--arg", "buf:f32:8", "--arg", "buf:f32:8", "--arg", "f32:1"}, "divi"},
        {{"--global", "8", "--arg", "buf:f33:8"}, "no type or form \"f33\""},
        {{"--global", "8", "--arg", "buf:f32:99999999999999999999"}, "is no size"},
        {{"--global", "8", "--arg", "buf:f32:4611686018427387904x8"}, "63 bits"},
        {{"--global", "8", "--arg", "buf:u8:2:iota:3"}, "stands behind"},
        {{"--global", "8", "--arg", "buf:u8:300:iota"}, "256 is no value of type u8"},
        {{"--global", "8", "--arg", "buf:i32:2:0.5"}, "no value of type i32"},
        {{"--global", "8", "--arg", "buf:i32:2:random:x"}, "no seed"},
        {{"--global", "8", "--arg", "i32:2147483648"}, "no value of type i32"},
        {{"--global", "8", "--arg", "u64:-1"}, "no value of type u64"},
        {{"--global", "8", "--arg", "f32:"}, "no value of type f32"},
        {{"--global", "8", "--arg", "hex:123"}, "two digits"},
        {{"--global", "8", "--arg", "hex:zz"}, "two digits"},
        {{"--global", "8", "--arg", "local:none"}, "no number of bytes"},
        {{"--global", "8", "--arg", "file:" + here.path("absent.npy")}, "cannot be read"},
        {{"--global", "8", "--arg", "file:" + file}, "is no .npy file"},
        {{"--global", "8", "--arg", "buf:f32:8", "--arg", "buf:f32:8", "--arg", "f64:1"}, "4 bytes"},
        {{"--global", "8", "--tolerance", "-1"}, "--tolerance: \"-1\" is no number of 0 or more\n"},
        {{"--global", "8", "--tolerance", "nan"}, "\"nan\" is no number"},
        {{"--global", "8", "--tolerance", "1e400"}, "\"1e400\" is no number"},
        {{"--global", "8", "--tolerance", "0.1x"}, "\"0.1x\" is no number"},
        {{"--global", "8", "--time", "0"}, "time"},
        {{"--global", "8", "--kernel", "absent"}, ""},
    };
    for (const Wrong& wrong : cases) {
        std::vector<std::string> words = scale;
        words.insert(words.end(), wrong.words.begin(), wrong.words.end());
        const support::Result result = here.devq(words);
        CAPTURE(wrong.words.back());
        CAPTURE(result.err);
        CHECK(result.status == 2);
        CHECK(result.out.empty());
        CHECK(holds(result.err, wrong.says));
    }
    const support::Result absent = here.devq({"run", file, "--kernel", "absent", "--global", "1", "--device", "cpu:0"});
    CHECK(absent.status == 2);
    CHECK(holds(absent.err, "It has scale, place, structured, turned, one_more"));
    CHECK(here.devq({"run", file, "--kernel", "scale", "--global", "1", "--device", "opencl:77"}).status == 3);
    const support::Result unwritable = here.devq({"run", file, "--kernel", "place", "--global", "1", "--device",
                                                  "cpu:0", "--arg", "buf:i32:1", "--out", "/nowhere/at/all.npy"});
    CHECK(unwritable.status == 4);
    CHECK(holds(unwritable.err, "cannot be written"));
}
