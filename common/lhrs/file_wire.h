// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of LH*RS in the table of common/wire_traits.h.
#pragma once

#include "common/wire_traits.h"

namespace lhrs {

template <auto mutableBody, auto body> constexpr WireTraits keyRequestWire(bool hasValue)
{
    WireTraits row { .isListed = true };
    if (hasValue) {
        row.value = [](pb::Message& m) { return (m.*mutableBody)()->mutable_value(); };
        row.readValue = [](const pb::Message& m) -> const std::string& { return (m.*body)().value(); };
    }
    row.request = [](pb::Message& m) {
        return (m.*body)().has_request() ? (m.*mutableBody)()->mutable_request() : nullptr;
    };
    row.client = [](const pb::Message& m) { return (m.*body)().has_client() ? &(m.*body)().client() : nullptr; };
    row.setClient = [](pb::Message& m, pb::Address* client) {
        if (client != nullptr)
            (m.*mutableBody)()->unsafe_arena_set_allocated_client(client);
        else
            (m.*mutableBody)()->clear_client();
    };
    row.length = [](const pb::Message& m) { return (m.*body)().value().size(); };
    return row;
}

constexpr WireTraits replyWire()
{
    WireTraits row { .isListed = true };
    row.value = [](pb::Message& m) { return m.mutable_reply()->mutable_value(); };
    row.readValue = [](const pb::Message& m) -> const std::string& { return m.reply().value(); };
    row.request = [](pb::Message& m) {
        return m.reply().has_request() ? m.mutable_reply()->mutable_request() : nullptr;
    };
    row.length = [](const pb::Message& m) { return m.reply().value().size() + m.reply().text().size(); };
    return row;
}

constexpr WireTraits deltaWire()
{
    WireTraits row { .isListed = true };
    row.value = [](pb::Message& m) { return m.mutable_delta()->mutable_delta(); };
    row.readValue = [](const pb::Message& m) -> const std::string& { return m.delta().delta(); };
    row.request = [](pb::Message& m) {
        return m.delta().has_request() ? m.mutable_delta()->mutable_request() : nullptr;
    };
    row.length = [](const pb::Message& m) { return m.delta().delta().size(); };
    return row;
}

constexpr WireTraits blockWire(std::string* (*block)(pb::Message& message))
{
    return { .isListed = true, .block = block };
}

constexpr WireTraits fileWire(pb::Message::BodyCase body)
{
    using B = pb::Message;
    switch (body) {
    case B::kInsert: return keyRequestWire<&B::mutable_insert, &B::insert>(true);
    case B::kUpdate: return keyRequestWire<&B::mutable_update, &B::update>(true);
    case B::kDelete: return keyRequestWire<&B::mutable_delete_, &B::delete_>(false);
    case B::kSearch: return keyRequestWire<&B::mutable_search, &B::search>(false);
    case B::kReply: return replyWire();
    case B::kDelta: return deltaWire();
    case B::kDeltaAck: return { .isListed = true, .length = [](const pb::Message&) { return std::size_t(0); } };

    case B::kMoveRecords: return blockWire([](pb::Message& m) { return m.mutable_move_records()->mutable_records(); });
    case B::kPrepareBatch:
        return blockWire([](pb::Message& m) { return m.mutable_prepare_batch()->mutable_changes(); });
    case B::kContents: return blockWire([](pb::Message& m) { return m.mutable_contents()->mutable_records(); });
    case B::kSliceData: return blockWire([](pb::Message& m) { return m.mutable_slice_data()->mutable_records(); });
    case B::kSpareSlice: return blockWire([](pb::Message& m) { return m.mutable_spare_slice()->mutable_records(); });
    case B::kScanReply: return blockWire([](pb::Message& m) { return m.mutable_scan_reply()->mutable_records(); });

    // These bodies have no such fields.
    case B::kDisplaced:
    case B::kWhereIs:
    case B::kLocation:
    case B::kAlarm:
    case B::kOverload:
    case B::kRegister:
    case B::kRegistered:
    case B::kAlive:
    case B::kEpoch:
    case B::kEpochAck:
    case B::kDeltaNak:
    case B::kSplit:
    case B::kPrepared:
    case B::kCommit:
    case B::kAbort:
    case B::kApplied:
    case B::kFinish:
    case B::kAddParity:
    case B::kSendContents:
    case B::kContentsDone:
    case B::kInvite:
    case B::kOffer:
    case B::kConfirm:
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
    case B::kRecoveryDone:
    case B::kRecoverRecord:
    case B::kMemberRead:
    case B::kMemberRecord:
    case B::kReportState:
    case B::kStateReport:
    case B::kRearm:
    case B::kSuperseded:
    case B::kScan:
    case B::kUnderflow:
    case B::kMerge:
    case B::kPart:
    case B::kPartAck:
    case B::kOpenConnection:
    case B::kConnectionReady: return { .isListed = true };
    case B::BODY_NOT_SET: break;
    }
    return {};
}

// What a client of a file, or of any system, sends: see WireTraits::isOfClient.
constexpr bool isOfFileClient(pb::Message::BodyCase body)
{
    using B = pb::Message;
    return body == B::kInsert || body == B::kUpdate || body == B::kDelete || body == B::kSearch || body == B::kScan
        || body == B::kWhereIs || body == B::kAlarm || body == B::kRegister || body == B::kAlive || body == B::kAck
        || body == B::kConnectionReady;
}

} // namespace lhrs
