#pragma once
/// One run of one case on one device: makes the tensors, keeps what the host knows of them, and judges what comes back.

#include "judge.hpp"
#include "layout.hpp"
#include "values.hpp"
#include <cstddef>
#include <deque>
#include <devq/ops/placement.hpp>
#include <devq/queue.hpp>
#include <devq/tensor.hpp>
#include <string>
#include <vector>

namespace devq::conformance {

/// A tensor in a buffer of its own with a poisoned guard at both ends; gaps between rows are poisoned too.
class Operand {
public:
    enum class Role { input, output, in_place };

    Operand(Role role, DType type, Layout layout, std::string name);

    DType type() const noexcept { return type_; }
    const Layout& layout() const noexcept { return layout_; }
    const Dims& sizes() const noexcept { return layout_.sizes; }
    const std::string& name() const noexcept { return name_; }
    Role role() const noexcept { return role_; }

    void set(const Index& index, double value) noexcept; ///< rounds; before upload() only
    void upload(const Queue& queue);
    const TensorView& view() const noexcept { return view_; }

    /// The stored input, as the reference sees it.
    double operator()(const Index& index) const noexcept { return values_[slot(index)]; }
    /// The same by position in the buffer: for references that step through memory themselves.
    double stored(std::int64_t element) const noexcept { return values_[static_cast<std::size_t>(element)]; }

    void download(const Queue& queue);
    const std::byte* result(const Index& index) const noexcept { return &result_[slot(index) * size_of(type_)]; }
    double result_value(const Index& index) const noexcept { return decode(type_, result(index)); }
    /// Empty, or what was touched that should not have been: a guard, a gap between rows, an input.
    std::string trespass() const;

    std::vector<std::byte>& result_bytes() noexcept { return result_; } ///< for tests of the suite itself

private:
    std::size_t slot(const Index& index) const noexcept { return static_cast<std::size_t>(guard + layout_.at(index)); }

    static constexpr std::int64_t guard = 64; ///< elements
    Role role_;
    DType type_;
    Layout layout_;
    std::string name_;
    std::vector<std::byte> image_, result_; ///< before and after
    std::vector<double> values_;
    Buffer buffer_;
    TensorView view_;
};

/// What a case's body works with. Not thread-safe.
class Run {
public:
    Run(const Queue& queue, std::uint64_t seed) : queue_(queue), random_(seed) {}

    const Queue& queue() const noexcept { return queue_; }
    Random& random() noexcept { return random_; }

    const Operand& input(DType type, const Layout& layout, Values values, std::string name = "input");
    const Operand& in_place(DType type, const Layout& layout, Values values, std::string name = "in and out");
    const Operand& output(DType type, const Layout& layout, std::string name = "output");
    /// The same with each element from value(index).
    template <class F>
    requires std::is_invocable_r_v<double, F, const Index&>
    const Operand& input(DType type, const Layout& layout, F&& value, std::string name = "input") {
        return make(Operand::Role::input, type, layout, std::move(name), value);
    }
    template <class F>
    requires std::is_invocable_r_v<double, F, const Index&>
    const Operand& in_place(DType type, const Layout& layout, F&& value, std::string name = "in and out") {
        return make(Operand::Role::in_place, type, layout, std::move(name), value);
    }

    /// Says where the operation ran; call it with what the operation returned.
    void ran(const ops::Placement& placement);

    /// Waits at its first call; then compares every element of `operand` with expect(index, linear).
    template <class F>
    void judge(const Operand& operand, F&& expect) {
        finish();
        Judge judge(operand.type());
        for_each_index(operand.sizes(), [&](const Index& index, std::int64_t linear) {
            judge.see(linear, operand.result(index), expect(index, linear));
        });
        add(judge, operand);
    }

    /// Waits, fetches every tensor, looks at guards, gaps and inputs. run_case() calls it too.
    void finish();

    const std::string& path() const noexcept { return path_; }
    const std::string& variant() const noexcept { return variant_; }
    const std::optional<Worst>& worst() const noexcept { return worst_; }
    double nmse() const noexcept { return nmse_; }
    const std::string& complaint() const noexcept { return complaint_; } ///< empty: all is right
    std::int64_t elements() const noexcept;                              ///< of all operands

private:
    template <class F>
    const Operand& make(Operand::Role role, DType type, const Layout& layout, std::string name, F&& value) {
        Operand& operand = operands_.emplace_back(role, type, layout, std::move(name));
        for_each_index(layout.sizes, [&](const Index& index, std::int64_t) { operand.set(index, value(index)); });
        operand.upload(queue_);
        return operand;
    }
    void add(const Judge& judge, const Operand& operand);

    Queue queue_;
    Random random_;
    std::deque<Operand> operands_; // a deque: references stay good
    bool finished_ = false;
    std::string path_ = "none", variant_;
    std::optional<Worst> worst_;
    double nmse_ = 0;
    std::string complaint_;
};

} // namespace devq::conformance
