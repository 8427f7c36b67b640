#include "builtin.hpp"
#include "fake_device.hpp"
#include <devq/error.hpp>
#include <doctest/doctest.h>
#include <map>
#include <thread>

using namespace devq;
using namespace devq::detail;
using ops_test::fake;

namespace {

constexpr VariantRow rows[] = {
    {"matmul", "opencl-cpu", "T=f32 VW=16 LOCAL=300"},
    {"matmul", "opencl-cpu", "T=f32 VW=8 LOCAL=100"},
    {"matmul", "opencl-cpu", "T=f32 VW=4 LOCAL=20"},
    {"matmul", "opencl-cpu", "T=f16 VW=16"},
    {"matmul", "gpu", "T=f32 VW=4 TM=4"},
};

std::string_view found(const char* device_class, unsigned vector_width, unsigned local_kib, const char* wanted) {
    Capabilities capabilities;
    capabilities.device_class = device_class;
    capabilities.vector_width = vector_width;
    capabilities.local_memory_bytes = std::uint64_t{local_kib} << 10;
    const VariantRow* row = find_variant(rows, capabilities, "matmul", wanted);
    return row ? row->constants : "none";
}

} // namespace

TEST_CASE("constants are found by their whole name") {
    CHECK(constant_value("T=f16 VW=16 TM=8", "T") == "f16");
    CHECK(constant_value("T=f16 VW=16 TM=8", "TM") == "8");
    CHECK(constant_value("T=f16 VW=16 TM=8", "M") == "");
    CHECK(constant_value("", "T") == "");
    CHECK(constant_int("T=f16 VW=16 TM=8", "VW") == 16);
    CHECK(constant_int("T=f16 VW=16 TM=8", "T") == 0);
    CHECK(constant_int("T=f16", "VW") == 0);
}

TEST_CASE("a device takes the first row that suits it") {
    CHECK(found("opencl-cpu", 16, 2048, "T=f32") == "T=f32 VW=16 LOCAL=300");
    CHECK(found("opencl-cpu", 16, 299, "T=f32") == "T=f32 VW=8 LOCAL=100"); // too little local memory for the first
    CHECK(found("opencl-cpu", 8, 2048, "T=f32") == "T=f32 VW=8 LOCAL=100"); // vectors too wide
    CHECK(found("opencl-cpu", 1, 2048, "T=f32") == "T=f32 VW=4 LOCAL=20");  // all too wide: the narrowest
    CHECK(found("opencl-cpu", 16, 10, "T=f32") == "none");
    CHECK(found("opencl-cpu", 16, 10, "T=f16") == "T=f16 VW=16");
    CHECK(found("opencl-cpu", 16, 2048, "T=f32 VW=8") == "T=f32 VW=8 LOCAL=100");
    CHECK(found("opencl-cpu", 16, 2048, "T=bf16") == "none");
    CHECK(found("gpu", 4, 64, "T=f32") == "T=f32 VW=4 TM=4");
    CHECK(found("cpu-v3", 8, 2048, "T=f32") == "none");
}

TEST_CASE("each listed variant has its source, and constants that fit one another") {
    REQUIRE(!variant_rows().empty());
    std::map<std::string, int> ahead; // file and CPU level → units compiled ahead
    for (const VariantRow& row : variant_rows()) {
        CAPTURE(row.kernel_file);
        CAPTURE(row.device_class);
        CAPTURE(row.constants);
        const std::string_view source = builtin_source(row.kernel_file);
        CHECK(source.find("__kernel") != source.npos);
        CHECK(source.find("#include") == source.npos);
        const int vector = constant_int(row.constants, "VW"), group = constant_int(row.constants, "GROUP");
        CHECK((vector == 1 || vector == 4 || vector == 8 || vector == 16));
        CHECK(group >= 1);
        CHECK(group <= 256);
        CHECK((group & (group - 1)) == 0);
        CHECK((row.device_class != "gpu") == (group == 1));
        if (row.device_class.starts_with("cpu-"))
            ahead[std::string(row.kernel_file) + ' ' + std::string(row.device_class)]++;
        if (row.kernel_file == "matmul") {
            const int mb = constant_int(row.constants, "MB"), nb = constant_int(row.constants, "NB"),
                      kc = constant_int(row.constants, "KC"), tm = constant_int(row.constants, "TM"),
                      tn = constant_int(row.constants, "TV") * vector;
            CHECK(mb % tm == 0);
            CHECK(nb % tn == 0);
            CHECK(kc % vector == 0);
            const int local = 4 * (mb * (kc + vector) + kc * (nb + vector) + mb * (nb + vector));
            if (row.device_class.starts_with("cpu-"))
                CHECK(local <= 1 << 20);
            else
                CHECK(constant_int(row.constants, "LOCAL") == (local + 1023) / 1024);
        }
    }
    for (const auto& compiled : ahead) {
        CAPTURE(compiled.first);
        CHECK(compiled.second <= 12);
    }
    CHECK_THROWS_AS(builtin_source("no such kernel"), Error);
}

TEST_CASE("a kernel is built once a device and kept") {
    auto made = fake("opencl-cpu", 16, 4096);
    const BuiltinKernel& sum = builtin_kernel(made.queue, "reduce", "reduce_rows", "T=f16");
    CHECK(constant_value(sum.constants, "T") == "f16");
    CHECK(sum.vector == 16);
    CHECK(sum.unroll == constant_int(sum.constants, "UNROLL"));
    CHECK(sum.group == 1);
    CHECK(&builtin_kernel(made.queue, std::string("reduce"), std::string("reduce_rows"), std::string("T=f16")) == &sum);
    const BuiltinKernel& columns = builtin_kernel(made.queue, "reduce", "reduce_columns", "T=f16");
    CHECK(&columns != &sum);
    REQUIRE(made.log->builds.size() == 1); // one program for both
    const auto& source = made.log->builds[0];
    CHECK(source.file_name == "reduce.cl");
    CHECK(source.text == builtin_source("reduce"));
    CHECK(std::find(source.defines.begin(), source.defines.end(), std::pair<std::string, std::string>("T", "f16")) !=
          source.defines.end());
    builtin_kernel(made.queue, "reduce", "reduce_rows", "T=f32");
    CHECK(made.log->builds.size() == 2);

    auto other = fake("opencl-cpu", 16, 4096);
    CHECK(&builtin_kernel(other.queue, "reduce", "reduce_rows", "T=f16") != &sum);
}

TEST_CASE("a group is no larger than the device allows, and a power of two") {
    for (const auto& [largest, expected] : {std::pair<std::size_t, unsigned>{1024, 256}, {100, 64}, {1, 1}}) {
        auto made = fake("gpu", 4, largest);
        CHECK(builtin_kernel(made.queue, "softmax", "softmax_rows", "T=f32").group == expected);
    }
}

TEST_CASE("no row for a device is an error that says so") {
    auto made = fake("toaster", 4, 1);
    try {
        builtin_kernel(made.queue, "softmax", "softmax_rows", "T=f32");
        FAIL("no error");
    } catch (const Error& error) {
        CHECK(error.code() == ErrorCode::unsupported);
        CHECK(error.operation() == "softmax");
        CHECK(std::string(error.what()).find("toaster") != std::string::npos);
        CHECK(std::string(error.what()).find("T=f32") != std::string::npos);
    }
}

TEST_CASE("kernels go with their device") {
    std::shared_ptr<ops_test::Log> log;
    {
        auto made = fake("opencl-cpu", 16, 4096);
        log = made.log;
        builtin_kernel(made.queue, "softmax", "softmax_rows", "T=f32");
        REQUIRE(log->kernels.size() == 1);
        CHECK(!log->kernels[0].expired());
    }
    CHECK(log->kernels[0].expired());
}

TEST_CASE("many threads ask at once") {
    auto made = fake("opencl-cpu", 16, 4096);
    static constexpr const char* names[] = {"sgd", "unscale", "update_loss_scale"};
    const BuiltinKernel* seen[8][3] = {};
    std::vector<std::thread> threads;
    for (auto& row : seen)
        threads.emplace_back([&made, &row] {
            for (int round = 0; round < 200; round++)
                for (std::size_t i = 0; i < 3; i++)
                    row[i] = &builtin_kernel(made.queue, "optimizer", names[i], "T=bf16");
        });
    for (std::thread& thread : threads)
        thread.join();
    for (auto& row : seen)
        for (std::size_t i = 0; i < 3; i++)
            CHECK(row[i] == seen[0][i]);
    CHECK(made.log->builds.size() == 1);
    CHECK(made.log->kernels.size() == 3);
}
