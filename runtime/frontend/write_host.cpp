#include "group_view.hpp"
#include "item_memory.hpp"
#include "prelude.hpp"
#include "text.hpp"
#include "write_program.hpp"

namespace devq::frontend {

namespace {

/// "const auto a0 = …;" for each parameter, and "a0, a1, …" to pass them on.
struct Arguments {
    std::string definitions, list;
};

Arguments arguments_of(const Function& kernel) {
    Arguments result;
    for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
        const std::string number = std::to_string(i), type = declare(*kernel.parameters[i].type, {}, false);
        result.definitions +=
            concat({"    const auto a", number, " = devq_argument<devq_type<", type, ">>(d, ", number, ");\n"});
        result.list += concat({i ? ", a" : "a", number});
    }
    return result;
}

/// As a C++ string literal.
std::string quoted(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\')
            result += '\\';
        result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    }
    return result + '"';
}

class HostWriter {
public:
    HostWriter(const Module& module, const WriteOptions& options)
        : module_(module), options_(options), out_(module.sources) {}

    std::string write() {
        if (!module_.contracts)
            out_.raw(no_contraction);
        out_.raw(host_prelude);
        out_.raw("#line 1 \"devq/generated.hpp\"\n");
        if (!options_.single_item_groups)
            split_kernels();
        ProgramWriter(module_.program, out_).write([this](ProgramWriter& writer) {
            for (const auto& [kernel, parts] : split_)
                write_split(*parts, out_, writer);
        });
        out_.raw("#line 1 \"devq/entries.hpp\"\n");
        for (std::size_t i = 0, k = 0; i < module_.program.functions.size(); ++i)
            if (module_.program.functions[i].is_kernel)
                entry(module_.program.functions[i], module_.signatures[k++]);
        table();
        return out_.take();
    }

private:
    /// Those with barriers, as far as that goes.
    void split_kernels() {
        std::size_t k = 0;
        for (const Function& function : module_.program.functions) {
            if (!function.is_kernel || !module_.signatures[k++].uses_barrier)
                continue;
            SplitRefusal refusal;
            auto parts = split(module_.program, function, refusal);
            if (parts && room_of(*parts).bytes_an_item > most_private_bytes) {
                refusal = {"what a work-item keeps across barriers, which is too much", function.at};
                parts = nullptr;
            }
            if (parts) {
                split_[&function] = std::move(parts);
                continue;
            }
            fiber_reasons_[&function] =
                concat({refusal.reason, " (", module_.sources.name(refusal.at.file), ":",
                        std::to_string(refusal.at.line), ":", std::to_string(refusal.at.column), ")"});
        }
    }

    void entry(const Function& kernel, const KernelSignature& signature) {
        const Arguments arguments = arguments_of(kernel);
        std::string groups = "nullptr", item = "nullptr";
        if (options_.single_item_groups) {
            groups = "devq_groups_" + kernel.name;
            out_.raw(concat({groups_head(groups), arguments.definitions, "    devq_each_group(d, first, last, ",
                             lambda("devq_single_item", kernel, arguments), ");\n}\n"}));
        } else {
            item = "devq_item_" + kernel.name;
            out_.raw(
                concat({"void ", item, "(const devq_host_dispatch* d, devq_u64 group, const devq_u64* local) {\n",
                        arguments.definitions, "    const auto run = ", lambda("devq_wide_item", kernel, arguments),
                        ";\n    run(devq_make_item(d, group, local));\n}\n"}));
            if (split_.count(&kernel) > 0) {
                groups = "devq_groups_" + kernel.name;
                out_.raw(concat({groups_head(groups), arguments.definitions,
                                 "    devq_each_split_group(d, first, last, [=](const devq_small_item& item) "
                                 "DEVQ_LAMBDA {\n        devq_program<devq_small_item> p{item};\n        return p.",
                                 split_member(kernel), "(", arguments.list, ");\n    });\n}\n"}));
            } else if (!signature.uses_barrier) {
                groups = "devq_groups_" + kernel.name;
                const bool in_order = has_item_memory(module_.program, kernel);
                out_.raw(concat({groups_head(groups), "    if (!devq_is_small(d))\n        return ",
                                 "devq_each_wide_item(d, first, last, ", item, ");\n", arguments.definitions,
                                 in_order ? "    devq_each_item_in_order<" : "    devq_each_item<",
                                 sees_groups(module_.program, kernel) ? "0" : "DEVQ_JOINED_ITEMS", ">(d, first, last, ",
                                 lambda("devq_small_item", kernel, arguments), ");\n}\n"}));
            }
        }
        row(kernel, signature, groups, item);
    }

    static std::string groups_head(const std::string& name) {
        return concat({"void ", name, "(const devq_host_dispatch* d, devq_u64 first, devq_u64 last) {\n"});
    }

    static std::string lambda(std::string_view item, const Function& kernel, const Arguments& arguments) {
        return concat({"[=](const ", item, "& item) DEVQ_LAMBDA { devq_program<", item, "> p{item}; p.",
                       kernel.cpp_name, "(", arguments.list, "); }"});
    }

    void row(const Function& kernel, const KernelSignature& signature, const std::string& groups,
             const std::string& item) {
        const std::string local = kernel.local_memory.empty() ? "0" : concat({"sizeof(", local_struct(kernel), ")"});
        const auto& group = signature.required_group;
        const auto parts = split_.find(&kernel);
        const SplitRoom room = parts == split_.end() ? SplitRoom{} : room_of(*parts->second);
        const auto reason = fiber_reasons_.find(&kernel);
        rows_ += concat({"    {\"", kernel.name,
                         "\", ",    std::to_string(signature.parameters.size()),
                         ", ",      signature.uses_barrier ? "1" : "0",
                         ", ",      local,
                         ", {",     std::to_string(group[0]),
                         ", ",      std::to_string(group[1]),
                         ", ",      std::to_string(group[2]),
                         "}, ",     groups,
                         ", ",      item,
                         ", ",      parts == split_.end() ? "0" : "1",
                         ", ",      std::to_string(room.bytes_an_item),
                         ", ",      std::to_string(room.bytes_a_group),
                         ", ",      reason == fiber_reasons_.end() ? "nullptr" : quoted(reason->second),
                         "},\n"});
    }

    void table() {
        if (!rows_.empty())
            out_.raw(concat({"const devq_host_kernel devq_kernel_rows[] = {\n", rows_, "};\n"}));
        const std::string& symbol = options_.table_symbol;
        out_.raw(concat({"DEVQ_UNIT_END\nextern \"C\" {\nextern DEVQ_EXPORT const devq_host_kernel_table ", symbol,
                         ";\nconst devq_host_kernel_table ", symbol, " = {DEVQ_HOST_ABI_VERSION, ",
                         std::to_string(module_.signatures.size()), ", ",
                         rows_.empty() ? "nullptr" : "devq_code::devq_kernel_rows", "};\n}\n"}));
    }

    const Module& module_;
    const WriteOptions& options_;
    TextWriter out_;
    std::string rows_;
    std::map<const Function*, std::unique_ptr<SplitKernel>> split_;
    std::map<const Function*, std::string> fiber_reasons_;
};

} // namespace

std::string write_host(const Module& module, const WriteOptions& options) {
    return HostWriter(module, options).write();
}

} // namespace devq::frontend
