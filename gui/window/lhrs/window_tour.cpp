// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_tour.h"

#include "common/lhrs/decode_story.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/local/local_cluster.h"
#include "gui/window/commands/lhrs/file_line.h"
#include "gui/window/panels/guide_panel.h"
#include "gui/window/lhrs/window_group.h"
#include "gui/window/lhrs/window_records.h"
#include "gui/window/widgets/remembered.h"

#include <QScopedValueRollback>
#include <QSpinBox>

namespace lhrs::gui {

namespace {

constexpr double kTourDeedEvery = 0.2; // seconds between two actions of the tour
constexpr std::size_t kTourEvents = 2'000;
const QString kTourStopKey = QStringLiteral("tour/stop");

QStringList tourKeysOf(const QAction& action)
{
    QStringList keys;
    for (const QKeySequence& key : action.shortcuts())
        keys << key.toString(QKeySequence::NativeText);
    return keys;
}

// The widget is visible and not behind another tab.
bool isBeforeTheEyes(const QWidget& widget) { return widget.isVisible() && !widget.visibleRegion().isEmpty(); }

} // namespace

WindowTour::WindowTour(WindowParts& parts, FileParts& file, GuidePanel& panel, const WindowGroup& group,
    const WindowRecords& records, Remembered& remembered)
    : GuidedTour(&parts.window), m_parts(parts), m_file(file), m_guide(panel), m_group(group), m_records(records),
      m_remembered(remembered), m_tour([this](const char* action) { return wordsOf(action); })
{
    m_left = int(m_remembered.number(kTourStopKey, 0, Tour::kStops, 0));
    m_parts.actions.add({ "tour", "Help", "Tour", "F2",
                            "Shows in eight stops what this window and LH*RS are; goes on where it was left" },
        [this] { start(); });
    ClusterCommands& cluster = m_parts.commands;
    connect(&cluster.link(), &ClusterLink::clusterChanged, this, [this] {
        m_isOurs = m_isStarting;
        m_tour.forgetCluster();
        m_cursor = m_parts.commands.session().ingest().committed();
    });
    connect(&cluster.report(), &CommandReport::answered, this,
        [this](const QString& line, const QString& outcome, bool isGood) {
            if (m_line.isEmpty() || line != m_line)
                return;
            m_line.clear();
            m_tour.done(isGood, outcome);
        });
    // Only while the tour is on: the guide may be used by an exercise.
    GuidePanel& guide = m_guide;
    const auto when = [this, &guide](void (GuidePanel::*wanted)(), const std::function<void()>& act) {
        connect(&guide, wanted, this, [this, act] {
            if (isOn())
                act();
        });
    };
    when(&GuidePanel::nextWanted, [this] { m_tour.stop() < Tour::kStops ? goTo(m_tour.stop() + 1) : finish(); });
    when(&GuidePanel::backWanted, [this] { goTo(m_tour.stop() - 1); });
    when(&GuidePanel::againWanted, [this] {
        if (m_isOurs || m_parts.mayForgetRun())
            m_tour.beginAnew();
    });
    when(&GuidePanel::leaveWanted, [this] { leave(); });
}

void WindowTour::keep(int stop)
{
    m_left = stop;
    m_remembered.keep(kTourStopKey, stop);
    emit stopChanged();
}

void WindowTour::start()
{
    if (isOn())
        return;
    const int stop = std::max(1, m_left);
    if (m_isOurs && m_parts.commands.link().state() == LinkState::Here) {
        goTo(stop);
        return;
    }
    if (!m_isOurs && !m_parts.mayForgetRun())
        return;
    goTo(stop);
    m_tour.beginAnew();
}

void WindowTour::goTo(int stop)
{
    m_tour.begin(stop);
    keep(m_tour.stop());
    if (m_parts.workspaces.now() != Workspace::Lecture)
        m_parts.workspaces.enter(Workspace::Lecture); // the whole picture, with one thing after the other
    m_line.clear();
}

void WindowTour::leave()
{
    m_tour.leave();
    m_guide.hide();
    emit stopChanged();
}

void WindowTour::finish()
{
    leave();
    keep(0);
}

// Small enough that all of it is visible at once, and the same each time.
LocalOptions WindowTour::clusterOptions()
{
    LocalOptions options;
    options.config.set_m(kTourM);
    options.config.set_availability(kTourK);
    options.config.set_b(kTourB);
    options.config.set_field(pb::GF_16);
    options.config.set_recovery(pb::RECOVERY_AUTOMATIC);
    options.config.set_slice(kTourB / 2); // so that several slices are seen
    options.dataServers = kTourDataServers;
    options.parityServers = kTourParityServers;
    options.simulated = SimulatedOptions { .seed = kTourSeed };
    return options;
}

void WindowTour::startCluster()
{
    const QScopedValueRollback guard(m_isStarting, true);
    emit closeWanted();
    m_parts.director.end(); // ends a show that was played before
    m_parts.player.forgetWords();
    const LocalOptions options = clusterOptions();
    m_parts.commands.session().local().preferSimulated(options.simulated);
    m_parts.commands.link().start(options, fileLine(options, kTourRecordBytes), kTourRecordBytes, kTourClients);
}

void WindowTour::carryOut(const TourDeed& deed)
{
    ClusterCommands& cluster = m_parts.commands;
    m_line.clear();
    // The line is reported at once, and answered when the command has been carried out.
    const auto said = connect(
        &cluster.report(), &CommandReport::said, this, [this](const QString& line) { m_line = line; });
    bool isDone = false;
    switch (deed.kind) {
    case TourDeed::Kind::Start: startCluster(); break;
    case TourDeed::Kind::Count:
        m_parts.workloads->countBox()->setValue(int(deed.number));
        isDone = true;
        break;
    case TourDeed::Kind::Choose:
        m_parts.workloads->chooseClient(deed.process);
        isDone = true;
        break;
    case TourDeed::Kind::Client: cluster.clients().start(); break;
    case TourDeed::Kind::Insert: cluster.clients().run(deed.process, { pb::INSERT, deed.number, 1 }); break;
    case TourDeed::Kind::InsertKey: m_file.clients.insert(deed.process, deed.number); break;
    case TourDeed::Kind::Forget: m_file.clients.forgetImage(deed.process); break;
    case TourDeed::Kind::Split: m_file.file.split(); break;
    case TourDeed::Kind::Spares: m_file.file.addSpares(2, 1); break;
    case TourDeed::Kind::RunClock: cluster.clock().run(1); break;
    case TourDeed::Kind::PauseClock: cluster.clock().pause(); break;
    case TourDeed::Kind::Kill:
        cluster.faults().kill(deed.process, QStringLiteral("lab.data(%1)").arg(deed.bucket));
        break;
    }
    disconnect(said);
    if (isDone)
        m_tour.done(true, {});
}

// ---- input of the tour

bool WindowTour::refresh(double seconds)
{
    m_time += seconds;
    ClusterCommands& cluster = m_parts.commands;
    m_isOurs = m_isOurs && !cluster.link().scenarioRuns() && cluster.link().state() != LinkState::None;
    const Pacer& pacer = m_parts.pacer;
    // Passes on the events of this cluster that the picture has shown, in order. Events that happened while it showed
    // the past are passed on when it is back.
    if (m_isOurs && m_parts.timeLine.mode() == TimeLine::Mode::Follow) {
        const std::uint64_t shown = pacer.shownUpTo();
        const EventPage page = m_cursor < shown ? cluster.session().ingest().eventsSince(m_cursor, kTourEvents)
                                                : EventPage();
        for (const RunEvent& event : page.events) {
            if (event.index > shown)
                break;
            m_tour.take(event, pacer.state());
            m_cursor = event.index;
        }
    }
    if (!isOn())
        return false;
    const TourSight seen = sight();
    const ClusterState newest = cluster.session().ingest().state();
    m_tour.look(pacer.state(), newest, seen);
    if (m_time - m_deedAt >= kTourDeedEvery) {
        if (const auto deed = m_tour.takeDeed()) {
            m_deedAt = m_time;
            carryOut(*deed);
        }
    }
    m_guide.show(m_tour.words(newest, seen));
    return false;
}

TourSight WindowTour::sight() const
{
    ClusterCommands& cluster = m_parts.commands;
    TourSight seen;
    using Link = TourSight::Link;
    switch (cluster.link().state()) {
    case LinkState::None: seen.link = Link::None; break;
    case LinkState::Starting: seen.link = Link::Starting; break;
    case LinkState::Here: seen.link = Link::Here; break;
    case LinkState::Lost: seen.link = Link::Gone; break;
    }
    seen.isOurs = m_isOurs;
    seen.trouble = cluster.link().trouble();
    seen.isRecording = m_parts.timeLine.isReplay();
    seen.isScenario = cluster.link().scenarioRuns();
    seen.isFull = cluster.session().control().detail() == pb::FULL;
    seen.isClockPaused = cluster.session().control().simulation()
        && cluster.session().control().simulation()->is_paused();
    seen.selected = m_parts.selection.selected();
    seen.client = m_parts.workloads->client();
    seen.count = std::uint64_t(m_parts.workloads->countBox()->value());
    if (seen.selected.kind == ObjectKind::Data && isBeforeTheEyes(m_records.table()))
        seen.table = std::uint32_t(seen.selected.a);
    seen.isPast = m_parts.timeLine.mode() != TimeLine::Mode::Follow;
    seen.shownNs = m_parts.pacer.shownNs();
    seen.group = groupSeen();
    return seen;
}

std::optional<TourSight::Group> WindowTour::groupSeen() const
{
    const RecordGroupView& view = m_group.view();
    const Decoding* decoding = view.decoding();
    if (!view.isOpen() || !isBeforeTheEyes(view))
        return std::nullopt;
    TourSight::Group seen { .number = view.groupNumber(), .rank = view.rank() };
    if (!decoding || !decoding->hasBytes)
        return seen;
    const Field field(decoding->group.field);
    seen.digits = int(2 * field.symbolBytes());
    seen.index = decoding->wish.symbol;
    const auto symbolOf = [&](const GroupMember& member) {
        return std::uint32_t(symbolAt(field, std::as_bytes(std::span(member.record.bytes)), seen.index));
    };
    std::vector<TourSight::Part> parts;
    for (const GroupMember& member : decoding->group.members) {
        if (member.standing == GroupMember::Standing::Dummy)
            continue;
        if (member.standing != GroupMember::Standing::Here || !member.isRead)
            return seen;
        if (member.place.role() == pb::PARITY) {
            if (member.place.column() == 0)
                seen.parity = symbolOf(member);
            continue;
        }
        parts.push_back({ member.place.number(), member.record.isPresent, member.record.key, symbolOf(member) });
    }
    seen.parts = std::move(parts);
    return seen;
}

// The action as menu and keys name it now: "“Insert” (Ctrl+I, or menu Client)".
QString WindowTour::wordsOf(const char* action) const
{
    const Actions& actions = m_parts.actions;
    const QAction* known = actions.get(action);
    QString name = known->text();
    name.remove(QStringLiteral(" …"));
    const QString menu = actions.menuOf(known).replace(QLatin1Char('/'), QStringLiteral(" > "));
    QStringList keys = tourKeysOf(*known);
    for (QString& key : keys)
        if (key.size() == 1 && key[0].isPunct())
            key = tr("the key “%1”").arg(key);
    return keys.isEmpty() ? tr("“%1” (menu %2)").arg(name, menu)
                          : tr("“%1” (%2, or menu %3)").arg(name, keys.join(tr(" or ")), menu);
}

} // namespace lhrs::gui
