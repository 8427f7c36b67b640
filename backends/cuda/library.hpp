#pragma once
/// Vendor libraries, opened at run time, and their functions.

#include <devq/device.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace devq::cuda {

/// What to say of a library that cannot be used.
struct LibraryWords {
    const char* product; ///< "NVIDIA's driver"
    const char* install; ///< remedy where it is missing
};

/// An entry of `devq list`.
Unavailable fault(std::string_view code, std::string reason, std::string remedy);

struct Library {
    void* handle = nullptr;
    std::string name; ///< as it was opened
};

/// Opens the first of `names` (sonames or paths) that can be; never closes it. Where none can, `why` says what is wrong
/// with the first that is there, or that the first is not there.
std::optional<Library> open_library(const std::vector<std::string>& names, const LibraryWords& words,
                                    std::optional<Unavailable>& why);

/// `sonames`, newest first, in the order that suits a driver of this version (its own major version of CUDA, older
/// ones, newer ones), as the loader finds them and then in the folders of toolkits that it was not told of. Just what
/// the environment variable `named` names, where that is set.
std::vector<std::string> toolkit_candidates(const char* named, std::vector<std::string> sonames, int driver_version);

/// The file that `address` (a function) came from; empty where the loader does not tell.
std::string file_of(const void* address);

/// Looks up functions, and remembers those that are not there.
class SymbolFinder {
public:
    explicit SymbolFinder(const Library& library) : library_(library) {}
    /// `older`: another name of it, or the same one.
    void* find(const char* symbol, const char* older);
    /// Null when all were found.
    std::optional<Unavailable> missing(const char* remedy) const;

private:
    const Library& library_;
    std::string missing_;
};

/// What is wrong with a library of operations that is built for `runtime` (as the CUDA runtime counts) where the driver
/// is for `driver_version`; null: nothing.
std::optional<Unavailable> other_cuda(const std::string& product, const std::string& file, std::size_t runtime,
                                      int driver_version);

} // namespace devq::cuda
