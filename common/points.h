// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#ifdef LHRS_MUTANTS
#include <cstdlib>
#endif
#include <optional>
#include <string_view>

namespace lhrs {

// Injection points: places in the protocol where something legal but rare can be done on purpose (testing.md 5e). A
// driver that wants them says so to each step (Effects::setPoints); in the product nobody does.
enum class Point {
    DeltaLeftOut,           // data bucket: one parity bucket gets a change only with the first resend
    ReplyLeftOut,           // data bucket: the client is answered only when it asks again
    AdjustmentLeftOut,      // data bucket: the reply to a forwarded request brings no image adjustment
    OverloadLate,           // data bucket: an overload is reported with a later insert
    OverloadTwice,          // data bucket: an overload is reported twice
    RenewLate,              // data bucket: a round of lease requests is left out
    RetryThoughReady,       // data bucket: a change is refused that could be made
    HoldQueueOfNone,        // data bucket: what should wait is refused
    MoveOfOne,              // data bucket: a block of a split has one record
    BatchOfOne,             // data bucket: a block of a batch has one change
    ContentsOfOne,          // data bucket: a block of contents has one record
    EpochTakenLate,         // data bucket: an epoch is taken only when it comes again
    SliceRequestUnanswered, // data or parity bucket: a slice is sent only when it is asked for again
    ApplyLate,              // parity bucket: a change waits although nothing is missing
    DeltaAckLeftOut,        // parity bucket: a change is acknowledged with a later one, or when it comes again
    TrimLate,               // parity bucket: nothing is trimmed from the log
    PreparedLate,           // parity bucket: a block of a batch is taken only when it comes again
    GrantRefused,           // granter: a lease request is left unanswered
    LeaseShort,             // granter: half the usual length
    ContentsLate,           // parity bucket: a block of contents is taken only when it comes again
    EpochHeardLate,         // parity bucket: an epoch is taken only when it comes again
    RecordReadBehind,       // data or parity bucket: a record is shown only when it is asked for again
    CutReportLate,          // recovery manager: a report is taken only when it comes again
    SliceOfOne,             // recovery manager: a slice of one rank
    SliceTwice,             // recovery manager: a spare gets a slice twice
    OtherSources,           // recovery manager: decodes without parity bucket 0 where it can
    DoneLate,               // recovery manager: its last word comes with the first resend
    InvitationIgnored,      // spare: does not answer an invitation
    ConfirmedAndSilent,     // spare: had offered, and does not answer when it is taken
    OrderLeftOut,           // coordinator: an order leaves only with its first resend
    InviteTwice,            // coordinator: invites twice
    OfferExpiresEarly,      // coordinator: uses an offer only for a quarter of its time
    ProbeLeftOut,           // coordinator: one of the probed is asked only the next time
    HintLeftOut,            // coordinator: a forwarder is not told where the bucket is
    AlarmUnanswered,        // coordinator: an alarm is answered only when it comes again
    CacheForgotten,         // client: forgets where the bucket is
    ImageForgotten,         // client: forgets its image
    RequestTwice,           // client: sends a request twice
    AlarmTooEarly,          // client: alarms the coordinator at the first resend
};

inline constexpr std::size_t kPoints = 39;

constexpr std::string_view nameOf(Point point)
{
    constexpr std::array<std::string_view, kPoints> names {
        "DeltaLeftOut", "ReplyLeftOut", "AdjustmentLeftOut", "OverloadLate", "OverloadTwice", "RenewLate",
        "RetryThoughReady", "HoldQueueOfNone", "MoveOfOne", "BatchOfOne", "ContentsOfOne", "EpochTakenLate",
        "SliceRequestUnanswered", "ApplyLate", "DeltaAckLeftOut", "TrimLate", "PreparedLate", "GrantRefused",
        "LeaseShort", "ContentsLate", "EpochHeardLate", "RecordReadBehind", "CutReportLate", "SliceOfOne",
        "SliceTwice", "OtherSources", "DoneLate", "InvitationIgnored", "ConfirmedAndSilent", "OrderLeftOut",
        "InviteTwice", "OfferExpiresEarly", "ProbeLeftOut", "HintLeftOut", "AlarmUnanswered", "CacheForgotten",
        "ImageForgotten", "RequestTwice", "AlarmTooEarly"
    };
    return names[std::size_t(point)];
}

constexpr std::optional<Point> pointNamed(std::string_view name)
{
    for (std::size_t i = 0; i < kPoints; ++i)
        if (nameOf(Point(i)) == name)
            return Point(i);
    return std::nullopt;
}

// Decides each time whether a point fires.
class Points {
public:
    virtual ~Points() = default;
    virtual bool fires(Point point) = 0;
};

// Mutants: deliberate mistakes in the protocol, one of which a build with LHRS_MUTANTS can switch on to show that the
// tests bite. In every other build they are the constant false and cost nothing.
enum class Mutant {
    None,
    AnswerBeforeParity,      // data bucket: the client is answered at once, whatever the parity buckets do
    AnswerAfterAllButOne,    // data bucket: one parity bucket that has not acknowledged is overlooked
    DeltaAppliedTwice,       // parity bucket: a Delta that comes again is added again
    GapApplied,              // parity bucket: a later Delta is applied although its predecessor is missing
    WrongColumn,             // parity bucket: encodes with the coefficients of the next column of P
    LogsAsValues,            // parity bucket: multiplies by the logarithm of the coefficient
    KeyListNotCleared,       // parity bucket: a deleted member stays in the key list
    LengthNotRestored,       // parity bucket: an update does not change the member's length
    RankReusedEarly,         // data bucket: a freed rank is used before all parity buckets know
    HeldDeltaAcknowledged,   // parity bucket: a Delta that is only held is acknowledged as applied
    LogTrimmedEarly,         // parity bucket: a change leaves the log although somebody may lack it
    OldEpochAccepted,        // parity bucket: takes a change of an older epoch
    ResultsForgotten,        // data bucket: keeps no results of changes
    ForwardWithoutLevelTest, // bucket: forwards by its level alone, past the bucket that would know
    ImageOffByOne,           // client: takes one bucket too many from an image adjustment
    AdjustedByAcceptor,      // data bucket: the image adjustment names the accepting bucket, not the last forwarder
    ReadShowsChangeUnderWay, // data bucket: a read does not wait for a change of its key
    NoLease,                 // data bucket: reads need no lease
    ExistsWithoutLease,      // data bucket: EXISTS and NOT_FOUND need no lease
    LeaseFromAnswer,         // data bucket: a lease counts from when the grant might have come, not from the request
    FailedStillGranted,      // granter: a member that failed gets grants
    TwoVersionsDecoded,      // parity bucket: computes a record from contributions of different times
    ReadBeforeCut,           // coordinator, parity bucket: records of lost buckets are computed before the cut
    LostAsNotFound,          // client: says NOT_FOUND for LOST
    ResultsLeftBehind,       // data bucket: results of requests do not move with their keys
    TargetCommittedFirst,    // coordinator: the target of a split is told before the source has let go
    NoCommonCut,             // recovery manager: the survivors keep what they have
    CutLowest,               // recovery manager: the cut is what all survivors have, not what any has
    SliceSkipsRank,          // recovery manager: a slice begins one rank too late
    SpareVisibleEarly,       // data bucket: a spare answers as soon as it is filled
    EnabledBeforeFence,      // coordinator: a recovered bucket is enabled while its former holder has a lease
    ManagersMix,             // data bucket: a spare keeps what an earlier recovery brought
    SequenceNotCut,          // data bucket: a recovered bucket does not go on from the cut
    CreationMissesWrites,    // parity bucket: what was written while it was filled is missing
    RaisedEarly,             // coordinator: k is raised before all members count on the new parity bucket
    TwoRecordsOneRank,       // data bucket: a free rank is given out and stays free
    ScanLevelShort,          // bucket: passes a scan on to one bucket too few
    NothingKept,             // data bucket: EXISTS and NOT_FOUND are answered at once, and no parity bucket hears of it
    ResultsEvicted,          // result table: keeps one result of each client
    QueueWithoutBound,       // data bucket: holds whatever comes
    GrowsWhenFull,           // data bucket: takes what makes it grow although its memory is at its limit
    TimerNeverCancelled,     // ack list: what is acknowledged is sent again all the same
    SourceFreesFirst,        // data bucket: the source of a split lets go of what leaves before the decision
    ChangedNotToldAgain,     // data bucket: what changes behind the copying of a split stays as it was copied
    RankUsedWhileCopied,     // data bucket: the source of a split gives freed ranks out while it copies
    TargetParityForgotten,   // coordinator: the parity buckets of the target of a split do not hear of the decision
    CommitsOutOfOrder,       // coordinator: the bucket after n is split
    AbortAfterCommit,        // coordinator: a failure undoes a split that is decided
    OverloadDropped,         // coordinator: an overload that is reported during a split is forgotten
    ReconfigurationsOverlap, // coordinator: a bucket is split while its group recovers
    RaisedAtAnyN,            // coordinator: K grows wherever the split pointer is
    RestartKeepsOldN,        // coordinator: one that starts misses the last split
    SameEpochAfterRestart,   // coordinator: one that starts takes the epoch of the former one
    ReplacedForgotten,       // coordinator: one that starts believes members that were replaced
};

inline constexpr std::size_t kMutants = 54; // without None

// The name by which the command line knows a mutant: that of its enumerator.
constexpr std::string_view nameOf(Mutant mutant)
{
    constexpr std::array<std::string_view, kMutants + 1> names {
        "None", "AnswerBeforeParity", "AnswerAfterAllButOne", "DeltaAppliedTwice", "GapApplied", "WrongColumn",
        "LogsAsValues", "KeyListNotCleared", "LengthNotRestored", "RankReusedEarly", "HeldDeltaAcknowledged",
        "LogTrimmedEarly", "OldEpochAccepted", "ResultsForgotten", "ForwardWithoutLevelTest", "ImageOffByOne",
        "AdjustedByAcceptor", "ReadShowsChangeUnderWay", "NoLease", "ExistsWithoutLease", "LeaseFromAnswer",
        "FailedStillGranted", "TwoVersionsDecoded", "ReadBeforeCut", "LostAsNotFound", "ResultsLeftBehind",
        "TargetCommittedFirst", "NoCommonCut", "CutLowest", "SliceSkipsRank", "SpareVisibleEarly",
        "EnabledBeforeFence", "ManagersMix", "SequenceNotCut", "CreationMissesWrites", "RaisedEarly",
        "TwoRecordsOneRank", "ScanLevelShort", "NothingKept", "ResultsEvicted", "QueueWithoutBound", "GrowsWhenFull",
        "TimerNeverCancelled", "SourceFreesFirst", "ChangedNotToldAgain", "RankUsedWhileCopied", "TargetParityForgotten",
        "CommitsOutOfOrder", "AbortAfterCommit", "OverloadDropped", "ReconfigurationsOverlap", "RaisedAtAnyN", "RestartKeepsOldN", "SameEpochAfterRestart",
        "ReplacedForgotten"
    };
    return names[std::size_t(mutant)];
}

constexpr std::optional<Mutant> mutantNamed(std::string_view name)
{
    for (std::size_t i = 0; i <= kMutants; ++i)
        if (nameOf(Mutant(i)) == name)
            return Mutant(i);
    return std::nullopt;
}

#ifdef LHRS_MUTANTS
// The mutant that is on; set once, by the environment or from the command line, before any machine runs.
inline Mutant mutantOfEnvironment()
{
    const char* name = std::getenv("LHRS_MUTANT");
    return name ? mutantNamed(name).value_or(Mutant::None) : Mutant::None;
}
inline Mutant activeMutant = mutantOfEnvironment();
inline bool mutantIs(Mutant mutant) { return activeMutant == mutant; }
#else
constexpr bool mutantIs(Mutant) { return false; }
#endif

} // namespace lhrs

// True where the named mutant is to misbehave; constant false in the product.
#define LHRS_MUTANT(name) (::lhrs::mutantIs(::lhrs::Mutant::name))
