// Every kernel of devq's own in its shape for GPUs (groups of many work-items, real barriers), under Oclgrind, which
// interprets each work-item and reports data races, bad accesses and wrong uses of the API. On a machine without a GPU
// nothing else runs these shapes; PoCL and groups of one hide a missing barrier.
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace {

/// Small ones: an interpreted work-item is some thousand times slower.
struct Selection {
    const char *op, *dtype, *shape;
};
constexpr Selection selections[] = {
    {"fill", "*", "13x31*"},
    {"gelu", "*", "31x33*"},
    {"add", "*", "33x65*"},
    {"atan2", "f16", "33x65*"},
    {"less", "*", "31x33*"},
    {"is_nan", "f32", "31x33*"},
    {"clamp", "bf16", "31x33*"},
    {"copy", "u8", "5x7x9*"},
    {"where", "f16", "7x33*"},
    {"pad", "f32", "19x40*"},
    {"batch_norm*", "*", "4x65x7 no gamma"},
    {"batch_norm*", "f16", "2x64x9x3 nhwc*"},
    {"cast", "*", "*1021"},
    {"matmul", "*", "m33 n65 k17 ??"},
    {"matmul", "f16", "b4 m33 n65 k17 ?t"},
    {"matmul", "f32", "m16 n31 k300 nt"},
    {"matmul", "bf16", "m3 n70 k300 nt*"},
    {"matmul", "f16", "m19 n67 k33 nt to f32 alpha*"},
    {"matmul", "bf16", "m3 n70 k129 nt bias silu to f32*"},
    {"matmul", "f32", "b3 m9 n34 k11*beta0.3 c"},
    {"matmul", "f32", "m1 n257 k131*"},
    {"matmul", "f16", "b3 m7 n65 k9*"},
    {"matmul_batch", "bf16", "list3 m9*"},
    {"reduce_*", "*", "33x65 axis ?"},
    {"reduce_*", "f32", "120x* inf denormal"},
    {"reduce_*", "f32", "4x33x3x5 axes 0 2 3"},
    {"variance", "*", "33x65 axis ?"},
    {"variance", "f16", "4x33x3x5 axes*"},
    {"variance", "f32", "211x3x307*"},
    {"reduce_argmin", "f16", "70001* parts"},
    {"conv2d*", "f16", "1x2x17x29 f3*"},
    {"conv2d*", "f32", "1x4x13x16 f6*nhwc"},
    {"softmax", "*", "33x1* axis *"},
    {"log_softmax", "bf16", "33x1* axis *"},
    {"*softmax_backward", "f16", "33x1* axis *"},
    {"softmax_cross_entropy", "*", "17x33*"},
    {"softmax_cross_entropy", "f16", "41x13*divided"},
    {"mse_loss", "bf16", "21x35*"},
    {"attention*", "f16", "*h6/2 q19*"},
    {"attention*", "f32", "b2 h2* q23 k41 d16 mask u8*"},
    {"attention*", "bf16", "b1 h2/1 q40 k25 d16 causal*"},
    {"clip_norm", "*", "33x7, 64x256*"},
    {"clip_norm", "f16", "13x31 gap3*"},
    {"clip_norm", "f32", "9x2111*"},
    {"random_bits", "u32", "33x7*"},
    {"uniform", "*", "33x7*"},
    {"normal", "*", "13x31*"},
    {"bernoulli", "*", "33x7*"},
    {"dropout", "*", "13x31*"},
    {"resize_normalize", "f16", "2x37*"},
    {"resize_normalize", "f32", "3x23x31*"},
    {"resize_normalize", "bf16", "2x23x31*"},
    {"resize_normalize", "f32", "1x5x?[03]00*"},
    {"sgd", "*", "33x7*"},
    {"adamw", "*", "33x7*"},
    {"count_step", "*", "41*"},
    {"unscale", "*", "35*"},
    {"unscale", "f16", "5000*"},
    {"update_loss_scale", "*", "growth"},
    {"gather_rows", "*", "2? of 41x19*"},
    {"gather", "*", "33x17 of *"},
    {"embedding", "*", "40x33*"},
    {"scatter_add", "*", "7x5 of *"},
    {"embedding_backward", "*", "10x33 of *"},
    {"scan", "*", "33x65 axis ?"},
    {"scan", "f32", "20011x3 axis 0"},
    {"histogram", "*", "33x65*"},
    {"histogram", "f32", "3000 bins5000*"},
    {"sort", "*", "33x17 axis*"},
    {"sort", "f16", "7x300*"},
    {"sort", "f32", "1x5000*"},
    {"argsort", "bf16", "5x170*"},
};

std::string contents(const fs::path& path) {
    std::ifstream file(path);
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TEST_CASE("Oclgrind finds no race, no bad access and no wrong result in the shapes for GPUs") {
    if (std::system("oclgrind --version >/dev/null 2>&1") != 0) {
        std::cout << "skipped: oclgrind: it is not installed (Debian: oclgrind)\n";
        return;
    }
    const fs::path build = fs::read_symlink("/proc/self/exe").parent_path();
    if (!fs::exists(build / "libdevq-opencl.so")) {
        std::cout << "skipped: oclgrind: devq was built without its OpenCL backend\n";
        return;
    }
    const fs::path log = build / fmt::format("oclgrind-{}.log", getpid()), output = log.string() + ".out";
    for (const Selection& s : selections) {
        fs::remove(log);
        const std::string command = fmt::format(
            "oclgrind --data-races --check-api --max-errors 20 --log '{}' '{}' test --device name:oclgrind --seed 1 "
            "--op '{}' --dtype '{}' --shape '{}' >'{}' 2>&1",
            log.string(), (build / "devq").string(), s.op, s.dtype, s.shape, output.string());
        CAPTURE(command);
        const int status = std::system(command.c_str());
        // The exit status is the program's own whatever Oclgrind found; what it found is in its log.
        CHECK_MESSAGE((WIFEXITED(status) && WEXITSTATUS(status) == 0), contents(output));
        CHECK_MESSAGE(contents(log).empty(), contents(log).substr(0, 4000));
    }
    fs::remove(log);
    fs::remove(output);
}
