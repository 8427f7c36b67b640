#include "support.hpp"
#include <array>
#include <fstream>
#include <thread>

using namespace devq;
using namespace devq::opencl_test;

namespace {

backend::ProgramSource source(std::string text) {
    backend::ProgramSource made;
    made.text = std::move(text);
    made.file_name = "my kernels/scale.cl";
    return made;
}

int run_once(backend::Device& device, backend::Program& program, const char* name) {
    const auto queue = device.create_queue();
    const auto memory = device.allocate(sizeof(int));
    queue->launch(program.kernel(name), range(1), Arguments().buffer(memory));
    return download<int>(*queue, memory, 1)[0];
}

} // namespace

TEST_CASE("a kernel that does not compile: the log names the user's line") {
    DEVQ_DEVICE_OR_RETURN(device);
    backend::ProgramSource bad = source("kernel void f(global float* x) {\n    x[0] = 1;\n    x[0] = not_there;\n}\n");
    bad.defines = {{"A", "1"}, {"B", "2"}}; // defines do not move the lines
    const std::string text = error_text(ErrorCode::build_failed, [&] { device->build(bad); });
    CHECK(text.find("scale.cl") != text.npos);
    CHECK(text.find("not_there") != text.npos);
    CHECK(text.find(":3:") != text.npos);
    CHECK(text.find("CL_BUILD_PROGRAM_FAILURE") != text.npos);
}

TEST_CASE("a syntax error, an empty text, a missing include and an unknown kernel are errors") {
    DEVQ_DEVICE_OR_RETURN(device);
    error_text(ErrorCode::build_failed, [&] { device->build(source("kernel void f(global float* x) { x[0] = ; }")); });
    error_text(ErrorCode::build_failed, [&] { device->build(source("#include \"nowhere.h\"\n")); });
    const auto program = device->build(source("kernel void f(global float* x) { x[0] = 1; }"));
    const std::string text = error_text(ErrorCode::invalid_argument, [&] { program->kernel("g"); });
    CHECK(text.find("CL_INVALID_KERNEL_NAME") != text.npos);
    CHECK(text.find("\"g\"") != text.npos);
}

TEST_CASE("defines arrive with spaces, quotes and parentheses in their values") {
    DEVQ_DEVICE_OR_RETURN(device);
    backend::ProgramSource text =
        source("kernel void f(global int* x) { constant char* s = TEXT; x[0] = SUM + s[1] + FLAG + "
               "TWICE(100); }");
    text.defines = {{"SUM", "(1 + 2)"}, {"TEXT", "\"a b\""}, {"FLAG", "1"}, {"TWICE(v)", "((v) * 2)"}};
    CHECK(run_once(*device, *device->build(text), "f") == 3 + ' ' + 1 + 200);
    for (const auto& [name, value] :
         Variables{{"A", "1\n#error no"}, {"A B", "1"}, {"", "1"}, {"A", "1 \\"}, {"A", "1 /* "}}) {
        text.defines = {{name, value}};
        error_text(ErrorCode::invalid_argument, [&] { device->build(text); });
    }
}

TEST_CASE("include folders, also with a space in the path") {
    DEVQ_DEVICE_OR_RETURN(device);
    const std::string plain = make_folder("plain"), spaced = make_folder("with a space");
    std::ofstream(plain + "/plain.h") << "#define PLAIN 40\n";
    std::ofstream(spaced + "/spaced.h") << "#define SPACED 2\n";
    backend::ProgramSource text = source("#include \"plain.h\"\n#include <spaced.h>\n"
                                         "kernel void f(global int* x) { x[0] = PLAIN + SPACED; }");
    text.include_folders = {plain, spaced};
    CHECK(run_once(*device, *device->build(text), "f") == 42);
}

TEST_CASE("include folders with a space, while TMPDIR has one too") {
    const std::string temporary = program_folder() + "/unit-opencl-files/temporary files";
    if (respawned("include folders with a space, while TMPDIR has one too",
                  {{"TMPDIR", temporary}, {"XDG_RUNTIME_DIR", temporary}}))
        return;
    DEVQ_DEVICE_OR_RETURN(device);
    make_folder("temporary files");
    const std::string spaced = make_folder("include with a space");
    std::ofstream(spaced + "/spaced.h") << "#define SPACED 7\n";
    backend::ProgramSource text = source("#include <spaced.h>\nkernel void f(global int* x) { x[0] = SPACED; }");
    text.include_folders = {spaced};
    CHECK(run_once(*device, *device->build(text), "f") == 7);
}

TEST_CASE("warnings are kept") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto program = device->build(source("#warning look here\nkernel void f(global int* x) { x[0] = 1; }"));
    CHECK(program->log().find("look here") != std::string::npos);
}

TEST_CASE("binaries build again, and what is none is refused") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto program = device->build(source("kernel void f(global int* x) { x[0] = 17; }"));
    const std::vector<std::byte> binary = program->binary();
    REQUIRE(binary.size() > 200);
    CHECK(device->build_identity().find("-cl-std=CL1.2") != std::string::npos); // other options, other binaries
    const auto again = device->load_program(binary);
    REQUIRE(again != nullptr);
    CHECK(run_once(*device, *again, "f") == 17);
    CHECK(device->load_program(std::vector<std::byte>(100, std::byte{0x5a})) == nullptr);
    CHECK(device->load_program(std::vector<std::byte>(100, std::byte{'\n'})) == nullptr);
    CHECK(device->load_program({}) == nullptr);
    std::vector<std::byte> flipped = binary, longer = binary;
    flipped[flipped.size() / 2] ^= std::byte{4};
    longer.push_back(std::byte{0});
    CHECK(device->load_program(flipped) == nullptr);
    CHECK(device->load_program(longer) == nullptr);
    for (const std::size_t size :
         {binary.size() - 1, binary.size() / 2, std::size_t{200}, std::size_t{20}, std::size_t{1}})
        CHECK(device->load_program(std::span(binary).first(size)) == nullptr);
}

TEST_CASE("programs build on several threads at once") {
    DEVQ_DEVICE_OR_RETURN(device);
    std::array<int, 4> results{};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            try {
                const std::string text = "kernel void f(global int* x) { x[0] = " + std::to_string(100 + t) + "; }";
                results[static_cast<std::size_t>(t)] = run_once(*device, *device->build(source(text)), "f");
            } catch (const Error&) {
            }
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(results == std::array{100, 101, 102, 103});
}

TEST_CASE("double where the device has it") {
    DEVQ_DEVICE_OR_RETURN(device);
    if (!device->capabilities().f64)
        return;
    const auto program =
        device->build(source("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                             "kernel void f(global int* x) { double d = 1e300; x[0] = d * 1e-299 > 9.0; }"));
    CHECK(run_once(*device, *program, "f") == 1);
}

TEST_CASE("half values are stored exactly") {
    DEVQ_DEVICE_OR_RETURN(device);
    const auto program =
        device->build(source("kernel void f(global int* x) { global half* h = (global half*)x; "
                             "vstore_half_rte(0.1f, 0, h); vstore_half_rte(vload_half(0, h) * 2, 1, h); }"));
    CHECK(run_once(*device, *program, "f") == 0x32662e66);
}
