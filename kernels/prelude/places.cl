/* Where the elements of three views begin for one combination of outer indices. */

struct three_axes {
    long sizes[8]; /* outermost first */
    long a[8], b[8], c[8];
};
struct three_places {
    long a, b, c;
};
static inline struct three_places places_of(table_space const struct three_axes* axes, int rank, long row, long a,
                                            long b, long c) {
    struct three_places p;
    p.a = a;
    p.b = b;
    p.c = c;
    for (int d = rank - 1; d >= 0; d--) {
        long at = row;
        if (d > 0) { /* the outermost axis has what is left */
            row /= axes->sizes[d];
            at -= row * axes->sizes[d];
        }
        p.a += at * axes->a[d];
        p.b += at * axes->b[d];
        p.c += at * axes->c[d];
    }
    return p;
}
