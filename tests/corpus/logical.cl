// && and || look at the right side only where they must.
// run: logical global=1
// arg: buf:i32:10
// arg: i32:1
// expect out: 0 1 1 0 1 0 2 1 1 0
int counted(__global int* calls, int answer) { (*calls)++; return answer; }
__kernel void logical(__global int* out, const int one) {
    int none = one - 1;
    __global int* calls = out + 6;
    *calls = 0;
    out[0] = none && counted(calls, 1);
    out[1] = one || counted(calls, 1);
    out[2] = one && counted(calls, 5);
    out[3] = none || counted(calls, 0);
    out[4] = !none; out[5] = !one;
    out[7] = 0.5f && one; out[8] = !0.0f; out[9] = none || none && one;
}
