#include "support.hpp"
#include <filesystem>
#include <iostream>

using namespace devq;
using namespace devq::opencl_test;

namespace {

/// What a careless program leaves in globals: the process ends with all of it open.
struct Leftovers {
    std::shared_ptr<backend::Device> device;
    std::unique_ptr<backend::Queue> queue;
    std::shared_ptr<backend::Memory> memory;
    std::shared_ptr<backend::Program> program;
    std::shared_ptr<backend::Kernel> kernel;
    std::shared_ptr<backend::Event> event;
    std::unique_ptr<backend::Backend> backend; // goes first
} leftovers;

bool have_oclgrind() {
    if (have_program("oclgrind"))
        return true;
    std::cout << "skipped: oclgrind: not installed\n";
    return false;
}

void work(Leftovers& with) {
    with.backend = make_backend();
    REQUIRE_FALSE(with.backend->enumerate().devices.empty());
    with.device = with.backend->open(0);
    with.queue = with.device->create_queue();
    with.memory = with.device->allocate(64);
    backend::ProgramSource source;
    source.text = "kernel void f(global int* x) { x[get_global_id(0)] = 1; }";
    with.program = with.device->build(source);
    with.kernel = with.program->kernel("f");
    with.queue->launch(with.kernel, range(16), Arguments().buffer(with.memory));
    with.event = with.queue->record();
    CHECK(download<int>(*with.queue, with.memory, 16) == std::vector<int>(16, 1));
}

} // namespace

TEST_CASE("everything closes with its last handle, in any order") {
    DEVQ_DEVICE_OR_RETURN(unused);
    for (int order = 0; order < 3; ++order) {
        Leftovers local;
        work(local);
        if (order == 0) {
            local.device.reset();
            local.program.reset();
            local.queue->launch(local.kernel, range(16), Arguments().buffer(local.memory));
        } else if (order == 1) {
            local.queue.reset();
            local.memory.reset();
        }
    }
}

TEST_CASE("a process that ends with everything open in globals ends well") {
    DEVQ_DEVICE_OR_RETURN(unused);
    if (respawned("a process that ends with everything open in globals ends well", {}))
        return;
    work(leftovers);
}

TEST_CASE("the same under Oclgrind, which checks each call") {
    if (!have_oclgrind())
        return;
    const std::string log = make_folder("oclgrind") + "/log";
    if (respawned("the same under Oclgrind, which checks each call", {},
                  {"oclgrind", "--check-api", "--data-races", "--max-errors", "20", "--log", log})) {
        CHECK(std::filesystem::exists(log));
        CHECK(read_file(log) == ""); // its exit status is the program's: what it found stands in the log
        return;
    }
    work(leftovers);
}

TEST_CASE("transfers, launches and events use OpenCL as it is meant, says Oclgrind") {
    if (!have_oclgrind())
        return;
    const std::string log = make_folder("oclgrind-use") + "/log";
    const ChildResult child = run_child(
        {"oclgrind", "--check-api", "--data-races", "--max-errors", "20", "--log", log,
         program_folder() + "/unit-opencl",
         "--test-case=fills of*,writes and reads*,copies between*,two queues in turn*,offsets*,arguments of every*,"
         "defines arrive*,binaries*,events outlive*"},
        {});
    CHECK_MESSAGE(child.status == 0, child.output);
    CHECK_MESSAGE(child.output.find(" 9 passed | 0 failed | ") != child.output.npos, child.output);
    CHECK(std::filesystem::exists(log));
    CHECK(read_file(log) == "");
}
