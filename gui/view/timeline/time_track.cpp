// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/timeline/time_track.h"

#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/systems/view_systems.h"

#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr int kParts = 2'000; // of a recording
constexpr std::size_t kTrackPullMax = 8'192;
constexpr double kRebuildTrackEvery = 0.1; // seconds, while the run grows
constexpr qreal kMeant = 6; // pixels within which a click means a mark

SystemWords::EventMark lookOf(const TimeMark& mark)
{
    switch (mark.kind) {
    case TimeMark::Kind::Step: return { Glyph::Flag, &Theme::muted, 1 };
    case TimeMark::Kind::OfSystem: return mark.look;
    case TimeMark::Kind::Fault: return { Glyph::Warning, &Theme::caution, 0 };
    case TimeMark::Kind::Gap: return { Glyph::Question, &Theme::caution, 0 };
    case TimeMark::Kind::Own: return { Glyph::Flag, &Theme::text, 2 };
    }
    return {};
}

std::vector<int> markedKinds()
{
    using E = pb::Event;
    std::vector<int> kinds { 0, E::kFaultBegunFieldNumber, E::kFaultEndedFieldNumber, E::kGateClosedFieldNumber,
        E::kGateOpenedFieldNumber };
    const std::vector<int> ofSystems = kindsMarkedBySystems();
    kinds.insert(kinds.end(), ofSystems.begin(), ofSystems.end());
    return kinds;
}

} // namespace

std::optional<TimeMark> markOf(const RunEvent& run)
{
    using Kind = TimeMark::Kind;
    std::optional<Kind> kind;
    SystemWords::EventMark look;
    if (run.isGap()) {
        kind = Kind::Gap;
    } else if (const auto ofSystem = markOfSystems(*run.event)) {
        kind = Kind::OfSystem;
        look = *ofSystem;
    } else if (run.event->has_fault_begun()) {
        kind = Kind::Fault;
    }
    if (!kind)
        return std::nullopt;
    return TimeMark { run.runNs, 0, *kind, QString::fromStdString(sentence(run, ClusterState())), look };
}

TimeTrack::TimeTrack(TimeLine& time, const EventFeed& live, QWidget* parent)
    : QWidget(parent), m_time(time), m_live(live), m_list(m_theme)
{
    setObjectName(QStringLiteral("timeTrack"));
    setAccessibleName(tr("Time line of the run"));
    setMouseTracking(true);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

void TimeTrack::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_list.setTheme(theme);
    setFixedHeight(int(theme.px(24)));
    rebuild();
}

void TimeTrack::reset()
{
    m_counts.clear();
    m_marks.clear();
    m_shades.clear();
    m_partNs = 50'000'000;
    m_beginNs = 0;
    m_seen = m_live.committed();
    m_shownRecording = nullptr;
    if (m_time.isReplay())
        readRecording();
    else
        m_beginNs = m_time.beginNs();
    rebuild();
}

void TimeTrack::addMark(TimeMark mark)
{
    if (m_marks.size() >= kMarksMax)
        m_marks.pop_front();
    m_marks.push_back(std::move(mark));
}

// A recording is read once: all events as counts, and only the few marked kinds one by one.
void TimeTrack::readRecording()
{
    Recording& recording = *m_time.recording();
    m_shownRecording = &recording;
    m_beginNs = recording.beginNs();
    m_counts = recording.density(kParts);
    m_partNs = std::max<std::int64_t>(1, (recording.endNs() - recording.beginNs()) / kParts + 1);
    for (const RunEvent& run : recording.allOf(markedKinds())) {
        take(run);
        if (!m_marks.empty() && m_marks.back().ns == run.runNs)
            m_marks.back().event = run.index;
    }
    for (const Recording::Word& word : recording.words())
        if (word.told.has_ended())
            endShades(word.process, word.tNs);
    for (const Recording::Note& note : recording.markers())
        addMark({ note.tNs, note.event, note.kind == QLatin1String("step") ? TimeMark::Kind::Step : TimeMark::Kind::Own,
            note.text });
    std::stable_sort(m_marks.begin(), m_marks.end(), [](const TimeMark& x, const TimeMark& y) { return x.ns < y.ns; });
}

void TimeTrack::take(const RunEvent& run)
{
    if (auto mark = markOf(run))
        addMark(std::move(*mark));
    if (run.isGap())
        return;
    if (run.event->has_fault_begun()) {
        if (isInstant(run.event->fault_begun().fault()))
            return; // its mark is sufficient
        const std::uint64_t number = run.event->fault_begun().fault().number();
        const bool isKnown = std::any_of(
            m_shades.begin(), m_shades.end(), [&](const Shade& s) { return s.number == number; });
        if (!isKnown)
            m_shades.push_back(
                { number, run.runNs, 0, run.event->fault_begun().fault().has_crash() ? run.process : 0 });
        if (m_shades.size() > kShadesMax)
            m_shades.pop_front();
    } else if (run.event->has_fault_ended()) {
        for (Shade& shade : m_shades)
            if (shade.number == run.event->fault_ended().fault().number())
                shade.endNs = run.runNs;
    } else if (run.event->has_gate_closed()) { // all gates close together and open together
        if (m_shades.empty() || std::none_of(m_shades.begin(), m_shades.end(), [](const Shade& s) {
                return s.number == 0 && s.endNs == 0;
            }))
            m_shades.push_back({ 0, run.runNs, 0, 0 });
    } else if (run.event->has_gate_opened()) {
        for (Shade& shade : m_shades)
            if (shade.number == 0 && shade.endNs == 0)
                shade.endNs = run.runNs;
    }
}

// A process has ended: the kill that waited for it has happened.
void TimeTrack::endShades(ProcessId victim, std::int64_t ns)
{
    for (Shade& shade : m_shades)
        if (shade.victim == victim && shade.victim != 0 && shade.endNs == 0)
            shade.endNs = std::max(ns, shade.beginNs + 1);
}

bool TimeTrack::refresh(double seconds)
{
    m_sinceBuilt += seconds;
    if (m_time.isReplay()) {
        if (m_shownRecording != m_time.recording())
            reset();
        rebuild();
        return m_time.mode() == TimeLine::Mode::Play;
    }
    // The run also grows while the picture is paused.
    const EventPage page = m_live.eventsSince(m_seen, kTrackPullMax);
    m_seen = page.next;
    for (const RunEvent& run : page.events) {
        const std::int64_t at = std::max<std::int64_t>(0, run.runNs - m_beginNs) / m_partNs;
        if (std::size_t(at) >= m_counts.size() && at < std::int64_t(1) << 24)
            m_counts.resize(std::size_t(at) + 1);
        if (std::size_t(at) < m_counts.size())
            ++m_counts[std::size_t(at)];
        take(run);
    }
    if (m_sinceBuilt >= kRebuildTrackEvery || m_time.mode() == TimeLine::Mode::Play) {
        m_sinceBuilt = 0;
        if (std::any_of(m_shades.begin(), m_shades.end(), [](const Shade& s) { return s.victim != 0 && s.endNs == 0; }))
            for (const auto& [id, process] : m_live.state().processes)
                if (process.hasEnded)
                    endShades(id, process.endedNs);
        rebuild();
    }
    return m_time.mode() == TimeLine::Mode::Play;
}

qreal TimeTrack::xOf(std::int64_t ns) const
{
    const std::int64_t end = std::max(m_time.endNs(), m_beginNs + 1);
    const qreal margin = m_theme.px(8);
    return margin + (width() - 2 * margin) * std::clamp(double(ns - m_beginNs) / double(end - m_beginNs), 0.0, 1.0);
}

std::int64_t TimeTrack::nsAt(qreal x) const
{
    const std::int64_t end = std::max(m_time.endNs(), m_beginNs + 1);
    const qreal margin = m_theme.px(8), wide = std::max(1.0, width() - 2 * margin);
    return m_beginNs + std::int64_t(std::clamp((x - margin) / wide, 0.0, 1.0) * double(end - m_beginNs));
}

void TimeTrack::rebuild()
{
    m_list.clear();
    const qreal u = m_theme.px(1), left = xOf(m_beginNs), right = xOf(m_time.endNs());
    const QRectF lane(left, 11 * u, std::max(1.0, right - left), 11 * u);
    m_list.add(DisplayList::Box { lane, Outline::Rectangle, 0, m_theme.card, m_theme.outline, 1, false, false });
    for (const Shade& shade : m_shades) {
        const qreal from = xOf(shade.beginNs), to = xOf(shade.endNs != 0 ? shade.endNs : m_time.endNs());
        if (shade.number == 0) {
            m_list.add(DisplayList::Box { QRectF(from, lane.top(), std::max(2 * u, to - from), lane.height()),
                Outline::Rectangle, 0, {}, m_theme.text, 1, false, true });
            continue;
        }
        QColor fill = m_theme.caution;
        fill.setAlphaF(0.30f);
        m_list.add(DisplayList::Box { QRectF(from, lane.top(), std::max(u, to - from), lane.height()),
            Outline::Rectangle, 0, fill, {}, 0, false, false });
    }
    // One bar per pixel, with logarithmic height: a single event stays visible beside ten thousand.
    const int columns = std::max(1, int(lane.width()));
    std::vector<std::uint64_t> sums(std::size_t(columns), 0);
    const double total = double(std::max<std::int64_t>(1, m_time.endNs() - m_beginNs));
    for (std::size_t i = 0; i < m_counts.size(); ++i)
        if (m_counts[i] > 0)
            sums[std::size_t(
                std::clamp<double>((double(i) + 0.5) * double(m_partNs) / total * columns, 0, columns - 1))]
                += m_counts[i];
    const double most = std::log1p(double(*std::max_element(sums.begin(), sums.end())));
    QColor bar = m_theme.muted;
    for (int column = 0; column < columns; ++column) {
        if (sums[std::size_t(column)] == 0)
            continue;
        const qreal high = std::max(1.0, (lane.height() - 2) * std::log1p(double(sums[std::size_t(column)])) / most);
        m_list.add(DisplayList::Box { QRectF(lane.left() + column, lane.bottom() - 1 - high, 1, high),
            Outline::Rectangle, 0, bar, {}, 0, false, false });
    }
    // Where marks are crowded, the more important ones stay.
    std::vector<const TimeMark*> order;
    for (const TimeMark& mark : m_marks)
        order.push_back(&mark);
    std::stable_sort(order.begin(), order.end(),
        [](const TimeMark* x, const TimeMark* y) { return lookOf(*x).weight > lookOf(*y).weight; });
    std::vector<bool> taken(std::size_t(std::max(1, width() / int(12 * u) + 2)));
    for (const TimeMark* mark : order) {
        const qreal x = xOf(mark->ns);
        const auto slot = std::size_t(std::max(0.0, x / (12 * u)));
        if (slot >= taken.size() || taken[slot])
            continue;
        taken[slot] = true;
        const SystemWords::EventMark look = lookOf(*mark);
        m_list.add(DisplayList::Mark { QRectF(x - 4.5 * u, u, 9 * u, 9 * u), look.glyph, m_theme.*look.colour, {} });
    }
    const qreal x = xOf(m_time.cursorNs());
    m_list.add(
        DisplayList::Line { { QPointF(x, u), QPointF(x, lane.bottom() + 2 * u) }, m_theme.focus, 2.5 * u, false, 0 });
    setAccessibleDescription(
        tr("at %1 of %2").arg(durationWords(m_time.cursorNs() - m_beginNs), durationWords(m_time.endNs() - m_beginNs)));
    update();
}

void TimeTrack::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.cardHeader);
    m_list.paint(painter);
    if (m_pointed && !m_isDragging) {
        const qreal x = xOf(*m_pointed);
        painter.setPen(QPen(m_theme.text, m_theme.px(1.4), Qt::DashLine));
        painter.drawLine(QPointF(x, 0), QPointF(x, height()));
    }
}

void TimeTrack::setPointed(std::optional<std::int64_t> ns)
{
    if (ns == m_pointed)
        return;
    m_pointed = ns;
    update();
}

void TimeTrack::resizeEvent(QResizeEvent*) { rebuild(); }

const TimeMark* TimeTrack::markNear(qreal x) const
{
    const TimeMark* best = nullptr;
    for (const TimeMark& mark : m_marks)
        if (const qreal distance = std::abs(xOf(mark.ns) - x);
            distance <= m_theme.px(kMeant) && (best == nullptr || distance < std::abs(xOf(best->ns) - x)))
            best = &mark;
    return best;
}

void TimeTrack::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const TimeMark* mark = event->position().y() < m_theme.px(11) ? markNear(event->position().x()) : nullptr;
    if (mark != nullptr) {
        emit markChosen(mark->event, mark->ns);
        return;
    }
    m_isDragging = true;
    emit seekWanted(nsAt(event->position().x()));
}

void TimeTrack::mouseMoveEvent(QMouseEvent* event)
{
    if (m_isDragging) {
        emit seekWanted(nsAt(event->position().x()));
        return;
    }
    const TimeMark* mark = markNear(event->position().x());
    emit instantPointed(mark != nullptr ? mark->ns : nsAt(event->position().x()));
    const QString at = durationWords(nsAt(event->position().x()) - m_beginNs);
    QToolTip::showText(event->globalPosition().toPoint(),
        mark != nullptr ? durationWords(mark->ns - m_beginNs) + QStringLiteral("  ") + mark->words : at, this);
}

void TimeTrack::mouseReleaseEvent(QMouseEvent*) { m_isDragging = false; }

void TimeTrack::leaveEvent(QEvent*)
{
    m_isDragging = false;
    emit instantPointed(std::nullopt);
}

} // namespace lhrs::gui
