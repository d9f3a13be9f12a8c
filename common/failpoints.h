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

// Failpoints: places in the protocol where something legal but rare can be done on purpose. A driver that wants them
// sets them for each step (Effects::setFailpoints); the product never does.
enum class Failpoint {
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

// Decides at each call whether a failpoint fires.
class Failpoints {
public:
    virtual ~Failpoints() = default;
    virtual bool fires(Failpoint failpoint) = 0;
};

// Mutants: deliberate protocol bugs. A build with LHRS_MUTANTS can switch on one of them to show that the tests detect
// it. In every other build they are the constant false and cost nothing.
enum class Mutant {
    None,
    AnswerBeforeParity, // data bucket: the client is answered at once, without waiting for the parity buckets
    AnswerAfterAllButOne, // data bucket: one parity bucket that has not acknowledged is ignored
    DeltaAppliedTwice, // parity bucket: a retransmitted Delta is added again
    GapApplied, // parity bucket: a later Delta is applied although its predecessor is missing
    WrongColumn, // parity bucket: encodes with the coefficients of the next column of P
    LogsAsValues, // parity bucket: multiplies by the logarithm of the coefficient
    KeyListNotCleared, // parity bucket: a deleted member stays in the key list
    LengthNotRestored, // parity bucket: an update does not change the member's length
    RankReusedEarly, // data bucket: a freed rank is reused before all parity buckets know that it is free
    HeldDeltaAcknowledged, // parity bucket: a Delta that is only held is acknowledged as applied
    LogTrimmedEarly, // parity bucket: a change leaves the log although some member may lack it
    OldEpochAccepted, // parity bucket: a change of an older epoch is accepted
    ResultsForgotten, // data bucket: keeps no results of changes
    ForwardWithoutLevelTest, // bucket: forwards by its level alone, skipping the bucket that would know better
    ImageOffByOne, // client: takes one bucket too many from an image adjustment
    AdjustedByAcceptor, // data bucket: the image adjustment names the accepting bucket, not the last forwarder
    ReadShowsChangeUnderWay, // data bucket: a read does not wait for a pending change of its key
    NoLease, // data bucket: reads need no lease
    ExistsWithoutLease, // data bucket: EXISTS and NOT_FOUND need no lease
    LeaseFromAnswer, // data bucket: a lease counts from the estimated time of the grant, not from the request
    FailedStillGranted, // granter: a failed member gets grants
    TwoVersionsDecoded, // parity bucket: computes a record from contributions as of different times
    ReadBeforeCut, // coordinator, parity bucket: records of lost buckets are computed before the cut
    LostAsNotFound, // client: reports NOT_FOUND instead of LOST
    ResultsLeftBehind, // data bucket: kept results of requests do not move with their keys
    TargetCommittedFirst, // coordinator: the target of a split is told before the source has released the records
    NoCommonCut, // recovery manager: the survivors keep the changes they have, without a common cut
    CutLowest, // recovery manager: the cut is what all survivors have, not what any survivor has
    SliceSkipsRank, // recovery manager: a slice begins one rank too late
    SpareVisibleEarly, // data bucket: a spare answers as soon as it is filled
    EnabledBeforeFence, // coordinator: a recovered bucket is enabled while its former holder still has a lease
    ManagersMix, // data bucket: a spare keeps what an earlier recovery sent it
    SequenceNotCut, // data bucket: a recovered bucket does not continue its sequence numbers from the cut
    CreationMissesWrites, // parity bucket: changes made while it was being filled are missing
    RaisedEarly, // coordinator: k is raised before all members count the new parity bucket
    TwoRecordsOneRank, // data bucket: a free rank is given out and stays in the free list
    ScanLevelShort, // bucket: forwards a scan to one bucket too few
    NothingKept, // data bucket: EXISTS and NOT_FOUND are answered at once, and no parity bucket is told
    ResultsEvicted, // result table: keeps one result of each client
    QueueWithoutBound, // data bucket: the hold queue has no bound
    GrowsWhenFull, // data bucket: accepts changes that make it grow although its memory is at its limit
    TimerNeverCancelled, // ack list: an acknowledged message is still resent
    SourceFreesFirst, // data bucket: the source of a split releases the leaving records before the decision
    ChangedNotToldAgain, // data bucket: a record that changes after a split has copied it is not copied again
    RankUsedWhileCopied, // data bucket: the source of a split reuses freed ranks while it copies
    TargetParityForgotten, // coordinator: the parity buckets of the target of a split are not told of the decision
    CommitsOutOfOrder, // coordinator: the bucket after n is split
    AbortAfterCommit, // coordinator: a failure undoes a committed split
    OverloadDropped, // coordinator: an overload reported during a split is forgotten
    ReconfigurationsOverlap, // coordinator: a bucket is split while its group recovers
    RaisedAtAnyN, // coordinator: K grows at any position of the split pointer
    RestartKeepsOldN, // coordinator: after a restart, it misses the last split
    SameEpochAfterRestart, // coordinator: after a restart, it uses the epoch of its predecessor
    ReplacedForgotten, // coordinator: after a restart, it believes members that were replaced
    WalkServesBeforeYours, // ring node: the receiver of a range answers as soon as it has all keys
    WalkChangesWhileGiven, // ring node: the giver of a range changes keys after it has sent the last block
    WalkResultsLeftBehind, // ring node: kept results of requests do not move with their keys
    WalkLinkFirst, // master: the predecessor is linked before the range has been given
    WalkInclusiveFrom, // ring node: answers for the id of its predecessor too
};

inline constexpr std::size_t kMutants = 59; // not counting None

// The name of a mutant on the command line: that of its enumerator.
constexpr std::string_view nameOf(Mutant mutant)
{
    constexpr std::array<std::string_view, kMutants + 1> names { "None", "AnswerBeforeParity", "AnswerAfterAllButOne",
        "DeltaAppliedTwice", "GapApplied", "WrongColumn", "LogsAsValues", "KeyListNotCleared", "LengthNotRestored",
        "RankReusedEarly", "HeldDeltaAcknowledged", "LogTrimmedEarly", "OldEpochAccepted", "ResultsForgotten",
        "ForwardWithoutLevelTest", "ImageOffByOne", "AdjustedByAcceptor", "ReadShowsChangeUnderWay", "NoLease",
        "ExistsWithoutLease", "LeaseFromAnswer", "FailedStillGranted", "TwoVersionsDecoded", "ReadBeforeCut",
        "LostAsNotFound", "ResultsLeftBehind", "TargetCommittedFirst", "NoCommonCut", "CutLowest", "SliceSkipsRank",
        "SpareVisibleEarly", "EnabledBeforeFence", "ManagersMix", "SequenceNotCut", "CreationMissesWrites",
        "RaisedEarly", "TwoRecordsOneRank", "ScanLevelShort", "NothingKept", "ResultsEvicted", "QueueWithoutBound",
        "GrowsWhenFull", "TimerNeverCancelled", "SourceFreesFirst", "ChangedNotToldAgain", "RankUsedWhileCopied",
        "TargetParityForgotten", "CommitsOutOfOrder", "AbortAfterCommit", "OverloadDropped", "ReconfigurationsOverlap",
        "RaisedAtAnyN", "RestartKeepsOldN", "SameEpochAfterRestart", "ReplacedForgotten", "WalkServesBeforeYours",
        "WalkChangesWhileGiven", "WalkResultsLeftBehind", "WalkLinkFirst", "WalkInclusiveFrom" };
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
// The active mutant; set once, by the environment or from the command line, before any machine runs.
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

// True where the named mutant must misbehave; constant false in the product.
#define LHRS_MUTANT(name) (::lhrs::mutantIs(::lhrs::Mutant::name))
