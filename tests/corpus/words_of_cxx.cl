// Words that C++ keeps for itself are names like others.
// run: this global=1
// arg: buf:i32:6
// arg: i32:4
// expect new: 4 5 9 2 1 21
struct class { int public, private_; };
typedef int namespace;
int virtual(int operator) { return operator + 1; }
enum { delete = 2, true_one = 1 };
__kernel void this(__global int* new, const int template) {
    struct class try = {template, 0};
    try.private_ = virtual(try.public);
    namespace catch = try.public + try.private_;
    new[0] = try.public; new[1] = try.private_; new[2] = catch; new[3] = delete; new[4] = true_one;
    int throw = 1, mutable = 20; new[5] = throw + mutable;
}
