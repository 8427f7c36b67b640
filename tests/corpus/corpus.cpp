#include "corpus.hpp"
#include "tools/stdout_catch.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

namespace corpus {

using namespace devq;
using tools::Array;
using tools::RunArgument;

namespace {

void size_words(Run& run, const std::string& word) {
    const std::size_t equals = word.find('=');
    if (equals == word.npos)
        throw std::runtime_error("\"" + word + "\" is neither global= nor local=");
    const std::vector<std::size_t> sizes = tools::sizes_from(word.substr(equals + 1), 3, word);
    if (word.starts_with("global=")) {
        run.range.dimensions = static_cast<unsigned>(sizes.size());
        std::copy(sizes.begin(), sizes.end(), run.range.global.begin());
    } else if (word.starts_with("local=")) {
        run.range.local = {1, 1, 1};
        std::copy(sizes.begin(), sizes.end(), run.range.local.begin());
    } else {
        throw std::runtime_error("\"" + word + "\" is neither global= nor local=");
    }
}

void value_words(std::vector<std::string>& values, const std::string& text) {
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        if (const std::size_t star = word.find('*'); star != word.npos) {
            values.insert(values.end(), std::stoul(word.substr(star + 1)), word.substr(0, star));
        } else if (const std::size_t dots = word.find(".."); dots != word.npos) {
            for (long n = std::stol(word), last = std::stol(word.substr(dots + 2)); n <= last; ++n)
                values.push_back(std::to_string(n));
        } else {
            values.push_back(word);
        }
    }
}

void expectation(Run& run, const std::string& head, const std::string& rest) {
    std::istringstream words(head);
    std::string name, tolerance;
    words >> name >> tolerance;
    auto found = std::find_if(run.expectations.begin(), run.expectations.end(),
                              [&](const Expectation& known) { return known.parameter == name; });
    if (found == run.expectations.end())
        found = run.expectations.insert(found, Expectation{name, 0, {}});
    if (tolerance.starts_with("~"))
        found->tolerance = std::stod(tolerance.substr(1));
    value_words(found->values, rest);
}

Run& last_run(File& file) {
    if (file.runs.empty())
        throw std::runtime_error("there is no // run: before it");
    return file.runs.back();
}

/// False for a comment that is no directive.
bool directive(File& file, const std::string& head, const std::string& rest) {
    if (head == "define") {
        const std::size_t equals = rest.find('=');
        file.options.defines.emplace_back(rest.substr(0, equals), equals == rest.npos ? "1" : rest.substr(equals + 1));
    } else if (head == "only") {
        std::istringstream words(rest.substr(0, rest.find(':')));
        for (std::string word; words >> word;)
            file.only.push_back(word);
        if (rest.find(':') == rest.npos)
            throw std::runtime_error("a reason belongs behind the backends");
    } else if (head == "not on the stand-in") {
        file.on_standin = false;
    } else if (head == "needs") {
        if (rest != "f64")
            throw std::runtime_error("\"" + rest + "\" is nothing that can be needed");
        file.needs_f64 = true;
    } else if (head == "run") {
        std::istringstream words(rest);
        Run run;
        words >> run.kernel;
        for (std::string word; words >> word;)
            size_words(run, word);
        file.runs.push_back(std::move(run));
    } else if (head == "arg") {
        Run& run = last_run(file);
        run.arguments.push_back(tools::parse_argument(rest, run.arguments.size()));
    } else if (head.starts_with("expect ")) {
        expectation(last_run(file), head.substr(7), rest);
    } else if (head == "prints") {
        last_run(file).prints += rest + "\n";
    } else {
        return false;
    }
    return true;
}

template <class T>
T raw(const Array& array, std::size_t index) {
    T value;
    std::memcpy(&value, array.bytes.data() + index * sizeof value, sizeof value);
    return value;
}

/// Element `index` for a message, and whether it is what `expected` says.
std::pair<std::string, bool> compare(const Array& array, std::size_t index, const std::string& expected,
                                     double tolerance) {
    char* end = nullptr;
    if (array.type == DType::i64 || array.type == DType::u64) {
        const bool is_signed = array.type == DType::i64;
        const auto bits = raw<std::uint64_t>(array, index);
        const std::uint64_t wanted = is_signed ? static_cast<std::uint64_t>(std::strtoll(expected.c_str(), &end, 0))
                                               : std::strtoull(expected.c_str(), &end, 0);
        return {is_signed ? std::to_string(static_cast<std::int64_t>(bits)) : std::to_string(bits),
                *end == '\0' && bits == wanted};
    }
    const double value = tools::element(array, index), exact = std::strtod(expected.c_str(), &end);
    const double wanted = array.type == DType::f32 ? static_cast<float>(exact) : exact;
    bool same = *end == '\0';
    if (std::isnan(wanted))
        same = same && std::isnan(value);
    else if (std::isinf(wanted) || tolerance == 0)
        same = same && value == wanted && (expected != "-0" || std::signbit(value)); // 0 takes both zeros
    else
        same = same && std::abs(value - wanted) <= tolerance * std::max(1.0, std::abs(wanted));
    return {fmt::format("{:.9g}", value), same};
}

KernelArg::Kind kind_of(const RunArgument& argument) {
    if (argument.text.starts_with("hex:") || argument.value.size() != size_of(argument.type))
        return KernelArg::Kind::bytes;
    if (is_floating(argument.type))
        return KernelArg::Kind::floating;
    return to_string(argument.type).front() == 'i' ? KernelArg::Kind::signed_integer
                                                   : KernelArg::Kind::unsigned_integer;
}

} // namespace

std::vector<std::filesystem::path> files_in(const std::string& folder) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(CORPUS) / folder))
        if (entry.path().extension() == ".cl")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

File read(const std::filesystem::path& path) {
    File file;
    file.path = path;
    std::istringstream lines(text_of(path));
    std::size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        const std::size_t colon = line.find(':');
        if (!line.starts_with("// ") || colon == line.npos)
            continue;
        std::string rest = line.substr(colon + 1);
        rest.erase(0, rest.starts_with(" ") ? 1 : 0);
        try {
            directive(file, line.substr(3, colon - 3), rest);
        } catch (const std::exception& error) {
            throw std::runtime_error(fmt::format("{}:{}: {}", path.string(), number, error.what()));
        }
    }
    if (file.runs.empty())
        throw std::runtime_error(path.string() + " runs nothing");
    return file;
}

std::vector<std::string> faults(const Device& device, const Program& program, const Run& run) {
    const Kernel kernel = program.kernel(run.kernel);
    const std::vector<KernelParameter> parameters = kernel.parameters();
    if (parameters.size() != run.arguments.size())
        return {fmt::format("{} arguments for {} parameters", run.arguments.size(), parameters.size())};
    const Queue queue = device.create_queue();
    std::vector<Buffer> buffers(run.arguments.size());
    std::vector<KernelArg> given;
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        const RunArgument& argument = run.arguments[i];
        if (argument.kind == RunArgument::Kind::buffer) {
            buffers[i] = device.allocate(argument.array.bytes.size());
            queue.write(buffers[i], std::span<const std::byte>(argument.array.bytes));
            given.emplace_back(buffers[i]);
        } else if (argument.kind == RunArgument::Kind::local) {
            given.emplace_back(LocalMemory{argument.local_bytes});
        } else {
            given.push_back(KernelArg::of_bytes(kind_of(argument), argument.value.data(), argument.value.size()));
        }
    }
    std::vector<std::string> result;
    tools::StdoutCatch printed;
    queue.launch_span(kernel, run.range, given);
    queue.wait();
    if (const std::string text = printed.text(); text != run.prints)
        result.push_back(fmt::format("printed \"{}\", expected \"{}\"", text, run.prints));

    std::size_t checked = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (run.arguments[i].kind != RunArgument::Kind::buffer || parameters[i].is_const)
            continue;
        const auto wanted = std::find_if(run.expectations.begin(), run.expectations.end(),
                                         [&](const Expectation& e) { return e.parameter == parameters[i].name; });
        if (wanted == run.expectations.end()) {
            result.push_back("nothing is expected of " + parameters[i].name);
            continue;
        }
        ++checked;
        Array array = run.arguments[i].array;
        queue.read(std::span<std::byte>(array.bytes), buffers[i]);
        queue.wait();
        const std::size_t count = array.bytes.size() / size_of(array.type);
        if (count != wanted->values.size())
            result.push_back(
                fmt::format("{} has {} elements, {} are expected", wanted->parameter, count, wanted->values.size()));
        for (std::size_t n = 0; n < std::min(count, wanted->values.size()); ++n)
            if (const auto [value, same] = compare(array, n, wanted->values[n], wanted->tolerance); !same)
                result.push_back(
                    fmt::format("{}[{}] is {}, expected {}", wanted->parameter, n, value, wanted->values[n]));
    }
    if (checked != run.expectations.size())
        result.emplace_back("an expectation names no buffer that the kernel writes");
    if (checked == 0 && run.prints.empty())
        result.emplace_back("nothing is expected");
    return result;
}

} // namespace corpus
