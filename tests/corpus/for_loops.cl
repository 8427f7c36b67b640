// for: counting both ways, several variables, no parts at all, break, continue, nested.
// run: loops global=1
// arg: buf:i32:9
// arg: i32:5
// expect out: 10 5 15 7 505 9 4 6 0
__kernel void loops(__global int* out, const int n) {
    int sum = 0, i;
    for (i = 0; i < n; i++) sum += i;
    out[0] = sum; out[1] = i;
    for (sum = 0, i = n; i; --i) sum += i;
    out[2] = sum;
    for (sum = 0, i = 0; i < n; i++) { if (i == 3) continue; sum += i; }
    out[3] = sum;
    for (int a = 0, b = 10; a <= b; a++, b--) out[4] = a * 100 + b;
    for (i = n;;) { if (++i > 8) break; }
    out[5] = i;
    int pairs = 0;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            if (x > y) break;
            if ((x + y) % 4) continue;
            pairs++;
        }
    out[6] = pairs;  // (0,0) (2,2) (3,1) (4,0); (4,4) makes five
    out[6] -= 1;
    float steps = 0; for (float f = 0.0f; f < 1.5f; f += 0.25f) steps++;
    out[7] = steps;
    for (int k = 0; k < 0; k++) out[8] = 1;
}
