// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/check/linearize.h"
#include "gui/lab/control/control_client.h"
#include "node/sim/engine/random.h"
#include "tests/thrash/fleet.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace lhrs::thrash {

// The requests of clients and their answers, key by key, as histories that are judged. There are many lanes, each with
// one operation under way, and few keys, so that lanes compete. A separate thread gives the orders.
class Writers {
public:
    static constexpr std::uint32_t kLanesOfClient = 4;
    static constexpr std::uint32_t kKeys = 48; // of a round

    // `patience`: the time limit of reading back when the file does not answer.
    Writers(gui::ControlClient& control, std::uint64_t seed, std::chrono::milliseconds patience);
    ~Writers();

    // The clients that carry out orders from now on; orders already given to others stay open.
    void setClients(const std::vector<std::uint64_t>& clients);
    // Keys that were never used before.
    void beginRound();
    void go();
    // No further orders; waits for the answers to those given. False: some are missing after this time.
    bool halt(std::chrono::milliseconds patience);

    // Searches for all keys of this round, then judges; keys of earlier rounds (a sample, if there are very many) must
    // be unchanged. The file must be whole and otherwise idle. Returns what is wrong.
    std::vector<std::string> readBackAndJudge(const std::string& directory);
    // Keys that others wrote and read back, with the fingerprint of the value: from now on they count as keys of an
    // earlier round.
    void adopt(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& kept);

    // The effect of a group's loss on a key.
    enum class Fate { Untouched, InLiveBucket, Lost };
    // A group is about to lose more members than it survives. Answers are counted by fate from now on.
    void expectLoss(std::function<Fate(std::uint64_t key)> fateOf);
    // The members are gone: LOST is a legal answer, and until the loss is declared other answers are too.
    void lossIsImminent();
    // The coordinator has declared the loss: from now on LOST is the only answer for lost keys.
    void lossIsDeclared();
    // A person acknowledges the loss, from now on; lost buckets come back empty.
    void lossIsAcknowledged();
    // Conclusive answers since the loss was expected, or declared, and the number of LOST answers.
    struct Answered {
        std::map<Fate, std::uint64_t> done;
        std::uint64_t toldLost = 0;
    };
    Answered answeredSince() const;

    struct Figures {
        std::uint64_t operations = 0;
        std::map<std::string, std::uint64_t> outcomes;
        std::int64_t longestNs = 0; // the longest time without a conclusive answer for a key
        std::uint64_t longestKey = 0;
        std::uint64_t retired = 0; // keys with too many operations of unknown outcome
    };
    Figures figures() const;

private:
    struct KeyState {
        std::uint64_t key = 0;
        check::History history;
        std::uint32_t unknown = 0;
        std::int64_t waitingSince = -1; // time of the first order since the last conclusive answer
        std::optional<std::uint64_t> settled; // the value after its round
        bool isSettled = false;
        bool isAdopted = false; // written by others, not by the orders of this round
        Fate fate = Fate::Untouched;
    };
    struct Lane {
        std::uint64_t client = 0;
        bool isBusy = false;
    };
    struct Order {
        std::size_t key = 0;
        std::size_t index = 0; // in its history
        std::size_t lane = 0;
        std::uint64_t client = 0;
        check::RequestKind kind = check::RequestKind::Search;
    };

    void run(std::stop_token stop);
    void giveOrder(std::size_t lane, std::unique_lock<std::mutex>& lock);
    void answered(const Order& order, const gui::Answer& answer);
    std::int64_t now() const;
    // The outcome to record for LOST; the answer may arrive shortly before or after the declaration.
    check::Outcome judgeable(const KeyState& state, check::Outcome outcome, std::int64_t time) const;
    bool searchAll(const std::vector<std::size_t>& keys, std::vector<std::string>& wrong);

    gui::ControlClient& m_control;
    const std::chrono::milliseconds m_patience;
    const Clock::time_point m_start = Clock::now();

    mutable std::mutex m_mutex; // guards everything that follows
    std::condition_variable_any m_changed;
    Generator m_draws;
    std::vector<KeyState> m_keys; // of all rounds
    std::size_t m_firstOfRound = 0;
    std::vector<Lane> m_lanes;
    std::uint64_t m_values = 0;
    std::uint64_t m_open = 0; // orders without an answer
    bool m_isGoing = false;
    Figures m_figures;
    std::vector<std::string> m_wrong; // answers that are wrong regardless of order
    std::function<Fate(std::uint64_t)> m_fateOf; // while a group is lost
    std::int64_t m_lossImminent = -1;
    std::int64_t m_lossDeclared = -1;
    std::int64_t m_lossAcknowledged = -1;
    Answered m_answered;

    std::jthread m_thread;
};

} // namespace lhrs::thrash
