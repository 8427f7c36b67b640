#pragma once
/// What PyTorch and TensorFlow of an interpreter say, each in a process of its own with a time limit.

#include <chrono>
#include <string>
#include <vector>

namespace devq::doctor {

struct Facts;
class Findings;

struct Framework {
    std::string name;   ///< "PyTorch", "TensorFlow"
    std::string module; ///< "torch", "tensorflow"
    std::string state;  ///< "works" (it imports), "absent", "broken", "hangs", "crashes"
    std::string version, cuda, hip, cudnn_built, cudnn_loaded;
    bool sees_gpu = false;
    std::vector<std::string> devices, capabilities, architectures, libraries;
    std::string why;   ///< its own words, where it sees no GPU
    std::string error; ///< of the import, or how the process ended
};

struct PythonFacts {
    std::string interpreter; ///< as a path
    std::string version;     ///< empty where it does not run
    std::string fault;       ///< why it does not run
    std::string state;       ///< "works", "missing", "hangs", "crashes"
    int seconds = 0;         ///< the limit
    std::vector<Framework> frameworks;
};

/// `interpreter`: a path, or a name that is looked for in `path`.
PythonFacts ask_python(const std::string& interpreter, const std::string& path, std::chrono::seconds limit);

/// Findings about it; those about the machine are there already, and say why a framework sees no GPU.
void judge_python(const Facts& facts, const PythonFacts& python, Findings& findings);

} // namespace devq::doctor
