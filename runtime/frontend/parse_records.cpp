#include "builtins.hpp"
#include "parser.hpp"
#include "text.hpp"
#include <algorithm>
#include <functional>

namespace devq::frontend {

namespace {

std::string bare_attribute(std::string name) {
    if (name.size() > 4 && name.substr(0, 2) == "__" && name.substr(name.size() - 2) == "__")
        return name.substr(2, name.size() - 4);
    return name;
}

/// The names that a member may be reached by, those in unnamed structs and unions too.
void for_each_member(const Record& record, const std::function<void(const std::string&)>& use) {
    for (const Field& field : record.fields)
        field.unnamed ? for_each_member(*field.type->record, use) : use(field.name);
}

} // namespace

TypePtr Parser::record_specifier() {
    const bool is_union = is("union");
    const Position at = now().at;
    ++at_;
    Attributes before;
    while (is("__attribute__"))
        attributes(before);
    std::string tag;
    if (now().is_identifier())
        tag = token(at_++).text;
    const bool defined_here = is("{");
    if (tag.empty() && !defined_here)
        fail(now().at, "expected a name or '{' after '" + std::string(is_union ? "union" : "struct") + "'");
    std::shared_ptr<Record> record;
    if (!tag.empty()) {
        auto& here = scopes_.back().tags;
        const auto found = here.find(tag);
        record = defined_here ? (found == here.end() ? nullptr : found->second) : lookup_tag(tag);
    }
    if (record && record->is_union != is_union)
        fail(at, "'" + tag + "' is a " + (record->is_union ? "union" : "struct") + " elsewhere");
    if (!record) {
        record = std::make_shared<Record>();
        record->tag = tag;
        record->is_union = is_union;
        record->at = at;
        record->cpp_name = tag.empty() || lookup_tag(tag) || builtin_type(tag)
                               ? unique_name(tag.empty() ? "unnamed" : tag)
                               : cpp_name(tag);
        if (!tag.empty())
            scopes_.back().tags[tag] = record;
    }
    if (defined_here) {
        if (record->complete)
            fail(at, "'" + tag + "' is defined twice; the first time in line " + std::to_string(record->at.line));
        if (record->open)
            fail(at, "'" + tag + "' is defined within itself");
        record->open = true;
        record_members(*record);
        record->open = false;
        while (is("__attribute__"))
            attributes(before);
        lay_out(*record, before.packed, before.aligned);
        record->attributes = before.text;
        program_.records.push_back(record);
    }
    Type type;
    type.kind = Type::Kind::record;
    type.record = std::move(record);
    return std::make_shared<const Type>(std::move(type));
}

void Parser::record_members(Record& record) {
    const Nested nested(*this, now().at);
    const std::size_t close = matching(at_);
    ++at_;
    while (at_ < close) {
        const Specifiers base = specifiers();
        if (is(";") && base.type->kind == Type::Kind::record && base.type->record->tag.empty()) {
            add_member(record, {concat({"devq_unnamed_", std::to_string(record.fields.size())}), base.type, 0, true},
                       now().at);
            ++at_;
            continue;
        }
        do {
            Declarator declared = declarator(base.type, true);
            if (declared.is_function)
                fail(declared.at, "a function cannot be a member");
            if (is(":"))
                fail(now().at, "bit-fields are not part of OpenCL C; use shifts and masks");
            if (!size_of(*declared.type))
                fail(declared.at, "member '" + declared.name + "' has an incomplete type");
            check_depth(*declared.type, declared.at);
            add_member(record, {declared.name, declared.type, 0}, declared.at);
        } while (accept(","));
        Attributes ignored;
        while (is("__attribute__"))
            attributes(ignored);
        if (ignored.aligned || ignored.packed)
            fail(now().at, "alignment of a single member is not supported; align or pack the whole struct");
        expect(";", "a member");
    }
    expect("}", "the members");
}

void Parser::add_member(Record& record, Field field, Position at) {
    const auto declared = [&](const std::string& name) {
        if (!find_member(record, name).empty())
            fail(at, "member '" + name + "' is declared twice");
    };
    if (field.unnamed)
        for_each_member(*field.type->record, declared);
    else
        declared(field.name);
    ++field_names_[field.name];
    record.fields.push_back(std::move(field));
    std::size_t bytes = 0;
    for (const Field& each : record.fields)
        bytes += *size_of(*each.type); // each is below what an array may have
    if (bytes > most_object_bytes)
        fail(at, "this struct is larger than any memory");
}

TypePtr Parser::enumeration_specifier() {
    ++at_;
    if (now().is_identifier())
        ++at_; // an enumeration's name says nothing: it is an int
    if (is("{")) {
        const std::size_t close = matching(at_);
        ++at_;
        Constant next;
        while (at_ < close) {
            const Token& name = now();
            if (!name.is_identifier())
                fail(name.at, "expected the name of an enumerator");
            ++at_;
            if (accept("=")) {
                const std::size_t end = find(at_, ",");
                next = required_constant(at_, end, "an enumerator");
                at_ = end;
            }
            if (scopes_.size() == 1 && is_builtin_function(name.text))
                fail(name.at, "'" + name.text + "' is a built-in function of OpenCL C", "Choose another name.");
            Symbol symbol;
            symbol.kind = Symbol::Kind::enumerator;
            symbol.type = make_scalar(ScalarType::int_);
            symbol.value = next;
            symbol.at = name.at;
            declare_name(name.text, std::move(symbol));
            ++next.bits;
            if (!accept(","))
                break;
        }
        expect("}", "the enumerators");
    }
    Type type;
    type.kind = Type::Kind::enumeration;
    return std::make_shared<const Type>(std::move(type));
}

void Parser::attributes(Attributes& result) {
    const Position at = now().at;
    ++at_;
    if (!is("(") || !token(at_ + 1).is("("))
        fail(at, "expected '((' after __attribute__");
    const std::size_t close = matching(at_);
    for (at_ += 2; at_ + 1 < close; ++at_) {
        const std::string name = bare_attribute(now().text);
        const std::size_t open = at_ + 1;
        const bool has_arguments = token(open).is("(");
        std::vector<std::size_t> numbers;
        if (has_arguments && (name == "reqd_work_group_size" || name == "aligned" || name == "opencl_unroll_hint"))
            for (std::size_t i = open; i < matching(open);) {
                const std::size_t end = find(i + 1, ",");
                numbers.push_back(
                    static_cast<std::size_t>(required_constant(i + 1, end, "an attribute's argument").bits));
                i = end;
            }
        if (name == "reqd_work_group_size") {
            if (numbers.size() != 3)
                fail(now().at, "reqd_work_group_size takes three numbers");
            std::copy(numbers.begin(), numbers.end(), result.required_group.begin());
        } else if (name == "aligned") {
            result.aligned = numbers.empty() ? 16 : numbers[0];
            if (result.aligned == 0 || (result.aligned & (result.aligned - 1)) || result.aligned > 4096)
                fail(now().at, "an alignment is a power of two up to 4096");
            result.text += " __attribute__((aligned(" + std::to_string(result.aligned) + ")))";
        } else if (name == "packed") {
            result.packed = true;
            result.text += " __attribute__((packed))";
        } else if (name == "opencl_unroll_hint") {
            result.unroll = numbers.empty() ? 16 : static_cast<unsigned>(std::min<std::size_t>(numbers[0], 128));
        } else if (name == "overloadable") {
            result.overloadable = true;
        } else if (name == "noinline") {
            result.noinline = true;
        }
        if (has_arguments)
            at_ = matching(open);
    }
    at_ = close + 1;
}

} // namespace devq::frontend
