#include "parameters.hpp"
#include "source_file.hpp"
#include "state.hpp"
#include <algorithm>
#include <devq/program.hpp>

namespace devq {

using namespace detail;

namespace {

constexpr auto build_operation = "Device::build";

[[noreturn]] void refuse(const char* operation, const std::string& problem, const std::string& advice) {
    throw Error(ErrorCode::invalid_argument, operation, problem, advice);
}

backend::ProgramSource source_for(backend::SourceLanguage language, std::string_view text,
                                  const frontend::Module& module, frontend::Options options) {
    if (language == backend::SourceLanguage::opencl_c)
        return {std::string(text), std::move(options.file_name), std::move(options.defines),
                std::move(options.include_folders)};
    frontend::WriteOptions write;
    write.target = language == backend::SourceLanguage::cuda_cpp ? frontend::Target::cuda : frontend::Target::host;
    return {frontend::write(module, write), std::move(options.file_name), {}, {}};
}

std::string names_of(const std::vector<frontend::KernelSignature>& signatures) {
    std::string names;
    for (const auto& signature : signatures)
        names += (names.empty() ? "" : ", ") + signature.name;
    return names;
}

const ProgramState& checked_program(const std::shared_ptr<ProgramState>& state, const char* operation) {
    if (!state)
        refuse(operation, "this Program is an empty handle", "Take one from Device::build.");
    return *state;
}

const KernelState& checked_kernel(const std::shared_ptr<KernelState>& state, const char* operation) {
    if (!state)
        refuse(operation, "this Kernel is an empty handle", "Take one from Program::kernel.");
    return *state;
}

} // namespace

Program Device::build(std::string_view source, const BuildOptions& options) const {
    if (!state_)
        refuse(build_operation, "this Device is an empty handle", "Open one with devq::open_device.");
    state_->check_usable(build_operation);
    frontend::Options front_end = front_end_options(options, build_operation);
    if (source.substr(0, 3) == "\xef\xbb\xbf")
        source.remove_prefix(3); // not every driver knows a byte order mark
    return call_backend(*state_, build_operation, [&] {
        const auto language = state_->device->language();
        auto program = std::make_shared<ProgramState>();
        program->device = state_;
        front_end.host_forms = language == backend::SourceLanguage::host_cpp;
        program->module = frontend::parse(source, front_end);
        if (frontend::signatures(*program->module).empty())
            throw Error(ErrorCode::build_failed, build_operation, options.file_name + " has no kernel",
                        "Declare at least one function as `kernel void name(...)`.");
        // Where the driver reads the includes itself, the cache's key must see what they hold now.
        const std::string included =
            language == backend::SourceLanguage::opencl_c ? frontend::preprocessed(*program->module) : std::string();
        const auto built = [&] {
            return state_->programs->get(*state_->device, state_->info.backend,
                                         source_for(language, source, *program->module, front_end), included);
        };
        try {
            program->program = built();
        } catch (const Error& error) {
            if (!front_end.host_forms || error.code() != ErrorCode::build_failed ||
                std::string_view(error.what()).find(": error:") == std::string_view::npos)
                throw;
            // The compiler refused it: its message is to name the user's own columns.
            front_end.host_forms = false;
            program->module = frontend::parse(source, front_end);
            program->program = built();
        }
        return Program(std::move(program));
    });
}

Program Device::build_file(const std::filesystem::path& file, BuildOptions options) const {
    constexpr auto operation = "Device::build_file";
    const std::string source = read_source(file, operation);
    return build(source, options_for(file, std::move(options)));
}

Kernel Program::kernel(std::string_view name) const {
    constexpr auto operation = "Program::kernel";
    const ProgramState& program = checked_program(state_, operation);
    program.device->check_usable(operation);
    const auto& signatures = frontend::signatures(*program.module);
    const auto found = std::find_if(signatures.begin(), signatures.end(),
                                    [&](const frontend::KernelSignature& signature) { return signature.name == name; });
    if (found == signatures.end())
        refuse(operation, "the program has no kernel \"" + std::string(name) + "\"",
               "It has " + names_of(signatures) + ".");
    auto kernel = std::make_shared<KernelState>();
    kernel->program = state_;
    kernel->signature = *found;
    kernel->kernel =
        call_backend(*program.device, operation, [&] { return program.program->kernel(kernel->signature.name); });
    return Kernel(std::move(kernel));
}

std::vector<std::string> Program::kernel_names() const {
    std::vector<std::string> names;
    for (const auto& signature : frontend::signatures(*checked_program(state_, "Program::kernel_names").module))
        names.push_back(signature.name);
    return names;
}

const std::string& Program::build_log() const { return checked_program(state_, "Program::build_log").program->log(); }

const std::string& Kernel::name() const { return checked_kernel(state_, "Kernel::name").signature.name; }

std::size_t Kernel::parameter_count() const {
    return checked_kernel(state_, "Kernel::parameter_count").signature.parameters.size();
}

std::vector<KernelParameter> Kernel::parameters() const {
    return parameters_of(checked_kernel(state_, "Kernel::parameters").signature);
}

std::size_t Kernel::local_bytes() const { return checked_kernel(state_, "Kernel::local_bytes").signature.local_bytes; }

std::array<std::size_t, 3> Kernel::required_group() const {
    return checked_kernel(state_, "Kernel::required_group").signature.required_group;
}

} // namespace devq
