// Speeds on a CUDA device, one side a run: `bench_gpu --side portable|vendor|direct`. Prints one JSON document.
// tests/gpu/run runs it, and PyTorch on the same rows (`--rows` names them).
#include "rows.hpp"
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

using namespace devq;
using namespace devq::bench;
using Json = nlohmann::ordered_json;

namespace {

template <class T>
Json value(const std::optional<T>& one) {
    return one ? Json(*one) : Json(nullptr);
}

Json described(const Row& row) {
    return {{"op", row.op},
            {"dtype", std::string(to_string(row.type))},
            {"shape", row.shape},
            {"batch", row.batch},
            {"m", row.m},
            {"n", row.n},
            {"k", row.k},
            {"images", row.images},
            {"channels", row.channels},
            {"filters", row.filters},
            {"size", row.size},
            {"bytes", row.bytes},
            {"flops", row.flops()}};
}

} // namespace

int main(int count, char** words) {
    CLI::App app("Speeds of one side on a CUDA device, as JSON");
    std::string side = "vendor", device_name = "cuda:0";
    double seconds = 0.15, limit = 100;
    bool quick = false, names = false;
    app.add_option("--side", side)->check(CLI::IsMember({"portable", "vendor", "direct"}));
    app.add_option("--device", device_name, "cuda:N");
    app.add_option("--seconds", seconds, "for each row")->check(CLI::Range(0.0, 60.0));
    app.add_option("--limit", limit, "seconds for all rows: what is left then is left out")
        ->check(CLI::Range(1.0, 3600.0));
    app.add_flag("--quick", quick, "sizes for a simulator, each row run once");
    app.add_flag("--rows", names, "only name the rows");
    CLI11_PARSE(app, count, words);
    try {
        Json out = {{"side", side}, {"device", device_name}, {"versions", Json::object()}, {"rows", Json::array()}};
        std::unique_ptr<Direct> direct;
        std::optional<Queue> queue;
        if (!names && side == "direct") {
            direct = std::make_unique<Direct>(std::atoi(device_name.c_str() + device_name.find(':') + 1));
            for (const auto& [name, version] : direct->versions())
                out["versions"][name] = version;
        } else if (!names) {
            queue = open_device(device_name).create_queue();
        }
        const auto start = std::chrono::steady_clock::now();
        for (const Row& row : rows(quick)) {
            Json line = described(row);
            if (!names) {
                Result result;
                if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > limit)
                    result.error = "left out: the time was up";
                else if (direct)
                    result = direct->run(row, quick ? 0 : seconds);
                else
                    result = run_devq(*queue, row, side == "vendor" ? ops::Path::vendor : ops::Path::portable,
                                      quick ? 0 : seconds);
                line["path"] = result.error.empty() ? Json(result.path) : Json(nullptr);
                line["ms_min"] = value(result.ms_min);
                line["ms_median"] = value(result.ms_median);
                line["sum"] = value(result.sum);
                line["error"] = result.error.empty() ? Json(nullptr) : Json(result.error);
            }
            out["rows"].push_back(line);
        }
        std::cout << out.dump(1) << '\n';
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_gpu: %s\n", error.what());
        return 4;
    }
}
