// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/process/process_story.h"

#include "common/end_reasons.h"
#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/words/process/process_words.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace lhrs::gui {

std::string ProcessNames::shown(const ProcessState& process) const
{
    if (std::string place = placeOf(process); !place.empty())
        return place;
    return process.kind == pb::COORDINATOR ? coordinator() : processShown(process.id, state);
}

} // namespace lhrs::gui

namespace lhrs::gui::words {

constexpr std::size_t kNamesListed = 6; // further ones are counted

std::string listed(const Names& names)
{
    const std::size_t shown = std::min(names.size(), kNamesListed);
    std::string list;
    for (std::size_t i = 0; i < shown; ++i)
        list += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
    return names.size() > shown ? list + " and " + num(names.size() - shown) + " more" : list;
}

std::string duration(std::int64_t ns)
{
    if (ns < 1'000'000'000)
        return millisecondsOf(ns);
    std::array<char, 32> digits {};
    std::snprintf(digits.data(), digits.size(), ns < 10'000'000'000 ? "%.1f s" : "%.0f s", double(ns) / 1e9);
    return digits.data();
}

QString faultBegun(const ProcessNames& say, const Names& processes, const pb::Fault& fault, const std::string& what)
{
    const bool isOne = processes.size() == 1;
    if (isInstant(fault))
        return text(say.capital(say.together(processes)) + isOrAre(isOne)
            + "killed on purpose: " + (isOne ? "its process ends" : "their processes end") + " at once.");
    if (fault.has_pause())
        return text(say.capital(say.together(processes)) + (isOne ? " stands" : " stand")
            + " still on purpose: to all others " + (isOne ? "it looks" : "they look") + " dead.");
    return text(say.capital(processes.front()) + " " + what + ", on purpose"
        + (isOne ? "."
                 : "; " + counted(processes.size() - 1, "other process has", "other processes have")
                    + " the same fault."));
}

QString partition(const ProcessNames& say, const Names& side, const Names& others, pb::FaultWay way)
{
    const bool isOne = side.size() == 1;
    const std::string act = way == pb::OUTGOING ? std::string(isOne ? " no longer reaches " : " no longer reach ")
        : way == pb::INCOMING                   ? std::string(isOne ? " no longer hears " : " no longer hear ")
                                                : std::string(isOrAre(isOne)) + "cut off from ";
    return text(say.capital(say.together(side)) + act + say.together(others) + ", on purpose.");
}

QString isolated(const ProcessNames& say, const Names& processes)
{
    return text(
        say.capital(say.together(processes)) + isOrAre(processes.size() == 1) + "cut off from all others, on purpose.");
}

QString faultEnded(const ProcessNames& say, const std::string& process, std::uint32_t count, const pb::FaultEnded& told)
{
    const std::string reason = because(told.reason());
    if (told.fault().has_pause())
        return text(count > 1
                ? num(count) + " processes go on after their pause" + reason
                : say.capital(process) + " goes on after a pause of " + duration(told.achieved().lasted_ns()) + ".");
    return text(count > 1 ? num(count) + " processes are free of the fault" + reason
                          : say.capital(process) + " " + endWords(told));
}

QString killed(const ProcessNames& say, const Names& places)
{
    const bool isOne = places.size() == 1;
    return text(say.capital(say.together(places)) + isOrAre(isOne)
        + "gone: " + (isOne ? "its process was" : "their processes were") + " killed on request.");
}

QString ended(const ProcessNames& say, const std::string& place, const std::string& process, const std::string& reason)
{
    if (reason == kKilledOnRequest && !place.empty())
        return killed(say, { place });
    const std::string subject = say.capital(place.empty() ? process : place + " is gone: its process " + process);
    if (reason == kKilledOnRequest)
        return text(subject + " was killed on request.");
    if (reason == kStartedAgain)
        return text(subject + " is ended and started again.");
    return text(subject + " is taken for ended" + (reason.empty() ? "." : " (" + reason + ")."));
}

QString manyEnded(std::uint32_t count) { return text(counted(count, "process has", "processes have") + " ended."); }

QString paused(const ProcessNames& say, const std::string& name)
{
    return text(say.capital(name) + " stands still: its process is paused, and to all others it looks dead.");
}

QString goesOn(const ProcessNames& say, const std::string& name)
{
    return text(say.capital(name) + " goes on: its process is no longer paused.");
}

QString memoryFull(const ProcessNames& say, const std::string& name, bool isFull)
{
    return isFull ? text(say.capital(name)
               + " has no memory left: it refuses what would make it grow, and searches and deletes go on.")
                  : text(say.capital(name) + " has memory for further records again.");
}

QString held(const std::string& name, std::uint32_t count, bool isHeld)
{
    const std::string who = count == 1 ? name + " begins" : num(count) + " clients begin";
    return text(who + (isHeld ? " no new operations: the workload is held." : " operations again."));
}

QString gated(const ProcessNames& say, const std::string& name, std::uint32_t count, bool isGated)
{
    const std::string who = count == 1 ? say.capital(name) + " is" : num(count) + " processes are";
    return text(who
        + (isGated ? " gated: messages wait at "
                    + std::string(
                        count == 1 ? "it, and its clock stands still." : "them, and their clocks stand still.")
                   : " no longer gated: the messages that waited are delivered."));
}

} // namespace lhrs::gui::words
