#pragma once
/// CLHPP as every file here sees it: its classes own the handles and ask for information; calls that need a status of
/// their own, and those on the way of a launch, are made directly.

#define CL_HPP_TARGET_OPENCL_VERSION 300
#define CL_HPP_MINIMUM_OPENCL_VERSION 110
#define CL_HPP_ENABLE_EXCEPTIONS
#include <CL/opencl.hpp>
