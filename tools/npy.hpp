#pragma once
/// NumPy's .npy files (format 1.0 to 3.0, https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
/// little-endian arrays in C order.

#include <cstddef>
#include <cstdint>
#include <devq/dtype.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace devq::tools {

struct Array {
    DType type = DType::f32;
    std::vector<std::int64_t> sizes;
    std::vector<std::byte> bytes;
};

/// "64x64"
template <class Sizes>
std::string sizes_text(const Sizes& sizes, std::string_view between = "x") {
    std::string text;
    for (const auto size : sizes)
        text += (text.empty() ? "" : std::string(between)) + std::to_string(size);
    return text;
}

/// Throws WrongUsage, naming the file and what is wrong with it.
Array read_npy(const std::filesystem::path& file);
/// bf16, which NumPy does not have, is written as its bits (u16). Throws Error (unavailable) where the file cannot be
/// written; it then holds what it held before.
void write_npy(const std::filesystem::path& file, const Array& array);

} // namespace devq::tools
