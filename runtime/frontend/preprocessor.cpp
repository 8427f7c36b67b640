#include "preprocessor.hpp"
#include "builtins.hpp"
#include "constant.hpp"
#include "lexer.hpp"
#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

namespace devq::frontend {

namespace {

std::string folder_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

std::string joined(std::span<const Token> tokens) {
    std::string text;
    for (const Token& token : tokens) {
        if (!text.empty() && token.space_before)
            text += ' ';
        text += token.text;
    }
    return text;
}

class Preprocessor {
public:
    Preprocessor(const Options& options, Sources& sources)
        : options_(options), sources_(sources), expander_(macros_, sources) {}

    Tokens run(std::string_view source) {
        total_ = source.size();
        check_size(total_, "the program has");
        const std::uint32_t file = add_text(options_.file_name, std::string(source));
        for (const PredefinedMacro& known : predefined_macros()) {
            Macro macro;
            macro.body = lex(known.value, {});
            macro.opaque = known.opaque;
            macros_[std::string(known.name)] = std::move(macro);
        }
        for (const auto& [name, value] : options_.defines)
            define_option(name, value);
        read_file(file);
        return std::move(output_);
    }

private:
    struct Condition {
        Position at;
        bool outer_active;
        bool taken; ///< a branch was, or may not be taken at all
        bool after_else = false;
    };

    void define_option(const std::string& name, const std::string& value) {
        Tokens tokens = lex(name + " " + value, {});
        const bool valid = !tokens.empty() && tokens[0].is_identifier();
        if (!valid)
            sources_.fail({}, "'" + name + "' cannot be the name of a macro", "Correct the name given to define.");
        define(tokens);
    }

    /// A text as a file of the program: without the mark that some editors put before UTF-8, and free of NUL bytes, at
    /// which drivers would end it.
    std::uint32_t add_text(std::string name, std::string text) {
        if (text.compare(0, 3, "\xef\xbb\xbf") == 0)
            text.erase(0, 3);
        const std::size_t nul = text.find('\0');
        const std::uint32_t file = sources_.add(std::move(name), std::move(text));
        if (nul != std::string::npos)
            sources_.fail(sources_.position(file, nul), "byte 0x00 in the program: it is no plain text",
                          "Save it as UTF-8 or ASCII text (not as UTF-16), or give the name of the right file.");
        return file;
    }

    void read_file(std::uint32_t file) {
        if (++depth_ > 64)
            sources_.fail(include_at_, "files include one another more than 64 deep");
        Tokens tokens = lex(sources_, file);
        const Part outer = std::exchange(part_, {file, 0});
        const std::size_t outer_conditions = conditions_.size();
        Tokens pending;
        for (std::size_t i = 0; i < tokens.size();) {
            std::size_t end = i + 1;
            while (end < tokens.size() && !tokens[end].starts_line)
                ++end;
            const std::span<Token> line(tokens.data() + i, end - i);
            for (Token& token : line)
                token.at = placed(token.at);
            if (line[0].is("#")) {
                flush(pending);
                directive(line, outer_conditions);
            } else if (active_) {
                pending.insert(pending.end(), line.begin(), line.end());
            }
            i = end;
        }
        flush(pending);
        if (conditions_.size() > outer_conditions)
            sources_.fail(conditions_.back().at, "this conditional has no #endif");
        part_ = outer;
        --depth_;
    }

    /// Where a token is said to be, after the last #line. No line has the number 0: it would mean no place.
    Position placed(Position at) const {
        return {part_.file, std::max(at.line + part_.shift, std::uint32_t{1}), at.column};
    }

    /// #line NUMBER "FILE" for the lines from the next one on, and `# NUMBER "FILE"` as preprocessors write it.
    void line_directive(std::span<const Token> line) {
        const bool named = line[1].is("line");
        const Token& name = line[1];
        const Tokens rest = expander_.expand(Tokens(line.begin() + (named ? 2 : 1), line.end()), false);
        constexpr std::uint64_t most = 0x7fffffff;
        std::uint64_t number = 0;
        bool good = !rest.empty() && rest[0].kind == TokenKind::number;
        for (const char c : good ? rest[0].text : std::string()) {
            good &= c >= '0' && c <= '9';
            number = std::min(10 * number + static_cast<std::uint64_t>(c - '0'), most + 1);
        }
        good &= number <= most && (rest.size() < 2 || rest[1].kind == TokenKind::string);
        if (!good)
            sources_.fail(name.at, "#line needs the number of a line, and may name a file in quotes");
        const std::uint32_t whole = sources_.whole(part_.file), here = line.back().at.line - part_.shift;
        const std::string file =
            rest.size() < 2 ? sources_.name(part_.file) : rest[1].text.substr(1, rest[1].text.size() - 2);
        const std::uint32_t shift = static_cast<std::uint32_t>(number) - here - 1;
        part_ = {sources_.add_part(whole, file, shift), shift};
    }

    void flush(Tokens& pending) {
        if (pending.empty())
            return;
        Tokens expanded = expander_.expand(std::move(pending), false);
        pending = {};
        output_.insert(output_.end(), std::make_move_iterator(expanded.begin()),
                       std::make_move_iterator(expanded.end()));
    }

    void directive(std::span<const Token> line, std::size_t outer_conditions) {
        if (line.size() < 2)
            return;
        const Token& name = line[1];
        const std::span<const Token> rest = line.subspan(2);
        if (name.is("if") || name.is("ifdef") || name.is("ifndef"))
            return open_condition(name, rest);
        if (name.is("elif") || name.is("else") || name.is("endif")) {
            if (conditions_.size() <= outer_conditions)
                sources_.fail(name.at, "#" + name.text + " without #if");
            return next_branch(name, rest);
        }
        if (!active_)
            return;
        if (name.is("define"))
            define_line(name, rest);
        else if (name.is("undef"))
            macros_.erase(macro_name(name, rest));
        else if (name.is("include"))
            include(name, rest);
        else if (name.is("pragma"))
            pragma(name, rest);
        else if (name.is("error"))
            sources_.fail(name.at, "#error " + joined(rest), "The kernel's source refuses this configuration itself.");
        else if (name.is("line") || name.kind == TokenKind::number)
            line_directive(line);
        else if (!name.is("warning"))
            sources_.fail(name.at, "unknown directive #" + name.text);
    }

    std::string macro_name(const Token& directive, std::span<const Token> rest) {
        if (rest.empty() || !rest[0].is_identifier())
            sources_.fail(rest.empty() ? directive.at : rest[0].at,
                          "#" + directive.text + " needs the name of a macro");
        return rest[0].text;
    }

    void open_condition(const Token& name, std::span<const Token> rest) {
        bool holds = false;
        if (active_)
            holds = name.is("if") ? evaluate_if(name, rest)
                                  : (macros_.count(macro_name(name, rest)) > 0) == name.is("ifdef");
        conditions_.push_back({name.at, active_, holds || !active_});
        active_ = active_ && holds;
    }

    void next_branch(const Token& name, std::span<const Token> rest) {
        Condition& condition = conditions_.back();
        if (name.is("endif")) {
            active_ = condition.outer_active;
            conditions_.pop_back();
            return;
        }
        if (condition.after_else)
            sources_.fail(name.at, "#" + name.text + " after #else");
        condition.after_else = name.is("else");
        active_ = !condition.taken && (condition.after_else || evaluate_if(name, rest));
        condition.taken |= active_;
    }

    bool evaluate_if(const Token& name, std::span<const Token> rest) {
        const Tokens tokens = expander_.expand(Tokens(rest.begin(), rest.end()), true);
        const Evaluation result = evaluate(tokens, [this](std::span<const Token> at) { return resolve(at); });
        if (!result.value)
            sources_.fail(result.at.line ? result.at : name.at, "#" + name.text + ": " + result.problem);
        return result.value->truth();
    }

    std::optional<Resolved> resolve(std::span<const Token> at) {
        if (!at[0].is_identifier())
            return std::nullopt;
        if (!at[0].is("defined"))
            return Resolved{}; // what is no macro counts as 0
        const bool parenthesis = at.size() > 1 && at[1].is("(");
        const std::size_t which = parenthesis ? 2 : 1;
        if (at.size() <= which || !at[which].is_identifier() || (parenthesis && (at.size() < 4 || !at[3].is(")"))))
            sources_.fail(at[0].at, "'defined' needs the name of a macro");
        const bool known = macros_.count(at[which].text) > 0;
        return Resolved{{known ? 1u : 0u, false}, parenthesis ? 4u : 2u};
    }

    void define_line(const Token& name, std::span<const Token> rest) {
        macro_name(name, rest);
        define(rest);
    }

    void define(std::span<const Token> line) {
        Macro macro;
        macro.at = line[0].at;
        std::size_t i = 1;
        if (i < line.size() && line[i].is("(") && !line[i].space_before) {
            macro.function_like = true;
            for (++i; i < line.size() && !line[i].is(")");) {
                if (line[i].is_identifier())
                    macro.parameters.push_back(line[i++].text);
                if (i < line.size() && line[i].is("...")) {
                    macro.variadic = true;
                    if (macro.parameters.empty() || !line[i - 1].is_identifier())
                        macro.parameters.emplace_back("__VA_ARGS__");
                    ++i;
                }
                const bool more = i < line.size() && line[i].is(",") && !macro.variadic;
                if (more && i + 1 < line.size() && !line[i + 1].is(")"))
                    ++i;
                else if (more || i >= line.size() || !line[i].is(")"))
                    sources_.fail(line[i < line.size() ? i : 0].at,
                                  "the parameters of macro '" + line[0].text + "' are malformed");
            }
            if (i >= line.size())
                sources_.fail(line[0].at, "the parameters of macro '" + line[0].text + "' have no closing ')'");
            ++i;
        }
        macro.body.assign(line.begin() + static_cast<std::ptrdiff_t>(i), line.end());
        if (!macro.body.empty() && (macro.body.front().is("##") || macro.body.back().is("##")))
            sources_.fail(line[0].at, "'##' cannot be at either end of a macro");
        macros_[line[0].text] = std::move(macro);
    }

    void pragma(const Token& name, std::span<const Token> rest) {
        if (rest.empty())
            return;
        if (rest[0].is("once")) {
            once_.insert(sources_.name(sources_.whole(name.at.file)));
            return;
        }
        Token token = name;
        token.kind = TokenKind::pragma;
        token.starts_line = true;
        token.text = joined(rest);
        if (rest[0].is("unroll") || rest[0].is("nounroll"))
            token.text = joined(expander_.expand(Tokens(rest.begin(), rest.end()), false));
        else if (!rest[0].is("OPENCL") && !rest[0].is("STDC"))
            return;
        output_.push_back(std::move(token));
    }

    void include(const Token& name, std::span<const Token> rest) {
        Tokens tokens(rest.begin(), rest.end());
        if (!tokens.empty() && tokens[0].is_identifier())
            tokens = expander_.expand(std::move(tokens), false);
        std::string wanted;
        bool quoted = false;
        if (tokens.size() == 1 && tokens[0].kind == TokenKind::string) {
            wanted = tokens[0].text.substr(1, tokens[0].text.size() - 2);
            quoted = true;
        } else if (tokens.size() > 2 && tokens[0].is("<") && tokens.back().is(">")) {
            wanted = joined(std::span<const Token>(tokens).subspan(1, tokens.size() - 2));
        } else {
            sources_.fail(name.at, "#include needs \"FILE\" or <FILE>");
        }
        include_at_ = name.at;
        for (const auto& [embedded, text] : options_.embedded_includes)
            if (embedded == wanted)
                return include_text(embedded, std::string(text));
        std::vector<std::string> paths;
        const std::string own_folder = folder_of(sources_.name(sources_.whole(name.at.file)));
        if (wanted.starts_with('/')) {
            if (!is_in_a_folder(wanted))
                sources_.fail(
                    name.at, "'" + wanted + "' lies in none of the include folders",
                    "Give a folder that holds it as an include folder; then it can also be named from there.");
            paths.push_back(wanted);
        } else {
            if (quoted && !own_folder.empty())
                paths.push_back(own_folder + wanted);
            for (const std::string& folder : options_.include_folders)
                if (const std::string path = folder + "/" + wanted; std::count(paths.begin(), paths.end(), path) == 0)
                    paths.push_back(path);
        }
        for (const std::string& path : paths) {
            std::error_code ignored;
            if (!std::filesystem::is_regular_file(path, ignored))
                continue;
            std::ifstream stream(path, std::ios::binary);
            if (!stream)
                continue;
            return include_text(path, content_of(stream, wanted));
        }
        std::string looked;
        for (const std::string& path : paths)
            looked += (looked.empty() ? "; looked for " : ", ") + path;
        sources_.fail(name.at, "cannot find include file '" + wanted + "'" + looked,
                      "Give the folder that holds it as an include folder.");
    }

    /// Does the absolute path lead into an include folder, once links and `..` are followed?
    bool is_in_a_folder(const std::string& path) const {
        namespace fs = std::filesystem;
        const auto inside = [](const fs::path& file, const fs::path& folder) {
            const auto [rest, ignored] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
            return rest == folder.end();
        };
        return std::any_of(options_.include_folders.begin(), options_.include_folders.end(),
                           [&](const std::string& folder) {
                               std::error_code error;
                               const fs::path real_file = fs::weakly_canonical(path, error);
                               const fs::path real_folder = error ? fs::path() : fs::canonical(folder, error);
                               return !error && inside(real_file, real_folder);
                           });
    }

    std::string content_of(std::istream& stream, const std::string& name) const {
        std::string text;
        std::array<char, 1 << 16> part;
        while (stream.read(part.data(), part.size()), stream.gcount() > 0) {
            text.append(part.data(), static_cast<std::size_t>(stream.gcount()));
            check_size(text.size(), "'" + name + "' has");
        }
        return text;
    }

    /// @param who "'FILE' has"
    void check_size(std::size_t bytes, const std::string& who) const {
        if (bytes > largest_text)
            sources_.fail(include_at_,
                          who + " more than " + std::to_string(largest_text >> 20) +
                              " MiB, which is no kernel's source",
                          "Give the text of OpenCL C kernels; data belongs in buffers.");
    }

    void include_text(const std::string& path, std::string text) {
        if (once_.count(path))
            return;
        total_ += text.size();
        check_size(total_, "the program with its include files has");
        read_file(add_text(path, std::move(text)));
    }

    /// What lines are said to be, from the last #line on.
    struct Part {
        std::uint32_t file = 0; ///< or a part of one
        std::uint32_t shift = 0;
    };

    const Options& options_;
    Sources& sources_;
    MacroTable macros_;
    Expander expander_;
    Tokens output_;
    std::vector<Condition> conditions_;
    std::set<std::string> once_;
    Position include_at_;
    Part part_;
    std::size_t total_ = 0; ///< bytes of all texts, however often they are included
    bool active_ = true;
    int depth_ = 0;
};

} // namespace

Tokens preprocess(std::string_view source, const Options& options, Sources& sources) {
    return Preprocessor(options, sources).run(source);
}

} // namespace devq::frontend
