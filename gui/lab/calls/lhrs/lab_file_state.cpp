// SPDX-License-Identifier: GPL-3.0-or-later
// The state of a file that the judge of an exercise sees, according to the events.
#include "gui/lab/calls/lhrs/lab_file.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <QJSEngine>

#include <algorithm>

namespace lhrs::gui {

namespace {

QString stateOf(const DownMember* down, pb::MemberState state)
{
    return down == nullptr ? QString::fromStdString(stateWord(state))
        : down->isLost     ? QStringLiteral("lost")
                           : QStringLiteral("failed");
}

// A group that lost more than the parity replaces stays lost until a person acknowledges the loss.
bool isLostGroup(const FileView& state, std::uint32_t number)
{
    const auto group = state.groups.find(number);
    return group != state.groups.end() && group->second.state == pb::GROUP_LOST;
}

class FileStateValue {
public:
    FileStateValue(const FileView& state, QJSEngine& engine) : m_state(state), m_engine(engine) { }

    void addTo(QJSValue& value) const
    {
        value.setProperty("file", file());
        value.setProperty(
            "buckets", scriptList(m_state.data, m_engine, [this](const auto& one) { return bucket(one.second); }));
        value.setProperty(
            "parity", scriptList(m_state.parity, m_engine, [this](const auto& one) { return parity(one.second); }));
        value.setProperty(
            "groups", scriptList(m_state.groups, m_engine, [this](const auto& one) { return group(one.second); }));
    }

private:
    QJSValue file() const
    {
        std::uint64_t records = 0;
        for (const auto& [number, bucket] : m_state.data)
            records += bucket.count;
        const double room = double(m_state.file.buckets) * m_state.file.config.b();
        QJSValue value = m_engine.newObject();
        value.setProperty("i", m_state.file.i);
        value.setProperty("n", m_state.file.n);
        value.setProperty("M", m_state.file.buckets);
        value.setProperty("K", m_state.file.availability);
        value.setProperty("b", m_state.file.config.b());
        value.setProperty("m", m_state.m());
        value.setProperty("records", scriptNumber(records));
        value.setProperty("loadFactor", room > 0 ? double(records) / room : 0.0);
        value.setProperty("splitsOwed", m_state.file.splitsOwed);
        return value;
    }

    QJSValue bucket(const DataBucketState& bucket) const
    {
        QJSValue value = m_engine.newObject();
        value.setProperty("number", bucket.number);
        value.setProperty("group", bucket.number / m_state.m());
        value.setProperty("level", bucket.level);
        value.setProperty("records", bucket.count);
        value.setProperty("state", stateOf(m_state.downOf(bucket), bucket.state));
        value.setProperty("process", processName(m_state, bucket.process));
        return value;
    }

    QJSValue parity(const ParityBucketState& bucket) const
    {
        QJSValue value = m_engine.newObject();
        value.setProperty("group", bucket.group);
        value.setProperty("column", bucket.column);
        value.setProperty("records", bucket.recordGroups);
        value.setProperty("state", stateOf(m_state.downOf(bucket), bucket.state));
        value.setProperty("process", processName(m_state, bucket.process));
        return value;
    }

    QJSValue group(const GroupState& group) const
    {
        QJSValue value = m_engine.newObject();
        value.setProperty("number", group.number);
        value.setProperty("k", group.k);
        value.setProperty("kEffective", group.state == pb::GROUP_LOST ? 0 : group.kEffective());
        value.setProperty("state", QString::fromStdString(groupStateWord(group.state)));
        return value;
    }

    const FileView& m_state;
    QJSEngine& m_engine;
};

} // namespace

// Splits, recoveries, suspicions.
bool FileLab::isAtRest(const ClusterState& state) const
{
    if (state.file.splitsOwed > 0 && state.file.waitsFor.empty())
        return false;
    const auto isBusy = [](const auto& split) { return split.second.isUnderWay(); };
    if (std::any_of(state.splits.begin(), state.splits.end(), isBusy))
        return false;
    for (const auto& [number, group] : state.groups)
        if (!isLostGroup(state, number)
            && (group.state != pb::GROUP_UP || group.parityIsBeingAdded || group.recovery.isUnderWay()
                || !group.suspected.empty()))
            return false;
    if (state.file.config.recovery() != pb::RECOVERY_AUTOMATIC)
        return true;
    // The failure of an ended process may not have been detected yet.
    const auto isMissing = [&](const auto& bucket, std::uint32_t group) {
        const auto known = state.processes.find(bucket.process);
        return known != state.processes.end() && known->second.hasEnded && state.downOf(bucket) == nullptr
            && !isLostGroup(state, group);
    };
    for (const auto& [number, bucket] : state.data)
        if (isMissing(bucket, number / state.m()))
            return false;
    return std::none_of(state.parity.begin(), state.parity.end(),
        [&](const auto& one) { return isMissing(one.second, one.second.group); });
}

void FileLab::addState(const ClusterState& state, QJSEngine& engine, QJSValue& value) const
{
    FileStateValue(state, engine).addTo(value);
}

void FileLab::addClient(const ClusterState& state, ProcessId client, QJSValue& value) const
{
    addImage(state.fileClient(client).image, value);
}

void addImage(const pb::FileState& image, QJSValue& value)
{
    value.setProperty("i", image.i());
    value.setProperty("n", image.n());
    value.setProperty("M", isValid({ image.i(), image.n() }) ? bucketCount({ image.i(), image.n() }) : 0);
}

} // namespace lhrs::gui
