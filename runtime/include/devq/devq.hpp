#pragma once
/// All of devq's public interface. A program links one library (`devq`) and needs no vendor header.

#include <devq/api.hpp>
#include <devq/buffer.hpp>
#include <devq/device.hpp>
#include <devq/dtype.hpp>
#include <devq/error.hpp>
#include <devq/event.hpp>
#include <devq/ops.hpp>
#include <devq/program.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
