// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/pacer.h"

#include "common/kinds.h"
#include "common/end_reasons.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/show_systems.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr double kGather = 0.03; // s that an event waits for causes in other batches
constexpr std::int64_t kSilenceNs = 5'000'000; // run time that passes at least before a timer runs out
constexpr std::size_t kEndsKept = 512;
constexpr double kFreightHop = 2.2; // hops that records take to a new place
constexpr double kArrivalHop = 2; // hops that a newcomer takes to its place
constexpr double kPartHop = 2; // hops between two parts in one process
constexpr std::uint32_t kPartsApart = 6; // so many parts are shown one after the other
constexpr std::size_t kTimesKept = 4'096;
constexpr std::size_t kPullMax = 8'192;
constexpr double kCalm = 0.35; // s with few events after which the slow show resumes
constexpr std::size_t kCalmEvents = 40; // events of one frame that still count as calm
constexpr double kSyncEvery = 0.2; // s; interval for state that is in no event: snapshots and the directory
// Interval in s for names, ends, pauses, samples and new clusters, which are in no event either.
constexpr double kLearnEvery = 0.1;
constexpr std::int64_t kLateNs = 50'000'000; // run time after which all earlier events have been received
constexpr std::size_t kAheadMax = 20'000; // limit for events of a show that are scheduled ahead
// Greatest slow-down factor for making the picture last as long as its caption.
constexpr double kSlowestOfReading = 2.5;

// Messages and gauges that only show that a process is alive; they take no time in the show.
bool isSignOfLife(const pb::Event& event)
{
    const auto isAlive = [](const std::string& kind) { return !messageClassOf(kind); };
    if (event.has_message_received())
        return isAlive(event.message_received().kind())
            || (event.message_received().kind() == "ack" && event.operation().client() == 0);
    if (event.has_message_sent())
        return isAlive(event.message_sent().kind())
            || (event.message_sent().kind() == "ack" && event.operation().client() == 0);
    return event.has_gauges() || eventPaceOf(event).isSummary;
}

// Copies the identity that the process's introduction gave.
void takeIdentity(ProcessState& process, const ProcessState& known)
{
    process.id = known.id;
    process.kind = known.kind;
    process.name = known.name;
    process.pid = known.pid;
    process.address = known.address;
    process.eventsEndpoint = known.eventsEndpoint;
    process.controlEndpoint = known.controlEndpoint;
    process.version = known.version;
    process.host = known.host;
    if (process.place.role() == pb::NO_ROLE && process.pool == pb::NO_ROLE)
        process.pool = known.pool;
}

// A script that goes on to its next cluster has ended this one: of what is still shown of it nothing has failed.
bool hasLeft(const ClusterState& known)
{
    const auto hasEnded = [](const auto& entry) { return entry.second.hasEnded; };
    return !known.processes.empty() && std::all_of(known.processes.begin(), known.processes.end(), hasEnded);
}

// Whether the shown state belongs to a replaced cluster: a continuing cluster never forgets a process.
bool isOfFormer(const ClusterState& shown, const ClusterState& known)
{
    return std::any_of(shown.processes.begin(), shown.processes.end(),
        [&](const auto& entry) { return !known.processes.contains(entry.first); });
}

} // namespace

void Pacer::reset()
{
    if (m_isShow)
        return; // continues from its present position
    m_state = ClusterState();
    m_revision = 0;
    m_isStarted = false;
    forget();
    ++m_version;
}

// Forgets what is under way.
void Pacer::forget()
{
    m_incoming.clear();
    m_events.clear();
    m_queue = {};
    m_processes.clear();
    m_paces.clear();
    m_readable.clear();
    m_bundle.operations.clear();
    m_ends.clear();
    m_bundleEnd = m_stretchEnd = 0;
    m_last = m_clock;
}

// ---- a show

void Pacer::beginShow(const EventFeed& feed, std::uint64_t event)
{
    forget();
    m_isShow = m_isStarted = true;
    m_isLive = m_isAtGate = m_isRushing = false;
    m_feed = &feed;
    m_cursor = event;
    m_gate.reset();
    m_least = 0;
    m_revision = 0;
    synchronise();
    m_eventNs = m_newestNs = m_gateNs = m_feed->nowNs();
    m_endNs = m_eventNs - 1; // not known yet: looked up with the first event
}

void Pacer::endShow()
{
    if (!m_isShow)
        return;
    m_isShow = false;
    m_feed = &m_own;
    m_revision = 0;
    forget();
    goLive();
    m_isLive = m_isReduced;
}

void Pacer::beginCount()
{
    m_begun.clear();
    m_bundle = {};
}

void Pacer::setGate(const std::optional<Cue>& gate)
{
    if (gate == m_gate)
        return;
    m_gate = gate;
    m_isAtGate = false;
    m_paces.nextGate();
}

bool Pacer::isBeforeGate(const RunEvent& event) const
{
    return !m_gate || (m_gate->isByTime ? event.runNs <= m_gate->ns : event.index <= m_gate->event);
}

// Pulls the available events before the gate, and a little more for events received out of order.
void Pacer::pullShow()
{
    const std::int64_t enough = m_gate && m_gate->isByTime ? m_gate->ns + kLateNs : 0;
    while (m_queue.size() + m_incoming.size() < kAheadMax) {
        if (m_gate && (m_gate->isByTime ? m_gateNs > enough && m_cursor >= m_gate->event : m_cursor >= m_gate->event))
            break;
        const std::size_t most = m_gate && !m_gate->isByTime
            ? std::size_t(std::min<std::uint64_t>(kPullMax, m_gate->event - m_cursor))
            : kPullMax;
        EventPage page = m_feed->eventsSince(m_cursor, most);
        if (page.events.empty())
            break;
        m_cursor = page.next;
        m_newestNs = std::max(m_newestNs, page.events.back().runNs);
        for (RunEvent& event : page.events) {
            ProcessClock& process = m_processes[event.process];
            process.runNs = std::max(process.runNs, event.runNs);
            event.runNs = process.runNs;
            m_gateNs = std::max(m_gateNs, event.runNs);
            m_incoming.push_back({ m_time, std::move(event) });
        }
    }
    const auto waits = std::stable_partition(
        m_incoming.begin(), m_incoming.end(), [this](const Incoming& i) { return isBeforeGate(i.event); });
    std::stable_sort(
        m_incoming.begin(), waits, [](const Incoming& x, const Incoming& y) { return x.event.runNs < y.event.runNs; });
    for (auto entry = m_incoming.begin(); entry != waits; ++entry)
        schedule(entry->event);
    m_incoming.erase(m_incoming.begin(), waits);
}

bool Pacer::hasReachedGate() const
{
    if (!m_queue.empty())
        return false;
    if (m_gate && !m_gate->isByTime)
        return m_cursor >= m_gate->event;
    const bool isAllThere = m_cursor >= m_feed->committed();
    return m_gate ? m_cursor >= m_gate->event && (isAllThere || m_gateNs > m_gate->ns + kLateNs) : isAllThere;
}

void Pacer::takeState()
{
    if (!m_queue.empty() || !m_incoming.empty() || m_time - m_syncedAt <= kSyncEvery)
        return;
    m_syncedAt = m_time; // also if nothing is taken: the feed's state is not copied in each frame
    if (!m_isShow || !hasLeft(m_feed->state()))
        synchronise();
}

double Pacer::hopsAhead() const { return std::max(0.0, m_last - m_clock); }

// A stretch without anything to be read is shown in a bounded time.
double Pacer::rateOfShow()
{
    const double usual = 1 / m_hop;
    m_readable.erase(m_readable.begin(), m_readable.upper_bound(m_clock));
    const double next = m_readable.empty() ? m_last : *m_readable.begin();
    const double most = kBundle * m_hop / kHopNormal; // seconds
    if (m_clock >= m_stretchEnd)
        m_stretchRate = 0;
    if (next - m_clock > most * usual && (next > m_stretchEnd || m_stretchRate == 0)) {
        m_stretchRate = std::max(m_stretchRate, (next - m_clock) / most);
        m_stretchEnd = next;
    }
    if (m_stretchRate > usual)
        return m_stretchRate;
    const double ahead = hopsAhead();
    return m_least > 0 && ahead > 0 ? std::clamp(ahead / m_least, usual / kSlowestOfReading, usual) : usual;
}

void Pacer::stand()
{
    m_scheduled.clear();
    m_shown.clear();
}

std::int64_t Pacer::behindNs() const
{
    return m_isLive || !isBusy() ? 0 : std::max<std::int64_t>(0, m_newestNs - m_eventNs);
}

std::uint64_t Pacer::shownUpTo() const
{
    std::uint64_t first = m_cursor + 1;
    if (!m_events.empty())
        first = std::min(first, m_events.begin()->first);
    if (!m_incoming.empty())
        first = std::min(first, m_incoming.front().event.index);
    return first - 1;
}

std::int64_t Pacer::shownNs() const { return m_isLive || !isBusy() ? m_feed->nowNs() : m_eventNs; }

void Pacer::advance(double seconds)
{
    m_time += seconds;
    m_scheduled.clear();
    m_shown.clear();
    if (!m_isStarted) {
        m_isStarted = true;
        goLive();
        m_isLive = m_isReduced;
    }
    if (m_isShow) {
        pullShow();
        m_rate = rateOfShow();
        m_clock += seconds * m_rate;
        if (m_isRushing || m_isReduced)
            m_clock = std::max(m_clock, m_last);
        m_isRushing = false;
        show();
        const bool wasAtGate = std::exchange(m_isAtGate, hasReachedGate());
        // The next caption may name a process that has just joined.
        if (m_time - m_learntAt > kLearnEvery || (m_isAtGate && !wasAtGate))
            learnWhatNoEventTells();
        return;
    }
    pull(seconds);
    const double backlog = std::max(0.0, m_last - m_clock);
    // A slow message speed also allows a longer backlog.
    m_rate = std::max(1.0 / m_hop, backlog / (kCatchUp * std::max(1.0, m_hop / kHopNormal)));
    m_clock += seconds * m_rate;
    if (m_isLive) {
        if (m_feed->committed() != m_cursor || m_time - m_syncedAt > kSyncEvery || !m_shown.empty())
            synchronise();
        if (m_witness)
            for (const ShownEvent& shown : m_shown)
                m_witness(shown.run, m_state);
        return;
    }
    if (backlog > kBacklogMax || m_queue.size() > kWaitingMax) {
        goLive();
        return;
    }
    show();
    if (m_time - m_learntAt > kLearnEvery)
        learnWhatNoEventTells();
    if (isOnlyAlive() && m_time - m_syncedAt > kSyncEvery)
        synchronise();
}

// Takes over the newest state. The cursor is read first: events that the state already contains do no harm, because
// show() skips events that a process's sequence number marks as folded.
void Pacer::synchronise()
{
    m_syncedAt = m_time;
    // Read first: a concurrent change is then copied twice rather than missed.
    const std::uint64_t revision = m_feed->revision();
    if (revision != 0 && revision == m_revision)
        return; // an unchanged state is not drawn again
    m_state = m_feed->state();
    m_revision = revision;
    ++m_version;
}

// Takes over identities, ends and pauses, which no event reports, while events are still being shown. An end is shown
// in its turn, not before earlier events.
void Pacer::learnWhatNoEventTells()
{
    m_learntAt = m_time;
    const ClusterState now = m_feed->state();
    // Events of the next cluster do not describe this one. (In a show the next cluster begins with a cut. A process
    // that only the picture knows has just been shown: the state of the feed follows one frame later.)
    if (!m_isShow && isOfFormer(m_state, now)) {
        goLive();
        return;
    }
    const std::int64_t shown = shownNs();
    const bool isLeft = m_isShow && hasLeft(now);
    m_endNs = kNever;
    for (auto& [id, process] : m_state.processes) {
        const auto known = now.processes.find(id);
        if (known == now.processes.end())
            continue;
        if (process.kind == pb::PROCESS_UNKNOWN && known->second.kind != pb::PROCESS_UNKNOWN) {
            takeIdentity(process, known->second); // an event named it before its introduction arrived
            if (const auto client = m_state.clients.find(id); client != m_state.clients.end())
                client->second.name = process.name;
            changed();
        }
        const bool hasFailed = !isLeft || known->second.endReason == kKilledOnRequest;
        if (known->second.hasEnded && hasFailed && !process.hasEnded && known->second.lastEventNs <= shown) {
            m_state.markEnded(id, known->second.endReason, known->second.lastEventNs);
            changed();
        } else if (known->second.hasEnded && hasFailed && !process.hasEnded) {
            m_endNs = std::min(m_endNs, known->second.lastEventNs);
        } else if (known->second.isPaused != process.isPaused && !process.hasEnded) {
            m_state.markPaused(id, known->second.isPaused, shown);
            process.troubles = known->second.troubles; // includes the times of the pause
            changed();
        }
        // Samples of a watched process, up to the shown instant.
        auto& samples = process.samples;
        const std::size_t before = samples.size();
        const std::int64_t last = samples.empty() ? std::numeric_limits<std::int64_t>::min() : samples.back().runNs;
        for (const NodeSampleState& sample : known->second.samples)
            if (sample.runNs > last && sample.runNs <= shown)
                samples.push_back(sample);
        m_version += samples.size() > before ? 1 : 0;
        while (samples.size() > ProcessState::kSamples)
            samples.pop_front();
    }
}

void Pacer::goLive()
{
    m_isLive = true;
    m_calmSince = m_time;
    forget();
    m_cursor = m_feed->committed();
    synchronise();
}

void Pacer::pull(double seconds)
{
    EventPage page = m_feed->eventsSince(m_cursor, kPullMax);
    m_cursor = page.next;
    if (!page.events.empty())
        m_newestNs = page.events.back().runNs;
    if (m_isLive) {
        // Events further back than one page are already in the shown state.
        if (m_feed->committed() > m_cursor + 4 * kPullMax)
            m_cursor = m_feed->committed();
        for (RunEvent& event : page.events)
            m_shown.push_back({ std::move(event), m_clock, 1 });
        if (m_shown.size() > kCalmEvents)
            m_calmSince = m_time;
        if (!m_isReduced && m_time - m_calmSince > kCalm && seconds < kCalm) {
            m_isLive = false;
            synchronise();
        }
        return;
    }
    for (RunEvent& event : page.events)
        m_incoming.push_back({ m_time, std::move(event) });
    if (page.missed > 0 || m_isReduced) {
        goLive();
        return;
    }
    // Sorted by wall time over all processes, so that causes precede their effects; the order within a process is
    // kept. An event that has waited long enough is scheduled, together with all earlier events, even if they arrived
    // later.
    std::int64_t until = std::numeric_limits<std::int64_t>::min();
    for (Incoming& incoming : m_incoming) {
        if (incoming.arrived == m_time) {
            ProcessClock& process = m_processes[incoming.event.process];
            process.runNs = std::max(process.runNs, incoming.event.runNs);
            incoming.event.runNs = process.runNs;
        }
        if (m_time - incoming.arrived >= kGather)
            until = std::max(until, incoming.event.runNs);
    }
    const auto waits = std::stable_partition(
        m_incoming.begin(), m_incoming.end(), [until](const Incoming& i) { return i.event.runNs <= until; });
    std::stable_sort(
        m_incoming.begin(), waits, [](const Incoming& x, const Incoming& y) { return x.event.runNs < y.event.runNs; });
    for (auto entry = m_incoming.begin(); entry != waits; ++entry)
        schedule(entry->event);
    m_incoming.erase(m_incoming.begin(), waits);
}

bool Pacer::isOnlyAlive() const
{
    return m_queue.empty() && std::all_of(m_incoming.begin(), m_incoming.end(), [](const Incoming& i) {
        return !i.event.isGap() && isSignOfLife(*i.event.event);
    });
}

// The travel time of the message that caused the event: full for structural changes and for the first operations of a
// burst.
double Pacer::hopOf(const RunEvent& run)
{
    const pb::Event& event = *run.event;
    if (eventPaceOf(event).isFreight)
        return kFreightHop;
    if (isSignOfLife(event))
        return 0;
    if (event.operation().client() == 0 || (m_isShow && changesStructure(event)))
        return 1;
    const OperationPaces::Pace pace = m_paces.paceOf(event, m_isShow, m_clock);
    if (pace.isBundled)
        bundle(run);
    return pace.isFull ? 1 : OperationPaces::kQuickHop;
}

// The quick operations of a show are counted in words, a bundle at a time.
void Pacer::bundle(const RunEvent& run)
{
    const ProcessId client = run.event->operation().client();
    const pb::OperationKind kind = run.event->operation_started().kind();
    if (m_clock >= m_bundleEnd || m_bundle.client != client) {
        m_bundle.operations.clear();
        m_bundle.client = client;
        m_bundleFrom = m_processes[run.process].at;
    }
    m_bundle.operations[kind] = m_begun[{ client, kind }];
}

// When all that happened up to that time, as far as it is read, has been shown.
double Pacer::endOfWhatWas(std::int64_t runNs) const
{
    double end = 0;
    for (auto at = m_ends.begin(); at != m_ends.end() && at->first <= runNs; ++at)
        end = std::max(end, at->second);
    return end;
}

void Pacer::schedule(const RunEvent& run)
{
    ProcessClock& process = m_processes[run.process];
    double at = std::max(m_clock, process.at);
    double hop = 1;
    if (!run.isGap()) {
        const pb::Event& event = *run.event;
        const EventPace pace = eventPaceOf(event);
        const bool isSameStep = event.cause_process() != 0 && event.cause_process() == process.causeProcess
            && event.cause_sequence() == process.causeSequence;
        // Somebody waited for the operations before this one: it comes after them.
        const bool isNext = event.has_operation_started() && !m_paces.hasOpen();
        hop = hopOf(run);
        if (event.cause_process() != 0 && (!isSameStep || pace.hasOwnCause)) {
            const auto cause = m_processes.find(event.cause_process());
            if (cause != m_processes.end()) {
                const auto& times = cause->second.times;
                const auto found = std::lower_bound(times.begin(), times.end(), event.cause_sequence(),
                    [](const auto& entry, std::uint64_t sequence) { return entry.first < sequence; });
                if (found != times.end())
                    at = std::max(at, found->second + hop);
            }
        }
        // A timer ran out: what its process had waited for in vain is seen before. A command to break something, or
        // to end that, comes after all that was before it.
        const bool isCommand = isNext || event.has_fault_begun() || event.has_fault_ended();
        if (m_isShow && event.cause_process() == 0 && hop > 0)
            at = std::max(at, endOfWhatWas(run.runNs - (isCommand ? 1 : kSilenceNs)));
        // What a newcomer gets is sent when it is there; at some details no message tells when that left.
        if (pace.isNewcomer)
            process.placedAt = at;
        if (m_isShow && pace.isFreight)
            at = std::max(at, process.placedAt + kArrivalHop + kFreightHop);
        // Parts are ready within microseconds of each other; each of the first ones is seen by itself.
        if (m_isShow && pace.part) {
            if (*pace.part > 0 && *pace.part < kPartsApart)
                at = std::max(at, process.partAt + kPartHop);
            process.partAt = at;
        }
        if (m_isShow)
            at = m_paces.timeOf(event, run.process, hop == 1, at);
        if (event.has_operation_done())
            m_paces.end(event, at);
        process.causeProcess = event.cause_process();
        process.causeSequence = event.cause_sequence();
        process.times.emplace_back(event.sequence(), at);
        if (process.times.size() > kTimesKept)
            process.times.pop_front();
    }
    process.at = at;
    m_last = std::max(m_last, at);
    if (m_isShow && hop >= 0.5) {
        m_readable.insert(at);
        const double over = !run.isGap() && run.event->has_message_sent() ? at + hop : at; // the message's way
        double& end = m_ends.try_emplace(run.runNs, over).first->second;
        end = std::max(end, over);
        if (m_ends.size() > kEndsKept)
            m_ends.erase(m_ends.begin());
    }
    if (m_isShow && hop > 0 && hop < 0.5)
        m_bundleEnd = std::max(m_bundleEnd, at);
    ShownEvent shown { run, at, hop };
    m_scheduled.push_back(shown);
    m_queue.emplace(at, run.index);
    m_events.emplace(run.index, std::move(shown));
}

void Pacer::countBegun(const pb::Event& started)
{
    const ProcessId client = started.operation().client();
    const pb::OperationKind kind = started.operation_started().kind();
    const std::size_t begun = ++m_begun[{ client, kind }];
    if (const auto bundled = m_bundle.operations.find(kind);
        client == m_bundle.client && bundled != m_bundle.operations.end())
        bundled->second = begun;
}

void Pacer::show()
{
    while (!m_queue.empty() && m_queue.top().first <= m_clock) {
        const auto found = m_events.find(m_queue.top().second);
        m_queue.pop();
        ShownEvent shown = std::move(found->second);
        m_events.erase(found);
        m_eventNs = std::max(m_eventNs, shown.run.runNs);
        if (m_eventNs > m_endNs) // the end is its cause
            learnWhatNoEventTells();
        if (shown.run.isGap()) {
            m_state.applyGap(shown.run.process, shown.run.gapFirst, shown.run.gapLast);
            countIsPartial();
            changed();
        } else {
            const auto known = m_state.processes.find(shown.run.process);
            if (known == m_state.processes.end() || shown.run.event->sequence() > known->second.sequence) {
                m_state.apply(shown.run.process, *shown.run.event, shown.run.runNs);
                changed();
            }
        }
        if (m_isShow && !m_isRepeating && !shown.run.isGap() && shown.run.event->has_operation_started())
            countBegun(*shown.run.event);
        if (m_witness)
            m_witness(shown.run, m_state);
        m_shown.push_back(std::move(shown));
    }
}

} // namespace lhrs::gui
