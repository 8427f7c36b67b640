/// Makes network input of images on a device (resize, crop, flip, normalise in one pass), and draws before and after.

#include "image.hpp"
#include <algorithm>
#include <array>
#include <CLI/CLI.hpp>
#include <cmath>
#include <cstdio>
#include <devq/devq.hpp>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

using preprocess::Image;

struct Options {
    std::string device, method = "bilinear_antialias", dtype = "f32";
    std::vector<std::filesystem::path> images;
    std::filesystem::path folder = ".";
    std::vector<std::int64_t> size{224, 224};
    std::vector<float> box;
    std::vector<float> mean{0.485f, 0.456f, 0.406f}, deviation{0.229f, 0.224f, 0.225f};
    bool flip = false, bgr = false, decoded = false;

    /// Which of red, green and blue a channel of the result is.
    std::size_t colour(std::size_t channel) const { return bgr ? 2 - channel : channel; }
};

// Exit codes as those of the devq tool.
enum Exit { done = 0, wrong_usage = 2, no_device = 3, failed = 4 };

std::vector<std::filesystem::path> default_images() {
    const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    return {folder / "china.jpg", folder / "flower.jpg"};
}

devq::ops::Resampling method_of(const std::string& name) {
    for (const auto method : {devq::ops::Resampling::nearest, devq::ops::Resampling::bilinear})
        if (devq::ops::to_string(method) == name)
            return method;
    return devq::ops::Resampling::bilinear_antialias;
}

/// One image on the device: f32 [1, 3, rows, columns], normalised.
std::vector<float> prepare(const devq::Queue& queue, const Image& image, const Options& options) {
    const devq::Device device = queue.device();
    const devq::Tensor in(device, devq::DType::u8, {1, image.rows, image.columns, 3});
    queue.write(in.buffer(), 0, image.pixels.data(), image.pixels.size());
    devq::ops::ResizeNormalizeOptions how;
    how.method = method_of(options.method);
    how.swap_red_blue = options.bgr;
    for (std::size_t c = 0; c < 3; c++) {
        how.mean[c] = options.mean[options.colour(c)];
        how.std[c] = options.deviation[options.colour(c)];
    }
    const devq::Tensor box(device, devq::DType::f32, {1, 4}), flip(device, devq::DType::u8, {1});
    if (!options.box.empty()) {
        queue.write(box.buffer(), 0, options.box.data(), 4 * sizeof(float));
        how.boxes = box.view();
    }
    if (options.flip) {
        queue.write(flip.buffer(), 0, "\1", 1);
        how.flip = flip.view();
    }
    const devq::Dims sizes{1, 3, options.size[0], options.size[1]};
    const devq::Tensor out(device, devq::dtype_from_string(options.dtype), sizes);
    devq::ops::resize_normalize(queue, out, in, how);
    devq::Tensor wide = out;
    if (options.dtype != "f32") {
        wide = devq::Tensor(device, devq::DType::f32, sizes);
        devq::ops::cast(queue, wide, out);
    }
    std::vector<float> values(static_cast<std::size_t>(out.view().elements()));
    queue.read(values.data(), wide.buffer(), 0, values.size() * sizeof(float));
    return values;
}

/// What the network sees, as colours again.
Image picture_of(const std::vector<float>& values, const Options& options) {
    Image image{static_cast<int>(options.size[0]), static_cast<int>(options.size[1]), {}};
    const std::size_t pixels = values.size() / 3;
    image.pixels.resize(values.size());
    for (std::size_t c = 0; c < 3; c++)
        for (std::size_t i = 0; i < pixels; i++) {
            const std::size_t colour = options.colour(c);
            const float x = (values[c * pixels + i] * options.deviation[colour] + options.mean[colour]) * 255;
            image.pixels[3 * i + colour] = static_cast<std::uint8_t>(std::lround(std::clamp(x, 0.0f, 255.0f)));
        }
    return image;
}

int run(const Options& options) {
    const devq::Device device = devq::open_device(options.device);
    const devq::Queue queue = device.create_queue();
    for (const auto& file : options.images) {
        const Image image = preprocess::load_image(file);
        const std::vector<float> values = prepare(queue, image, options);
        const auto named = [&](const char* what) { return options.folder / (file.stem().string() + what); };
        if (options.decoded)
            preprocess::save_png(named("-decoded.png"), image);
        const auto target = named("-before-after.png");
        preprocess::save_png(target, preprocess::side_by_side(image, picture_of(values, options)));
        const auto [least, most] = std::minmax_element(values.begin(), values.end());
        fmt::print("{} {}: {}x{} to {} [1, 3, {}, {}], values {:.3f} to {:.3f}; {}\n", device.info().id,
                   file.filename().string(), image.columns, image.rows, options.dtype, options.size[0], options.size[1],
                   values.empty() ? 0 : *least, values.empty() ? 0 : *most, target.string());
    }
    return done;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Makes network input of images on a device, and draws each before and after: NAME-before-after.png.",
                 "preprocess");
    Options options;
    options.images = default_images();
    app.add_option("images", options.images, "JPEG or PNG files; two photographs when left out");
    app.add_option("--device", options.device, "e.g. cpu:0 or gpu; the best one when left out")->envname("DEVQ_DEVICE");
    app.add_option("--out", options.folder, "folder for the pictures")->check(CLI::ExistingDirectory);
    app.add_option("--size", options.size, "rows and columns of the result")
        ->expected(2)
        ->check(CLI::Range(1, 16384))
        ->capture_default_str();
    app.add_option("--method", options.method, "how to resize")
        ->check(CLI::IsMember({"nearest", "bilinear", "bilinear_antialias"}))
        ->capture_default_str();
    app.add_option("--dtype", options.dtype, "type of the result")
        ->check(CLI::IsMember({"f32", "f16", "bf16"}))
        ->capture_default_str();
    app.add_option("--box", options.box, "top, left, bottom and right of what is taken, in pixels")->expected(4);
    app.add_option("--mean", options.mean, "of red, green, blue, from 0 to 1")->expected(3)->capture_default_str();
    app.add_option("--std", options.deviation, "of red, green, blue")->expected(3)->capture_default_str();
    app.add_flag("--flip", options.flip, "left and right");
    app.add_flag("--bgr", options.bgr, "blue first");
    app.add_flag("--decoded", options.decoded, "write NAME-decoded.png, too: the image as it was read");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? done : wrong_usage;
    }
    try {
        return run(options);
    } catch (const devq::Error& error) {
        fmt::print(stderr, "preprocess: {}\n", error.what());
        return error.code() == devq::ErrorCode::invalid_argument ? wrong_usage
               : error.code() == devq::ErrorCode::unavailable    ? no_device
                                                                 : failed;
    } catch (const std::exception& error) {
        fmt::print(stderr, "preprocess: {}\n", error.what());
        return failed;
    }
}
