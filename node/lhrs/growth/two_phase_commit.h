// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/growth/orders.h"

#include <string>
#include <utility>

namespace lhrs {

// What a split and a merge have in common: a two-phase commit at two buckets, the source and the target of the records,
// and at the parity buckets of their groups. It is decided when both ends have staged everything. The decision is sent
// to the source and its group before the target and its group, so that a key is never in two authoritative buckets.
// FileSplit and FileMerge define the order of the steps.
class TwoPhaseCommit {
public:
    std::uint64_t name() const { return m_split; }
    std::uint64_t ticket() const { return m_ticket; }
    bool concerns(GroupNumber g) const
    {
        return g == m_parts.file.groupOf(m_source) || g == m_parts.file.groupOf(m_target);
    }
    // It was decided since the last call: (i,n) has changed.
    bool takeDecided() { return std::exchange(m_isNewlyDecided, false); }

protected:
    TwoPhaseCommit(CoordinatorParts& parts, std::uint64_t split, std::uint64_t ticket, BucketNumber source,
        BucketNumber target, Level level, Time now)
        : m_parts(parts), m_split(split), m_ticket(ticket), m_started(now), m_source(source), m_target(target),
          m_level(level), m_orders(parts)
    {
    }
    ~TwoPhaseCommit() = default;

    // The order to one of the ends.
    void fillIn(pb::Split& order) const;
    // One end has reported that everything is staged. Returns false if the report is about another split or merge.
    bool takePrepared(const pb::Prepared& prepared);
    bool arePrepared() const { return m_isSourcePrepared && m_isTargetPrepared; }
    // The file state has changed: from here on the operation is completed, whatever happens.
    template <class Event> Event& tellDecided(Event* event)
    {
        m_limit = Time::max();
        m_isNewlyDecided = true;
        event->mutable_file()->set_i(m_parts.file.image().i);
        event->mutable_file()->set_n(m_parts.file.image().n);
        return named(event);
    }
    void sendCommit(BucketNumber end, Time now, Effects& out);
    void sendAborts(Time now, Effects& out);
    // Whether the decision may be sent to the target. A failed source may still answer reads under its lease, so the
    // target takes over its keys only when the lease has run out. (A target that failed too answers nothing before its
    // group is recovered, and that waits for this step.)
    bool mayTellTarget() const;
    // For a source that failed after the decision was sent to it: whether its parity buckets have the commit. The
    // target waits for the fence.
    bool isDoneAtSource(GroupNumber g) const { return g == m_parts.file.groupOf(m_source) && m_orders.areDone(); }
    // Sets the states of those ends that have not failed.
    void setStates(pb::MemberState state);

    // Fill in what the events have in common, and what the last event has in common with the result of the command.
    template <class Event> Event& named(Event* event) const
    {
        event->set_split(m_split);
        event->set_bucket(m_source.value);
        return *event;
    }
    template <class Result> Result& summedUp(Result* result, Level level, Time now) const
    {
        result->set_bucket(m_source.value);
        result->set_level(level);
        result->set_moved(m_moved);
        result->set_total_ns((now - m_started).count());
        return *result;
    }

    CoordinatorParts& m_parts;
    const std::uint64_t m_split; // merges and splits share one sequence of numbers
    std::uint64_t m_ticket; // ticket of the command that waits; 0: none
    const Time m_started;
    const BucketNumber m_source, m_target;
    const Level m_level; // level of both: after a split, before a merge
    Orders m_orders;
    Time m_limit = Time::max(); // time limit of the staging
    std::string m_undoReason;

private:
    // Sends to the bucket and to the parity buckets of its group.
    void sendAround(BucketNumber end, const pb::Message& message, Time now, Effects& out);

    bool m_isSourcePrepared = false, m_isTargetPrepared = false, m_isNewlyDecided = false;
    std::uint32_t m_moved = 0;
};

} // namespace lhrs
