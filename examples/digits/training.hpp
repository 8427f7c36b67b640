#pragma once
#include "dataset.hpp"
#include <cstdint>
#include <devq/devq.hpp>
#include <functional>

namespace digits {

struct TrainingOptions {
    std::uint64_t seed = 1;
    int epochs = 30;
    std::int64_t batch = 128;
    float learning_rate = 0.1f;
    float momentum = 0.9f;
};

struct TrainingResult {
    double accuracy = 0; ///< on the rows for testing, after the last epoch
    double loss = 0;     ///< mean over the last epoch
    double seconds = 0;  ///< of the epochs; building kernels and uploading the data come before
};

/// Called after each epoch with its number from 1 and its mean loss.
using Progress = std::function<void(int epoch, double loss)>;

/// Trains the 64-256-256-10 network on `device` with weights and activations stored as `storage`. All arithmetic
/// happens on the device; back come the loss of each epoch and the accuracy.
TrainingResult train(const devq::Device& device, devq::DType storage, const Dataset& data,
                     const TrainingOptions& options, const Progress& progress);

} // namespace digits
