#include "memory.hpp"
#include <algorithm>
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
    blocks_.emplace(address, Block{std::move(content), bytes});
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
    return address - begin <= block.bytes ? Range{begin, block.bytes, block.content.get()} : Range{};
}

std::byte* Memory::find(DevicePointer address, std::size_t bytes) const {
    const Range found = range(address);
    const std::size_t offset = address - found.begin;
    return found.content != nullptr && bytes <= found.bytes - offset ? found.content + offset : nullptr;
}

} // namespace virtual_cuda
