// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lhrs/invariant_monitor.h"

#include "gui/lab/state/lhrs/file_view.h"

#include <algorithm>
#include <cstdio>

namespace lhrs::gui {

namespace {

struct InvariantText {
    InvariantSource source = InvariantSource::Events;
    const char* words = "";
    const char* hint = "";
    bool needsOperations = false; // only events of operations check it
};

constexpr const char* kSimulatorOnly = "only the simulator and the tests report it";

constexpr std::array<InvariantText, kInvariants> kTexts { {
    { InvariantSource::Audit, "parity equals what the data encode to", "an audit checks it" },
    { InvariantSource::Audit, "key lists agree", "an audit checks it" },
    { InvariantSource::Events, "ranks are unique and not reused early", "each insert checks it" },
    { InvariantSource::Events, "each key is in its one right bucket", "each insert checks it, and an audit" },
    { InvariantSource::Events, "at most 2 forwards, image never ahead", "each operation checks it", true },
    { InvariantSource::Events, "acknowledged after all k", "each acknowledged change checks it", true },
    { InvariantSource::Ledger, "what was acknowledged came back",
        "a client that reads back all it wrote, after a recovery, checks it" },
    { InvariantSource::Simulator, "history is linearizable", kSimulatorOnly },
    { InvariantSource::Events, "no stale read", "each answer of a bucket that was replaced once checks it", true },
    { InvariantSource::Events, "each request takes effect once", "each change that had to be asked for again checks it",
        true },
    { InvariantSource::Events, "splits are all or nothing, and in turn", "each split checks it, and an audit" },
    { InvariantSource::Events, "k is raised only when the parity is complete", "each further parity bucket checks it" },
    { InvariantSource::Ledger, "recovered contents are what was lost",
        "a witness that is compared after a recovery checks it" },
    { InvariantSource::Events, "a new coordinator finds the same file", "each restart of the coordinator checks it" },
    { InvariantSource::Events, "epochs never fall back", "each epoch checks it" },
    { InvariantSource::Events, "one process, one role", "each recruited server checks it" },
    { InvariantSource::Simulator, "full k again in time after faults", kSimulatorOnly },
    { InvariantSource::Events, "loss is reported", "a group that loses more than k members checks it" },
    { InvariantSource::Ledger, "nothing is invented", "a client that reads back all it wrote checks it" },
    { InvariantSource::Events, "queues keep their bounds", "a process in the node inspector checks it" },
    { InvariantSource::Simulator, "other groups are unhurt", kSimulatorOnly },
    { InvariantSource::Events, "figures add up", "each recovery and each parity creation checks it" },
} };

const InvariantText& textOf(int number) { return kTexts[std::size_t(number - 1)]; }

// "12.043 s"
std::string secondsShown(std::int64_t ns)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", double(ns) / 1e9);
    return text;
}

std::string checksShown(std::uint64_t checks) { return std::to_string(checks) + (checks == 1 ? " check" : " checks"); }

// The change under way that this invariant waits for; empty if none.
std::string splitUnderWay(const FileView& state)
{
    for (const auto& [id, split] : state.splits)
        if (split.isOrdered && split.isUnderWay())
            return (split.isMerge ? "bucket " + std::to_string(split.bucket) + " is being merged into bucket "
                        + std::to_string(split.newBucket)
                                  : "bucket " + std::to_string(split.bucket) + " is being split");
    return {};
}

std::string recoveryUnderWay(const FileView& state)
{
    for (const auto& [number, group] : state.groups)
        if (group.state == pb::GROUP_FROZEN || group.state == pb::GROUP_DEGRADED)
            return "group " + std::to_string(number) + " is recovering";
    return {};
}

std::string creationUnderWay(const FileView& state)
{
    for (const auto& [number, group] : state.groups)
        if (group.parityIsBeingAdded)
            return "group " + std::to_string(number) + " gets a further parity bucket";
    return {};
}

std::string firstOf(std::initializer_list<std::string> words)
{
    for (const std::string& one : words)
        if (!one.empty())
            return one;
    return {};
}

std::string underWay(int number, const FileView& state)
{
    switch (number) {
    case 1:
    case 2: return firstOf({ splitUnderWay(state), recoveryUnderWay(state), creationUnderWay(state) });
    case 4:
    case 11: return splitUnderWay(state);
    case 7:
    case 13: return recoveryUnderWay(state);
    case 12: return creationUnderWay(state);
    case 14: return state.file.isBeingFound ? "the coordinator is looking for its file" : "";
    default: return {};
    }
}

} // namespace

std::string invariantName(int number) { return "I" + std::to_string(number); }
const char* invariantWords(int number) { return textOf(number).words; }
const char* invariantHint(int number) { return textOf(number).hint; }
InvariantSource invariantSource(int number) { return textOf(number).source; }

std::string invariantSummary(const std::vector<InvariantShown>& invariants)
{
    const auto count = [&invariants](InvariantState state) {
        return std::to_string(std::count_if(invariants.begin(), invariants.end(),
            [state](const InvariantShown& invariant) { return invariant.state == state; }));
    };
    const std::string pending = count(InvariantState::Pending);
    return count(InvariantState::Holds) + " hold, " + count(InvariantState::Violated) + " violated, "
        + (pending == "0" ? "" : pending + " pending, ") + count(InvariantState::NotChecked) + " not checked";
}

const char* invariantStateWord(InvariantState state)
{
    switch (state) {
    case InvariantState::NotChecked: return "not checked";
    case InvariantState::Pending: return "pending";
    case InvariantState::Holds: return "holds";
    case InvariantState::Violated: return "violated";
    }
    return "";
}

void InvariantMonitor::check(int number, std::int64_t runNs, std::uint64_t count)
{
    if (count == 0)
        return;
    Invariant& invariant = m_invariants[std::size_t(number - 1)];
    if (invariant.checks == 0)
        ++m_revision;
    invariant.checks += count;
    invariant.lastNs = runNs;
}

void InvariantMonitor::violate(int number, const InvariantViolation& violation)
{
    Invariant& invariant = m_invariants[std::size_t(number - 1)];
    if (invariant.violations++ > 0)
        return;
    invariant.first = violation;
    ++m_revision;
}

InvariantShown InvariantMonitor::shown(int number, const FileView& state) const
{
    const Invariant& one = invariant(number);
    InvariantShown shown { number, InvariantState::NotChecked, one.checks, {} };
    const std::string checked = checksShown(one.checks) + ", last " + secondsShown(one.lastNs);
    if (one.violations > 0) {
        shown.state = InvariantState::Violated;
        shown.detail = "at " + secondsShown(one.first.runNs) + ": " + one.first.text;
        if (one.violations > 1)
            shown.detail += " (and " + std::to_string(one.violations - 1) + " more)";
        return shown;
    }
    if (textOf(number).needsOperations && !m_memos[Thinned].entries().empty()) {
        shown.detail = "not observed at this detail" + (one.checks > 0 ? "; before, " + checked : std::string());
        return shown;
    }
    std::string waits = underWay(number, state);
    if (number == 7 && waits.empty() && m_isUnverified && !m_hadLoss)
        waits = "what came back has not been read back yet";
    if (number == 5 && !m_memos[Doubts].entries().empty())
        waits = "a split may explain what was seen";
    if (!waits.empty()) {
        shown.state = InvariantState::Pending;
        shown.detail = waits + (one.checks > 0 ? "; " + checked : std::string());
        return shown;
    }
    if (one.checks == 0) {
        shown.detail = invariantHint(number);
        return shown;
    }
    shown.state = InvariantState::Holds;
    shown.detail = checked;
    return shown;
}

std::vector<InvariantShown> InvariantMonitor::all(const FileView& state) const
{
    std::vector<InvariantShown> all;
    for (int number = 1; number <= kInvariants; ++number)
        all.push_back(shown(number, state));
    return all;
}

bool InvariantMonitor::anyViolated() const
{
    return std::any_of(
        m_invariants.begin(), m_invariants.end(), [](const Invariant& invariant) { return invariant.violations > 0; });
}

bool InvariantMonitor::isOnlyWriter(std::uint64_t client, const FileView& state) const
{
    // If operations are not reported, or not all were observed, any client may have written.
    const bool isSeen = m_memos[Thinned].entries().empty() && state.lost == 0;
    if (!isSeen)
        return state.clients.size() == 1 && state.clients.contains(client);
    const auto& writers = m_memos[Writers].entries();
    return std::all_of(
        writers.begin(), writers.end(), [client](const auto& entry) { return entry.first[0] == client; });
}

void InvariantMonitor::forgetCluster()
{
    for (InvariantNotes& notes : m_memos)
        notes.clear();
    m_recoveries = m_splits = 0;
    m_isUnverified = m_hadLoss = false;
}

void InvariantMonitor::forgetOf(std::uint64_t process)
{
    for (const Memo one : { Freed, Held, Lost, File })
        memo(one).eraseOf(process);
    memo(Filling).set({ process, 0, 0 }, { 1, 1, 0, 0 }); // assumed, because it may have been filled
    memo(Doubts).clear();
}

void InvariantMonitor::takeSnapshot(const pb::Snapshot& snapshot)
{
    const std::uint64_t process = snapshot.process();
    forgetOf(process);
    memo(Broken).eraseOf(process);
    memo(Thinned).eraseOf(process);
    if (snapshot.detail() != pb::FULL && snapshot.detail() != pb::OPERATIONS)
        memo(Thinned).set({ process, 0, 0 }, {});
    if (snapshot.has_data())
        memo(Held).set(
            { process, snapshot.sequence(), 0 }, { snapshot.incarnation(), pb::DATA, snapshot.data().bucket(), 0 });
    if (snapshot.has_file() && snapshot.file().exists() && !snapshot.file().is_listening())
        memo(File).set({ process, 0, 0 }, { snapshot.file().buckets(), snapshot.file().availability(), 0, 0 });
}

void InvariantMonitor::takeFindings(const pb::Told::Judged& judged, std::int64_t runNs)
{
    for (const auto& finding : judged.findings()) {
        const int number = int(std::min(finding.invariant(), std::uint32_t(kInvariants + 1)));
        if (number < 1 || number > kInvariants)
            continue;
        const bool isSurvival = number == 7;
        if (isSurvival && m_hadLoss)
            continue; // more than k members were lost and declared lost, so nothing had to come back
        if (finding.violated() > 0) {
            violate(number, { 0, 0, runNs, finding.text() });
            continue;
        }
        if (isSurvival && m_recoveries == 0)
            continue; // there was no failure to survive
        check(number, runNs, finding.checks());
        if (isSurvival)
            m_isUnverified = false;
        // At rest each key is in its one right bucket, so the earlier splits moved every record exactly once.
        if (number == 4 && m_splits > 0)
            check(11, runNs, finding.checks());
    }
}

void InvariantMonitor::take(const FileView& state, std::uint64_t process, const pb::Told& told, std::int64_t runNs)
{
    switch (told.what_case()) {
    case pb::Told::kGap: forgetOf(process); break;
    case pb::Told::kSnapshot: takeSnapshot(told.snapshot()); break;
    case pb::Told::kEnded: memo(Thinned).eraseOf(process); break;
    case pb::Told::kForgotten: forgetCluster(); break;
    case pb::Told::kSampled:
        for (const auto& queue : told.sampled().queues()) {
            if (queue.bound() == 0)
                continue;
            if (std::max(queue.length(), queue.high_mark()) > queue.bound())
                violate(20,
                    { process, 0, runNs,
                        "the queue \"" + queue.name() + "\" of a process holds more than its bound of "
                            + std::to_string(queue.bound()) });
            else
                check(20, runNs);
        }
        break;
    case pb::Told::kJudged:
        takeFindings(told.judged(), runNs);
        settleDoubts(state, runNs); // the sender of a finding has received all earlier events
        break;
    case pb::Told::kIntroduced:
    case pb::Told::kPaused:
    case pb::Told::kOrigin:
    case pb::Told::kClock:
    case pb::Told::WHAT_NOT_SET: break;
    }
}

void InvariantMonitor::writeTo(pb::Keyframe::Invariants& out) const
{
    for (const Invariant& invariant : m_invariants) {
        auto& row = *out.add_invariants();
        row.set_checks(invariant.checks);
        row.set_last_ns(invariant.lastNs);
        row.set_violations(invariant.violations);
        row.set_process(invariant.first.process);
        row.set_sequence(invariant.first.sequence);
        row.set_first_ns(invariant.first.runNs);
        row.set_text(invariant.first.text);
    }
    for (const InvariantNotes& notes : m_memos) {
        auto& row = *out.add_notes();
        for (const auto& [key, value] : notes.entries()) {
            for (const std::uint64_t number : key)
                row.add_numbers(number);
            for (const std::uint64_t number : value)
                row.add_numbers(number);
        }
    }
    out.set_revision(m_revision);
    out.set_recoveries(m_recoveries);
    out.set_splits(m_splits);
    out.set_is_unverified(m_isUnverified);
    out.set_had_loss(m_hadLoss);
}

InvariantMonitor InvariantMonitor::of(const pb::Keyframe::Invariants& from)
{
    InvariantMonitor monitor;
    for (int i = 0; i < std::min(kInvariants, from.invariants_size()); ++i) {
        const auto& row = from.invariants(i);
        monitor.m_invariants[std::size_t(i)] = { row.checks(), row.last_ns(), row.violations(),
            { row.process(), row.sequence(), row.first_ns(), row.text() } };
    }
    constexpr int kNumbers = std::tuple_size_v<InvariantNotes::Key> + std::tuple_size_v<InvariantNotes::Value>;
    for (int memo = 0; memo < std::min(int(kMemos), from.notes_size()); ++memo) {
        const auto& numbers = from.notes(memo).numbers();
        for (int i = 0; i + kNumbers <= numbers.size(); i += kNumbers)
            monitor.m_memos[std::size_t(memo)].set({ numbers[i], numbers[i + 1], numbers[i + 2] },
                { numbers[i + 3], numbers[i + 4], numbers[i + 5], numbers[i + 6] });
    }
    monitor.m_revision = from.revision();
    monitor.m_recoveries = from.recoveries();
    monitor.m_splits = from.splits();
    monitor.m_isUnverified = from.is_unverified();
    monitor.m_hadLoss = from.had_loss();
    return monitor;
}

} // namespace lhrs::gui
