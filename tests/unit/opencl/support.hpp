#pragma once
/// What the tests of the OpenCL backend share.

#include "backend.hpp"
#include <cstring>
#include <doctest/doctest.h>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace devq::opencl_test {

using Variables = std::vector<std::pair<std::string, std::string>>;

/// A backend of its own for the caller.
std::unique_ptr<backend::Backend> make_backend();
/// The first device there is, opened once; null (and one line `skipped: ...`) on a machine without OpenCL.
std::shared_ptr<backend::Device> device();
#define DEVQ_DEVICE_OR_RETURN(name)                                                                                    \
    const auto name = devq::opencl_test::device();                                                                     \
    if (!name)                                                                                                         \
    return

/// Folder of the running program.
std::string program_folder();
/// A new empty folder under the program's; `name` may hold spaces.
std::string make_folder(const std::string& name);
/// A folder that makes `library` the only driver, by OCL_ICD_VENDORS, whichever ICD loader there is.
std::string driver_folder(const std::string& library);
/// The same for PoCL; empty (and a line `skipped: ...`) where that is not installed.
std::string pocl_folder();
std::string read_file(const std::string& path);

struct ChildResult {
    int status = 0; ///< exit status, or 128 + signal
    std::string output;
};
/// Runs a command line with more environment; 60 s at most, then it counts as killed.
ChildResult run_child(const std::vector<std::string>& command, const Variables& variables);
/// Runs the calling test case once more in a process of its own, with `variables` set. True in the caller (which has
/// checked that the child passed), false in the child, where the body goes on. `prefix` goes before the command.
bool respawned(const char* test_case, const Variables& variables, const std::vector<std::string>& prefix = {});
/// True where `program` is on the path.
bool have_program(const std::string& program);

/// Arguments of a launch; values live here.
class Arguments {
public:
    Arguments& buffer(std::shared_ptr<backend::Memory> memory) {
        list_.emplace_back();
        list_.back().kind = backend::Argument::Kind::buffer;
        list_.back().memory = std::move(memory);
        return *this;
    }
    template <class T>
    Arguments& value(const T& value) {
        static_assert(std::is_trivially_copyable_v<T>);
        values_.push_back(std::make_unique<std::byte[]>(sizeof(T)));
        std::memcpy(values_.back().get(), &value, sizeof(T));
        list_.emplace_back();
        list_.back().value = values_.back().get();
        list_.back().size = sizeof(T);
        return *this;
    }
    Arguments& local(std::size_t bytes) {
        list_.emplace_back();
        list_.back().kind = backend::Argument::Kind::local;
        list_.back().size = bytes;
        return *this;
    }
    operator std::span<const backend::Argument>() const { return list_; }

private:
    std::vector<backend::Argument> list_;
    std::vector<std::unique_ptr<std::byte[]>> values_;
};

backend::LaunchRange range(std::size_t global, std::size_t local = 1);
std::shared_ptr<backend::Kernel> kernel(backend::Device& device, const std::string& source, const std::string& name);

template <class T>
std::shared_ptr<backend::Memory> upload(backend::Device& device, backend::Queue& queue, const std::vector<T>& data) {
    auto memory = device.allocate(data.size() * sizeof(T));
    queue.write(memory, 0, data.data(), data.size() * sizeof(T));
    return memory;
}
template <class T>
std::vector<T> download(backend::Queue& queue, const std::shared_ptr<backend::Memory>& memory, std::size_t count) {
    std::vector<T> data(count);
    queue.read(data.data(), memory, 0, count * sizeof(T));
    queue.wait();
    return data;
}

/// Runs `body`, which must throw an Error of `code`; its text.
template <class Body>
std::string error_text(ErrorCode code, Body&& body) {
    try {
        body();
    } catch (const Error& error) {
        CHECK_MESSAGE(error.code() == code, std::string(error.what()));
        return error.what();
    }
    FAIL_CHECK("no error was thrown");
    return {};
}

} // namespace devq::opencl_test
