#include "python.hpp"
#include "child_process.hpp"
#include "system.hpp"
#include "tables.hpp"
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace devq::doctor {

namespace {

using Json = nlohmann::json;
using End = detail::ChildResult::End;

/// The path of a program that is named by word, never one in the current folder; empty where there is none. A path
/// stays.
std::string located(const std::string& program, const std::string& path) {
    if (holds(program, "/"))
        return program;
    for (const std::string& folder : split(path, ':'))
        if (const std::string file = folder + '/' + program; folder.starts_with('/') && access(file.c_str(), X_OK) == 0)
            return file;
    return {};
}

/// The last line that says something, for people.
std::string last_words(const std::string& output) {
    std::string last;
    for (const std::string& line : split(output, '\n'))
        if (!trimmed(line).empty())
            last = trimmed(line);
    return last.substr(0, 300);
}

Json record_in(const std::string& output) {
    Json found;
    for (const std::string& line : split(output, '\n'))
        if (!line.empty() && line[0] == '\x1e')
            if (Json record = Json::parse(line.substr(1), nullptr, false); record.is_object())
                found = std::move(record);
    return found;
}

std::string text(const Json& record, const char* name) {
    const auto found = record.find(name);
    return found != record.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::vector<std::string> list(const Json& record, const char* name) {
    std::vector<std::string> result;
    if (const auto found = record.find(name); found != record.end() && found->is_array())
        for (const Json& one : *found)
            if (one.is_string())
                result.push_back(one.get<std::string>());
    return result;
}

/// "hangs", "crashes" or "" (an answer is in `record`); how, in `error`.
std::string ask(const PythonFacts& python, const std::string& module, std::chrono::seconds limit, Json& record,
                std::string& error) {
    // Bytecode is not ours to leave behind; TensorFlow's reasons are warnings.
    const detail::ChildResult child =
        detail::run_child({python.interpreter, "-c", std::string(examine_text), module}, limit,
                          {{"PYTHONDONTWRITEBYTECODE", "1"}, {"TF_CPP_MIN_LOG_LEVEL", "1"}});
    record = record_in(child.output);
    if (child.end == End::out_of_time)
        return "hangs";
    if (child.end == End::killed_by_signal)
        error = fmt::format("signal {}", child.code);
    else if (!record.is_object())
        error = fmt::format("exit status {}: {}", child.code, last_words(child.output));
    else
        return {};
    return "crashes";
}

} // namespace

PythonFacts ask_python(const std::string& interpreter, const std::string& path, std::chrono::seconds limit) {
    PythonFacts python;
    python.interpreter = located(interpreter, path);
    python.seconds = static_cast<int>(limit.count());
    if (python.interpreter.empty()) {
        python.interpreter = interpreter;
        python.state = "missing";
        python.fault = "no program of this name is on the PATH";
        return python;
    }
    Json record;
    try {
        python.state = ask(python, "python", limit, record, python.fault);
    } catch (const std::exception& error) {
        python.state = "missing";
        python.fault = error.what();
    }
    if (!python.state.empty())
        return python;
    python.state = "works";
    python.version = text(record, "python");
    for (const auto& [name, module] : {std::pair("PyTorch", "torch"), std::pair("TensorFlow", "tensorflow")}) {
        Framework one;
        one.name = name;
        one.module = module;
        try {
            one.state = ask(python, module, limit, record, one.error);
        } catch (const std::exception& error) {
            one.state = "crashes";
            one.error = error.what();
        }
        if (one.state.empty()) {
            one.state = text(record, "state");
            one.version = text(record, "version");
            one.cuda = text(record, "cuda");
            one.hip = text(record, "hip");
            one.cudnn_built = text(record, "cudnn_built");
            one.cudnn_loaded = text(record, "cudnn_loaded");
            one.sees_gpu = record.value("sees_gpu", false);
            one.devices = list(record, "devices");
            one.capabilities = list(record, "capabilities");
            one.architectures = list(record, "architectures");
            one.libraries = list(record, "libraries");
            one.why = text(record, "why");
            one.error = text(record, "error");
        }
        python.frameworks.push_back(std::move(one));
    }
    return python;
}

} // namespace devq::doctor
