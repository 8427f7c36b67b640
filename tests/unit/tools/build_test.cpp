#include "tool.hpp"
#include <cstdio>
#include <sys/stat.h>

using namespace tools_test;

namespace {

constexpr const char* source = "#include \"part.h\"\n"
                               "kernel __attribute__((reqd_work_group_size(SIZE, 1, 1)))\n"
                               "void sum(global const float* x, constant int* table, local float* part, uint n) {}\n"
                               "kernel void other(global uchar4* pixels) { local int counts[16]; counts[0] = PART; }\n";

} // namespace

TEST_CASE("devq build: kernels and signatures, from every device and from the front end alone") {
    const Workplace here;
    const std::string file = here.file("two.cl", source);
    here.file("part.h", "#define PART 3\n");
    const json front_end = here.document({"build", file, "-D", "SIZE=8", "--emit", "signatures"});
    REQUIRE(front_end.size() == 2);
    const json& sum = front_end.at(0);
    CHECK(sum.at("name") == "sum");
    CHECK(sum.at("required_group") == json({8, 1, 1}));
    REQUIRE(sum.at("parameters").size() == 4);
    const auto parameter = [&](std::size_t index, const char* name, const char* kind, bool is_const, int bytes) {
        CHECK(sum.at("parameters").at(index).at("name") == name);
        CHECK(sum.at("parameters").at(index).at("kind") == kind);
        CHECK(sum.at("parameters").at(index).at("const") == is_const);
        CHECK(sum.at("parameters").at(index).at("bytes") == bytes);
    };
    parameter(0, "x", "global", true, 4);
    parameter(1, "table", "constant", true, 4);
    parameter(2, "part", "local", false, 4);
    parameter(3, "n", "value", false, 4);
    CHECK(front_end.at(1).at("local_bytes") == 64);
    for (const std::string& device : devices(here)) {
        CAPTURE(device);
        const json document = here.document({"build", file, "-D", "SIZE=8", "--device", device});
        CHECK(document.at("device") == device);
        CHECK(document.at("kernels") == front_end);
    }
}

TEST_CASE("devq build --emit: texts that name their user's lines") {
    const Workplace here;
    const std::string file = here.file("two.cl", source);
    here.file("part.h", "#define PART 3\n");
    const auto emitted = [&](const char* what) {
        const support::Result result = here.devq({"build", file, "-D", "SIZE=8", "--emit", what});
        CAPTURE(result.err);
        CHECK(result.status == 0);
        return result.out;
    };
    CHECK(holds(emitted("opencl"), "counts[0] = 3"));
    CHECK(holds(emitted("cpp"), "two.cl\""));
    CHECK(holds(emitted("cuda"), "__global__"));
    CHECK(holds(emitted("signatures"), "groups of 8x1x1"));
}

TEST_CASE("devq build --emit ptx: what NVRTC makes of it, for the architecture asked for") {
    const Workplace here;
    const std::string file = here.file("two.cl", source);
    here.file("part.h", "#define PART 3\n");
    const support::Result result = here.devq({"build", file, "-D", "SIZE=8", "--emit", "ptx", "--architecture", "90"});
    if (result.status == 4 && holds(result.err, "nvrtc")) {
        std::printf("skipped: nvrtc: none on this machine\n");
        return;
    }
    CAPTURE(result.err);
    CHECK(result.status == 0);
    CHECK(holds(result.out, ".target sm_90"));
    CHECK(holds(result.out, ".entry devq_kernel_sum("));
    CHECK(result.out.find('\0') == result.out.npos);
}

TEST_CASE("devq build: faults") {
    const Workplace here;
    const std::string wrong = here.file("wrong.cl", "kernel void a(global float* x) {\n    x[0] = 1 + ;\n}\n");
    for (const std::string& device : devices(here)) {
        const support::Result result = here.devq({"build", wrong, "--device", device});
        CAPTURE(result.err);
        CHECK(result.status == 4);
        CHECK(holds(result.err, "wrong.cl:2:"));
    }
    CHECK(here.devq({"build", wrong, "--emit", "cpp"}).status == 4);
    CHECK(here.devq({"build", here.path("absent.cl"), "--emit", "cpp"}).status == 2);
    CHECK(here.devq({"build", here.path("absent.cl")}).status == 2);
    CHECK(here.devq({"build", "/", "--emit", "cpp"}).status == 2);
    CHECK(here.devq({"build", wrong, "--emit", "rust"}).status == 2);
    CHECK(here.devq({"build", wrong, "--emit", "cpp", "--json"}).status == 2);
    CHECK(here.devq({"build", wrong, "--architecture", "1"}).status == 2);
    CHECK(here.devq({"build", wrong, "-D", ""}).status == 2);
    CHECK(here.devq({"build", wrong, "--emit", "cuda", "--device", "cpu:0"}).status == 2);
    CHECK(here.devq({"build", wrong, "--emit", "cuda", "--architecture", "80"}).status == 2);
}

TEST_CASE("what is no file of source is refused, and never waited for") {
    const Workplace here;
    const std::string pipe = here.path("pipe.cl"), large = here.file("large.cl", "");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::filesystem::resize_file(large, (std::uintmax_t{64} << 20) + 1); // holes: it takes no room
    const std::pair<std::string, const char*> files[] = {
        {"/dev/zero", "is no ordinary file"},
        {pipe, "is no ordinary file"},
        {here.path(""), "is a folder"},
        {large, "has more than 64 MiB"},
        {here.path("absent.cl"), "cannot be read"},
    };
    for (const auto& wrong : files) {
        const std::string& file = wrong.first;
        for (const std::vector<std::string>& words :
             {std::vector<std::string>{"build", file, "--emit", "opencl"},
              {"build", file, "--device", "cpu:0"},
              {"run", file, "--kernel", "k", "--global", "1", "--device", "cpu:0"}}) {
            const support::Result result = here.devq(words);
            CAPTURE(file);
            CAPTURE(result.err);
            CHECK(result.status == 2);
            CHECK(result.out.empty());
            CHECK(holds(result.err, wrong.second));
        }
    }
}

TEST_CASE("devq build --emit refuses the macros that a build refuses") {
    const Workplace here;
    const std::string file = here.file("k.cl", "kernel void k(global int* x) { x[0] = 1; }\n");
    const std::pair<std::string, const char*> wrong[] = {{"1X=2", "\"1X\" cannot be the name of a macro"},
                                                         {"A(x)=x", "\"A(x)\" cannot be the name of a macro"},
                                                         {"=1", "\"\" cannot be the name of a macro"},
                                                         {"A=1\n2", "macro \"A\" has more than one line"}};
    for (const auto& one : wrong) {
        const std::string& define = one.first;
        for (const std::vector<std::string>& more :
             {std::vector<std::string>{"--emit", "cpp"}, {"--emit", "signatures"}, {"--device", "cpu:0"}}) {
            std::vector<std::string> words{"build", file, "-D", define};
            words.insert(words.end(), more.begin(), more.end());
            const support::Result result = here.devq(words);
            CAPTURE(define);
            CAPTURE(result.err);
            CHECK(result.status == 2);
            CHECK(holds(result.err, one.second));
        }
    }
}
