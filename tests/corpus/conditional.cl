// ?: of scalars takes one side only, associates to the right, and balances types.
// run: conditional global=1
// arg: buf:f32:6
// arg: i32:1
// expect out: 5 2 1.5 3 1 4
int bump(__global float* at, int answer) { at[0] += 1; return answer; }
__kernel void conditional(__global float* out, const int one) {
    out[4] = 0;
    out[0] = one ? 5 : 6;
    out[1] = one == 2 ? 1 : one == 1 ? 2 : 3;
    out[2] = one ? 1.5f : 2;
    out[3] = one ? 3 : bump(out + 4, 1);
    const int value = one ? bump(out + 4, 4) : bump(out + 4, 5);
    out[5] = value;
}
