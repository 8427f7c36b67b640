#pragma once
/// Built programs of one device: in memory, else on disk (kernel_cache.hpp), else by its compiler.

#include "backend.hpp"
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace devq::detail {

/// Thread-safe. Two threads that want the same program at once may both build it.
class ProgramCache {
public:
    /// @param included text of all that `source` includes, which the key must cover too
    /// Throws what Device::build throws; a flaw of the disk only means a build.
    std::shared_ptr<backend::Program> get(backend::Device& device, std::string_view backend_name,
                                          const backend::ProgramSource& source, std::string_view included = {});

private:
    std::shared_ptr<backend::Program> remembered(const std::string& key);
    void remember(const std::string& key, const std::shared_ptr<backend::Program>& program);

    std::mutex mutex_;
    std::vector<std::pair<std::string, std::shared_ptr<backend::Program>>> programs_; ///< lately used last
};

} // namespace devq::detail
