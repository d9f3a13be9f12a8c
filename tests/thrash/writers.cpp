// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/thrash/writers.h"

#include "tests/thrash/history_svg.h"
#include "tests/thrash/values.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace lhrs::thrash {

namespace {

using namespace std::chrono_literals;
using check::Outcome;
using check::RequestKind;

constexpr auto kTick = 8ms; // interval between two checks of the lanes
constexpr std::uint32_t kUnknownMax = 6;
constexpr std::size_t kEarlierMax = 2'000; // keys of earlier rounds that are read back at once
constexpr auto kOrderTimeout = 60s; // far beyond the deadline of an operation

pb::OperationKind operationKindOf(RequestKind kind)
{
    constexpr std::array kKinds { pb::INSERT, pb::UPDATE, pb::DELETE, pb::SEARCH };
    return kKinds[std::size_t(kind)];
}

Outcome outcomeOf(pb::ResultCode result)
{
    switch (static_cast<int>(result)) {
    case pb::OK: return Outcome::Ok;
    case pb::NOT_FOUND: return Outcome::NotFound;
    case pb::EXISTS: return Outcome::Exists;
    case pb::RETRY: return Outcome::Retry;
    case pb::LOST: return Outcome::Lost;
    case pb::INVALID: return Outcome::Invalid;
    default: return Outcome::Unknown;
    }
}

} // namespace

Writers::Writers(gui::ControlClient& control, std::uint64_t seed, std::chrono::milliseconds patience)
    : m_control(control), m_patience(patience), m_draws(seed, DrawnFor::Workload),
      m_thread([this](std::stop_token stop) { run(stop); })
{
}

Writers::~Writers()
{
    m_thread.request_stop();
    m_thread.join();
    halt(kOrderTimeout); // callbacks must end before the objects to which they write
}

std::int64_t Writers::now() const { return (Clock::now() - m_start).count(); }

void Writers::setClients(const std::vector<std::uint64_t>& clients)
{
    const std::lock_guard lock(m_mutex);
    m_lanes.resize(clients.size() * kLanesOfClient);
    for (std::size_t i = 0; i < m_lanes.size(); ++i) {
        const std::uint64_t client = clients[i / kLanesOfClient];
        if (m_lanes[i].client != client)
            m_lanes[i] = { client, false };
    }
}

void Writers::beginRound()
{
    const std::lock_guard lock(m_mutex);
    m_firstOfRound = m_keys.size();
    m_fateOf = nullptr;
    m_answered = {};
    for (std::uint32_t i = 0; i < kKeys; ++i)
        m_keys.emplace_back().key = m_keys.size() * 7 + i % 3; // spread over all buckets
}

void Writers::adopt(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& kept)
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [key, mark] : kept) {
        KeyState& state = m_keys.emplace_back();
        state.key = key;
        state.settled = mark;
        state.isSettled = true;
        state.isAdopted = true;
    }
}

void Writers::expectLoss(std::function<Fate(std::uint64_t key)> fateOf)
{
    const std::lock_guard lock(m_mutex);
    m_fateOf = std::move(fateOf);
    m_lossImminent = m_lossDeclared = m_lossAcknowledged = -1;
    m_answered = {};
    for (KeyState& state : m_keys)
        state.fate = m_fateOf(state.key);
}

void Writers::lossIsImminent()
{
    const std::lock_guard lock(m_mutex);
    m_lossImminent = now();
}

void Writers::lossIsDeclared()
{
    const std::lock_guard lock(m_mutex);
    m_lossDeclared = now();
    m_answered = {};
}

void Writers::lossIsAcknowledged()
{
    const std::lock_guard lock(m_mutex);
    m_lossAcknowledged = now();
    for (std::size_t i = 0; i < m_keys.size(); ++i) {
        KeyState& state = m_keys[i];
        if (state.fate == Fate::Untouched)
            continue;
        if (i >= m_firstOfRound && !state.isAdopted)
            state.history.lost({ m_lossDeclared, m_lossAcknowledged, state.fate == Fate::Lost });
        else if (state.fate == Fate::Lost)
            state.settled.reset(); // from now on it is absent
    }
}

Writers::Answered Writers::answeredSince() const
{
    const std::lock_guard lock(m_mutex);
    return m_answered;
}

Outcome Writers::judgeable(const KeyState& state, Outcome outcome, std::int64_t time) const
{
    if (outcome != Outcome::Lost || !m_fateOf || state.fate == Fate::Untouched)
        return outcome;
    const bool isToBeJudged = m_lossImminent < 0
        || (m_lossDeclared >= 0 && time >= m_lossDeclared && m_lossAcknowledged < 0);
    return isToBeJudged ? outcome : Outcome::Unknown;
}

void Writers::go()
{
    const std::lock_guard lock(m_mutex);
    m_isGoing = true;
    m_changed.notify_all();
}

bool Writers::halt(std::chrono::milliseconds patience)
{
    std::unique_lock lock(m_mutex);
    m_isGoing = false;
    return m_changed.wait_for(lock, patience, [this] { return m_open == 0; });
}

void Writers::run(std::stop_token stop)
{
    std::unique_lock lock(m_mutex);
    while (!stop.stop_requested()) {
        if (!m_isGoing) {
            m_changed.wait(lock, stop, [this] { return m_isGoing; });
            continue;
        }
        for (std::size_t i = 0; i < m_lanes.size() && m_isGoing; ++i)
            if (!m_lanes[i].isBusy)
                giveOrder(i, lock);
        m_changed.wait_for(lock, stop, kTick, [this] { return !m_isGoing; });
    }
}

void Writers::giveOrder(std::size_t lane, std::unique_lock<std::mutex>& lock)
{
    const std::size_t key = m_firstOfRound + m_draws.below(m_keys.size() - m_firstOfRound);
    KeyState& state = m_keys[key];
    const std::uint64_t drawn = m_draws.below(100);
    Order order;
    order.kind = drawn < 20 ? RequestKind::Insert
        : drawn < 45        ? RequestKind::Update
        : drawn < 55        ? RequestKind::Delete
                            : RequestKind::Search;
    if (state.unknown > kUnknownMax)
        order.kind = RequestKind::Search; // the judge tries all orders of unknown changes
    const std::uint64_t mark = check::fingerprint(lane + 1, ++m_values);
    order.key = key;
    order.lane = lane;
    order.client = m_lanes[lane].client;
    order.index = state.history.invoke(std::uint32_t(lane), order.kind, mark, now());
    if (state.waitingSince < 0)
        state.waitingSince = now();
    m_lanes[lane].isBusy = true;
    ++m_open;
    ++m_figures.operations;
    pb::Command command;
    auto* operate = command.mutable_operate();
    operate->set_kind(operationKindOf(order.kind));
    operate->set_key(state.key);
    if (order.kind == RequestKind::Insert || order.kind == RequestKind::Update)
        operate->set_value(valueOf(mark));
    lock.unlock();
    m_control.call(
        order.client, command, kOrderTimeout, [this, order](const gui::Answer& answer) { answered(order, answer); });
    lock.lock();
}

void Writers::answered(const Order& order, const gui::Answer& answer)
{
    using Ended = gui::Answer::Outcome;
    const std::lock_guard lock(m_mutex);
    Outcome outcome = Outcome::Unknown;
    std::uint64_t found = 0;
    KeyState& state = m_keys[order.key];
    const pb::OperationResult& result = answer.reply.operation();
    if (answer.outcome == Ended::Replied)
        outcome = outcomeOf(result.result());
    else if (answer.outcome == Ended::Refused)
        outcome = Outcome::Retry; // a client that has just started has not sent it
    if (outcome == Outcome::Ok && order.kind == RequestKind::Search) {
        const auto mark = markOf(result.value());
        if (!mark)
            m_wrong.push_back("I19 key " + std::to_string(state.key) + ": a value of "
                + std::to_string(result.value().size()) + " bytes that nobody wrote was found in bucket "
                + std::to_string(result.bucket()));
        found = mark.value_or(0);
    }
    const std::int64_t time = now();
    m_answered.toldLost += outcome == Outcome::Lost ? 1 : 0;
    outcome = judgeable(state, outcome, time);
    state.history.answer(order.index, outcome, time, found);
    const check::Certainty certainty = check::certaintyOf(outcome);
    if (certainty == check::Certainty::Open && order.kind != RequestKind::Search)
        m_figures.retired += ++state.unknown == kUnknownMax + 1 ? 1 : 0;
    if (certainty == check::Certainty::Done)
        ++m_answered.done[state.fate];
    if (certainty == check::Certainty::Done && state.waitingSince >= 0) {
        if (time - state.waitingSince > m_figures.longestNs && state.fate == Fate::Untouched) {
            m_figures.longestNs = time - state.waitingSince;
            m_figures.longestKey = state.key;
        }
        state.waitingSince = -1;
    }
    ++m_figures.outcomes[std::string(check::nameOf(outcome))];
    if (order.lane < m_lanes.size() && m_lanes[order.lane].client == order.client)
        m_lanes[order.lane].isBusy = false;
    if (--m_open == 0)
        m_changed.notify_all();
}

// Searches for these keys until each is answered. The lanes are at rest, so this thread owns the histories.
bool Writers::searchAll(const std::vector<std::size_t>& keys, std::vector<std::string>& wrong)
{
    constexpr std::size_t kAtOnce = 32;
    std::vector<std::size_t> left = keys;
    auto lastAnswer = Clock::now();
    std::size_t turn = 0;
    while (!left.empty() && Clock::now() < lastAnswer + m_patience) {
        const std::size_t count = std::min(left.size(), kAtOnce);
        std::vector<std::pair<gui::CallTarget, pb::Command>> calls;
        std::vector<std::size_t> indexes;
        {
            const std::lock_guard lock(m_mutex);
            for (std::size_t i = 0; i < count; ++i) {
                KeyState& state = m_keys[left[i]];
                pb::Command command;
                command.mutable_operate()->set_kind(pb::SEARCH);
                command.mutable_operate()->set_key(state.key);
                const std::size_t lane = (turn + i) % m_lanes.size();
                calls.emplace_back(m_lanes[lane].client, std::move(command));
                indexes.push_back(
                    state.history.invoke(std::uint32_t(m_lanes.size() + i), RequestKind::Search, 0, now()));
            }
        }
        ++turn;
        const auto answers = m_control.callAllAndWait(calls, kOrderTimeout);
        const std::lock_guard lock(m_mutex);
        std::vector<std::size_t> again;
        for (std::size_t i = 0; i < count; ++i) {
            KeyState& state = m_keys[left[i]];
            const pb::OperationResult& result = answers[i].reply.operation();
            const Outcome outcome = answers[i] ? outcomeOf(result.result()) : Outcome::Unknown;
            const auto mark = markOf(result.value());
            state.history.answer(indexes[i], outcome, now(), mark.value_or(0));
            if (outcome == Outcome::Ok && !mark)
                wrong.push_back("I19 key " + std::to_string(state.key) + ": a value that nobody wrote was read back");
            if (outcome != Outcome::Ok && outcome != Outcome::NotFound) {
                again.push_back(left[i]);
                continue;
            }
            lastAnswer = Clock::now();
            const auto read = outcome == Outcome::Ok ? mark : std::nullopt;
            if (state.isSettled && state.settled != read)
                wrong.push_back("I7 key " + std::to_string(state.key) + " of an earlier round was "
                    + (state.settled ? check::describeValue(*state.settled) : std::string("absent")) + " and is "
                    + (read ? check::describeValue(*read) : std::string("absent")));
            state.settled = read;
            // A change of unknown outcome may still be under way.
            state.isSettled = state.unknown == 0;
        }
        left.erase(left.begin(), left.begin() + std::ptrdiff_t(count));
        left.insert(left.end(), again.begin(), again.end());
    }
    if (!left.empty())
        wrong.push_back("I17 " + std::to_string(left.size()) + " of " + std::to_string(keys.size())
            + " keys are not answered although the file is whole, among them key "
            + std::to_string(m_keys[left.front()].key));
    return left.empty();
}

std::vector<std::string> Writers::readBackAndJudge(const std::string& directory)
{
    std::vector<std::string> wrong;
    std::vector<std::size_t> keys;
    const auto isOfRound = [this](std::size_t i) { return i >= m_firstOfRound && !m_keys[i].isAdopted; };
    {
        const std::lock_guard lock(m_mutex);
        for (std::size_t i = 0; i < m_keys.size(); ++i)
            if (!isOfRound(i) && m_keys[i].isSettled)
                keys.push_back(i);
        while (keys.size() > kEarlierMax) {
            std::swap(keys[m_draws.below(keys.size())], keys.back());
            keys.pop_back();
        }
        for (std::size_t i = m_firstOfRound; i < m_keys.size(); ++i)
            if (isOfRound(i))
                keys.push_back(i);
    }
    searchAll(keys, wrong);
    const std::lock_guard lock(m_mutex);
    for (const std::size_t i : keys) {
        KeyState& state = m_keys[i];
        if (!isOfRound(i)) {
            state.history = check::History();
            continue;
        }
        for (const check::Violation& violation : check::checkHistory(state.key, state.history)) {
            wrong.push_back("I" + std::to_string(violation.invariant) + " " + violation.text);
            std::ofstream(directory + "/key-" + std::to_string(state.key) + ".svg")
                << check::violationSvg("key " + std::to_string(state.key), state.history);
        }
        state.history = check::History(); // judged
        state.fate = Fate::Untouched;
    }
    m_fateOf = nullptr;
    wrong.insert(wrong.end(), m_wrong.begin(), m_wrong.end());
    m_wrong.clear();
    return wrong;
}

Writers::Figures Writers::figures() const
{
    const std::lock_guard lock(m_mutex);
    return m_figures;
}

} // namespace lhrs::thrash
