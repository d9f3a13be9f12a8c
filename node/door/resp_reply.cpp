// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/door/resp_reply.h"

#include <charconv>

namespace lhrs::resp {

namespace {

constexpr std::string_view kEnd = "\r\n";

template <class Number> void addNumbered(std::string& out, char type, Number number)
{
    char digits[24];
    const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    out.push_back(type);
    out.append(digits, std::size_t(end - digits));
    out.append(kEnd);
}

} // namespace

void addStatus(std::string& out, std::string_view word)
{
    out.push_back('+');
    out.append(word);
    out.append(kEnd);
}

void addError(std::string& out, std::string_view text)
{
    out.push_back('-');
    const std::size_t begin = out.size();
    out.append(text);
    for (std::size_t i = begin; i < out.size(); ++i) {
        if (out[i] == '\r' || out[i] == '\n')
            out[i] = ' ';
    }
    out.append(kEnd);
}

void addInteger(std::string& out, std::int64_t number) { addNumbered(out, ':', number); }

void addBulk(std::string& out, std::string_view bytes)
{
    addNumbered(out, '$', bytes.size());
    out.append(bytes);
    out.append(kEnd);
}

void addNil(std::string& out) { out.append("$-1\r\n"); }

void addArray(std::string& out, std::size_t count) { addNumbered(out, '*', count); }

} // namespace lhrs::resp
