#include "run_arguments.hpp"
#include "command.hpp"
#include "output.hpp"
#include <charconv>
#include <cmath>
#include <cstring>
#include <devq/tensor.hpp>
#include <fmt/format.h>
#include <limits>
#include <random>

namespace devq::tools {

namespace {

[[noreturn]] void refuse(std::string_view argument, std::string_view problem) {
    throw WrongUsage(
        fmt::format("--arg {}: {}\n\nAn argument is one of\n{}", clean(argument), problem, argument_forms));
}

/// Up to the next colon; `rest` is moved behind it.
std::string_view take_part(std::string_view& rest) {
    const std::size_t colon = std::min(rest.find(':'), rest.size());
    const std::string_view part = rest.substr(0, colon);
    rest.remove_prefix(std::min(colon + 1, rest.size()));
    return part;
}

template <class T>
bool number_in(std::string_view text, T& value) {
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
    return !text.empty() && status == std::errc{} && end == text.data() + text.size();
}

template <class T>
void put(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
}

/// False where the type cannot hold the value.
template <class T>
bool put_integer(std::byte* at, double value) {
    // The upper limit of a 64-bit type is no f64; the next one above is, and is outside.
    if (!(value >= static_cast<double>(std::numeric_limits<T>::min()) &&
          value < std::ldexp(1.0, std::numeric_limits<T>::digits)) ||
        value != std::trunc(value))
        return false;
    put(at, static_cast<T>(value));
    return true;
}

bool put_element(std::byte* at, DType type, double value) {
    switch (type) {
    case DType::f32:
        put(at, static_cast<float>(value));
        return true;
    case DType::f16:
        put(at, f16_from_f32(static_cast<float>(value)));
        return true;
    case DType::bf16:
        put(at, bf16_from_f32(static_cast<float>(value)));
        return true;
    case DType::f64:
        put(at, value);
        return true;
    case DType::i8:
        return put_integer<std::int8_t>(at, value);
    case DType::u8:
        return put_integer<std::uint8_t>(at, value);
    case DType::i16:
        return put_integer<std::int16_t>(at, value);
    case DType::u16:
        return put_integer<std::uint16_t>(at, value);
    case DType::i32:
        return put_integer<std::int32_t>(at, value);
    case DType::u32:
        return put_integer<std::uint32_t>(at, value);
    case DType::i64:
        return put_integer<std::int64_t>(at, value);
    case DType::u64:
        return put_integer<std::uint64_t>(at, value);
    }
    return false;
}

template <class T>
double read(const std::byte* at) {
    T value;
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
}

DType type_in(std::string_view argument, std::string_view name) {
    try {
        return dtype_from_string(name);
    } catch (const Error&) {
        refuse(argument, fmt::format("there is no type or form \"{}\"", clean(name)));
    }
}

/// A number as this type holds it; 64-bit integers exactly.
void put_number(std::string_view argument, std::byte* at, DType type, std::string_view text) {
    if (type == DType::i64 || type == DType::u64) {
        std::int64_t whole = 0;
        std::uint64_t large = 0;
        if (type == DType::i64 ? number_in(text, whole) : number_in(text, large)) {
            type == DType::i64 ? put(at, whole) : put(at, large);
            return;
        }
    }
    double value = 0;
    if (!number_in(text, value) || !put_element(at, type, value))
        refuse(argument, fmt::format("\"{}\" is no value of type {}", clean(text), to_string(type)));
}

void fill(std::string_view argument, Array& array, std::string_view how, std::size_t position) {
    const std::size_t size = size_of(array.type), count = array.bytes.size() / size;
    std::byte* const data = array.bytes.data();
    std::string_view rest = how;
    const std::string_view kind = take_part(rest);
    if (kind.empty() || kind == "zeros")
        return;
    if (kind == "random") {
        std::uint64_t seed = position + 1;
        if (!rest.empty() && !number_in(rest, seed))
            refuse(argument, fmt::format("\"{}\" is no seed", clean(rest)));
        std::mt19937_64 engine(seed);
        for (std::size_t i = 0; i < count; ++i) { // the library's distributions differ from one to another
            const double unit = static_cast<double>(engine() >> 11) * 0x1p-53;
            put_element(data + i * size, array.type, is_floating(array.type) ? 2 * unit - 1 : std::floor(unit * 100));
        }
        return;
    }
    if (!rest.empty())
        refuse(argument, fmt::format("\"{}\" stands behind the fill", clean(rest)));
    if (kind == "iota") {
        for (std::size_t i = 0; i < count; ++i)
            if (!put_element(data + i * size, array.type, static_cast<double>(i)))
                refuse(argument, fmt::format("{} is no value of type {}", i, to_string(array.type)));
        return;
    }
    for (std::size_t i = 0; i < count; ++i) // one number, parsed once, then repeated
        i == 0 ? put_number(argument, data, array.type, kind == "ones" ? "1" : kind)
               : void(std::memcpy(data + i * size, data, size));
}

Array buffer_in(std::string_view argument, std::string_view rest, std::size_t position) {
    Array array;
    array.type = type_in(argument, take_part(rest));
    std::size_t bytes = size_of(array.type);
    for (const std::size_t size : sizes_from(take_part(rest), std::size_t{max_rank}, argument)) {
        array.sizes.push_back(static_cast<std::int64_t>(size));
        if (__builtin_mul_overflow(bytes, size, &bytes) || bytes > std::numeric_limits<std::int64_t>::max())
            refuse(argument, "that is more than 63 bits can count");
    }
    try {
        array.bytes.resize(bytes);
    } catch (const std::exception&) {
        throw Error(ErrorCode::out_of_memory, {},
                    fmt::format("no {} of host memory for --arg {}", bytes_text(bytes), clean(argument)),
                    "Use a smaller buffer.");
    }
    fill(argument, array, rest, position);
    return array;
}

std::vector<std::byte> hex_in(std::string_view argument, std::string_view digits) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
        unsigned value = 0;
        const auto [end, status] = std::from_chars(digits.data() + i, digits.data() + i + 2, value, 16);
        if (status != std::errc{} || end != digits.data() + i + 2)
            break;
        bytes.push_back(static_cast<std::byte>(value));
    }
    if (digits.empty() || bytes.size() * 2 != digits.size())
        refuse(argument, "hex: takes two digits a byte");
    return bytes;
}

} // namespace

std::vector<std::size_t> sizes_from(std::string_view text, std::size_t most, std::string_view option) {
    std::vector<std::size_t> sizes;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find('x', begin), text.size());
        std::size_t size = 0;
        if (!number_in(text.substr(begin, end - begin), size) || size == 0 || sizes.size() == most)
            throw WrongUsage(fmt::format("{}: \"{}\" is no size; give 1 to {} numbers above 0, such as 1024 or 64x64",
                                         clean(option), clean(text), most));
        sizes.push_back(size);
        begin = end + 1;
    }
    return sizes;
}

RunArgument parse_argument(const std::string& text, std::size_t position) {
    RunArgument argument;
    argument.text = text;
    std::string_view rest = text;
    const std::string_view form = take_part(rest);
    if (form == "buf") {
        argument.kind = RunArgument::Kind::buffer;
        argument.array = buffer_in(text, rest, position);
    } else if (form == "file") {
        argument.kind = RunArgument::Kind::buffer;
        argument.array = read_npy(std::string(rest));
    } else if (form == "local") {
        argument.kind = RunArgument::Kind::local;
        if (!number_in(rest, argument.local_bytes) || argument.local_bytes == 0)
            refuse(text, fmt::format("\"{}\" is no number of bytes", clean(rest)));
    } else if (form == "hex") {
        argument.value = hex_in(text, rest);
    } else {
        argument.type = type_in(text, form);
        const std::size_t size = size_of(argument.type);
        for (std::size_t begin = 0; begin <= rest.size();) {
            const std::size_t end = std::min(rest.find(',', begin), rest.size());
            argument.value.resize(argument.value.size() + size);
            put_number(text, argument.value.data() + argument.value.size() - size, argument.type,
                       rest.substr(begin, end - begin));
            begin = end + 1;
        }
        if (argument.value.size() == 3 * size) // a vector of three takes the place of four
            argument.value.resize(4 * size);
    }
    return argument;
}

double element(const Array& array, std::size_t index) {
    const std::byte* const at = array.bytes.data() + index * size_of(array.type);
    switch (array.type) {
    case DType::f32:
        return read<float>(at);
    case DType::f16:
        return f32_from_f16(static_cast<std::uint16_t>(read<std::uint16_t>(at)));
    case DType::bf16:
        return f32_from_bf16(static_cast<std::uint16_t>(read<std::uint16_t>(at)));
    case DType::f64:
        return read<double>(at);
    case DType::i8:
        return read<std::int8_t>(at);
    case DType::u8:
        return read<std::uint8_t>(at);
    case DType::i16:
        return read<std::int16_t>(at);
    case DType::u16:
        return read<std::uint16_t>(at);
    case DType::i32:
        return read<std::int32_t>(at);
    case DType::u32:
        return read<std::uint32_t>(at);
    case DType::i64:
        return read<std::int64_t>(at);
    case DType::u64:
        return read<std::uint64_t>(at);
    }
    return std::nan("");
}

} // namespace devq::tools
