// gate-kernels: what compilers for GPUs are handed by devq, and what NVRTC says of it. JSON on stdout.
//
//   gate-kernels sources PLANTED FOLDER             lists every shape; writes what OpenCL drivers get to FOLDER/N.cl
//   gate-kernels nvrtc PLANTED PART PARTS ARCH...   machine code for each ARCH (75, 80, ...), with ptxas's figures
//
// PLANTED is a kernel file that is treated as one more shape for GPUs, as the last.
#include "cuda/compiler.hpp"
#include "opencl/program.hpp"
#include "subjects.hpp"
#include <cstdlib>
#include <devq/error.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace {

using namespace devq;
using Json = nlohmann::ordered_json;
using gates::Subject;

std::vector<Subject> with_planted(const std::string& file, std::string& text) {
    std::ifstream stream(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(stream), {});
    if (text.empty())
        throw std::runtime_error(file + " cannot be read");
    std::vector<Subject> all = gates::subjects();
    all.push_back({{"planted", "gpu", "GROUP=256"}, text, {"gpu"}});
    return all;
}

Json sources(const std::vector<Subject>& all, const std::string& folder) {
    Json list = Json::array();
    for (const Subject& subject : all) {
        const std::string name = std::to_string(list.size()) + ".cl";
        std::ofstream out(folder + '/' + name, std::ios::binary);
        out << opencl::driver_text(
            detail::variant_source(backend::SourceLanguage::opencl_c, subject.row, subject.text));
        out.close();
        if (!out)
            throw std::runtime_error(folder + '/' + name + " cannot be written");
        Json kernels = Json::array();
        for (const auto& kernel : subject.kernels())
            kernels.push_back({{"name", kernel.name}, {"cuda_name", frontend::cuda_entry_name(kernel.name)}});
        list.push_back({{"file", subject.row.kernel_file},
                        {"constants", subject.row.constants},
                        {"classes", subject.classes},
                        {"source", name},
                        {"kernels", kernels}});
    }
    return {{"opencl_options", opencl::language_options}, {"shapes", list}};
}

// The product's own call, with one more option: then the log has ptxas's figures for each kernel.
decltype(cuda::Nvrtc::compile) real_compile = nullptr;
int verbose_compile(cuda::abi::CompilerProgram program, int count, const char* const* options) {
    std::vector<const char*> more(options, options + count);
    more.push_back("--ptxas-options=-v");
    return real_compile(program, count + 1, more.data());
}

Json compiled(const cuda::Nvrtc& compiler, const Subject& subject, int architecture) {
    const auto source = detail::variant_source(backend::SourceLanguage::cuda_cpp, subject.row, subject.text);
    try {
        return {{"log", cuda::compile(compiler, {architecture, true}, source).log}};
    } catch (const Error& error) {
        return {{"error", error.what()}};
    }
}

Json nvrtc(const std::vector<Subject>& all, std::size_t part, std::size_t parts, const std::vector<int>& targets) {
    cuda::Nvrtc compiler;
    if (const auto missing = cuda::load(compiler, 13000))
        throw std::runtime_error(missing->reason + ". " + missing->remedy);
    real_compile = compiler.compile;
    compiler.compile = verbose_compile;
    Json results = Json::array();
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const int architecture : targets)
            if (gates::in_part(i, part, parts) && all[i].for_gpus()) {
                Json result = compiled(compiler, all[i], architecture);
                result["shape"] = i;
                result["target"] = "sm_" + std::to_string(architecture);
                results.push_back(std::move(result));
            }
    return {{"version", std::to_string(compiler.major) + '.' + std::to_string(compiler.minor)}, {"results", results}};
}

} // namespace

int main(int count, char** words) try {
    const std::vector<std::string> arguments(words + 1, words + count);
    std::string planted;
    if (arguments.size() == 3 && arguments[0] == "sources") {
        std::cout << sources(with_planted(arguments[1], planted), arguments[2]).dump(1) << '\n';
        return 0;
    }
    if (arguments.size() > 4 && arguments[0] == "nvrtc") {
        std::vector<int> targets;
        for (std::size_t i = 4; i < arguments.size(); ++i)
            targets.push_back(std::stoi(arguments[i]));
        std::cout << nvrtc(with_planted(arguments[1], planted), std::stoul(arguments[2]), std::stoul(arguments[3]),
                           targets)
                         .dump(1, ' ', false, Json::error_handler_t::replace)
                  << '\n';
        return 0;
    }
    std::cerr << "usage: gate-kernels sources PLANTED FOLDER | nvrtc PLANTED PART PARTS ARCH...\n";
    return 2;
} catch (const std::exception& error) {
    std::cerr << "gate-kernels: " << error.what() << '\n';
    return 1;
}
