/* Where the elements of an output and of an input begin for one combination of outer indices. */

struct outer_axes {
    long sizes[8]; /* outermost first */
    long out_strides[8], in_strides[8];
};
struct place {
    long out, in;
};
static inline struct place place_of(table_space const struct outer_axes* axes, int rank, long row, long out_at,
                                    long in_at) {
    struct place p;
    p.out = out_at;
    p.in = in_at;
    for (int d = rank - 1; d >= 0; d--) {
        const long c = row % axes->sizes[d];
        row /= axes->sizes[d];
        p.out += c * axes->out_strides[d];
        p.in += c * axes->in_strides[d];
    }
    return p;
}
