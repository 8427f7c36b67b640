#pragma once
#include "module.hpp"
#include "text_writer.hpp"

namespace devq::frontend {

/// Writes what is the same for every C++ target: records, constants, local memory, and the functions as members of
/// devq_program. The preludes give the macros their meaning.
class ProgramWriter {
public:
    ProgramWriter(const Program& program, TextWriter& out) : program_(program), out_(out) {}
    void write();

private:
    void record(const Record& record);
    void constant(const Variable& variable);
    void local_memory(const Function& function);
    void function(const Function& function);
    void statement(const Statement& statement);
    void body(const Statement& statement);
    void declaration(const Statement& statement);
    void variable(const Variable& variable);
    void loop(const Statement& statement);

    const Program& program_;
    TextWriter& out_;
    bool split_ = false; ///< a jump may pass declarations: C++ wants them without initialisers then
};

/// "devq_local_NAME": the struct of a kernel's __local variables.
std::string local_struct(const Function& kernel);

/// "float* x" for each parameter, joined by commas.
std::string parameter_list(const Function& function);

std::string write_host(const Module& module, const WriteOptions& options);
std::string write_cuda(const Module& module, const WriteOptions& options);

} // namespace devq::frontend
