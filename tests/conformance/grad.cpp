#include "grad.hpp"
#include <fmt/format.h>

namespace devq::conformance {

// An error e of each loss is one of e/h of a slope: (64·4/h + 20·2/h + 1/h)/45 · e after both extrapolations.
Derivative Differences::extrapolate(double wide, double middle, double narrow, double error) const noexcept {
    const double first = (4 * middle - wide) / 3, second = (4 * narrow - middle) / 3;
    const double value = (16 * second - first) / 15;
    return {value, std::fabs(value - second) + 297.0 / 45 * error / step_};
}

void require_sharp(const Derivative& derivative, double largest, const Expected& expected, const Format& format) {
    const double needed = std::max(limit_of(expected, format) / 4, 0x1p-26 * largest);
    if (!(derivative.error <= needed))
        throw std::runtime_error(fmt::format("the numeric derivative {:.9g} is uncertain by {:.3g}, more than {:.3g}: "
                                             "the loss is not smooth there, or its step is wrong",
                                             derivative.value, derivative.error, needed));
}

void require_nonzero(double largest) {
    if (!(largest > 0))
        throw std::runtime_error("every numeric derivative is zero: such a case proves nothing");
}

double draw_away_from_zero(Random& random) noexcept {
    const double size = random.uniform(0.25, 1);
    return random.one_in(2) ? size : -size;
}

const std::vector<Case>& all_grad_cases() {
    static const std::vector<Case> cases = [] {
        std::vector<Case> list;
        add_elementwise_grad_cases(list);
        add_matmul_grad_cases(list);
        add_conv2d_grad_cases(list);
        add_batch_norm_grad_cases(list);
        add_softmax_grad_cases(list);
        add_cross_entropy_grad_cases(list);
        add_random_grad_cases(list);
        add_scatter_grad_cases(list);
        add_mse_grad_cases(list);
        add_attention_grad_cases(list);
        finish_cases(list, true);
        return list;
    }();
    return cases;
}

} // namespace devq::conformance
