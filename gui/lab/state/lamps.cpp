// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/state/lamps.h"

#include "gui/lab/state/cluster_state.h"

#include <algorithm>
#include <cstdio>

namespace lhrs::gui {

namespace {

struct LampText {
    LampSource source = LampSource::Events;
    const char* words = "";
    const char* hint = "";
    bool needsOperations = false; // only events of operations light it
};

constexpr const char* kSimulatorOnly = "only the simulator and the tests report it";

constexpr std::array<LampText, kLamps> kTexts { {
    { LampSource::Audit, "parity equals what the data encode to", "an audit checks it" },
    { LampSource::Audit, "key lists agree", "an audit checks it" },
    { LampSource::Events, "ranks are unique and not reused early", "each insert checks it" },
    { LampSource::Events, "each key is in its one right bucket", "each insert checks it, and an audit" },
    { LampSource::Events, "at most 2 forwards, image never ahead", "each operation checks it", true },
    { LampSource::Events, "acknowledged after all k", "each acknowledged change checks it", true },
    { LampSource::Ledger, "what was acknowledged came back", "a client that reads back all it wrote, after a recovery, checks it" },
    { LampSource::Simulator, "history is linearizable", kSimulatorOnly },
    { LampSource::Events, "no stale read", "each answer of a bucket that was replaced once checks it", true },
    { LampSource::Events, "each request takes effect once", "each change that had to be asked for again checks it", true },
    { LampSource::Events, "splits are all or nothing, and in turn", "each split checks it, and an audit" },
    { LampSource::Events, "k is raised only when the parity is complete", "each further parity bucket checks it" },
    { LampSource::Ledger, "recovered contents are what was lost", "a witness that is compared after a recovery checks it" },
    { LampSource::Events, "a new coordinator finds the same file", "each restart of the coordinator checks it" },
    { LampSource::Events, "epochs never fall back", "each epoch checks it" },
    { LampSource::Events, "one process, one role", "each recruited server checks it" },
    { LampSource::Simulator, "full k again in time after faults", kSimulatorOnly },
    { LampSource::Events, "loss is said", "a group that loses more than k members checks it" },
    { LampSource::Ledger, "nothing is invented", "a client that reads back all it wrote checks it" },
    { LampSource::Events, "queues keep their bounds", "a process in the node inspector checks it" },
    { LampSource::Simulator, "other groups are unhurt", kSimulatorOnly },
    { LampSource::Events, "figures add up", "each recovery and each parity creation checks it" },
} };

const LampText& textOf(int invariant) { return kTexts[std::size_t(invariant - 1)]; }

// "12.043 s"
std::string secondsShown(std::int64_t ns)
{
    char text[32];
    std::snprintf(text, sizeof text, "%.3f s", double(ns) / 1e9);
    return text;
}

std::string checksShown(std::uint64_t checks)
{
    return std::to_string(checks) + (checks == 1 ? " check" : " checks");
}

// The change under way that this lamp waits for; empty if none.
std::string splitUnderWay(const ClusterState& state)
{
    for (const auto& [id, split] : state.splits)
        if (split.isOrdered && split.isUnderWay())
            return (split.isMerge ? "bucket " + std::to_string(split.bucket) + " is being merged into bucket " + std::to_string(split.newBucket)
                                  : "bucket " + std::to_string(split.bucket) + " is being split");
    return {};
}

std::string recoveryUnderWay(const ClusterState& state)
{
    for (const auto& [number, group] : state.groups)
        if (group.state == pb::GROUP_FROZEN || group.state == pb::GROUP_DEGRADED)
            return "group " + std::to_string(number) + " is recovering";
    return {};
}

std::string creationUnderWay(const ClusterState& state)
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

std::string underWay(int invariant, const ClusterState& state)
{
    switch (invariant) {
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

std::string lampName(int invariant) { return "I" + std::to_string(invariant); }
const char* lampWords(int invariant) { return textOf(invariant).words; }
const char* lampHint(int invariant) { return textOf(invariant).hint; }
LampSource lampSource(int invariant) { return textOf(invariant).source; }

std::string lampSummary(const std::vector<LampShown>& lamps)
{
    const auto count = [&lamps](LampState state) {
        return std::to_string(std::count_if(lamps.begin(), lamps.end(), [state](const LampShown& lamp) { return lamp.state == state; }));
    };
    const std::string pending = count(LampState::Pending);
    return count(LampState::Holds) + " hold, " + count(LampState::Violated) + " violated, " + (pending == "0" ? "" : pending + " pending, ")
        + count(LampState::NotChecked) + " not checked";
}

const char* lampStateWord(LampState state)
{
    switch (state) {
    case LampState::NotChecked: return "not checked";
    case LampState::Pending: return "pending";
    case LampState::Holds: return "holds";
    case LampState::Violated: return "violated";
    }
    return "";
}

void Lamps::check(int invariant, std::int64_t runNs, std::uint64_t count)
{
    if (count == 0)
        return;
    Lamp& lamp = m_lamps[std::size_t(invariant - 1)];
    if (lamp.checks == 0)
        ++m_revision;
    lamp.checks += count;
    lamp.lastNs = runNs;
}

void Lamps::violate(int invariant, const LampViolation& violation)
{
    Lamp& lamp = m_lamps[std::size_t(invariant - 1)];
    if (lamp.violations++ > 0)
        return;
    lamp.first = violation;
    ++m_revision;
}

LampShown Lamps::shown(int invariant, const ClusterState& state) const
{
    const Lamp& one = lamp(invariant);
    LampShown shown { invariant, LampState::NotChecked, one.checks, {} };
    const std::string checked = checksShown(one.checks) + ", last " + secondsShown(one.lastNs);
    if (one.violations > 0) {
        shown.state = LampState::Violated;
        shown.detail = "at " + secondsShown(one.first.runNs) + ": " + one.first.text;
        if (one.violations > 1)
            shown.detail += " (and " + std::to_string(one.violations - 1) + " more)";
        return shown;
    }
    if (textOf(invariant).needsOperations && !m_memos[Thinned].entries().empty()) {
        shown.detail = "not observed at this detail" + (one.checks > 0 ? "; before, " + checked : std::string());
        return shown;
    }
    std::string waits = underWay(invariant, state);
    if (invariant == 7 && waits.empty() && m_isUnverified && !m_hadLoss)
        waits = "nobody has read back yet what came back";
    if (invariant == 5 && !m_memos[Doubts].entries().empty())
        waits = "a split may explain what was seen";
    if (!waits.empty()) {
        shown.state = LampState::Pending;
        shown.detail = waits + (one.checks > 0 ? "; " + checked : std::string());
        return shown;
    }
    if (one.checks == 0) {
        shown.detail = lampHint(invariant);
        return shown;
    }
    shown.state = LampState::Holds;
    shown.detail = checked;
    return shown;
}

std::vector<LampShown> Lamps::all(const ClusterState& state) const
{
    std::vector<LampShown> all;
    for (int invariant = 1; invariant <= kLamps; ++invariant)
        all.push_back(shown(invariant, state));
    return all;
}

bool Lamps::anyViolated() const
{
    return std::any_of(m_lamps.begin(), m_lamps.end(), [](const Lamp& lamp) { return lamp.violations > 0; });
}

bool Lamps::isOnlyWriter(std::uint64_t client, const ClusterState& state) const
{
    // If operations are not reported, or not all were observed, any client may have written.
    const bool isSeen = m_memos[Thinned].entries().empty() && state.lost == 0;
    if (!isSeen)
        return state.clients.size() == 1 && state.clients.contains(client);
    const auto& writers = m_memos[Writers].entries();
    return std::all_of(writers.begin(), writers.end(), [client](const auto& entry) { return entry.first[0] == client; });
}

void Lamps::forgetCluster()
{
    for (LampNotes& notes : m_memos)
        notes.clear();
    m_recoveries = m_splits = 0;
    m_isUnverified = m_hadLoss = false;
}

void Lamps::forgetOf(std::uint64_t process)
{
    for (const Memo one : { Freed, Held, Lost, File })
        memo(one).eraseOf(process);
    memo(Filling).set({ process, 0, 0 }, { 1, 1, 0, 0 }); // assumed, because it may have been filled
    memo(Doubts).clear();
}

void Lamps::takeSnapshot(const pb::Snapshot& snapshot)
{
    const std::uint64_t process = snapshot.process();
    forgetOf(process);
    memo(Broken).eraseOf(process);
    memo(Thinned).eraseOf(process);
    if (snapshot.detail() != pb::FULL && snapshot.detail() != pb::OPERATIONS)
        memo(Thinned).set({ process, 0, 0 }, {});
    if (snapshot.has_data())
        memo(Held).set({ process, snapshot.sequence(), 0 }, { snapshot.incarnation(), pb::DATA, snapshot.data().bucket(), 0 });
    if (snapshot.has_file() && snapshot.file().exists() && !snapshot.file().is_listening())
        memo(File).set({ process, 0, 0 }, { snapshot.file().buckets(), snapshot.file().availability(), 0, 0 });
}

void Lamps::takeFindings(const pb::Told::Judged& judged, std::int64_t runNs)
{
    for (const auto& finding : judged.findings()) {
        const int invariant = int(std::min(finding.invariant(), std::uint32_t(kLamps + 1)));
        if (invariant < 1 || invariant > kLamps)
            continue;
        const bool isSurvival = invariant == 7;
        if (isSurvival && m_hadLoss)
            continue; // more than k members were lost and declared lost, so nothing had to come back
        if (finding.violated() > 0) {
            violate(invariant, { 0, 0, runNs, finding.text() });
            continue;
        }
        if (isSurvival && m_recoveries == 0)
            continue; // there was no failure to survive
        check(invariant, runNs, finding.checks());
        if (isSurvival)
            m_isUnverified = false;
        // At rest each key is in its one right bucket, so the earlier splits moved every record exactly once.
        if (invariant == 4 && m_splits > 0)
            check(11, runNs, finding.checks());
    }
}

void Lamps::take(const ClusterState& state, std::uint64_t process, const pb::Told& told, std::int64_t runNs)
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
                violate(20, { process, 0, runNs, "the queue \"" + queue.name() + "\" of a process holds more than its bound of " + std::to_string(queue.bound()) });
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
    case pb::Told::WHAT_NOT_SET: break;
    }
}

void Lamps::writeTo(pb::Keyframe::Lamps& out) const
{
    for (const Lamp& lamp : m_lamps) {
        auto& row = *out.add_lamps();
        row.set_checks(lamp.checks);
        row.set_last_ns(lamp.lastNs);
        row.set_violations(lamp.violations);
        row.set_process(lamp.first.process);
        row.set_sequence(lamp.first.sequence);
        row.set_first_ns(lamp.first.runNs);
        row.set_text(lamp.first.text);
    }
    for (const LampNotes& notes : m_memos) {
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

Lamps Lamps::of(const pb::Keyframe::Lamps& from)
{
    Lamps lamps;
    for (int i = 0; i < std::min(kLamps, from.lamps_size()); ++i) {
        const auto& row = from.lamps(i);
        lamps.m_lamps[std::size_t(i)] = { row.checks(), row.last_ns(), row.violations(),
            { row.process(), row.sequence(), row.first_ns(), row.text() } };
    }
    constexpr int kNumbers = std::tuple_size_v<LampNotes::Key> + std::tuple_size_v<LampNotes::Value>;
    for (int memo = 0; memo < std::min(int(kMemos), from.notes_size()); ++memo) {
        const auto& numbers = from.notes(memo).numbers();
        for (int i = 0; i + kNumbers <= numbers.size(); i += kNumbers)
            lamps.m_memos[std::size_t(memo)].set({ numbers[i], numbers[i + 1], numbers[i + 2] },
                { numbers[i + 3], numbers[i + 4], numbers[i + 5], numbers[i + 6] });
    }
    lamps.m_revision = from.revision();
    lamps.m_recoveries = from.recoveries();
    lamps.m_splits = from.splits();
    lamps.m_isUnverified = from.is_unverified();
    lamps.m_hadLoss = from.had_loss();
    return lamps;
}

} // namespace lhrs::gui
