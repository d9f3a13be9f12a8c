// SPDX-License-Identifier: GPL-3.0-or-later
// The failpoints of LH*RS.
#pragma once

#include "common/failpoints.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace lhrs {

enum class Failpoint : std::uint8_t {
    DeltaLeftOut, // data bucket: one parity bucket gets a change only with the first resend
    ReplyLeftOut, // data bucket: the client is answered only when it resends the request
    AdjustmentLeftOut, // data bucket: the reply to a forwarded request carries no image adjustment
    OverloadLate, // data bucket: an overload is reported with a later insert
    OverloadTwice, // data bucket: an overload is reported twice
    RenewLate, // data bucket: a round of lease requests is skipped
    RetryThoughReady, // data bucket: a change that could be made is refused
    HoldQueueOfNone, // data bucket: a request that should wait is refused
    MoveOfOne, // data bucket: a block of a split has one record
    BatchOfOne, // data bucket: a block of a batch has one change
    ContentsOfOne, // data bucket: a block of contents has one record
    EpochTakenLate, // data bucket: an epoch is accepted only when it is resent
    SliceRequestUnanswered, // data or parity bucket: a slice is sent only when it is requested again
    ApplyLate, // parity bucket: a change is held although no earlier one is missing
    DeltaAckLeftOut, // parity bucket: a change is acknowledged with a later one, or when it is resent
    TrimLate, // parity bucket: nothing is trimmed from the log
    PreparedLate, // parity bucket: a block of a batch is accepted only when it is resent
    GrantRefused, // granter: a lease request is not answered
    LeaseShort, // granter: a lease has half the usual length
    ContentsLate, // parity bucket: a block of contents is accepted only when it is resent
    EpochHeardLate, // parity bucket: an epoch is accepted only when it is resent
    RecordReadBehind, // data or parity bucket: a record is sent only when it is requested again
    CutReportLate, // recovery manager: a report is accepted only when it is resent
    SliceOfOne, // recovery manager: a slice has one rank
    SliceTwice, // recovery manager: a slice is sent to a spare twice
    OtherSources, // recovery manager: decodes without parity bucket 0 where possible
    DoneLate, // recovery manager: its final message is sent only with the first resend
    InvitationIgnored, // spare: an invitation is not answered
    ConfirmedAndSilent, // spare: it made an offer, but does not answer when it is chosen
    OrderLeftOut, // coordinator: an order is sent only with its first resend
    InviteTwice, // coordinator: invites twice
    OfferExpiresEarly, // coordinator: an offer is used only for a quarter of its lifetime
    ProbeLeftOut, // coordinator: one of the servers to probe is skipped until the next round
    HintLeftOut, // coordinator: a forwarder is not told the bucket's location
    AlarmUnanswered, // coordinator: an alarm is answered only when it is resent
    CacheForgotten, // client: forgets the bucket's location
    ImageForgotten, // client: forgets its image
    RequestTwice, // client: sends a request twice
    AlarmTooEarly, // client: alarms the coordinator at the first resend
};

inline constexpr std::size_t kFailpoints = 39;

constexpr std::string_view nameOf(Failpoint failpoint)
{
    constexpr std::array<std::string_view, kFailpoints> names { "DeltaLeftOut", "ReplyLeftOut", "AdjustmentLeftOut",
        "OverloadLate", "OverloadTwice", "RenewLate", "RetryThoughReady", "HoldQueueOfNone", "MoveOfOne", "BatchOfOne",
        "ContentsOfOne", "EpochTakenLate", "SliceRequestUnanswered", "ApplyLate", "DeltaAckLeftOut", "TrimLate",
        "PreparedLate", "GrantRefused", "LeaseShort", "ContentsLate", "EpochHeardLate", "RecordReadBehind",
        "CutReportLate", "SliceOfOne", "SliceTwice", "OtherSources", "DoneLate", "InvitationIgnored",
        "ConfirmedAndSilent", "OrderLeftOut", "InviteTwice", "OfferExpiresEarly", "ProbeLeftOut", "HintLeftOut",
        "AlarmUnanswered", "CacheForgotten", "ImageForgotten", "RequestTwice", "AlarmTooEarly" };
    return names[std::size_t(failpoint)];
}

constexpr std::optional<Failpoint> failpointNamed(std::string_view name)
{
    for (std::size_t i = 0; i < kFailpoints; ++i)
        if (nameOf(Failpoint(i)) == name)
            return Failpoint(i);
    return std::nullopt;
}

} // namespace lhrs
