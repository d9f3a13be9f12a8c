// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/requests.h"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The input of the checkers of LH*RS: states of buckets and of the file as plain structs. In the simulator they are
// copied from the machines; in a real cluster they come from the answers to control commands. Nothing here knows how
// the store works inside.
namespace lhrs::check {

enum class FieldKind { Gf16, Gf8 };

// The parameters of the file on which the invariants depend.
struct FileSettings {
    std::uint32_t m = 4; // data buckets per group
    FieldKind field = FieldKind::Gf16;
    bool mixKeys = false; // addresses are computed from mix64(key)
};

// (i, n): M = 2^i + n data buckets.
struct FileState {
    std::uint32_t i = 0;
    std::uint32_t n = 0;
    auto operator<=>(const FileState&) const = default;
    std::uint64_t buckets() const { return (std::uint64_t(1) << i) + n; }
};

struct DataRecord {
    std::uint32_t rank = 0;
    std::uint64_t key = 0;
    std::uint64_t version = 0; // sequence number of the last change of this rank
    std::string value;
};

// A data bucket that is not INIT.
struct DataBucket {
    std::uint32_t number = 0;
    std::uint32_t level = 0;
    std::uint64_t sequence = 0; // of the last change
    std::vector<DataRecord> records; // records of which it is the authoritative owner
    std::uint32_t rankMax = 0;
    std::vector<std::uint32_t> freeRanks; // may be given to a new record
    std::vector<std::uint32_t> waitingRanks; // freed by a change that some parity bucket has not acknowledged yet
};

// One entry of the key list of a parity record.
struct ParityMember {
    std::uint32_t position = 0;
    std::uint64_t key = 0;
    std::uint32_t length = 0;
    std::uint64_t version = 0;
    auto operator<=>(const ParityMember&) const = default;
};

struct ParityRecord {
    std::uint32_t rank = 0;
    std::vector<ParityMember> members; // in any order
    std::string parity; // B, low byte of each symbol first; trailing zeros may be missing
};

// A parity bucket that is UP.
struct ParityBucket {
    std::uint32_t group = 0;
    std::uint32_t column = 0;
    std::vector<std::uint64_t> applied; // by position
    std::vector<std::uint64_t> held; // number of changes held, by position
    std::vector<ParityRecord> records;
};

// A member of a record group as the data bucket at its position has it, or had it at the sequence number that the
// parity bucket has applied.
struct Member {
    std::uint32_t position = 0;
    std::uint64_t key = 0;
    std::uint64_t version = 0;
    std::string_view value;
};

} // namespace lhrs::check
