// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/canvas/cluster_canvas.h"

#include "common/kinds.h"
#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/fault_marks.h"
#include "gui/view/cluster/object_words.h"

#include <QAccessible>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QSemaphore>
#include <QThreadPool>

#include <algorithm>
#include <iterator>
#include <cmath>
#include <utility>

namespace lhrs::gui {

namespace {

constexpr double kBuildEvery = 0.03;   // seconds between two builds of the resting layer while it changes
constexpr double kRibbonsEvery = 0.12; // seconds; rates are means over a longer time
constexpr double kNoteEvery = 0.3;     // seconds: a number that changes faster cannot be read
constexpr double kFoundFor = 3;        // seconds that an object found by search stays marked
constexpr double kAnnounceEvery = 0.25;

// The picture contains something that changes with time alone.
bool hasOffer(const ClusterState& state)
{
    return std::any_of(state.processes.begin(), state.processes.end(), [](const auto& p) { return p.second.offer.invitation != 0; });
}

// Qt's raster engine divides a fill of many spans among threads of its pool and waits for them. It does so several
// times per ribbon, and on a busy machine each thread first waits for a processor. It does not do so when it runs in a
// thread of that pool itself.
template <class Paint>
void inPoolThread(const Paint& paint)
{
    QSemaphore done;
    const bool isBegun = QThreadPool::globalInstance()->tryStart([&] {
        paint();
        done.release();
    });
    if (isBegun)
        done.acquire();
    else
        paint(); // all threads of the pool are busy
}

} // namespace

ClusterCanvas::ClusterCanvas(Pacer& pacer, Selection& selection, QWidget* parent)
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_resting(m_theme), m_ribbons(m_theme), m_moving(m_theme)
{
    registerCanvasAccessibility(); // first: setting a name requests the accessible interface
    setObjectName(QStringLiteral("clusterCanvas"));
    setAccessibleName(tr("Cluster"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(320, 240);
    connect(&selection, &Selection::selectionChanged, this, [this] {
        if (m_layoutMotion.target().clientsHidden > 0)
            relayout(!m_isReduced);
        changed();
    });
    connect(&selection, &Selection::hoverChanged, this, [this] { changed(); });
}

ClusterCanvas::~ClusterCanvas() = default;

void ClusterCanvas::setTheme(const Theme& theme)
{
    m_asked = theme;
    relayout(false);
}

void ClusterCanvas::setLayers(Layers layers)
{
    m_layers = layers;
    relayout(!m_isReduced);
}

void ClusterCanvas::setArrangement(Arrangement arrangement, bool areColumns)
{
    m_arrangement = arrangement;
    m_areColumns = areColumns;
    relayout(!m_isReduced);
}

void ClusterCanvas::setRecorded(bool on)
{
    if (on == m_isRecorded)
        return;
    m_isRecorded = on;
    changed();
}

void ClusterCanvas::setSilent(std::set<ProcessId> silent)
{
    if (silent == m_silent)
        return;
    m_silent = std::move(silent);
    changed();
}

void ClusterCanvas::setReducedMotion(bool on)
{
    m_isReduced = on;
    m_pacer.setReducedMotion(on);
    m_motion.clear();
    m_motion.setReduced(on);
    m_former = QImage();
    relayout(false);
}

double ClusterCanvas::fadeShare() const
{
    return m_former.isNull() ? 1 : std::clamp((m_time - m_fadeStart) / kFade, 0.0, 1.0);
}

// Starts the fade from what is visible now, which may itself be halfway through another fade.
void ClusterCanvas::beginFade()
{
    QImage seen = m_cache;
    if (const double share = fadeShare(); share < 1) {
        QPainter painter(&seen);
        painter.setOpacity(1 - share);
        painter.drawImage(0, 0, m_former);
    }
    m_former = seen;
    m_fadeStart = m_time;
}

// ---- frames

bool ClusterCanvas::refresh(double seconds)
{
    m_time += seconds;
    m_motion.take(m_pacer, seconds);
    for (const ShownEvent& shown : m_pacer.shown()) {
        if (!shown.run.isGap() && changesStructure(*shown.run.event))
            m_toAnnounce = sentence(shown.run, m_pacer.state());
    }
    announce();
    if (m_version != m_pacer.version()) {
        m_version = m_pacer.version();
        if (const std::uint64_t places = placesStamp(m_pacer.state()); places != m_places) {
            m_places = places;
            relayout(!m_isReduced);
        }
        changed();
    }
    std::erase_if(m_highlights, [this](const Highlight& h) { return h.until <= m_time; });
    // Offers expire without an event.
    const std::int64_t newest = m_pacer.shownNs();
    if (newest / 100'000'000 != m_nowNs / 100'000'000 && hasOffer(m_pacer.state()))
        changed();
    m_nowNs = newest;
    QString note = m_motion.footNote(m_pacer);
    if (!m_ribbonNote.isEmpty())
        note += (note.isEmpty() ? QString() : QStringLiteral("   ·   ")) + m_ribbonNote;
    if (note != m_footNote && (m_time - m_notedAt > kNoteEvery || note.isEmpty() != m_footNote.isEmpty())) {
        m_footNote = note;
        m_notedAt = m_time;
        changed();
    }
    const bool slides = m_layoutMotion.isMoving(m_time);
    if (slides || m_wasMoving || (m_isDirty && m_time - m_builtAt >= kBuildEvery)) {
        m_wasMoving = slides;
        rebuildResting();
    }
    if (m_time - m_ribbonsAt >= kRibbonsEvery && (m_motion.bands() > 0 || !m_ribbons.items().empty())) {
        rebuildRibbons();
        update();
    }
    const bool moves = m_motion.isMoving(m_pacer.clock()) || !m_highlights.empty() || m_time < m_spokenUntil;
    const bool hovers = bool(m_selection.hovered()) || m_selection.shownOperation().first != 0;
    if (moves || hovers || m_selection.rank() > 0 || !m_moving.items().empty()) {
        rebuildMoving();
        update();
    }
    const bool fades = !m_former.isNull();
    if (fades) {
        if (fadeShare() >= 1)
            m_former = QImage();
        update();
    }
    return slides || moves || fades || m_pacer.isBusy();
}

void ClusterCanvas::relayout(bool isAnimated)
{
    LayoutOptions options;
    options.viewport = size();
    options.zoom = m_zoom;
    options.pan = m_pan;
    options.showSpares = m_layers.spares;
    options.showLegend = m_layers.legend;
    options.arrangement = m_arrangement;
    options.areColumns = m_areColumns;
    options.client = m_spokenClient != 0 ? m_spokenClient : m_selection.selected().kind == ObjectKind::Client ? m_selection.selected().a : 0;
    chooseFace(options);
    const ClusterLayout layout = layoutCluster(m_pacer.state(), m_theme, options);
    m_pan = layout.pan;
    m_layoutMotion.retarget(layout, m_time, isAnimated);
    changed();
}

void ClusterCanvas::chooseFace(const LayoutOptions& options)
{
    const qreal scale = std::min(Theme::kHallScaleMax, m_asked.fontScale() * roomScale(m_pacer.state(), m_asked, options));
    if (scale == m_theme.fontScale() && m_asked.kind() == m_theme.kind() && m_asked.isHighContrast() == m_theme.isHighContrast() && m_asked.stroke() == m_theme.stroke())
        return;
    m_theme = Theme(m_asked.kind(), scale, m_asked.isHighContrast(), m_asked.stroke());
    m_ribbons.setTheme(m_theme);
    m_moving.setTheme(m_theme);
}

void ClusterCanvas::rebuildResting()
{
    m_layout = m_layoutMotion.at(m_time);
    m_plan = cellPlanOf(m_pacer.state(), m_layout.detail);
    m_cells.beginFrame();
    PictureInput input { m_pacer.state(), m_layout, m_theme, m_cells };
    input.layers = m_layers;
    input.selected = m_selection.selected();
    input.hovered = m_selection.hovered();
    input.nowNs = m_nowNs;
    input.silent = &m_silent;
    input.hasFocus = hasFocus();
    input.isRecorded = m_isRecorded;
    input.plan = m_plan;
    input.footNote = m_footNote;
    const DisplayList before = std::exchange(m_resting, DisplayList(m_theme));
    drawCluster(input, m_resting);
    m_builtAt = m_time;
    m_isDirty = m_cells.isLate();
    const qreal ratio = devicePixelRatioF();
    const QSize pixels(qRound(width() * ratio), qRound(height() * ratio));
    // An unchanged picture is not painted again: signs of life change the state, but rarely the picture.
    if (m_cache.size() == pixels && before.theme() == m_theme && before.items() == m_resting.items())
        return;
    if (m_isReduced && m_cache.size() == pixels && before.theme() == m_theme)
        beginFade();
    else
        m_former = QImage();
    if (m_cache.size() != pixels) {
        m_cache = QImage(pixels, QImage::Format_RGB32);
        m_cache.setDevicePixelRatio(ratio);
    }
    inPoolThread([this] {
        m_cache.fill(m_theme.canvas);
        QPainter painter(&m_cache);
        m_resting.paint(painter);
    });
    update();
}

// Draws the rates of the links as a layer of its own, between what is at rest and what travels.
void ClusterCanvas::rebuildRibbons()
{
    PictureInput input { m_pacer.state(), m_layout, m_theme, m_cells };
    input.layers = m_layers;
    m_ribbons.clear();
    m_ribbonNote = Motion::ribbonNote(m_motion.drawRibbons(input, m_ribbons));
    m_ribbonsAt = m_time;
    if (m_ribbons.items().empty()) {
        m_ribbonLayer = QImage();
        return;
    }
    if (m_ribbonLayer.size() != m_cache.size()) {
        m_ribbonLayer = QImage(m_cache.size(), QImage::Format_ARGB32_Premultiplied);
        m_ribbonLayer.setDevicePixelRatio(devicePixelRatioF());
    }
    inPoolThread([this] {
        m_ribbonLayer.fill(Qt::transparent);
        QPainter painter(&m_ribbonLayer);
        m_ribbons.paint(painter);
    });
}

DisplayList ClusterCanvas::picture() const
{
    DisplayList all = m_resting;
    all.append(m_ribbons);
    all.append(m_moving);
    return all;
}

QRectF ClusterCanvas::rectOf(ObjectRef object) const
{
    return rectIn(m_layout, object);
}

QRectF ClusterCanvas::rectIn(const ClusterLayout& layout, ObjectRef object) const
{
    if (const ClusterLayout::Item* item = layout.find(object))
        return item->rect;
    if (object.kind == ObjectKind::Group) {
        const auto group = std::find_if(layout.groups.begin(), layout.groups.end(), [&](const auto& g) { return g.number == object.a; });
        return group != layout.groups.end() ? group->frame : QRectF();
    }
    if (object.kind == ObjectKind::Pool) {
        const auto pool = std::find_if(layout.pools.begin(), layout.pools.end(), [&](const auto& p) { return std::uint64_t(p.role) == object.a; });
        return pool != layout.pools.end() ? pool->frame : QRectF();
    }
    if (object.kind == ObjectKind::Fault)
        return faultRect(m_pacer.state(), layout, object.a);
    return object.kind == ObjectKind::File ? layout.file : QRectF();
}

void ClusterCanvas::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    if (m_cache.isNull() || m_cache.deviceIndependentSize().toSize() != size()) {
        relayout(false);
        rebuildResting();
    }
    painter.drawImage(0, 0, m_cache);
    if (const double share = fadeShare(); share < 1) {
        painter.setOpacity(1 - share);
        painter.drawImage(0, 0, m_former);
        painter.setOpacity(1);
    }
    if (!m_ribbonLayer.isNull() && m_ribbonLayer.size() == m_cache.size())
        painter.drawImage(0, 0, m_ribbonLayer);
    m_moving.paint(painter);
    if (hasFocus()) {
        painter.setRenderHint(QPainter::Antialiasing, false);
        painter.setPen(QPen(m_theme.focus, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(1, 1, width() - 2, height() - 2));
    }
}

// Updates everything at once, the list too, so that the next click meets objects at their new places.
void ClusterCanvas::resizeEvent(QResizeEvent*)
{
    relayout(false);
    rebuildResting();
}

// ---- sight

bool ClusterCanvas::findObject(const QString& words)
{
    const QString wanted = words.trimmed().toLower();
    if (wanted.isEmpty())
        return false;
    bool isNumber = false;
    const qulonglong number = wanted.toULongLong(&isNumber);
    if (isNumber && m_pacer.state().data.contains(std::uint32_t(number))) {
        choose({ ObjectKind::Data, number, 0 });
        return true;
    }
    for (ObjectRef object : objectsOf(m_pacer.state())) {
        const QString name = nameOf(m_pacer.state(), object).toLower();
        if (name == wanted || name.section(QLatin1Char(' '), 1) == wanted) {
            choose(object);
            return true;
        }
    }
    // A key: selects the bucket that holds its record, as far as events have reported it.
    bool isKey = false;
    const qulonglong key = (wanted.startsWith(QLatin1String("key ")) ? wanted.mid(4).trimmed() : wanted).toULongLong(&isKey);
    for (const auto& [bucket, known] : m_pacer.state().data) {
        for (const std::uint32_t page : isKey ? known.ranks.pages() : std::vector<std::uint32_t>()) {
            for (const auto& [rank, held] : known.ranks.inPage(page)) {
                if (held != key)
                    continue;
                choose({ ObjectKind::Data, bucket, 0 });
                m_selection.setRank(rank);
                highlight({ { ObjectKind::Data, bucket, 0 } }, QStringLiteral("key %1 has rank %2").arg(key).arg(rank), kFoundFor);
                return true;
            }
        }
    }
    return false;
}

void ClusterCanvas::choose(ObjectRef object)
{
    m_spokenClient = 0; // the person has chosen something since
    m_selection.select(object);
    const ClusterLayout& target = m_layoutMotion.target();
    const QRectF rect = rectIn(target, object);
    if (target.isInGroups(object) && !target.groupsArea.contains(rect.center())) {
        m_pan += rect.center() - target.groupsArea.center();
        relayout(!m_isReduced);
    }
    const QString words = sentenceOf(m_pacer.state(), object);
    setAccessibleDescription(words);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

// Selects the record that is drawn at the point, too.
void ClusterCanvas::chooseAt(QPointF point)
{
    const ObjectRef object = m_resting.hitTest(point);
    const std::uint32_t rank = rankAt(object, point);
    choose(object);
    m_selection.setRank(rank);
}

// ---- people

void ClusterCanvas::mouseMoveEvent(QMouseEvent* event)
{
    m_mouse = event->position();
    if (m_isPressed && (m_isDragging || (m_mouse - m_pressedAt).manhattanLength() > 6)) {
        m_isDragging = true;
        setCursor(Qt::ClosedHandCursor);
        m_pan = m_panAtPress - (m_mouse - m_pressedAt);
        relayout(false);
        return;
    }
    pointAt(m_mouse);
}

void ClusterCanvas::mousePressEvent(QMouseEvent* event)
{
    setFocus(Qt::MouseFocusReason);
    if (event->button() != Qt::LeftButton)
        return;
    m_isPressed = true;
    m_pressedAt = event->position();
    m_panAtPress = m_pan;
}

void ClusterCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    if (!m_isDragging)
        chooseAt(event->position());
    m_isPressed = m_isDragging = false;
    unsetCursor();
}

void ClusterCanvas::mouseDoubleClickEvent(QMouseEvent* event)
{
    const ObjectRef object = m_resting.hitTest(event->position());
    if (const std::uint32_t rank = rankAt(object, event->position()))
        emit groupRequested(object, rank);
    else if (object)
        emit inspectRequested(object);
}

void ClusterCanvas::leaveEvent(QEvent*)
{
    m_pointedTerm = {};
    m_selection.point({});
}

void ClusterCanvas::wheelEvent(QWheelEvent* event)
{
    zoomBy(std::pow(1.0015, event->angleDelta().y()), event->position());
    event->accept();
}

void ClusterCanvas::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left: walk(-1, 0); return;
    case Qt::Key_Right: walk(1, 0); return;
    case Qt::Key_Up: walk(0, -1); return;
    case Qt::Key_Down: walk(0, 1); return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        if (m_selection.selected())
            emit inspectRequested(m_selection.selected());
        return;
    default: QWidget::keyPressEvent(event);
    }
}

// Selects the nearest object in that direction; distance to the side counts double.
void ClusterCanvas::walk(int dx, int dy)
{
    m_walkedWith = QCursor::pos();
    const auto& items = m_layout.items;
    if (items.empty())
        return;
    const ClusterLayout::Item* here = m_layout.find(m_selection.selected());
    if (!here) {
        const auto first = std::find_if(items.begin(), items.end(), [](const auto& i) { return i.object.kind == ObjectKind::Data; });
        choose(first != items.end() ? first->object : items.front().object);
        return;
    }
    const QPointF from = here->rect.center();
    const ClusterLayout::Item* best = nullptr;
    qreal bestCost = 0;
    for (const ClusterLayout::Item& item : items) {
        const QPointF way = item.rect.center() - from;
        const qreal ahead = way.x() * dx + way.y() * dy, aside = std::abs(way.x() * dy) + std::abs(way.y() * dx);
        if (&item == here || ahead <= 1)
            continue;
        const qreal cost = ahead + 2 * aside;
        if (!best || cost < bestCost) {
            best = &item;
            bestCost = cost;
        }
    }
    if (best)
        choose(best->object);
}

void ClusterCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isKeyboard = event->reason() == QContextMenuEvent::Keyboard;
    const ObjectRef object = isKeyboard ? m_selection.selected() : m_resting.hitTest(event->pos());
    if (!isKeyboard && object)
        chooseAt(event->pos());
    const QPoint at = isKeyboard ? mapToGlobal((rectOf(object).isNull() ? QRectF(rect()) : rectOf(object)).center().toPoint()) : event->globalPos();
    emit menuRequested(object, at);
}

void ClusterCanvas::focusInEvent(QFocusEvent*)
{
    update();
}

void ClusterCanvas::focusOutEvent(QFocusEvent*)
{
    update();
}

// Tells screen readers the newest structural event, at most four times a second, without being asked.
void ClusterCanvas::announce()
{
    if (m_toAnnounce.empty() || m_time - m_announcedAt < kAnnounceEvery)
        return;
    m_announcedAt = m_time;
    setAccessibleDescription(QString::fromStdString(m_toAnnounce));
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
    m_toAnnounce.clear();
}

} // namespace lhrs::gui
