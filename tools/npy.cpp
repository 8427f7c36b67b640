#include "npy.hpp"
#include "command.hpp"
#include "output.hpp"
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace devq::tools {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::pair<std::string_view, DType> types[] = {
    {"<f4", DType::f32}, {"<f2", DType::f16}, {"<f8", DType::f64}, {"|i1", DType::i8},
    {"|u1", DType::u8},  {"<i2", DType::i16}, {"<u2", DType::u16}, {"<i4", DType::i32},
    {"<u4", DType::u32}, {"<i8", DType::i64}, {"<u8", DType::u64},
};

[[noreturn]] void refuse(const std::filesystem::path& file, std::string_view problem) {
    throw WrongUsage(fmt::format("{}: {}", clean(file.string()), problem));
}

/// What stands behind 'KEY': in the header, a Python literal of known shape.
std::string_view value_of(std::string_view header, std::string_view key) {
    const std::size_t at = header.find(fmt::format("'{}':", key));
    if (at == header.npos)
        return {};
    header.remove_prefix(at + key.size() + 3);
    header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
    const char close = header.starts_with('(') ? ')' : header.starts_with('\'') ? '\'' : ',';
    const std::size_t end = header.find(close, 1);
    return end == header.npos ? std::string_view() : header.substr(0, close == ',' ? end : end + 1);
}

/// "(3, 4)", "(3,)" or "()", as Python writes tuples; nothing where it is anything else.
std::optional<std::vector<std::int64_t>> sizes_in(std::string_view text) {
    if (text.size() < 2 || text.front() != '(' || text.back() != ')')
        return std::nullopt;
    std::vector<std::int64_t> sizes;
    const char* at = text.data() + 1;
    const char* const end = text.data() + text.size() - 1;
    const auto skip_blanks = [&] {
        while (at != end && *at == ' ')
            ++at;
    };
    bool parted = true; // by a comma from the size before
    for (skip_blanks(); at != end; skip_blanks()) {
        std::int64_t size = -1;
        const auto [stop, status] = std::from_chars(at, end, size);
        if (!parted || status != std::errc{} || size < 0)
            return std::nullopt;
        sizes.push_back(size);
        at = stop;
        skip_blanks();
        parted = at != end && *at == ',';
        at += parted ? 1 : 0;
    }
    if (sizes.size() == 1 && !parted) // a number in parentheses is no tuple
        return std::nullopt;
    return sizes;
}

std::string python_tuple(const std::vector<std::int64_t>& sizes) {
    return "(" + sizes_text(sizes, ", ") + (sizes.size() == 1 ? ",)" : ")");
}

} // namespace

Array read_npy(const std::filesystem::path& file) {
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(file, ignored);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) // a pipe's length is unknown
        refuse(file, "is no ordinary file");
    std::ifstream in(file, std::ios::binary);
    if (!in)
        refuse(file, "cannot be read");
    char start[8] = {};
    in.read(start, sizeof start);
    if (!in || std::string_view(start, magic.size()) != magic)
        refuse(file, "is no .npy file");
    // The header's length: 16 bits in format 1, 32 in 2 and 3, little-endian.
    unsigned char digits[4] = {};
    in.read(reinterpret_cast<char*>(digits), start[6] == 1 ? 2 : 4);
    const std::size_t length =
        digits[0] | std::size_t{digits[1]} << 8 | std::size_t{digits[2]} << 16 | std::size_t{digits[3]} << 24;
    constexpr std::size_t longest = 1 << 16;
    if (!in || start[6] < 1 || start[6] > 3 || length > longest)
        refuse(file, "has a header that no known version of the format has");
    std::string header(length, '\0');
    in.read(header.data(), static_cast<std::streamsize>(length));
    const std::string_view descr = value_of(header, "descr");
    const auto known = std::find_if(std::begin(types), std::end(types), [&](const auto& type) {
        return descr.size() == 5 && descr.substr(1, 3) == type.first;
    });
    if (!in || known == std::end(types))
        refuse(file, fmt::format("has elements of type {}, which no kernel takes", clean(descr)));
    if (value_of(header, "fortran_order") != "False")
        refuse(file, "is in Fortran order; save numpy.ascontiguousarray(x)");
    const auto sizes = sizes_in(value_of(header, "shape"));
    if (!sizes)
        refuse(file, "has a shape that cannot be read");
    constexpr std::size_t most_dimensions = 32; // NumPy's own
    if (sizes->size() > most_dimensions)
        refuse(file, fmt::format("has {} dimensions", sizes->size()));
    std::size_t bytes = size_of(known->second);
    for (const std::int64_t size : *sizes)
        if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(size), &bytes))
            refuse(file, "has a shape of more bytes than 64 bits can count");
    // Compared with the file before memory is taken: a damaged header may say anything.
    const auto data = in.tellg();
    in.seekg(0, std::ios::end);
    if (!in || static_cast<std::size_t>(in.tellg() - data) != bytes)
        refuse(file, fmt::format("should hold {} bytes behind its header and holds {}", bytes,
                                 static_cast<std::int64_t>(in.tellg() - data)));
    in.seekg(data);
    Array array{known->second, *sizes, {}};
    try {
        array.bytes.resize(bytes);
    } catch (const std::exception&) {
        throw Error(ErrorCode::out_of_memory, {},
                    fmt::format("no {} of host memory for {}", bytes_text(bytes), clean(file.string())),
                    "Use a smaller file.");
    }
    in.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(bytes));
    if (!in)
        refuse(file, "cannot be read to its end");
    return array;
}

void write_npy(const std::filesystem::path& file, const Array& array) {
    const DType stored = array.type == DType::bf16 ? DType::u16 : array.type;
    const auto* const type =
        std::find_if(std::begin(types), std::end(types), [&](const auto& row) { return row.second == stored; });
    std::string header =
        fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}", type->first, python_tuple(array.sizes));
    constexpr std::size_t before = magic.size() + 4, alignment = 64;
    header.append((alignment - (before + header.size() + 1) % alignment) % alignment, ' ');
    header += '\n';
    std::string start(magic);
    start += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
    errno = 0;
    std::error_code problem;
    const std::filesystem::file_status status = std::filesystem::status(file, problem);
    const bool regular = !std::filesystem::exists(status) || std::filesystem::is_regular_file(status);
    // A link's target is replaced, not the link; a device or a pipe is written to.
    const std::filesystem::path target =
        std::filesystem::exists(status) ? std::filesystem::canonical(file, problem) : file;
    const std::filesystem::path part =
        regular ? target.string() + fmt::format(".{}.part", ::getpid()) : target.string();
    problem.clear();
    std::ofstream out(part, std::ios::binary);
    out << start << header;
    out.write(reinterpret_cast<const char*>(array.bytes.data()), static_cast<std::streamsize>(array.bytes.size()));
    out.close();
    if (out && regular)
        std::filesystem::rename(part, target, problem);
    if (!out || problem) {
        const std::string why = problem ? problem.message() : errno != 0 ? std::strerror(errno) : "writing failed";
        if (regular)
            std::filesystem::remove(part, problem);
        throw Error(ErrorCode::unavailable, {}, fmt::format("{} cannot be written: {}", clean(file.string()), why),
                    "Name a file in a folder that you may write, with space left.");
    }
}

} // namespace devq::tools
