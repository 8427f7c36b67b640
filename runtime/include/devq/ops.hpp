#pragma once
/// Operations on tensors, each asynchronous on its queue. Every view is on the queue's device. Rank ≤ 8; sizes of 0 are
/// valid everywhere and do nothing. Outputs have no stride of 0 (over sizes above 1) and overlap inputs only where an
/// operation says so. Bad arguments throw invalid_argument at the call, and nothing is queued.

#include <devq/ops/attention.hpp>
#include <devq/ops/batch_norm.hpp>
#include <devq/ops/cast.hpp>
#include <devq/ops/clip.hpp>
#include <devq/ops/conv2d.hpp>
#include <devq/ops/copy.hpp>
#include <devq/ops/cross_entropy.hpp>
#include <devq/ops/elementwise.hpp>
#include <devq/ops/fill.hpp>
#include <devq/ops/gather.hpp>
#include <devq/ops/histogram.hpp>
#include <devq/ops/matmul.hpp>
#include <devq/ops/mse.hpp>
#include <devq/ops/optimizer.hpp>
#include <devq/ops/pad.hpp>
#include <devq/ops/placement.hpp>
#include <devq/ops/preprocess.hpp>
#include <devq/ops/random.hpp>
#include <devq/ops/reduce.hpp>
#include <devq/ops/scan.hpp>
#include <devq/ops/scatter.hpp>
#include <devq/ops/softmax.hpp>
#include <devq/ops/sort.hpp>
#include <devq/ops/where.hpp>
