// SPDX-License-Identifier: GPL-3.0-or-later
// Collects what the narrator says about a run. The stage is a file of four buckets whose processes publish what a test
// writes as text.
#pragma once

#include "gui/lab/words/narrator.h"

#include <QRegularExpression>
#include <QString>
#include <QStringList>

#include <google/protobuf/text_format.h>

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace lhrs::gui {

// The sentences as a reader sees them: one that continues another takes its place.
class ToldStory {
public:
    // False: it replaces a sentence that does not exist or was already replaced; or its event already has a sentence.
    bool add(const Telling& telling)
    {
        if (telling.event != 0 && !m_events.insert(telling.event).second)
            return false;
        if (telling.instead == 0) {
            m_tellings.push_back(telling);
            return true;
        }
        for (Telling& earlier : m_tellings) {
            if (earlier.event != telling.instead)
                continue;
            earlier = telling;
            return true;
        }
        return false;
    }
    const std::vector<Telling>& tellings() const { return m_tellings; }
    QStringList texts() const
    {
        QStringList list;
        for (const Telling& telling : m_tellings)
            list << telling.text;
        return list;
    }

private:
    std::vector<Telling> m_tellings;
    std::set<std::uint64_t> m_events;
};

// A caption that can be read in time has at most 25 words per sentence.
inline QString tooLong(const QStringList& texts)
{
    static const QRegularExpression kEnd("\\. (?=[A-Z0-9])");
    for (const QString& text : texts)
        for (const QString& sentence : text.split(kEnd))
            if (sentence.split(' ', Qt::SkipEmptyParts).size() > 25)
                return sentence;
    return {};
}

// All that a narrator says about a run.
struct Reading {
    ToldStory story;
    QStringList all; // including replaced sentences
    bool isWhole = true;
};

// `frames`: frames after each event; many mean slow motion, in which no two events follow closely. `isSimulated`:
// events arrive in order of time.
inline Reading read(const std::vector<RunEvent>& events, int frames, bool isSimulated = true)
{
    Reading reading;
    ClusterState state;
    state.isSimulated = isSimulated;
    Narrator narrator;
    for (const RunEvent& event : events) {
        if (!event.isGap())
            state.apply(event.process, *event.event, event.runNs);
        narrator.take(event, state);
        for (int i = 0; i < frames; ++i)
            narrator.look(state, event.runNs);
        for (const Telling& telling : narrator.takeTellings()) {
            reading.isWhole = reading.story.add(telling) && reading.isWhole;
            reading.all << telling.text;
        }
    }
    return reading;
}

// A random order that keeps each process's own.
inline std::vector<RunEvent> interleaved(const std::vector<RunEvent>& events, std::uint32_t seed)
{
    std::map<ProcessId, std::vector<RunEvent>> lists;
    for (const RunEvent& event : events)
        lists[event.process].push_back(event);
    std::vector<std::pair<std::vector<RunEvent>, std::size_t>> open;
    for (auto& [process, list] : lists)
        open.emplace_back(std::move(list), 0);
    std::mt19937 random(seed);
    std::vector<RunEvent> mixed;
    mixed.reserve(events.size());
    while (!open.empty()) {
        auto& [list, at] = open[random() % open.size()];
        for (std::size_t burst = random() % 30 + 1; burst > 0 && at < list.size(); --burst) {
            mixed.push_back(list[at++]);
            mixed.back().index = mixed.size();
        }
        std::erase_if(open, [](const auto& item) { return item.second == item.first.size(); });
    }
    return mixed;
}

// Processes: "C" the coordinator, "alice" and "bob", "d0".."d3" and "p0.0", "p0.1" the buckets of group 0, "s8" and
// "s9" spare data servers, "q2" a spare parity server. m = 4, b = 16, K = 2.
struct NarratorStage {
    ClusterState state;
    Narrator narrator;
    ToldStory story;
    std::map<std::string, ProcessId> processes;
    std::map<ProcessId, pb::Place> places;
    std::map<ProcessId, std::uint64_t> sequences;
    std::int64_t nowNs = 0;
    std::uint64_t index = 0;
    bool isWhole = true; // each sentence fits the story

    NarratorStage()
    {
        start("C", pb::COORDINATOR, "coordinator");
        start("alice", pb::CLIENT, "alice");
        start("bob", pb::CLIENT, "bob");
        for (std::uint32_t i = 0; i < 4; ++i)
            place("d" + std::to_string(i), "data-" + std::to_string(i + 1), pb::DATA, i, 0);
        for (std::uint32_t i = 0; i < 2; ++i)
            place("p0." + std::to_string(i), "parity-" + std::to_string(i + 1), pb::PARITY, 0, i);
        start("s8", pb::NODE, "data-8", pb::DATA);
        start("s9", pb::NODE, "data-9", pb::DATA);
        start("q2", pb::NODE, "parity-3", pb::PARITY);
        tell("C group_created { group: 0 k: 2 }");
        tell("C file_created { config { m: 4 b: 16 availability: 2 } }");
        tell("C file_state_changed { file { i: 2 n: 0 } buckets: 4 availability: 2 }");
        story = {};
    }

    ProcessId of(const std::string& name) { return processes.try_emplace(name, processes.size() + 1).first->second; }

    void start(const std::string& who, pb::ProcessKind kind, const std::string& name, pb::Role pool = pb::NO_ROLE)
    {
        pb::Event event;
        auto& info = *event.mutable_process_started()->mutable_process();
        info.set_node(of(who));
        info.set_kind(kind);
        info.set_name(name);
        info.set_pool(pool);
        give(of(who), event);
    }

    void place(
        const std::string& who, const std::string& name, pb::Role role, std::uint32_t number, std::uint32_t column)
    {
        if (!processes.contains(who))
            start(who, pb::NODE, name, role);
        pb::Place& at = places[of(who)];
        at.set_role(role);
        at.set_number(number);
        at.set_column(column);
        pb::Event event;
        event.mutable_node_recruited()->set_incarnation(index + 1);
        give(of(who), event);
    }

    // "d1 bucket_overflowed { count: 17 }". A prefix "@250" sets the time in ms; without it an event comes 10 ms after
    // the last one. "=alice" is replaced by the number of the process. "recruit s8 DATA 4": the spare becomes data
    // bucket 4. "look": a frame; "wait 2000": ms.
    bool tell(const std::string& line)
    {
        std::string rest = line;
        const auto word = [&rest] {
            const auto end = rest.find(' ');
            const std::string first = rest.substr(0, end);
            rest = end == std::string::npos ? "" : rest.substr(end + 1);
            return first;
        };
        std::string who = word();
        if (who == "look") {
            narrator.look(state, nowNs);
            take();
            return true;
        }
        if (who == "wait") {
            nowNs += std::stoll(rest) * 1'000'000;
            return true;
        }
        if (who == "recruit") {
            const std::string spare = word(), role = word(), number = word();
            place(spare, spare, role == "DATA" ? pb::DATA : pb::PARITY, std::uint32_t(std::stoul(number)),
                rest.empty() ? 0 : std::uint32_t(std::stoul(rest)));
            return true;
        }
        std::int64_t atNs = nowNs + 10'000'000;
        if (who.starts_with('@')) {
            atNs = std::stoll(who.substr(1)) * 1'000'000;
            who = word();
        }
        for (auto at = rest.find('='); at != std::string::npos; at = rest.find('=')) {
            const auto end = rest.find_first_of(" }", at);
            rest.replace(at, end - at, std::to_string(of(rest.substr(at + 1, end - at - 1))));
        }
        pb::Event event;
        if (!google::protobuf::TextFormat::ParseFromString(rest, &event))
            return false;
        give(of(who), event, atNs);
        return true;
    }

    void give(ProcessId process, pb::Event event) { give(process, std::move(event), nowNs + 10'000'000); }
    void give(ProcessId process, pb::Event event, std::int64_t atNs)
    {
        nowNs = std::max(nowNs, atNs);
        event.set_sequence(++sequences[process]);
        if (places.contains(process) && !event.has_place())
            *event.mutable_place() = places[process];
        state.apply(process, event, atNs);
        RunEvent run;
        run.index = ++index;
        run.process = process;
        run.runNs = atNs;
        run.event = std::make_shared<const pb::Event>(std::move(event));
        narrator.take(run, state);
        take();
    }

    void take()
    {
        for (const Telling& telling : narrator.takeTellings())
            isWhole = story.add(telling) && isWhole;
    }
};

// The events of this many inserts of alice into bucket 0, as lines for NarratorStage.
inline std::vector<std::string> insertsOf(std::uint64_t count)
{
    std::vector<std::string> lines;
    for (std::uint64_t i = 1; i <= count; ++i) {
        const std::string operation = "operation { client: =alice number: " + std::to_string(i) + " } ",
                          key = std::to_string(100 + i), n = std::to_string(i);
        lines.push_back(
            "alice " + operation + "operation_started { kind: INSERT key: " + key + " bucket: 0 image { i: 2 n: 0 } }");
        lines.push_back("alice " + operation + "message_sent { kind: \"insert\" to: =d0 }");
        lines.push_back("d0 " + operation + "record_inserted { key: " + key + " rank: " + n + " sequence: " + n
            + " count: " + n + " }");
        lines.push_back("p0.0 " + operation + "delta_applied { sequence: " + n + " rank: " + n + " key: " + key
            + " kind: CHANGE_INSERT members: 1 }");
        lines.push_back(
            "d0 " + operation + "change_acknowledged { sequence: " + n + " key: " + key + " rank: " + n + " }");
        lines.push_back("alice " + operation + "operation_done { kind: INSERT key: " + key
            + " result: OK bucket: 0 rank: " + n + " }");
        lines.push_back("d0 gauges { records: " + n + " }");
    }
    return lines;
}

// A search of alice that bucket `believed` forwards to `found`.
inline QStringList forwardOf(int number, int key, int believed, int found, bool isAdjusted = true)
{
    const QString operation = QString("operation { client: =alice number: %1 } ").arg(number);
    QStringList lines {
        "alice " + operation
            + QString("operation_started { kind: SEARCH key: %1 bucket: %2 image { i: 1 n: 0 } }")
                  .arg(key)
                  .arg(believed),
        QString("d%1 ").arg(believed) + operation
            + QString("operation_forwarded { kind: SEARCH key: %1 from: %2 to: %3 }").arg(key).arg(believed).arg(found),
    };
    if (isAdjusted)
        lines << "alice " + operation
                + QString("image_adjusted { bucket: %1 level: 2 before { i: 1 n: 0 } after { i: 2 n: 0 } }")
                      .arg(believed);
    lines << "alice " + operation
            + QString("operation_done { kind: SEARCH key: %1 result: OK bucket: %2 forwards: 1 image_adjusted: %3 "
                      "path: FORWARDED }")
                  .arg(key)
                  .arg(found)
                  .arg(isAdjusted ? "true" : "false");
    return lines;
}

} // namespace lhrs::gui
