// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/lhrs/file/directory.h"
#include "node/lhrs/coordinator/failures.h"
#include "node/lhrs/coordinator/file_rebuild.h"
#include "node/lhrs/file/file_state.h"
#include "node/lhrs/growth/growth.h"
#include "node/machine/machine.h"
#include "node/lhrs/coordinator/recovery_policy.h"
#include "node/lhrs/file/recruiting.h"

#include <map>
#include <set>

namespace lhrs {

struct CoordinatorOptions {
    pb::ProcessInfo self;      // with its addresses
    pb::FileConfig config;     // m, b >= 1 checked by whoever reads it
    pb::Timers timers;
    Recruiting recruiting = Recruiting::Auto;
    std::uint64_t seed = 0;
    bool listensFirst = false; // a file may be running already: its processes are heard before anything is ordered
    bool isFileKnown = false;  // its starter knows of one: it makes none of its own, except on a person's word
};

// The coordinator of one file: knows (i,n), K and who holds which place, recruits servers, orders splits and parity
// creations. Key operations do not pass it (lhrs.md 2.1).
class Coordinator : public Machine {
public:
    explicit Coordinator(CoordinatorOptions options);

    void onMessage(const pb::Message& message, Time now, Effects& out) override;
    void onCommand(const pb::Command& command, Time now, Effects& out) override;
    void onTime(Time now, Effects& out) override;
    Time deadline() const override;
    void snapshot(pb::Snapshot& out) const override;
    void gauges(pb::Gauges& out) const override;
    void inspect(Time now, pb::NodeSample& out) const override;

    const FileState& file() const { return m_file; }
    const Growth& growth() const { return m_growth; }
    std::string underWay() const;
    // Nothing is under way or owed, and no member is missing.
    bool isAtRest() const { return !m_rebuild && m_takeover.areDone() && m_growth.isAtRest() && m_failures.isAtRest(); }
    bool isListening() const { return m_rebuild != nullptr; }
    // There is a file, and none of its buckets is heard: it waits for them, or for a person who gives them up.
    bool isFileSilent() const { return m_rebuild && m_rebuild->isFileSilent(); }
    bool isSuperseded() const { return m_isSuperseded; }

private:
    struct Waiter { // for rest
        std::uint64_t ticket = 0;
        Time until {};
    };

    void act(const pb::Message& message, Time now, Effects& out);
    void wake(Time now, bool looks, Effects& out);
    void carryOut(const pb::Command& command, Time now, Effects& out);
    // What goes out names our coordinator epoch, so that nobody follows us when there is a later one.
    void sign(Effects& out) const;

    // A coordinator that starts (lhrs.md 10.9).
    void listen(const pb::Message& message, Time now, Effects& out);
    void askForState(const pb::Message& message, Time now, Effects& out) const;
    // Whether it answers a question of ours, of this listening or later, and its process was bound by its promise until now:
    // one that was long under way tells of the file as it was under a former coordinator.
    bool isOfNow(const pb::StateReport& report, Time now) const;
    void hearsServer(Time now);
    std::unique_ptr<FileRebuild> newRebuild() const;
    void listenAnewAfterSleep(Time now, Effects& out);
    void endListening(Time now, Effects& out);
    void takeOver(Time now, Effects& out);
    void onStateReport(const pb::Message& message, Time now, Effects& out);
    // Ends what a data bucket still has under way and nobody else knows of.
    void settleForgotten(const pb::StateReport& report, Time now, Effects& out);
    void onSuperseded(const pb::Message& message, Effects& out);

    void onRegister(const pb::Message& message, Time now, Effects& out);
    void onAlive(const pb::Message& message, Time now, Effects& out);
    void fill(pb::Registered& registered, const Directory::Entry& entry, std::uint64_t knowsReplaced) const;
    void tellOfFile(const Directory::Entry& entry, std::uint64_t knowsReplaced, Effects& out);
    void tellAllOfFile(Effects& out);
    void onWhereIs(const pb::Message& message, Effects& out);
    void onOverload(const pb::Message& message, Time now, Effects& out);
    // lhrs.md 2.3, a switch: the file holds too few records for a split.
    bool isLoadLow(const pb::Overload& overload) const;
    void onUnderflow(const pb::Message& message, Time now, Effects& out);
    bool isCopy(const pb::Message& report);
    void forceMerge(const pb::Command& command, Time now, Effects& out);
    void onOffer(const pb::Message& message, Time now, Effects& out);
    void onPrepared(const pb::Message& message, Time now, Effects& out);
    void onContentsDone(const pb::Message& message, Time now, Effects& out);
    void raiseAvailability(const pb::Command& command, Effects& out);
    void recoverGroup(const pb::Command& command, Time now, Effects& out);
    void setTimeScale(const pb::Command& command, Effects& out);
    void describe(pb::FileDescription& out) const;
    void answerWaiters(Time now, Effects& out);

    const pb::ProcessInfo m_self;
    const pb::Timers m_timers; // as they were given
    AckList m_acks;
    FileState m_file;
    Directory m_directory;
    Invitations m_invitations;
    CoordinatorParts m_parts;
    Growth m_growth;
    Failures m_failures;
    RecoveryPolicy m_policy;
    std::map<NodeId, std::set<std::uint64_t>> m_overloadsSeen; // ids of the last reports of each sender
    std::vector<Waiter> m_waiters;
    std::unique_ptr<FileRebuild> m_rebuild; // while it listens
    Time m_listensSince {}, m_listensUntil = Time::max(), m_listensAtMost {};
    Orders m_takeover; // what the members are told after a restart
    std::set<Incarnation> m_unheard; // members that had not reported then
    std::set<NodeId> m_foreign; // holders of a file that was here before, and of which nobody knew
    const bool m_isFileKnown;        // from whoever started it
    bool m_isFileNew = true;         // this coordinator has made it, or will
    bool m_isFileTold = false;       // to all who were there when it began to exist
    bool m_isSuperseded = false;
    bool m_isStarted = false;
    Time m_now {};
    Time m_nextLook {};                             // at the directory
};

} // namespace lhrs
