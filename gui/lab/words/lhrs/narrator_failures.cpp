// SPDX-License-Identifier: GPL-3.0-or-later
// The story's sentences about failures and recoveries.
#include "gui/lab/words/lhrs/file_teller.h"

#include "common/lhrs/failure_reasons.h"
#include "gui/lab/words/lhrs/failure_cause.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

std::string memberName(pb::Role role, std::uint32_t group, std::uint32_t index)
{
    return role == pb::DATA ? words::bucket(index) : words::parityBucket(group, index);
}

constexpr std::int64_t kFlappingNs = 5'000'000'000; // a suspicion this soon after the last answer is not told

words::Numbers numbersOf(const google::protobuf::RepeatedField<std::uint32_t>& list)
{
    return { list.begin(), list.end() };
}

// Every member of the view is up, and no parity bucket is missing.
bool isWhole(const pb::View& view)
{
    const auto isUp = [](const pb::Member& member) { return member.state() == pb::UP; };
    const auto isParity = [](const pb::Member& member) { return member.role() == pb::PARITY; };
    return view.state() == pb::GROUP_UP && std::all_of(view.members().begin(), view.members().end(), isUp)
        && std::count_if(view.members().begin(), view.members().end(), isParity) >= std::ptrdiff_t(view.k());
}

} // namespace

// ---- from the suspicion to the failure

void FileTeller::on(const pb::MemberSuspected& e)
{
    FileMemory::Ill& ill = f.groups[e.group()];
    const std::string member = memberName(e.role(), e.group(), e.index());
    const auto group = state.groups.find(e.group());
    const MemberPlace place { e.role(), e.role() == pb::DATA ? e.index() % state.m() : e.index() };
    const bool isDown = group != state.groups.end() && group->second.down.contains(place);
    if (isDown || std::find(ill.suspected.begin(), ill.suspected.end(), member) != ill.suspected.end())
        return;
    ill.suspected.push_back(member);
    std::string reason = e.reason();
    if (reason.starts_with("a client ") && state.clients.contains(event.cause_process()))
        reason = name(event.cause_process()) + " has no answer from it";
    if (ill.answeredNs && run.runNs - *ill.answeredNs < kFlappingNs)
        return; // happens repeatedly on a busy machine
    ill.suspectedTold = tell(words::suspected(e.group(), ill.suspected, reason), ill.suspectedTold);
}

void FileTeller::on(const pb::MembersAnswered& e)
{
    FileMemory::Ill& ill = f.groups[e.group()];
    if (ill.suspectedTold != 0) {
        tell(words::answered(e.group(), ill.suspected));
        ill.answeredNs = run.runNs;
    }
    ill.suspected.clear();
    ill.suspectedTold = 0;
}

void FileTeller::on(const pb::BucketFailed& e)
{
    FileMemory::Ill& ill = f.groups[e.group()];
    const std::string member = memberName(e.role(), e.group(), e.index());
    ill.isIll = true;
    std::erase(ill.suspected, member);
    ill.suspectedTold = 0;
    if (e.role() == pb::PARITY)
        f.failedParity.insert({ e.group(), e.index() });
    if (e.process() != 0)
        f.fencedPlace[e.process()] = { member, run.runNs };
    const std::string shown = shownReason(state, run.process, event);
    const std::string reason = isSilence(shown) ? "" : shown;
    if (reason != ill.failedReason) {
        ill.failedData.clear();
        ill.failedColumns.clear();
        ill.failedTold = 0;
    }
    ill.failedReason = reason;
    (e.role() == pb::DATA ? ill.failedData : ill.failedColumns).push_back(e.index());
    const bool isOne = ill.failedData.size() + ill.failedColumns.size() == 1;
    const auto group = state.groups.find(e.group());
    const bool isTooMany = group != state.groups.end() && group->second.k > 0
        && group->second.down.size() > group->second.k;
    const auto left = isTooMany ? std::nullopt : std::optional<std::uint32_t>(e.k_left());
    const std::string members = words::members(e.group(), ill.failedData, ill.failedColumns);
    ill.failedTold = tell(words::failed(e.group(), members, isOne, left, reason), ill.failedTold);
}

// ---- recovery

void FileTeller::on(const pb::EpochChanged& e)
{
    const pb::View& view = e.view();
    const auto known = f.groups.find(view.group());
    if (known == f.groups.end())
        return;
    FileMemory::Ill& ill = known->second;
    ill.failedData.clear(); // later failures are told separately
    ill.failedColumns.clear();
    ill.failedTold = 0;
    if (view.state() == pb::GROUP_FROZEN && !std::exchange(ill.isFrozenTold, true))
        tell(words::frozen(view.group()));
    if (!ill.isIll || !isWhole(view))
        return;
    f.groups.erase(known);
    tell(words::groupIsBack(view.group(), view.k()));
}

void FileTeller::on(const pb::CutAgreed& e)
{
    if (state.file.config.m() == 0 || e.positions_size() == 0)
        return;
    words::Numbers numbers;
    for (const std::uint32_t position : e.positions())
        numbers.push_back(bucketAt(e.group(), position));
    tell(words::cutAgreed(e.group(), numbers, e.copied()));
}

void FileTeller::on(const pb::RecoveryStarted& e)
{
    const auto group = state.groups.find(e.group());
    bool isFirstUp = true;
    for (std::uint32_t column = 0; column < e.manager(); ++column)
        isFirstUp = isFirstUp && group != state.groups.end() && group->second.down.contains({ pb::PARITY, column });
    tell(words::managerChosen(e.group(), e.manager(), isFirstUp, numbersOf(e.buckets())));
}

void FileTeller::on(const pb::DecoderChosen& e)
{
    if (event.place().role() != pb::PARITY || state.file.config.m() == 0)
        return;
    // Positions without a bucket take part as zeros. Which have one is the coordinator's word, which may come later.
    const auto group = state.groups.find(e.group());
    const bool areBucketsKnown = group != state.groups.end() && group->second.recovery.id == e.recovery()
        && group->second.recovery.isStarted;
    words::Numbers data, columns;
    bool isUnsure = false;
    for (const pb::DecoderChosen::Participant& participant : e.participants()) {
        const std::uint32_t number = bucketAt(e.group(), participant.index());
        if (participant.role() == pb::PARITY)
            columns.push_back(participant.index());
        else if (number < state.file.buckets || state.data.contains(number))
            data.push_back(number);
        else
            isUnsure = isUnsure || !areBucketsKnown;
    }
    if (!columns.empty())
        tell(words::slicesBegin(self(), isUnsure ? "" : words::members(e.group(), data, columns)));
}

void FileTeller::on(const pb::SliceRecovered& e)
{
    const auto group = state.groups.find(e.group());
    if (group == state.groups.end() || group->second.recovery.id != e.recovery() || group->second.recovery.isOver)
        return; // from a former attempt
    FileMemory::Ill& ill = f.groups[e.group()];
    if (std::exchange(ill.slicing, e.recovery()) != e.recovery())
        ill.slicesTold = 0;
    const RecoveryState& recovery = group->second.recovery;
    ill.slicesTold = tell(words::slices(recovery.slices, recovery.records, recovery.isXor), ill.slicesTold);
}

void FileTeller::on(const pb::RecoveryFinished& e)
{
    tell(words::recovered(numbersOf(e.buckets()), e.records(), e.total_ns()));
}

void FileTeller::on(const pb::RecordRecovered& e)
{
    if (e.result() != pb::OK && e.result() != pb::NOT_FOUND)
        return;
    Run& computed = f.computed[e.group()];
    const std::uint32_t count = m.goOn(computed, run.runNs);
    tell(count > 1
            ? words::recordsComputed(e.group(), count)
            : words::recordComputed(self(), e.key(), e.bucket(), client(event.operation()), e.result() == pb::OK),
        computed);
}

void FileTeller::on(const pb::GroupLost& e)
{
    FileMemory::Ill& ill = f.groups[e.group()];
    ill.isIll = true;
    if (!std::exchange(ill.isLostTold, true))
        tell(words::groupLost(e.group(), numbersOf(e.buckets()), e.parity_lost()));
}

void FileTeller::on(const pb::LossAcknowledged& e)
{
    f.groups[e.group()].isLostTold = false;
    tell(words::lossAcknowledged(numbersOf(e.buckets())));
}

// A process whose place was given away learns of it when it resumes.
void FileTeller::on(const pb::NodeReleased& /*e*/)
{
    const auto place = f.fencedPlace.find(run.process);
    const auto failure = state.failures.find(run.process);
    if (place == f.fencedPlace.end() || place->second.second > run.runNs || failure == state.failures.end())
        return;
    // It was not disturbed and continues: it was only late.
    DownMember down { .process = run.process, .reason = kAnswersNoProbes, .sinceNs = failure->second.atNs };
    const std::string reason = shownReason(state, down);
    tell(words::fenced(name(run.process), place->second.first, reason == kAnswersNoProbes ? "" : reason));
    f.fencedPlace.erase(place);
}

// ---- the coordinator

void FileTeller::on(const pb::CoordinatorListening& /*e*/)
{
    if (state.file.exists) // otherwise there is nothing to find
        tell(words::listening());
}

void FileTeller::on(const pb::CoordinatorRebuilt& e)
{
    f.overflows.clear(); // the buckets will report again
    f.undone.clear();
    tell(words::rebuilt(e));
}

void FileTeller::on(const pb::ForeignBucket& e)
{
    if (f.foreign.insert(e.alive().process().node()).second)
        tell(words::foreignBucket(e.alive().process().name()));
}

} // namespace lhrs::gui
