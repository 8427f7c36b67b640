#include "services.hpp"
#include "cache/cache_key.hpp"
#include "cache/kernel_cache.hpp"
#include "module.hpp"
#include <unistd.h>

namespace devq::detail {

namespace fs = std::filesystem;

namespace {

std::string key_of(const std::vector<std::pair<std::string, std::string>>& depends_on) {
    CacheKey key;
    key.add("kind", "note");
    for (const auto& [name, value] : depends_on)
        key.add(name, value);
    return key.hex();
}

} // namespace

std::optional<std::string> load_note(const std::vector<std::pair<std::string, std::string>>& depends_on) {
    const auto bytes = KernelCache::instance().load(key_of(depends_on));
    if (!bytes)
        return std::nullopt;
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
}

void save_note(const std::vector<std::pair<std::string, std::string>>& depends_on, const std::string& text) {
    KernelCache::instance().save(key_of(depends_on), std::as_bytes(std::span(text)));
}

fs::path helper_program(const std::string& name, std::string& searched) {
    const fs::path folder = library_folder();
    if (folder.empty()) {
        searched = "no folder, since the library's own is unknown";
        return {};
    }
    // An installed library lies in PREFIX/lib or PREFIX/lib/MULTIARCH.
    for (const fs::path& place : {folder, folder / "devq", folder.parent_path() / "libexec" / "devq",
                                  folder.parent_path().parent_path() / "libexec" / "devq"}) {
        if (::access((place / name).c_str(), X_OK) == 0)
            return place / name;
        searched += (searched.empty() ? "" : ", ") + place.string();
    }
    return {};
}

} // namespace devq::detail
