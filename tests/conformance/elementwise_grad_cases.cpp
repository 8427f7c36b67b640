#include "grad.hpp"
#include <devq/ops/elementwise.hpp>

namespace devq::conformance {

void add_elementwise_grad_cases(std::vector<Case>& cases) {
    for (const DType type : storage_types)
        for (const Layout& layout : {packed({131}), swapped({7, 13}, 0, 1), shifted(gapped({5, 9}, 3), 1)})
            cases.push_back(
                {"relu_backward", std::string(to_string(type)), layout.text(), [=](Run& run) {
                     const Operand& x = run.input(
                         type, layout, [&](const Index&) { return draw_away_from_zero(run.random()); }, "x");
                     const Operand& g = run.input(type, layout, Values::unit, "out_gradient");
                     const Operand& dx = run.output(type, layout, "gradient");
                     run.ran(ops::binary(run.queue(), ops::Binary::relu_backward, dx.view(), g.view(), x.view()));
                     judge_gradient(
                         run, dx, x,
                         [&](const Point& at, LossSum& loss) {
                             for_each_index(layout.sizes, [&](const Index& i, std::int64_t) {
                                 loss.add(g(i) * std::fmax(at(x, i), 0));
                             });
                         },
                         [](const Index&, double) { return 0.0; });
                 }});
}

} // namespace devq::conformance
