// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/growth/split_wave.h"

#include "common/lhrs/linear_hash.h"

#include <algorithm>

namespace lhrs {

// ---- the splits of the wave

void SplitWave::add(const FileSplit::Plan& plan, Time now, Effects& out)
{
    m_splits.push_back(std::make_unique<FileSplit>(m_parts, plan, now));
    m_splits.back()->start(now, out);
}

void SplitWave::begin(std::size_t width, const Begun& split, Time now, Effects& out)
{
    m_width = width;
    m_isClosed = width == 1;
    add({ .split = split.split, .ticket = split.ticket, .before = m_parts.file.image(), .isAlone = width == 1 }, now,
        out);
}

void SplitWave::join(const Begun& split, Time now, Effects& out)
{
    add({ .split = split.split, .ticket = split.ticket, .before = ahead(), .isAlone = false }, now, out);
}

FileImage SplitWave::ahead() const
{
    FileImage image = m_parts.file.image();
    for (std::size_t s = 0; s < m_splits.size(); ++s) // none is decided while more may join
        image = advanceSplit(image);
    return image;
}

bool SplitWave::mayJoin() const
{
    const FileState& file = m_parts.file;
    const FileImage before = ahead();
    const BucketNumber source(before.n), target = splitTarget(before);
    if (m_splits.size() >= m_width || !file.isWell(file.groupOf(source)) || !file.isWell(file.groupOf(target)))
        return false;
    // The K rule depends on k of all groups and may require a parity bucket first, so such a split must be the first of
    // a wave.
    if (before.n == 0 && file.availability() < file.required(bucketCount(before)))
        return false;
    const auto group = file.groups().find(file.groupOf(source));
    if (group == file.groups().end()
        || (source.value % file.config().m() == 0 && group->second.k < file.availability()))
        return false;
    // The hazard in the 2003 report: a bucket that does not exist yet, or that is splitting, must not be ordered to
    // split.
    const bool isBusy = std::any_of(
        m_splits.begin(), m_splits.end(), [source](const auto& split) { return split->isEnd(source); });
    const FileState::MemberInfo* member = file.data(source);
    return !isBusy && member && member->state == pb::UP;
}

void SplitWave::close(Time now, Effects& out)
{
    m_isClosed = true;
    for (const auto& split : m_splits)
        split->order(now, out);
}

void SplitWave::dropMissing(Time now, Effects& out)
{
    if (!isGathering() || m_splits.size() == 1 || !m_splits.back()->isMissing())
        return;
    m_splits.back()->doom("there is no spare for it, and those before it go on");
    close(now, out);
}

void SplitWave::resume(const std::vector<Unfinished>& unfinished, Time now, Effects& out)
{
    m_isClosed = true;
    for (const Unfinished& split : unfinished) {
        m_splits.push_back(std::make_unique<FileSplit>(
            m_parts, FileSplit::Plan { .split = split.split, .before = split.before }, now));
        m_splits.back()->resume(split.isDecided, now, out);
    }
}

bool SplitWave::isUnderWay(std::uint64_t split) const
{
    return std::any_of(m_splits.begin(), m_splits.end(), [split](const auto& s) { return s->name() == split; });
}

// ---- moving on

std::optional<SplitWave::Ended> SplitWave::takeEnded(Time now, Effects& out)
{
    while (!m_splits.empty()) {
        FileSplit& first = *m_splits.front();
        FileSplit& last = *m_splits.back();
        if (first.isOver() || last.isOver()) {
            FileSplit& over = first.isOver() ? first : last;
            const Ended ended { over.wasUndone(), over.ticket() };
            first.isOver() ? m_splits.pop_front() : m_splits.pop_back();
            return ended;
        }
        // Splits are undone from the last to the first, so that a failure or a new coordinator always finds the
        // beginning of the wave. A group that the first split has created thus stays until no other split has a member
        // in it.
        if (last.isDoomed() && !last.isUndoing())
            last.undo(now, out);
        else if (m_isClosed && !first.hasTurn() && !first.isDoomed())
            first.takeTurn(now, out);
        else
            break;
    }
    return std::nullopt;
}

bool SplitWave::takeDecided() { return !m_splits.empty() && m_splits.front()->takeDecided(); }

// ---- failures

void SplitWave::onFailed(GroupNumber g, Time now, Effects& out)
{
    if (std::none_of(m_splits.begin(), m_splits.end(), [g](const auto& split) { return split->concerns(g); }))
        return;
    // All undecided splits: taking the target of one out of a group requires a new epoch, under which no other can be
    // staged.
    for (const auto& split : m_splits) {
        if (split->concerns(g))
            split->onFailed(now, out);
        else
            split->doom("a member of a group failed that a split beside it concerns");
    }
}

bool SplitWave::brings(GroupNumber g, MemberId member) const
{
    return std::any_of(m_splits.begin(), m_splits.end(), [&](const auto& split) { return split->brings(g, member); });
}

bool SplitWave::isSettled(GroupNumber g) const
{
    return std::all_of(m_splits.begin(), m_splits.end(), [g](const auto& split) { return split->isSettled(g); });
}

// ---- incoming messages

bool SplitWave::onOffer(const pb::Message& message, Time now, Effects& out)
{
    return std::any_of(
        m_splits.begin(), m_splits.end(), [&](const auto& split) { return split->onOffer(message, now, out); });
}

void SplitWave::onPrepared(const pb::Prepared& prepared, Time now, Effects& out)
{
    for (const auto& split : m_splits)
        split->onPrepared(prepared, now, out);
}

void SplitWave::onAcknowledged(const AckList::Entry& entry, Time now, Effects& out)
{
    for (const auto& split : m_splits)
        split->onAcknowledged(entry, now, out);
}

void SplitWave::onGivenUp(const AckList::Entry& entry, Time now, Effects& out)
{
    for (const auto& split : m_splits)
        split->onGivenUp(entry, now, out);
}

void SplitWave::onTime(Time now, Effects& out)
{
    if (std::any_of(m_splits.begin(), m_splits.end(), [now](const auto& split) { return split->isLate(now); })) {
        m_parts.onLimitPassed();
        for (const auto& split : m_splits)
            split->doom(split->isLate(now) ? "staging took longer than its limit"
                                           : "staging a split beside it took longer than its limit");
    }
    for (const auto& split : m_splits)
        split->onTime(now, out);
    dropMissing(now, out);
}

Time SplitWave::deadline() const
{
    Time earliest = Time::max();
    for (const auto& split : m_splits)
        earliest = std::min(earliest, split->deadline());
    return earliest;
}

std::string SplitWave::words() const
{
    if (m_splits.empty())
        return "";
    const std::string first = m_splits.front()->underWay();
    return m_splits.size() == 1 ? first : first + ", and " + std::to_string(m_splits.size() - 1) + " more at once";
}

} // namespace lhrs
