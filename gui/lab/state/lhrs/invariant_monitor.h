// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/lhrs/invariant_notes.h"
#include "proto/event.pb.h"
#include "proto/recording.pb.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace lhrs::gui {

struct FileView;

// The invariants I1 to I22; invariantWords gives each in words.
inline constexpr int kInvariants = 22;

enum class InvariantState {
    NotChecked, // nothing has exercised it, or the detail level leaves out what it needs
    Pending, // a change is under way
    Holds,
    Violated, // stays so for the rest of the run
};

// The source of an invariant's findings.
enum class InvariantSource { Events, Audit, Ledger, Simulator };

// What was violated, and where it was observed; sequence 0: by an answer, not by an event.
struct InvariantViolation {
    std::uint64_t process = 0, sequence = 0;
    std::int64_t runNs = 0;
    std::string text;
    bool operator==(const InvariantViolation&) const = default;
};

struct Invariant {
    std::uint64_t checks = 0;
    std::int64_t lastNs = 0; // run time of the last check
    std::uint64_t violations = 0;
    InvariantViolation first;
    bool operator==(const Invariant&) const = default;
};

// An invariant in the form in which it is shown.
struct InvariantShown {
    int number = 0;
    InvariantState state = InvariantState::NotChecked;
    std::uint64_t checks = 0;
    std::string detail; // "412 checks, last 12.043 s", or why it is not known to hold
};

std::string invariantName(int number); // "I5"
const char* invariantWords(int number); // "at most 2 forwards, image never ahead"
const char* invariantHint(int number); // what checks it
const char* invariantStateWord(InvariantState state); // "holds"
InvariantSource invariantSource(int number);
// "16 hold, 0 violated, 1 pending, 5 not checked"
std::string invariantSummary(const std::vector<InvariantShown>& invariants);

// Judges the invariants of a run: a fold over its events and over the answers of audits and clients' ledgers, kept with
// the state of the cluster. An event is judged by what its own process told before and by its causes, never by the
// order in which processes are heard. A late report therefore neither checks an invariant nor violates it. What was
// under way at a gap is not judged.
class InvariantMonitor {
public:
    // To be called before `state` folds the event or the report.
    void take(const FileView& state, std::uint64_t process, const pb::Event& event, std::int64_t runNs);
    void take(const FileView& state, std::uint64_t process, const pb::Told& told, std::int64_t runNs);
    // Begins another cluster. The counts are kept, and violated invariants stay violated.
    void forgetCluster();

    const Invariant& invariant(int number) const { return m_invariants[std::size_t(number - 1)]; }
    InvariantShown shown(int number, const FileView& state) const;
    std::vector<InvariantShown> all(const FileView& state) const;
    bool anyViolated() const;
    // Whether no other client can have changed a record, as far as is known.
    bool isOnlyWriter(std::uint64_t client, const FileView& state) const;
    // Increases when an invariant is checked for the first time, or violated.
    std::uint64_t revision() const { return m_revision; }
    bool operator==(const InvariantMonitor&) const = default;

    void writeTo(pb::Keyframe::Invariants& out) const;
    static InvariantMonitor of(const pb::Keyframe::Invariants& from);

private:
    // The memory of the checks: key numbers -> value numbers.
    enum Memo {
        // Data bucket, change, parity process -> its event, the event's cause, whether it was observed from the
        // beginning.
        Applied,
        Owed, // data bucket, change -> the event that acknowledged it, its process, the event's cause
        Filling, // parity process -> contents have arrived, and are complete
        Freed, // data process, change -> rank
        Broken, // data process whose changes were not all observed
        Begun, // client, request -> event
        Answered, // client, bucket, incarnation -> event that first showed it
        Held, // process, event -> incarnation, role and number from then on
        Holders, // incarnation -> process
        Writers, // client that has changed records
        // Client, request, which -> process, incarnation, change, whether all parity buckets have applied it.
        Effects,
        Epochs, // coordinator, group -> epoch
        Coordinators, // coordinator epoch -> coordinator
        Commits, // time, split -> nothing: the newest splits and merges
        Decided, // coordinator, split -> nothing
        File, // coordinator -> buckets
        Lost, // coordinator, group -> event that declared it lost
        Thinned, // process that does not report all operations
        Doubts, // time of decision, client, event -> kind, number, key, time from which
        kMemos
    };
    struct Step;

    void check(int number, std::int64_t runNs, std::uint64_t count = 1);
    void violate(int number, const InvariantViolation& violation);
    InvariantNotes& memo(Memo memo) { return m_memos[memo]; }
    // Not all events of the process were observed.
    void forgetOf(std::uint64_t process);
    void settleDoubts(const FileView& state, std::int64_t untilNs);
    void takeSnapshot(const pb::Snapshot& snapshot);
    void takeFindings(const pb::Told::Judged& judged, std::int64_t runNs);

    std::array<Invariant, kInvariants> m_invariants {};
    std::array<InvariantNotes, kMemos> m_memos {};
    std::uint64_t m_revision = 0;
    std::uint64_t m_recoveries = 0, m_splits = 0; // finished in this cluster
    bool m_isUnverified = false; // no client has read back what a recovery restored
    bool m_hadLoss = false; // this cluster lost more than the parity can replace
};

} // namespace lhrs::gui
