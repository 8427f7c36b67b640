// Structs: nested, with arrays and vectors, copied, by pointer, as results and arguments of functions.
// run: structs global=1
// arg: buf:f32:12
// expect out: 1 2.5 7 3 10 2 20 4 6 11 32 9
struct point { float x, y; };
typedef struct { struct point at; int tags[3]; float4 colour; } Mark;
struct point moved(struct point p, float by) { p.x += by; p.y -= by; return p; }
void tag(Mark* mark, int value) { mark->tags[1] = value; mark->colour.z = value / 2.0f; }
__kernel void structs(__global float* out) {
    struct point p = {1.0f, 2.5f};
    out[0] = p.x; out[1] = p.y;
    struct point q = moved(p, 6.0f);
    out[2] = q.x;
    Mark m;
    m.at = q; m.tags[0] = 3; m.tags[2] = 10; m.colour = (float4)(1, 2, 3, 4);
    out[3] = m.tags[0]; out[4] = m.tags[2]; out[5] = m.colour.y;
    Mark n = m;
    tag(&n, 20);
    out[6] = n.tags[1]; out[7] = m.colour.w; out[8] = n.colour.z - m.colour.w;
    Mark list[2] = {m, n};
    list[1].at.x += 4;
    out[9] = list[1].at.x;
    out[10] = sizeof(Mark) - 16;
    const Mark* c = &list[0];
    out[11] = (*c).tags[0] * c->tags[0];
}
