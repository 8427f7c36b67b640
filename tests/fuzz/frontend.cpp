// Any text as a kernel source: it is refused at a line of it, or every text that the front end makes of it is made. The
// source's first lines may be options: `//-D NAME VALUE`.
#include "frontend/frontend.hpp"
#include "check.hpp"
#include <devq/error.hpp>

namespace {

using namespace devq;
using namespace devq::frontend;
using fuzz::expect;

constexpr std::string_view included = "#ifndef INCLUDED\n#define INCLUDED 1\n"
                                      "typedef struct { float4 at; int of[3]; } included_t;\n"
                                      "#define TWICE(x) ((x) + (x))\n#else\n#define AGAIN\n#endif\n";

Options options_of(std::string_view source) {
    Options options;
    options.embedded_includes = {{"included.h", included}, {"itself.h", "#include \"itself.h\"\n"}};
    constexpr std::string_view mark = "//-D ";
    while (source.starts_with(mark) && options.defines.size() < 8) {
        const std::size_t end = std::min(source.find('\n'), source.size());
        const std::string_view line = source.substr(mark.size(), end - std::min(end, mark.size()));
        const std::size_t space = std::min(line.find(' '), line.size());
        options.defines.emplace_back(line.substr(0, space), line.substr(std::min(space + 1, line.size())));
        source.remove_prefix(std::min(end + 1, source.size()));
    }
    return options;
}

bool same(const std::vector<KernelSignature>& left, const std::vector<KernelSignature>& right) {
    if (left.size() != right.size())
        return false;
    for (std::size_t k = 0; k < left.size(); ++k) {
        const KernelSignature &a = left[k], &b = right[k];
        if (a.name != b.name || a.required_group != b.required_group || a.uses_barrier != b.uses_barrier ||
            a.local_bytes != b.local_bytes || a.parameters.size() != b.parameters.size())
            return false;
        for (std::size_t i = 0; i < a.parameters.size(); ++i) {
            const Parameter &p = a.parameters[i], &q = b.parameters[i];
            if (p.name != q.name || p.type != q.type || p.space != q.space || p.is_const != q.is_const ||
                p.kind != q.kind || p.size != q.size)
                return false;
        }
    }
    return true;
}

/// What an OpenCL driver is given must be the program that the other devices get.
void check_preprocessed(const Module& module) {
    const std::string text = preprocessed(module);
    std::string why = "other signatures";
    try {
        if (same(signatures(module), signatures(*parse(text, {}))))
            return;
    } catch (const Error& error) {
        why = error.what();
    }
    expect(false, "the preprocessed text is the same program: " + why + "\n" + text);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::shared_ptr<const Module> module;
    try {
        module = parse(text, options_of(text));
        for (const bool single_item : {false, true}) {
            WriteOptions host;
            host.single_item_groups = single_item;
            expect(!write(*module, host).empty(), "host code");
        }
        WriteOptions cuda;
        cuda.target = Target::cuda;
        expect(!write(*module, cuda).empty(), "CUDA code");
    } catch (const Error& error) {
        expect(error.code() == ErrorCode::build_failed, std::string("a source is refused as such: ") + error.what());
        explain_compiler_log(error.what());
        return 0;
    }
    check_preprocessed(*module);
    return 0;
}
