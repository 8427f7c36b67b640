#pragma once
/// devq's public interface, but for sharing with vendors' code (devq/opencl.hpp, devq/cuda.hpp). Needs one library.

#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/dtype.hpp>
#include <devq/error.hpp>
#include <devq/event.hpp>
#include <devq/memory.hpp>
#include <devq/ops.hpp>
#include <devq/program.hpp>
#include <devq/queue.hpp>
#include <devq/recording.hpp>
#include <devq/tensor.hpp>
