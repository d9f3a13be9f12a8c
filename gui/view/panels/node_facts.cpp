// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/panels/node_facts.h"

#include "gui/show/words/quantity_words.h"
#include "gui/view/system/host_clock.h"
#include "gui/view/systems/view_systems.h"
#include "gui/view/paint/theme.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lhrs::gui {

namespace {

using Sample = pb::NodeSample;

constexpr std::int64_t kFresh = 1'500'000'000; // ns; a newer sample counts as one of the shown instant
constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kAhead = 300'000'000; // ns that a process's clock may be ahead of ours

// Samples up to the shown instant.
std::vector<NodeSampleState> samplesUpTo(const ProcessState& process, std::int64_t nowNs)
{
    std::vector<NodeSampleState> samples(process.samples.begin(), process.samples.end());
    const auto later = std::find_if(
        samples.begin(), samples.end(), [&](const NodeSampleState& s) { return s.runNs > nowNs + kAhead; });
    if (later != samples.begin()) // between two events, the state of the earlier one is shown
        samples.erase(later, samples.end());
    return samples;
}

QString atWords(const ClusterState& state, std::int64_t runNs)
{
    return QStringLiteral("%1 s").arg(state.shownSeconds(runNs), 0, 'f', 3);
}

QString percent(double share)
{
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', share < 0.0995 && share > 0.0005 ? 1 : 0);
}

QString bytesWords(std::uint64_t bytes)
{
    const double v = double(bytes);
    if (bytes < 10'000)
        return QStringLiteral("%1 B").arg(grouped(bytes));
    return bytes < 10'000'000 ? QStringLiteral("%1 kB").arg(v / 1e3, 0, 'f', 0)
                              : QStringLiteral("%1 MB").arg(v / 1e6, 0, 'f', 1);
}

QString spaced(const std::string& kind)
{
    return QString::fromStdString(kind).replace(QLatin1Char('_'), QLatin1Char(' '));
}

QString receiverWords(const ClusterState& state, ProcessId id, const pb::Address& address)
{
    if (const ObjectRef object = wordsOf(state).objectOf(state, id))
        return wordsOf(state).nameOf(state, object);
    for (const auto& [other, process] : state.processes)
        if (process.kind == pb::COORDINATOR && !process.hasEnded && id == 0
            && process.address.ends_with(":" + std::to_string(address.udp_port())))
            return wordsOf(state).nameOf(state, { ObjectKind::Coordinator, other, 0 });
    return address.udp_port() != 0 ? QStringLiteral("port %1").arg(address.udp_port()) : QStringLiteral("an address");
}

// The threads in figure 2 of the demo paper, in its order, with short names for narrow views; then our additional ones.
struct KnownThread {
    const char* name;
    const char* shortName;
};
constexpr std::array kThreads { KnownThread { "Multicast listening", "Mcast listening" },
    KnownThread { "Multicast working", "Mcast working" }, KnownThread { "UDP listening", "UDP listening" },
    KnownThread { "Working", "Working" }, KnownThread { "TCP listening", "TCP listening" },
    KnownThread { "Acknowledgement manager", "Ack manager" }, KnownThread { "Control server", "Control" },
    KnownThread { "Event publisher", "Events" }, KnownThread { "Main", "Main" } };
constexpr std::size_t kMulticastLanes = 2;

std::size_t placeOf(const QString& name)
{
    for (std::size_t i = 0; i < kThreads.size(); ++i)
        if (name == QLatin1String(kThreads[i].name) || (i == 3 && name.startsWith(QLatin1String("Working "))))
            return i;
    return kThreads.size();
}

const Sample::Thread* threadOf(const Sample& sample, const std::string& name)
{
    for (const auto& thread : sample.threads())
        if (thread.name() == name)
            return &thread;
    return nullptr;
}

struct Builder {
    const ClusterState& state;
    const ProcessState& process;
    const std::vector<NodeSampleState> samples;
    const std::int64_t nowNs;
    const SystemWords& words = wordsOf(state);
    NodeFacts out {};

    const Sample* last() const { return samples.empty() ? nullptr : samples.back().sample.get(); }
    // The sample of about a second before the last one.
    const NodeSampleState* secondBefore() const
    {
        const NodeSampleState* found = nullptr;
        for (const NodeSampleState& s : samples)
            if (&s != &samples.back() && (found == nullptr || samples.back().runNs - s.runNs >= kSecond))
                found = &s;
        return found;
    }

    void fact(const char* name, const QString& value, bool isRestless = false)
    {
        if (!value.isEmpty())
            out.facts.push_back({ QString::fromLatin1(name), value, isRestless, false });
    }

    const pb::Gauges& newestGauges() const
    {
        return last() && last()->has_gauges() ? last()->gauges() : process.gauges;
    }
    void ofSystem(SystemWords::Facts which)
    {
        for (NodeFact& told : words.factsOf(state, process, last(), newestGauges(), which))
            if (!told.value.isEmpty())
                out.facts.push_back(std::move(told));
    }

    void watched()
    {
        if (process.hasEnded) {
            out.watch = NodeFacts::Watch::Ended;
            out.sampling = QStringLiteral("ended at %1; %2")
                               .arg(atWords(state, process.endedNs),
                                   last()
                                       ? QStringLiteral("last values, of %1").arg(atWords(state, samples.back().runNs))
                                       : QStringLiteral("it was not watched before"));
        } else if (!last()) {
            out.sampling = QStringLiteral("not watched then");
        } else if (nowNs - samples.back().runNs > kFresh && !out.isSimulated) {
            out.watch = NodeFacts::Watch::Former;
            out.sampling = QStringLiteral("not watched then; last values, of %1")
                               .arg(atWords(state, samples.back().runNs));
        } else {
            out.watch = NodeFacts::Watch::Now;
            out.sampling = QStringLiteral("sampled 10/s, last at %1").arg(atWords(state, samples.back().runNs));
        }
    }

    void role()
    {
        if (process.kind == pb::COORDINATOR) {
            fact("Role", QStringLiteral("coordinator"));
        } else if (process.kind == pb::CLIENT) {
            fact("Role", QStringLiteral("client"));
            const auto client = state.clients.find(process.id);
            if (client != state.clients.end())
                fact("State",
                    client->second.isHeld ? QStringLiteral("held: begins no new operations")
                                          : QStringLiteral("begins operations"));
        } else {
            ofSystem(SystemWords::Facts::Role);
        }
        if (process.hasEnded)
            fact("Process", QStringLiteral("ended: %1").arg(QString::fromStdString(process.endReason)));
        else if (process.isPaused)
            fact("Process", QStringLiteral("stands still"));
        if (const auto clock = hostClock(state, process.host))
            fact("Clock", clockWords(*clock));
        if (process.isGated)
            fact("Gate",
                process.gauges.gate_held() > 0
                    ? QStringLiteral("closed, %1 held; its clock stands still")
                          .arg(countedWords(process.gauges.gate_held(), "message is", "messages are"))
                    : QStringLiteral("closed, nothing is held; its clock stands still"));
        ofSystem(SystemWords::Facts::Membership);
    }

    void numbers()
    {
        const Sample* s = last();
        if (s && s->core_is_busy())
            fact("Core", QStringLiteral("one step holds it all the time"));
        ofSystem(SystemWords::Facts::Contents);
        const pb::Gauges& gauges = newestGauges();
        if (gauges.held() > 0)
            fact("Held",
                QStringLiteral("%1 wait until it is ready").arg(countedWords(gauges.held(), "message", "messages")));
        if (s && !s->under_way().empty())
            fact("Under way", QString::fromStdString(s->under_way()));
        fact("Messages",
            QStringLiteral("%1 in, %2 out").arg(grouped(gauges.messages_in()), grouped(gauges.messages_out())));
        if (gauges.dropped() > 0)
            fact("Dropped", grouped(gauges.dropped()));
        for (const pb::DropCount& refusal : gauges.refused())
            fact("Refused",
                QStringLiteral("%1: %2").arg(grouped(refusal.count()), QString::fromStdString(refusal.reason())));
        const std::uint64_t published = s ? std::max(s->sequence(), process.sequence) : process.sequence;
        QStringList lost;
        if (s && s->lost_events() > 0)
            lost << QStringLiteral("%1 lost there").arg(grouped(s->lost_events()));
        if (process.lostEvents > 0)
            lost << QStringLiteral("%1 not received").arg(grouped(process.lostEvents));
        fact("Events",
            QStringLiteral("%1 published, %2")
                .arg(grouped(published), lost.isEmpty() ? QStringLiteral("0 lost") : lost.join(QStringLiteral(", "))));
        if (s && s->deadline_ns() >= 0)
            fact("Next timer",
                s->deadline_ns() > s->time_ns()
                    ? QStringLiteral("in %1").arg(durationWords(s->deadline_ns() - s->time_ns()))
                    : QStringLiteral("due"),
                true);
        else if (s && !s->core_is_busy())
            fact("Next timer", QStringLiteral("none"), true);
        if (out.isSimulated || process.pid == 0)
            return;
        if (const NodeSampleState* before = secondBefore(); before && s && s->has_gauges()
            && before->sample->has_gauges() && s->time_ns() > before->sample->time_ns()) {
            const double used = double(s->gauges().cpu_ns()) - double(before->sample->gauges().cpu_ns());
            fact("CPU",
                QStringLiteral("%1 of a core")
                    .arg(percent(std::max(0.0, used / double(s->time_ns() - before->sample->time_ns())))),
                true);
        }
        if (gauges.memory_bytes() > 0)
            fact("Memory", bytesWords(gauges.memory_bytes()), true);
        if (gauges.memory_limit() > 0)
            fact("Memory limit",
                QStringLiteral("%1, %2 left%3")
                    .arg(bytesWords(gauges.memory_limit()), bytesWords(gauges.memory_left()),
                        gauges.is_full() ? QStringLiteral("; full: refuses what would make it grow") : QString()),
                true);
    }

    void lane(const std::string& name)
    {
        const Sample& now = *last();
        const Sample::Thread* thread = threadOf(now, name);
        NodeFacts::Lane lane;
        lane.name = lane.shortName = QString::fromStdString(name);
        if (const std::size_t place = placeOf(lane.name); place < kThreads.size() && place != 3)
            lane.shortName = QString::fromLatin1(kThreads[place].shortName);
        for (const NodeSampleState& s : samples) {
            const Sample::Thread* then = threadOf(*s.sample, name);
            lane.samples.push_back(then ? then->state() : Sample::THREAD_UNKNOWN);
        }
        if (thread != nullptr) {
            lane.state = thread->state();
            lane.words = threadWords(thread->state(), spaced(thread->handler()));
            const NodeSampleState* before = secondBefore();
            const Sample::Thread* then = before ? threadOf(*before->sample, name) : nullptr;
            const double time = before ? double(now.time_ns() - before->sample->time_ns()) : 0;
            if (then != nullptr && time > 0) {
                const auto share = [&](std::int64_t to, std::int64_t from) {
                    return std::clamp(double(to - from) / time, 0.0, 1.0);
                };
                lane.hasShare = true;
                lane.handler = share(thread->handler_ns(), then->handler_ns());
                lane.coreWait = share(thread->core_wait_ns(), then->core_wait_ns());
                lane.socket = share(thread->socket_ns(), then->socket_ns());
                lane.cpu = thread->cpu_ns() >= 0 && then->cpu_ns() >= 0 ? share(thread->cpu_ns(), then->cpu_ns()) : -1;
            }
        }
        out.lanes.push_back(std::move(lane));
    }

    // Both multicast threads end when the server is recruited, so their lanes close with that event, whatever the last
    // sample says.
    void threads()
    {
        if (out.isSimulated) {
            out.noLanes = QStringLiteral(
                "Not available in a simulated cluster: a simulated process takes one step after the other.");
            return;
        }
        if (!last()) {
            out.noLanes = process.hasEnded ? QStringLiteral("This process was not watched while it ran.")
                                           : QStringLiteral("Not watched then.");
            return;
        }
        std::vector<std::string> names;
        for (const auto& thread : last()->threads())
            names.push_back(thread.name());
        const bool isServer = process.kind == pb::NODE || process.kind == pb::PROCESS_UNKNOWN;
        if (isServer)
            for (std::size_t i = 0; i < kMulticastLanes; ++i)
                if (std::find(names.begin(), names.end(), kThreads[i].name) == names.end())
                    names.push_back(kThreads[i].name);
        std::stable_sort(names.begin(), names.end(), [](const std::string& x, const std::string& y) {
            const QString a = QString::fromStdString(x), b = QString::fromStdString(y);
            return std::pair(placeOf(a), a) < std::pair(placeOf(b), b);
        });
        for (const std::string& name : names) {
            lane(name);
            NodeFacts::Lane& made = out.lanes.back();
            const std::size_t place = placeOf(made.name);
            if (!isServer || place >= kMulticastLanes)
                continue;
            if (process.place.role() != pb::NO_ROLE)
                made.closed = QStringLiteral("closed: recruited as %1")
                                  .arg(words.nameOf(state, words.objectOf(state, process.id)));
            else if (threadOf(*last(), name) == nullptr)
                made.closed = QStringLiteral("not there: this server is in no multicast group");
            if (!made.closed.isEmpty())
                made.hasShare = false;
        }
    }

    void queues()
    {
        if (!last())
            return;
        for (const auto& from : last()->queues())
            out.queues.push_back({ QString::fromStdString(from.name()), QString::fromStdString(from.unit()),
                QString::fromStdString(from.when_full()), from.length(), from.bound(), from.high_mark(), from.dropped(),
                from.has_high_mark(), false });
    }

    void waits()
    {
        if (!last() || last()->core_is_busy())
            return;
        const Sample& s = *last();
        out.awaitedCount = s.awaited_count();
        for (const auto& from : s.awaited()) {
            NodeFacts::Awaited wait;
            wait.id = from.id();
            wait.kind = spaced(from.kind());
            wait.to = receiverWords(state, from.to(), from.address());
            wait.sent = QStringLiteral("%1 ago").arg(
                durationWords(std::max<std::int64_t>(0, s.time_ns() - from.sent_ns())));
            wait.tries = from.tries_max() > 0 ? QStringLiteral("%1 of %2").arg(from.tries()).arg(from.tries_max())
                                              : QStringLiteral("%1").arg(from.tries());
            wait.next = from.due_ns() > s.time_ns()
                ? QStringLiteral("in %1").arg(durationWords(from.due_ns() - s.time_ns()))
                : QStringLiteral("now");
            out.awaited.push_back(std::move(wait));
        }
        out.isGated = s.gate().is_closed();
        out.heldCount = s.gate().held();
        for (const auto& from : s.gate().messages()) {
            NodeFacts::Held held;
            held.number = from.number();
            held.kind = spaced(from.kind());
            held.from = receiverWords(state, from.from(), {});
            held.size = bytesWords(from.bytes());
            out.held.push_back(std::move(held));
        }
        std::tie(out.columnsTitle, out.columns) = words.exchangeOf(process, s);
    }
};

} // namespace

QString threadWords(pb::NodeSample::ThreadState state, const QString& handler)
{
    switch (static_cast<int>(state)) {
    case Sample::WAITING: return QStringLiteral("waiting");
    case Sample::IN_HANDLER:
        return handler.isEmpty() ? QStringLiteral("in handler time") : QStringLiteral("in handler %1").arg(handler);
    case Sample::IN_CORE_WAIT: return QStringLiteral("waits for the core");
    case Sample::IN_SOCKET: return QStringLiteral("reads or sends");
    case Sample::IN_PAUSE: return QStringLiteral("paused by a fault");
    default: return QStringLiteral("not known yet");
    }
}

NodeFacts nodeFacts(const ClusterState& state, ProcessId id, std::int64_t nowNs)
{
    const auto found = state.processes.find(id);
    if (found == state.processes.end()) {
        NodeFacts none;
        none.process = id;
        none.title = QStringLiteral("no such process");
        none.sampling = QStringLiteral("it was not there at this instant");
        return none;
    }
    Builder b { state, found->second, samplesUpTo(found->second, nowNs), nowNs };
    b.out.process = id;
    b.out.isThere = true;
    const ObjectRef object = b.words.objectOf(state, id);
    b.out.title = object ? b.words.nameOf(state, object) : QString::fromStdString(found->second.name);
    b.out.subtitle = QString::fromStdString(found->second.name)
        + (found->second.address.empty() ? QString()
                                         : QStringLiteral(", ") + QString::fromStdString(found->second.address));
    b.out.isSimulated = state.isSimulated || (b.last() && b.last()->is_simulated());
    b.watched();
    b.role();
    b.numbers();
    b.threads();
    b.queues();
    b.waits();
    return std::move(b.out);
}

int markChanges(NodeFacts& facts, const NodeFacts& before)
{
    int changes = 0;
    if (before.process != facts.process || !before.isThere)
        return 0;
    // A fact that did not exist before counts as changed.
    const auto mark = [&changes](auto& now, const auto& then, auto isSame, auto isEqual) {
        for (auto& entry : now) {
            const auto former = std::find_if(
                then.begin(), then.end(), [&](const auto& other) { return isSame(entry, other); });
            entry.isChanged = former == then.end() || !isEqual(entry, *former);
            changes += entry.isChanged ? 1 : 0;
        }
    };
    mark(
        facts.facts, before.facts, [](const auto& x, const auto& y) { return x.name == y.name; },
        [](const auto& x, const auto& y) { return x.isRestless || x.value == y.value; });
    mark(
        facts.columns, before.columns, [](const auto& x, const auto& y) { return x.name == y.name; },
        [](const auto& x, const auto& y) { return x.value == y.value; });
    if (before.watch == NodeFacts::Watch::NotWatched || facts.watch == NodeFacts::Watch::NotWatched)
        return changes;
    mark(
        facts.lanes, before.lanes, [](const auto& x, const auto& y) { return x.name == y.name; },
        [](const auto& x, const auto& y) { return x.words == y.words && x.closed == y.closed; });
    mark(
        facts.queues, before.queues, [](const auto& x, const auto& y) { return x.name == y.name; },
        [](const auto& x, const auto& y) {
            return x.length == y.length && x.highMark == y.highMark && x.dropped == y.dropped;
        });
    mark(
        facts.held, before.held, [](const auto& x, const auto& y) { return x.number == y.number; },
        [](const auto&, const auto&) { return true; });
    mark(
        facts.awaited, before.awaited,
        [](const auto& x, const auto& y) { return x.id == y.id && x.kind == y.kind && x.to == y.to; },
        [](const auto& x, const auto& y) { return x.tries == y.tries; });
    return changes;
}

} // namespace lhrs::gui
