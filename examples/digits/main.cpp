/// Trains a small network on handwritten digits, on every device and in every type that is asked for, by one code path.

#include "dataset.hpp"
#include "training.hpp"
#include <CLI/CLI.hpp>
#include <cmath>
#include <devq/devq.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

struct Options {
    std::string device, dtype = "all";
    std::filesystem::path data;
    bool json = false;
    digits::TrainingOptions training;
};

// Exit codes as those of the devq tool.
enum Exit { done = 0, wrong_usage = 2, no_device = 3, device_failed = 4 };

/// The data lies beside the program, in the build folder as in an installed tree.
std::filesystem::path default_data() {
    return std::filesystem::read_symlink("/proc/self/exe").parent_path() / "digits.csv.gz";
}

/// A bar on stderr that one epoch after another fills; nothing where stderr is no terminal.
class ProgressBar {
public:
    ProgressBar(std::string title, int epochs) : title_(std::move(title)), epochs_(epochs), shown_(isatty(2) != 0) {}
    ~ProgressBar() {
        if (shown_)
            fmt::print(stderr, "\r\033[K");
    }
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    void show(int epoch, double loss) const {
        if (!shown_)
            return;
        const int width = 30, filled = width * epoch / epochs_;
        fmt::print(stderr, "\r{} [{:#<{}}{:.<{}}] {:>{}}/{} loss {:.4f}", title_, "", filled, "", width - filled, epoch,
                   std::to_string(epochs_).size(), epochs_, loss);
        std::fflush(stderr);
    }

private:
    std::string title_;
    int epochs_;
    bool shown_;
};

std::vector<devq::DType> chosen_types(const std::string& name) {
    if (name == "all")
        return {devq::DType::f32, devq::DType::f16, devq::DType::bf16};
    return {devq::dtype_from_string(name)};
}

/// Trains on one device in one type, prints the outcome and returns it for --json.
nlohmann::json run(const devq::Device& device, devq::DType type, const digits::Dataset& data, const Options& options) {
    const std::string title = fmt::format("digits {} {}", device.info().id, devq::to_string(type));
    digits::TrainingResult result;
    {
        const ProgressBar bar(title, options.training.epochs);
        result =
            digits::train(device, type, data, options.training, [&](int epoch, double loss) { bar.show(epoch, loss); });
    }
    if (!options.json)
        fmt::print("{} accuracy {:.3f} {:.2f} s\n", title, result.accuracy, result.seconds);
    std::fflush(stdout);
    const auto number = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
    return {{"device", device.info().id},    {"name", device.info().name},        {"dtype", devq::to_string(type)},
            {"seed", options.training.seed}, {"epochs", options.training.epochs}, {"accuracy", number(result.accuracy)},
            {"loss", number(result.loss)},   {"seconds", number(result.seconds)}};
}

int train_everywhere(const Options& options) {
    const digits::Dataset data = digits::load_dataset(options.data);
    const devq::Inventory inventory = devq::list_devices(options.device);
    if (inventory.devices.empty()) {
        fmt::print(stderr, "digits: no device matches \"{}\"; `devq list` shows those that there are\n",
                   options.device);
        return no_device;
    }
    int status = done;
    nlohmann::json results = nlohmann::json::array();
    for (const devq::DeviceInfo& info : inventory.devices) {
        // One device that fails is no reason to leave the others out.
        try {
            const devq::Device device = devq::open_device(info.id);
            for (const devq::DType type : chosen_types(options.dtype))
                results.push_back(run(device, type, data, options));
        } catch (const devq::Error& error) {
            fmt::print(stderr, "digits: {}: {}\n", info.id, error.what());
            status = device_failed;
        }
    }
    if (options.json)
        fmt::print("{}\n", nlohmann::json{{"results", results}}.dump(2));
    return status;
}

} // namespace

int main(int argc, char** argv) {
    CLI::App app("Trains a 64-256-256-10 network on handwritten digits, on each device in each type.", "digits");
    Options options;
    options.data = default_data();
    app.add_option("--device", options.device, "devices to train on, e.g. cpu:0 or gpu; all of them when left out")
        ->envname("DEVQ_DEVICE");
    app.add_option("--dtype", options.dtype, "how weights and activations are stored")
        ->check(CLI::IsMember({"f32", "f16", "bf16", "all"}))
        ->capture_default_str();
    app.add_option("--seed", options.training.seed, "of the weights and of the order of the rows")
        ->capture_default_str();
    app.add_option("--epochs", options.training.epochs, "passes over the data")
        ->check(CLI::Range(1, 100000))
        ->capture_default_str();
    app.add_option("--data", options.data, "the data set");
    app.add_flag("--json", options.json, "one JSON document instead of lines");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? done : wrong_usage;
    }
    try {
        return train_everywhere(options);
    } catch (const devq::Error& error) {
        fmt::print(stderr, "digits: {}\n", error.what());
        return error.code() == devq::ErrorCode::invalid_argument ? wrong_usage : device_failed;
    } catch (const std::exception& error) {
        fmt::print(stderr, "digits: {}\n", error.what());
        return device_failed;
    }
}
