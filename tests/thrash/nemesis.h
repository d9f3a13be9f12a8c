// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/engine/random.h"
#include "tests/thrash/crowd.h"
#include "tests/thrash/fleet.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs::thrash {

// Draws the next disturbance and carries it out: kills, pauses, faults of the network, splits and merges, servers that
// come and go, coordinators that are restarted. In no group are more members hurt at a time than it survives. The seed
// decides the draws, but not the state in which they find the cluster.
class Nemesis {
public:
    struct Options {
        std::uint64_t seed = 1;
        bool restartsCoordinator = true;
    };
    // `tell` gets a line per action.
    Nemesis(Fleet& fleet, const Shape& shape, const Options& options, std::function<void(const std::string&)> tell);

    // Does what is due; call it every few milliseconds.
    void turn();
    // Heals and wakes everything, and replaces every process that died. An Error: a process cannot be started.
    Result<void> mend();
    // "": the file is whole, as described by the coordinator after the first call since mend(); else what is missing.
    std::string whatIsMissing();

    // Clients have come or gone since the last call.
    bool takeClientsChanged() { return std::exchange(m_haveClientsChanged, false); }
    std::vector<std::uint64_t> clients();
    std::uint32_t groups() const;
    // The coordinator's last description.
    pb::FileDescription lastDescription() const;
    const std::map<std::string, int>& counts() const { return m_counts; }
    // The outcome of the last crowd of short clients, once it is over.
    std::optional<Crowd::Outcome> takeCrowd();
    // Waits for the end of the present crowd; false: it does not end in time.
    bool awaitCrowd(std::chrono::milliseconds patience) const;

private:
    struct Action {
        const char* name;
        std::uint32_t weight;
        bool (Nemesis::*act)(); // false: not possible now
    };

    // nemesis_acts.cpp: processes and their network
    bool killNode();
    bool killMany();
    bool killClient();
    bool pauseNode();
    bool pauseCoordinator();
    bool disturbAll();
    bool disturbOne();
    bool partOne();
    bool swizzle();
    bool crashAtEvent();
    // nemesis_file.cpp: the file, the pools, the coordinator, clients
    bool split();
    bool merge();
    bool addParity();
    bool addSpare();
    bool endSpare();
    bool restartCoordinator();
    bool crashCoordinator();
    bool callCrowd();
    bool wasRestartedLately() const;

    void describe();
    // At most one second old; older only while there is no coordinator that could have changed anything.
    std::optional<pb::FileDescription> file() const;
    static std::set<std::uint64_t> holdersIn(const pb::FileDescription& file);
    Process* anyNode();
    bool mayHurt(const std::set<std::uint64_t>& nodes);
    bool isHurt(const Process& process) const;
    void hurtFor(Process& process, std::chrono::milliseconds time);
    void sleepFor(Process& process, std::chrono::milliseconds from, std::chrono::milliseconds time);
    void arm(const std::vector<Process*>& at, pb::Fault fault, std::chrono::milliseconds lease);
    void order(pb::Command command);
    void replaceEnded();
    Result<void> launch(Kind kind);
    void launchDue();
    std::chrono::milliseconds drawTime(int least, int most);
    void addPeer(const Process& process, pb::PartitionFault& partition) const;
    // True if it was done within this time; otherwise notes that it is done now.
    bool isTooSoon(const char* what, std::chrono::milliseconds time);

    // Written by callbacks of the control client; it may outlive this object.
    struct Described {
        std::mutex mutex;
        bool isAsked = false;
        Clock::time_point asked {};
        Clock::time_point from {}; // when the description was asked for
        pb::FileDescription file;
        std::uint32_t ordered = 0; // reconfigurations without an answer
    };

    Fleet& m_fleet;
    const Shape m_shape;
    const Options m_options;
    const std::function<void(const std::string&)> m_tell;
    Generator m_draws;
    Clock::time_point m_next;
    std::multimap<Clock::time_point, std::function<void()>> m_agenda;
    std::multimap<Clock::time_point, Kind> m_successors; // to be started at that time
    std::map<Kind, std::uint32_t> m_wanted; // processes of each kind
    std::set<const Process*> m_replaced;
    std::map<std::string, int> m_counts;
    std::map<std::string, Clock::time_point> m_lately;
    std::shared_ptr<Described> m_described = std::make_shared<Described>();
    Clock::time_point m_mended {};
    Clock::time_point m_lastHurt {}; // a node was hurt, or the file was told to change
    std::uint64_t m_faults = 0;
    std::uint32_t m_crowds = 0;
    std::unique_ptr<Crowd> m_crowd;
    bool m_haveClientsChanged = true;
};

} // namespace lhrs::thrash
