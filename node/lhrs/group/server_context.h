// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "node/machine/memory_room.h"
#include "node/machine/node_context.h"

#include <map>

namespace lhrs {

inline constexpr std::uint32_t kRetryAfterMs = 20; // in a RETRY answer
inline constexpr std::uint32_t kRetryWhenFullMs = 100; // when memory is at its limit

// Where the holder of a place listens, and its incarnation.
struct HolderInfo {
    Address address;
    NodeId node;
    Incarnation incarnation;
    bool operator==(const HolderInfo&) const = default;
    static HolderInfo from(const pb::Holder& h)
    {
        return { Address::from(h.address()), NodeId(h.node()), Incarnation(h.incarnation()) };
    }
    void to(pb::Holder& out) const
    {
        address.to(*out.mutable_address());
        out.set_node(node.value);
        out.set_incarnation(incarnation.value);
    }
};

// Bucket number -> holder, as far as this process knows. It is only a hint, because the bucket may have moved.
using LocationCache = std::map<BucketNumber, HolderInfo>;

// The highest possible rank of a bucket: for at most 4 b records, plus ranks that are waiting to be freed.
inline Rank rankLimit(const pb::FileConfig& config) { return Rank(8 * config.b() + 65'536); }

// How slices of a bucket recovery travel in this file.
inline Way bulkWay(const pb::FileConfig& config)
{
    return config.recovery_transport() == pb::RECOVERY_UDP ? Way::Datagrams : Way::Stream;
}

// What the parts of one server share in addition.
struct ServerContext : NodeContext {
    LocationCache locations {};
    MemoryRoom memory {}; // See "Memory" in node/lhrs/PROTOCOL.md.
    // The low bits may hold a column.
    enum Purpose : AckList::Purpose {
        MoveBlock = 2,
        ContentsBlock = 3,
        OfRecovery = 4,
        ScanBlock = 5,
        BatchBlock = 256
    };
};

} // namespace lhrs
