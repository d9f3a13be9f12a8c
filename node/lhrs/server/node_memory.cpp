// SPDX-License-Identifier: GPL-3.0-or-later
// How a server handles measurements of its memory. What its bucket does with them is in bucket_memory.h and
// parity_bucket_memory.cpp.
#include "node/lhrs/server/node_machine.h"

namespace lhrs {

void NodeMachine::onMemory(const MemoryReading& reading, Time, Effects& out)
{
    setPlace(out);
    m_context.memory.setReading(reading, storedBytes());
    lookAtMemory(out);
}

bool NodeMachine::isFull() const
{
    return m_data ? m_data->isFull() : m_parity ? m_parity->isFull() : !m_context.memory.fits(0, 0);
}

void NodeMachine::lookAtMemory(Effects& out)
{
    if (m_data)
        m_data->lookAtMemory();
    else if (m_parity)
        m_parity->lookAtMemory();
    if (isFull() == m_isFullTold)
        return;
    m_isFullTold = isFull();
    const MemoryReading& reading = m_context.memory.reading();
    auto* event = out.event().mutable_memory_full();
    event->set_is_full(m_isFullTold);
    event->set_limit(reading.limit);
    event->set_left(reading.limit == 0 ? 0 : m_context.memory.left(storedBytes()));
    event->set_stored(storedBytes());
    event->set_bound(reading.bound);
}

void NodeMachine::leaveOutRecords(pb::Snapshot& snapshot) const
{
    if (snapshot.has_data()) {
        snapshot.mutable_data()->clear_ranks();
        snapshot.mutable_data()->clear_keys();
    } else if (snapshot.has_parity()) {
        snapshot.mutable_parity()->clear_ranks();
        snapshot.mutable_parity()->clear_members();
    }
}

} // namespace lhrs
