// Opcodes into operations.
#include "ptx_ops.hpp"
#include <algorithm>
#include <unordered_map>

namespace virtual_cuda {

namespace {

const std::unordered_map<std::string, Type>& types() {
    static const std::unordered_map<std::string, Type> made{
        {"pred", Type::pred}, {"b8", Type::b8},   {"b16", Type::b16}, {"b32", Type::b32},
        {"b64", Type::b64},   {"u8", Type::u8},   {"u16", Type::u16}, {"u32", Type::u32},
        {"u64", Type::u64},   {"s8", Type::s8},   {"s16", Type::s16}, {"s32", Type::s32},
        {"s64", Type::s64},   {"f16", Type::f16}, {"f32", Type::f32}, {"f64", Type::f64}};
    return made;
}

/// The place of `word` in a list of words; -1 when it is not there.
int place_in(const std::string& word, std::initializer_list<const char*> list) {
    int place = 0;
    for (const char* each : list) {
        if (word == each)
            return place;
        ++place;
    }
    return -1;
}

void nothing(Warp&, const Instruction&, u32) {}

} // namespace

bool decode(const std::string& opcode, Instruction& to) {
    std::vector<std::string> words;
    for (std::size_t at = 0; at <= opcode.size();) {
        const std::size_t dot = std::min(opcode.find('.', at), opcode.size());
        words.push_back(opcode.substr(at, dot - at));
        at = dot + 1;
    }
    const std::string base = words.at(0);
    if (base == "bra") {
        to.kind = Instruction::Kind::branch;
        return true;
    }
    if (base == "ret" || base == "exit") {
        to.kind = Instruction::Kind::exit;
        return true;
    }
    if (opcode.starts_with("bar.sync") || opcode.starts_with("barrier.sync") ||
        opcode.starts_with("barrier.cta.sync")) {
        to.kind = Instruction::Kind::barrier;
        return true;
    }
    if (base == "membar" || base == "fence" || opcode == "bar.warp.sync") {
        to.run = nothing;
        return true;
    }
    std::string key = base;
    std::vector<Type> found;
    for (std::size_t i = 1; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (const auto type = types().find(word); type != types().end()) {
            found.push_back(type->second);
        } else if (word == "v2" || word == "v4") {
            to.vector = static_cast<std::uint8_t>(word[1] - '0');
        } else if (place_in(word, {"global", "shared", "local", "param", "const"}) >= 0) {
            to.space = word == "shared"  ? Space::shared
                       : word == "local" ? Space::local
                       : word == "param" ? Space::param
                                         : Space::global;
        } else if (word == "sat") {
            to.saturate = true;
        } else if (place_in(word, {"rn", "rz", "rm", "rp"}) >= 0) {
            to.rounding = word[1];
        } else if (place_in(word, {"rni", "rzi", "rmi", "rpi"}) >= 0) {
            to.rounding = word[1];
            to.to_integer = true;
        } else if (place_in(word, {"lo", "hi", "wide"}) >= 0) {
            key += "." + word;
        } else if (base == "shf" && place_in(word, {"l", "r", "wrap", "clamp"}) >= 0) {
            key += "." + word;
        } else if (base == "setp") {
            const int comparison = place_in(
                word, {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"});
            const int same = place_in(word, {"", "", "lo", "ls", "hi", "hs"});
            const int combined = place_in(word, {"and", "or", "xor"});
            if (comparison >= 0)
                to.variant = static_cast<std::uint8_t>(comparison);
            else if (same >= 0)
                to.variant = static_cast<std::uint8_t>(same);
            else if (combined >= 0)
                to.rounding = "&|^"[combined];
            else if (word != "ftz")
                return false;
        } else if (base == "atom" || base == "red") {
            const int how = place_in(word, {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"});
            if (how >= 0)
                to.variant = static_cast<std::uint8_t>(how);
            else if (place_in(word, {"relaxed", "acquire", "release", "acq_rel", "gpu", "sys", "cta"}) < 0)
                return false;
        } else if (place_in(word, {"ftz", "approx", "full", "to", "uni", "nc", "volatile", "weak", "relaxed", "gpu",
                                   "sys", "cta"}) < 0) {
            return false;
        }
    }
    if (found.empty())
        return false;
    to.type = found[0];
    to.source_type = found.back();
    if (base == "ld" || base == "st") {
        to.run = base == "ld" ? load_of(to.type) : store_of(to.type);
        return true;
    }
    if (base == "cvta") {
        to.run = to_generic;
        return true;
    }
    if (base == "cvt") {
        // Without a word, whole numbers of floats are cut; floats are rounded.
        to.run = convert;
        return found.size() == 2;
    }
    for (const auto& [name, type] : types())
        if (type == found[0])
            key += "." + name;
    if (base == "fma" && to.rounding != 'n') {
        to.run = rounded_fma(found[0]);
        return true;
    }
    to.run = operation(key);
    if (to.rounding != 'n' && base != "setp") {
        if (place_in(base, {"add", "sub", "mul", "div", "sqrt"}) < 0 || to.run == nullptr)
            return false;
        to.rounded = to.run;
        to.run = with_rounding;
    }
    return to.run != nullptr;
}

} // namespace virtual_cuda
