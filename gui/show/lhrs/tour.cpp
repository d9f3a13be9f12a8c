// SPDX-License-Identifier: GPL-3.0-or-later
// How the tour moves from stop to stop: its preparations, its obstacles, and its texts.
#include "gui/show/lhrs/tour.h"

#include "common/errors.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/show/lhrs/example_subject.h"

#include <algorithm>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr int kTries = 40; // tries of a refused action: a client that has just started may not know the coordinator yet

// "the tour has ...", with each kind of action once.
QStringList deedWords(const std::vector<TourDeed>& deeds, const ClusterState& state)
{
    const auto name = [&state](ProcessId process) { return QString::fromStdString(processShown(process, state)); };
    QStringList words;
    std::uint64_t inserted = 0, chosen = 0;
    std::vector<std::uint32_t> killed;
    std::uint32_t into = 0;
    const auto add = [&words](const QString& text) {
        if (!words.contains(text))
            words << text;
    };
    for (const TourDeed& deed : deeds) {
        switch (deed.kind) {
        case TourDeed::Kind::Start: add(QStringLiteral("started a simulated cluster")); break;
        case TourDeed::Kind::Count: add(QStringLiteral("set the number of operations to %1").arg(deed.number)); break;
        case TourDeed::Kind::Client: add(QStringLiteral("started one more client")); break;
        case TourDeed::Kind::Choose:
            add(QStringLiteral("chosen %1 as the client of the "
                               "buttons")
                    .arg(name(deed.process)));
            break;
        case TourDeed::Kind::Insert: inserted += deed.number; break;
        case TourDeed::Kind::InsertKey:
            ++chosen;
            into = deed.bucket;
            break;
        case TourDeed::Kind::Forget: add(QStringLiteral("made %1 forget its image").arg(name(deed.process))); break;
        case TourDeed::Kind::Split: add(QStringLiteral("split a bucket")); break;
        case TourDeed::Kind::Spares: add(QStringLiteral("started more spares")); break;
        case TourDeed::Kind::RunClock: add(QStringLiteral("let virtual time go on")); break;
        case TourDeed::Kind::PauseClock: add(QStringLiteral("stopped virtual time")); break;
        case TourDeed::Kind::Kill: killed.push_back(deed.bucket); break;
        }
    }
    if (inserted > 0)
        words << QStringLiteral("inserted %1").arg(countedWords(inserted, "record", "records"));
    if (chosen > 0)
        words << QStringLiteral("inserted %1 into bucket %2").arg(countedWords(chosen, "record", "records")).arg(into);
    if (!killed.empty())
        words << QStringLiteral("killed %1").arg(example::bucketsWords(killed));
    return words;
}

bool isWithoutCoordinator(const ClusterState& state)
{
    const auto isOne = [](const auto& item) { return item.second.kind == pb::COORDINATOR; };
    const auto runs = [&](const auto& item) { return isOne(item) && !item.second.hasEnded; };
    return std::any_of(state.processes.begin(), state.processes.end(), isOne)
        && std::none_of(state.processes.begin(), state.processes.end(), runs);
}

} // namespace

Tour::Tour(ActionWords words) : m_words(std::move(words)), m_stops(tourStops())
{
    LHRS_CHECK(m_stops.size() == kStops);
}

Tour::~Tour() = default;

void Tour::begin(int stop)
{
    m_stop = std::clamp(stop, 1, kStops);
    m_wasDoneBefore = now().isDone();
    m_isReady = m_wasDoneBefore;
    m_task.clear();
    m_deed.reset();
    m_did.clear();
    m_needTrouble.clear();
    m_deedTrouble.clear();
    m_failures = 0;
}

void Tour::beginAnew()
{
    forgetCluster();
    begin(m_stop);
    m_under.reset();
    m_deed = TourDeed { TourDeed::Kind::Start };
}

void Tour::forgetCluster()
{
    m_stops = tourStops();
    m_last = 0;
    m_isReady = m_wasDoneBefore = false;
    m_task.clear();
    m_deed.reset();
    if (m_under && m_under->kind != TourDeed::Kind::Start)
        m_under.reset();
}

void Tour::take(const RunEvent& event, const ClusterState& state)
{
    if (event.index <= m_last)
        return; // the past is being replayed
    m_last = event.index;
    if (event.isGap())
        return;
    for (const auto& stop : m_stops)
        stop->take(event, state);
}

void Tour::look(const ClusterState& shown, const ClusterState& newest, const TourSight& sight)
{
    for (std::size_t i = 0; i < m_stops.size(); ++i)
        m_stops[i]->look(shown, sight, int(i) + 1 == m_stop && m_isReady);
    m_needTrouble.clear();
    if (isOn() && now().isDone())
        m_isReady = true; // it was done meanwhile, by a person
    if (!isOn() || now().isDone() || m_deed || !m_deedTrouble.isEmpty())
        return;
    if (m_under) {
        if (!m_isAnswered || !hasEffect(newest, sight))
            return;
        m_did.push_back(*std::exchange(m_under, std::nullopt));
    }
    if (sight.link != TourSight::Link::Here || !sight.isOurs || sight.isRecording || sight.isScenario)
        return;
    const TourNeed need = now().need(newest, sight);
    m_needTrouble = need.trouble;
    if (m_isReady || !need.trouble.isEmpty())
        return;
    m_isReady = need.isMet();
    if (m_isReady)
        m_task = now().task(newest);
    m_deed = need.deed;
}

std::optional<TourDeed> Tour::takeDeed()
{
    if (!m_deed)
        return std::nullopt;
    m_under = std::exchange(m_deed, std::nullopt);
    m_isAnswered = false;
    return m_under;
}

void Tour::done(bool isGood, const QString& why)
{
    if (!m_under)
        return;
    if (isGood) {
        m_failures = 0;
        m_isAnswered = true;
        return;
    }
    const bool isStart = m_under->kind == TourDeed::Kind::Start;
    m_under.reset();
    if (++m_failures >= kTries || isStart)
        m_deedTrouble = why;
}

// The state shows the effect of an action too; until then the action is not repeated.
bool Tour::hasEffect(const ClusterState& newest, const TourSight& sight) const
{
    const auto process = newest.processes.find(m_under->process);
    switch (m_under->kind) {
    case TourDeed::Kind::Start: return sight.isOurs && newest.file.exists && !newest.clients.empty();
    case TourDeed::Kind::InsertKey: {
        const auto bucket = newest.data.find(m_under->bucket);
        if (bucket == newest.data.end())
            return true; // whatever the outcome
        for (const std::uint32_t page : bucket->second.ranks.pages())
            for (const auto& [rank, key] : bucket->second.ranks.inPage(page))
                if (key == m_under->number)
                    return true;
        return false;
    }
    case TourDeed::Kind::Forget:
        return newest.fileClient(m_under->process).image.i() == 0 && newest.fileClient(m_under->process).image.n() == 0;
    case TourDeed::Kind::Choose: return sight.client == m_under->process;
    case TourDeed::Kind::RunClock: return !sight.isClockPaused;
    case TourDeed::Kind::PauseClock: return sight.isClockPaused;
    case TourDeed::Kind::Kill: return process == newest.processes.end() || process->second.hasEnded;
    case TourDeed::Kind::Count:
    case TourDeed::Kind::Client:
    case TourDeed::Kind::Insert:
    case TourDeed::Kind::Split:
    case TourDeed::Kind::Spares: break;
    }
    return true;
}

QString Tour::trouble(const ClusterState& newest, const TourSight& sight) const
{
    using Link = TourSight::Link;
    const QString anew = QStringLiteral("“Begin anew” starts a new cluster for this stop.");
    if (sight.isScenario)
        return QStringLiteral("A scenario drives the cluster. End it first: %1. %2").arg(m_words("stopScenario"), anew);
    if (sight.isRecording)
        return QStringLiteral("A recording is shown, in which nothing can be done. Close it: %1; or begin "
                              "anew.")
            .arg(m_words("closeRecording"));
    if (sight.link == Link::None && !m_under && !m_deed)
        return QStringLiteral("There is no cluster. %1 %2").arg(sight.trouble, anew).simplified();
    if (sight.link == Link::Gone)
        return QStringLiteral("The cluster does not answer any more: its coordinator, or the process that simulates "
                              "it, has ended. %1")
            .arg(anew);
    if (sight.link == Link::Here && !sight.isOurs && !m_under && !m_deed)
        return QStringLiteral("This is not the cluster of the tour. %1").arg(anew);
    if (sight.link == Link::Here && isWithoutCoordinator(newest))
        return QStringLiteral("The coordinator has ended, so no bucket splits and none is recovered. %1").arg(anew);
    if (!m_deedTrouble.isEmpty())
        return QStringLiteral("The tour could not prepare this stop: %1 %2").arg(m_deedTrouble, anew);
    if (!m_needTrouble.isEmpty())
        return QStringLiteral("%1 %2").arg(m_needTrouble, anew);
    if (!sight.isFull)
        return QStringLiteral("The processes leave out some of their events, and without them nothing can be judged. "
                              "Choose %1.")
            .arg(m_words("detailFull"));
    if (sight.isPast && m_stop != kStops)
        return QStringLiteral("The picture shows the past. Back to now: %1.").arg(m_words("follow"));
    if (m_isReady && sight.isClockPaused && m_stop < 7)
        return QStringLiteral("Virtual time stands still, so nothing happens. Let it go on: "
                              "%1.")
            .arg(m_words("virtualRun"));
    return {};
}

GuideWords Tour::words(const ClusterState& newest, const TourSight& sight) const
{
    if (!isOn())
        return {};
    const TourStop& stop = now();
    GuideWords words;
    words.place = QStringLiteral("Tour, stop %1 of %2").arg(m_stop).arg(kStops);
    words.title = stop.title();
    words.mayGoBack = m_stop > 1;
    words.isDone = stop.isDone();
    if (m_stop == kStops)
        words.nextWords = QStringLiteral("Finish");
    words.hasHint = true;
    words.hint = stop.hint(m_words);
    if (!words.isDone)
        words.trouble = trouble(newest, sight);
    if (!m_isReady) {
        if (words.trouble.isEmpty())
            words.task = m_under && m_under->kind == TourDeed::Kind::Start
                ? QStringLiteral("The tour starts a simulated cluster: one process plays all of them, on a clock of "
                                 "its own.")
                : QStringLiteral("The tour prepares this stop …");
        return words;
    }
    const QStringList did = deedWords(m_did, newest);
    words.task = m_task.isEmpty() ? stop.task(newest) : m_task;
    if (!did.isEmpty())
        words.task += QStringLiteral(" For this stop the tour has %1.").arg(example::listed(did));
    words.goals = stop.goals(newest, m_words);
    words.held = stop.held();
    if (!words.isDone)
        return words;
    words.seen = m_wasDoneBefore ? QStringLiteral("You have seen this already. %1").arg(stop.seen()) : stop.seen();
    if (m_stop == kStops)
        words.seen += QStringLiteral(" On from here: %1 explains all words, %2 plays a "
                                     "scenario.")
                          .arg(m_words("glossary"), m_words("openScenario"));
    return words;
}

} // namespace lhrs::gui
