#include "module.hpp"
#include "world.hpp"
#include <cstdlib>
#include <cstring>
#include <elf.h>

namespace virtual_cuda {

namespace {

constexpr unsigned char elf_cuda_abi_8 = 0x41; ///< OS ABI of CUDA 13's machine code: the architecture moved one byte up

/// Devices of this capability stand for those that NVRTC knows: what devq gives them has to be machine code, and fit.
constexpr int machine_code_only = 80;

/// PTX version that a driver reads at most: 8.N came with 12.N at first, then versions were left out.
int ptx_version(int driver_version) {
    struct Pair {
        int driver, ptx;
    };
    static constexpr Pair pairs[] = {{13000, 90}, {12090, 88}, {12080, 87}, {12070, 86}, {12050, 85}, {12040, 84},
                                     {12030, 83}, {12020, 82}, {12010, 81}, {12000, 80}, {11080, 78}};
    for (const Pair& pair : pairs)
        if (driver_version >= pair.driver)
            return pair.ptx + (pair.driver == 13000 ? (driver_version - 13000) / 10 : 0);
    return 70;
}

/// The number behind `word`, "9.0" as 90 and "sm_80" as 80; -1 where there is none.
int number_after(const std::string& text, const std::string& word) {
    const std::size_t at = text.find(word);
    if (at == text.npos)
        return -1;
    const char* place = text.c_str() + at + word.size();
    char* end = nullptr;
    long number = std::strtol(place, &end, 10);
    if (*end == '.')
        number = number * 10 + std::strtol(end + 1, &end, 10);
    return end == place ? -1 : static_cast<int>(number);
}

abi::Result read_ptx(const std::string& text, int driver_version, ModuleState& module, std::string& log) {
    const int version = number_after(text, ".version "), target = number_after(text, ".target sm_");
    if (version < 0 || target < 0) {
        log = "neither PTX nor machine code";
        return abi::invalid_image;
    }
    if (version > ptx_version(driver_version)) {
        log = "PTX of version " + std::to_string(version) + " is too new for this driver";
        return abi::unsupported_ptx_version;
    }
    if (module.device->capability == machine_code_only) {
        log = "this device takes machine code only";
        return abi::no_binary_for_gpu;
    }
    if (target > module.device->capability) {
        log = "PTX for sm_" + std::to_string(target);
        return abi::no_binary_for_gpu;
    }
    ModuleData data;
    Memory& memory = module.device->memory;
    try {
        auto kernels = parse(text, data); // how much data there is shows only now
        if (!data.bytes.empty()) {
            data.base = module.data = memory.allocate(data.bytes.size());
            if (module.data == 0)
                return abi::out_of_memory;
            data.bytes.clear();
            kernels = parse(text, data);
            std::memcpy(memory.find_written(module.data, data.bytes.size()), data.bytes.data(), data.bytes.size());
        }
        for (auto& [name, kernel] : kernels)
            module.functions[name] = {&module, std::make_shared<const Kernel>(std::move(kernel))};
    } catch (const std::exception& error) {
        log = error.what();
        return abi::invalid_ptx;
    }
    return abi::success;
}

/// The kernels are the sections .text.NAME.
abi::Result read_elf(const char* image, ModuleState& module, std::string& log) {
    Elf64_Ehdr header;
    std::memcpy(&header, image, sizeof header);
    constexpr unsigned machine_cuda = 190;
    const unsigned shift = header.e_ident[EI_OSABI] == elf_cuda_abi_8 ? 8 : 0;
    const int architecture = static_cast<int>(header.e_flags >> shift & 0xff);
    if (header.e_machine != machine_cuda || header.e_ident[EI_CLASS] != ELFCLASS64) {
        log = "not machine code of a GPU";
        return abi::invalid_image;
    }
    if (architecture != module.device->capability) {
        log = "machine code for sm_" + std::to_string(architecture);
        return abi::no_binary_for_gpu;
    }
    std::vector<Elf64_Shdr> sections(header.e_shnum);
    std::memcpy(sections.data(), image + header.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    const char* names = image + sections.at(header.e_shstrndx).sh_offset;
    for (const Elf64_Shdr& section : sections)
        if (const std::string name = names + section.sh_name; name.starts_with(".text."))
            module.functions[name.substr(6)] = {&module, nullptr};
    return abi::success;
}

} // namespace

abi::Result read_module(const char* image, int driver_version, ModuleState& module, std::string& log) {
    return std::memcmp(image, ELFMAG, SELFMAG) == 0 ? read_elf(image, module, log)
                                                    : read_ptx(image, driver_version, module, log);
}

ModuleState::~ModuleState() {
    if (data != 0)
        device->memory.free(data);
}

} // namespace virtual_cuda
