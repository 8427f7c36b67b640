#include "backends/cuda/compiler.hpp"
#include "backends/cuda/nvrtc.hpp"
#include "command.hpp"
#include "frontend/frontend.hpp"
#include "npy.hpp"
#include "output.hpp"
#include "parameters.hpp"
#include "source_file.hpp"
#include "source_options.hpp"
#include <algorithm>
#include <array>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace devq::tools {

namespace {

using Json = nlohmann::ordered_json;

struct Options {
    std::string file, emit, device;
    std::vector<std::string> defines, folders;
    unsigned architecture = 80;
    bool json = false;
};

std::string kind_text(KernelParameter::Kind kind) {
    constexpr const char* names[] = {"global", "constant", "local", "value"};
    return names[static_cast<std::size_t>(kind)];
}

struct Signature {
    std::string name;
    std::vector<KernelParameter> parameters;
    std::array<std::size_t, 3> required_group{};
    std::size_t local_bytes = 0;
};

Json as_json(const std::vector<Signature>& kernels) {
    Json list = Json::array();
    for (const Signature& kernel : kernels) {
        Json parameters = Json::array();
        for (const KernelParameter& parameter : kernel.parameters)
            parameters.push_back({{"name", parameter.name},
                                  {"type", parameter.type},
                                  {"kind", kind_text(parameter.kind)},
                                  {"const", parameter.is_const},
                                  {"bytes", parameter.size}});
        list.push_back({{"name", kernel.name},
                        {"parameters", std::move(parameters)},
                        {"required_group", kernel.required_group},
                        {"local_bytes", kernel.local_bytes}});
    }
    return list;
}

void print_signatures(const std::vector<Signature>& kernels) {
    for (const Signature& kernel : kernels) {
        std::string more;
        if (kernel.required_group[0] > 0)
            more += fmt::format("  groups of {}", sizes_text(kernel.required_group));
        if (kernel.local_bytes > 0)
            more += fmt::format("  {} of local memory", bytes_text(kernel.local_bytes));
        print(fmt::format("{}{}\n", styled(clean(kernel.name), Style::bold), styled(more, Style::faint)));
        std::size_t name_width = 0, type_width = 0;
        for (const KernelParameter& parameter : kernel.parameters) {
            name_width = std::max(name_width, parameter.name.size());
            type_width = std::max(type_width, parameter.type.size());
        }
        for (const KernelParameter& parameter : kernel.parameters)
            print(fmt::format("  {:<{}}  {:<{}}  {}\n", parameter.name, name_width, parameter.type, type_width,
                              parameter.kind == KernelParameter::Kind::value
                                  ? fmt::format("value of {} bytes", parameter.size)
                                  : kind_text(parameter.kind) + " memory" + (parameter.is_const ? ", only read" : "")));
    }
}

/// The front end's view alone: no device, no compiler.
std::shared_ptr<const frontend::Module> parsed(const Options& options) {
    constexpr auto operation = "devq build";
    const BuildOptions given = detail::options_for(options.file, build_options(options.defines, options.folders));
    frontend::Options front_end = detail::front_end_options(given, operation);
    front_end.host_forms = options.emit == "cpp";
    return frontend::parse(detail::read_source(options.file, operation), front_end);
}

std::string ptx(const Options& options, const frontend::Module& module) {
    cuda::Nvrtc compiler;
    constexpr int newest_driver = 13090; // no driver is asked: any compiler will do
    if (const std::optional<Unavailable> missing = cuda::load(compiler, newest_driver))
        throw Error(ErrorCode::unavailable, {}, missing->reason, missing->remedy);
    const cuda::Target target{static_cast<int>(options.architecture), false};
    const backend::ProgramSource source{
        frontend::write(module, {.target = frontend::Target::cuda}), options.file, {}, {}};
    const cuda::Compiled compiled = cuda::compile(compiler, target, source);
    if (!compiled.log.empty())
        complain("devq build", clean_lines(compiled.log));
    std::string text(reinterpret_cast<const char*>(compiled.image.data()), compiled.image.size());
    text.erase(std::min(text.find('\0'), text.size()));
    return text;
}

int emit(const Options& options) {
    const auto module = parsed(options);
    if (options.emit == "signatures") {
        std::vector<Signature> kernels;
        for (const frontend::KernelSignature& kernel : frontend::signatures(*module))
            kernels.push_back({kernel.name, detail::parameters_of(kernel), kernel.required_group, kernel.local_bytes});
        options.json ? print_json(as_json(kernels)) : print_signatures(kernels);
    } else if (options.emit == "opencl") {
        print(frontend::preprocessed(*module));
    } else if (options.emit == "ptx") {
        print(ptx(options, *module));
    } else {
        print(frontend::write(*module,
                              {.target = options.emit == "cpp" ? frontend::Target::host : frontend::Target::cuda}));
    }
    return exit_done;
}

/// Builds for real, as a program would.
int build(const Options& options) {
    if (!options.emit.empty())
        return emit(options);
    const Device device = choose_device(options.device);
    const Program program = device.build_file(options.file, build_options(options.defines, options.folders));
    std::vector<Signature> kernels;
    for (const std::string& name : program.kernel_names()) {
        const Kernel kernel = program.kernel(name);
        kernels.push_back({name, kernel.parameters(), kernel.required_group(), kernel.local_bytes()});
    }
    if (options.json) {
        print_json(Json{{"device", device.info().id}, {"kernels", as_json(kernels)}, {"log", program.build_log()}});
        return exit_done;
    }
    print(fmt::format("built for {}  {}\n", styled(device.info().id, Style::bold), clean(device.info().name)));
    print_signatures(kernels);
    if (!program.build_log().empty())
        print('\n' + clean_lines(program.build_log()));
    return exit_done;
}

} // namespace

void add_build_command(CLI::App& app, int& exit_code) {
    auto options = std::make_shared<Options>();
    CLI::App* const command = app.add_subcommand("build", "Build a kernel file, or show what becomes of it");
    command->add_option("file", options->file, "OpenCL C source")->type_name("FILE.cl")->check(not_empty())->required();
    command
        ->add_option("--emit", options->emit,
                     "Print instead, without a device: signatures; opencl (one text, nothing to include); cpp (for the "
                     "host's compiler); cuda (for NVRTC); ptx (by NVRTC)")
        ->type_name("WHAT")
        ->check(CLI::IsMember({"signatures", "opencl", "cpp", "cuda", "ptx"}));
    const CLI::Option* const architecture =
        command->add_option("--architecture", options->architecture, "Of --emit ptx: 80 for compute capability 8.0")
            ->type_name("N")
            ->check(CLI::Range(50u, 999u));
    add_source_options(*command, options->defines, options->folders);
    command->add_option("--device", options->device, "For which device (default: what a program would get)")
        ->type_name("SELECTOR")
        ->check(not_empty());
    add_flag(*command, "--json", options->json, "Print one JSON document (of a build, or of signatures)");
    command->callback([options, architecture, &exit_code] {
        if (options->json && !options->emit.empty() && options->emit != "signatures")
            throw WrongUsage(fmt::format("--emit {} prints source text, which is no JSON", options->emit));
        if (!options->device.empty() && !options->emit.empty())
            throw WrongUsage("--emit looks at no device: leave out --device");
        if (architecture->count() > 0 && options->emit != "ptx")
            throw WrongUsage("--architecture belongs to --emit ptx");
        exit_code = build(*options);
    });
}

} // namespace devq::tools
