#include "attention_reference.hpp"
#include "grad.hpp"
#include <fmt/format.h>

namespace devq::conformance {

namespace {

struct Shape {
    std::int64_t batch, heads, kv_heads, queries, keys, head_dim, value_dim;
    ops::Causal causal = ops::Causal::none;
    bool mask = false;
};

void add(std::vector<Case>& cases, DType type, const Shape& s) {
    constexpr const char* causals[] = {"", " causal", " causal bottom"};
    const std::string text =
        fmt::format("b{} h{}/{} q{} k{} d{}:{}{}{}", s.batch, s.heads, s.kv_heads, s.queries, s.keys, s.head_dim,
                    s.value_dim, causals[static_cast<int>(s.causal)], s.mask ? " mask" : "");
    cases.push_back(
        {"attention_backward", std::string(to_string(type)), text, [=](Run& run) {
             AttentionProblem p;
             const Operand& q = run.input(type, packed({s.batch, s.heads, s.queries, s.head_dim}), Values::unit, "q");
             const Operand& k = run.input(type, packed({s.batch, s.kv_heads, s.keys, s.head_dim}), Values::unit, "k");
             const Operand& v = run.input(type, packed({s.batch, s.kv_heads, s.keys, s.value_dim}), Values::unit, "v");
             p.q = &q;
             p.k = &k;
             p.v = &v;
             p.scale = 0.625f;
             p.causal = s.causal;
             ops::AttentionOptions options{.scale = p.scale, .causal = s.causal};
             if (s.mask) {
                 p.mask = &run.input(
                     DType::f32, packed({s.queries, s.keys}),
                     [&](const Index& i) { return i[0] == 1 || run.random().one_in(5) ? -INFINITY : 0.5; }, "mask");
                 options.mask = p.mask->view();
             }
             const Dims out_sizes{s.batch, s.heads, s.queries, s.value_dim};
             const Operand& g = run.input(type, packed(out_sizes), Values::unit, "out_gradient");
             AttentionReference forward(p);
             const Operand& out = run.input(
                 type, packed(out_sizes), [&](const Index& i) { return forward.out(i).reference; }, "out");
             const Operand& lse = run.input(
                 DType::f32, packed({s.batch, s.heads, s.queries}),
                 [&](const Index& i) { return forward.log_sum_exp(i).reference; }, "log_sum_exp");
             const Operand& dq = run.output(type, packed(q.sizes()), "gradients.q");
             const Operand& dk = run.output(type, packed(k.sizes()), "gradients.k");
             const Operand& dv = run.output(type, packed(v.sizes()), "gradients.v");
             run.ran(ops::attention_backward(run.queue(), {.q = dq.view(), .k = dk.view(), .v = dv.view()}, g.view(),
                                             q.view(), k.view(), v.view(), out.view(), lse.view(), options));
             const auto loss = [&](const Point& at, LossSum& sum) {
                 for (std::int64_t b = 0; b < s.batch; ++b)
                     for (std::int64_t h = 0; h < s.heads; ++h)
                         for (std::int64_t i = 0; i < s.queries; ++i) {
                             const std::int64_t kv = h / p.shared();
                             std::vector<double> weights;
                             double total = 0;
                             for (std::int64_t j = 0; j < s.keys; ++j) {
                                 double score = p.hidden(b, h, i, j) ? -INFINITY : p.added(b, h, i, j);
                                 for (std::int64_t d = 0; d < s.head_dim; ++d)
                                     score += at(q, {b, h, i, d}) * at(k, {b, kv, j, d}) * p.scale;
                                 weights.push_back(std::exp(score));
                                 total += weights.back();
                             }
                             for (std::int64_t d = 0; d < s.value_dim && total > 0; ++d)
                                 for (std::int64_t j = 0; j < s.keys; ++j)
                                     sum.add(g({b, h, i, d}) * weights[static_cast<std::size_t>(j)] / total *
                                             at(v, {b, kv, j, d}));
                         }
             };
             const AttentionGradientReference reference(p, g, out, lse, true);
             judge_gradient(run, dq, q, loss, [&](const Index& i, double) { return reference.of_q(i).arithmetic; });
             judge_gradient(run, dk, k, loss, [&](const Index& i, double) { return reference.of_k(i).arithmetic; });
             judge_gradient(run, dv, v, loss, [&](const Index& i, double) { return reference.of_v(i).arithmetic; });
         }});
}

} // namespace

void add_attention_grad_cases(std::vector<Case>& cases) {
    using ops::Causal;
    for (const DType type : storage_types) {
        add(cases, type, {1, 1, 1, 5, 7, 4, 3});
        add(cases, type, {2, 2, 1, 3, 5, 4, 4});
        add(cases, type, {1, 2, 2, 6, 4, 3, 5, Causal::top_left});
        add(cases, type, {1, 2, 1, 4, 6, 3, 2, Causal::bottom_right});
        add(cases, type, {1, 1, 1, 5, 9, 3, 4, Causal::none, true});
    }
}

} // namespace devq::conformance
