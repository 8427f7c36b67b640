#pragma once
/// Images in files, by stb_image and stb_image_write (Sean Barrett and others; public domain or MIT).

#include <cstdint>
#include <filesystem>
#include <vector>

namespace preprocess {

/// RGB, one byte a channel, row after row.
struct Image {
    int rows = 0, columns = 0;
    std::vector<std::uint8_t> pixels;
};

/// JPEG, PNG, BMP, …; grey becomes RGB, and what is transparent loses that. Throws std::runtime_error, which says why.
Image load_image(const std::filesystem::path& file);
void save_png(const std::filesystem::path& file, const Image& image);
/// Both in one, left and right, with a strip between them.
Image side_by_side(const Image& left, const Image& right);

} // namespace preprocess
