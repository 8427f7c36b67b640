#include "ptx.hpp"
#include <cctype>
#include <cstring>
#include <set>

namespace virtual_cuda {

std::size_t size_of(Type type) noexcept {
    switch (type) {
    case Type::pred:
    case Type::b8:
    case Type::u8:
    case Type::s8:
        return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
        return 2;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
        return 8;
    default:
        return 4;
    }
}

bool is_signed(Type type) noexcept {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || std::strchr("_$%.", c) != nullptr; }

std::string trimmed(const std::string& text) {
    const std::size_t begin = text.find_first_not_of(" \t\r\n"), end = text.find_last_not_of(" \t\r\n");
    return begin == text.npos ? std::string() : text.substr(begin, end - begin + 1);
}

std::size_t aligned(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

/// Parts at the top level, not those within brackets.
std::vector<std::string> split(const std::string& text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::string part;
    for (const char c : text) {
        depth += c == '{' || c == '[' || c == '(';
        depth -= c == '}' || c == ']' || c == ')';
        if (c == ',' && depth == 0) {
            parts.push_back(trimmed(part));
            part.clear();
        } else {
            part += c;
        }
    }
    if (!trimmed(part).empty())
        parts.push_back(trimmed(part));
    return parts;
}

/// ".align 4 .b8 name[12]", ".f32 name": without its space.
struct Declaration {
    std::size_t align = 1, bytes = 0, element = 1;
    std::string name;
    std::string initial;
    bool unsized = false;
};

Declaration declaration(std::string text) {
    Declaration found;
    if (const std::size_t equals = text.find('='); equals != text.npos) {
        found.initial = trimmed(text.substr(equals + 1));
        text.resize(equals);
    }
    std::vector<std::string> words;
    for (std::size_t at = 0; at < text.size();) {
        if (!is_word(text[at]) && text[at] != '[') {
            ++at;
            continue;
        }
        std::size_t end = at + 1;
        while (end < text.size() && (text[at] == '[' ? text[end - 1] != ']' : is_word(text[end])))
            ++end;
        words.push_back(text.substr(at, end - at));
        at = end;
    }
    std::size_t count = 1;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word == ".align")
            found.align = std::stoul(words.at(++i));
        else if (word[0] == '[') {
            found.unsized = word == "[]";
            count = found.unsized ? 0 : count * std::stoul(word.substr(1));
        } else if (word[0] == '.' && std::isdigit(static_cast<unsigned char>(word.back())) != 0 &&
                   std::strchr("busf", word[1]) != nullptr)
            found.element = std::stoul(word.substr(2)) / 8;
        else if (word[0] != '.')
            found.name = word;
    }
    found.align = std::max(found.align, found.element);
    found.bytes = count * found.element;
    return found;
}

class Parser {
public:
    Parser(const std::string& text, ModuleData& data) : text_(text), data_(data) {}

    std::map<std::string, Kernel> module() {
        while (skip_blank()) {
            const std::uint32_t line = line_;
            if (word_is(".version") || word_is(".target") || word_is(".address_size") || word_is(".file")) {
                while (at_ < text_.size() && text_[at_] != '\n')
                    ++at_;
                continue;
            }
            std::string head;
            while (at_ < text_.size() && text_[at_] != ';' && text_[at_] != '(')
                take(head);
            if (head.find(".entry") != head.npos) {
                entry(head);
            } else if (head.find(".func") != head.npos) {
                fail(line, "functions are not known to the stand-in: " + trimmed(head));
            } else {
                while (at_ < text_.size() && text_[at_] != ';')
                    take(head);
                ++at_;
                variable(trimmed(head), line);
            }
        }
        return std::move(kernels_);
    }

private:
    struct Statement {
        std::string text; ///< "{" and "}" open and close a scope; "name:" is a label
        std::uint32_t line;
    };

    [[noreturn]] static void fail(std::uint32_t line, const std::string& what) {
        throw PtxError("PTX line " + std::to_string(line) + ": " + what);
    }

    void take(std::string& into) {
        line_ += text_[at_] == '\n';
        into += text_[at_++];
    }
    bool word_is(const char* word) const { return text_.compare(at_, std::strlen(word), word) == 0; }
    /// False at the end.
    bool skip_blank() {
        while (at_ < text_.size()) {
            if (word_is("//")) {
                while (at_ < text_.size() && text_[at_] != '\n')
                    ++at_;
            } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
                line_ += text_[at_++] == '\n';
            } else {
                return text_[at_] != '\0';
            }
        }
        return false;
    }

    void variable(const std::string& text, std::uint32_t line) {
        const Declaration found = declaration(text);
        if (text.find(".shared") != text.npos) {
            module_shared_.push_back(found);
        } else if (text.find(".global") != text.npos || text.find(".const") != text.npos) {
            const std::size_t place = aligned(data_.bytes.size(), std::max<std::size_t>(found.align, 8));
            data_.bytes.resize(place + found.bytes);
            symbols_[found.name] = data_.base + place;
            std::string list = found.initial;
            if (!list.empty() && list[0] == '{')
                list = list.substr(1, list.rfind('}') - 1);
            std::size_t at = place;
            for (const std::string& value : split(list)) {
                const std::uint64_t bits = number(value, line);
                std::memcpy(data_.bytes.data() + at, &bits, found.element);
                at += found.element;
            }
        } else if (!text.empty() && text.find(".pragma") == text.npos) {
            fail(line, "not known to the stand-in: " + text);
        }
    }

    static std::uint64_t number(const std::string& text, std::uint32_t line) {
        if (text.starts_with("0f") || text.starts_with("0F") || text.starts_with("0d") || text.starts_with("0D"))
            return std::stoull(text.substr(2), nullptr, 16);
        if (text.empty() || (std::isdigit(static_cast<unsigned char>(text[0])) == 0 && text[0] != '-'))
            fail(line, "no number: " + text);
        return text[0] == '-' ? static_cast<std::uint64_t>(std::stoll(text, nullptr, 0))
                              : std::stoull(text, nullptr, 0);
    }

    void entry(const std::string& head) {
        kernel_ = Kernel();
        kernel_.name = trimmed(head.substr(head.find(".entry") + 6));
        names_.assign(1, {});
        constants_.clear();
        labels_.clear();
        locals_.clear();
        std::string list;
        ++at_;
        while (text_[at_] != ')')
            take(list);
        ++at_;
        for (const std::string& one : split(list)) {
            const Declaration found = declaration(one);
            const std::size_t place = aligned(kernel_.parameter_bytes, found.align);
            locals_[found.name] = param_base + place;
            kernel_.parameters.push_back(found.bytes);
            kernel_.parameter_offsets.push_back(place);
            kernel_.parameter_bytes = place + found.bytes;
        }
        while (text_[at_] != '{') { // .maxntid and the like
            line_ += text_[at_] == '\n';
            ++at_;
        }
        ++at_;
        body();
    }

    std::vector<Statement> statements() {
        std::vector<Statement> found;
        for (int depth = 1; skip_blank();) {
            const std::uint32_t line = line_;
            if (text_[at_] == '{' || text_[at_] == '}') {
                depth += text_[at_] == '{' ? 1 : -1;
                found.push_back({std::string(1, text_[at_++]), line});
                if (depth == 0)
                    return found;
                continue;
            }
            std::string statement;
            while (at_ < text_.size() && text_[at_] != ';' && text_[at_] != ':')
                take(statement);
            if (at_ < text_.size() && text_[at_++] == ':')
                statement += ':';
            found.push_back({trimmed(statement), line});
        }
        fail(line_, "the end of the kernel is missing");
    }

    void place(const Declaration& found, std::size_t& bytes, std::uint64_t base) {
        const std::size_t at = aligned(bytes, found.align);
        locals_[found.name] = base + at;
        bytes = at + found.bytes;
    }

    void body() {
        const std::vector<Statement> list = statements();
        std::vector<Declaration> dynamic;
        for (const Declaration& shared : module_shared_) {
            if (shared.unsized)
                dynamic.push_back(shared);
            else
                place(shared, kernel_.shared_bytes, shared_base);
        }
        std::uint32_t index = 0;
        for (const Statement& statement : list) {
            if (statement.text.starts_with(".shared"))
                place(declaration(statement.text), kernel_.shared_bytes, shared_base);
            else if (statement.text.starts_with(".local"))
                place(declaration(statement.text), kernel_.local_bytes, local_base);
            else if (statement.text.ends_with(':'))
                labels_[statement.text.substr(0, statement.text.size() - 1)] = index;
            else if (statement.text[0] != '.' && statement.text != "{" && statement.text != "}")
                ++index;
        }
        kernel_.dynamic_offset = static_cast<std::uint32_t>(aligned(kernel_.shared_bytes, 128));
        for (const Declaration& shared : dynamic)
            locals_[shared.name] = shared_base + kernel_.dynamic_offset;
        for (const Statement& statement : list) {
            if (statement.text == "{")
                names_.emplace_back();
            else if (statement.text == "}")
                names_.pop_back();
            else if (statement.text.starts_with(".reg"))
                registers(statement.text);
            else if (statement.text[0] != '.' && !statement.text.ends_with(':'))
                instruction(statement);
        }
        Instruction end;
        end.kind = Instruction::Kind::exit;
        kernel_.code.push_back(end);
        kernels_.emplace(kernel_.name, std::move(kernel_));
    }

    /// Only names without '%' need it: those of inline assembly, good within its braces.
    void registers(const std::string& text) {
        std::string names = text.substr(4);
        names = trimmed(names);
        names = names.substr(names.find_first_of(" \t"));
        for (const std::string& name : split(names))
            if (name.find('<') == name.npos)
                names_.back()[name] = kernel_.registers++;
    }

    std::uint32_t constant(std::uint64_t value) {
        const auto [found, is_new] = constants_.try_emplace(value, kernel_.registers);
        if (is_new)
            kernel_.constants.push_back({kernel_.registers++, value});
        return found->second;
    }

    std::uint32_t operand(const std::string& text, std::uint32_t line) {
        for (auto scope = names_.rbegin(); scope != names_.rend(); ++scope)
            if (const auto found = scope->find(text); found != scope->end())
                return found->second;
        if (text[0] == '%') {
            static const std::set<std::string> specials{"%tid.x",    "%tid.y",    "%tid.z",   "%ntid.x",  "%ntid.y",
                                                        "%ntid.z",   "%ctaid.x",  "%ctaid.y", "%ctaid.z", "%nctaid.x",
                                                        "%nctaid.y", "%nctaid.z", "%laneid",  "%warpid"};
            if (specials.contains(text))
                kernel_.specials.push_back({kernel_.registers, text});
            else if (text.find('.') != text.npos || text == "%clock" || text == "%clock64" || text == "%smid")
                fail(line, "special register not known to the stand-in: " + text);
            return names_.front()[text] = kernel_.registers++;
        }
        if (const auto found = locals_.find(text); found != locals_.end())
            return constant(found->second);
        if (const auto found = symbols_.find(text); found != symbols_.end())
            return constant(found->second);
        return constant(number(text, line));
    }

    void add(Instruction& to, const std::string& text, std::uint32_t line) {
        if (to.count >= to.operands.size())
            fail(line, "too many operands");
        to.operands[to.count++] = text == "_" ? kernel_.registers++ : operand(text, line); // _: nobody wants it
    }

    void instruction(const Statement& statement) {
        Instruction made;
        made.line = statement.line;
        std::string text = statement.text;
        if (text[0] == '@') {
            const std::size_t end = text.find_first_of(" \t");
            made.negated = text[1] == '!';
            made.guard = static_cast<std::int32_t>(
                operand(text.substr(made.negated ? 2 : 1, end - (made.negated ? 2 : 1)), made.line));
            text = trimmed(text.substr(end));
        }
        const std::size_t end = std::min(text.find_first_of(" \t\n"), text.size());
        const std::string opcode = text.substr(0, end);
        const std::vector<std::string> parts = split(text.substr(end));
        if (!decode(opcode, made))
            fail(made.line, "opcode not known to the stand-in: " + opcode);
        if (opcode.starts_with("mov.") && !parts.empty() && parts[0][0] == '{') // into its parts
            made.vector = static_cast<std::uint8_t>(split(parts[0].substr(1, parts[0].size() - 2)).size());
        if (made.kind == Instruction::Kind::branch) {
            const auto label = labels_.find(parts.at(0));
            if (label == labels_.end())
                fail(made.line, "no label " + parts[0]);
            made.target = label->second;
        } else if (made.kind == Instruction::Kind::plain) {
            for (const std::string& part : parts)
                if (part[0] == '[') {
                    std::string inner = part.substr(1, part.size() - 2);
                    if (const std::size_t plus = inner.find('+'); plus != inner.npos) {
                        made.offset = static_cast<std::int64_t>(number(trimmed(inner.substr(plus + 1)), made.line));
                        inner.resize(plus);
                    }
                    add(made, trimmed(inner), made.line);
                } else if (part[0] == '{') {
                    for (const std::string& one : split(part.substr(1, part.size() - 2)))
                        add(made, one, made.line);
                } else if (const std::size_t bar = part.find('|'); bar != part.npos) {
                    fail(made.line, "two results are not known to the stand-in: " + opcode);
                } else {
                    add(made, part, made.line);
                }
        }
        kernel_.code.push_back(made);
    }

    const std::string& text_;
    ModuleData& data_;
    std::size_t at_ = 0;
    std::uint32_t line_ = 1;
    std::map<std::string, Kernel> kernels_;
    std::map<std::string, std::uint64_t> symbols_, locals_; ///< addresses
    std::vector<Declaration> module_shared_;
    Kernel kernel_;
    std::vector<std::map<std::string, std::uint32_t>> names_;
    std::map<std::uint64_t, std::uint32_t> constants_;
    std::map<std::string, std::uint32_t> labels_;
};

} // namespace

std::map<std::string, Kernel> parse(const std::string& text, ModuleData& data) { return Parser(text, data).module(); }

} // namespace virtual_cuda
