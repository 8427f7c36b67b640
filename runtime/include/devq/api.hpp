#pragma once
/// What marks a symbol as part of the library's public interface; everything else in libdevq is hidden.

#if defined(__GNUC__)
#define DEVQ_API __attribute__((visibility("default")))
#else
#define DEVQ_API
#endif

#define DEVQ_VERSION_MAJOR 0
#define DEVQ_VERSION_MINOR 1
#define DEVQ_VERSION_PATCH 0
#define DEVQ_VERSION_STRING "0.1.0"
