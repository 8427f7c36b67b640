#pragma once
/// The choice between devq's own kernels and the library of a device's vendor.

#include "../backend.hpp"
#include "checks.hpp"
#include <cstddef>
#include <cstdint>
#include <devq/ops/placement.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace devq::detail {

/// The vendor's path of one call of an operation.
class VendorPath {
public:
    /// `asked`: the call's option; DEVQ_PATH, read once a process, says what `automatic` means.
    /// `others`: there is another way to the vendor's library, so that refuse() never throws.
    VendorPath(const OpCall& call, ops::Path asked, bool others = false);

    /// False: the portable path is to be taken.
    bool wanted() const noexcept { return path_ != ops::Path::portable; }
    /// The vendor cannot do it. Throws unsupported where the vendor's path was demanded, else there is the portable
    /// one.
    std::nullopt_t refuse(const std::string& why) const;

    /// Queues what is described, with a workspace of the queue's; the path's name. Null: nothing was queued, take the
    /// portable path. Throws unsupported as refuse() does, and what the backend throws.
    std::optional<std::string_view> run(backend::MatmulDescription description, backend::MatmulOperands operands) const;
    /// `before`: called when all is ready, to queue what the convolution finds in its result.
    std::optional<std::string_view> run(backend::ConvolutionDescription description,
                                        backend::ConvolutionOperands operands,
                                        const std::function<void()>& before) const;

    /// Memory and place of an operand without elements: null memory.
    static backend::Place place(const Operand& operand);
    /// What the address of the operand's first element is a multiple of, as descriptions want it.
    static std::uint32_t alignment(const Operand& operand);

private:
    template <class Description, class Operands, class Submit>
    std::optional<std::string_view> run_with(Description& description, Operands& operands,
                                             const std::function<void()>& before, Submit&& submit) const;

    const OpCall& call_;
    ops::Path path_;
    bool others_;
};

} // namespace devq::detail
