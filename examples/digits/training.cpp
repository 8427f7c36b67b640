#include "training.hpp"
#include "network.hpp"
#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>
#include <random>
#include <span>

namespace digits {
namespace {

namespace ops = devq::ops;
using devq::DType;
using devq::Tensor;
using devq::TensorView;

/// The images and labels on the device, and what it takes to train and to judge a network with them.
class Trainer {
public:
    Trainer(const devq::Device& device, DType storage, const Dataset& data, const TrainingOptions& options)
        : options_(options), queue_(device.create_queue()),
          network_(queue_, storage, {pixels_per_image, 256, 256, classes}, std::max(options.batch, test_rows)),
          images_(device, storage, {train_rows + test_rows, pixels_per_image}),
          labels_(device, DType::i32, {train_rows + test_rows, 1}),
          batch_images_(device, storage, {options.batch, pixels_per_image}),
          batch_labels_(device, DType::i32, {options.batch, 1}), order_(device, DType::i32, {train_rows}),
          loss_(device, DType::f32, {train_rows}), scalar_(device, DType::f32, {}),
          predicted_(device, DType::i32, {test_rows}), one_hot_(device, DType::f32, {classes, classes}),
          hot_predicted_(device, DType::f32, {test_rows, classes}),
          hot_label_(device, DType::f32, {test_rows, classes}), correct_(device, DType::f32, {test_rows}) {
        upload(data);
    }

    /// Runs each shape of work once, so that the time of training is not the time of building kernels.
    void warm_up() {
        shuffle();
        network_.initialise(options_.seed);
        train_batch(0);
        train_batch((train_rows - 1) / options_.batch * options_.batch);
        accuracy();
    }

    void start() { network_.initialise(options_.seed); }

    /// One pass over the rows for training, in an order of its own; the mean loss.
    double epoch() {
        shuffle();
        for (std::int64_t first = 0; first < train_rows; first += options_.batch)
            train_batch(first);
        ops::reduce(queue_, ops::Reduction::mean, scalar_, loss_, 0);
        return read_scalar();
    }

    /// The part of the rows for testing that is recognised. A row of the unit matrix per prediction times one per label
    /// has a 1 where they agree: their sum counts the hits without leaving the device.
    double accuracy() {
        const TensorView logits = network_.forward(images_.view().sliced(0, train_rows, test_rows));
        const TensorView labels = labels_.view().sliced(0, train_rows, test_rows).reshaped({test_rows});
        ops::reduce(queue_, ops::Reduction::argmax, predicted_, logits, 1);
        ops::gather_rows(queue_, hot_predicted_, one_hot_, predicted_);
        ops::gather_rows(queue_, hot_label_, one_hot_, labels);
        ops::binary(queue_, ops::Binary::multiply, hot_predicted_, hot_predicted_, hot_label_);
        ops::reduce(queue_, ops::Reduction::sum, correct_, hot_predicted_, 1);
        ops::reduce(queue_, ops::Reduction::mean, scalar_, correct_, 0);
        return read_scalar();
    }

private:
    void upload(const Dataset& data) {
        const Tensor raw(queue_.device(), DType::f32, images_.sizes());
        const Tensor sixteen(queue_.device(), images_.dtype(), {1, 1});
        queue_.write(raw.buffer(), std::span<const float>(data.pixels));
        queue_.write(labels_.buffer(), std::span<const std::int32_t>(data.labels));
        if (images_.dtype() == DType::f32)
            ops::unary(queue_, ops::Unary::copy, images_, raw);
        else
            ops::cast(queue_, images_, raw);
        ops::fill(queue_, sixteen, 16.0);
        ops::binary(queue_, ops::Binary::divide, images_, images_, sixteen);

        std::vector<float> unit(static_cast<std::size_t>(classes * classes), 0.0f);
        for (std::size_t i = 0; i < unit.size(); i += static_cast<std::size_t>(classes) + 1)
            unit[i] = 1.0f;
        queue_.write(one_hot_.buffer(), std::span<const float>(unit));

        host_order_.resize(train_rows);
        std::iota(host_order_.begin(), host_order_.end(), 0);
        random_.seed(options_.seed);
    }

    void shuffle() {
        std::shuffle(host_order_.begin(), host_order_.end(), random_);
        queue_.write(order_.buffer(), std::span<const std::int32_t>(host_order_));
    }

    /// Trains on the rows order[first, first + batch), or as many as are left. The commands are the same in each epoch:
    /// they are recorded once.
    void train_batch(std::int64_t first) {
        devq::Recording& step = steps_[first];
        if (!step)
            step = devq::record_commands(queue_, [&] { queue_step(first); });
        step.replay(queue_);
    }

    void queue_step(std::int64_t first) {
        const std::int64_t rows = std::min(options_.batch, train_rows - first);
        const TensorView chosen = order_.view().sliced(0, first, rows);
        const TensorView images = batch_images_.view().sliced(0, 0, rows);
        const TensorView labels = batch_labels_.view().sliced(0, 0, rows);
        ops::gather_rows(queue_, images, images_, chosen);
        ops::gather_rows(queue_, labels, labels_, chosen);
        network_.train(images, labels.reshaped({rows}), loss_.view().sliced(0, first, rows), options_.learning_rate,
                       options_.momentum);
    }

    double read_scalar() {
        float value = 0;
        queue_.read(&value, scalar_.buffer(), 0, sizeof value);
        return value;
    }

    TrainingOptions options_;
    devq::Queue queue_;
    Network network_;
    Tensor images_, labels_, batch_images_, batch_labels_, order_, loss_, scalar_;
    Tensor predicted_, one_hot_, hot_predicted_, hot_label_, correct_;
    std::map<std::int64_t, devq::Recording> steps_; ///< by their first row
    std::vector<std::int32_t> host_order_;
    std::mt19937_64 random_;
};

} // namespace

TrainingResult train(const devq::Device& device, DType storage, const Dataset& data, const TrainingOptions& options,
                     const Progress& progress) {
    Trainer trainer(device, storage, data, options);
    trainer.warm_up();
    trainer.start();

    TrainingResult result;
    const auto begin = std::chrono::steady_clock::now();
    for (int epoch = 1; epoch <= options.epochs; ++epoch) {
        result.loss = trainer.epoch();
        progress(epoch, result.loss);
    }
    result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.accuracy = trainer.accuracy();
    return result;
}

} // namespace digits
