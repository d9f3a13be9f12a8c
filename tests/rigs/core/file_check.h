// SPDX-License-Identifier: GPL-3.0-or-later
// Checks a file in memory: its parity, symbol by symbol, against the contents of its data buckets.
#pragma once

#include "tests/rigs/core/bucket_rigs.h"
#include "tests/rigs/core/memory_cluster.h"

namespace lhrs::test {

// What the data buckets of a group hold.
inline GroupModel modelOf(FileRig& rig, std::uint32_t group)
{
    GroupModel model;
    const std::uint32_t m = rig.coordinator().file().config().m();
    for (std::uint32_t q = 0; q < m; ++q) {
        const DataBucket* bucket = rig.data(group * m + q);
        for (Rank r(1); bucket && r <= bucket->store().rankMax(); r = r.next()) {
            if (!bucket->store().has(r))
                continue;
            const RecordStore::Record record = bucket->store().at(r);
            model.positions[q][r.value] = { record.key.value, std::string(record.value), record.version };
        }
    }
    return model;
}

// "" if every parity bucket of the file holds what the data buckets encode to, and nothing is under way (I1, I2 at
// rest); else what differs. For m <= 4 and k <= 3, the size of the printed matrix.
inline std::string parityProblem(FileRig& rig)
{
    const FileState& file = rig.coordinator().file();
    for (const auto& [g, group] : file.groups()) {
        const GroupModel model = modelOf(rig, g.value);
        for (std::uint32_t p = 0; p < group.k; ++p) {
            const std::string where = "parity bucket " + std::to_string(g.value) + "." + std::to_string(p) + ": ";
            const ParityBucket* parity = rig.parity(g.value, p);
            if (!parity)
                return where + "is not there";
            for (const auto& [q, member] : group.data) {
                const DataBucket* bucket = rig.data(bucketAt(g, q, file.config().m()).value);
                if (!bucket)
                    return where + "position " + std::to_string(q.value) + " has no bucket";
                if (parity->applied(q) != bucket->link().sequence() || parity->held() != 0)
                    return where + "has " + std::to_string(parity->applied(q)) + " of the "
                        + std::to_string(bucket->link().sequence()) + " changes of position " + std::to_string(q.value)
                        + ", and holds " + std::to_string(parity->held());
            }
            const std::string difference = model.differenceTo(*parity, p, file.config().field() == pb::GF_16, false);
            if (!difference.empty())
                return where + difference;
        }
    }
    return {};
}

} // namespace lhrs::test
