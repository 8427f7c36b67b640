// Structs and unions without a name in a struct: their members are named as its own.
// run: unnamed global=1
// arg: buf:f32:10
// expect out: 1 2 3 7 8 9 5 32 16843009 4
typedef struct {
    union { float4 low; float low_of[4]; struct { float x, y; }; };
    union { int id; struct { uchar bytes[4]; }; };
    float new;
} box;
float first(const box* b) { return b->low_of[0] + b->x; }
__kernel void unnamed(__global float* out) {
    box b;
    b.low = (float4)(1.0f, 2.0f, 3.0f, 4.0f);
    out[0] = b.low_of[0]; out[1] = b.y; out[2] = b.low.z;
    box list[2];
    list[1] = b;
    box* p = list + 1;
    p->x = 7.0f;
    p->low_of[1] += 6.0f;
    p->low.z *= 3.0f;
    out[3] = list[1].low.x; out[4] = list[1].y; out[5] = p->low_of[2];
    struct pair { int kind; union { int whole; float part; }; } q = {2, {3}};
    out[6] = q.kind + q.whole;
    out[7] = sizeof(box);
    p->id = 0;
    for (int i = 0; i < 4; ++i)
        p->bytes[i] = 1;
    out[8] = p->id;
    p->new = first(&b) + first(p) / 7.0f;
    out[9] = p->new;
}
