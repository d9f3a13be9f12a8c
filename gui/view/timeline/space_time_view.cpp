// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/timeline/space_time_view.h"

#include "gui/lab/words/process/process_words.h"
#include "gui/lab/words/sentences.h"
#include "gui/show/show_systems.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/system/host_clock.h"
#include "gui/view/systems/view_systems.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QSignalBlocker>
#include <QToolTip>
#include <QVBoxLayout>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

namespace lhrs::gui {

namespace {

constexpr std::size_t kDiagramPullMax = 8'000;
constexpr std::uint64_t kLookedThrough = 40'000; // events before an instant that are examined
constexpr double kRebuildEvery = 0.12; // seconds
constexpr double kTicksFirst = 48; // Lamport numbers that are visible at first
constexpr double kTicksLeast = 6, kNsLeast = 2'000;

} // namespace

// ---- the diagram

SpaceTimeCanvas::SpaceTimeCanvas(QWidget* parent) : QWidget(parent), m_list(m_theme), m_marks(m_theme)
{
    setObjectName(QStringLiteral("spaceTimeCanvas"));
    setAccessibleName(tr("Space-time diagram: processes as lines, messages as arrows"));
    setWhatsThis(tr(
        "Drag: earlier and later. Wheel: nearer. Shift and drag: measure. Click on a message: follow its operation."));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
}

void SpaceTimeCanvas::setPicture(SpaceTimeLayout layout, DisplayList list)
{
    m_layout = std::move(layout);
    m_list = std::move(list);
    update();
}

void SpaceTimeCanvas::setTheme(const Theme& theme) { m_theme = theme; }

void SpaceTimeCanvas::setMarks(DisplayList marks)
{
    m_marks = std::move(marks);
    update();
}

void SpaceTimeCanvas::leaveEvent(QEvent*) { emit pointedAt(kNoEvent, kNoEvent, {}); }

void SpaceTimeCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.card);
    m_list.paint(painter);
    m_marks.paint(painter);
    paintMeasure(painter);
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.focus, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

QString SpaceTimeCanvas::measureWords() const
{
    if (!m_isMeasuring)
        return {};
    const double distance = std::abs(m_layout.valueAt(m_dragged.x()) - m_layout.valueAt(m_pressed.x()));
    return m_isLogical
        ? tr("%1 in the order of causes").arg(countedWords(std::uint64_t(std::llround(distance)), "step", "steps"))
        : durationWords(std::llround(distance));
}

void SpaceTimeCanvas::paintMeasure(QPainter& painter) const
{
    if (!m_isMeasuring)
        return;
    QColor fill = m_theme.selection;
    fill.setAlphaF(0.25F);
    const QRectF band = QRectF(
        QPointF(m_pressed.x(), m_layout.plot.top()), QPointF(m_dragged.x(), m_layout.plot.bottom()))
                            .normalized();
    painter.fillRect(band, fill);
    const TextStyle style { TextSize::Strong, true, false };
    const QString words = measureWords();
    QRectF box(band.center().x() - m_theme.width(style, words) / 2 - 6, band.top() + 2,
        m_theme.width(style, words) + 12, m_theme.lineHeight(style));
    box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - box.width())));
    painter.fillRect(box, m_theme.card);
    painter.setFont(m_theme.font(style));
    painter.setPen(m_theme.text);
    painter.drawText(box, Qt::AlignCenter, words);
}

void SpaceTimeCanvas::resizeEvent(QResizeEvent*) { emit resized(); }

void SpaceTimeCanvas::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    setFocus(Qt::MouseFocusReason);
    m_pressed = m_dragged = event->position();
    m_isMeasuring = event->modifiers().testFlag(Qt::ShiftModifier);
    m_isDragging = true;
    m_hasMoved = false;
    update();
}

void SpaceTimeCanvas::mouseMoveEvent(QMouseEvent* event)
{
    const QPointF at = event->position();
    if (m_isDragging && m_isMeasuring) {
        m_dragged = at;
        m_hasMoved = true;
        update();
        return;
    }
    if (m_isDragging) {
        if (std::abs(at.x() - m_pressed.x()) > 4)
            m_hasMoved = true;
        if (m_hasMoved) {
            emit panned(m_layout.valueAt(m_dragged.x()) - m_layout.valueAt(at.x()));
            m_dragged = at;
        }
        return;
    }
    const SpaceTimeLayout::Tick* tick = m_layout.tickAt(at);
    const SpaceTimeLayout::Arrow* arrow = tick ? nullptr : m_layout.arrowAt(at);
    const SpaceTimeLayout::Lane* lane = arrow || tick ? nullptr : m_layout.laneAt(at.y());
    emit pointedAt(arrow && arrow->count == 1 ? arrow->message : kNoEvent, tick ? tick->event : kNoEvent,
        lane && !lane->isHead ? lane->object : ObjectRef());
    setCursor(arrow || tick ? Qt::PointingHandCursor : Qt::ArrowCursor);
    if ((arrow || tick) && m_words)
        QToolTip::showText(event->globalPosition().toPoint(), m_words(arrow, tick), this);
    else
        QToolTip::hideText();
}

void SpaceTimeCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (!std::exchange(m_isDragging, false) || m_hasMoved)
        return;
    const QPointF at = event->position();
    if (at.x() < m_layout.plot.left()) {
        if (const SpaceTimeLayout::Lane* lane = m_layout.laneAt(at.y()))
            lane->isHead ? emit groupToggled(lane->group) : emit laneChosen(lane->object);
        return;
    }
    if (const SpaceTimeLayout::Tick* tick = m_layout.tickAt(at))
        emit eventChosen(tick->event);
    else if (const SpaceTimeLayout::Arrow* arrow = m_layout.arrowAt(at))
        emit arrowChosen(arrow->message);
    else
        emit nothingChosen();
}

void SpaceTimeCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    if (const SpaceTimeLayout::Tick* tick = m_layout.tickAt(event->position()))
        emit jumpWanted(tick->event);
    else if (const SpaceTimeLayout::Arrow* arrow = m_layout.arrowAt(event->position()))
        emit arrowChosen(arrow->message);
}

void SpaceTimeCanvas::wheelEvent(QWheelEvent* event)
{
    emit zoomed(std::pow(0.85, event->angleDelta().y() / 120.0), m_layout.valueAt(event->position().x()));
    event->accept();
}

void SpaceTimeCanvas::keyPressEvent(QKeyEvent* event)
{
    const double wide = m_layout.to - m_layout.from;
    switch (event->key()) {
    case Qt::Key_Left: emit panned(-wide / 8); return;
    case Qt::Key_Right: emit panned(wide / 8); return;
    case Qt::Key_Up: emit zoomed(0.8, m_layout.to); return;
    case Qt::Key_Down: emit zoomed(1.25, m_layout.to); return;
    default: QWidget::keyPressEvent(event);
    }
}

// ---- the view

SpaceTimeView::SpaceTimeView(const EventFeed& feed, const Pacer& pacer, Selection& selection, QWidget* parent)
    : QWidget(parent), m_feed(feed), m_pacer(pacer), m_selection(selection), m_order(new QComboBox(this)),
      m_filter(new QComboBox(this)), m_search(new QLineEdit(this)), m_all(new QPushButton(tr("All"), this)),
      m_last(new QPushButton(tr("Newest"), this)), m_free(new QPushButton(tr("Show every operation"), this)),
      m_reset(new QPushButton(tr("Show everything"), this)), m_status(new QLabel(this)), m_nothing(new QLabel(this)),
      m_canvas(new SpaceTimeCanvas(this))
{
    setObjectName(QStringLiteral("spaceTimeView"));
    prepareControls();
    auto* top = new QHBoxLayout;
    top->addWidget(m_order);
    top->addWidget(m_filter);
    top->addWidget(m_search, 1);
    top->addWidget(m_free);
    top->addWidget(m_all);
    top->addWidget(m_last);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(6, 4, 6, 2);
    column->setSpacing(3);
    column->addLayout(top);
    column->addWidget(m_canvas, 1);
    column->addWidget(m_nothing, 1);
    column->addWidget(m_reset, 0, Qt::AlignHCenter);
    column->addWidget(m_status);
    setFocusProxy(m_canvas);
    connectControls();
    connectCanvas();
}

void SpaceTimeView::prepareControls()
{
    m_order->setObjectName(QStringLiteral("spaceTimeOrder"));
    m_order->addItems({ tr("order of causes"), tr("time of the clocks"), tr("time, clocks aligned") });
    m_order->setAccessibleName(tr("What the distance between two events means"));
    m_order->setToolTip(tr("Order of causes: an effect is to the right of its cause, whatever the clocks say. Time: as "
                           "the clocks say; the bar at the right of a line is how well its clock is known. Aligned: "
                           "clocks that must be wrong are corrected."));
    m_filter->setObjectName(QStringLiteral("spaceTimeFilter"));
    m_filter->addItems({ tr("everything"), tr("without heartbeats"), tr("operations only") });
    m_filter->setCurrentIndex(int(m_wish.filter));
    m_filter->setAccessibleName(tr("Which messages the diagram shows"));
    m_search->setObjectName(QStringLiteral("spaceTimeSearch"));
    m_search->setPlaceholderText(tr("find: a kind, a word …"));
    m_search->setAccessibleName(tr("Part of a message's kind or of an event's sentence"));
    m_search->setClearButtonEnabled(true);
    m_all->setToolTip(tr("Shows all that the diagram keeps"));
    m_last->setToolTip(tr("Shows what happened last, and follows"));
    m_free->setObjectName(QStringLiteral("spaceTimeFree"));
    m_free->hide();
    m_reset->setObjectName(QStringLiteral("spaceTimeReset"));
    m_reset->hide();
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->hide();
    m_status->setObjectName(QStringLiteral("spaceTimeStatus"));
    m_status->setTextFormat(Qt::PlainText);
    m_status->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void SpaceTimeView::connectControls()
{
    connect(
        m_order, &QComboBox::currentIndexChanged, this, [this](int index) { setOrder(SpaceTimeWish::Order(index)); });
    connect(m_filter, &QComboBox::currentIndexChanged, this,
        [this](int index) { setFilter(SpaceTimeWish::Filter(index)); });
    connect(m_search, &QLineEdit::textChanged, this, &SpaceTimeView::setSearch);
    connect(m_all, &QPushButton::clicked, this, &SpaceTimeView::showAll);
    connect(m_last, &QPushButton::clicked, this, &SpaceTimeView::showLast);
    connect(m_free, &QPushButton::clicked, this, [this] { m_selection.selectOperation({}); });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        m_search->clear();
        m_selection.selectOperation({});
        setFilter(SpaceTimeWish::Filter::Everything);
        showAll();
    });
    connect(&m_selection, &Selection::selectionChanged, this, [this] { m_isDirty = true; });
    connect(&m_selection, &Selection::operationChanged, this, [this] { follow(m_selection.operation()); });
    connect(&m_selection, &Selection::hoverChanged, this, &SpaceTimeView::mark);
}

void SpaceTimeView::connectCanvas()
{
    connect(m_canvas, &SpaceTimeCanvas::resized, this, [this] { m_isDirty = true; });
    connect(m_canvas, &SpaceTimeCanvas::panned, this, [this](double values) {
        m_wish.from = std::clamp(m_wish.from + values, std::min(firstValue() - m_span / 10, lastValue() - m_span),
            lastValue() - m_span * 0.9);
        m_isAtEnd = m_wish.from + m_span >= lastValue();
        m_isDirty = true;
    });
    connect(m_canvas, &SpaceTimeCanvas::zoomed, this, &SpaceTimeView::zoom);
    connect(m_canvas, &SpaceTimeCanvas::arrowChosen, this,
        [this](qulonglong message) { m_selection.selectOperation(m_model.messages[message].operation); });
    connect(m_canvas, &SpaceTimeCanvas::eventChosen, this, [this](qulonglong event) {
        const pb::RequestId& id = m_model.events[event].run.event->operation();
        m_selection.selectOperation({ id.client(), id.number() });
    });
    connect(m_canvas, &SpaceTimeCanvas::laneChosen, this, [this](ObjectRef object) { m_selection.select(object); });
    connect(m_canvas, &SpaceTimeCanvas::groupToggled, this, &SpaceTimeView::toggleGroup);
    connect(m_canvas, &SpaceTimeCanvas::nothingChosen, this, [this] { m_selection.selectOperation({}); });
    connect(m_canvas, &SpaceTimeCanvas::jumpWanted, this,
        [this](qulonglong event) { emit seekWanted(m_model.events[event].run.index); });
    connect(
        m_canvas, &SpaceTimeCanvas::pointedAt, this, [this](qulonglong message, qulonglong event, ObjectRef object) {
            Pointed pointed { object };
            if (message < m_model.messages.size())
                pointed.operation = m_model.messages[message].operation;
            if (event < m_model.events.size()) {
                const RunEvent& run = m_model.events[event].run;
                pointed = { gui::wordsOf(m_pacer.state()).objectOf(m_pacer.state(), run.process) };
                pointed.atNs = run.runNs;
                if (!run.isGap())
                    pointed.operation = { run.event->operation().client(), run.event->operation().number() };
            }
            m_selection.point(pointed);
        });
    m_canvas->setWords([this](const auto* arrow, const auto* tick) { return wordsOf(arrow, tick); });
}

void SpaceTimeView::clear()
{
    m_events.clear();
    m_cursor = m_feed.committed();
    m_left = m_dropped = 0;
    m_hasNew = true;
    m_isAtEnd = true;
}

void SpaceTimeView::restart(std::uint64_t event)
{
    m_events.clear();
    m_cursor = event - std::min(event, kLookedThrough);
    m_left = m_dropped = 0;
    m_hasNew = true;
    m_isAtEnd = true;
}

bool SpaceTimeView::keeps(const RunEvent& run) const
{
    if (run.isGap() || m_wish.filter == SpaceTimeWish::Filter::Everything)
        return run.isGap() || !run.event->has_gauges();
    const pb::Event& event = *run.event;
    if (event.has_gauges())
        return false;
    if (event.has_message_sent())
        return messageClassOf(event.message_sent().kind()).has_value();
    if (event.has_message_received())
        return messageClassOf(event.message_received().kind()).has_value();
    return true;
}

bool SpaceTimeView::refresh(double seconds)
{
    m_sinceBuilt += seconds;
    const std::uint64_t until = m_pacer.shownUpTo();
    const EventPage page = m_feed.eventsSince(m_cursor, kDiagramPullMax);
    m_dropped += page.missed;
    if (page.events.empty() && page.next < until)
        m_cursor = page.next;
    for (const RunEvent& run : page.events) {
        if (run.index > until)
            break;
        m_cursor = run.index;
        if (!keeps(run)) {
            ++m_left;
            m_isDirty = m_isDirty || m_events.empty(); // the diagram states that something is hidden
            continue;
        }
        m_events.push_back(run);
        m_hasNew = true;
    }
    for (; m_events.size() > kEvents; ++m_dropped)
        m_events.pop_front();
    if (m_stateVersion != m_pacer.version() && m_hasNew)
        m_isDirty = true; // names and places of lanes
    const bool isBehind = m_cursor < until && !page.events.empty();
    if (m_sinceBuilt >= kRebuildEvery && !isBehind) {
        if (m_hasNew)
            rebuild();
        else if (m_isDirty)
            draw();
    }
    return isBehind;
}

double SpaceTimeView::firstValue() const
{
    if (m_wish.order == SpaceTimeWish::Order::Time)
        return double(m_model.firstNs);
    return 0;
}

double SpaceTimeView::lastValue() const
{
    if (m_wish.order == SpaceTimeWish::Order::Time)
        return double(m_model.lastNs) + 0.02 * m_span;
    return double(m_model.logicalMax) + 1;
}

void SpaceTimeView::rebuild()
{
    m_hasNew = false;
    m_model = spaceTimeOf({ m_events.begin(), m_events.end() }, addressesOf(m_pacer.state()));
    draw();
}

void SpaceTimeView::draw()
{
    m_isDirty = false;
    m_sinceBuilt = 0;
    m_stateVersion = m_pacer.version();
    if (m_isAtEnd)
        m_wish.from = std::max(lastValue() - m_span, std::min(firstValue(), lastValue() - m_span));
    m_wish.to = m_wish.from + m_span;
    m_wish.selected = m_selection.selected();
    SpaceTimeLayout layout = layoutSpaceTime(m_model, m_pacer.state(), m_wish, m_theme, m_canvas->size());
    DisplayList list(m_theme);
    drawSpaceTime(layout, m_model, m_wish, list);
    const bool isNothing = layout.arrows.empty() && layout.ticks.empty();
    const bool isEmpty = isNothing && (m_model.events.empty() || m_isAtEnd);
    m_canvas->setVisible(!isEmpty);
    m_nothing->setVisible(isEmpty);
    m_reset->setVisible(isEmpty && m_left > 0);
    if (isEmpty)
        m_nothing->setText(m_left + m_events.size() == 0
                ? tr("No event yet. What processes say to each other will be drawn here.")
                : tr("0 of %1 events pass the filter.").arg(grouped(m_left + m_events.size())));
    m_canvas->setLogical(m_wish.order == SpaceTimeWish::Order::Logical);
    m_canvas->setPicture(std::move(layout), std::move(list));
    mark();
    m_status->setText(status());
    m_canvas->setAccessibleDescription(status());
    m_free->setVisible(m_wish.operation.first != 0);
}

// Marks what is under the mouse in another view: its lane, its operation's messages, its instant.
void SpaceTimeView::mark()
{
    DisplayList marks(m_theme);
    const SpaceTimeLayout& layout = m_canvas->layoutShown();
    const Pointed& pointed = m_selection.pointed();
    for (const SpaceTimeLayout::Lane& lane : layout.lanes) {
        if (!pointed.object || lane.object != pointed.object)
            continue;
        QColor fill = m_theme.selection;
        fill.setAlphaF(0.22F);
        marks.setObject(lane.object);
        marks.add(DisplayList::Box { QRectF(0, lane.y - lane.height / 2, layout.plot.right(), lane.height),
            Outline::Rectangle, 0, fill, m_theme.text, 1, true, false });
    }
    marks.setClip(layout.plot);
    for (const SpaceTimeLayout::Arrow& arrow : layout.arrows) {
        if (pointed.operation.first == 0 || m_model.messages[arrow.message].operation != pointed.operation)
            continue;
        QColor colour = m_theme.selection;
        colour.setAlphaF(0.6F);
        marks.setObject({ ObjectKind::Message, arrow.message, 0 });
        marks.add(DisplayList::Line { { arrow.from, arrow.to }, colour, m_theme.px(7), false, 0 });
    }
    marks.setObject({});
    if (pointed.atNs && m_wish.order == SpaceTimeWish::Order::Time) {
        const qreal x = layout.xOf(double(*pointed.atNs));
        marks.add(DisplayList::Line { { QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()) }, m_theme.text,
            m_theme.px(1.4), true, 0 });
    }
    m_canvas->setMarks(std::move(marks));
}

QString SpaceTimeView::status() const
{
    const SpaceTimeLayout& layout = m_canvas->layoutShown();
    QString words = tr("%1 in this part").arg(countedWords(layout.messages, "message", "messages"));
    if (layout.bundled > 0)
        words += tr(", %1 of them in bundles").arg(grouped(layout.bundled));
    if (layout.hidden > 0)
        words += tr(", %1 hidden by the filter").arg(grouped(layout.hidden));
    if (!m_wish.search.isEmpty())
        words += tr(", %1 found").arg(grouped(layout.found));
    if (m_wish.operation.first != 0) {
        pb::RequestId id;
        id.set_client(m_wish.operation.first);
        id.set_number(m_wish.operation.second);
        std::size_t own = 0;
        for (const SpaceTimeMessage& message : m_model.messages)
            own += message.operation == m_wish.operation ? 1 : 0;
        words += tr("; following operation %1: %2")
                     .arg(QString::fromStdString(operationShown(id, m_pacer.state())),
                         countedWords(own, "message", "messages"));
    }
    if (layout.backwards > 0)
        words += tr("; %1 before their cause by the clocks").arg(countedWords(layout.backwards, "effect", "effects"));
    if (layout.corrected > 0)
        words += m_wish.order == SpaceTimeWish::Order::Aligned
            ? tr("; %1 corrected").arg(countedWords(layout.corrected, "clock is", "clocks are"))
            : tr("; %1 be wrong").arg(countedWords(layout.corrected, "clock must", "clocks must"));
    if (!layout.clocks.empty())
        words += tr("; clocks are known to ± %1")
                     .arg(durationWords(
                         std::max_element(layout.clocks.begin(), layout.clocks.end(), [](const auto& x, const auto& y) {
                             return x.errorNs < y.errorNs;
                         })->errorNs));
    if (layout.silentLanes > 0)
        words += tr("; %1 left out: nothing to draw").arg(countedWords(layout.silentLanes, "process", "processes"));
    if (m_dropped > 0)
        words += tr("; %1 older events are not kept here").arg(grouped(m_dropped));
    return words;
}

QString SpaceTimeView::wordsOf(const SpaceTimeLayout::Arrow* arrow, const SpaceTimeLayout::Tick* tick) const
{
    const ClusterState& state = m_pacer.state();
    if (tick != nullptr) {
        QString words = QString::fromStdString(sentence(m_model.events[tick->event].run, state));
        if (const UnknownOrder unknown = unknownOrder(state, m_model, tick->event); unknown.events > 0)
            words += tr(
                " Whether %1 of other computers came before or after it is not known: the clocks agree to ± %2.")
                         .arg(countedWords(unknown.events, "event", "events"), durationWords(unknown.errorNs));
        return words;
    }
    const SpaceTimeMessage& message = m_model.messages[arrow->message];
    const auto name = [&](ProcessId process) {
        const ObjectRef object = gui::wordsOf(state).objectOf(state, process);
        return object ? gui::wordsOf(state).nameOf(state, object)
                      : QString::fromStdString(processShown(process, state));
    };
    QString words = arrow->count > 1 ? tr("%1 messages like this: ").arg(arrow->count) : QString();
    words += tr("%1 from %2 to %3, %4 bytes")
                 .arg(QString::fromStdString(message.kind), name(message.from),
                     message.to != 0 ? name(message.to) : tr("an unknown process"))
                 .arg(message.bytes);
    if (message.tries > 0)
        words += tr(", sent again (%1)").arg(message.tries);
    using Fate = SpaceTimeMessage::Fate;
    switch (message.fate) {
    case Fate::Arrived:
        if (message.sent != kNoEvent)
            words += tr(", %1 on its way")
                         .arg(durationWords(
                             m_model.events[message.received].run.runNs - m_model.events[message.sent].run.runNs));
        break;
    case Fate::UnderWay: words += tr(", on its way"); break;
    case Fate::Lost: words += tr(", never received"); break;
    case Fate::GivenUp: words += tr(", given up: never acknowledged"); break;
    case Fate::Unknown: words += tr("; events of its receiver were lost"); break;
    }
    return words;
}

void SpaceTimeView::setOrder(SpaceTimeWish::Order order)
{
    if (order == m_wish.order)
        return;
    // What is visible stays in sight.
    std::vector<double> seen;
    for (const SpaceTimeEvent& event : m_model.events) {
        const double value = m_wish.order == SpaceTimeWish::Order::Logical ? double(event.logical)
                                                                           : double(event.run.runNs);
        if (value >= m_wish.from && value <= m_wish.to)
            seen.push_back(order == SpaceTimeWish::Order::Logical ? double(event.logical) : double(event.run.runNs));
    }
    m_wish.order = order;
    {
        const QSignalBlocker quiet(m_order);
        m_order->setCurrentIndex(int(order));
    }
    m_span = order == SpaceTimeWish::Order::Logical ? kTicksFirst
                                                    : std::max(kNsLeast, double(m_model.lastNs - m_model.firstNs));
    if (seen.size() > 1) {
        const auto [least, greatest] = std::minmax_element(seen.begin(), seen.end());
        m_span = std::max(order == SpaceTimeWish::Order::Logical ? kTicksLeast : kNsLeast, (*greatest - *least) * 1.04);
        m_wish.from = *least - m_span * 0.02;
    }
    draw();
}

void SpaceTimeView::setFilter(SpaceTimeWish::Filter filter)
{
    if (filter == m_wish.filter)
        return;
    const bool keptAll = m_wish.filter == SpaceTimeWish::Filter::Everything;
    m_wish.filter = filter;
    {
        const QSignalBlocker quiet(m_filter);
        m_filter->setCurrentIndex(int(filter));
    }
    if (keptAll != (filter == SpaceTimeWish::Filter::Everything))
        restart(m_pacer.shownUpTo());
    m_isDirty = true;
}

void SpaceTimeView::setSearch(const QString& words)
{
    m_wish.search = words.trimmed();
    m_isDirty = true;
}

void SpaceTimeView::toggleGroup(const QString& group)
{
    if (m_wish.collapsed.erase(group) == 0)
        m_wish.collapsed.insert(group);
    draw();
}

void SpaceTimeView::follow(std::pair<std::uint64_t, std::uint64_t> operation)
{
    m_wish.operation = operation.first != 0 ? operation : std::pair<std::uint64_t, std::uint64_t>();
    draw();
}

void SpaceTimeView::showAll()
{
    m_wish.from = firstValue();
    m_span = std::max(
        m_wish.order == SpaceTimeWish::Order::Logical ? kTicksLeast : kNsLeast, lastValue() - firstValue());
    m_isAtEnd = true;
    m_isDirty = true;
}

void SpaceTimeView::showLast()
{
    m_isAtEnd = true;
    if (m_wish.order == SpaceTimeWish::Order::Logical)
        m_span = kTicksFirst;
    m_isDirty = true;
}

void SpaceTimeView::zoom(double factor, double around)
{
    const bool isLogical = m_wish.order == SpaceTimeWish::Order::Logical;
    const double least = isLogical ? kTicksLeast : kNsLeast, most = std::max(least, lastValue() - firstValue());
    const double span = std::clamp(m_span * factor, least, most);
    m_wish.from = around - (around - m_wish.from) * span / m_span;
    m_span = span;
    m_isAtEnd = m_wish.from + m_span >= lastValue();
    m_isDirty = true;
}

void SpaceTimeView::setTheme(const Theme& theme)
{
    m_theme = theme;
    m_canvas->setTheme(theme);
    m_status->setFont(theme.font({ TextSize::Small }));
    m_nothing->setFont(theme.font({ TextSize::Strong }));
    draw();
}

} // namespace lhrs::gui
