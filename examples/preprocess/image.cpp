#include "image.hpp"
#include <algorithm>
#include <memory>
#include <stdexcept>
#define STB_IMAGE_STATIC
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_STATIC
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>

namespace preprocess {

constexpr int channels = 3;

Image load_image(const std::filesystem::path& file) {
    Image image;
    int found = 0;
    const std::unique_ptr<stbi_uc, void (*)(void*)> pixels(
        stbi_load(file.c_str(), &image.columns, &image.rows, &found, channels), stbi_image_free);
    if (!pixels)
        throw std::runtime_error(file.string() + " cannot be read as an image: " + stbi_failure_reason());
    const auto size = static_cast<std::size_t>(image.rows) * static_cast<std::size_t>(image.columns) * channels;
    image.pixels.assign(pixels.get(), pixels.get() + size);
    return image;
}

void save_png(const std::filesystem::path& file, const Image& image) {
    if (stbi_write_png(file.c_str(), image.columns, image.rows, channels, image.pixels.data(),
                       image.columns * channels) == 0)
        throw std::runtime_error(file.string() + " cannot be written");
}

Image side_by_side(const Image& left, const Image& right) {
    constexpr int strip = 16;
    Image both{std::max(left.rows, right.rows), left.columns + strip + right.columns, {}};
    both.pixels.assign(static_cast<std::size_t>(both.rows) * static_cast<std::size_t>(both.columns) * channels, 255);
    const auto place = [&](const Image& image, int column) {
        const int top = (both.rows - image.rows) / 2, width = image.columns * channels;
        for (int y = 0; y < image.rows; y++)
            std::copy_n(image.pixels.begin() + std::ptrdiff_t{y} * width, width,
                        both.pixels.begin() + (std::ptrdiff_t{top + y} * both.columns + column) * channels);
    };
    place(left, 0);
    place(right, left.columns + strip);
    return both;
}

} // namespace preprocess
