// What users compare with: the results that Pillow makes of the same photographs (tests/data/preprocess).
#include "../../../examples/preprocess/image.hpp"
#include "../../conformance/test_devices.hpp"
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <devq/devq.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <optional>
#include <unistd.h>

using namespace devq;
using preprocess::Image;

namespace {

const std::filesystem::path root = DEVQ_SOURCE_ROOT;

Image photograph(const std::string& name) {
    return preprocess::load_image(root / "examples/preprocess/data" / (name + ".jpg"));
}

struct Reference {
    const char *name, *photograph;
    std::array<float, 4> box; ///< all 0: the whole image
    ops::Resampling method;
};
constexpr Reference references[] = {
    {"china-224", "china", {}, ops::Resampling::bilinear_antialias},
    {"flower-224", "flower", {}, ops::Resampling::bilinear_antialias},
    {"china-box", "china", {100, 37, 411, 598}, ops::Resampling::bilinear_antialias},
    {"flower-grown", "flower", {120, 200, 168, 264}, ops::Resampling::bilinear_antialias},
    {"flower-grown", "flower", {120, 200, 168, 264}, ops::Resampling::bilinear}, // the same where it grows
    {"flower-nearest", "flower", {}, ops::Resampling::nearest},
};

/// The largest difference from `wanted`, in units of a colour from 0 to 1.
double difference(const Queue& queue, const Reference& reference, DType type, const Image& wanted) {
    const Image image = photograph(reference.photograph);
    const Tensor in(queue.device(), DType::u8, {1, image.rows, image.columns, 3});
    queue.write(in.buffer(), 0, image.pixels.data(), image.pixels.size());
    const Tensor box(queue.device(), DType::f32, {1, 4});
    queue.write(box.buffer(), 0, reference.box.data(), sizeof(reference.box));
    ops::ResizeNormalizeOptions options{.method = reference.method};
    if (reference.box[2] > 0)
        options.boxes = box.view();
    const Dims sizes{1, 3, wanted.rows, wanted.columns};
    const Tensor out(queue.device(), type, sizes), wide(queue.device(), DType::f32, sizes);
    ops::resize_normalize(queue, out, in, options);
    if (type != DType::f32)
        ops::cast(queue, wide, out);
    std::vector<float> values(wanted.pixels.size());
    queue.read(values.data(), (type == DType::f32 ? out : wide).buffer(), 0, values.size() * sizeof(float));
    double worst = 0;
    const std::size_t pixels = values.size() / 3;
    for (std::size_t i = 0; i < values.size(); i++) {
        const double off = std::fabs(values[i] - wanted.pixels[i % pixels * 3 + i / pixels] / 255.0);
        worst = std::isnan(off) ? 1 : std::max(worst, off);
    }
    return worst;
}

} // namespace

TEST_CASE("photographs come out as Pillow makes them") {
    for (const Device& device : conformance::devices_to_test()) {
        const Queue queue = device.create_queue();
        for (const Reference& reference : references)
            for (const DType type : {DType::f32, DType::f16, DType::bf16}) {
                const Image wanted =
                    preprocess::load_image(root / "tests/data/preprocess" / (std::string(reference.name) + ".png"));
                const double worst = difference(queue, reference, type, wanted);
                MESSAGE(fmt::format("{} {} {} {}: {:.4f}/255", device.info().id, reference.name,
                                    ops::to_string(reference.method), to_string(type), worst * 255));
                // References are rounded to bytes; numbers up to 1 to half a unit of the type in its last place.
                const double rounding = type == DType::bf16 ? 0x1p-9 : type == DType::f16 ? 0x1p-12 : 0;
                CHECK(worst <= 0.501 / 255 + rounding);
                CHECK(worst <= 1.0 / 255);
            }
    }
}

TEST_CASE("the example draws before and after") {
    const auto build = std::filesystem::read_symlink("/proc/self/exe").parent_path();
    const auto program = build / "examples/preprocess/preprocess";
    if (!std::filesystem::exists(program)) // built with -Dexamples=false
        return;
    const auto folder = std::filesystem::temp_directory_path() / fmt::format("devq-preprocess-{}", getpid());
    std::filesystem::create_directories(folder);
    const std::string command = fmt::format(
        "'{}' --device cpu:0 --out '{}' --size 64 80 --dtype f16 --bgr '{}' >'{}'", program.string(), folder.string(),
        (root / "examples/preprocess/data/flower.jpg").string(), (folder / "text").string());
    CAPTURE(command);
    CHECK(std::system(command.c_str()) == 0);
    const Image before = photograph("flower"), both = preprocess::load_image(folder / "flower-before-after.png");
    CHECK(both.rows == 427);
    CHECK(both.columns == 640 + 16 + 80);
    // The left part is the photograph itself, the right one about as bright as it.
    const auto mean = [](const Image& image, int first, int last, int top, int bottom) {
        double sum = 0;
        for (int y = top; y < bottom; y++)
            for (int x = 3 * first; x < 3 * last; x++)
                sum += image.pixels[static_cast<std::size_t>(y * image.columns * 3 + x)];
        return sum / (3.0 * (last - first) * (bottom - top));
    };
    CHECK(mean(both, 0, 640, 0, 427) == doctest::Approx(mean(before, 0, 640, 0, 427)).epsilon(1e-9));
    const int top = (427 - 64) / 2;
    CHECK(mean(both, 656, 736, top, top + 64) == doctest::Approx(mean(before, 0, 640, 0, 427)).epsilon(0.02));
    CHECK(std::system(fmt::format("'{}' --device cpu:0 /dev/null 2>/dev/null", program.string()).c_str()) != 0);
    std::filesystem::remove_all(folder);
}
