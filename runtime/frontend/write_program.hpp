#pragma once
#include "module.hpp"
#include "split.hpp"
#include "text_writer.hpp"
#include <functional>

namespace devq::frontend {

/// Writes what is the same for every C++ target: records, constants, local memory, and the functions as members of
/// devq_program. The preludes give the macros their meaning.
class ProgramWriter {
public:
    ProgramWriter(const Program& program, TextWriter& out) : program_(program), out_(out) {}
    /// @param members writes more members of devq_program; may be empty
    void write(const std::function<void(ProgramWriter&)>& members = {});
    void statement(const Statement& statement);

private:
    void record(const Record& record);
    void constant(const Variable& variable);
    void local_memory(const Function& function);
    void function(const Function& function);
    void body(const Statement& statement);
    void declaration(const Statement& statement);
    void variable(const Variable& variable);
    void loop(const Statement& statement);

    const Program& program_;
    TextWriter& out_;
    bool jumps_ = false; ///< a jump may pass declarations: C++ wants them without initialisers then
};

/// "devq_local_NAME": the struct of a kernel's __local variables.
std::string local_struct(const Function& kernel);

/// The kernel's __local variables by their names, at the start of a member function.
void local_memory_references(const Function& kernel, TextWriter& out);

/// "float* x" for each parameter, joined by commas.
std::string parameter_list(const Function& function);

/// The member function that runs a group of a kernel split at its barriers.
std::string split_member(const Function& kernel);
void write_split(const SplitKernel& kernel, TextWriter& out, ProgramWriter& writer);

/// What the arrays of kept variables take, each of them aligned.
struct SplitRoom {
    std::size_t bytes_an_item = 0, bytes_a_group = 0;
};
constexpr std::size_t split_alignment = 128;
SplitRoom room_of(const SplitKernel& kernel);

std::string write_host(const Module& module, const WriteOptions& options);
std::string write_cuda(const Module& module, const WriteOptions& options);

} // namespace devq::frontend
