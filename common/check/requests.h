// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

// Requests of clients, their outcomes, and the results of a checker.
namespace lhrs::check {

// A violated invariant: its number (1 = I1) and a sentence.
struct Violation {
    int invariant = 0;
    std::string text;
};

using Violations = std::vector<Violation>;

// A client's request.
struct RequestName {
    std::uint64_t client = 0;
    std::uint64_t number = 0;
    auto operator<=>(const RequestName&) const = default;
};

// Put stores the value whether or not the key exists; Insert fails if it exists, and Update fails if it does not.
enum class RequestKind : std::uint8_t { Insert, Update, Delete, Search, Put };
constexpr bool isWrite(RequestKind kind)
{
    return kind == RequestKind::Insert || kind == RequestKind::Update || kind == RequestKind::Put;
}
enum class Outcome : std::uint8_t { Ok, NotFound, Exists, Retry, Lost, Unknown, Invalid };

const char* nameOf(RequestKind kind);
const char* nameOf(Outcome outcome);

} // namespace lhrs::check
