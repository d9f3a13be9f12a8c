// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/records/record_group_reader.h"

#include <algorithm>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr double kReadPlaceAgain = 0.3; // seconds between two readings of a place that changes or does not answer
constexpr double kAskPlaceAgain = 6; // seconds after which an unanswered question is asked again

} // namespace

RecordGroupReader::RecordGroupReader(
    const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, QObject* parent)
    : QObject(parent), m_pacer(pacer), m_source(source), m_witnesses(witnesses)
{
}

void RecordGroupReader::setGroup(std::uint32_t group, std::uint32_t rank)
{
    if (m_isOpen && group == m_number && rank == m_rank)
        return;
    clear();
    m_isOpen = true;
    m_number = group;
    m_rank = rank;
}

void RecordGroupReader::clear()
{
    m_isOpen = false;
    m_group.reset();
    m_readings.clear();
    ++m_generation;
    m_isNew = true;
}

// A number that changes with each change of the place.
std::uint64_t RecordGroupReader::stampOf(const GroupMember& member) const
{
    const ClusterState& state = m_pacer.state();
    if (member.place.role() == pb::DATA) {
        const auto bucket = state.data.find(member.place.number());
        return bucket == state.data.end() ? 0 : bucket->second.sequence + 1;
    }
    const auto bucket = state.parity.find({ member.place.number(), member.place.column() });
    return bucket == state.parity.end()
        ? 0
        : std::accumulate(bucket->second.applied.begin(), bucket->second.applied.end(), std::uint64_t(1));
}

void RecordGroupReader::ask(std::size_t index, const GroupMember& member, std::uint64_t stamp)
{
    Reading& reading = m_readings[index];
    reading.isAsked = true;
    reading.askedAt = m_now;
    reading.stamp = stamp;
    m_source.readContents(member.process, m_rank, 1, this,
        [this, index, place = member.place, generation = m_generation](ContentsAnswer answer) {
            if (generation != m_generation || index >= m_readings.size())
                return; // of another group
            Reading& here = m_readings[index];
            here.isAsked = false;
            m_isNew = true;
            const pb::Place& from = answer.page.place();
            const bool isOther = answer.isOk && answer.page.has_place()
                && (from.role() != place.role() || from.number() != place.number() || from.column() != place.column());
            if (!answer.isOk || isOther) {
                here.trouble = isOther ? "the process holds another place now" : answer.why.toStdString();
                return;
            }
            here.trouble.clear();
            here.isHere = true;
            here.record = recordOf(answer.page, m_rank);
            m_witnesses.keep(place, m_rank, here.record, false);
        });
}

bool RecordGroupReader::refresh(double now)
{
    m_now = now;
    if (!m_isOpen
        || (m_version == m_pacer.version() && !m_isNew
            && std::none_of(m_readings.begin(), m_readings.end(),
                [](const Reading& r) { return !r.trouble.empty() || r.isAsked; })))
        return std::exchange(m_isNew, false);
    m_version = m_pacer.version();
    std::optional<RecordGroup> group = recordGroupOf(m_pacer.state(), m_number, m_rank);
    if (!group) {
        m_group.reset();
        m_isNew = false;
        return true;
    }
    m_readings.resize(group->members.size());
    bool isStale = false;
    const bool isOneState = !m_group || m_group->differenceOfStates().empty();
    for (std::size_t i = 0; i < group->members.size(); ++i) {
        GroupMember& member = group->members[i];
        Reading& reading = m_readings[i];
        member.witness = m_witnesses.find(member.place, m_rank);
        if (member.standing != GroupMember::Standing::Here) {
            reading = {};
            continue;
        }
        if (reading.process != member.process) { // another process serves the place now
            reading = {};
            reading.process = member.process;
        }
        const std::uint64_t stamp = stampOf(member);
        if (reading.isAsked && now - reading.askedAt > kAskPlaceAgain)
            reading.isAsked = false;
        const bool isWanted = !reading.isHere || reading.stamp != stamp || !reading.trouble.empty() || !isOneState;
        if (isWanted && m_isAllowed && !reading.isAsked && now - reading.askedAt > kReadPlaceAgain)
            ask(i, member, stamp);
        isStale = isStale || (isWanted && m_isAllowed);
        member.isRead = reading.isHere && m_isAllowed;
        member.record = reading.record;
        member.trouble = reading.trouble;
    }
    m_group = std::move(group);
    m_isNew = false;
    if (isStale)
        m_version = 0; // the next frame checks it again
    return true;
}

int RecordGroupReader::pin()
{
    int pinned = 0;
    for (const GroupMember& member : m_group ? m_group->members : std::vector<GroupMember>()) {
        if (!member.isRead)
            continue;
        m_witnesses.keep(member.place, m_rank, member.record, true);
        ++pinned;
    }
    m_isNew = true;
    return pinned;
}

void RecordGroupReader::unpin()
{
    for (const GroupMember& member : m_group ? m_group->members : std::vector<GroupMember>())
        m_witnesses.forget(member.place, m_rank);
    for (const GroupMember& member : m_group ? m_group->members : std::vector<GroupMember>()) {
        if (member.isRead)
            m_witnesses.keep(member.place, m_rank, member.record, false);
    }
    m_isNew = true;
}

bool RecordGroupReader::isPinned() const
{
    return m_group && std::any_of(m_group->members.begin(), m_group->members.end(), [](const GroupMember& member) {
        return member.witness && member.witness->isPinned;
    });
}

} // namespace lhrs::gui
