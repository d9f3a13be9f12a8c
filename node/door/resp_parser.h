// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs {

// Reads one request after the other from the bytes of a client: arrays of bulk strings, or inline commands (a line of
// words). Nothing is copied: arguments are places in the caller's bytes. A length is checked before anything is
// allocated for it, and memory grows only with the bytes that have arrived.
class RespParser {
public:
    static constexpr std::size_t kRequestMax = std::size_t(16) << 20; // bytes of one request
    static constexpr std::int64_t kArgumentsMax = 1'024 * 1'024;
    static constexpr std::size_t kInlineMax = std::size_t(64) << 10;

    enum class Outcome {
        More, // the request is not complete: call it again with more bytes
        Request, // arguments() and size() are valid until reset(); there may be no argument
        Error // error() says what is wrong; the bytes that follow have no meaning
    };
    // `bytes`: everything from the begin of the request on; the same bytes as in the last call, and more. The words of
    // an inline command are rewritten in place, without their quotes.
    Outcome read(std::span<char> bytes);
    std::size_t count() const { return m_arguments.size(); }
    std::string_view argument(std::span<const char> bytes, std::size_t i) const
    {
        return { bytes.data() + m_arguments[i].begin, m_arguments[i].length };
    }
    // The bytes of the request that was read.
    std::size_t size() const { return m_at; }
    const std::string& error() const { return m_error; }
    // The next request follows.
    void reset();

private:
    struct Place {
        std::uint32_t begin = 0, length = 0;
    };
    enum class Line { More, Whole, Wrong };

    // Reads the number after the first character of a line, as in "*3" or "$5", and moves behind the line.
    Line readNumber(std::span<const char> bytes, std::int64_t& number);
    Outcome readArray(std::span<const char> bytes);
    Outcome readInline(std::span<char> bytes);
    bool cutWords(std::span<char> line);
    Outcome fail(std::string text);

    std::size_t m_at = 0; // everything before it has been read
    std::int64_t m_left = -1; // arguments that have not come; -1: their number is not known
    std::int64_t m_bulk = -1; // length of the argument that follows; -1: not known
    std::vector<Place> m_arguments;
    std::string m_error;
};

} // namespace lhrs
