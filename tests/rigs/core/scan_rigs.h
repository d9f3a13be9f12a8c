// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of scans share.
#pragma once

#include "tests/rigs/core/file_check.h"

#include <set>
#include <string>

namespace lhrs::test {

inline pb::Command scanOrder(const std::string& contains = {}, std::uint32_t keep = 1'000'000)
{
    pb::Command command;
    command.mutable_run_scan()->set_contains(contains);
    command.mutable_run_scan()->set_keep(keep);
    return command;
}

inline std::multiset<std::uint64_t> keysOf(const pb::ScanResult& result)
{
    std::multiset<std::uint64_t> keys;
    for (const auto& record : result.found())
        keys.insert(record.key());
    return keys;
}

inline std::multiset<std::uint64_t> keysOf(const Ledger& ledger)
{
    std::multiset<std::uint64_t> keys;
    for (const Key key : ledger.keys())
        keys.insert(key.value);
    return keys;
}

} // namespace lhrs::test
