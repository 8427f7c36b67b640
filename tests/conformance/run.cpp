#include "run.hpp"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace devq::conformance {

Operand::Operand(Role role, DType type, Layout layout, std::string name)
    : role_(role), type_(type), layout_(std::move(layout)), name_(std::move(name)) {
    const auto elements = static_cast<std::size_t>(2 * guard + layout_.span());
    image_.resize(elements * size_of(type_));
    for (std::size_t i = 0; i < elements; ++i)
        poison(type_, &image_[i * size_of(type_)]);
    if (role_ != Role::output)
        values_.resize(elements, std::numeric_limits<double>::quiet_NaN());
}

void Operand::set(const Index& index, double value) noexcept {
    std::byte* const at = &image_[slot(index) * size_of(type_)];
    encode(type_, value, at);
    values_[slot(index)] = decode(type_, at);
}

void Operand::upload(const Queue& queue) {
    buffer_ = queue.device().allocate(image_.size());
    queue.write(buffer_, 0, image_.data(), image_.size());
    view_ = TensorView(buffer_, type_, layout_.sizes, layout_.strides, guard + layout_.shift);
}

void Operand::download(const Queue& queue) {
    result_.resize(image_.size());
    queue.read(result_.data(), buffer_, 0, result_.size());
}

std::string Operand::trespass() const {
    const std::size_t bytes = size_of(type_);
    std::vector<bool> writable(image_.size() / bytes, false);
    if (role_ != Role::input)
        for_each_index(layout_.sizes, [&](const Index& index, std::int64_t) { writable[slot(index)] = true; });
    for (std::size_t i = 0; i < writable.size(); ++i) {
        if (writable[i] || std::equal(&image_[i * bytes], &image_[i * bytes] + bytes, &result_[i * bytes]))
            continue;
        const auto element = static_cast<std::int64_t>(i) - guard;
        const char* const where = element < 0                 ? "the guard before"
                                  : element >= layout_.span() ? "the guard behind"
                                  : role_ == Role::input      ? "an element of the input"
                                                              : "a gap inside";
        return fmt::format("{} \"{}\" was overwritten, {} elements from its start", where, name_,
                           element - layout_.shift);
    }
    return {};
}

const Operand& Run::input(DType type, const Layout& layout, Values values, std::string name) {
    return input(
        type, layout, [&](const Index&) { return draw(random_, values, type); }, std::move(name));
}

const Operand& Run::in_place(DType type, const Layout& layout, Values values, std::string name) {
    return in_place(
        type, layout, [&](const Index&) { return draw(random_, values, type); }, std::move(name));
}

const Operand& Run::output(DType type, const Layout& layout, std::string name) {
    Operand& operand = operands_.emplace_back(Operand::Role::output, type, layout, std::move(name));
    operand.upload(queue_);
    return operand;
}

void Run::ran(const ops::Placement& placement) {
    if (placement.path == "none")
        return;
    path_ = placement.path;
    variant_ = placement.variant;
}

std::int64_t Run::elements() const noexcept {
    std::int64_t sum = 0;
    for (const Operand& operand : operands_)
        sum += operand.layout().elements();
    return sum;
}

void Run::finish() {
    if (finished_)
        return;
    finished_ = true;
    queue_.wait();
    for (Operand& operand : operands_)
        operand.download(queue_);
    for (const Operand& operand : operands_)
        if (complaint_.empty())
            complaint_ = operand.trespass();
}

void Run::add(const Judge& judge, const Operand& operand) {
    nmse_ = std::max(nmse_, judge.nmse());
    if (judge.worst()) {
        const auto badness = [](const Worst& w) { return w.error == 0 ? 0 : w.error / w.limit; };
        if (!worst_ || badness(*judge.worst()) > badness(*worst_))
            worst_ = judge.worst();
    }
    if (judge.wrong() == 0 || !complaint_.empty())
        return;
    worst_ = judge.worst();
    const Worst& worst = *worst_;
    complaint_ = fmt::format("{} of {} elements of \"{}\" wrong; worst: element {} {}: value {:.9g}, reference {:.9g}, "
                             "error {:.3g}, limit {:.3g}",
                             judge.wrong(), judge.seen(), operand.name(), worst.index, judge.complaint(), worst.value,
                             worst.reference, worst.error, worst.limit);
}

} // namespace devq::conformance
