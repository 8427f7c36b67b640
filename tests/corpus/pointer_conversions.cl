// Pointers become others into the same memory without a cast, as compilers of OpenCL C let them.
// run: pointers global=1
// arg: buf:i32:9
// arg: buf:i32:4:iota
// expect out: 3 -1 2 1065353216 7 3 1 5 6
struct pair { int first, second; };
uint count(uint* list, int n) { uint sum = 0; for (int i = 0; i < n; ++i) sum += list[i]; return sum; }
void raise(__global int* list) { list[0] = 7; }
int second(const int* list) { return list[1]; }
__global int* writable(const __global int* p) { return p; }
int of_local(__local int* list) { return list[0]; }
__kernel void pointers(__global int* out, const __global int* in) {
    __local uint shared[4];
    int list[3] = {0, 1, 2}, table[2][2] = {{4, 5}, {6, 7}};
    out[0] = count(list, 3);
    uint most = 0xffffffffu;
    int* whole = &most;
    out[1] = *whole;
    __global uint* words = in;
    __global char* bytes;
    bytes = words + 2;
    out[2] = bytes[0];
    float4 one = 1.0f;
    int* bits = &one;
    out[3] = bits[3];
    raise(out + 4);
    __global int* p;
    p = (__global char*)in + 12;
    out[5] = *p;
    struct pair both = {0, 1};
    out[6] = second(&both);
    out[7] = second(&table);
    shared[0] = 6;
    out[8] = of_local(shared) + (writable(in) == in ? 0 : 1);
}
