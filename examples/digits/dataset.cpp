#include "dataset.hpp"
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <string_view>
#include <zlib.h>

namespace digits {
namespace {

struct CloseGzip {
    void operator()(gzFile file) const noexcept { gzclose(file); }
};
using GzipFile = std::unique_ptr<gzFile_s, CloseGzip>;

/// The number at the front of `text`, which loses it and the comma behind it.
int take_number(std::string_view& text, int lowest, int highest) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || value < lowest || value > highest)
        throw std::runtime_error(fmt::format("expected a number from {} to {} at \"{}\"", lowest, highest, text));
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.starts_with(','))
        text.remove_prefix(1);
    return value;
}

} // namespace

Dataset load_dataset(const std::filesystem::path& file) {
    const GzipFile input(gzopen(file.c_str(), "rb"));
    if (!input)
        throw std::runtime_error(fmt::format("cannot open {}: say where the data is with --data FILE", file.string()));

    Dataset data;
    std::array<char, 1024> line{};
    while (gzgets(input.get(), line.data(), static_cast<int>(line.size()))) {
        std::string_view text = line.data();
        try {
            for (int i = 0; i < pixels_per_image; ++i)
                data.pixels.push_back(static_cast<float>(take_number(text, 0, 16)));
            data.labels.push_back(take_number(text, 0, classes - 1));
        } catch (const std::runtime_error& error) {
            throw std::runtime_error(fmt::format("{}:{}: {}", file.string(), data.labels.size() + 1, error.what()));
        }
    }
    if (data.labels.size() != train_rows + test_rows)
        throw std::runtime_error(fmt::format("{} has {} digits where {} are expected", file.string(),
                                             data.labels.size(), train_rows + test_rows));
    return data;
}

} // namespace digits
