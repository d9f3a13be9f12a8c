// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/server/node_machine.h"
#include "node/sim/lhrs/oracle/places.h"

#include <algorithm>

namespace lhrs {

// I15: numbers that are ordered or named for the first time never decrease, and older ones are refused.
class Epochs : private OraclePart {
public:
    Epochs(const OraclePart& part, const Places& places) : OraclePart(part), m_places(places) { }

    void onStep(const SimProcess& process, const SimInput& input, Effects& effects)
    {
        const auto rise = [&](std::uint64_t& highest, std::uint64_t epoch, const char* what) {
            if (epoch < highest)
                fail(15, process.info.name(), " ", what, " epoch ", epoch, " after ", highest);
            highest = std::max(highest, epoch);
        };
        bool isAcknowledged = false;
        // A coordinator that was replaced and does not know it may order anything, but no process may obey it.
        const bool isFormer = process.info.kind() == pb::COORDINATOR && !m_places.isPresentCoordinator(process);
        for (const Effects::Send& send : effects.sends()) {
            const pb::Message& message = *send.message;
            if (isFormer)
                break;
            isAcknowledged = isAcknowledged || message.has_delta_ack();
            if (send.tries > 0)
                continue;
            if (message.has_epoch())
                rise(m_ordered[message.epoch().view().group()], message.epoch().view().epoch(), "orders");
            else if (message.has_epoch_ack())
                rise(m_named[m_places.incarnationOf(process)], message.epoch_ack().epoch(), "acknowledges");
            else if (message.has_lease_request())
                rise(m_named[m_places.incarnationOf(process)], message.lease_request().epoch(), "asks for a lease in");
            else if (message.has_confirm()) {
                const std::uint64_t before = std::exchange(m_lastIncarnation, message.confirm().incarnation());
                if (before >= m_lastIncarnation)
                    fail(15, "incarnation ", m_lastIncarnation, " is given away after ", before);
            }
        }
        if (!isAcknowledged || !input.message || !input.message->has_delta())
            return;
        const ParityBucket* parity = m_places.parityBucketAt(process.index);
        if (parity && input.message->delta().epoch() < parity->view().epoch())
            fail(15, process.info.name(), " takes a change of epoch ", input.message->delta().epoch(), " in epoch ",
                parity->view().epoch());
    }

private:
    const Places& m_places;
    std::uint64_t m_lastIncarnation = 0; // the last one that the coordinator assigned
    std::map<std::uint32_t, std::uint64_t> m_ordered; // by group: the highest epoch ordered
    std::map<std::uint64_t, std::uint64_t> m_named; // by incarnation: the highest epoch named
};

} // namespace lhrs
