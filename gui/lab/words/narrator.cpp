// SPDX-License-Identifier: GPL-3.0-or-later
// The narrator: which events are told, and the sentences about the file, splits, parity and clients.
#include "gui/lab/words/narrator.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/state/process/end_reasons.h"
#include "gui/lab/words/narrator_teller.h"
#include "gui/lab/words/ring_sentences.h"
#include "gui/lab/words/sentences.h"

#include <algorithm>
#include <limits>

namespace lhrs::gui {

namespace {

std::uint32_t bucketsOf(const pb::FileState& image)
{
    const FileImage at { image.i(), image.n() };
    return isValid(at) ? bucketCount(at) : 0;
}

// The bucket that the process holds now; "" if it holds none, or another process has its place.
std::string placeHeld(const ProcessState& process, const ClusterState& state)
{
    const pb::Place& place = process.place;
    const auto data = state.data.find(place.number());
    if (place.role() == pb::DATA && data != state.data.end() && data->second.process == process.id)
        return words::bucket(place.number());
    const auto parity = state.parity.find({ place.number(), place.column() });
    if (place.role() == pb::PARITY && parity != state.parity.end() && parity->second.process == process.id)
        return words::parityBucket(place.number(), place.column());
    return {};
}

bool isAnotherCoordinatorThere(const ClusterState& state, ProcessId ended)
{
    return std::any_of(state.processes.begin(), state.processes.end(), [ended](const auto& item) {
        return item.first != ended && item.second.kind == pb::COORDINATOR && !item.second.hasEnded;
    });
}

} // namespace

// ---- memory

std::uint32_t NarratorMemory::goOn(Run& run, std::int64_t runNs)
{
    if (!isClose(run, runNs))
        run = { .lastNs = runNs };
    run.lastNs = std::max(run.lastNs, runNs);
    run.lastFrame = frames;
    return ++run.count;
}

NarratorMemory::Seen& NarratorMemory::seenOf(ProcessId process)
{
    auto at = std::lower_bound(
        seen.begin(), seen.end(), process, [](const Seen& s, ProcessId id) { return s.id < id; });
    if (at == seen.end() || at->id != process)
        at = seen.insert(at, Seen { .id = process });
    return *at;
}

std::uint64_t Teller::tell(QString text, std::uint64_t instead)
{
    if (instead == 0 && text == m.lastText && m.isClose(m.last, run.runNs))
        return 0;
    m.lastText = text;
    m.goOn(m.last, run.runNs);
    // A telling that was not delivered yet is replaced before it is seen.
    const auto unseen = std::find_if(m.tellings.rbegin(), m.tellings.rend(),
        [instead](const Telling& telling) { return instead != 0 && telling.event == instead; });
    if (unseen != m.tellings.rend()) {
        instead = unseen->instead;
        m.tellings.erase(std::prev(unseen.base()));
    }
    m.tellings.push_back({ run.index, run.runNs, std::move(text), instead });
    return run.index;
}

void Teller::tell(QString text, Run& of) { of.told = tell(std::move(text), of.told); }

std::string Teller::name(ProcessId process) const { return processShown(process, state); }

std::string Teller::self() const
{
    if (event.place().role() == pb::DATA)
        return words::bucket(event.place().number());
    if (event.place().role() == pb::PARITY)
        return words::parityBucket(event.place().number(), event.place().column());
    const auto process = state.processes.find(run.process);
    const bool isCoordinator = process != state.processes.end() && process->second.kind == pb::COORDINATOR;
    return isCoordinator ? kCoordinator : name(run.process);
}

std::string Teller::client(const pb::RequestId& operation) const
{
    return state.clients.contains(operation.client()) ? name(operation.client()) : "";
}

// ---- file and spares

void Teller::on(const pb::ProcessStarted& e)
{
    // Processes started together with the file are not news.
    if (!m.fileSinceNs || run.runNs <= *m.fileSinceNs)
        return;
    const pb::ProcessInfo& info = e.process();
    if (info.kind() == pb::CLIENT && state.file.buckets > 1) {
        const std::uint32_t count = m.goOn(m.clients, run.runNs);
        tell(words::clientsJoin(info.name(), count), m.clients);
    } else if (info.kind() == pb::NODE && info.spare_role() != pb::NO_ROLE) {
        Run& spares = m.spares[info.spare_role()];
        const std::uint32_t count = m.goOn(spares, run.runNs);
        tell(words::sparesCome(info.spare_role(), count), spares);
        m.takenPools.erase(info.spare_role());
    }
}

void Teller::on(const pb::FileCreated& e)
{
    m.fileSinceNs = run.runNs;
    tell(words::fileBegins(e.config().availability(), e.config().b()));
}

void Teller::on(const pb::NodeRecruited& /*e*/)
{
    if (const auto fenced = m.fencedPlace.find(run.process);
        fenced != m.fencedPlace.end() && fenced->second.second < run.runNs)
        m.fencedPlace.erase(fenced); // it has a place again
    const pb::Role pool = event.place().role();
    if (const auto missing = m.missing.find(pool); missing != m.missing.end() && missing->second.second <= run.runNs) {
        m.missing.erase(missing);
        tell(words::spareFound(name(run.process), self()));
        return;
    }
    const bool isOneLeft = std::any_of(state.processes.begin(), state.processes.end(), [pool](const auto& item) {
        return item.second.kind == pb::NODE && item.second.pool == pool && !item.second.hasEnded;
    });
    if (isOneLeft)
        m.takenPools.erase(pool);
    else if (state.file.exists && pool != pb::NO_ROLE && m.takenPools.insert(pool).second)
        tell(words::sparesAreTaken(pool));
}

void Teller::on(const pb::SpareMissing& e)
{
    const auto missing = m.missing.find(e.role());
    if (missing != m.missing.end() && missing->second.first == e.purpose())
        return; // reported repeatedly while it waits
    m.missing[e.role()] = { e.purpose(), run.runNs };
    tell(words::spareMissing(e.role(), e.purpose()));
}

void Teller::on(const pb::RecordInserted& e)
{
    m.isFirstRecordTold = true;
    if (m.fileSinceNs && e.sequence() == 1 && e.count() == 1 && event.place().number() == 0 && state.file.buckets <= 1)
        tell(words::firstRecord(e.key()));
}

// ---- splits

void Teller::begin(NarratorMemory::Row& row, std::uint64_t id)
{
    if (!m.isClose(row.run, run.runNs)) {
        row.counted = 0;
        row.told = 0;
    }
    if (m.goOn(row.run, run.runNs) > NarratorMemory::kReconfigurations)
        row.quiet.insert(id);
}

void Teller::on(const pb::BucketOverflowed& e)
{
    const std::uint32_t bucket = event.place().number();
    // The split caused by this overflow may have been told before.
    if (m.uncaused && run.runNs <= m.uncaused->atNs) {
        m.uncaused->order.hasCause = true;
        m.uncaused->order.full = bucket;
        m.uncaused->order.isStillFull = false;
        tell(words::splitOrdered(m.uncaused->order), m.uncaused->told);
        m.uncaused.reset();
        return;
    }
    for (const NarratorMemory::Overflow& known : m.overflows)
        if (known.bucket == bucket)
            return;
    NarratorMemory::Overflow overflow { bucket, run.runNs, 0 };
    if (!m.isClose(m.splits.run, run.runNs) || m.splits.run.count < NarratorMemory::kReconfigurations)
        overflow.told = tell(words::overflow(bucket, e.count(), state.file.config.b()));
    m.overflows.push_back(overflow);
}

// Each report causes one split, in the order of the reports. With load control not every report does: the last one is
// the cause.
std::optional<NarratorMemory::Overflow> Teller::causeOfSplit()
{
    const bool isLast = state.file.config.load_control() > 0;
    auto cause = m.overflows.end();
    for (auto at = m.overflows.begin(); at != m.overflows.end(); ++at)
        if (at->atNs <= run.runNs
            && (cause == m.overflows.end() || (isLast ? at->atNs >= cause->atNs : at->atNs < cause->atNs)))
            cause = at;
    if (cause == m.overflows.end())
        return std::nullopt;
    const NarratorMemory::Overflow taken = *cause;
    m.overflows.erase(cause);
    if (isLast)
        std::erase_if(
            m.overflows, [&taken](const NarratorMemory::Overflow& overflow) { return overflow.atNs <= taken.atNs; });
    return taken;
}

void Teller::on(const pb::SplitOrdered& e)
{
    begin(m.splits, e.split());
    words::SplitOrder order { .bucket = e.bucket(), .newBucket = e.new_bucket() };
    const bool isAhead = state.file.config.parallel_splits() && e.bucket() != state.file.n;
    order.isBeside = isAhead && std::any_of(state.splits.begin(), state.splits.end(), [&e](const auto& item) {
        return item.first != e.split() && item.second.isOrdered && !item.second.isMerge && item.second.isUnderWay();
    });
    order.isRetry = m.undone.erase(e.bucket()) > 0;
    const auto cause = order.isRetry ? std::nullopt : causeOfSplit();
    if (cause) {
        const auto full = state.data.find(cause->bucket);
        order.hasCause = true;
        order.full = cause->bucket;
        order.isStillFull = full != state.data.end() && full->second.isOverflowed;
    }
    m.uncaused.reset();
    if (m.splits.quiet.contains(e.split()))
        return;
    const std::uint64_t told = tell(words::splitOrdered(order), cause ? cause->told : 0);
    if (!cause && !order.isRetry)
        m.uncaused = { told, run.runNs, order };
}

void Teller::noteFile(std::uint32_t buckets)
{
    if (buckets == 0 || (!m.fileStates.empty() && m.fileStates.back().second == buckets))
        return;
    m.fileStates.emplace_back(run.runNs, buckets);
    if (m.fileStates.size() > NarratorMemory::kFileStates)
        m.fileStates.pop_front();
}

void Teller::on(const pb::FileStateChanged& e) { noteFile(e.buckets()); }

void Teller::on(const pb::SplitCommitted& e)
{
    noteFile(bucketsOf(e.file()));
    m.uncaused.reset(); // the story has continued
    if (!m.splits.quiet.contains(e.split()))
        tell(words::splitDecided(e.bucket(), e.file().i(), e.file().n()));
}

void Teller::on(const pb::SplitFinished& e)
{
    m.splits.run.lastNs = std::max(m.splits.run.lastNs, run.runNs);
    if (m.splits.quiet.erase(e.split()) == 0) {
        const auto made = state.data.find(e.new_bucket());
        if (e.moved() == 0 && made != state.data.end() && made->second.count > 0) // another coordinator completed it
            tell(words::splitSettled(e.bucket(), e.new_bucket(), made->second.count));
        else
            tell(words::splitFinished(e.bucket(), e.new_bucket(), e.moved(), e.total_ns()));
        return;
    }
    m.splits.run.lastFrame = m.frames;
    m.splits.told = tell(words::furtherSplits(++m.splits.counted, state.file.buckets, state.file.n), m.splits.told);
}

void Teller::on(const pb::SplitUndone& e)
{
    m.splits.quiet.erase(e.split());
    m.uncaused.reset();
    m.undone.insert(e.bucket());
    tell(words::splitUndone(e.bucket(), e.new_bucket(), e.reason()));
}

// ---- merges

void Teller::on(const pb::MergeOrdered& e)
{
    begin(m.merges, e.split());
    const words::Numbers underfull(m.underfull.begin(), m.underfull.end());
    m.underfull.clear();
    if (!m.merges.quiet.contains(e.split()))
        tell(words::mergeOrdered(e.bucket(), e.into(), underfull));
}

void Teller::on(const pb::MergeCommitted& e)
{
    noteFile(bucketsOf(e.file()));
    if (!m.merges.quiet.contains(e.split()))
        tell(words::mergeDecided(e.bucket(), e.into(), e.file().i(), e.file().n()));
}

void Teller::on(const pb::MergeFinished& e)
{
    m.merges.run.lastNs = std::max(m.merges.run.lastNs, run.runNs);
    if (m.merges.quiet.erase(e.split()) == 0) {
        tell(words::mergeFinished(e.bucket(), e.into(), e.moved(), e.total_ns()));
        return;
    }
    m.merges.run.lastFrame = m.frames;
    m.merges.told = tell(words::furtherMerges(++m.merges.counted, state.file.buckets), m.merges.told);
}

void Teller::on(const pb::MergeUndone& e)
{
    m.merges.quiet.erase(e.split());
    tell(words::mergeUndone(e.bucket(), e.into(), e.reason()));
}

// ---- availability

void Teller::on(const pb::GroupCreated& e)
{
    if (e.group() > 0) // the first group begins with the file
        tell(words::groupBegins(e.group(), state.file.config.m(), e.k()));
}

void Teller::on(const pb::ParityCreationOrdered& e)
{
    const auto group = state.groups.find(e.group());
    const std::uint32_t k = group == state.groups.end() ? 0 : group->second.k;
    if (e.column() < k)
        m.failedParity.insert({ e.group(), e.column() });
    if (m.failedParity.contains({ e.group(), e.column() }))
        tell(words::parityReplaced(e.group(), e.column()));
    else
        tell(words::parityOrdered(e.group(), e.column(), k, state.file.availability));
}

void Teller::on(const pb::ParityAdded& e)
{
    if (m.failedParity.erase({ e.group(), e.column() }) > 0)
        tell(words::parityIsBack(e.group(), e.column(), e.records(), e.total_ns()));
    else
        tell(words::parityAdded(e.group(), e.column(), e.k()));
}

void Teller::on(const pb::ParityCreationUndone& e) { tell(words::parityUndone(e.group(), e.column(), e.reason())); }

// ---- clients

// Sets how many splits the image had missed. The coordinator's decisions may arrive later than their effects: the
// number is then a lower bound.
void Teller::setAge(words::Way& way, const pb::FileState& image) const
{
    std::uint32_t buckets = m.fileStates.empty() ? state.file.buckets : 0;
    std::int64_t sinceNs = std::numeric_limits<std::int64_t>::min() / 2;
    for (const auto& [atNs, then] : m.fileStates)
        if (atNs <= run.runNs) {
            buckets = then;
            sinceNs = atNs;
        }
    const std::uint32_t believed = bucketsOf(image);
    const bool isMerging = std::any_of(state.splits.begin(), state.splits.end(),
        [](const auto& item) { return item.second.isMerge && item.second.isUnderWay(); });
    if (believed == 0 || buckets <= believed || state.file.hasShrunk || isMerging)
        return;
    way.splitsBehind = buckets - believed;
    // The processes of a simulated cluster are heard in the order of virtual time.
    const bool isHeard = state.isSimulated
        || std::any_of(state.processes.begin(), state.processes.end(), [this](const auto& item) {
               return item.second.kind == pb::COORDINATOR && item.second.lastEventNs >= run.runNs;
           });
    const bool isGrowing = std::any_of(state.splits.begin(), state.splits.end(),
                               [](const auto& item) { return item.second.isUnderWay(); })
        || (!state.data.empty() && state.data.rbegin()->first >= buckets)
        || run.runNs - sinceNs < NarratorMemory::kCloselyNs;
    way.isAtLeast = !isHeard && isGrowing;
}

void Teller::on(const pb::OperationDone& e)
{
    const auto client = state.clients.find(run.process);
    if (client == state.clients.end())
        return;
    if (e.result() == pb::LOST) {
        Run& lost = m.lostKeys[run.process];
        const std::uint32_t count = m.goOn(lost, run.runNs);
        tell(words::keysLost(name(run.process), count, e.key(), e.bucket()), lost);
        return;
    }
    Run& forwards = m.forwards[run.process];
    const std::uint32_t count = m.goOn(forwards, run.runNs);
    const auto& last = client->second.last;
    const std::uint64_t number = event.operation().number();
    const auto operation = std::find_if(
        last.rbegin(), last.rend(), [number](const OperationState& o) { return o.number == number; });
    // A client may count image adjustments without applying them.
    const bool isCorrected = operation != last.rend() && e.image_adjusted()
        && bucketsOf(operation->imageBefore) != bucketsOf(operation->imageAfter);
    const std::uint32_t bucketsNow = isCorrected ? bucketsOf(operation->imageAfter) : 0;
    if (count > 1) {
        tell(words::manyForwarded(name(run.process), count, bucketsNow), forwards);
        return;
    }
    if (operation == last.rend() || operation->startedNs == 0)
        return; // its start was not observed
    words::Way way {
        .key = e.key(), .client = name(run.process), .believed = operation->computedBucket, .answered = e.bucket()
    };
    way.bucketsNow = bucketsNow;
    const std::vector<std::uint32_t>& path = operation->path;
    if (path.size() == e.forwards() + 1 && path.front() == way.believed && path.back() == way.answered)
        way.path = path;
    // The image at the start of the operation, unless a reply to another operation has adjusted it since.
    if (!e.image_adjusted() || client->second.operations == client->second.done)
        setAge(way, operation->imageBefore);
    tell(words::forwarded(way), forwards);
}

// If operations are reported, the sentence about the forward tells it.
void Teller::on(const pb::ImageAdjusted& e)
{
    const std::uint32_t before = bucketsOf(e.before()), after = bucketsOf(e.after());
    const auto client = state.clients.find(run.process);
    if (before == 0 || after == 0 || before == after || client == state.clients.end())
        return;
    const auto& last = client->second.last;
    if (std::any_of(last.begin(), last.end(),
            [](const OperationState& operation) { return operation.kind != pb::OPERATION_UNKNOWN; }))
        return;
    Run& adjusted = m.adjusted[run.process];
    const std::uint32_t count = m.goOn(adjusted, run.runNs);
    tell(words::imageAdjusted(name(run.process), count, before, after), adjusted);
}

// ---- the narrator

Narrator::Narrator() : m_memory(std::make_unique<NarratorMemory>()) { }

Narrator::~Narrator() = default;

void Narrator::reset() { m_memory = std::make_unique<NarratorMemory>(); }

std::vector<Telling> Narrator::takeTellings() { return std::exchange(m_memory->tellings, {}); }

void Narrator::take(const RunEvent& run, const ClusterState& state)
{
    if (run.isGap())
        return;
    const pb::Event& event = *run.event;
    NarratorMemory& m = *m_memory;
    if (!state.isOfLhrs()) {
        if (const std::string text = ringTelling(event, state); !text.empty())
            m.tellings.push_back({ run.index, run.runNs, QString::fromStdString(text), 0 });
        return;
    }
    Teller teller { m, run, state };
    using B = pb::Event;
    switch (event.body_case()) {
    // Routine events.
    case B::kMessageSent:
    case B::kMessageReceived:
    case B::kMessageDropped:
    case B::kMessageGivenUp:
    case B::kOperationStarted:
    case B::kOperationForwarded: // told when it is done and its path is known
    case B::kRecordUpdated:
    case B::kRecordDeleted:
    case B::kRecordRead:
    case B::kRecordsChanged:
    case B::kChangeAcknowledged:
    case B::kDeltaApplied:
    case B::kDeltasApplied:
    case B::kDeltaHeld:
    case B::kResultKept:
    case B::kGauges:
    case B::BODY_NOT_SET: return;
    case B::kRecordInserted:
        if (!m.isFirstRecordTold)
            teller.on(event.record_inserted());
        return;
    case B::kOperationDone:
        if (event.operation_done().forwards() > 0 || event.operation_done().result() == pb::LOST)
            teller.on(event.operation_done());
        return;
    // Parts of what another event reports.
    case B::kInvitationSent:
    case B::kNodeInvited:
    case B::kNodeOffered:
    case B::kOfferCancelled:
    case B::kStateChanged:
    case B::kRecordsMoved:
    case B::kSplitPrepared:
    case B::kSplitApplied:
    case B::kBatchApplied:
    case B::kContentsArrived:
    case B::kParityBucketFilled:
    case B::kSliceStored:
    case B::kScanStarted:
    case B::kScanForwarded:
    case B::kScanAnswered:
    case B::kScanPartMissing: return;
    case B::kProcessStarted: teller.on(event.process_started()); return;
    case B::kProcessEnded: teller.on(event.process_ended()); return;
    case B::kFileCreated: teller.on(event.file_created()); return;
    case B::kNodeRecruited: teller.on(event.node_recruited()); return;
    case B::kNodeReleased: teller.on(event.node_released()); return;
    case B::kRecruitingChanged: teller.tell(words::recruitedBy(event.recruiting_changed().transport())); return;
    case B::kSpareMissing: teller.on(event.spare_missing()); return;
    case B::kMemoryFull: teller.tell(words::memoryFull(teller.self(), event.memory_full().is_full())); return;
    case B::kWorkloadHeld: teller.crowd(event.workload_held().is_held(), words::held); return;
    case B::kGateClosed: teller.crowd(true, words::gated); return;
    case B::kGateOpened: teller.crowd(false, words::gated); return;
    case B::kImageAdjusted: teller.on(event.image_adjusted()); return;
    case B::kScanDone: teller.tell(words::scanDone(teller.name(run.process), event.scan_done())); return;
    case B::kBucketOverflowed: teller.on(event.bucket_overflowed()); return;
    case B::kSplitOrdered: teller.on(event.split_ordered()); return;
    case B::kSplitCommitted: teller.on(event.split_committed()); return;
    case B::kSplitFinished: teller.on(event.split_finished()); return;
    case B::kSplitUndone: teller.on(event.split_undone()); return;
    case B::kFileStateChanged: teller.on(event.file_state_changed()); return;
    case B::kBucketUnderflowed: m.underfull.insert(event.place().number()); return;
    case B::kMergeOrdered: teller.on(event.merge_ordered()); return;
    case B::kMergeCommitted: teller.on(event.merge_committed()); return;
    case B::kMergeFinished: teller.on(event.merge_finished()); return;
    case B::kMergeUndone: teller.on(event.merge_undone()); return;
    case B::kGroupCreated: teller.on(event.group_created()); return;
    case B::kParityCreationOrdered: teller.on(event.parity_creation_ordered()); return;
    case B::kParityAdded: teller.on(event.parity_added()); return;
    case B::kParityCreationUndone: teller.on(event.parity_creation_undone()); return;
    case B::kAvailabilityRaised:
        teller.tell(
            words::availabilityRises(event.availability_raised().availability(), event.availability_raised().reason()));
        return;
    case B::kEpochChanged: teller.on(event.epoch_changed()); return;
    case B::kMemberSuspected: teller.on(event.member_suspected()); return;
    case B::kMembersAnswered: teller.on(event.members_answered()); return;
    case B::kBucketFailed: teller.on(event.bucket_failed()); return;
    case B::kCutAgreed: teller.on(event.cut_agreed()); return;
    case B::kRecoveryStarted: teller.on(event.recovery_started()); return;
    case B::kDecoderChosen: teller.on(event.decoder_chosen()); return;
    case B::kSliceRecovered: teller.on(event.slice_recovered()); return;
    case B::kRecoveryFinished: teller.on(event.recovery_finished()); return;
    case B::kRecordRecovered: teller.on(event.record_recovered()); return;
    case B::kGroupLost: teller.on(event.group_lost()); return;
    case B::kLossAcknowledged: teller.on(event.loss_acknowledged()); return;
    case B::kCoordinatorListening: teller.on(event.coordinator_listening()); return;
    case B::kCoordinatorRebuilt: teller.on(event.coordinator_rebuilt()); return;
    case B::kCoordinatorSuperseded: teller.tell(words::superseded()); return;
    case B::kForeignBucket: teller.on(event.foreign_bucket()); return;
    case B::kRecoveryWayChanged: {
        const pb::RecoveryWayChanged& e = event.recovery_way_changed();
        teller.tell(words::recoveryWay(recoveryWord(e.recovery()), recoveryWord(e.former()), e.reason()));
        return;
    }
    case B::kFaultBegun: teller.on(event.fault_begun()); return;
    case B::kFaultEnded: teller.on(event.fault_ended()); return;
    }
}

void Narrator::look(const ClusterState& state, std::int64_t runNs)
{
    NarratorMemory& m = *m_memory;
    ++m.frames;
    std::vector<const ProcessState*> ended;
    const auto tell = [&](QString text) { m.tellings.push_back({ 0, runNs, std::move(text), 0 }); };
    std::size_t at = 0;
    for (const auto& [id, process] : state.processes) {
        while (at < m.seen.size() && m.seen[at].id < id)
            ++at;
        if (at == m.seen.size() || m.seen[at].id != id) { // its state before it was first seen is not news
            m.seen.insert(m.seen.begin() + std::ptrdiff_t(at), { id, process.hasEnded, process.isPaused });
            ++at;
            continue;
        }
        NarratorMemory::Seen& seen = m.seen[at++];
        if (process.hasEnded && !seen.hasEnded && !seen.isEndTold)
            ended.push_back(&process);
        if (process.isPaused != seen.isPaused && !process.hasEnded) {
            const std::string place = placeHeld(process, state);
            const std::string name = place.empty() ? processShown(id, state) : place;
            tell(process.isPaused ? words::paused(name) : words::goesOn(name));
        }
        seen.hasEnded = process.hasEnded;
        seen.isPaused = process.isPaused;
    }
    words::Names killed; // buckets whose process a person or a script ended
    std::vector<const ProcessState*> others;
    for (const ProcessState* process : ended) {
        const std::string place = placeHeld(*process, state);
        if (process->kind == pb::COORDINATOR && !isAnotherCoordinatorThere(state, process->id))
            tell(state.isOfLhrs() ? words::coordinatorEnded(false) : QString(kRingMasterEnded));
        else if (!place.empty() && process->endReason == kKilledOnRequest)
            killed.push_back(place);
        else if (process->kind != pb::COORDINATOR)
            others.push_back(process);
    }
    if (!killed.empty())
        tell(words::killed(killed));
    if (others.size() > 3)
        tell(words::manyEnded(std::uint32_t(others.size())));
    else
        for (const ProcessState* process : others)
            tell(words::ended(placeHeld(*process, state), processShown(process->id, state), process->endReason));
}

} // namespace lhrs::gui
