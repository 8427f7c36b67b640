#include "tool.hpp"
#include "tools/command.hpp"
#include "tools/npy.hpp"
#include "tools/run_arguments.hpp"
#include <devq/error.hpp>
#include <sys/stat.h>

using namespace tools_test;
using devq::DType;
using devq::tools::Array;

namespace {

/// A file of format 1.0 with this header and `bytes` of data.
std::string npy(const std::string& header, std::size_t bytes, char version = 1) {
    std::string text("\x93NUMPY", 6);
    text += {version, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    if (version > 1)
        text += {'\0', '\0'};
    return text + header + std::string(bytes, '\1');
}

} // namespace

TEST_CASE("what is written is read again") {
    const Workplace here;
    for (const DType type : {DType::f32, DType::f16, DType::f64, DType::i8, DType::u8, DType::i16, DType::u16,
                             DType::i32, DType::u32, DType::i64, DType::u64})
        for (const std::vector<std::int64_t>& sizes :
             {std::vector<std::int64_t>{}, {7}, {2, 3}, {0, 5}, {2, 1, 2, 1, 2, 1, 2, 1}}) {
            Array array{type, sizes, {}};
            std::size_t bytes = devq::size_of(type);
            for (const std::int64_t size : sizes)
                bytes *= static_cast<std::size_t>(size);
            for (std::size_t i = 0; i < bytes; ++i)
                array.bytes.push_back(static_cast<std::byte>(i * 37 + 11));
            devq::tools::write_npy(here.path("x.npy"), array);
            const Array again = devq::tools::read_npy(here.path("x.npy"));
            CHECK(again.type == type);
            CHECK(again.sizes == sizes);
            CHECK(again.bytes == array.bytes);
        }
    // bf16 travels as its bits.
    devq::tools::write_npy(here.path("b.npy"), {DType::bf16, {1}, {std::byte{0x80}, std::byte{0x3f}}});
    CHECK(devq::tools::read_npy(here.path("b.npy")).type == DType::u16);
    CHECK(std::distance(std::filesystem::directory_iterator(here.path("")), {}) == 2); // nothing is left half written
}

TEST_CASE("links are followed, devices and pipes written to, not replaced") {
    const Workplace here;
    const Array array{DType::u8, {3}, {std::byte{1}, std::byte{2}, std::byte{3}}};
    const std::string target = here.file("target.npy", "old");
    std::filesystem::create_symlink("target.npy", here.path("link.npy"));
    devq::tools::write_npy(here.path("link.npy"), array);
    CHECK(std::filesystem::is_symlink(here.path("link.npy")));
    CHECK(devq::tools::read_npy(target).bytes == array.bytes);
    devq::tools::write_npy("/dev/null", array);
    CHECK(std::filesystem::is_character_file("/dev/null"));
    CHECK_THROWS_AS(devq::tools::write_npy("/dev/full", array), devq::Error);
    CHECK(std::filesystem::is_character_file("/dev/full"));
}

TEST_CASE("headers as NumPy writes them, of all three versions") {
    const Workplace here;
    const std::string header = "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }    \n";
    for (const char version : {1, 2, 3})
        CHECK(devq::tools::read_npy(here.file("v.npy", npy(header, 16, version))).sizes ==
              std::vector<std::int64_t>{2, 2});
    // 0x01010101
    CHECK(devq::tools::element(devq::tools::read_npy(here.file("v.npy", npy(header, 16))), 3) == 16843009);
}

TEST_CASE("damaged and foreign files are refused before memory is taken") {
    const Workplace here;
    const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }\n";
    const auto header = [&](const std::string& type, const std::string& order, const std::string& shape) {
        return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
    };
    const std::string wrong[] = {
        "",
        "\x93NUMPY",
        npy(good, 16).substr(0, 20),
        npy(good, 15),
        npy(good, 17),
        npy(good, 16, 4),
        npy(header("<c8", "False", "(4,)"), 32),
        npy(header(">f4", "False", "(4,)"), 16),
        npy(header("|O8", "False", "(4,)"), 32),
        npy(header("<f4", "True", "(4,)"), 16),
        npy(header("<f4", "False", "(-4,)"), 16),
        npy(header("<f4", "False", "(4, x)"), 16),
        npy(header("<f4", "False", "(4611686018427387904, 4611686018427387904)"), 16),
        npy(header("<f4", "False", "(4611686018427387905,)"), 4),
        npy(header("<f4", "False", "(99999999999999999999,)"), 16),
        npy(header("<f4", "False", "4"), 16),
        npy(header("<f4", "False", "(4)"), 16), // Python's for a number
        npy(header("<f4", "False", "(4,,)"), 16),
        npy(header("<f4", "False", "(,4)"), 16),
        npy(header("<f4", "False", "(,)"), 4),
        npy(header("<f4", "False", "(2 2)"), 16),
        npy(header("<f4", "False", "(2, 2,,)"), 16),
        npy(header("<f4", "False",
                   "(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
                   "1, 1, 1, 1)"),
            4),
        npy("{}", 16),
        npy("", 16),
    };
    for (const std::string& text : wrong)
        CHECK_THROWS_AS(devq::tools::read_npy(here.file("wrong.npy", text)), devq::tools::WrongUsage);
    CHECK(devq::tools::read_npy(here.file("good.npy", npy(header("<f4", "False", "( 2 , 2 , )"), 16))).sizes.size() ==
          2);
    REQUIRE(mkfifo(here.path("pipe.npy").c_str(), 0600) == 0); // nobody will ever write into it
    for (const std::string& path : {here.path(""), here.path("pipe.npy"), std::string("/dev/zero")})
        CHECK_THROWS_AS(devq::tools::read_npy(path), devq::tools::WrongUsage);
    CHECK_THROWS_AS(devq::tools::write_npy("/nowhere/x.npy", {DType::u8, {1}, {std::byte{1}}}), devq::Error);
}
