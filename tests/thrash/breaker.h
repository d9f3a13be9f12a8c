// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/sim/random.h"
#include "tests/thrash/fleet.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lhrs::thrash {

// Draws what goes wrong next, and does it: kills, pauses, faults of the network, splits, servers that come and go. In
// no group more members are hurt at a time than it survives. The seed decides the draws, not what they meet.
class Breaker {
public:
    struct Options {
        std::uint64_t seed = 1;
        bool restartsCoordinator = false;
    };
    // `tell` gets a line per action.
    Breaker(Fleet& fleet, const Shape& shape, const Options& options, std::function<void(const std::string&)> tell);

    // Does what is due; call it every few milliseconds.
    void turn();
    // Everything is healed and woken, and who died gets a successor. An Error: one cannot be started.
    Result<void> mend();
    // Nothing: the file is whole, as the coordinator described it after this call's first use since mend(); else what
    // is missing.
    std::string whatIsMissing();

    // Clients have come or gone since the last call.
    bool takeClientsChanged() { return std::exchange(m_haveClientsChanged, false); }
    std::vector<std::uint64_t> clients();
    std::uint32_t groups() const;
    const std::map<std::string, int>& counts() const { return m_counts; }

private:
    struct Action {
        const char* name;
        std::uint32_t weight;
        bool (Breaker::*act)(); // false: not possible now
    };

    bool killNode();
    bool killClient();
    bool pauseNode();
    bool pauseCoordinator();
    bool disturbAll();
    bool disturbOne();
    bool partOne();
    bool swizzle();
    bool crashAtEvent();
    bool split();
    bool restartCoordinator();

    void describe();
    std::optional<pb::FileDescription> file() const;
    Process* anyNode();
    bool mayHurt(const std::set<std::uint64_t>& nodes);
    bool isHurt(const Process& process) const;
    void hurtFor(Process& process, std::chrono::milliseconds time);
    void sleepFor(Process& process, std::chrono::milliseconds from, std::chrono::milliseconds time);
    void arm(const std::vector<Process*>& at, pb::Fault fault, std::chrono::milliseconds lease);
    void replaceEnded();
    void launchDue();
    std::chrono::milliseconds drawTime(int least, int most);
    void addPeer(const Process& process, pb::PartitionFault& partition) const;

    // What a callback of the control client writes to; it may outlive this object.
    struct Described {
        std::mutex mutex;
        bool isAsked = false;
        Clock::time_point asked {};
        Clock::time_point from {}; // when the description was asked for
        pb::FileDescription file;
    };

    Fleet& m_fleet;
    const Shape m_shape;
    const Options m_options;
    const std::function<void(const std::string&)> m_tell;
    Generator m_draws;
    Clock::time_point m_next;
    std::multimap<Clock::time_point, std::function<void()>> m_agenda;
    std::multimap<Clock::time_point, Kind> m_successors; // to be started
    std::set<const Process*> m_replaced;
    std::map<std::string, int> m_counts;
    std::shared_ptr<Described> m_described = std::make_shared<Described>();
    Clock::time_point m_mended {};
    std::uint64_t m_faults = 0;
    std::uint32_t m_splits = 0; // ordered
    bool m_haveClientsChanged = true;
};

} // namespace lhrs::thrash
