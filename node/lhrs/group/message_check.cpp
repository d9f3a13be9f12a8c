// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/group/message_check.h"

#include "common/lhrs/linear_hash.h"
#include "node/machine/requests/ledger.h"

#include <algorithm>

namespace lhrs {

namespace {

bool isSane(const pb::FileConfig& config)
{
    return config.m() >= 1 && config.m() <= kGroupSizeMax && config.b() >= 1 && config.b() <= (1u << 28);
}

bool isSane(const pb::View& view)
{
    return std::all_of(view.members().begin(), view.members().end(), [](const pb::Member& member) {
        return member.index() <= (member.role() == pb::DATA ? kGroupSizeMax - 1 : kParityColumnsMax)
            && member.level() <= kLevelMax;
    });
}

// (a, j): a bucket of level j has a number less than 2^j.
bool isBucketOfLevel(std::uint32_t bucket, std::uint32_t level)
{
    return level <= kLevelMax && bucket < (std::uint64_t(1) << level);
}

// The report becomes the state of the file, so every number in it must be within bounds.
bool isSane(const pb::StateReport& report)
{
    if (report.recovery_stamp() != 0
        && (!pb::RecoveryWay_IsValid(report.recovery()) || report.recovery() == pb::RECOVERY_OFF))
        return false;
    if (report.role() == pb::NO_ROLE)
        return isSane(report.view());
    const bool isPlace = report.role() == pb::DATA ? isBucketOfLevel(report.number(), report.level())
                                                   : report.column() <= kParityColumnsMax;
    const auto isSplit = [](const pb::OpenSplit& split) {
        return split.level() >= 1 && isBucketOfLevel(split.target(), split.level())
            && split.target() == split.source() + (std::uint64_t(1) << (split.level() - 1))
            && (split.bucket() == split.source() || split.bucket() == split.target());
    };
    return isPlace && isSane(report.config()) && isSane(report.view()) && report.positions_size() <= int(kGroupSizeMax)
        && std::all_of(report.positions().begin(), report.positions().end(),
            [](const pb::PositionMark& mark) { return mark.position() < kGroupSizeMax && mark.level() <= kLevelMax; })
        && std::all_of(report.splits().begin(), report.splits().end(), isSplit);
}

// (A value that is too long gets the answer INVALID.)
bool isOfSomebody(const pb::KeyRequest& request) { return isNamed(request.request()); }

} // namespace

bool isWithinLimits(const pb::Message& message)
{
    using B = pb::Message;
    switch (message.body_case()) {
    case B::kInsert: return isOfSomebody(message.insert());
    case B::kUpdate: return isOfSomebody(message.update());
    case B::kDelete: return isOfSomebody(message.delete_());
    case B::kSearch: return isOfSomebody(message.search());
    case B::kScan:
        return isNamed(message.scan().request()) && isBucketOfLevel(message.scan().target(), message.scan().level())
            && message.scan().contains().size() <= kValueBytesMax;
    case B::kScanReply: return isBucketOfLevel(message.scan_reply().bucket(), message.scan_reply().level());
    case B::kReply:
        return !message.reply().image_adjustment()
            || isBucketOfLevel(message.reply().iam_bucket(), message.reply().iam_level());
    case B::kLocation: return isValid({ message.location().file().i(), message.location().file().n() });
    case B::kEpoch: return isSane(message.epoch().view());
    case B::kDelta:
        return (message.delta().rank() >= 1 || message.delta().kind() == pb::CHANGE_NOTHING)
            && message.delta().length() <= kValueBytesMax && message.delta().delta().size() <= kValueBytesMax + 1;
    case B::kSplit:
        return message.split().level() >= 1 && isBucketOfLevel(message.split().target(), message.split().level());
    case B::kMerge:
        return isBucketOfLevel(message.merge().target(), message.merge().level()) && message.merge().level() >= 1;
    case B::kMoveRecords:
        return message.move_records().level() >= 1
            && isBucketOfLevel(message.move_records().target(), message.move_records().level());
    case B::kPrepareBatch: return message.prepare_batch().level() <= kLevelMax;
    case B::kContents: return message.contents().level() <= kLevelMax;
    case B::kConfirm:
        return isSane(message.confirm().config()) && isSane(message.confirm().view())
            && message.confirm().column() <= kParityColumnsMax
            && (message.confirm().role() != pb::DATA
                || isBucketOfLevel(message.confirm().number(), message.confirm().level()));

    case B::kRegister:
    case B::kAlive:
    case B::kOffer: return namesSoundProcess(message);
    case B::kStateReport: return namesSoundProcess(message) && isSane(message.state_report());
    case B::kPart: return isWithinLimits(message.part());

    // The other messages have no numbers with limits.
    case B::kDisplaced:
    case B::kWhereIs:
    case B::kAlarm:
    case B::kOverload:
    case B::kUnderflow:
    case B::kRegistered:
    case B::kEpochAck:
    case B::kDeltaAck:
    case B::kDeltaNak:
    case B::kPrepared:
    case B::kCommit:
    case B::kAbort:
    case B::kApplied:
    case B::kFinish:
    case B::kAddParity:
    case B::kSendContents:
    case B::kContentsDone:
    case B::kInvite:
    case B::kCancel:
    case B::kAck:
    case B::kSuspect:
    case B::kProbe:
    case B::kProbeReply:
    case B::kLeaseRequest:
    case B::kLeaseGrant:
    case B::kCutReport:
    case B::kDeltaCopy:
    case B::kCutDone:
    case B::kRecover:
    case B::kSliceRequest:
    case B::kSliceData:
    case B::kSpareSlice:
    case B::kRecoveryDone:
    case B::kRecoverRecord:
    case B::kMemberRead:
    case B::kMemberRecord:
    case B::kReportState:
    case B::kRearm:
    case B::kSuperseded:
    case B::kPartAck:
    case B::kOpenConnection:
    case B::kConnectionReady:
    case B::BODY_NOT_SET: return true;
    }
    return true;
}

bool namesSoundProcess(const pb::Message& message)
{
    if (message.has_offer())
        return isEntry(message.offer().process());
    if (message.has_state_report())
        return !message.state_report().has_process() || isEntry(message.state_report().process());
    return hasSoundEntry(message);
}

} // namespace lhrs
