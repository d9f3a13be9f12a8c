// SPDX-License-Identifier: GPL-3.0-or-later
// The only place that names the tables of all systems.
#include "common/wire_traits.h"

#include "common/lhrs/file_wire.h"
#include "common/walk/walk_wire.h"

namespace lhrs {

namespace {

template <class Body> constexpr WireTable tableOf(WireTraits (*rowOf)(Body body), bool (*isOfClient)(Body body))
{
    WireTable table;
    for (std::size_t i = 0; i < kBodiesMax; ++i) {
        table[i] = rowOf(Body(i));
        table[i].isOfClient = isOfClient(Body(i));
    }
    return table;
}

constinit const WireTable kWalk = tableOf(walkWire, isOfWalkClient);
constinit const WireTraits kNone;

} // namespace

constinit const WireTable wireOfBody = tableOf(fileWire, isOfFileClient);

const WireTraits& wireOfSystem(const pb::Message& message)
{
    switch (message.of_system_case()) {
    case pb::Message::kWalk: return kWalk[std::size_t(message.walk().body_case())];
    case pb::Message::OF_SYSTEM_NOT_SET: break;
    }
    return kNone;
}

const WireTraits& wireOfSystem(int system, int body)
{
    return system == pb::Message::kWalkFieldNumber && body > 0 && body < int(kBodiesMax) ? kWalk[std::size_t(body)]
                                                                                         : kNone;
}

} // namespace lhrs
