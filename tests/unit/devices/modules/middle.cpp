// A library that is there, and needs one that may not be.
#include <devq/api.hpp>
extern "C" int devq_test_vendor();
extern "C" DEVQ_API int devq_test_middle();
extern "C" int devq_test_middle() { return devq_test_vendor(); }
