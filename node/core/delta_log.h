// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "proto/message.pb.h"

#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// Deltas of one data position that a parity bucket has applied and that somebody may lack (lhrs.md 4.3), in the order of their
// sequence numbers. One comes with each change and goes soon after, so their memory is used again.
class DeltaLog {
public:
    void add(const pb::Delta& delta)
    {
        Entry entry;
        if (!m_spare.empty()) {
            entry = std::move(m_spare.back());
            m_spare.pop_back();
        }
        entry.incarnation = delta.incarnation();
        entry.epoch = delta.epoch();
        entry.sequence = delta.sequence();
        entry.stable = delta.stable();
        entry.kind = delta.kind();
        entry.rank = delta.rank();
        entry.key = delta.key();
        entry.length = delta.length();
        entry.client = delta.request().client();
        entry.number = delta.request().number();
        entry.doneBelow = delta.done_below();
        entry.result = delta.result();
        entry.bytes.assign(delta.delta());
        m_entries.push_back(std::move(entry));
    }
    // What all parity buckets have is in no log.
    void trim(Sequence stable)
    {
        while (!m_entries.empty() && m_entries.front().sequence <= stable) {
            if (m_spare.size() < kSpare && m_entries.front().bytes.capacity() <= kSpareBytes)
                m_spare.push_back(std::move(m_entries.front()));
            m_entries.pop_front();
        }
    }
    void clear() { m_entries.clear(); }
    std::size_t size() const { return m_entries.size(); }
    // Each as it came.
    void report(GroupNumber group, Position position, google::protobuf::RepeatedPtrField<pb::Delta>& out) const
    {
        for (const Entry& entry : m_entries) {
            pb::Delta& delta = *out.Add();
            delta.set_group(group.value);
            delta.set_position(position.value);
            delta.set_incarnation(entry.incarnation);
            delta.set_epoch(entry.epoch);
            delta.set_sequence(entry.sequence);
            delta.set_stable(entry.stable);
            delta.set_kind(entry.kind);
            delta.set_rank(entry.rank);
            delta.set_key(entry.key);
            delta.set_length(entry.length);
            delta.mutable_request()->set_client(entry.client);
            delta.mutable_request()->set_number(entry.number);
            delta.set_done_below(entry.doneBelow);
            delta.set_result(entry.result);
            delta.set_delta(entry.bytes);
        }
    }

private:
    static constexpr std::size_t kSpare = 256, kSpareBytes = 1024;
    struct Entry {
        std::uint64_t incarnation = 0, epoch = 0;
        Sequence sequence = 0, stable = 0;
        std::uint64_t key = 0, client = 0, number = 0, doneBelow = 0;
        std::uint32_t rank = 0, length = 0;
        pb::ChangeKind kind = pb::CHANGE_UNKNOWN;
        pb::ResultCode result = pb::RESULT_UNKNOWN;
        std::string bytes;
    };
    std::deque<Entry> m_entries;
    std::vector<Entry> m_spare;
};

} // namespace lhrs
