#include "program.hpp"
#include "check.hpp"
#include "identity.hpp"
#include "kernel.hpp"
#include "services.hpp"
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace devq::opencl {

namespace {

std::string log_of(const cl::Program& program, const cl::Device& device) {
    std::string log;
    try {
        log = program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device);
    } catch (const cl::Error&) {
        return {}; // the build's own status is what matters
    }
    while (!log.empty() && (log.back() == '\0' || log.back() == '\n' || log.back() == ' '))
        log.pop_back();
    return log.empty() ? log : log + '\n';
}

constexpr const char* unsafe_in_options = " \t\n\"'\\";

/// PoCL parts its options at every blank, quoted or not: a folder with blanks in its path goes by a link without.
class IncludeFolders {
public:
    explicit IncludeFolders(const std::vector<std::string>& folders) {
        for (const std::string& folder : folders)
            options_ += " -I" + (folder.find_first_of(unsafe_in_options) == folder.npos ? folder : link_to(folder));
    }
    const std::string& options() const noexcept { return options_; }

private:
    std::string link_to(const std::string& folder) {
        std::string why;
        for (const std::filesystem::path& parent : detail::temporary_parents())
            if (!links_ && parent.native().find_first_of(unsafe_in_options) == std::string::npos)
                links_ = detail::PrivateFolder::in(parent, why);
        std::error_code error;
        const std::string link = links_ ? (links_->path() / std::to_string(count_++)).string() : std::string();
        if (links_)
            std::filesystem::create_directory_symlink(std::filesystem::absolute(folder, error), link, error);
        if (!links_ || error)
            throw Error(ErrorCode::invalid_argument, {},
                        "the include folder \"" + folder + "\" cannot be passed to OpenCL (" + why + error.message() +
                            ')',
                        "Use a path without blanks and quotes.");
        return link;
    }

    std::string options_;
    std::unique_ptr<detail::PrivateFolder> links_;
    int count_ = 0;
};

/// What stands before a binary: drivers are known to abort on bytes that another driver or version has made.
std::string header_for(const Context& context, std::span<const unsigned char> binary) {
    std::uint64_t sum = 0xcbf29ce484222325u; // FNV-1a
    for (const unsigned char byte : binary)
        sum = (sum ^ byte) * 0x100000001b3u;
    std::string header = "devq-opencl-1";
    for (const cl_device_info what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION})
        header += '\n' + text_of(context.device(), what);
    return header + '\n' + std::to_string(binary.size()) + ' ' + std::to_string(sum) + '\n';
}

} // namespace

// Macros go in front of the text, since drivers split and unquote `-D` each in its own way.
std::string driver_text(const backend::ProgramSource& source) {
    std::string text;
    for (const auto& [name, value] : source.defines) {
        if (name.empty() || name.find_first_of(" \t\n\r\\") != name.npos || value.find_first_of("\n\r") != value.npos ||
            value.ends_with('\\') || value.find("/*") != value.npos)
            throw Error(ErrorCode::invalid_argument, {},
                        "the macro \"" + name + "\" cannot be defined as \"" + value + '"',
                        "Use a name without spaces, and a value of one line without comments.");
        text += "#define " + name + ' ' + value + '\n';
    }
    std::string file;
    for (const char c : source.file_name) {
        if (c == '"' || c == '\\')
            file += '\\';
        file += c == '\n' || c == '\r' ? ' ' : c;
    }
    return text + "#line 1 \"" + file + "\"\n" + source.text;
}

Program::Program(std::shared_ptr<Context> context, cl::Program program)
    : context_(std::move(context)), program_(std::move(program)), log_(log_of(program_, context_->device)) {}

Program::~Program() { forget_at_exit(program_); }

std::shared_ptr<backend::Kernel> Program::kernel(const std::string& name) {
    return std::make_shared<Kernel>(context_, program_, name);
}

std::vector<std::byte> Program::binary() {
    const auto all = translated([&] { return program_.getInfo<CL_PROGRAM_BINARIES>(); });
    if (all.empty() || all.front().empty())
        return {};
    const auto header = header_for(*context_, all.front());
    std::vector<std::byte> bytes(header.size() + all.front().size());
    std::memcpy(bytes.data(), header.data(), header.size());
    std::copy(all.front().begin(), all.front().end(), reinterpret_cast<unsigned char*>(bytes.data()) + header.size());
    return bytes;
}

std::shared_ptr<Program> build_program(const std::shared_ptr<Context>& context, const backend::ProgramSource& source) {
    const std::string text = driver_text(source);
    const IncludeFolders folders(source.include_folders);
    const std::string options = language_options + folders.options();
    cl::Program program = translated([&] { return cl::Program(context->context, text); });
    const cl_int status = clBuildProgram(program(), 1, &context->device(), options.c_str(), nullptr, nullptr);
    if (status == CL_SUCCESS)
        return std::make_shared<Program>(context, program);
    const std::string log = log_of(program, context->device);
    const Error plain = error_from(status, "clBuildProgram");
    if (plain.code() != ErrorCode::build_failed)
        throw plain;
    throw Error(ErrorCode::build_failed, {},
                source.file_name + " does not compile: " + status_name(status) + '\n' + log, plain.advice(),
                "clBuildProgram", status);
}

std::shared_ptr<Program> load_program(const std::shared_ptr<Context>& context, std::span<const std::byte> binary) {
    const std::span all(reinterpret_cast<const unsigned char*>(binary.data()), binary.size());
    // The header's length depends on what it says of the bytes behind it: its sixth line ends it.
    auto end = all.begin();
    for (int line = 0; line < 6 && end != all.end(); ++line)
        end = std::find(end + (line > 0), all.end(), '\n');
    if (end == all.end())
        return nullptr;
    const auto code = all.subspan(static_cast<std::size_t>(end - all.begin()) + 1);
    if (header_for(*context, code) != std::string(all.begin(), end + 1))
        return nullptr;
    const unsigned char* bytes = code.data();
    const std::size_t size = code.size();
    cl_int taken = CL_SUCCESS, status = CL_SUCCESS;
    cl::Program program(
        clCreateProgramWithBinary(context->context(), 1, &context->device(), &size, &bytes, &taken, &status));
    if (status != CL_SUCCESS || taken != CL_SUCCESS ||
        clBuildProgram(program(), 1, &context->device(), language_options, nullptr, nullptr) != CL_SUCCESS)
        return nullptr;
    return std::make_shared<Program>(context, program);
}

} // namespace devq::opencl
