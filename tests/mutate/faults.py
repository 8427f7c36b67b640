"""The planted faults: mistakes that people make in kernels. Each must make the tests fail.

`find` must occur in `file` exactly `count` times and becomes `replace`. `seen_by`: "suite" is `devq test --quick` on each
device, "oclgrind" the shapes for GPUs under Oclgrind (groups of one work-item, which CPUs use, have no barriers to miss).
"""
import dataclasses


@dataclasses.dataclass(frozen=True)
class Fault:
    name: str
    file: str
    find: str
    replace: str
    count: int = 1
    seen_by: str = "suite"


FAULTS = [
    Fault("reduction without its first barrier", "kernels/prelude/devq.cl",
          "group_sum(float x, __local float* scratch) {\n    const int id = LOCAL_ID;\n    scratch[id] = x;\n"
          "    barrier(CLK_LOCAL_MEM_FENCE);\n",
          "group_sum(float x, __local float* scratch) {\n    const int id = LOCAL_ID;\n    scratch[id] = x;\n",
          seen_by="oclgrind"),
    Fault("matmul multiplies before all is packed", "kernels/matmul.cl",
          "        group_barrier();\n        add_products(", "        add_products(", seen_by="oclgrind"),
    Fault("products drop the edge tile of rows", "kernels/prelude/tile.cl",
          "across_m = (rows + TM - 1) / TM;", "across_m = rows < TM ? 1 : rows / TM;"),
    Fault("matmul steps b by the batch stride of a", "kernels/matmul.cl",
          "at.b += c * batches->b[d];", "at.b += c * batches->a[d];"),
    Fault("products accumulate in f16", "kernels/prelude/tile.cl",
          "x[i][j] = as * bs[j] + x[i][j];",
          "x[i][j] = as_floatv((as_uintv(as * bs[j] + x[i][j]) + 0x1000u) & 0xffffe000u);"),
    Fault("matmul leaves the bias out at the edge", "kernels/matmul.cl",
          "if (s.has_bias)", "if (s.has_bias && count >= VW)"),
    Fault("matmul takes a's row stride for a transposed a", "runtime/ops/matmul.cpp",
          "shape.a_row = a.stride(a_m);", "shape.a_row = a.stride(a.rank() - 2);"),
    Fault("conv2d reads rows above the image", "kernels/conv2d.cl",
          "if (l < valid && in_y >= 0 && in_x >= 0)", "if (l < valid && in_x >= 0)"),
    Fault("conv2d's gradient takes taps between the strides", "kernels/conv2d.cl",
          "position = whole * divide == position ? whole : -1;", "position = whole;"),
    Fault("conv2d reads a run across the end of a row", "kernels/conv2d.cl",
          "valid >= VW && s->j2 - j.inner >= VW;", "valid >= VW;"),
    Fault("conv2d swaps the padding's sides", "runtime/ops/conv2d.cpp",
          "{-options.padding.top, -options.padding.left}", "{-options.padding.top, -options.padding.right}"),
    Fault("conv2d gives all groups the first one's filters", "runtime/ops/conv2d.cpp",
          "shape.a_group = channels * shape.a_k0;", "shape.a_group = 0;"),
    Fault("bf16 is cut off, not rounded", "kernels/prelude/devq.cl",
          "const uintv rounded = bits + 0x7fffu + ((bits >> 16) & 1u);", "const uintv rounded = bits;"),
    Fault("max drops NaN", "kernels/prelude/devq.cl",
          "#define max_nan(a, b) select(b, a, ((a) > (b)) | ((a) != (a)))", "#define max_nan(a, b) select(b, a, (a) > (b))"),
    Fault("argmax takes the last maximum", "kernels/reduce.cl",
          "const intv take = (x > most)", "const intv take = (x >= most)", count=2),
    Fault("reductions forget the elements behind the last vector", "kernels/reduce.cl",
          "s.stride, (int)min(mine.end - i, (long)VW), nothing);  ", "s.stride, 0, nothing);  "),
    Fault("parts of a reduction run over the end of a segment", "kernels/prelude/reduced.cl",
          "min(p.begin + s->part_length, s->length)", "p.begin + s->part_length"),
    Fault("variance about 0 in place of the mean", "kernels/variance.cl",
          "const floatv middle = sum / (float)vectors;", "const floatv middle = broadcast_v(0.0f);"),
    Fault("variance merges without its first barrier", "kernels/variance.cl",
          "    scratch[id] = m;\n    group_barrier();\n", "    scratch[id] = m;\n", seen_by="oclgrind"),
    Fault("softmax does not subtract the maximum", "kernels/softmax.cl",
          "const float peak = group_max(max_lanes(most), scratch);", "const float peak = 0.0f;"),
    Fault("log_softmax takes the logarithm of another base", "kernels/softmax.cl", "log(sums[u])", "log2(sums[u])"),
    Fault("softmax's gradient leaves out the sum", "kernels/softmax.cl", "return y * (g - sum);", "return y * g;"),
    Fault("cross-entropy smooths towards the label's class alone", "kernels/cross_entropy.cl",
          "g -= s.smooth;", "g -= 0.0f;"),
    Fault("cross-entropy counts ignored rows", "kernels/cross_entropy.cl",
          "        if (s.has_ignored && label == s.ignored)\n            continue;\n", ""),
    Fault("the mean-square loss forgets the loss scale", "kernels/mse.cl",
          "s.has_factor ? s.scale * factor[factor_at] : s.scale", "s.scale"),
    Fault("cross-entropy ignores the loss scale", "kernels/cross_entropy.cl",
          "s.has_factor ? s.scale * factor[factor_at] : s.scale", "s.scale"),
    Fault("SGD subtracts the momentum", "kernels/optimizer.cl",
          "const floatv v = s->momentum * *velocity + g;", "const floatv v = g - s->momentum * *velocity;"),
    Fault("Nesterov's momentum is left out", "kernels/optimizer.cl",
          "s->nesterov ? g + s->momentum * v : v", "v"),
    Fault("AdamW corrects the second moment as the first", "kernels/optimizer.cl",
          "sqrt(-expm1(t * s.log_beta2))", "sqrt(-expm1(t * s.log_beta1))"),
    Fault("Adam's decay is left out of the moments", "kernels/optimizer.cl",
          "s->decay != 0.0f ? gradient + s->decay * w : gradient", "gradient"),
    Fault("clipping lengthens short gradients", "kernels/clip.cl", "factor >= 1.0f ? 1.0f : factor;", "factor;"),
    Fault("clipping forgets a gradient's ragged end", "kernels/clip.cl",
          "for (; unit < last; unit += step)", "for (; unit < last_plain; unit += step)"),
    Fault("unscale does not report NaN", "kernels/optimizer.cl",
          "#define not_finite(x) ((x) - (x) != 0.0f)", "#define not_finite(x) (fabs(x) == INFINITY)"),
    Fault("images shift by half a pixel", "kernels/preprocess.cl", "a.first = exact + a.step / 2;", "a.first = exact;"),
    Fault("a piece of a long row is flipped by itself", "kernels/preprocess.cl",
          "const int to = r.flip ? s.out_columns - 1 - i : i;", "const int to = r.flip ? i0 + i1 - 1 - i : i;"),
    Fault("gather reads one row too many", "kernels/gather.cl", "row >= s.available", "row > s.available"),
    Fault("gather takes the first index of a piece for all of it", "kernels/gather.cl",
          "indices[p.c + i * s.index_inner]", "indices[p.c + first * s.index_inner]"),
    Fault("short rows are sorted unstably", "kernels/sort.cl",
          "((keys[j] == key) & (j < i))", "((keys[j] == key) & (j > i))"),
    Fault("sort sets the two zeros apart", "kernels/sort.cl", "TOP - magnitude :", "TOP - 1 - magnitude :"),
    Fault("sorted blocks ignore the blocks before them", "kernels/radix.cl",
          "counts[counts_at + (row * DIGITS + d) * s.blocks + block];", "counts[counts_at + (row * DIGITS + d) * s.blocks];"),
    Fault("radix sort counts before all is zero", "kernels/radix.cl",
          "        counts[d] = 0;\n    group_barrier();\n", "        counts[d] = 0;\n", seen_by="oclgrind"),
    Fault("elementwise broadcasts the wrong operand", "kernels/elementwise.cl",
          "b_i += c * t->b_strides[d];", "b_i += c * t->a_strides[d];"),
]
