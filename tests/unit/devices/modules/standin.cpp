// A backend module that is wrong in the way that STANDIN says: for the tests of loading.
#include "backend.hpp"
#include <stdexcept>

#define STANDIN_GOOD 0
#define STANDIN_WRONG_VERSION 1
#define STANDIN_WRONG_SIZE 2
#define STANDIN_NO_ENTRY 3
#define STANDIN_NULL 4
#define STANDIN_MISSING_SYMBOL 5
#define STANDIN_MISSING_LIBRARY 6
#define STANDIN_NO_CREATE 7
#define STANDIN_MISSING_DEPENDENCY 8
#define STANDIN_OTHER_RELEASE 9

#if STANDIN == STANDIN_MISSING_SYMBOL
extern "C" int devq_test_symbol_that_nobody_has();
extern "C" DEVQ_API int devq_test_uses_it();
extern "C" int devq_test_uses_it() { return devq_test_symbol_that_nobody_has(); }
#endif
#if STANDIN == STANDIN_MISSING_LIBRARY
extern "C" int devq_test_vendor();
extern "C" DEVQ_API int devq_test_uses_it();
extern "C" int devq_test_uses_it() { return devq_test_vendor(); }
#endif
#if STANDIN == STANDIN_MISSING_DEPENDENCY
extern "C" int devq_test_middle();
extern "C" DEVQ_API int devq_test_uses_it();
extern "C" int devq_test_uses_it() { return devq_test_middle(); }
#endif

#if STANDIN != STANDIN_NO_ENTRY
static std::unique_ptr<devq::backend::Backend> create() { throw std::runtime_error("not to be called"); }

extern "C" DEVQ_API const devq::backend::Module* devq_backend_module();
extern "C" const devq::backend::Module* devq_backend_module() {
    static devq::backend::Module module;
    module.create = STANDIN == STANDIN_NO_CREATE ? nullptr : create;
    if (STANDIN == STANDIN_WRONG_VERSION)
        module.contract_version += 7;
    if (STANDIN == STANDIN_WRONG_SIZE)
        module.contract_size += 8;
    if (STANDIN == STANDIN_OTHER_RELEASE)
        module.devq_version = "0.0.7";
    return STANDIN == STANDIN_NULL ? nullptr : &module;
}
#endif
