#pragma once
#include "token.hpp"
#include <unordered_map>

namespace devq::frontend {

struct Macro {
    std::vector<std::string> parameters; ///< the variadic one last
    Tokens body;
    Position at;
    bool function_like = false;
    bool variadic = false;
    /// One of OpenCL's own constants (M_PI_F, INFINITY): replaced in #if only, since each target defines it.
    bool opaque = false;
    int active = 0; ///< how many expansions of it are being read
};

using MacroTable = std::unordered_map<std::string, Macro>;

/// Replaces macros in runs of tokens as C says.
class Expander {
public:
    Expander(MacroTable& macros, const Sources& sources) : macros_(macros), sources_(sources) {}

    /// @param directive the tokens are an #if's: opaque macros are replaced too, `defined X` is left alone
    Tokens expand(Tokens input, bool directive);

private:
    struct Context {
        Tokens tokens;
        std::size_t at = 0;
        Macro* macro = nullptr; ///< whose expansion this is
    };
    using Stack = std::vector<Context>;

    static bool read(Stack& stack, Token& token);
    bool next_is_parenthesis(const Stack& stack) const;
    void enter(Stack& stack, Macro& macro, Tokens body, const Token& name);
    bool builtin(Token& token) const;
    void keep_defined(Stack& stack, Tokens& output);
    std::vector<Tokens> read_arguments(Stack& stack, const Macro& macro, const Token& name);
    Tokens substitute(const Macro& macro, const std::vector<Tokens>& arguments, const Token& name);
    void paste(Tokens& output, const Token& right);
    static Token stringify(const Tokens& argument, const Token& hash);
    void count(std::size_t tokens, Position at);

    MacroTable& macros_;
    const Sources& sources_;
    std::size_t produced_ = 0;
    int depth_ = 0;
    bool directive_ = false;
};

} // namespace devq::frontend
