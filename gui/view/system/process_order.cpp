// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/process_order.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

// Natural order: node-9 before node-10.
bool isNaturallyLess(const std::string& x, const std::string& y)
{
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    std::size_t i = 0, j = 0;
    while (i < x.size() && j < y.size()) {
        if (isDigit(x[i]) && isDigit(y[j])) {
            const std::size_t from = i, start = j;
            while (i < x.size() && isDigit(x[i]))
                ++i;
            while (j < y.size() && isDigit(y[j]))
                ++j;
            if (i - from != j - start)
                return i - from < j - start;
            if (const int order = x.compare(from, i - from, y, start, j - start); order != 0)
                return order < 0;
        } else if (x[i] != y[j]) {
            return x[i] < y[j];
        } else {
            ++i;
            ++j;
        }
    }
    return x.size() - i < y.size() - j;
}

} // namespace

void sortByName(const ClusterState& state, std::vector<ProcessId>& processes)
{
    std::sort(processes.begin(), processes.end(), [&](ProcessId x, ProcessId y) {
        const std::string &first = state.processes.at(x).name, &second = state.processes.at(y).name;
        if (isNaturallyLess(first, second) || isNaturallyLess(second, first))
            return isNaturallyLess(first, second);
        return x < y;
    });
}

std::vector<ProcessId> sortedByName(const ClusterState& state, const std::function<bool(const ProcessState&)>& wanted)
{
    std::vector<ProcessId> found;
    for (const auto& [id, process] : state.processes) {
        if (wanted(process))
            found.push_back(id);
    }
    sortByName(state, found);
    return found;
}

std::vector<ProcessId> clientsOf(const ClusterState& state)
{
    return sortedByName(state, [](const ProcessState& p) { return p.kind == pb::CLIENT && !p.hasEnded; });
}

ProcessId coordinatorOf(const ClusterState& state)
{
    // The running process; among ended ones, the one that was heard last.
    const ProcessState* best = nullptr;
    for (const auto& [id, process] : state.processes) {
        if (process.kind != pb::COORDINATOR)
            continue;
        if (best == nullptr
            || std::pair(!process.hasEnded, process.lastEventNs) > std::pair(!best->hasEnded, best->lastEventNs))
            best = &process;
    }
    return best ? best->id : 0;
}

} // namespace lhrs::gui
