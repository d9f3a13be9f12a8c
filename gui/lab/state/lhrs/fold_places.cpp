// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/fold_places.h"

#include "gui/lab/state/lhrs/fold_shared.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui::fold {

namespace {

// Puts the process's bucket into the row, or aside if a newer incarnation is in the row.
template <class Row, class Number, class Bucket>
Bucket& claim(Row& row, std::map<ProcessId, Bucket>& aside, Number number, Bucket bucket)
{
    const ProcessId process = bucket.process;
    const auto at = row.find(number);
    if (at == row.end())
        return row[number] = std::move(bucket);
    const bool isYounger = std::pair(bucket.incarnation, process)
        > std::pair(at->second.incarnation, at->second.process);
    if (!isYounger)
        return aside[process] = std::move(bucket);
    const ProcessId older = at->second.process;
    aside[older] = std::move(at->second);
    return at->second = std::move(bucket);
}

// Removes the process's bucket; the newest displaced bucket of the number comes back.
template <class Row, class Bucket, class NumberOf>
void release(Row& row, std::map<ProcessId, Bucket>& aside, ProcessId process, NumberOf numberOf)
{
    aside.erase(process);
    const auto at = std::find_if(
        row.begin(), row.end(), [&](const auto& entry) { return entry.second.process == process; });
    if (at == row.end())
        return;
    const auto number = at->first;
    row.erase(at);
    auto best = aside.end();
    for (auto other = aside.begin(); other != aside.end(); ++other)
        if (numberOf(other->second) == number
            && (best == aside.end() || other->second.incarnation >= best->second.incarnation))
            best = other;
    if (best != aside.end()) {
        row[number] = std::move(best->second);
        aside.erase(best);
    }
}

} // namespace

void releasePlace(FileView& s, ProcessId process)
{
    release(s.data, s.displacedData, process, [](const DataBucketState& b) { return b.number; });
    release(
        s.parity, s.displacedParity, process, [](const ParityBucketState& b) { return std::pair(b.group, b.column); });
}

DataBucketState* dataOf(FileView& s, ProcessId process, const pb::Place& place)
{
    if (place.role() != pb::DATA)
        return nullptr;
    if (const auto at = s.data.find(place.number()); at != s.data.end() && at->second.process == process)
        return &at->second;
    if (const auto at = s.displacedData.find(process);
        at != s.displacedData.end() && at->second.number == place.number())
        return &at->second;
    releasePlace(s, process);
    ProcessState& holder = s.processes[process];
    holder.place = place;
    holder.pool = pb::NO_ROLE;
    DataBucketState bucket;
    bucket.number = place.number();
    bucket.process = process;
    bucket.incarnation = holder.incarnation;
    return &claim(s.data, s.displacedData, place.number(), std::move(bucket));
}

ParityBucketState* parityOf(FileView& s, ProcessId process, const pb::Place& place)
{
    if (place.role() != pb::PARITY)
        return nullptr;
    const auto number = std::pair(place.number(), place.column());
    if (const auto at = s.parity.find(number); at != s.parity.end() && at->second.process == process)
        return &at->second;
    if (const auto at = s.displacedParity.find(process);
        at != s.displacedParity.end() && std::pair(at->second.group, at->second.column) == number)
        return &at->second;
    releasePlace(s, process);
    ProcessState& holder = s.processes[process];
    holder.place = place;
    holder.pool = pb::NO_ROLE;
    ParityBucketState bucket;
    bucket.group = place.number();
    bucket.column = place.column();
    bucket.process = process;
    bucket.incarnation = holder.incarnation;
    return &claim(s.parity, s.displacedParity, number, std::move(bucket));
}

void placeDeclared(FileView& s, std::uint32_t group, const pb::Member& member)
{
    const ProcessId process = member.holder().node();
    const auto holder = s.processes.find(process);
    if (process == 0 || (holder != s.processes.end() && holder->second.sequence > 0))
        return; // its own report has priority
    pb::Place place;
    place.set_role(member.role());
    place.set_number(member.role() == pb::DATA ? group * s.m() + member.index() : group);
    place.set_column(member.role() == pb::DATA ? 0 : member.index());
    if (member.role() == pb::DATA && !s.data.contains(place.number())) {
        DataBucketState bucket;
        bucket.number = place.number();
        bucket.level = member.level();
        bucket.process = process;
        bucket.incarnation = member.holder().incarnation();
        bucket.state = member.state();
        bucket.isOnlyDeclared = true;
        bucket.ranksAreObserved = false;
        s.data[place.number()] = std::move(bucket);
    } else if (member.role() == pb::PARITY && !s.parity.contains({ group, member.index() })) {
        ParityBucketState bucket;
        bucket.group = group;
        bucket.column = member.index();
        bucket.process = process;
        bucket.incarnation = member.holder().incarnation();
        bucket.state = member.state();
        bucket.isOnlyDeclared = true;
        bucket.ranksAreObserved = false;
        s.parity[{ group, member.index() }] = std::move(bucket);
    } else {
        return;
    }
    if (holder != s.processes.end()) {
        holder->second.place = place;
        holder->second.pool = pb::NO_ROLE;
    }
}

void settleOverflow(DataBucketState& bucket, const FileShown& file)
{
    const std::uint32_t b = file.config.b() ? file.config.b() : bucket.b;
    bucket.isOverflowed = bucket.overflowIsReported && (b == 0 || bucket.count > b);
}

void settleOverflows(FileView& s)
{
    for (auto& [number, bucket] : s.data)
        settleOverflow(bucket, s.file);
    for (auto& [process, bucket] : s.displacedData)
        settleOverflow(bucket, s.file);
}

} // namespace lhrs::gui::fold
