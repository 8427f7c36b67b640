#pragma once
/// The x86-64 level that the backend works at: what the machine has, capped by what was built and by DEVQ_CPU_ISA.

#include <optional>
#include <string>

namespace devq::cpu {

/// Number of the level: 2, 3 or 4 (x86-64-v2, ...). Elsewhere than on x86-64 the one level is 2: "as compiled".
struct Isa {
    int level = 2;
    bool forced = false; ///< by DEVQ_CPU_ISA
    bool highest = true; ///< nothing above it on this machine: user kernels may be built for the very machine
};

/// Highest level of this machine; 0 below v2.
int machine_level() noexcept;

/// What choose_isa() found: a level, or why there is none.
struct IsaChoice {
    Isa isa;
    std::string code; ///< empty when there is a level, else as in `devq list`
    std::string problem;
    std::string remedy;
};

/// `forced` asks for a level ("v2", "v3", "v4"); `built` is the highest that devq's kernels were compiled for here.
IsaChoice choose_isa(int machine, int built, const std::optional<std::string>& forced);

/// The same from this machine and DEVQ_CPU_ISA.
IsaChoice current_isa();

/// Lanes of f32 in a vector register: 4, 8, 16.
unsigned vector_width(int level) noexcept;

/// "x86-64-v4", or the architecture's name.
std::string isa_name(int level);

/// While it lives, this thread computes with the default rounding and with denormals; then what was set before is back.
class FloatState {
public:
    FloatState() noexcept;
    ~FloatState();
    FloatState(const FloatState&) = delete;
    FloatState& operator=(const FloatState&) = delete;

private:
    unsigned before_ = 0;
};

} // namespace devq::cpu
