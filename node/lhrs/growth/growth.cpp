// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/growth.h"

#include "common/failpoints.h"

#include <algorithm>
#include <utility>

namespace lhrs {

namespace {

constexpr Time kPause = 500ms; // pause after an undo

} // namespace

// ---- splits, merges and parity buckets that are owed

void Growth::owe(std::uint64_t ticket, Time now, Effects& out)
{
    ++m_owed; // no report may be dropped: each one adds a split that is owed
    if (ticket != 0)
        m_splitTickets.push_back(ticket);
    announce(out);
    pump(now, out);
}

void Growth::oweMerge(std::uint64_t records, Time now, Effects& out)
{
    m_records = records;
    if (!m_parts.file.config().merges() || m_parts.file.buckets() == 1)
        return;
    m_mergesOwed = std::min(m_mergesOwed + 1, m_parts.file.buckets() - 1);
    pump(now, out);
}

void Growth::merge(std::uint64_t ticket, Time now, Effects& out)
{
    m_mergeTickets.push_back(ticket);
    pump(now, out);
}

void Growth::addParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out)
{
    m_parityWanted.push_back({ g, ticket });
    pump(now, out);
}

void Growth::pump(Time now, Effects& out)
{
    m_now = now;
    if (m_creation && m_creation->isConfirmed())
        endCreation(out);
    moveSplits(now, out);
    fillWave(now, out);
    if (m_merge && m_merge->takeDecided())
        announce(out);
    if (m_merge && m_merge->isOver())
        endMerge(now, out);
    if (m_parity && m_parity->isOver()) {
        if (m_parity->wasUndone())
            m_pauseUntil = now + kPause;
        m_parity.reset();
        announce(out);
    }
    if (!isIdle())
        return;
    FileState& file = m_parts.file;
    if (!file.exists()) {
        startCreation(now, out);
        return;
    }
    while (!m_parityWanted.empty() && isIdle()) {
        const ParityWish wish = m_parityWanted.front();
        if (!file.isWell(wish.group))
            break; // recovery takes precedence
        m_parityWanted.pop_front();
        const auto group = file.groups().find(wish.group);
        if (group == file.groups().end())
            m_parts.refuse(wish.ticket, pb::BAD_ARGUMENT, "there is no group " + std::to_string(wish.group.value), out);
        else if (group->second.k >= file.availability())
            m_parts.refuse(wish.ticket, pb::REFUSED,
                "group " + std::to_string(wish.group.value) + " has all " + std::to_string(group->second.k)
                    + " parity buckets that the intended availability asks for; raise it first",
                out);
        else
            startParity(wish.group, wish.ticket, now, out);
    }
    if (isIdle() && m_owed > 0 && now >= m_pauseUntil)
        startSplit(now, out);
    if (isIdle() && m_owed == 0 && wantsMerge() && now >= m_pauseUntil)
        startMerge(now, out);
}

// ---- creation of the file

void Growth::startCreation(Time now, Effects& out)
{
    m_creation = std::make_unique<Enlistment>(m_parts);
    std::vector<Enlistment::Place> places { { .role = pb::DATA } };
    for (std::uint32_t p = 0; p < m_parts.file.availability(); ++p)
        places.push_back({ .role = pb::PARITY, .column = p });
    m_creation->start(GroupNumber(), std::move(places), true, underWay(), now, out);
}

void Growth::endCreation(Effects& out)
{
    m_creation.reset();
    FileState::Group& group = m_parts.file.group(GroupNumber());
    group.k = std::uint32_t(group.parity.size());
    auto* created = out.event().mutable_group_created();
    created->set_group(0);
    created->set_k(group.k);
    m_parts.file.setExists();
    *out.event().mutable_file_created()->mutable_config() = m_parts.file.config();
    announce(out);
}

// ---- splits and parity

void Growth::startSplit(Time now, Effects& out)
{
    FileState& file = m_parts.file;
    // In this order: K grows at the start of a round, and the group of n gets its missing parity bucket before its
    // first split.
    if (file.raiseAvailability()) {
        auto* event = out.event().mutable_availability_raised();
        event->set_availability(file.availability());
        event->set_reason("the file has " + std::to_string(file.buckets()) + " data buckets");
        announce(out);
    }
    const BucketNumber n(file.image().n);
    const GroupNumber group = file.groupOf(n);
    if ((!file.isWell(group) || !file.isWell(file.groupOf(splitTarget(file.image()))))
        && !LHRS_MUTANT(ReconfigurationsOverlap))
        return; // recovery takes precedence
    if (n.value % file.config().m() == 0 && file.group(group).k < file.availability()) {
        startParity(group, 0, now, out); // the split stays owed
        return;
    }
    const std::size_t width = file.config().parallel_splits() && !m_isNextNarrow ? SplitWave::kWidthMax : 1;
    m_isNextNarrow = false;
    m_wave.begin(width, takeDebt(), now, out);
}

SplitWave::Begun Growth::takeDebt()
{
    --m_owed;
    SplitWave::Begun begun { m_parts.file.nextSplit() };
    if (!m_splitTickets.empty()) {
        begun.ticket = m_splitTickets.front();
        m_splitTickets.pop_front();
    }
    return begun;
}

void Growth::moveSplits(Time now, Effects& out)
{
    std::optional<SplitWave::Ended> ended;
    do {
        if (m_wave.takeDecided())
            announce(out);
        ended = m_wave.takeEnded(now, out);
        if (ended)
            endSplit(*ended, now, out);
    } while (ended);
    if (m_wave.takeDecided()) // its turn has just come
        announce(out);
}

// Adds as many splits as are owed and may run side by side; then stages those that have joined.
void Growth::fillWave(Time now, Effects& out)
{
    while (m_wave.areAllTold()) {
        if (m_owed > 0 && m_parityWanted.empty() && now >= m_pauseUntil && m_wave.mayJoin()) {
            m_wave.join(takeDebt(), now, out);
        } else {
            m_wave.close(now, out);
            moveSplits(now, out);
        }
    }
}

void Growth::resumeSplits(const std::vector<SplitWave::Unfinished>& splits, Time now, Effects& out)
{
    m_wave.resume(splits, now, out);
    pump(now, out);
}

void Growth::resumeMerge(std::uint64_t merge, bool isDecided, Time now, Effects& out)
{
    m_merge = std::make_unique<FileMerge>(m_parts, merge, 0, now);
    m_merge->resume(isDecided, now, out);
    pump(now, out);
}

void Growth::endSplit(const SplitWave::Ended& split, Time now, Effects& out)
{
    if (split.wasUndone) {
        ++m_owed;
        m_isNextNarrow = true;
        m_pauseUntil = now + kPause;
        if (split.ticket != 0)
            m_splitTickets.push_front(split.ticket);
    } else {
        m_parts.onDone();
    }
    announce(out);
}

void Growth::startMerge(Time now, Effects& out)
{
    FileState& file = m_parts.file;
    // Only while the file as a whole holds few records. The report was about a single bucket and may be out of date.
    const bool isLoadLow = 5 * m_records < std::uint64_t(2) * file.config().b() * file.buckets();
    if (file.buckets() == 1 || (m_mergeTickets.empty() && !isLoadLow)) {
        m_mergesOwed = 0;
        for (const std::uint64_t ticket : std::exchange(m_mergeTickets, {}))
            m_parts.refuse(ticket, pb::REFUSED, "the file has one data bucket, which cannot be merged", out);
        return;
    }
    const BucketNumber last(file.buckets() - 1), into(retreatMerge(file.image()).n);
    if (!file.isWell(file.groupOf(last)) || !file.isWell(file.groupOf(into)))
        return; // recovery takes precedence
    std::uint64_t ticket = 0;
    if (m_mergeTickets.empty()) {
        --m_mergesOwed;
    } else {
        ticket = m_mergeTickets.front();
        m_mergeTickets.pop_front();
    }
    m_merge = std::make_unique<FileMerge>(m_parts, m_parts.file.nextSplit(), ticket, now);
    m_merge->start(now, out);
}

void Growth::endMerge(Time now, Effects& out)
{
    const std::unique_ptr<FileMerge> merge = std::move(m_merge);
    if (merge->wasUndone()) {
        m_pauseUntil = now + kPause;
        if (merge->ticket() != 0)
            m_mergeTickets.push_front(merge->ticket());
        else
            ++m_mergesOwed;
    } else {
        m_parts.onDone();
    }
    announce(out);
}

void Growth::startParity(GroupNumber g, std::uint64_t ticket, Time now, Effects& out)
{
    m_parity = std::make_unique<ParityCreation>(m_parts, g, ParityColumn(m_parts.file.group(g).k), ticket, now);
    m_parity->start(now, out);
}

// ---- failures

void Growth::onFailed(GroupNumber g, Time now, Effects& out)
{
    m_wave.onFailed(g, now, out);
    if (m_merge && m_merge->concerns(g))
        m_merge->onFailed(now, out);
    if (m_parity && m_parity->group() == g)
        m_parity->abort("a member of the group failed", now, out);
    pump(now, out);
}

bool Growth::isOnItsWay(GroupNumber g, MemberId member) const
{
    return m_wave.brings(g, member)
        || (m_parity && m_parity->group() == g && member == MemberId { pb::PARITY, m_parity->column().value });
}

bool Growth::isSettled(GroupNumber g) const
{
    return m_wave.isSettled(g) && (!m_merge || m_merge->isSettled(g)) && (!m_parity || m_parity->group() != g);
}

// ---- incoming messages

bool Growth::onOffer(const pb::Message& message, Time now, Effects& out)
{
    const bool isOurs = (m_creation && m_creation->onOffer(message, now, out)) || m_wave.onOffer(message, now, out)
        || (m_parity && m_parity->onOffer(message, now, out));
    pump(now, out);
    return isOurs;
}

void Growth::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    m_wave.onPrepared(prepared, now, out);
    if (m_merge)
        m_merge->onPrepared(prepared, now, out);
    pump(now, out);
}

void Growth::onContentsDone(const pb::ContentsDone& done, Time now, Effects& out)
{
    if (m_parity)
        m_parity->onContentsDone(done, now, out);
    pump(now, out);
}

void Growth::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_creation)
        m_creation->onAcknowledged(entry);
    m_wave.onAcknowledged(entry, now, out);
    if (m_merge)
        m_merge->onAcknowledged(entry, now, out);
    if (m_parity)
        m_parity->onAcknowledged(entry, now, out);
    pump(now, out);
}

void Growth::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    if (m_creation)
        m_creation->onGivenUp(entry, now, out);
    m_wave.onGivenUp(entry, now, out);
    if (m_parity)
        m_parity->onGivenUp(entry, now, out);
}

void Growth::onTime(Time now, Effects& out)
{
    if (m_creation)
        m_creation->onTime(now, out);
    m_wave.onTime(now, out);
    if (m_merge)
        m_merge->onTime(now, out);
    if (m_parity)
        m_parity->onTime(now, out);
    pump(now, out);
}

Time Growth::deadline() const
{
    Time earliest = Time::max();
    if (m_creation)
        earliest = std::min(earliest, m_creation->deadline());
    earliest = std::min(earliest, m_wave.deadline());
    if (m_merge)
        earliest = std::min(earliest, m_merge->deadline());
    if (m_parity)
        earliest = std::min(earliest, m_parity->deadline());
    // Whatever waits for a recovery will begin when the recovery ends.
    if (isIdle() && (m_owed > 0 || wantsMerge()) && m_pauseUntil > m_now)
        earliest = std::min(earliest, m_pauseUntil);
    return earliest;
}

// ---- description in words

std::string Growth::underWay() const
{
    if (m_creation)
        return "creating the file" + m_creation->missing();
    if (!m_wave.isEmpty())
        return m_wave.words();
    if (m_merge)
        return m_merge->words();
    if (m_parity)
        return m_parity->words() + m_parity->missing();
    if (m_owed == 0 && wantsMerge())
        return std::to_string(m_mergesOwed + m_mergeTickets.size()) + " merges are owed";
    return m_owed > 0 ? std::to_string(m_owed) + " splits are owed" : "";
}

void Growth::announce(Effects& out) const
{
    auto* event = out.event().mutable_file_state_changed();
    event->mutable_file()->set_i(m_parts.file.image().i);
    event->mutable_file()->set_n(m_parts.file.image().n);
    event->set_buckets(m_parts.file.exists() ? m_parts.file.buckets() : 0);
    event->set_availability(m_parts.file.availability());
    event->set_splits_owed(m_owed);
}

} // namespace lhrs
