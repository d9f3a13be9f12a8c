// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/resp_parser.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <utility>

namespace lhrs {

namespace {

constexpr std::size_t kNumberLineMax = 32; // bytes of a line with a length; more is no length
constexpr std::size_t kArgumentsKept = 1'024; // places whose memory is kept for the next request

bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0'; }

int digitOf(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
        : c >= 'a' && c <= 'f'  ? c - 'a' + 10
        : c >= 'A' && c <= 'F'  ? c - 'A' + 10
                                : -1;
}

// The byte that follows a backslash in double quotes: a name of a control character, or itself.
char escaped(char c)
{
    switch (c) {
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    case 'b': return '\b';
    case 'a': return '\a';
    default: return c;
    }
}

} // namespace

void RespParser::reset()
{
    m_at = 0;
    m_left = m_bulk = -1;
    m_arguments.clear();
    if (m_arguments.capacity() > kArgumentsKept)
        m_arguments.shrink_to_fit();
}

RespParser::Outcome RespParser::fail(std::string text)
{
    m_error = "ERR Protocol error: " + std::move(text);
    return Outcome::Error;
}

RespParser::Outcome RespParser::read(std::span<char> bytes)
{
    if (bytes.empty())
        return Outcome::More;
    return bytes[0] == '*' ? readArray(bytes) : readInline(bytes);
}

RespParser::Line RespParser::readNumber(std::span<const char> bytes, std::int64_t& number)
{
    const auto rest = bytes.subspan(m_at);
    const auto line = rest.first(std::min(rest.size(), kNumberLineMax));
    const auto end = std::find(line.begin(), line.end(), '\n');
    if (end == line.end())
        return rest.size() < kNumberLineMax ? Line::More : Line::Wrong;
    const std::size_t length = std::size_t(end - line.begin());
    if (length < 2 || line[length - 1] != '\r')
        return Line::Wrong;
    const char* const last = line.data() + length - 1;
    const auto [stop, code] = std::from_chars(line.data() + 1, last, number);
    if (code != std::errc() || stop != last)
        return Line::Wrong;
    m_at += length + 1;
    return Line::Whole;
}

RespParser::Outcome RespParser::readArray(std::span<const char> bytes)
{
    if (m_left < 0) {
        std::int64_t count = 0;
        if (const Line line = readNumber(bytes, count); line != Line::Whole)
            return line == Line::More ? Outcome::More : fail("invalid multibulk length");
        if (count > kArgumentsMax)
            return fail("invalid multibulk length: at most 1,048,576 arguments in one request");
        m_left = std::max<std::int64_t>(count, 0);
    }
    while (m_left > 0) {
        if (m_bulk < 0) {
            if (m_at == bytes.size())
                return Outcome::More;
            if (bytes[m_at] != '$')
                return fail(std::string("expected '$', got '") + bytes[m_at] + "'");
            std::int64_t length = 0;
            const Line line = readNumber(bytes, length);
            if (line == Line::More)
                return Outcome::More;
            if (line == Line::Wrong || length < 0)
                return fail("invalid bulk length");
            if (std::uint64_t(length) > kRequestMax || m_at + std::size_t(length) + 2 > kRequestMax)
                return fail("invalid bulk length: a request has at most 16 MiB");
            m_bulk = length;
        }
        const std::size_t length = std::size_t(m_bulk);
        if (bytes.size() - m_at < length + 2)
            return Outcome::More;
        if (bytes[m_at + length] != '\r' || bytes[m_at + length + 1] != '\n')
            return fail("a bulk does not end with CR LF after its length");
        m_arguments.push_back({ std::uint32_t(m_at), std::uint32_t(length) });
        m_at += length + 2;
        m_bulk = -1;
        --m_left;
    }
    return Outcome::Request;
}

RespParser::Outcome RespParser::readInline(std::span<char> bytes)
{
    const std::size_t seen = std::min(bytes.size(), kInlineMax);
    const void* const found = std::memchr(bytes.data() + m_at, '\n', seen - m_at);
    if (found == nullptr) {
        m_at = seen; // what was looked at once is not looked at again
        return seen < kInlineMax ? Outcome::More : fail("too big inline request");
    }
    const std::size_t end = std::size_t(static_cast<const char*>(found) - bytes.data());
    m_at = end + 1;
    return cutWords(bytes.first(end)) ? Outcome::Request : fail("unbalanced quotes in request");
}

// Cuts the line into words, as Redis does: "..." with escapes, '...' with only \', and a quote must end its word.
bool RespParser::cutWords(std::span<char> line)
{
    std::size_t at = 0;
    for (;;) {
        while (at < line.size() && isSpace(line[at]))
            ++at;
        if (at == line.size())
            return true;
        std::size_t to = at; // where the next byte of the word is written, never behind where it is read
        const std::size_t begin = at;
        while (at < line.size() && !isSpace(line[at])) {
            const char quote = line[at];
            if (quote != '"' && quote != '\'') {
                line[to++] = line[at++];
                continue;
            }
            ++at;
            while (at < line.size() && line[at] != quote) {
                const std::size_t left = line.size() - at;
                if (quote == '"' && left >= 4 && line[at] == '\\' && line[at + 1] == 'x' && digitOf(line[at + 2]) >= 0
                    && digitOf(line[at + 3]) >= 0) {
                    line[to++] = char(digitOf(line[at + 2]) * 16 + digitOf(line[at + 3]));
                    at += 4;
                } else if (left >= 2 && line[at] == '\\' && (quote == '"' || line[at + 1] == '\'')) {
                    line[to++] = escaped(line[at + 1]);
                    at += 2;
                } else {
                    line[to++] = line[at++];
                }
            }
            if (at == line.size() || (at + 1 < line.size() && !isSpace(line[at + 1])))
                return false;
            ++at;
        }
        m_arguments.push_back({ std::uint32_t(begin), std::uint32_t(to - begin) });
    }
}

} // namespace lhrs
