// SPDX-License-Identifier: GPL-3.0-or-later
// Which events of a file are told, and the sentences about the file, splits, parity and clients.
#include "gui/lab/words/lhrs/file_teller.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/lhrs/place_words.h"

#include <algorithm>
#include <limits>

namespace lhrs::gui {

namespace {

std::uint32_t bucketsOf(const pb::FileState& image)
{
    const FileImage at { image.i(), image.n() };
    return isValid(at) ? bucketCount(at) : 0;
}

} // namespace

// ---- names

std::string FileNames::placeOf(const pb::Event& event) const
{
    const pb::Place& place = event.place();
    return place.role() == pb::DATA  ? words::bucket(place.number())
        : place.role() == pb::PARITY ? words::parityBucket(place.number(), place.column())
                                     : std::string();
}

std::string FileNames::placeOf(const ProcessState& process) const
{
    const pb::Place& place = process.place;
    const auto data = m_file.data.find(place.number());
    if (place.role() == pb::DATA && data != m_file.data.end() && data->second.process == process.id)
        return words::bucket(place.number());
    const auto parity = m_file.parity.find({ place.number(), place.column() });
    if (place.role() == pb::PARITY && parity != m_file.parity.end() && parity->second.process == process.id)
        return words::parityBucket(place.number(), place.column());
    return {};
}

std::string FileTeller::client(const pb::RequestId& operation) const
{
    return state.clients.contains(operation.client()) ? name(operation.client()) : "";
}

// ---- file and spares

void FileTeller::on(const pb::ProcessStarted& e)
{
    // Processes started together with the file are not news.
    if (!f.fileSinceNs || run.runNs <= *f.fileSinceNs)
        return;
    const pb::ProcessInfo& info = e.process();
    if (info.kind() == pb::CLIENT && state.file.buckets > 1) {
        const std::uint32_t count = m.goOn(f.clients, run.runNs);
        tell(words::clientsJoin(info.name(), count), f.clients);
    } else if (info.kind() == pb::NODE && info.pool() != pb::NO_ROLE) {
        Run& spares = f.spares[info.pool()];
        const std::uint32_t count = m.goOn(spares, run.runNs);
        tell(words::sparesCome(info.pool(), count), spares);
        f.takenPools.erase(info.pool());
    }
}

void FileTeller::on(const pb::FileCreated& e)
{
    f.fileSinceNs = run.runNs;
    tell(words::fileBegins(e.config().availability(), e.config().b()));
}

void FileTeller::on(const pb::NodeRecruited& /*e*/)
{
    if (const auto fenced = f.fencedPlace.find(run.process);
        fenced != f.fencedPlace.end() && fenced->second.second < run.runNs)
        f.fencedPlace.erase(fenced); // it has a place again
    const pb::Role pool = event.place().role();
    if (const auto missing = f.missing.find(pool); missing != f.missing.end() && missing->second.second <= run.runNs) {
        f.missing.erase(missing);
        tell(words::spareFound(name(run.process), self()));
        return;
    }
    const bool isOneLeft = std::any_of(state.processes.begin(), state.processes.end(), [pool](const auto& item) {
        return item.second.kind == pb::NODE && item.second.pool == pool && !item.second.hasEnded;
    });
    if (isOneLeft)
        f.takenPools.erase(pool);
    else if (state.file.exists && pool != pb::NO_ROLE && f.takenPools.insert(pool).second)
        tell(words::sparesAreTaken(pool));
}

void FileTeller::on(const pb::SpareMissing& e)
{
    const auto missing = f.missing.find(e.role());
    if (missing != f.missing.end() && missing->second.first == e.purpose())
        return; // reported repeatedly while it waits
    f.missing[e.role()] = { e.purpose(), run.runNs };
    tell(words::spareMissing(e.role(), e.purpose()));
}

void FileTeller::on(const pb::RecordInserted& e)
{
    f.isFirstRecordTold = true;
    if (f.fileSinceNs && e.sequence() == 1 && e.count() == 1 && event.place().number() == 0 && state.file.buckets <= 1)
        tell(words::firstRecord(e.key()));
}

// ---- splits

void FileTeller::begin(FileMemory::Row& row, std::uint64_t id)
{
    if (!m.isClose(row.run, run.runNs)) {
        row.counted = 0;
        row.told = 0;
    }
    if (m.goOn(row.run, run.runNs) > FileMemory::kReconfigurations)
        row.quiet.insert(id);
}

void FileTeller::on(const pb::BucketOverflowed& e)
{
    const std::uint32_t bucket = event.place().number();
    // The split caused by this overflow may have been told before.
    if (f.uncaused && run.runNs <= f.uncaused->atNs) {
        f.uncaused->order.hasCause = true;
        f.uncaused->order.full = bucket;
        f.uncaused->order.isStillFull = false;
        tell(words::splitOrdered(f.uncaused->order), f.uncaused->told);
        f.uncaused.reset();
        return;
    }
    for (const FileMemory::Overflow& known : f.overflows)
        if (known.bucket == bucket)
            return;
    FileMemory::Overflow overflow { bucket, run.runNs, 0 };
    if (!m.isClose(f.splits.run, run.runNs) || f.splits.run.count < FileMemory::kReconfigurations)
        overflow.told = tell(words::overflow(bucket, e.count(), state.file.config.b()));
    f.overflows.push_back(overflow);
}

// Each report causes one split, in the order of the reports. With load control not every report does: the last one is
// the cause.
std::optional<FileMemory::Overflow> FileTeller::causeOfSplit()
{
    const bool isLast = state.file.config.load_control() > 0;
    auto cause = f.overflows.end();
    for (auto at = f.overflows.begin(); at != f.overflows.end(); ++at)
        if (at->atNs <= run.runNs
            && (cause == f.overflows.end() || (isLast ? at->atNs >= cause->atNs : at->atNs < cause->atNs)))
            cause = at;
    if (cause == f.overflows.end())
        return std::nullopt;
    const FileMemory::Overflow taken = *cause;
    f.overflows.erase(cause);
    if (isLast)
        std::erase_if(
            f.overflows, [&taken](const FileMemory::Overflow& overflow) { return overflow.atNs <= taken.atNs; });
    return taken;
}

void FileTeller::on(const pb::SplitOrdered& e)
{
    begin(f.splits, e.split());
    words::SplitOrder order { .bucket = e.bucket(), .newBucket = e.new_bucket() };
    const bool isAhead = state.file.config.parallel_splits() && e.bucket() != state.file.n;
    order.isBeside = isAhead && std::any_of(state.splits.begin(), state.splits.end(), [&e](const auto& item) {
        return item.first != e.split() && item.second.isOrdered && !item.second.isMerge && item.second.isUnderWay();
    });
    order.isRetry = f.undone.erase(e.bucket()) > 0;
    const auto cause = order.isRetry ? std::nullopt : causeOfSplit();
    if (cause) {
        const auto full = state.data.find(cause->bucket);
        order.hasCause = true;
        order.full = cause->bucket;
        order.isStillFull = full != state.data.end() && full->second.isOverflowed;
    }
    f.uncaused.reset();
    if (f.splits.quiet.contains(e.split()))
        return;
    const std::uint64_t told = tell(words::splitOrdered(order), cause ? cause->told : 0);
    if (!cause && !order.isRetry)
        f.uncaused = { told, run.runNs, order };
}

void FileTeller::noteFile(std::uint32_t buckets)
{
    if (buckets == 0 || (!f.fileStates.empty() && f.fileStates.back().second == buckets))
        return;
    f.fileStates.emplace_back(run.runNs, buckets);
    if (f.fileStates.size() > FileMemory::kFileStates)
        f.fileStates.pop_front();
}

void FileTeller::on(const pb::FileStateChanged& e) { noteFile(e.buckets()); }

void FileTeller::on(const pb::SplitCommitted& e)
{
    noteFile(bucketsOf(e.file()));
    f.uncaused.reset(); // the story has continued
    if (!f.splits.quiet.contains(e.split()))
        tell(words::splitDecided(e.bucket(), e.file().i(), e.file().n()));
}

void FileTeller::on(const pb::SplitFinished& e)
{
    f.splits.run.lastNs = std::max(f.splits.run.lastNs, run.runNs);
    if (f.splits.quiet.erase(e.split()) == 0) {
        const auto made = state.data.find(e.new_bucket());
        if (e.moved() == 0 && made != state.data.end() && made->second.count > 0) // another coordinator completed it
            tell(words::splitSettled(e.bucket(), e.new_bucket(), made->second.count));
        else
            tell(words::splitFinished(e.bucket(), e.new_bucket(), e.moved(), e.total_ns()));
        return;
    }
    f.splits.run.lastFrame = m.frames;
    f.splits.told = tell(words::furtherSplits(++f.splits.counted, state.file.buckets, state.file.n), f.splits.told);
}

void FileTeller::on(const pb::SplitUndone& e)
{
    f.splits.quiet.erase(e.split());
    f.uncaused.reset();
    f.undone.insert(e.bucket());
    tell(words::splitUndone(e.bucket(), e.new_bucket(), e.reason()));
}

// ---- merges

void FileTeller::on(const pb::MergeOrdered& e)
{
    begin(f.merges, e.split());
    const words::Numbers underfull(f.underfull.begin(), f.underfull.end());
    f.underfull.clear();
    if (!f.merges.quiet.contains(e.split()))
        tell(words::mergeOrdered(e.bucket(), e.into(), underfull));
}

void FileTeller::on(const pb::MergeCommitted& e)
{
    noteFile(bucketsOf(e.file()));
    if (!f.merges.quiet.contains(e.split()))
        tell(words::mergeDecided(e.bucket(), e.into(), e.file().i(), e.file().n()));
}

void FileTeller::on(const pb::MergeFinished& e)
{
    f.merges.run.lastNs = std::max(f.merges.run.lastNs, run.runNs);
    if (f.merges.quiet.erase(e.split()) == 0) {
        tell(words::mergeFinished(e.bucket(), e.into(), e.moved(), e.total_ns()));
        return;
    }
    f.merges.run.lastFrame = m.frames;
    f.merges.told = tell(words::furtherMerges(++f.merges.counted, state.file.buckets), f.merges.told);
}

void FileTeller::on(const pb::MergeUndone& e)
{
    f.merges.quiet.erase(e.split());
    tell(words::mergeUndone(e.bucket(), e.into(), e.reason()));
}

// ---- availability

void FileTeller::on(const pb::GroupCreated& e)
{
    if (e.group() > 0) // the first group begins with the file
        tell(words::groupBegins(e.group(), state.file.config.m(), e.k()));
}

void FileTeller::on(const pb::ParityCreationOrdered& e)
{
    const auto group = state.groups.find(e.group());
    const std::uint32_t k = group == state.groups.end() ? 0 : group->second.k;
    if (e.column() < k)
        f.failedParity.insert({ e.group(), e.column() });
    if (f.failedParity.contains({ e.group(), e.column() }))
        tell(words::parityReplaced(e.group(), e.column()));
    else
        tell(words::parityOrdered(e.group(), e.column(), k, state.file.availability));
}

void FileTeller::on(const pb::ParityAdded& e)
{
    if (f.failedParity.erase({ e.group(), e.column() }) > 0)
        tell(words::parityIsBack(e.group(), e.column(), e.records(), e.total_ns()));
    else
        tell(words::parityAdded(e.group(), e.column(), e.k()));
}

void FileTeller::on(const pb::ParityCreationUndone& e) { tell(words::parityUndone(e.group(), e.column(), e.reason())); }

// ---- clients

// Sets how many splits the image had missed. The coordinator's decisions may arrive later than their effects: the
// number is then a lower bound.
void FileTeller::setAge(words::Way& way, const pb::FileState& image) const
{
    std::uint32_t buckets = f.fileStates.empty() ? state.file.buckets : 0;
    std::int64_t sinceNs = std::numeric_limits<std::int64_t>::min() / 2;
    for (const auto& [atNs, then] : f.fileStates)
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
        || run.runNs - sinceNs < StoryMemory::kCloselyNs;
    way.isAtLeast = !isHeard && isGrowing;
}

void FileTeller::on(const pb::OperationDone& e)
{
    const auto client = state.clients.find(run.process);
    if (client == state.clients.end())
        return;
    if (e.result() == pb::LOST) {
        Run& lost = f.lostKeys[run.process];
        const std::uint32_t count = m.goOn(lost, run.runNs);
        tell(words::keysLost(name(run.process), count, e.key(), e.bucket()), lost);
        return;
    }
    Run& forwards = f.forwards[run.process];
    const std::uint32_t count = m.goOn(forwards, run.runNs);
    const OperationState* operation = state.fileClient(run.process).operation(event.operation().number());
    // A client may count image adjustments without applying them.
    const bool isCorrected = operation != nullptr && e.image_adjusted()
        && bucketsOf(operation->imageBefore) != bucketsOf(operation->imageAfter);
    const std::uint32_t bucketsNow = isCorrected ? bucketsOf(operation->imageAfter) : 0;
    if (count > 1) {
        tell(words::manyForwarded(name(run.process), count, bucketsNow), forwards);
        return;
    }
    if (operation == nullptr || operation->startedNs == 0)
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
void FileTeller::on(const pb::ImageAdjusted& e)
{
    const std::uint32_t before = bucketsOf(e.before()), after = bucketsOf(e.after());
    if (before == 0 || after == 0 || before == after || !state.clients.contains(run.process))
        return;
    const auto& last = state.fileClient(run.process).last;
    if (std::any_of(last.begin(), last.end(),
            [](const OperationState& operation) { return operation.kind != pb::OPERATION_UNKNOWN; }))
        return;
    Run& adjusted = f.adjusted[run.process];
    const std::uint32_t count = m.goOn(adjusted, run.runNs);
    tell(words::imageAdjusted(name(run.process), count, before, after), adjusted);
}

// ---- the choice of what is told

bool FileTeller::take()
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    // Routine events.
    case B::kOperationForwarded: // told when it is done and its path is known
    case B::kRecordUpdated:
    case B::kRecordDeleted:
    case B::kRecordRead:
    case B::kRecordsChanged:
    case B::kChangeAcknowledged:
    case B::kDeltaApplied:
    case B::kDeltasApplied:
    case B::kDeltaHeld:
    case B::kResultKept: break;
    case B::kRecordInserted:
        if (!f.isFirstRecordTold)
            on(event.record_inserted());
        break;
    case B::kOperationDone:
        if (event.operation_done().forwards() > 0 || event.operation_done().result() == pb::LOST)
            on(event.operation_done());
        break;
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
    case B::kScanPartMissing: break;
    case B::kProcessStarted: on(event.process_started()); break;
    case B::kFileCreated: on(event.file_created()); break;
    case B::kNodeRecruited: on(event.node_recruited()); break;
    case B::kNodeReleased: on(event.node_released()); break;
    case B::kRecruitingChanged: tell(words::recruitedBy(event.recruiting_changed().transport())); break;
    case B::kSpareMissing: on(event.spare_missing()); break;
    case B::kImageAdjusted: on(event.image_adjusted()); break;
    case B::kScanDone: tell(words::scanDone(name(run.process), event.scan_done())); break;
    case B::kBucketOverflowed: on(event.bucket_overflowed()); break;
    case B::kSplitOrdered: on(event.split_ordered()); break;
    case B::kSplitCommitted: on(event.split_committed()); break;
    case B::kSplitFinished: on(event.split_finished()); break;
    case B::kSplitUndone: on(event.split_undone()); break;
    case B::kFileStateChanged: on(event.file_state_changed()); break;
    case B::kBucketUnderflowed: f.underfull.insert(event.place().number()); break;
    case B::kMergeOrdered: on(event.merge_ordered()); break;
    case B::kMergeCommitted: on(event.merge_committed()); break;
    case B::kMergeFinished: on(event.merge_finished()); break;
    case B::kMergeUndone: on(event.merge_undone()); break;
    case B::kGroupCreated: on(event.group_created()); break;
    case B::kParityCreationOrdered: on(event.parity_creation_ordered()); break;
    case B::kParityAdded: on(event.parity_added()); break;
    case B::kParityCreationUndone: on(event.parity_creation_undone()); break;
    case B::kAvailabilityRaised:
        tell(
            words::availabilityRises(event.availability_raised().availability(), event.availability_raised().reason()));
        break;
    case B::kEpochChanged: on(event.epoch_changed()); break;
    case B::kMemberSuspected: on(event.member_suspected()); break;
    case B::kMembersAnswered: on(event.members_answered()); break;
    case B::kBucketFailed: on(event.bucket_failed()); break;
    case B::kCutAgreed: on(event.cut_agreed()); break;
    case B::kRecoveryStarted: on(event.recovery_started()); break;
    case B::kDecoderChosen: on(event.decoder_chosen()); break;
    case B::kSliceRecovered: on(event.slice_recovered()); break;
    case B::kRecoveryFinished: on(event.recovery_finished()); break;
    case B::kRecordRecovered: on(event.record_recovered()); break;
    case B::kGroupLost: on(event.group_lost()); break;
    case B::kLossAcknowledged: on(event.loss_acknowledged()); break;
    case B::kCoordinatorListening: on(event.coordinator_listening()); break;
    case B::kCoordinatorRebuilt: on(event.coordinator_rebuilt()); break;
    case B::kCoordinatorSuperseded: tell(words::superseded()); break;
    case B::kForeignBucket: on(event.foreign_bucket()); break;
    case B::kRecoveryWayChanged: {
        const pb::RecoveryWayChanged& e = event.recovery_way_changed();
        tell(words::recoveryWay(recoveryWord(e.recovery()), recoveryWord(e.former()), e.reason()));
        break;
    }
    default: return Teller::take();
    }
    return true;
}

} // namespace lhrs::gui
