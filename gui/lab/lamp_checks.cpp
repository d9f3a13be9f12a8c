// SPDX-License-Identifier: GPL-3.0-or-later
// What each event says of the invariants (window.md 2.14, source E).
#include "common/check/invariants.h"
#include "common/check/say.h"
#include "gui/lab/cluster_state.h"

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

using check::say;

constexpr std::int64_t kSecond = 1'000'000'000;
// So long after something that only a split explains, the split must have been heard of.
constexpr std::int64_t kDoubtTime = kSecond;
constexpr std::uint64_t kDoubtOfForwards = 1, kDoubtOfImage = 2;

std::uint64_t bucketsOf(const pb::FileState& file) { return (std::uint64_t(1) << std::min(file.i(), 40u)) + file.n(); }

bool isChange(pb::OperationKind kind) { return kind == pb::INSERT || kind == pb::UPDATE || kind == pb::DELETE; }

bool hasAnswer(pb::ResultCode result) { return result == pb::OK || result == pb::NOT_FOUND || result == pb::EXISTS; }

bool isCoordinator(const ProcessState& process)
{
    return process.kind == pb::COORDINATOR && !process.hasEnded && !process.isPaused;
}

// That were ever heard of.
std::ptrdiff_t coordinatorsOf(const ClusterState& s)
{
    return std::count_if(s.processes.begin(), s.processes.end(), [](const auto& entry) { return entry.second.kind == pb::COORDINATOR; });
}

// Whether a coordinator is there that could tell of the newest split.
bool isCoordinated(const ClusterState& s)
{
    return !s.file.isBeingFound
        && std::any_of(s.processes.begin(), s.processes.end(), [](const auto& entry) { return isCoordinator(entry.second); });
}

} // namespace

// One event of one process.
struct Lamps::Step {
    Lamps& l;
    const ClusterState& s;
    const std::uint64_t process;
    const pb::Event& event;
    const std::int64_t runNs;

    void holds(int invariant) { l.check(invariant, runNs); }
    void fails(int invariant, const std::string& text) { l.violate(invariant, { process, event.sequence(), runNs, text }); }

    const ProcessState* self() const
    {
        const auto at = s.processes.find(process);
        return at == s.processes.end() ? nullptr : &at->second;
    }

    // The data bucket that the process holds by its own word; null: not known, or it holds none.
    const DataBucketState* data() const
    {
        if (event.place().role() != pb::DATA)
            return nullptr;
        if (const auto at = s.data.find(event.place().number()); at != s.data.end() && at->second.process == process)
            return &at->second;
        const auto aside = s.displacedData.find(process);
        return aside != s.displacedData.end() && aside->second.number == event.place().number() ? &aside->second : nullptr;
    }

    const ParityBucketState* parity() const
    {
        const auto at = s.parity.find({ event.place().number(), event.place().column() });
        return event.place().role() == pb::PARITY && at != s.parity.end() && at->second.process == process ? &at->second : nullptr;
    }

    std::string bucketName() const { return say("data bucket ", event.place().number()); }

    // Whether all its changes were told from the first on, and with them what is at which rank.
    bool isWholly(const DataBucketState& bucket, std::uint64_t sequence)
    {
        if (!bucket.ranksAreObserved || l.memo(Broken).find({ process, 0, 0 }) != nullptr)
            return false;
        const ProcessState* known = self();
        if (known == nullptr || known->isIncomplete)
            return false;
        if (bucket.sequence == 0 || bucket.sequence + 1 == sequence)
            return true;
        l.memo(Broken).set({ process, 0, 0 }, {});
        return false;
    }

    // ---- who is what

    void started()
    {
        for (const Memo one : { Filling, Freed, Broken, Held, Epochs, Decided, File, Lost, Thinned })
            l.memo(one).eraseOf(process);
    }

    void recruited(const pb::NodeRecruited& e)
    {
        if (const ProcessState* known = self(); known != nullptr && !known->isIncomplete) {
            if (known->place.role() != pb::NO_ROLE && known->incarnation != 0)
                fails(16, say(known->name, " takes a further place and has not left the one before"));
            else
                holds(16);
        }
        if (e.incarnation() != 0) {
            const LampNotes::Value* holder = l.memo(Holders).find({ e.incarnation(), 0, 0 });
            if (holder != nullptr && (*holder)[0] != process)
                fails(15, say("incarnation ", e.incarnation(), " was given to two processes"));
            l.memo(Holders).set({ e.incarnation(), 0, 0 }, { process, 0, 0, 0 });
        }
        for (const Memo one : { Filling, Freed, Broken })
            l.memo(one).eraseOf(process);
        l.memo(Held).set({ process, event.sequence(), 0 },
            { e.incarnation(), std::uint64_t(event.place().role()), event.place().number(), event.place().column() });
    }

    void released()
    {
        for (const Memo one : { Filling, Freed, Broken })
            l.memo(one).eraseOf(process);
        l.memo(Held).set({ process, event.sequence(), 0 }, {});
    }

    void became(const pb::StateChanged& e)
    {
        const LampNotes::Value* filling = event.place().role() == pb::PARITY ? l.memo(Filling).find({ process, 0, 0 }) : nullptr;
        if (e.state() == pb::UP && filling != nullptr && (*filling)[0] != 0 && (*filling)[1] == 0)
            fails(12, say("parity bucket ", event.place().number(), ".", event.place().column(), " counts and has not the contents of all its group"));
    }

    // ---- records

    void inserted(const pb::RecordInserted& e)
    {
        effect(e.sequence());
        const DataBucketState* bucket = data();
        if (bucket == nullptr)
            return;
        seenBeforeEnabled(*bucket, e.key());
        const bool isWhole = isWholly(*bucket, e.sequence());
        if (isWhole && bucket->ranks.has(e.rank()))
            fails(3, say(bucketName(), " gives rank ", e.rank(), " to key ", e.key(), " while key ", bucket->ranks.at(e.rank()), " has it"));
        else if (isRetired(e.rank()))
            fails(3, say(bucketName(), " gives rank ", e.rank(), " to key ", e.key(), " before all parity buckets know that it is free"));
        else if (isWhole)
            holds(3);
        // By its own level, which it told before.
        const check::FileSettings settings { s.m(), check::FieldKind::Gf16, s.file.config.mix_keys() };
        const std::uint64_t mask = (std::uint64_t(1) << std::min(bucket->level, 40u)) - 1;
        if (!s.file.exists || bucket->level > 40)
            return;
        if ((check::hashed(settings, e.key()) & mask) != (bucket->number & mask))
            fails(4, say("key ", e.key(), " was stored in ", bucketName(), ", level ", bucket->level, ", which is not its bucket"));
        else
            holds(4);
    }

    void changed(std::uint64_t key, std::uint32_t rank, std::uint64_t sequence)
    {
        effect(sequence);
        const DataBucketState* bucket = data();
        if (bucket == nullptr)
            return;
        seenBeforeEnabled(*bucket, key);
        if (!isWholly(*bucket, sequence))
            return;
        if (!bucket->ranks.has(rank) || bucket->ranks.at(rank) != key)
            fails(3, say(bucketName(), " changes key ", key, " at rank ", rank, ", where it is not"));
        else
            holds(3);
    }

    void deleted(const pb::RecordDeleted& e)
    {
        changed(e.key(), e.rank(), e.sequence());
        l.memo(Freed).set({ process, e.sequence(), 0 }, { e.rank(), 0, 0, 0 });
    }

    bool isRetired(std::uint32_t rank) const
    {
        const LampNotes& freed = l.m_memos[Freed];
        const auto [from, to] = freed.rangeOf(process);
        for (std::size_t at = from; at < to; ++at)
            if (freed.at(at).second[0] == rank)
                return true;
        return false;
    }

    void seenBeforeEnabled(const DataBucketState& bucket, std::uint64_t key)
    {
        if (bucket.state == pb::RECOVERING)
            fails(13, say(bucketName(), " serves key ", key, " before its recovery is over"));
    }

    // A change for a client's request.
    void effect(std::uint64_t sequence)
    {
        const pb::RequestId& id = event.operation();
        const ProcessState* known = self();
        if (id.client() == 0 || known == nullptr)
            return;
        l.memo(Writers).set({ id.client(), 0, 0 }, {});
        LampNotes& effects = l.memo(Effects);
        const auto [from, to] = effects.rangeOf(id.client(), id.number());
        for (std::size_t at = from; at < to; ++at) {
            const LampNotes::Value& other = effects.at(at).second;
            if (other[0] == process && other[1] == known->incarnation && other[2] != sequence)
                fails(10, say(bucketName(), " carries out request ", id.number(), " of a client twice, by changes ", other[2], " and ", sequence));
        }
        effects.set({ id.client(), id.number(), to - from }, { process, known->incarnation, sequence, 0 });
    }

    void acknowledgeEffect(std::uint64_t sequence)
    {
        const pb::RequestId& id = event.operation();
        const ProcessState* known = self();
        LampNotes& effects = l.memo(Effects);
        const auto [from, to] = effects.rangeOf(id.client(), id.number());
        int count = 0;
        for (std::size_t at = from; at < to; ++at) {
            const auto& [key, value] = effects.at(at);
            if (value[0] == process && known != nullptr && value[1] == known->incarnation && value[2] == sequence)
                effects.set(key, { value[0], value[1], value[2], 1 });
            count += effects.at(at).second[3] != 0 ? 1 : 0;
        }
        // What only one bucket knew may die with it, and be done again by another; what all parity buckets have may not.
        if (count > 1 && !l.m_hadLoss)
            fails(10, say("request ", id.number(), " of a client took effect twice, the second time in ", bucketName()));
    }

    void acknowledged(const pb::ChangeAcknowledged& e)
    {
        l.memo(Freed).take({ process, e.sequence(), 0 });
        acknowledgeEffect(e.sequence());
        const std::uint64_t bucket = event.place().number();
        const LampNotes::Value owed { event.sequence(), process, event.cause_process(), event.cause_sequence() };
        LampNotes& applied = l.memo(Applied);
        const auto [from, to] = applied.rangeOf(bucket, e.sequence());
        for (std::size_t at = from; at < to; ++at)
            compare(applied.at(at).first[2], applied.at(at).second, owed, bucket, e.sequence());
        for (std::size_t at = to; at > from; --at)
            applied.eraseAt(at - 1);
        l.memo(Owed).set({ bucket, e.sequence(), 0 }, owed);
    }

    void appliedAtParity(std::uint32_t position, std::uint64_t sequence)
    {
        const ParityBucketState* column = parity();
        if (column == nullptr || position >= s.m())
            return;
        const std::uint64_t bucket = std::uint64_t(column->group) * s.m() + position;
        // One that was recruited empty with its group; others take part before they count.
        const bool isOriginal = l.memo(Filling).find({ process, 0, 0 }) == nullptr
            && l.m_memos[Held].rangeOf(process).first != l.m_memos[Held].rangeOf(process).second;
        const LampNotes::Value value { event.sequence(), event.cause_process(), event.cause_sequence(), isOriginal };
        if (const LampNotes::Value* owed = l.memo(Owed).find({ bucket, sequence, 0 }))
            compare(process, value, *owed, bucket, sequence);
        else
            l.memo(Applied).set({ bucket, sequence, process }, value);
    }

    // A change at a parity bucket beside its acknowledgement by the data bucket, whichever was heard of first.
    void compare(std::uint64_t parityProcess, const LampNotes::Value& applied, const LampNotes::Value& owed, std::uint64_t bucket,
        std::uint64_t sequence)
    {
        const auto [appliedEvent, sentBy, sentAfter, isOriginal] = applied;
        const auto [ackEvent, ackProcess, ackCause, ackCauseEvent] = owed;
        const bool isOnesWord = ackCause == parityProcess;
        if (isOnesWord && appliedEvent <= ackCauseEvent)
            return holds(6);
        if (isOriginal == 0 || sentBy != ackProcess)
            return;
        if (!isOneTenure(ackProcess, ackEvent, sentAfter))
            return; // a server may hold the same place twice, and numbers its changes anew
        // The bucket sent the change, or said that all had it, on a word that was older than the change there.
        if (sentAfter >= ackEvent || isOnesWord)
            fails(6, say("data bucket ", bucket, " acknowledged change ", sequence, " before one of its parity buckets had it"));
    }

    // Whether the process held one place under one incarnation from one of its events to the other, for sure.
    bool isOneTenure(std::uint64_t holder, std::uint64_t a, std::uint64_t b) const
    {
        const auto known = s.processes.find(holder);
        const std::uint64_t told = known == s.processes.end() ? 0 : known->second.sequence;
        if (std::max(a, b) > (holder == process ? event.sequence() : told))
            return false;
        const LampNotes& held = l.m_memos[Held];
        const auto [from, to] = held.rangeOf(holder);
        for (std::size_t at = from; at < to; ++at)
            if (const std::uint64_t since = held.at(at).first[1]; since > std::min(a, b) && since <= std::max(a, b))
                return false;
        return true;
    }

    // ---- operations

    // As far as any coordinator has told; one that was superseded and does not know it yet may tell of fewer.
    static std::uint64_t bucketsTold(const Lamps& lamps, const ClusterState& state)
    {
        std::uint64_t most = state.file.buckets;
        for (const auto& [key, value] : lamps.m_memos[File].entries())
            most = std::max(most, value[0]);
        return most;
    }
    std::uint64_t bucketsKnown() const { return bucketsTold(l, s); }

    void imageSeen(const pb::FileState& image)
    {
        if (!s.file.exists || s.file.hasShrunk || bucketsOf(image) <= bucketsKnown())
            return;
        l.memo(Doubts).set({ std::uint64_t(runNs + kDoubtTime), process, event.sequence() }, { kDoubtOfImage, bucketsOf(image), 0, std::uint64_t(runNs) });
    }

    void done(const pb::OperationDone& e)
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

    void hops(const pb::OperationDone& e)
    {
        // The promise is one for files without failures.
        if (e.alarm() || (e.path() != pb::DIRECT && e.path() != pb::FORWARDED) || !hasAnswer(e.result()))
            return;
        if (e.image_adjusted() && e.forwards() == 0)
            return fails(5, say("an image adjustment came for key ", e.key(), ", which was not forwarded"));
        if (e.forwards() > 2)
            l.memo(Doubts).set({ std::uint64_t(runNs + kDoubtTime), process, event.sequence() },
                { kDoubtOfForwards, e.forwards(), e.key(), std::uint64_t(std::max<std::int64_t>(0, runNs - e.time_ns() - kSecond)) });
        else
            holds(5);
    }

    void honesty(const pb::OperationDone& e)
    {
        const LampNotes::Value* lost = l.memo(Lost).find({ event.cause_process(), e.bucket() / s.m(), 0 });
        if (lost == nullptr || event.cause_sequence() < (*lost)[0])
            return;
        if (e.result() == pb::LOST)
            holds(18);
        else if (e.result() == pb::NOT_FOUND)
            fails(18, say("key ", e.key(), " of bucket ", e.bucket(), ", which is lost, was called not found"));
    }

    // Who held the place when its word was said that brought the answer.
    void freshness(const pb::OperationDone& e, std::uint64_t begun)
    {
        const LampNotes& held = l.m_memos[Held];
        const auto [from, to] = held.rangeOf(event.cause_process());
        const LampNotes::Value* then = nullptr;
        for (std::size_t at = from; at < to && held.at(at).first[1] <= event.cause_sequence(); ++at)
            then = &held.at(at).second;
        const auto known = s.processes.find(event.cause_process());
        if (then == nullptr || known == s.processes.end() || known->second.sequence < event.cause_sequence() || (*then)[1] != pb::DATA
            || (*then)[2] != e.bucket() || e.path() == pb::RECORD_RECOVERY || !hasAnswer(e.result()))
            return;
        const std::uint64_t incarnation = (*then)[0];
        LampNotes& answered = l.memo(Answered);
        const auto [first, last] = answered.rangeOf(process, e.bucket());
        bool hadOlder = false;
        for (std::size_t at = first; at < last; ++at) {
            const auto& [key, value] = answered.at(at);
            hadOlder = hadOlder || key[2] < incarnation;
            if (key[2] > incarnation && begun > value[0])
                return fails(9, say("data bucket ", e.bucket(), " answered for key ", e.key(), " under incarnation ", incarnation, ", after incarnation ", key[2], " had answered"));
        }
        if (hadOlder)
            holds(9);
        if (answered.find({ process, e.bucket(), incarnation }) == nullptr)
            answered.set({ process, e.bucket(), incarnation }, { event.sequence(), 0, 0, 0 });
    }

    // ---- the coordinator

    void committed(const pb::SplitCommitted& e)
    {
        const std::uint64_t buckets = bucketsOf(e.file());
        // The state before, in which bucket n is split and bucket n + 2^i is new.
        const bool wrapped = e.file().n() == 0 && e.file().i() > 0;
        const std::uint64_t size = std::uint64_t(1) << (wrapped ? e.file().i() - 1 : std::min(e.file().i(), 40u));
        const std::uint64_t n = wrapped ? size - 1 : std::uint64_t(e.file().n()) - 1;
        const LampNotes::Value* before = l.memo(File).find({ process, 0, 0 });
        if (e.bucket() != n || e.new_bucket() != n + size || (before != nullptr && (*before)[0] != 0 && (*before)[0] + 1 != buckets))
            fails(11, say("the split of bucket ", e.bucket(), " into bucket ", e.new_bucket(), " was committed out of turn"));
        knows(buckets, 0);
        decided(e.split());
    }

    void committed(const pb::MergeCommitted& e)
    {
        const std::uint64_t buckets = bucketsOf(e.file());
        const LampNotes::Value* before = l.memo(File).find({ process, 0, 0 });
        if (e.bucket() != buckets || (before != nullptr && (*before)[0] != 0 && (*before)[0] != buckets + 1))
            fails(11, say("the merge of bucket ", e.bucket(), " into bucket ", e.into(), " was committed out of turn"));
        knows(buckets, 0);
        decided(e.split());
    }

    // What a coordinator says of the file; 0: nothing new.
    void knows(std::uint64_t buckets, std::uint64_t availability)
    {
        const LampNotes::Value* before = l.memo(File).find({ process, 0, 0 });
        const LampNotes::Value old = before != nullptr ? *before : LampNotes::Value {};
        l.memo(File).set({ process, 0, 0 }, { buckets != 0 ? buckets : old[0], availability != 0 ? availability : old[1], 0, 0 });
    }

    void decided(std::uint64_t split)
    {
        l.memo(Decided).set({ process, split, 0 }, {});
        l.memo(Commits).set({ std::uint64_t(std::max<std::int64_t>(0, runNs)), split, 0 }, {});
    }

    void ended(std::uint64_t split)
    {
        l.memo(Decided).take({ process, split, 0 });
        ++l.m_splits;
        holds(11);
    }

    void undone(std::uint64_t split)
    {
        if (l.memo(Decided).find({ process, split, 0 }) != nullptr)
            fails(11, say("split ", split, " was undone after it had been committed"));
    }

    void parityAdded(const pb::ParityAdded& e)
    {
        // By its own word.
        const LampNotes::Value* told = l.memo(File).find({ process, 0, 0 });
        if (told == nullptr || (*told)[1] == 0)
            return;
        if (e.k() > (*told)[1])
            fails(12, say("group ", e.group(), " was given k = ", e.k(), ", more than the intended availability ", (*told)[1]));
        else
            holds(12);
    }

    void epoch(const pb::View& view)
    {
        const LampNotes::Value* before = l.memo(Epochs).find({ process, view.group(), 0 });
        if (before != nullptr && view.epoch() < (*before)[0])
            fails(15, say("the epoch of group ", view.group(), " fell from ", (*before)[0], " to ", view.epoch()));
        else
            holds(15);
        l.memo(Epochs).set({ process, view.group(), 0 }, { view.epoch(), 0, 0, 0 });
    }

    void rebuilt(const pb::CoordinatorRebuilt& e)
    {
        LampNotes& coordinators = l.memo(Coordinators);
        const LampNotes::Value* other = coordinators.find({ e.coordinator_epoch(), 0, 0 });
        if (other != nullptr && (*other)[0] != process)
            fails(15, say("two coordinators have the epoch ", e.coordinator_epoch()));
        else
            holds(15);
        const bool isNewest = coordinators.entries().empty() || coordinators.entries().back().first[0] < e.coordinator_epoch();
        coordinators.set({ e.coordinator_epoch(), 0, 0 }, { process, 0, 0, 0 });
        const std::uint64_t before = bucketsKnown();
        knows(e.buckets(), 0);
        if (!isNewest || !s.file.exists || s.file.hasShrunk || l.m_hadLoss)
            return;
        // A decision of which no bucket has heard died with the coordinator that took it.
        const bool hasOpen = std::any_of(s.splits.begin(), s.splits.end(),
            [](const auto& entry) { return entry.second.isUnderWay(); });
        if (e.buckets() + (hasOpen ? 1 : 0) < before)
            fails(14, say("the new coordinator found ", e.buckets(), " data buckets of ", before));
        else
            holds(14);
    }

    void groupLost(const pb::GroupLost& e)
    {
        l.m_hadLoss = true;
        l.memo(Lost).set({ process, e.group(), 0 }, { event.sequence(), 0, 0, 0 });
        const auto group = s.groups.find(e.group());
        // What a former coordinator has declared failed may not have been heard of yet.
        if (group == s.groups.end() || coordinatorsOf(s) > 1)
            return;
        // Beside those that it names, parity buckets that are about to be replaced.
        std::set<MemberPlace> places;
        for (const auto& [place, down] : group->second.down)
            places.insert(place);
        for (const std::uint32_t bucket : e.buckets())
            places.insert({ pb::DATA, bucket % s.m() });
        const std::size_t gone = std::max(places.size(), std::size_t(e.buckets_size()) + e.parity_lost());
        if (gone <= group->second.k)
            fails(18, say("group ", e.group(), " was called lost with ", gone, " members gone, and k is ", group->second.k));
        else
            holds(18);
    }

    // ---- figures

    template <class Figures>
    void figures(const Figures& e, std::int64_t total, const char* what)
    {
        const std::int64_t sum = e.process_ns() + e.communication_ns() + e.other_ns();
        if (sum == 0)
            return; // nobody measured it
        if (sum != total || e.process_ns() < 0 || e.communication_ns() < 0 || e.other_ns() < 0)
            fails(22, say("the phases of ", what, " are ", sum, " ns together, and the whole ", total, " ns"));
        else
            holds(22);
    }

    void apply();
};

void Lamps::Step::apply()
{
    using B = pb::Event;
    // As a number, so that a new kind of event need not be named here before a check asks for it.
    switch (int(event.body_case())) {
    case B::kProcessStarted: started(); break;
    case B::kNodeRecruited: recruited(event.node_recruited()); break;
    case B::kNodeReleased: released(); break;
    case B::kStateChanged: became(event.state_changed()); break;
    case B::kRecordInserted: inserted(event.record_inserted()); break;
    case B::kRecordUpdated:
        changed(event.record_updated().key(), event.record_updated().rank(), event.record_updated().sequence());
        break;
    case B::kRecordDeleted: deleted(event.record_deleted()); break;
    case B::kRecordRead:
        if (const DataBucketState* bucket = data())
            seenBeforeEnabled(*bucket, event.record_read().key());
        break;
    case B::kChangeAcknowledged: acknowledged(event.change_acknowledged()); break;
    case B::kDeltaApplied: appliedAtParity(event.delta_applied().position(), event.delta_applied().sequence()); break;
    case B::kResultKept: appliedAtParity(event.result_kept().position(), event.result_kept().sequence()); break;
    case B::kContentsArrived: {
        const LampNotes::Value* filling = l.memo(Filling).find({ process, 0, 0 });
        l.memo(Filling).set({ process, 0, 0 }, { 1, filling != nullptr ? (*filling)[1] : 0, 0, 0 });
        break;
    }
    case B::kParityBucketFilled:
        l.memo(Filling).set({ process, 0, 0 }, { 1, 1, 0, 0 });
        figures(event.parity_bucket_filled(), event.parity_bucket_filled().total_ns(), "a parity creation");
        break;
    case B::kOperationStarted:
        l.memo(Begun).set({ event.operation().client(), event.operation().number(), 0 }, { event.sequence(), 0, 0, 0 });
        imageSeen(event.operation_started().image());
        break;
    case B::kImageAdjusted: imageSeen(event.image_adjusted().after()); break;
    case B::kOperationDone: done(event.operation_done()); break;
    case B::kSplitCommitted: committed(event.split_committed()); break;
    case B::kMergeCommitted: committed(event.merge_committed()); break;
    case B::kSplitFinished: ended(event.split_finished().split()); break;
    case B::kMergeFinished: ended(event.merge_finished().split()); break;
    case B::kSplitUndone: undone(event.split_undone().split()); break;
    case B::kMergeUndone: undone(event.merge_undone().split()); break;
    case B::kFileStateChanged:
        knows(bucketsOf(event.file_state_changed().file()), event.file_state_changed().availability());
        break;
    case B::kAvailabilityRaised: knows(0, event.availability_raised().availability()); break;
    case B::kParityAdded: parityAdded(event.parity_added()); break;
    case B::kEpochChanged: epoch(event.epoch_changed().view()); break;
    case B::kCoordinatorRebuilt: rebuilt(event.coordinator_rebuilt()); break;
    case B::kGroupLost: groupLost(event.group_lost()); break;
    case B::kLossAcknowledged: l.memo(Lost).take({ process, event.loss_acknowledged().group(), 0 }); break;
    case B::kRecoveryFinished:
        if (event.recovery_finished().buckets_size() > 0) {
            ++l.m_recoveries;
            l.m_isUnverified = true;
        }
        figures(event.recovery_finished(), event.recovery_finished().rebuild_ns(), "a recovery");
        break;
    default: break; // the others say nothing of any invariant
    }
}

void Lamps::take(const ClusterState& state, std::uint64_t process, const pb::Event& event, std::int64_t runNs)
{
    Step { *this, state, process, event, runNs }.apply();
    if (m_memos[Doubts].entries().empty())
        return;
    // What the coordinator said up to this moment is known; it may be heard later than all others. Where there was a former
    // one, nobody knows whether all its words have come: then who asks for the lamps decides.
    if (coordinatorsOf(state) != 1)
        return;
    const auto self = state.processes.find(process);
    std::int64_t heard = self != state.processes.end() && isCoordinator(self->second) ? runNs : 0;
    for (const auto& [id, one] : state.processes)
        heard = isCoordinator(one) ? std::max(heard, one.lastEventNs) : heard;
    settleDoubts(state, std::min(heard, runNs));
}

// What only a split would explain, once the split has been heard of, or everything up to `untilNs` and some time after it.
void Lamps::settleDoubts(const ClusterState& state, std::int64_t untilNs)
{
    LampNotes& doubts = memo(Doubts);
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
            LampViolation violation { key[1], key[2], std::int64_t(key[0]) - kDoubtTime, {} };
            violation.text = kind == kDoubtOfForwards ? say("key ", subject, " was forwarded ", number, " times")
                                                      : say("a client believes in ", number, " data buckets, and the file has ", explained);
            violate(5, violation);
        }
    }
}

} // namespace lhrs::gui
