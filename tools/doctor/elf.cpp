#include "elf.hpp"
#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fstream>
#include <string_view>

namespace devq::doctor {

namespace {

/// Reads of a file at offsets; everything outside it reads as nothing.
class Bytes {
public:
    explicit Bytes(const std::filesystem::path& file) {
        std::error_code error;
        if (std::filesystem::is_regular_file(file, error)) // a pipe would have no end
            stream_.open(file, std::ios::binary);
    }
    bool open() const { return stream_.is_open(); }

    bool copy(std::uint64_t offset, void* to, std::size_t size) {
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        stream_.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
        return stream_.gcount() == static_cast<std::streamsize>(size);
    }
    std::string block(std::uint64_t offset, std::size_t size) {
        std::string text(std::min<std::size_t>(size, 8u << 20), '\0');
        stream_.clear();
        stream_.seekg(static_cast<std::streamoff>(offset));
        stream_.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream_.gcount(), 0)));
        return text;
    }

private:
    std::ifstream stream_;
};

std::string text_at(const std::string& table, std::uint64_t offset) {
    return offset < table.size() ? std::string(table.c_str() + offset) : std::string();
}

struct Elf32 {
    using Header = Elf32_Ehdr;
    using Segment = Elf32_Phdr;
    using Entry = Elf32_Dyn;
};
struct Elf64 {
    using Header = Elf64_Ehdr;
    using Segment = Elf64_Phdr;
    using Entry = Elf64_Dyn;
};

template <class T>
T at(const std::string& block, std::size_t offset) {
    T value{};
    if (offset <= block.size() && block.size() - offset >= sizeof value)
        std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
}

template <class Kind>
class Reader {
public:
    Reader(Bytes& bytes, ElfFile& result) : bytes_(bytes), result_(result) {}

    void read() {
        typename Kind::Header header{};
        if (!bytes_.copy(0, &header, sizeof header)) {
            result_.problem = "is cut short";
            return;
        }
        result_.machine = header.e_machine;
        segments_.resize(std::min<std::size_t>(header.e_phnum, 256));
        for (std::size_t i = 0; i < segments_.size(); ++i)
            if (!bytes_.copy(header.e_phoff + i * sizeof segments_[i], &segments_[i], sizeof segments_[i])) {
                result_.problem = "is cut short";
                return;
            }
        for (const auto& segment : segments_)
            if (segment.p_type == PT_DYNAMIC)
                dynamic(bytes_.block(segment.p_offset, segment.p_filesz));
    }

private:
    std::uint64_t offset_of(std::uint64_t address) const {
        for (const auto& segment : segments_)
            if (segment.p_type == PT_LOAD && address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz)
                return address - segment.p_vaddr + segment.p_offset;
        return ~std::uint64_t{0} >> 1u;
    }

    void dynamic(const std::string& block) {
        std::vector<typename Kind::Entry> entries(block.size() / sizeof(typename Kind::Entry));
        if (!entries.empty())
            std::memcpy(entries.data(), block.data(), entries.size() * sizeof(typename Kind::Entry));
        const auto value = [&](std::int64_t tag) -> std::uint64_t {
            for (const auto& entry : entries)
                if (entry.d_tag == tag)
                    return entry.d_un.d_val;
            return 0;
        };
        const std::string names = bytes_.block(offset_of(value(DT_STRTAB)), value(DT_STRSZ));
        for (const auto& entry : entries) {
            if (entry.d_tag == DT_NULL)
                break;
            if (entry.d_tag == DT_NEEDED)
                result_.needed.push_back(text_at(names, entry.d_un.d_val));
        }
        if (value(DT_SONAME) != 0)
            result_.soname = text_at(names, value(DT_SONAME));
        const std::uint64_t paths = value(DT_RUNPATH) != 0 ? value(DT_RUNPATH) : value(DT_RPATH);
        if (paths != 0) {
            std::string text = text_at(names, paths);
            for (std::size_t begin = 0; begin <= text.size();) {
                const std::size_t end = std::min(text.find(':', begin), text.size());
                result_.run_path.push_back(text.substr(begin, end - begin));
                begin = end + 1;
            }
        }
        versions(names, value(DT_VERNEED), value(DT_VERNEEDNUM), value(DT_VERDEF), value(DT_VERDEFNUM));
    }

    // The version records are alike in both classes.
    void versions(const std::string& names, std::uint64_t needed, std::uint64_t needed_count, std::uint64_t defined,
                  std::uint64_t defined_count) {
        constexpr std::size_t most = 1u << 16;
        const std::string wants = needed != 0 ? bytes_.block(offset_of(needed), most) : std::string();
        for (std::size_t offset = 0, i = 0; i < needed_count && offset < wants.size(); ++i) {
            const auto record = at<Elf64_Verneed>(wants, offset);
            for (std::size_t part = offset + record.vn_aux, j = 0; j < record.vn_cnt && part < wants.size(); ++j) {
                const auto version = at<Elf64_Vernaux>(wants, part);
                result_.needs_versions.push_back(text_at(names, version.vna_name));
                if (version.vna_next == 0)
                    break;
                part += version.vna_next;
            }
            if (record.vn_next == 0)
                break;
            offset += record.vn_next;
        }
        const std::string has = defined != 0 ? bytes_.block(offset_of(defined), most) : std::string();
        for (std::size_t offset = 0, i = 0; i < defined_count && offset < has.size(); ++i) {
            const auto record = at<Elf64_Verdef>(has, offset);
            result_.has_versions.push_back(text_at(names, at<Elf64_Verdaux>(has, offset + record.vd_aux).vda_name));
            if (record.vd_next == 0)
                break;
            offset += record.vd_next;
        }
    }

    Bytes& bytes_;
    ElfFile& result_;
    std::vector<typename Kind::Segment> segments_;
};

} // namespace

ElfFile read_elf(const std::filesystem::path& file) {
    ElfFile result;
    Bytes bytes(file);
    unsigned char ident[EI_NIDENT] = {};
    std::error_code error;
    if (!bytes.open())
        result.problem = "cannot be read";
    else if (std::filesystem::file_size(file, error) == 0)
        result.problem = "is empty";
    else if (!bytes.copy(0, ident, sizeof ident) || std::memcmp(ident, ELFMAG, SELFMAG) != 0)
        result.problem = "is no ELF file";
    if (!result.problem.empty())
        return result;
    result.bits = ident[EI_CLASS] == ELFCLASS32 ? 32 : 64;
    if (ident[EI_CLASS] == ELFCLASS32)
        Reader<Elf32>(bytes, result).read();
    else
        Reader<Elf64>(bytes, result).read();
    return result;
}

unsigned own_machine() noexcept {
#if defined(__x86_64__)
    return EM_X86_64;
#elif defined(__aarch64__)
    return EM_AARCH64;
#else
    return 0; // every library counts as ours
#endif
}

std::string machine_name(unsigned machine) {
    switch (machine) {
    case EM_X86_64:
        return "x86-64";
    case EM_386:
        return "i386";
    case EM_AARCH64:
        return "aarch64";
    case EM_PPC64:
        return "ppc64";
    default:
        return "machine " + std::to_string(machine);
    }
}

} // namespace devq::doctor
