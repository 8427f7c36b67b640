// Values of every type as arguments, vectors of them, and typedefs.
// run: every global=1
// arg: buf:f32:13
// arg: i8:-1
// arg: u8:255
// arg: i16:-300
// arg: u16:65535
// arg: i32:-70000
// arg: u32:4000000000
// arg: i64:-5000000000
// arg: u64:18446744073709551615
// arg: f32:0.5
// arg: f32:1,2,3,4
// arg: i32:5,6,7
// arg: u8:1,2
// expect out: -1 255 -300 65535 -70000 4e9 -5e9 1 0.5 4 7 2 1
typedef uint Count;
__kernel void every(__global float* out, char a, uchar b, short c, ushort d, int e, Count f, long g, ulong h, float i,
                    float4 j, int3 k, uchar2 l) {
    out[0] = a; out[1] = b; out[2] = c; out[3] = d; out[4] = e; out[5] = f; out[6] = g; out[7] = h == ULONG_MAX;
    out[8] = i; out[9] = j.w; out[10] = k.z; out[11] = l.y; out[12] = j.x;
}
