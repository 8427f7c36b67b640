/// devq-kernelc: the kernel front end as a program, for the build. OpenCL C in; C++, preprocessed text or signatures
/// out.
#include "frontend.hpp"
#include <devq/error.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

namespace {

using namespace devq::frontend;

constexpr const char* usage =
    "usage: devq-kernelc IN.cl --out OUT [-D NAME[=VALUE]]... [-I FOLDER]... [--single-item] [--symbol TABLE]\n"
    "                    [--target host|cuda] [--preprocess | --signatures-json]\n";

struct Arguments {
    std::string in, out;
    Options options;
    WriteOptions write;
    bool preprocess = false, signatures = false;
};

/// False where the command line makes no sense.
bool read(int count, char** values, Arguments& result) {
    for (int i = 1; i < count; ++i) {
        const std::string word = values[i];
        // "-DX" and "-D X"
        const auto value = [&](std::size_t prefix) -> std::string {
            if (word.size() > prefix)
                return word.substr(prefix);
            return i + 1 < count ? values[++i] : "";
        };
        if (word.compare(0, 2, "-D") == 0) {
            const std::string define = value(2);
            const std::size_t equals = define.find('=');
            const bool has_value = equals != std::string::npos;
            result.options.defines.emplace_back(define.substr(0, equals), has_value ? define.substr(equals + 1) : "1");
        } else if (word.compare(0, 2, "-I") == 0) {
            result.options.include_folders.push_back(value(2));
        } else if (word == "--out") {
            result.out = value(word.size());
        } else if (word == "--symbol") {
            result.write.table_symbol = value(word.size());
        } else if (word == "--target") {
            const std::string target = value(word.size());
            if (target != "host" && target != "cuda")
                return false;
            result.write.target = target == "host" ? Target::host : Target::cuda;
        } else if (word == "--single-item") {
            result.write.single_item_groups = true;
        } else if (word == "--preprocess") {
            result.preprocess = true;
        } else if (word == "--signatures-json") {
            result.signatures = true;
        } else if (word.compare(0, 1, "-") != 0 && result.in.empty()) {
            result.in = word;
        } else {
            return false;
        }
    }
    return !result.in.empty() && !result.out.empty();
}

std::string signatures_json(const Module& module) {
    constexpr std::string_view spaces[] = {"global", "constant", "local", "value"};
    constexpr std::string_view kinds[] = {"signed", "unsigned", "float", "struct"};
    std::string text = "[";
    for (const KernelSignature& kernel : signatures(module)) {
        text += text.size() > 1 ? ",\n " : "";
        text += "{\"name\": \"" + kernel.name + "\", \"barrier\": " + (kernel.uses_barrier ? "true" : "false") +
                ", \"local_bytes\": " + std::to_string(kernel.local_bytes) + ", \"required_group\": [" +
                std::to_string(kernel.required_group[0]) + ", " + std::to_string(kernel.required_group[1]) + ", " +
                std::to_string(kernel.required_group[2]) + "], \"parameters\": [";
        bool first = true;
        for (const Parameter& parameter : kernel.parameters) {
            text += std::string(first ? "" : ", ") + "{\"name\": \"" + parameter.name + "\", \"type\": \"" +
                    parameter.type + "\", \"space\": \"" +
                    std::string(spaces[static_cast<std::size_t>(parameter.space)]) + "\", \"kind\": \"" +
                    std::string(kinds[static_cast<std::size_t>(parameter.kind)]) +
                    "\", \"const\": " + (parameter.is_const ? "true" : "false") +
                    ", \"size\": " + std::to_string(parameter.size) + "}";
            first = false;
        }
        text += "]}";
    }
    return text + "]\n";
}

int run(Arguments& arguments) {
    std::ifstream in(arguments.in, std::ios::binary);
    if (!in) {
        std::cerr << "devq-kernelc: cannot read " << arguments.in << "\n";
        return 1;
    }
    const std::string source(std::istreambuf_iterator<char>(in), {});
    arguments.options.file_name = arguments.in;
    const auto module = parse(source, arguments.options);
    const std::string text = arguments.signatures   ? signatures_json(*module)
                             : arguments.preprocess ? preprocessed(*module)
                                                    : write(*module, arguments.write);
    if (arguments.out == "-") {
        std::cout << text;
        return 0;
    }
    std::ofstream out(arguments.out, std::ios::binary);
    out << text;
    out.close();
    if (!out) {
        std::cerr << "devq-kernelc: cannot write " << arguments.out << "\n";
        return 1;
    }
    return 0;
}

} // namespace

int main(int count, char** values) {
    Arguments arguments;
    if (!read(count, values, arguments)) {
        std::cerr << usage;
        return 2;
    }
    try {
        return run(arguments);
    } catch (const devq::Error& error) {
        std::cerr << error.what() << "\n";
        return 1;
    }
}
