// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/show/director.h"

#include "gui/show/words/quantity_words.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace lhrs::gui {

namespace {

// Display time of a caption in s: a base, and an addition per word.
constexpr double kReadingBegin = 2.5, kReadingWord = 0.3;
constexpr double kReconsider = 2; // s that a question or an answer stays longer if the show does not stop for keys
// Time in s after which a silent script is assumed to have no entry for what has happened.
constexpr double kTrust = 3;
constexpr double kJustBegun = 2; // in s; after this, "back" goes to the start of the present step
constexpr double kStarved = 5; // s after which a missing event is no longer waited for
// Interval of real time for looking at what the recorder has written.
constexpr std::chrono::milliseconds kLookEvery(30);
constexpr double kHopOfRepetition = 2; // factor of the usual travel time, unless the script sets it
constexpr double kHopLeast = 0.1, kHopMost = 6; // travel time limits in s, in a replay

using Kind = ReelEntry::Kind;

// Entries that replace the caption; they wait until it has been read.
bool isSaid(Kind kind)
{
    switch (kind) {
    case Kind::Cluster:
    case Kind::Step:
    case Kind::Caption:
    case Kind::Question:
    case Kind::Answer:
    case Kind::Replay:
    case Kind::End: return true;
    case Kind::Camera:
    case Kind::Highlight:
    case Kind::Dwell:
    case Kind::Chart:
    case Kind::Check:
    case Kind::Print:
    case Kind::Note:
    case Kind::Exercise: break;
    }
    return false;
}

// Rounded to two digits, which is enough for a factor.
std::uint64_t rounded(double value)
{
    const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(std::max(1.0, value))) - 1));
    return std::uint64_t(std::round(value / unit) * unit);
}

} // namespace

double Director::readingSeconds(const QString& text)
{
    const auto words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts).size();
    return words == 0 ? 0 : kReadingBegin + kReadingWord * double(words);
}

// ---- the reel

void Director::beginLive()
{
    end();
    m_isOn = true;
    m_script = Script::Runs;
}

void Director::beginRecorded(std::vector<ReelEntry> reel)
{
    end();
    m_isOn = m_isRecorded = true;
    m_script = Script::Over;
    m_reel = std::move(reel);
    cutTo(0, 0);
}

void Director::end()
{
    if (m_isOn)
        leave();
    m_isOn = m_isVisit = m_isRecorded = m_isPaused = m_isAway = m_isGranted = m_isSkipping = m_isAnswered = false;
    m_reel.clear();
    m_next = m_steps = 0;
    m_awaited = 0;
    m_isGivenUp = false;
    m_clock = m_postedAt = m_dwellUntil = m_starvedSince = 0;
    m_scene = 1;
    m_caption = {};
    m_question.reset();
    m_answer.reset();
    m_again.reset();
    m_repeated.clear();
    m_gate = m_posted = {};
    m_shown.clear();
    m_script = Script::None;
    setHop();
}

void Director::add(ReelEntry entry)
{
    m_posted = entry.at;
    m_postedAt = m_clock;
    m_reel.push_back(std::move(entry));
}

void Director::setScript(Script script)
{
    if (script == m_script)
        return;
    m_script = script;
    m_postedAt = m_clock;
}

std::vector<ReelEntry> Director::takeShown() { return std::exchange(m_shown, {}); }

const ReelEntry* Director::nextEntry() const
{
    if (m_again)
        return m_again->next < m_again->entries.size() ? &m_again->entries[m_again->next] : nullptr;
    return m_next < m_reel.size() ? &m_reel[m_next] : nullptr;
}

// ---- per frame

void Director::advance(double seconds)
{
    if (!m_isOn)
        return m_pacer.advance(seconds);
    const TimeLine::Mode mode = m_time.mode();
    if (m_pacer.isShow() && mode != TimeLine::Mode::Show) { // a person looks at another instant
        m_stoodAt = m_pacer.shownUpTo();
        m_stoodNs = nsShown();
        m_isAway = true;
        m_pacer.endShow();
    }
    if (m_isPaused)
        return m_pacer.stand();
    if (m_isAway)
        return m_pacer.advance(seconds);
    m_clock += seconds;
    applyInTurn();
    openGate();
    lookAhead();
    if (isStarved() && m_clock - m_starvedSince <= kStarved)
        return m_pacer.stand();
    if (m_isSkipping || isInstant())
        m_pacer.rush();
    m_pacer.setRepeating(!m_repeated.isEmpty());
    m_pacer.advance(seconds);
    m_isGivenUp = isStarved() && m_pacer.hopsAhead() <= 0; // everything that is there has been painted
    if (!m_pacer.isShow())
        return applyInTurn();
    m_time.reachedBy(m_pacer.shownUpTo(), nsShown());
    if (m_time.cursor() == m_pacer.shownUpTo())
        m_pacer.takeState();
    applyInTurn();
    const bool isAlone = m_script == Script::Over || m_script == Script::Person;
    const bool isAsking = await() == Await::Question; // the script waits for the answer
    const bool isWaiting = isAlone ? hasBeenRead() : await() == Await::Step || isAsking;
    if (!m_isRecorded && !m_again && isWaiting && (!isStopped() || isAsking) && nextEntry() == nullptr
        && m_pacer.isAtGate())
        leave(); // no entry will come: further events and actions are shown as they happen
}

bool Director::isStarved() const
{
    return m_pacer.isShow() && !m_isRecorded && !m_time.isReplay() && m_time.ahead().committed() < m_awaited;
}

// A running cluster is recorded in parts; their timing says nothing about the time needed to show them.
void Director::lookAhead()
{
    const bool isWaiting = isStarved();
    if (!isWaiting)
        m_starvedSince = m_clock;
    if (!isWaiting && (!m_pacer.isShow() || m_pacer.gate())) // without a gate all new events are shown
        return;
    const auto now = std::chrono::steady_clock::now();
    if (now - m_lookedAt < kLookEvery)
        return;
    m_lookedAt = now;
    if (isWaiting && m_hurry)
        m_hurry();
    m_time.refreshAhead();
}

void Director::setGate(const std::optional<Cue>& gate)
{
    if (gate == m_pacer.gate())
        return;
    m_pacer.setGate(gate);
    // Events of an instant may be received in any order, so all that have been received by now are awaited.
    m_awaited = !gate ? 0 : gate->isByTime ? std::max(gate->event, m_time.received()) : gate->event;
    m_isGivenUp = false;
}

void Director::openGate()
{
    if (!m_pacer.isShow())
        return;
    const ReelEntry* next = nextEntry();
    std::optional<Cue> gate;
    if (m_caption.until)
        gate = m_caption.until;
    else if (isStopped() && m_answer)
        gate = m_gate;
    else if (next != nullptr)
        gate = turnOf(*next);
    else if (m_again)
        gate = m_again->until;
    else if (m_script == Script::Runs && m_clock - m_postedAt < kTrust)
        gate = m_posted;
    setGate(gate);
    m_pacer.setLeast(m_caption.text.isEmpty() ? 0 : readingSeconds(m_caption.text) - (m_clock - m_caption.since));
}

// What must be painted before the entry's turn. For a Cluster entry, that is everything up to the end of the former
// cluster; the picture is then cut.
Cue Director::turnOf(const ReelEntry& entry) const
{
    if (entry.kind != Kind::Cluster)
        return entry.at;
    return entry.from.isThere() ? entry.from : m_gate;
}

bool Director::hasBeenRead() const
{
    return m_isSkipping || isInstant()
        || m_clock - m_caption.since >= readingSeconds(m_caption.text) / std::max(1.0, m_speed);
}

// Whether an answer or a question waits for a key; if the show does not stop for keys, it only stays longer.
bool Director::isStopped() const
{
    const bool waits = (m_answer && !m_isAnswerSeen) || (m_question && !m_answer && !m_isAnswered);
    if (!waits || m_hasStops)
        return waits;
    return !isInstant()
        && m_clock - m_caption.since < (readingSeconds(m_caption.text) + kReconsider) / std::max(1.0, m_speed);
}

Director::Await Director::await() const
{
    if (!m_isOn || m_isAway || m_again)
        return Await::Nothing;
    if (m_hasStops && isStopped())
        return m_answer ? Await::Answer : Await::Question;
    const ReelEntry* next = nextEntry();
    const bool isAtEnd = next != nullptr ? next->kind == Kind::Step && m_hasStops && !m_isGranted
                                         : m_script == Script::Waits;
    if (!isAtEnd || (m_pacer.isShow() && !m_pacer.isAtGate()))
        return Await::Nothing;
    return m_steps == 0 ? Await::Begin : Await::Step;
}

// A person acts from here on; the set-up of the cluster is not shown before.
bool Director::isTaken(const ReelEntry& entry) const
{
    return entry.kind == Kind::Exercise && !m_isRecorded && !m_again;
}

bool Director::mayApply(const ReelEntry& entry) const
{
    if (isStopped() || m_clock < m_dwellUntil)
        return false;
    if (isTaken(entry))
        return hasBeenRead();
    if (isSaid(entry.kind) && (m_caption.until || !hasBeenRead()))
        return false;
    if (entry.kind == Kind::Step && m_hasStops && !m_isGranted)
        return false;
    if (!m_pacer.isShow())
        return true;
    return m_pacer.gate() == turnOf(entry) && (m_pacer.isAtGate() || m_isGivenUp);
}

void Director::applyInTurn()
{
    if (m_pacer.isShow() && m_caption.until && m_pacer.gate() == m_caption.until && m_pacer.isAtGate())
        m_caption.until.reset();
    while (const ReelEntry* next = nextEntry()) {
        const bool isTold = isSaid(next->kind) && next->kind != Kind::End && next->kind != Kind::Cluster;
        if (!m_pacer.isShow() && !m_isRecorded && isTold && mayApply(*next)) {
            cutTo(next->at.event, next->at.ns); // later events must not be shown before their turn
            m_pacer.countIsPartial();
        }
        if (m_pacer.isShow() && !isTaken(*next) && !m_caption.until && !isStopped()
            && m_pacer.gate() != turnOf(*next)) {
            setGate(turnOf(*next)); // what was shown already needs no further frame
            if (!m_pacer.isAtGate() && m_pacer.shownUpTo() < turnOf(*next).event)
                return;
        }
        if (!mayApply(*next))
            return;
        const ReelEntry entry = *next;
        ++(m_again ? m_again->next : m_next);
        apply(entry);
    }
    if (m_again && hasBeenRead() && !m_caption.until && m_pacer.gate() == m_again->until && m_pacer.isAtGate())
        endRepetition();
}

void Director::apply(const ReelEntry& entry)
{
    if (!m_again)
        m_gate = entry.at;
    switch (entry.kind) {
    case Kind::Cluster:
        if (!cutTo(entry.at.event, entry.at.ns))
            leave();
        break;
    case Kind::Step:
        ++m_steps;
        m_pacer.beginCount();
        m_isGranted = m_isSkipping = false;
        m_scene = 1;
        setHop();
        m_question.reset();
        m_answer.reset();
        m_stepAt = m_clock;
        say({}, {});
        break;
    case Kind::Caption:
        m_question.reset();
        m_answer.reset();
        say(entry.text, entry.until.isThere() ? std::optional(entry.until) : std::nullopt);
        break;
    case Kind::Question:
        m_question = entry;
        m_answer.reset();
        m_isAnswered = false;
        say(entry.text + QLatin1Char(' ') + entry.names.join(QLatin1Char(' ')), {});
        break;
    case Kind::Answer:
        m_answer = entry;
        m_isAnswerSeen = false;
        say(entry.text, {});
        break;
    case Kind::Dwell: m_dwellUntil = isInstant() ? 0 : m_clock + entry.seconds / std::max(1.0, m_speed); break;
    case Kind::Camera:
        if (entry.camera.speed && *entry.camera.speed > 0) {
            m_scene = std::clamp(*entry.camera.speed, kSlowest, kFastest);
            setHop();
        }
        break;
    case Kind::Replay: beginRepetition(entry); break;
    case Kind::Highlight:
    case Kind::Chart:
    case Kind::Check:
    case Kind::Print:
    case Kind::Note:
    case Kind::End: break;
    case Kind::Exercise:
        if (isTaken(entry))
            leave();
        break;
    }
    m_shown.push_back(entry);
}

void Director::say(const QString& text, const std::optional<Cue>& until)
{
    m_caption = { text, m_clock, until };
    if (!text.isEmpty())
        m_isSkipping = false;
}

// ---- position of the picture

bool Director::cutTo(std::uint64_t event, std::int64_t ns)
{
    if (!m_time.beginShow(event, ns))
        return false;
    m_cuts += event != m_pacer.shownUpTo() ? 1 : 0;
    m_pacer.endShow();
    m_pacer.beginShow(m_time.ahead(), event);
    m_begunAt = event;
    setHop();
    m_starvedSince = m_clock;
    return true;
}

// The time up to which reports without an event belong to the shown state.
std::int64_t Director::nsShown() const { return m_pacer.gate() ? m_pacer.gate()->ns : Recording::kEndOfTime; }

// The picture follows the run again, or stands at the position of the recording.
void Director::leave()
{
    if (!m_pacer.isShow())
        return;
    m_stoodAt = m_pacer.shownUpTo();
    m_stoodNs = nsShown();
    if (m_time.mode() == TimeLine::Mode::Show)
        m_time.isReplay() ? m_time.pause(m_time.cursorNs()) : m_time.follow();
    m_pacer.endShow();
}

void Director::resume()
{
    if (!m_isAway)
        return;
    m_isAway = false;
    if (nextEntry() == nullptr && !m_isRecorded)
        m_time.follow();
    else
        cutTo(m_stoodAt, m_stoodNs);
}

std::int64_t Director::behindNs(std::int64_t nowNs) const
{
    if (!m_pacer.isShow())
        return m_pacer.behindNs();
    return m_isRecorded ? 0 : std::max<std::int64_t>(0, nowNs - m_pacer.shownNs());
}

// ---- replay

bool Director::replay(const ReelEntry& interval)
{
    if (m_again)
        return true;
    if (!m_isOn) {
        m_isOn = m_isVisit = true;
        m_script = Script::Over;
    }
    beginRepetition(interval);
    if (!m_again && m_isVisit)
        end();
    return m_again.has_value();
}

void Director::beginRepetition(const ReelEntry& entry)
{
    Repetition again;
    again.until = entry.until;
    again.main = m_pacer.isShow() ? m_pacer.shownUpTo() : m_time.committed();
    again.mainNs = nsShown();
    again.wasShow = m_pacer.isShow();
    for (const ReelEntry::Said& said : entry.captions)
        again.entries.push_back({ .kind = Kind::Caption, .at = said.at, .text = said.text });
    std::uint64_t from = entry.from.isByTime && entry.from.event > 0 ? entry.from.event - 1 : entry.from.event;
    if (entry.from.isByTime && entry.from.event == 0) // its event is not known, only its time
        from = m_time.eventAt(entry.from.ns);
    if (!cutTo(from, entry.from.ns))
        return;
    // Measures the duration at normal speed, to scale it to the requested one.
    Pacer measure(m_time.ahead());
    measure.beginShow(m_time.ahead(), from);
    measure.setGate(entry.until);
    measure.advance(0);
    const double hops = measure.hopsAhead(), run = double(entry.until.ns - entry.from.ns) / 1e9;
    double hop = Pacer::kHopNormal * kHopOfRepetition;
    if (entry.slower > 0 && hops > 0)
        hop = entry.slower * run / hops;
    again.hop = std::clamp(hop, kHopLeast, kHopMost);
    m_repeated = run > 0
        ? QStringLiteral("again, %1 times slower").arg(grouped(rounded(std::max(1.0, again.hop * hops / run))))
        : QStringLiteral("again");
    m_again = std::move(again);
    setHop();
}

void Director::endRepetition()
{
    const Repetition again = *m_again;
    m_again.reset();
    m_repeated.clear();
    if (again.wasShow)
        cutTo(again.main, again.mainNs);
    else
        leave();
    setHop();
    if (m_isVisit)
        end();
}

// ---- requests of a person

// If the picture was live: what happened while the person was thinking has been seen; the show continues with what
// happens from now on.
void Director::goOnFromNow()
{
    if (!m_pacer.isShow() && !m_isRecorded && m_gate.isThere()) {
        cutTo(m_time.committed(), Recording::kEndOfTime);
        m_pacer.countIsPartial();
    }
}

Director::Went Director::next()
{
    if (!m_isOn || isFree())
        return Went::Nowhere;
    if (m_isAway || m_isPaused) {
        resume();
        m_isPaused = false;
        return Went::Resumed;
    }
    switch (await()) {
    case Await::Question:
        m_isAnswered = true;
        goOnFromNow();
        m_postedAt = m_clock; // the script goes on now, and is given the time to say what follows
        return Went::Answered;
    case Await::Answer: m_isAnswerSeen = true; return Went::Skipped;
    case Await::Begin:
    case Await::Step:
        m_isGranted = true;
        goOnFromNow();
        m_postedAt = m_clock;
        return Went::NextStep;
    case Await::Nothing: m_isSkipping = true; break;
    }
    return Went::Skipped;
}

void Director::back()
{
    if (!m_isOn)
        return;
    const bool isHere = !m_isAway && m_clock - m_stepAt < kJustBegun;
    std::vector<std::size_t> steps; // those that have begun
    for (std::size_t i = 0; i < m_next; ++i)
        if (m_reel[i].kind == Kind::Step)
            steps.push_back(i);
    if (steps.empty())
        return;
    if (isHere && steps.size() > 1)
        steps.pop_back();
    m_isAway = m_isPaused = m_isSkipping = false;
    m_again.reset();
    m_repeated.clear();
    m_question.reset();
    m_answer.reset();
    m_next = steps.back();
    m_steps = steps.size() - 1;
    m_isGranted = true;
    say({}, {});
    if (!cutTo(m_reel[m_next].at.event, m_reel[m_next].at.ns))
        return;
    // Restores the camera requests of the scenario since the last cluster.
    std::size_t cluster = 0;
    for (std::size_t i = 0; i < m_next; ++i)
        if (m_reel[i].kind == Kind::Cluster)
            cluster = i;
    for (std::size_t i = cluster; i < m_next; ++i)
        if (m_reel[i].kind == Kind::Camera)
            m_shown.push_back(m_reel[i]);
}

void Director::setPaused(bool on) { m_isPaused = on && m_isOn; }

void Director::toNow()
{
    if (!m_isOn)
        return m_time.follow();
    m_isPaused = m_isAway = false;
    m_again.reset();
    m_repeated.clear();
    while (const ReelEntry* next = nextEntry()) {
        if (next->kind == Kind::Step && m_hasStops && !m_isGranted)
            break;
        if (next->kind == Kind::Replay) {
            ++m_next;
            continue;
        }
        if (m_question && !m_answer && !m_isAnswered && next->kind != Kind::Answer)
            break;
        const ReelEntry entry = *next;
        ++m_next;
        apply(entry);
        m_caption.until.reset();
        m_isAnswerSeen = true;
    }
    setHop();
    leave();
    m_time.follow();
}

void Director::setSpeed(double speed)
{
    m_speed = speed >= kInstant ? kInstant : std::clamp(speed, kSlowest, kFastest);
    setHop();
}

void Director::setHop()
{
    m_pacer.setHop((m_again ? m_again->hop : Pacer::kHopNormal) / (std::min(m_speed, kFastest) * m_scene));
}

} // namespace lhrs::gui
