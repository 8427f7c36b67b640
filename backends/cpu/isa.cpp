#include "isa.hpp"
#include "builtin_index.hpp"
#include <cstdlib>

namespace devq::cpu {

int machine_level() noexcept {
#if defined(__x86_64__)
    __builtin_cpu_init();
    const bool v2 =
        __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("ssse3");
    if (!v2)
        return 0;
    // F16C, LZCNT and MOVBE have no name here in g++ 12; no processor or hypervisor offers AVX2 and BMI2 without them.
    const bool v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                    __builtin_cpu_supports("fma");
    if (!v3)
        return 2;
    const bool v4 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vl");
    return v4 ? 4 : 3;
#else
    return 2;
#endif
}

IsaChoice choose_isa(int machine, int built, const std::optional<std::string>& forced) {
    IsaChoice choice;
    if (machine < 2) {
        choice.code = "unsupported_architecture";
        choice.problem = "this processor is below x86-64-v2 (it lacks SSSE3, SSE4.2 or POPCNT)";
        choice.remedy = "Use another device, or another machine.";
        return choice;
    }
    Isa& isa = choice.isa;
    isa.level = machine < built ? machine : built;
    if (forced && !forced->empty()) {
        const std::string& text = *forced;
        if (text != "v2" && text != "v3" && text != "v4") {
            choice.code = "hidden_by_environment";
            choice.problem = "DEVQ_CPU_ISA is \"" + text + "\", which is no level";
            choice.remedy = "Set it to v2, v3 or v4, or leave it unset for the highest that this machine has.";
            return choice;
        }
        const int level = text[1] - '0';
        if (level > machine) {
            choice.code = "unsupported_architecture";
            choice.problem = "DEVQ_CPU_ISA asks for " + text + ", but this machine has " + isa_name(machine);
            choice.remedy = "Set it to v" + std::to_string(machine) + " or lower, or leave it unset.";
            return choice;
        }
        isa.level = level;
        isa.forced = true;
    }
    isa.highest = isa.level == machine;
    return choice;
}

IsaChoice current_isa() {
    const char* text = std::getenv("DEVQ_CPU_ISA");
    return choose_isa(machine_level(), highest_built_level(), text ? std::optional<std::string>(text) : std::nullopt);
}

unsigned vector_width(int level) noexcept { return level >= 4 ? 16 : level == 3 ? 8 : 4; }

#if defined(__x86_64__)
FloatState::FloatState() noexcept : before_(__builtin_ia32_stmxcsr()) { __builtin_ia32_ldmxcsr(0x1f80); }
FloatState::~FloatState() { __builtin_ia32_ldmxcsr(before_); }
#else
FloatState::FloatState() noexcept { (void)before_; }
FloatState::~FloatState() = default;
#endif

std::string isa_name(int level) {
#if defined(__x86_64__)
    return "x86-64-v" + std::to_string(level);
#elif defined(__aarch64__)
    (void)level;
    return "aarch64";
#else
    (void)level;
    return "generic";
#endif
}

} // namespace devq::cpu
