// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/shiviz.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/series/process/space_time.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace lhrs::gui {

QByteArray shivizOf(const std::vector<RunEvent>& events, const ClusterState& state)
{
    const SpaceTime model = spaceTimeOf(events, addressesOf(state));
    // Unique names without spaces.
    std::map<ProcessId, std::string> hosts;
    std::set<std::string> taken;
    for (const SpaceTimeEvent& event : model.events) {
        if (hosts.contains(event.run.process))
            continue;
        std::string name = processShown(event.run.process, state);
        std::replace(name.begin(), name.end(), ' ', '_');
        const std::string first = name;
        for (int number = 2; !taken.insert(name).second; ++number)
            name = first + '#' + std::to_string(number);
        hosts[event.run.process] = name;
    }
    std::vector<std::size_t> sentOf(model.events.size(), kNoEvent);
    for (const SpaceTimeMessage& message : model.messages)
        if (message.received != kNoEvent)
            sentOf[message.received] = message.sent;
    std::vector<std::size_t> order(model.events.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
        const SpaceTimeEvent &a = model.events[x], &b = model.events[y];
        return std::tuple(a.logical, a.run.process, a.run.event->sequence())
            < std::tuple(b.logical, b.run.process, b.run.event->sequence());
    });
    using Clock = std::map<ProcessId, std::uint64_t>;
    std::vector<Clock> clocks(model.events.size());
    std::map<ProcessId, std::size_t> last;
    const auto merge = [&](Clock& clock, std::size_t other) {
        if (other == kNoEvent)
            return;
        for (const auto& [process, count] : clocks[other])
            clock[process] = std::max(clock[process], count);
    };
    QByteArray out("(?<host>\\S*) (?<clock>{.*})\\n(?<event>.*)\n\n");
    for (const std::size_t i : order) {
        const SpaceTimeEvent& event = model.events[i];
        const ProcessId process = event.run.process;
        Clock& clock = clocks[i];
        if (const auto before = last.find(process); before != last.end())
            clock = clocks[before->second];
        merge(clock, event.cause);
        merge(clock, sentOf[i]);
        ++clock[process];
        last[process] = i;
        std::string line = hosts.at(process) + " {";
        for (const auto& [other, count] : clock) {
            if (line.back() != '{')
                line += ", ";
            line += '"' + hosts.at(other) + "\": " + std::to_string(count);
        }
        std::string words = sentence(event.run, state);
        std::replace(words.begin(), words.end(), '\n', ' ');
        out += QByteArray::fromStdString(line + "}\n" + words + '\n');
    }
    return out;
}

} // namespace lhrs::gui
