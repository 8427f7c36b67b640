// Stands for a vendor's library: the tests load a module that needs it from where it is not.
#include <devq/api.hpp>
extern "C" DEVQ_API int devq_test_vendor();
extern "C" int devq_test_vendor() { return 1; }
