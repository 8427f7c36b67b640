#include "frontend.hpp"
#include "module.hpp"
#include "parser.hpp"
#include "preprocessor.hpp"
#include "write_program.hpp"

namespace devq::frontend {

std::shared_ptr<const Module> parse(std::string_view source, const Options& options) {
    auto module = std::make_shared<Module>();
    module->tokens = preprocess(source, options, module->sources);
    module->program = parse_program(module->sources, module->tokens, options.host_forms);
    for (const Token& token : module->tokens)
        if (token.kind == TokenKind::pragma && (token.is("OPENCL FP_CONTRACT OFF") || token.is("STDC FP_CONTRACT OFF")))
            module->contracts = false; // for the whole program: that is always right
    module->signatures = make_signatures(module->sources, module->program);
    check_private_memory(module->sources, module->program);
    return module;
}

const std::vector<KernelSignature>& signatures(const Module& module) { return module.signatures; }

std::string write(const Module& module, const WriteOptions& options) {
    return options.target == Target::host ? write_host(module, options) : write_cuda(module, options);
}

std::string preprocessed(const Module& module) {
    TextWriter out(module.sources);
    for (const Token& token : module.tokens) {
        if (token.kind == TokenKind::pragma) {
            out.line(token.at);
            out.raw("\n#pragma " + token.text + "\n");
            continue;
        }
        if (token.starts_line)
            out.line(token.at);
        out.token(token);
    }
    out.raw("\n");
    return out.take();
}

} // namespace devq::frontend
