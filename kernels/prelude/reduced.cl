/* What reduce.cl and variance.cl share: any set of reduced axes, walked as segments (all of them but the innermost) of
 * neighbours along the innermost. The elements of one result may be cut into parts, which different groups take; then
 * what each part gives goes to `partial`, and a second kernel puts the parts together, in their order. */

struct reduce_shape {
    struct outer_axes axes;           /* of the kept dimensions; `columns`: without the innermost */
    long over_sizes[8], over_strides[8]; /* of the reduced ones but the innermost, outermost first */
    long segments, length, stride;    /* all their places; of the innermost reduced one */
    long part_segments, part_length;  /* of a part: whole segments, or a piece of one */
    long pieces, parts;               /* of a segment; of a result */
    long total;                       /* elements of a result */
    long inner, out_inner;            /* `columns`: the innermost kept dimension; its stride in the input is 1 */
    long rows;                        /* results without the innermost kept dimension of `columns` */
    long units, units_per_group;      /* parts of results, or of pieces of some results for `columns` */
    long correction;                  /* variance divides by total - correction */
    int rank, over_rank, op;
    int across; /* work-items side by side along a segment; a power of two */
};

/* A part's share of the reduced axes. */
struct share {
    long segment, segments_end, begin, end;
};
static inline struct share share_of(const struct reduce_shape* s, long part) {
    struct share p;
    const long whole = part / s->pieces;
    p.segment = whole * s->part_segments;
    p.segments_end = min(p.segment + s->part_segments, s->segments);
    p.begin = (part - whole * s->pieces) * s->part_length;
    p.end = min(p.begin + s->part_length, s->length);
    return p;
}

static inline long segment_at(table_space const struct reduce_shape* t, int rank, long segment) {
    long at = 0;
    for (int d = rank - 1; d > 0; d--) {
        at += segment % t->over_sizes[d] * t->over_strides[d];
        segment /= t->over_sizes[d];
    }
    return rank > 0 ? at + segment * t->over_strides[0] : 0;
}

/* Where result `r` of the second kernel goes. */
static inline long result_at(table_space const struct reduce_shape* t, const struct reduce_shape* s, long r,
                             long out_at) {
    const long row = s->inner == 1 ? r : r / s->inner;
    return place_of(&t->axes, s->rank, row, out_at + (r - row * s->inner) * s->out_inner, 0).out;
}
