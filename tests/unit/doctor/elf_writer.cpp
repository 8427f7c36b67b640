#include "elf_writer.hpp"
#include <cstring>
#include <elf.h>

namespace doctor_test {

namespace {

template <class T>
std::string bytes_of(const T& value) {
    return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

class Names {
public:
    std::size_t add(const std::string& name) {
        const std::size_t at = text_.size();
        text_ += name + '\0';
        return at;
    }
    const std::string& text() const { return text_; }

private:
    std::string text_ = std::string(1, '\0');
};

template <class Header, class Segment, class Entry>
std::string written(const ElfText& text, unsigned char kind, unsigned machine) {
    Names names;
    std::vector<Entry> entries;
    const auto add = [&](auto tag, std::size_t value) {
        Entry entry{};
        entry.d_tag = static_cast<decltype(entry.d_tag)>(tag);
        entry.d_un.d_val = static_cast<decltype(entry.d_un.d_val)>(value);
        entries.push_back(entry);
    };
    for (const std::string& name : text.needed)
        add(DT_NEEDED, names.add(name));
    if (!text.soname.empty())
        add(DT_SONAME, names.add(text.soname));
    if (!text.run_path.empty())
        add(DT_RUNPATH, names.add(text.run_path));
    std::string needs, defines;
    if (!text.needs_glibc.empty()) {
        Elf64_Verneed need{};
        need.vn_version = 1;
        need.vn_cnt = 1;
        need.vn_file = static_cast<Elf64_Word>(names.add("libc.so.6"));
        need.vn_aux = sizeof need;
        Elf64_Vernaux version{};
        version.vna_name = static_cast<Elf64_Word>(names.add("GLIBC_" + text.needs_glibc));
        needs = bytes_of(need) + bytes_of(version);
    }
    for (const std::string& one : text.defines_glibc) {
        Elf64_Verdef definition{};
        definition.vd_version = 1;
        definition.vd_cnt = 1;
        definition.vd_aux = sizeof definition;
        definition.vd_next = &one == &text.defines_glibc.back() ? 0 : sizeof definition + sizeof(Elf64_Verdaux);
        Elf64_Verdaux name{};
        name.vda_name = static_cast<Elf64_Word>(names.add("GLIBC_" + one));
        defines += bytes_of(definition) + bytes_of(name);
    }
    const std::size_t start = sizeof(Header) + 2 * sizeof(Segment);
    const std::size_t entry_count = entries.size() + 7, names_at = start + entry_count * sizeof(Entry);
    const std::size_t needs_at = names_at + names.text().size(), defines_at = needs_at + needs.size();
    constexpr std::size_t base = 0x1000; // addresses are not offsets
    add(DT_STRTAB, base + names_at);
    add(DT_STRSZ, names.text().size());
    add(needs.empty() ? DT_DEBUG : DT_VERNEED, base + needs_at);
    add(needs.empty() ? DT_DEBUG : DT_VERNEEDNUM, 1);
    add(defines.empty() ? DT_DEBUG : DT_VERDEF, base + defines_at);
    add(defines.empty() ? DT_DEBUG : DT_VERDEFNUM, text.defines_glibc.size());
    add(DT_NULL, 0);

    Header header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = kind;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    header.e_type = ET_DYN;
    header.e_machine = static_cast<Elf64_Half>(machine);
    header.e_version = EV_CURRENT;
    header.e_phoff = sizeof header;
    header.e_ehsize = sizeof header;
    header.e_phentsize = sizeof(Segment);
    header.e_phnum = 2;
    const std::size_t size = defines_at + defines.size();
    Segment load{}, dynamic{};
    load.p_type = PT_LOAD;
    load.p_vaddr = base;
    load.p_filesz = load.p_memsz = static_cast<decltype(load.p_filesz)>(size);
    dynamic.p_type = PT_DYNAMIC;
    dynamic.p_offset = static_cast<decltype(dynamic.p_offset)>(start);
    dynamic.p_vaddr = static_cast<decltype(dynamic.p_vaddr)>(base + start);
    dynamic.p_filesz = static_cast<decltype(dynamic.p_filesz)>(entries.size() * sizeof(Entry));
    std::string file = bytes_of(header) + bytes_of(load) + bytes_of(dynamic);
    for (const Entry& entry : entries)
        file += bytes_of(entry);
    return file + names.text() + needs + defines;
}

} // namespace

std::string elf_file(const ElfText& text) {
#if defined(__aarch64__)
    constexpr unsigned own = EM_AARCH64;
#else
    constexpr unsigned own = EM_X86_64;
#endif
    if (text.bits == 32)
        return written<Elf32_Ehdr, Elf32_Phdr, Elf32_Dyn>(text, ELFCLASS32, text.machine != 0 ? text.machine : EM_386);
    return written<Elf64_Ehdr, Elf64_Phdr, Elf64_Dyn>(text, ELFCLASS64, text.machine != 0 ? text.machine : own);
}

} // namespace doctor_test
