// Comments of both kinds, a comment within a line, lines joined by a backslash, and a /* in a string.
// run: comments global=1
// arg: buf:i32:4
// expect out: 3 8 6 1
__kernel void comments(__global int* out /* the result */) {
    out[0] = 1 + /* 5 + */ 2; // + 9
    out[1] = 16 /**// 2;
    /* out[2] = 1;
       // out[2] = 2; */ out[2] = 6;
    const char text[] = "/* no comment */"; out[3] = text[0] == '/'; // joined with the next \
    out[3] = 5;
}
