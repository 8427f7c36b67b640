#pragma once
/// A device that computes nothing: it builds whatever it is given and notes each launch.

#include "backend.hpp"
#include <atomic>
#include <devq/device.hpp>
#include <devq/queue.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ops_test {

struct Launched {
    std::string kernel;
    devq::backend::LaunchRange range;
    std::size_t arguments = 0;
};

/// What a fake device was asked for; outlives it.
struct Log {
    std::mutex mutex;
    std::vector<Launched> launches;
    std::vector<devq::backend::ProgramSource> builds;
    std::vector<std::weak_ptr<devq::backend::Kernel>> kernels;
    std::vector<devq::backend::MatmulDescription> products; ///< asked of the vendor's library
    std::vector<devq::backend::ConvolutionDescription> convolutions;
};

struct Fake {
    std::shared_ptr<Log> log = std::make_shared<Log>();
    devq::Device device;
    devq::Queue queue;
};

/// A device of the class, with room for buffers and 64 KiB of local memory.
Fake fake(const std::string& device_class, unsigned vector_width, std::size_t largest_group);

} // namespace ops_test
