// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/host_clock.h"

#include "gui/show/words/quantity_words.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

namespace lhrs::gui {

std::optional<HostClock> hostClock(const ClusterState& state, const std::string& host)
{
    for (const auto& [id, process] : state.processes)
        if (process.clockErrorNs > 0 && process.host == host)
            return HostClock { process.clockOffsetNs, std::int64_t(process.clockErrorNs), process.clockAppliedNs };
    return std::nullopt;
}

QString clockWords(const HostClock& clock)
{
    const QString error = durationWords(clock.errorNs);
    return clock.isSurelyOff() ? QStringLiteral("clock %1 %2 ± %3")
                                     .arg(clock.offsetNs < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                                         durationWords(clock.offsetNs < 0 ? -clock.offsetNs : clock.offsetNs), error)
                               : QStringLiteral("clock right to ± %1").arg(error);
}

namespace {

// Which events happened before or after this one, because a chain of messages and of steps of processes leads from one
// to the other.
std::vector<bool> relatedTo(const SpaceTime& model, std::size_t event)
{
    std::vector<std::vector<std::size_t>> before(model.events.size()), after(model.events.size());
    std::map<ProcessId, std::size_t> last; // of each process
    for (std::size_t i = 0; i < model.events.size(); ++i) {
        const auto link = [&](std::size_t earlier) {
            before[i].push_back(earlier);
            after[earlier].push_back(i);
        };
        if (const auto [at, isFirst] = last.try_emplace(model.events[i].run.process, i); !isFirst)
            link(std::exchange(at->second, i));
        if (model.events[i].cause != kNoEvent)
            link(model.events[i].cause);
    }
    for (const SpaceTimeMessage& message : model.messages)
        if (message.sent != kNoEvent && message.received != kNoEvent) {
            before[message.received].push_back(message.sent);
            after[message.sent].push_back(message.received);
        }
    std::vector<bool> related(model.events.size());
    for (const auto* way : { &before, &after }) {
        std::vector<std::size_t> open { event };
        std::vector<bool> seen(model.events.size());
        while (!open.empty()) {
            const std::size_t at = open.back();
            open.pop_back();
            if (seen[at])
                continue;
            seen[at] = related[at] = true;
            open.insert(open.end(), (*way)[at].begin(), (*way)[at].end());
        }
    }
    return related;
}

} // namespace

UnknownOrder unknownOrder(const ClusterState& state, const SpaceTime& model, std::size_t event)
{
    const auto hostOf = [&state](ProcessId process) {
        const auto known = state.processes.find(process);
        return known == state.processes.end() ? std::string() : known->second.host;
    };
    std::map<std::string, std::int64_t> errors; // of each host; this computer's clock has none
    const auto errorOf = [&](const std::string& host) {
        const auto [at, isNew] = errors.try_emplace(host, 0);
        if (const auto clock = isNew ? hostClock(state, host) : std::nullopt)
            at->second = clock->doubtNs();
        return at->second;
    };
    UnknownOrder unknown;
    const SpaceTimeEvent& own = model.events.at(event);
    const std::string host = hostOf(own.run.process);
    if (host.empty())
        return unknown;
    const std::vector<bool> isKnown = relatedTo(model, event);
    for (std::size_t i = 0; i < model.events.size(); ++i) {
        const SpaceTimeEvent& other = model.events[i];
        const std::string there = hostOf(other.run.process);
        if (there.empty() || there == host || isKnown[i])
            continue;
        const std::int64_t apart = std::abs(other.run.runNs - own.run.runNs), error = errorOf(host) + errorOf(there);
        if (apart >= error)
            continue;
        ++unknown.events;
        unknown.errorNs = std::max(unknown.errorNs, error);
    }
    return unknown;
}

} // namespace lhrs::gui
