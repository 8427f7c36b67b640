#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

namespace digits {

inline constexpr std::int64_t pixels_per_image = 64;
inline constexpr std::int64_t classes = 10;
inline constexpr std::int64_t train_rows = 1437; ///< the first rows of the file; the rest are for testing
inline constexpr std::int64_t test_rows = 360;

/// The whole data set on the host, as the file has it.
struct Dataset {
    std::vector<float> pixels;        ///< row-major [train_rows + test_rows, 64], each 0 to 16
    std::vector<std::int32_t> labels; ///< 0 to 9
};

/// Reads gzipped lines of 64 pixels and a label, separated by commas. Throws std::runtime_error that names the line.
Dataset load_dataset(const std::filesystem::path& file);

} // namespace digits
