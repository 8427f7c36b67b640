#pragma once
/// Which file the dynamic loader would take for a name, and what it would miss, without loading anything.

#include "elf.hpp"
#include "system.hpp"
#include <map>
#include <string>
#include <vector>

namespace devq::doctor {

/// A file of the wanted name, in a place where the loader looks.
struct Candidate {
    enum class Fit { loads, passed_over, stops }; ///< stops: the loader ends its search there with an error
    std::string path;                             ///< as it is found
    std::string target;                           ///< once links are followed; empty for a link to nothing
    std::string place;                            ///< "LD_LIBRARY_PATH", "ld.so.cache", "standard folder", ...
    ElfFile elf;
    Fit fit = Fit::loads;
    std::string fault; ///< why it does not load
};

struct MissingDependency {
    std::string library; ///< the name that is not found, or "GLIBC_2.38"
    std::string wanted_by;
    bool version = false; ///< a version of the C library, not a file
};

class Loader {
public:
    explicit Loader(const System& system);

    /// In the loader's order. `of`: the file whose dependency it is, for its run path; may be null.
    std::vector<Candidate> find(const std::string& name, const Candidate* of = nullptr) const;
    /// The one that is taken, or null.
    static const Candidate* taken(const std::vector<Candidate>& candidates);
    /// What the file and all that it needs lack, each once.
    std::vector<MissingDependency> missing(const Candidate& library) const;

    /// The parts of LD_LIBRARY_PATH, in order, as they are written.
    const std::vector<std::string>& variable_folders() const noexcept { return variable_; }
    /// A name that a configured folder has and the loader's cache has not: the folder; else empty.
    std::string uncached_folder(const std::string& name) const;
    /// The newest GLIBC_ version that the system has; empty where that is not known.
    const std::string& glibc() const noexcept { return glibc_; }

private:
    void read_configuration(const std::string& file, int depth);
    void read_cache();
    Candidate look(const std::string& path, const char* place) const;
    void walk(const Candidate& library, std::vector<std::string>& seen, std::vector<MissingDependency>& result) const;

    const System& system_;
    std::vector<std::string> variable_, configured_, standard_;
    std::map<std::string, std::vector<std::string>> cache_; ///< name → paths
    bool has_cache_ = false;
    std::string glibc_;
};

} // namespace devq::doctor
