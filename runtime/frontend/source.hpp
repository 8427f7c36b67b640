#pragma once
/// The texts that one program is made of, and errors that point into them.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace devq::frontend {

/// A place in a source text; lines and columns (bytes) start at 1. Line 0 means "no place".
struct Position {
    std::uint32_t file = 0;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
};

/// The files of one program by number. Names are as the user would write them, for messages and #line.
class Sources {
public:
    std::uint32_t add(std::string name, std::string text);
    const std::string& name(std::uint32_t file) const { return files_[file].name; }
    std::string_view text(std::uint32_t file) const { return files_[file].text; }
    /// A part of `file` that calls itself `name`, with lines that count `shift` more (modulo 2^32): #line.
    std::uint32_t add_part(std::uint32_t file, std::string name, std::uint32_t shift);
    /// The file that a part is of; any other is its own.
    std::uint32_t whole(std::uint32_t file) const { return files_[file].whole; }
    Position position(std::uint32_t file, std::size_t offset) const; ///< of a byte of its text
    bool empty() const { return files_.empty(); }

    /// "FILE:LINE:COLUMN: error: MESSAGE", the line itself and a caret under the column.
    std::string describe(Position at, std::string_view message) const;

    /// Throws devq::Error(build_failed) whose text is describe(at, message).
    [[noreturn]] void fail(Position at, std::string_view message, std::string advice = {}) const;

private:
    struct File {
        std::string name;
        std::string text;
        std::uint32_t whole; ///< its own number, or that of the file that it is a part of
        std::uint32_t shift = 0;
    };
    std::vector<File> files_;
};

} // namespace devq::frontend
