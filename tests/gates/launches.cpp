// gate-launches PART PARTS: runs every kernel of devq's own in every shape that kernels/variants lists, through the
// operations and on the OpenCL device that there is (Oclgrind, see run), and judges the results. JSON on stdout: what
// was launched, and what was wrong.
// gate-launches FILE.cl KERNEL: launches one kernel with a planted fault, for Oclgrind to find. It takes a buffer, and
// runs as one group of as many work-items as the buffer has elements.
//
// A device picks its shapes by its class, its vectors and its local memory. Here each shape gets a device that says it
// is the one which that shape is for; all else is the OpenCL backend's.
#include "conformance/suite.hpp"
#include "state.hpp"
#include "subjects.hpp"
#include <array>
#include <charconv>
#include <cstdlib>
#include <devq/error.hpp>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string_view>

extern "C" const devq::backend::Module* devq_backend_module();

namespace {

using namespace devq;
using Json = nlohmann::ordered_json;
using gates::Subject;

/// Cases that launch every kernel of a file; small, since an interpreted work-item is some thousand times slower.
struct Selection {
    const char *file, *op, *shape;
};
constexpr Selection selections[] = {
    {"fill", "fill", "7x5 off1*"},
    {"elementwise", "gelu", "31x33*"},
    {"elementwise", "add", "33x65*"},
    {"elementwise_math", "sin", "31x33*"},
    {"elementwise_math", "atan2", "9x65*"},
    {"compare", "less", "9x65*"},
    {"compare", "is_nan", "31x33 special"},
    {"copy", "copy", "4099 as bits"},
    {"where", "where", "13x21*"},
    {"where", "where", "1021 in place of a"},
    {"pad", "pad", "19x40*"},
    {"batch_norm", "batch_norm*", "4x65x7 no gamma"},
    {"cast", "cast", "*1021"},
    {"matmul", "matmul", "m33 n65 k17 nn"},
    {"matmul", "matmul", "m3 n70 k300 nt*"},
    {"matmul", "matmul", "b3 m7 n65 k9*"},
    {"matmul", "matmul", "m19 n67 k33 nn to f32*"},
    {"matmul", "matmul", "m3 n70 k129 nt bias silu to f32*"},
    {"matmul", "matmul", "m1 n257 k131 nn to f32*"},
    {"conv2d", "conv2d", "1x5x11x14 f37 3x3 pad 1,1,1,1 bias"},
    {"reduce", "reduce_*", "33x65 axis ?"},
    {"reduce", "reduce_sum", "100003 axis 0 parts"},
    {"reduce", "reduce_argmin", "70001 axis 0 ties parts"},
    {"variance", "variance", "33x65 axis ?"},
    {"variance", "variance", "100003 axis 0 parts"},
    {"softmax", "softmax", "33x1* axis *"},
    {"softmax", "softmax_backward", "33x1* axis *"},
    {"attention", "attention", "b2 h3 q5 k7 d8"},
    {"attention_backward", "attention_backward", "b2 h3 q5 k7 d8 dqkv"},
    {"mse", "mse_loss", "37x3 mean"},
    {"mse", "mse_loss", "scalar per element*"},
    {"cross_entropy", "softmax_cross_entropy", "17x33*"},
    {"cross_entropy", "softmax_cross_entropy", "41x13 gradient ignored count"},
    {"optimizer", "sgd", "33x7*"},
    {"optimizer", "adam", "33x7*"},
    {"optimizer", "count_step", "41*"},
    {"optimizer", "unscale", "35*"},
    {"optimizer", "update_loss_scale", "growth"},
    {"clip", "clip_norm", "33x7, 64x256*"},
    {"preprocess", "resize_normalize", "2x37*"},
    {"random", "random_bits", "33x7*"},
    {"random", "uniform", "33x7*"},
    {"random", "normal", "33x7*"},
    {"random", "bernoulli", "33x7*"},
    {"random", "dropout", "33x7*"},
    {"gather", "gather_rows", "2? of 41x19*"},
    {"gather", "gather", "33x17 of *"},
    {"scatter", "scatter_add", "7x5 of *"},
    {"scatter", "embedding_backward", "10x33 of *"},
    {"scan", "scan", "33x65 axis ?"},
    {"scan", "scan", "9000 axis 0 in place"},
    {"histogram", "histogram", "33x65*"},
    {"histogram", "histogram", "3000 bins5000*"},
    {"sort", "sort", "33x17 axis*"},
    {"sort", "sort", "9x33*"},
    {"radix", "sort", "9x33*"},
    {"radix", "sort", "1x5000*"},
};

/// What one device was asked for.
struct Record {
    std::mutex mutex;
    std::map<const backend::Kernel*, std::string> names;
    std::set<std::string> launched;
    bool begun = false;       ///< the case has launched a kernel of the shape
    bool other_shape = false; ///< a case wanted another shape than the one that is looked at
};

class RecordingProgram final : public backend::Program {
public:
    RecordingProgram(std::shared_ptr<backend::Program> program, std::shared_ptr<Record> record)
        : program_(std::move(program)), record_(std::move(record)) {}
    std::shared_ptr<backend::Kernel> kernel(const std::string& name) override {
        auto kernel = program_->kernel(name);
        const std::lock_guard lock(record_->mutex);
        record_->names[kernel.get()] = name;
        return kernel;
    }
    const std::string& log() const override { return program_->log(); }

private:
    std::shared_ptr<backend::Program> program_;
    std::shared_ptr<Record> record_;
};

class RecordingQueue final : public backend::Queue {
public:
    RecordingQueue(std::unique_ptr<backend::Queue> queue, std::shared_ptr<Record> record)
        : queue_(std::move(queue)), record_(std::move(record)) {}
    void write(const std::shared_ptr<backend::Memory>& to, std::size_t offset, const void* source,
               std::size_t bytes) override {
        queue_->write(to, offset, source, bytes);
    }
    void read(void* to, const std::shared_ptr<backend::Memory>& source, std::size_t offset,
              std::size_t bytes) override {
        queue_->read(to, source, offset, bytes);
    }
    void copy(const std::shared_ptr<backend::Memory>& to, std::size_t to_offset,
              const std::shared_ptr<backend::Memory>& source, std::size_t offset, std::size_t bytes) override {
        queue_->copy(to, to_offset, source, offset, bytes);
    }
    void fill(const std::shared_ptr<backend::Memory>& to, std::size_t offset, std::size_t bytes, const void* pattern,
              std::size_t pattern_size) override {
        queue_->fill(to, offset, bytes, pattern, pattern_size);
    }
    void launch(const std::shared_ptr<backend::Kernel>& kernel, const backend::LaunchRange& range,
                std::span<const backend::Argument> arguments) override {
        queue_->launch(kernel, range, arguments);
        const std::lock_guard lock(record_->mutex);
        if (const auto name = record_->names.find(kernel.get()); name != record_->names.end()) {
            record_->launched.insert(name->second);
            record_->begun = true;
        }
    }
    std::shared_ptr<backend::Event> record() override { return queue_->record(); }
    void wait_for(const std::shared_ptr<backend::Event>& event) override { queue_->wait_for(event); }
    void flush() override { queue_->flush(); }
    void wait() override { queue_->wait(); }

private:
    std::unique_ptr<backend::Queue> queue_;
    std::shared_ptr<Record> record_;
};

/// Builds the shape that is looked at and what operations need beside it: kernels of other files, and other shapes of
/// its file once a case has begun. No identity: nothing is kept on disk.
class ShapeDevice final : public backend::Device {
public:
    ShapeDevice(std::shared_ptr<backend::Device> device, const Subject& subject, std::shared_ptr<Record> record)
        : device_(std::move(device)), record_(std::move(record)), capabilities_(device_->capabilities()),
          shape_(detail::variant_source(backend::SourceLanguage::opencl_c, subject.row, subject.text)) {
        const int local = detail::constant_int(subject.row.constants, "LOCAL");
        capabilities_.device_class = subject.row.device_class;
        capabilities_.vector_width =
            static_cast<unsigned>(std::max(detail::constant_int(subject.row.constants, "VW"), 1));
        if (local > 0)
            capabilities_.local_memory_bytes = static_cast<std::uint64_t>(local) << 10;
    }
    const Capabilities& capabilities() const override { return capabilities_; }
    backend::SourceLanguage language() const override { return device_->language(); }
    std::shared_ptr<backend::Memory> allocate(std::size_t bytes) override { return device_->allocate(bytes); }
    std::unique_ptr<backend::Queue> create_queue() override {
        return std::make_unique<RecordingQueue>(device_->create_queue(), record_);
    }
    std::shared_ptr<backend::Program> build(const backend::ProgramSource& source) override {
        const bool same_file = source.text == shape_.text, same_shape = same_file && source.defines == shape_.defines;
        if (!same_file || (!same_shape && record_->begun))
            return device_->build(source);
        if (!same_shape) {
            record_->other_shape = true;
            throw Error(ErrorCode::unsupported, {}, "another shape is not built here",
                        "Look at the shape's own device.");
        }
        return std::make_shared<RecordingProgram>(device_->build(source), record_);
    }

private:
    std::shared_ptr<backend::Device> device_;
    std::shared_ptr<Record> record_;
    Capabilities capabilities_;
    backend::ProgramSource shape_;
};

Json look_at(const std::shared_ptr<backend::Device>& real, const DeviceInfo& info, const Subject& subject) {
    const auto record = std::make_shared<Record>();
    auto state = std::make_shared<detail::DeviceState>();
    state->info = info;
    state->info.compute_units = 2;
    state->device = std::make_shared<ShapeDevice>(real, subject, record);
    state->builtins = detail::make_builtin_kernels();
    const Device device(std::move(state));
    const Queue queue = device.create_queue();
    Json wrong = Json::array();
    int cases = 0;
    for (const Selection& selection : selections) {
        if (subject.row.kernel_file != selection.file)
            continue;
        for (const auto* test : conformance::select({selection.op, "*", selection.shape, false})) {
            record->other_shape = record->begun = false;
            const auto result = conformance::run_case(queue, *test, 1);
            if (record->other_shape || !record->begun)
                continue;
            ++cases;
            if (result.status == conformance::Status::failed)
                wrong.push_back(test->name() + ": " + result.reason);
        }
    }
    return {{"file", subject.row.kernel_file},
            {"constants", subject.row.constants},
            {"cases", cases},
            {"launched", record->launched},
            {"wrong", wrong}};
}

/// What Oclgrind offers, which is the only device under it.
struct Interpreter {
    std::unique_ptr<backend::Backend> backend = devq_backend_module()->create();
    DeviceInfo info;
    std::shared_ptr<backend::Device> device;

    Interpreter() {
        const backend::Enumeration found = backend->enumerate();
        for (std::size_t i = 0; i < found.devices.size() && device == nullptr; ++i) {
            if (found.devices[i].name.find("Oclgrind") == std::string::npos)
                continue;
            info = found.devices[i];
            device = backend->open(i);
        }
        if (device == nullptr)
            throw std::runtime_error("this does not run under Oclgrind");
    }
};

Json launch_shapes(const Interpreter& interpreter, std::size_t part, std::size_t parts) {
    Json results = Json::array();
    const auto all = gates::subjects();
    for (std::size_t n = 0; n < all.size(); ++n)
        if (gates::in_part(n, part, parts))
            results.push_back(look_at(interpreter.device, interpreter.info, all[n]));
    return results;
}

Json launch_planted(const Interpreter& interpreter, const std::string& file, const std::string& name) {
    constexpr std::size_t items = 64;
    std::ifstream stream(file);
    backend::ProgramSource source;
    source.text = {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    source.file_name = file;
    const auto kernel = interpreter.device->build(source)->kernel(name);
    const auto queue = interpreter.device->create_queue();
    std::array<backend::Argument, 1> arguments;
    arguments[0].kind = backend::Argument::Kind::buffer;
    arguments[0].memory = interpreter.device->allocate(items * sizeof(std::uint32_t));
    backend::LaunchRange range;
    range.global[0] = range.local[0] = items;
    queue->launch(kernel, range, arguments);
    queue->wait();
    return {{"launched", name}};
}

std::optional<std::size_t> number_in(std::string_view word) {
    std::size_t value = 0;
    const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
    return status == std::errc{} && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

} // namespace

int main(int count, char** words) try {
    if (count != 3) {
        std::cerr << "usage: gate-launches PART PARTS\n       gate-launches FILE.cl KERNEL\n";
        return 2;
    }
    const Interpreter interpreter;
    const auto part = number_in(words[1]), parts = number_in(words[2]);
    const Json results =
        part && parts ? launch_shapes(interpreter, *part, *parts) : launch_planted(interpreter, words[1], words[2]);
    std::cout << results.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
    return 0;
} catch (const std::exception& error) {
    std::cerr << "gate-launches: " << error.what() << '\n';
    return 1;
}
