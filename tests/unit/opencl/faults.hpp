#pragma once
/// Failures that no driver here has of itself: this program's own definitions of a few OpenCL functions stand before
/// the loader's and answer with an error when told to.

#include <string>

namespace devq::opencl_test {

/// The next `count` calls of `function` return `status` and do nothing, after `skip` good ones.
void fail_calls(const std::string& function, int status, int count = 1, int skip = 0);
/// The next kernel launched runs, but its event ends with `status`.
void fail_next_kernel(int status);
void clear_faults();
/// Devices also offer this extension, whatever they can do.
void claim_extension(const std::string& name);
/// How often clFlush has been called.
int flushes();
/// How often a thread touched a cl_kernel between another thread's first argument and its launch.
int kernel_conflicts();

} // namespace devq::opencl_test
