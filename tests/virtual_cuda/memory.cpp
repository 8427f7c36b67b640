#include "memory.hpp"
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace virtual_cuda {

using devq::cuda::abi::DevicePointer;

DevicePointer Memory::allocate(std::size_t bytes) {
    if (bytes > total_ - used_)
        return 0;
    // Not zeros: nobody may rely on them. A block so large that this takes long is left to the system.
    auto content = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::memset(content.get(), 0xCD, std::min(bytes, std::size_t{16} << 20));
    const DevicePointer address = next_;
    next_ += (bytes + 255) / 256 * 256 + 4096; // a gap that belongs to nobody
    static const char* const checked = std::getenv("VIRTUAL_CUDA_CHECK_READS");
    auto marks = checked != nullptr && *checked == '1' ? std::make_unique<std::uint8_t[]>(bytes) : nullptr;
    blocks_.emplace(address, Block{std::move(content), bytes, std::move(marks)});
    used_ += bytes;
    return address;
}

bool Memory::free(DevicePointer address) {
    const auto found = blocks_.find(address);
    if (found == blocks_.end())
        return false;
    used_ -= found->second.bytes;
    blocks_.erase(found);
    return true;
}

Memory::Range Memory::range(DevicePointer address) const {
    auto after = blocks_.upper_bound(address);
    if (after == blocks_.begin())
        return {};
    const auto& [begin, block] = *--after;
    return address - begin <= block.bytes ? Range{begin, block.bytes, block.content.get(), block.marks.get()} : Range{};
}

std::byte* Memory::find(DevicePointer address, std::size_t bytes) const {
    const Range found = range(address);
    const std::size_t offset = address - found.begin;
    return found.content != nullptr && bytes <= found.bytes - offset ? found.content + offset : nullptr;
}

std::byte* Memory::find_written(DevicePointer address, std::size_t bytes, const Memory* from,
                                DevicePointer source) const {
    std::byte* const place = find(address, bytes);
    const Range to = range(address);
    if (place == nullptr || to.marks == nullptr)
        return place;
    std::uint8_t* const marks = to.marks + (address - to.begin);
    const Range origin = from != nullptr ? from->range(source) : Range{};
    if (origin.marks != nullptr)
        std::memcpy(marks, origin.marks + (source - origin.begin), bytes); // what was unknown there is unknown here
    else
        std::memset(marks, 1, bytes);
    return place;
}

} // namespace virtual_cuda
