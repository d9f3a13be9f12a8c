// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "common/ring.h"
#include "proto/message.pb.h"

#include <string>

namespace lhrs {

// The Deltas of one data position that this parity bucket has applied but another one may still lack, in the order of
// their sequence numbers. One is added with each change and trimmed soon after, so entries reuse their memory.
class DeltaLog {
public:
    void add(const pb::Delta& delta)
    {
        Entry& entry = m_entries.add();
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
    }
    // Drops the Deltas that all parity buckets have applied.
    void trim(Sequence stable)
    {
        while (!m_entries.isEmpty() && m_entries.front().sequence <= stable) {
            if (m_entries.front().bytes.capacity() > kSpareBytes)
                m_entries.front().bytes = std::string();
            m_entries.removeFront();
        }
    }
    void clear() { m_entries.clear(); }
    std::size_t size() const { return m_entries.size(); }
    // Writes all entries, each as it was received.
    void report(GroupNumber group, Position position, google::protobuf::RepeatedPtrField<pb::Delta>& out) const
    {
        for (std::size_t i = 0; i < m_entries.size(); ++i) {
            const Entry& entry = m_entries[i];
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
    static constexpr std::size_t kSpareBytes = 1024; // a reused entry keeps at most this capacity
    struct Entry {
        std::uint64_t incarnation = 0, epoch = 0;
        Sequence sequence = 0, stable = 0;
        std::uint64_t key = 0, client = 0, number = 0, doneBelow = 0;
        std::uint32_t rank = 0, length = 0;
        pb::ChangeKind kind = pb::CHANGE_UNKNOWN;
        pb::ResultCode result = pb::RESULT_UNKNOWN;
        std::string bytes;
    };
    Ring<Entry> m_entries;
};

} // namespace lhrs
