// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the invariants: operations, the file as its coordinator reports it, and what depends on both.
#include "gui/lab/state/lhrs/invariant_step.h"

#include "gui/lab/state/lhrs/epoch_words.h"

#include <algorithm>
#include <set>

namespace lhrs::gui {

using check::say;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
// Time within which a split must be reported, after an observation that only a split explains.
constexpr std::int64_t kDoubtTime = kSecond;
constexpr std::uint64_t kDoubtOfForwards = 1, kDoubtOfImage = 2;

bool isChange(pb::OperationKind kind) { return kind == pb::INSERT || kind == pb::UPDATE || kind == pb::DELETE; }

bool hasAnswer(pb::ResultCode result) { return result == pb::OK || result == pb::NOT_FOUND || result == pb::EXISTS; }

bool isCoordinator(const ProcessState& process)
{
    return process.kind == pb::COORDINATOR && !process.hasEnded && !process.isPaused;
}

// The number of coordinators that were ever observed.
std::ptrdiff_t coordinatorsOf(const FileView& s)
{
    return std::count_if(
        s.processes.begin(), s.processes.end(), [](const auto& entry) { return entry.second.kind == pb::COORDINATOR; });
}

// Whether a coordinator exists that could report the newest split.
bool isCoordinated(const FileView& s)
{
    return !s.file.isBeingFound && std::any_of(s.processes.begin(), s.processes.end(), [](const auto& entry) {
        return isCoordinator(entry.second);
    });
}

} // namespace

// ---- operations

void InvariantMonitor::Step::imageSeen(const pb::FileState& image)
{
    if (!s.file.exists || s.file.hasShrunk || bucketsOf(image) <= bucketsKnown())
        return;
    l.memo(Doubts).set({ std::uint64_t(runNs + kDoubtTime), process, event.sequence() },
        { kDoubtOfImage, bucketsOf(image), 0, std::uint64_t(runNs) });
}

void InvariantMonitor::Step::done(const pb::OperationDone& e)
{
    const pb::RequestId& id = event.operation();
    const auto begun = l.memo(Begun).take({ id.client(), id.number(), 0 });
    hops(e);
    honesty(e);
    if (e.resends() > 0 && isChange(e.kind()) && e.result() == pb::OK) {
        const auto [from, to] = l.m_memos[Effects].rangeOf(id.client(), id.number());
        if (to > from)
            holds(10);
    }
    if (begun)
        freshness(e, (*begun)[0]);
}

void InvariantMonitor::Step::hops(const pb::OperationDone& e)
{
    // The limit of 2 forwards holds for files without failures.
    if (e.alarm() || (e.path() != pb::DIRECT && e.path() != pb::FORWARDED) || !hasAnswer(e.result()))
        return;
    if (e.image_adjusted() && e.forwards() == 0)
        return fails(5, say("an image adjustment came for key ", e.key(), ", which was not forwarded"));
    if (e.forwards() > 2)
        l.memo(Doubts).set({ std::uint64_t(runNs + kDoubtTime), process, event.sequence() },
            { kDoubtOfForwards, e.forwards(), e.key(),
                std::uint64_t(std::max<std::int64_t>(0, runNs - e.time_ns() - kSecond)) });
    else
        holds(5);
}

void InvariantMonitor::Step::honesty(const pb::OperationDone& e)
{
    const InvariantNotes::Value* lost = l.memo(Lost).find({ event.cause_process(), e.bucket() / s.m(), 0 });
    if (lost == nullptr || event.cause_sequence() < (*lost)[0])
        return;
    if (e.result() == pb::LOST)
        holds(18);
    else if (e.result() == pb::NOT_FOUND)
        fails(18, say("key ", e.key(), " of bucket ", e.bucket(), ", which is lost, was reported as not found"));
}

void InvariantMonitor::Step::freshness(const pb::OperationDone& e, std::uint64_t begun)
{
    const InvariantNotes& held = l.m_memos[Held];
    const auto [from, to] = held.rangeOf(event.cause_process());
    const InvariantNotes::Value* then = nullptr;
    for (std::size_t at = from; at < to && held.at(at).first[1] <= event.cause_sequence(); ++at)
        then = &held.at(at).second;
    const auto known = s.processes.find(event.cause_process());
    if (then == nullptr || known == s.processes.end() || known->second.sequence < event.cause_sequence()
        || (*then)[1] != pb::DATA || (*then)[2] != e.bucket() || e.path() == pb::RECORD_RECOVERY
        || !hasAnswer(e.result()))
        return;
    const std::uint64_t incarnation = (*then)[0];
    InvariantNotes& answered = l.memo(Answered);
    const auto [first, last] = answered.rangeOf(process, e.bucket());
    bool hadOlder = false;
    for (std::size_t at = first; at < last; ++at) {
        const auto& [key, value] = answered.at(at);
        hadOlder = hadOlder || key[2] < incarnation;
        if (key[2] > incarnation && begun > value[0])
            return fails(9,
                say("data bucket ", e.bucket(), " answered for key ", e.key(), " under incarnation ",
                    incarnationText(incarnation), ", after incarnation ", incarnationText(key[2]), " had answered"));
    }
    if (hadOlder)
        holds(9);
    if (answered.find({ process, e.bucket(), incarnation }) == nullptr)
        answered.set({ process, e.bucket(), incarnation }, { event.sequence(), 0, 0, 0 });
}

// ---- the coordinator

void InvariantMonitor::Step::committed(const pb::SplitCommitted& e)
{
    const std::uint64_t buckets = bucketsOf(e.file());
    // The state before, in which bucket n is split and bucket n + 2^i is new.
    const bool wrapped = e.file().n() == 0 && e.file().i() > 0;
    const std::uint64_t size = std::uint64_t(1) << (wrapped ? e.file().i() - 1 : std::min(e.file().i(), 40u));
    const std::uint64_t n = wrapped ? size - 1 : std::uint64_t(e.file().n()) - 1;
    const InvariantNotes::Value* before = l.memo(File).find({ process, 0, 0 });
    if (e.bucket() != n || e.new_bucket() != n + size
        || (before != nullptr && (*before)[0] != 0 && (*before)[0] + 1 != buckets))
        fails(
            11, say("the split of bucket ", e.bucket(), " into bucket ", e.new_bucket(), " was committed out of turn"));
    knows(buckets, 0);
    decided(e.split());
}

void InvariantMonitor::Step::committed(const pb::MergeCommitted& e)
{
    const std::uint64_t buckets = bucketsOf(e.file());
    const InvariantNotes::Value* before = l.memo(File).find({ process, 0, 0 });
    if (e.bucket() != buckets || (before != nullptr && (*before)[0] != 0 && (*before)[0] != buckets + 1))
        fails(11, say("the merge of bucket ", e.bucket(), " into bucket ", e.into(), " was committed out of turn"));
    knows(buckets, 0);
    decided(e.split());
}

void InvariantMonitor::Step::knows(std::uint64_t buckets, std::uint64_t availability)
{
    const InvariantNotes::Value* before = l.memo(File).find({ process, 0, 0 });
    const InvariantNotes::Value old = before != nullptr ? *before : InvariantNotes::Value {};
    l.memo(File).set(
        { process, 0, 0 }, { buckets != 0 ? buckets : old[0], availability != 0 ? availability : old[1], 0, 0 });
}

void InvariantMonitor::Step::decided(std::uint64_t split)
{
    l.memo(Decided).set({ process, split, 0 }, {});
    l.memo(Commits).set({ std::uint64_t(std::max<std::int64_t>(0, runNs)), split, 0 }, {});
}

void InvariantMonitor::Step::ended(std::uint64_t split)
{
    l.memo(Decided).take({ process, split, 0 });
    ++l.m_splits;
    holds(11);
}

void InvariantMonitor::Step::undone(std::uint64_t split)
{
    if (l.memo(Decided).find({ process, split, 0 }) != nullptr)
        fails(11, say("split ", split, " was undone after it had been committed"));
}

void InvariantMonitor::Step::parityAdded(const pb::ParityAdded& e)
{
    // As the coordinator itself reported.
    const InvariantNotes::Value* told = l.memo(File).find({ process, 0, 0 });
    if (told == nullptr || (*told)[1] == 0)
        return;
    if (e.k() > (*told)[1])
        fails(12,
            say("group ", e.group(), " was given k = ", e.k(), ", more than the intended availability ", (*told)[1]));
    else
        holds(12);
}

void InvariantMonitor::Step::epoch(const pb::View& view)
{
    const InvariantNotes::Value* before = l.memo(Epochs).find({ process, view.group(), 0 });
    if (before != nullptr && view.epoch() < (*before)[0])
        fails(15,
            say("the epoch of group ", view.group(), " fell from ", epochText((*before)[0]), " to ",
                epochText(view.epoch())));
    else
        holds(15);
    l.memo(Epochs).set({ process, view.group(), 0 }, { view.epoch(), 0, 0, 0 });
}

void InvariantMonitor::Step::rebuilt(const pb::CoordinatorRebuilt& e)
{
    InvariantNotes& coordinators = l.memo(Coordinators);
    const InvariantNotes::Value* other = coordinators.find({ e.coordinator_epoch(), 0, 0 });
    if (other != nullptr && (*other)[0] != process)
        fails(15, say("two coordinators have the epoch ", e.coordinator_epoch()));
    else
        holds(15);
    const bool isNewest = coordinators.entries().empty()
        || coordinators.entries().back().first[0] < e.coordinator_epoch();
    coordinators.set({ e.coordinator_epoch(), 0, 0 }, { process, 0, 0, 0 });
    const std::uint64_t before = bucketsKnown();
    knows(e.buckets(), 0);
    // If more members are silent than the parity replaces, what they knew may be lost.
    if (!isNewest || !s.file.exists || s.file.hasShrunk || l.m_hadLoss || e.silent() > s.file.availability)
        return;
    // A decision that no bucket has heard of was lost with its coordinator.
    const bool hasOpen = std::any_of(
        s.splits.begin(), s.splits.end(), [](const auto& entry) { return entry.second.isUnderWay(); });
    if (e.buckets() + (hasOpen ? 1 : 0) < before)
        fails(14, say("the new coordinator found ", e.buckets(), " data buckets of ", before));
    else
        holds(14);
}

void InvariantMonitor::Step::groupLost(const pb::GroupLost& e)
{
    l.m_hadLoss = true;
    l.memo(Lost).set({ process, e.group(), 0 }, { event.sequence(), 0, 0, 0 });
    const auto group = s.groups.find(e.group());
    // Declarations of a former coordinator may not have arrived yet.
    if (group == s.groups.end() || coordinatorsOf(s) > 1)
        return;
    // Besides the named members, also parity buckets that are about to be replaced.
    std::set<MemberPlace> places;
    for (const auto& [place, down] : group->second.down)
        places.insert(place);
    for (const std::uint32_t bucket : e.buckets())
        places.insert({ pb::DATA, bucket % s.m() });
    const std::size_t gone = std::max(places.size(), std::size_t(e.buckets_size()) + e.parity_lost());
    if (gone <= group->second.k)
        fails(18,
            say("group ", e.group(), " was declared lost with ", gone, " members gone, and k is ", group->second.k));
    else
        holds(18);
}

void InvariantMonitor::take(const FileView& state, std::uint64_t process, const pb::Event& event, std::int64_t runNs)
{
    Step { *this, state, process, event, runNs }.apply();
    if (m_memos[Doubts].entries().empty())
        return;
    // What the coordinator reported up to this moment is known, though its events may arrive later than those of
    // others. After a change of coordinator, nothing tells whether all events of the former one have arrived; the
    // doubts are then settled when the invariants are queried.
    if (coordinatorsOf(state) != 1)
        return;
    const auto self = state.processes.find(process);
    std::int64_t heard = self != state.processes.end() && isCoordinator(self->second) ? runNs : 0;
    for (const auto& [id, one] : state.processes)
        heard = isCoordinator(one) ? std::max(heard, one.lastEventNs) : heard;
    settleDoubts(state, std::min(heard, runNs));
}

// Settles observations that only a split explains: when the split was reported, or when everything up to `untilNs` is
// known and the time for a report has passed.
void InvariantMonitor::settleDoubts(const FileView& state, std::int64_t untilNs)
{
    InvariantNotes& doubts = memo(Doubts);
    for (std::size_t at = 0; at < doubts.entries().size();) {
        const auto [key, value] = doubts.at(at);
        const auto [kind, number, subject, since] = value;
        std::uint64_t explained = Step::bucketsTold(*this, state);
        if (kind == kDoubtOfForwards) {
            const std::size_t from = m_memos[Commits].from({ since, 0, 0 });
            explained = 2 + m_memos[Commits].entries().size() - from;
        }
        const bool isDue = untilNs >= std::int64_t(key[0]);
        if (number > explained && !isDue) {
            ++at;
            continue;
        }
        doubts.eraseAt(at);
        if (number <= explained) {
            check(5, std::int64_t(key[0]) - kDoubtTime);
        } else if (isCoordinated(state) && !state.file.hasShrunk) {
            InvariantViolation violation { key[1], key[2], std::int64_t(key[0]) - kDoubtTime, {} };
            violation.text = kind == kDoubtOfForwards
                ? say("key ", subject, " was forwarded ", number, " times")
                : say("a client's image has ", number, " data buckets, and the file has ", explained);
            violate(5, violation);
        }
    }
}

} // namespace lhrs::gui
