#include "attention_reference.hpp"
#include "suite.hpp"
#include <cmath>
#include <fmt/format.h>

namespace devq::conformance {

namespace {

/// none; u8 of all sizes; f32 [heads, queries, keys], u8 [batch, 1, 1, keys] (padding) and the storage type [queries,
/// 1] broadcast; a few rows hide everything.
enum class Mask { none, boolean, padding, added, added_storage, everything };
/// As in memory: [batch, heads, rows, dim], or [batch, rows, heads, dim], or rows with gaps from an odd offset.
enum class Memory { packed, rows_first, gapped };

struct Shape {
    std::int64_t batch = 1, heads = 1, kv_heads = 1, queries = 1, keys = 1, head_dim = 16, value_dim = 16;
    ops::Causal causal = ops::Causal::none;
    Mask mask = Mask::none;
    Memory memory = Memory::packed;
    Values values = Values::unit;
    std::optional<float> scale{};
    bool log_sum_exp = false;

    std::string text() const {
        constexpr const char* causals[] = {"", " causal", " causal bottom"};
        constexpr const char* masks[] = {"", " mask u8", " padding u8", " mask f32", " mask stored", " masked"};
        constexpr const char* memories[] = {"", " t12", " gap3 off1"};
        std::string text = fmt::format("b{} h{}", batch, heads);
        if (kv_heads != heads)
            text += fmt::format("/{}", kv_heads);
        text += fmt::format(" q{} k{} d{}", queries, keys, head_dim);
        if (value_dim != head_dim)
            text += fmt::format(":{}", value_dim);
        text += causals[static_cast<int>(causal)];
        text += masks[static_cast<int>(mask)];
        text += memories[static_cast<int>(memory)];
        if (values != Values::unit)
            text += values == Values::moderate ? " huge logits" : values == Values::risky ? " inf denormal" : " equal";
        if (scale)
            text += fmt::format(" scale {}", *scale);
        return text + (log_sum_exp ? " lse" : "");
    }
    Layout layout(const Dims& sizes) const {
        return memory == Memory::packed       ? packed(sizes)
               : memory == Memory::rows_first ? swapped(sizes, 1, 2)
                                              : shifted(gapped(sizes, 3), 1);
    }
    float used_scale() const { return scale.value_or(1.0f / std::sqrt(static_cast<float>(head_dim))); }
};

const Operand* make_mask(Run& run, DType type, const Shape& s) {
    Random& random = run.random();
    const auto boolean = [&](const Index& i) { return i[2] % 7 == 3 || random.one_in(3) ? 0.0 : 1.0 + i[3] % 3; };
    const auto number = [&](const Index& i) {
        return i[1] % 7 == 3 || random.one_in(8) ? -INFINITY : random.uniform(-4, 4);
    };
    switch (s.mask) {
    case Mask::none:
        return nullptr;
    case Mask::boolean:
        return &run.input(DType::u8, packed({s.batch, s.heads, s.queries, s.keys}), boolean, "mask");
    case Mask::padding:
        return &run.input(
            DType::u8, packed({s.batch, 1, 1, s.keys}),
            [&](const Index& i) { return i[3] < s.keys - 1 - 3 * i[0] ? 1.0 : 0.0; }, "mask");
    case Mask::added:
        return &run.input(DType::f32, gapped({s.heads, s.queries, s.keys}, 1), number, "mask");
    case Mask::added_storage:
        return &run.input(
            type, swapped({s.queries, s.keys}, 0, 1), [&](const Index&) { return random.uniform(-4, 4); }, "mask");
    case Mask::everything:
        return &run.input(
            DType::f32, packed({s.queries, 1}), [&](const Index&) { return -INFINITY; }, "mask");
    }
    return nullptr;
}

/// The operands of one case, and the options that say the same to the device.
struct Given {
    AttentionProblem problem;
    ops::AttentionOptions options;

    Given(Run& run, DType type, const Shape& s) {
        const Dims q_sizes{s.batch, s.heads, s.queries, s.head_dim}, k_sizes{s.batch, s.kv_heads, s.keys, s.head_dim},
            v_sizes{s.batch, s.kv_heads, s.keys, s.value_dim};
        const Values others = s.values == Values::risky ? Values::unit : s.values;
        problem.q = &run.input(type, s.layout(q_sizes), s.values, "q");
        problem.k = &run.input(type, s.layout(k_sizes), others, "k");
        problem.v = &run.input(type, s.layout(v_sizes), Values::unit, "v");
        problem.mask = make_mask(run, type, s);
        problem.scale = s.used_scale();
        problem.causal = options.causal = s.causal;
        options.scale = s.scale;
        if (problem.mask != nullptr)
            options.mask = problem.mask->view();
    }
};

Case forward_case(DType type, const Shape& s) {
    return {"attention", std::string(to_string(type)), s.text(), [=](Run& run) {
                const Given given(run, type, s);
                const AttentionProblem& p = given.problem;
                const Operand& out = run.output(type, s.layout({s.batch, s.heads, s.queries, s.value_dim}), "out");
                std::optional<TensorView> lse_view;
                const Operand* lse = nullptr;
                if (s.log_sum_exp) {
                    lse = &run.output(DType::f32, gapped({s.batch, s.heads, s.queries}, 1), "log_sum_exp");
                    lse_view = lse->view();
                }
                run.ran(ops::attention(run.queue(), out.view(), p.q->view(), p.k->view(), p.v->view(), given.options,
                                       lse_view));
                AttentionReference reference(p);
                run.judge(out, [&](const Index& i, std::int64_t) { return reference.out(i); });
                if (lse != nullptr)
                    run.judge(*lse, [&](const Index& i, std::int64_t) { return reference.log_sum_exp(i); });
            }};
}

Case backward_case(DType type, const Shape& s, const char* wanted) {
    return {"attention_backward", std::string(to_string(type)), s.text() + " d" + wanted, [=](Run& run) {
                const Given given(run, type, s);
                const AttentionProblem& p = given.problem;
                const Dims out_sizes{s.batch, s.heads, s.queries, s.value_dim};
                AttentionReference forward(p);
                const Operand& out = run.input(
                    type, s.layout(out_sizes), [&](const Index& i) { return forward.out(i).reference; }, "out");
                const Operand& lse = run.input(
                    DType::f32, gapped({s.batch, s.heads, s.queries}, 1),
                    [&](const Index& i) { return forward.log_sum_exp(i).reference; }, "log_sum_exp");
                const Operand& g = run.input(type, s.layout(out_sizes), Values::unit, "out_gradient");
                const auto wants = [&](char which) {
                    return std::string_view(wanted).find(which) != std::string::npos;
                };
                const auto target = [&](const Operand& of, const char* name) -> const Operand& {
                    return run.output(type, s.layout(of.sizes()), name);
                };
                ops::AttentionGradients gradients;
                const Operand *dq = nullptr, *dk = nullptr, *dv = nullptr;
                if (wants('q'))
                    gradients.q = (dq = &target(*p.q, "gradients.q"))->view();
                if (wants('k'))
                    gradients.k = (dk = &target(*p.k, "gradients.k"))->view();
                if (wants('v'))
                    gradients.v = (dv = &target(*p.v, "gradients.v"))->view();
                run.ran(ops::attention_backward(run.queue(), gradients, g.view(), p.q->view(), p.k->view(), p.v->view(),
                                                out.view(), lse.view(), given.options));
                const AttentionGradientReference reference(p, g, out, lse);
                if (dq != nullptr)
                    run.judge(*dq, [&](const Index& i, std::int64_t) { return reference.of_q(i); });
                if (dk != nullptr)
                    run.judge(*dk, [&](const Index& i, std::int64_t) { return reference.of_k(i); });
                if (dv != nullptr)
                    run.judge(*dv, [&](const Index& i, std::int64_t) { return reference.of_v(i); });
            }};
}

} // namespace

void add_attention_cases(std::vector<Case>& cases) {
    using ops::Causal;
    for (const DType type : storage_types) {
        const auto with = [&](const Shape& s) { cases.push_back(forward_case(type, s)); };
        with({.queries = 33, .keys = 47, .log_sum_exp = true});
        with({.batch = 2, .heads = 3, .kv_heads = 3, .queries = 5, .keys = 7, .head_dim = 8, .value_dim = 8});
        with({.queries = 150, .keys = 300, .head_dim = 64, .value_dim = 64, .log_sum_exp = true});
        with({.queries = 3, .keys = 150, .head_dim = 256, .value_dim = 256});
        with({.queries = 13, .keys = 35, .head_dim = 300, .value_dim = 270});
        with({.heads = 4, .kv_heads = 4, .queries = 1, .keys = 133, .head_dim = 32, .value_dim = 32});
        with({.queries = 21, .keys = 1, .head_dim = 1, .value_dim = 3});
        with({.batch = 2, .heads = 6, .kv_heads = 2, .queries = 19, .keys = 29, .head_dim = 12, .value_dim = 20});
        with({.heads = 4, .kv_heads = 1, .queries = 9, .keys = 70, .head_dim = 33, .value_dim = 17});
        for (const Causal causal : {Causal::top_left, Causal::bottom_right}) {
            with({.queries = 150, .keys = 150, .causal = causal});
            with({.heads = 2, .kv_heads = 1, .queries = 40, .keys = 25, .causal = causal, .log_sum_exp = true});
            with({.heads = 2, .kv_heads = 2, .queries = 25, .keys = 140, .causal = causal, .log_sum_exp = true});
        }
        with({.batch = 2, .heads = 2, .kv_heads = 2, .queries = 23, .keys = 41, .mask = Mask::boolean});
        with({.batch = 2, .heads = 2, .kv_heads = 1, .queries = 23, .keys = 141, .mask = Mask::padding});
        with({.batch = 2,
              .heads = 2,
              .kv_heads = 2,
              .queries = 23,
              .keys = 41,
              .mask = Mask::added,
              .log_sum_exp = true});
        with({.heads = 2, .kv_heads = 2, .queries = 23, .keys = 41, .mask = Mask::added_storage});
        with({.queries = 9, .keys = 141, .mask = Mask::everything, .log_sum_exp = true});
        with({.heads = 2, .kv_heads = 1, .queries = 30, .keys = 30, .causal = Causal::top_left, .mask = Mask::boolean});
        with({.batch = 2, .heads = 3, .kv_heads = 3, .queries = 17, .keys = 37, .memory = Memory::rows_first});
        with({.batch = 2, .heads = 3, .kv_heads = 1, .queries = 17, .keys = 37, .memory = Memory::gapped});
        with({.queries = 21, .keys = 200, .values = Values::moderate, .log_sum_exp = true});
        with({.queries = 64, .keys = 150, .values = Values::risky, .log_sum_exp = true});
        with({.queries = 64, .keys = 90, .mask = Mask::boolean, .values = Values::risky});
        with({.queries = 5, .keys = 150, .values = Values::equal, .log_sum_exp = true});
        with({.queries = 11, .keys = 23, .scale = -0.75f, .log_sum_exp = true});
        with({.batch = 0, .queries = 5, .keys = 7});
        with({.queries = 0, .keys = 7, .log_sum_exp = true});
        with({.queries = 5, .keys = 0, .log_sum_exp = true});
        with({.queries = 5, .keys = 7, .head_dim = 0, .scale = 1.0f});
        with({.queries = 5, .keys = 7, .value_dim = 0, .log_sum_exp = true});

        const auto back = [&](const Shape& s, const char* wanted = "qkv") {
            cases.push_back(backward_case(type, s, wanted));
        };
        back({.queries = 33, .keys = 47});
        back({.queries = 33, .keys = 47}, "q");
        back({.queries = 33, .keys = 47}, "k");
        back({.queries = 33, .keys = 47}, "v");
        back({.batch = 2, .heads = 3, .kv_heads = 3, .queries = 5, .keys = 7, .head_dim = 8, .value_dim = 8});
        back({.queries = 110, .keys = 140, .head_dim = 64, .value_dim = 64});
        back({.queries = 9, .keys = 21, .head_dim = 300, .value_dim = 270});
        back({.queries = 21, .keys = 1, .head_dim = 1, .value_dim = 3});
        back({.batch = 2, .heads = 6, .kv_heads = 2, .queries = 19, .keys = 29, .head_dim = 12, .value_dim = 20});
        for (const Causal causal : {Causal::top_left, Causal::bottom_right}) {
            back({.queries = 130, .keys = 130, .causal = causal});
            back({.heads = 2, .kv_heads = 1, .queries = 40, .keys = 25, .causal = causal});
            back({.heads = 2, .kv_heads = 2, .queries = 25, .keys = 140, .causal = causal});
        }
        back({.batch = 2, .heads = 2, .kv_heads = 2, .queries = 23, .keys = 41, .mask = Mask::boolean});
        back({.batch = 2, .heads = 2, .kv_heads = 1, .queries = 23, .keys = 41, .mask = Mask::added});
        back({.heads = 2, .kv_heads = 2, .queries = 23, .keys = 41, .mask = Mask::added_storage});
        back({.queries = 9, .keys = 41, .mask = Mask::everything});
        back({.batch = 2, .heads = 3, .kv_heads = 3, .queries = 17, .keys = 37, .memory = Memory::rows_first});
        back({.batch = 2, .heads = 3, .kv_heads = 1, .queries = 17, .keys = 37, .memory = Memory::gapped});
        back({.queries = 21, .keys = 60, .values = Values::moderate});
        back({.queries = 11, .keys = 23, .scale = -0.75f});
        back({.queries = 0, .keys = 7});
        back({.queries = 5, .keys = 0});
        back({.queries = 5, .keys = 7, .value_dim = 0});
    }
}

} // namespace devq::conformance
