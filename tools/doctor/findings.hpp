#pragma once
/// What is wrong, in the words of the table of causes.

#include "facts.hpp"
#include "tables.hpp"
#include <map>
#include <string>
#include <vector>

namespace devq::doctor {

struct Finding {
    CauseId cause{};
    Severity severity{};
    std::string device; ///< PCI address, or id, of the device that it is about; may be empty
    std::string what, why, mend, meanwhile;
    std::vector<std::string> evidence; ///< "FILE: VALUE"
    std::vector<std::string> commands; ///< for this system; where its distribution is unknown, "Fedora, RHEL: …"

    const Cause& row() const { return causes[static_cast<std::size_t>(cause)]; }
};

using Values = std::map<std::string, std::string>;

class Findings {
public:
    explicit Findings(const Facts& facts);

    /// Fills the places of the row. Throws std::logic_error for a place that has no value: a test meets each row.
    Finding& add(CauseId cause, const Values& values, std::vector<std::string> evidence,
                 const std::string& device = {});
    /// A device, by address, that something prevents.
    bool prevented(const std::string& device) const;
    bool has(CauseId cause) const;
    /// What prevents the device only limits it: it has been seen to work, or another one serves.
    void lower(const std::string& device);

    /// In the order in which to mend. `area`: cuda, opencl, cpu, python, or "" for the first three.
    std::vector<Finding> ordered(const std::string& area) const;

private:
    std::vector<Finding> list_;
    std::string packages_, fallback_, user_, kernel_;
    bool in_container_;
};

} // namespace devq::doctor
