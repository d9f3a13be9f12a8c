// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/canvas/cluster_canvas.h"

#include "common/kinds.h"
#include "gui/lab/words/sentences.h"

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

constexpr double kBuildEvery = 0.03; // seconds between two builds of the resting layer while it changes
constexpr double kFlowEvery = 0.12; // seconds; rates are means over a longer time
constexpr double kNoteEvery = 0.3; // seconds: a number that changes faster cannot be read
constexpr double kFoundFor = 3; // seconds that an object found by search stays marked
constexpr double kAnnounceEvery = 0.25;

// Qt's raster engine divides a fill of many spans among threads of its pool and waits for them. It does so several
// times per ribbon, and on a busy machine each thread first waits for a processor. It does not do so when it runs in a
// thread of that pool itself.
template <class Paint> void inPoolThread(const Paint& paint)
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
    : QWidget(parent), m_pacer(pacer), m_selection(selection), m_views(systemViews()), m_view(m_views.front().get()),
      m_resting(m_theme), m_flow(m_theme), m_moving(m_theme)
{
    registerCanvasAccessibility(); // first: setting a name requests the accessible interface
    setObjectName(QStringLiteral("clusterCanvas"));
    setAccessibleName(tr("Cluster"));
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setMinimumSize(320, 240);
    connect(&selection, &Selection::selectionChanged, this, [this] {
        if (m_view->isPlacedBySelection())
            relayout(!m_isReduced);
        changed();
    });
    connect(&selection, &Selection::hoverChanged, this, [this] { changed(); });
    for (const auto& view : m_views)
        view->setArranger([this] { relayout(!m_isReduced); });
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
    for (const auto& view : m_views)
        view->setReduced(on);
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
    chooseView();
    m_view->take(m_pacer, seconds);
    for (const ShownEvent& shown : m_pacer.shown()) {
        if (!shown.run.isGap() && changesStructure(*shown.run.event))
            m_toAnnounce = sentence(shown.run, m_pacer.state());
    }
    announce();
    if (m_version != m_pacer.version()) {
        m_version = m_pacer.version();
        if (const std::uint64_t places = m_view->placesStamp(m_pacer.state()); places != m_places) {
            m_places = places;
            relayout(!m_isReduced);
        }
        changed();
    }
    std::erase_if(m_highlights, [this](const Highlight& h) { return h.until <= m_time; });
    const std::int64_t newest = m_pacer.shownNs();
    if (newest / 100'000'000 != m_nowNs / 100'000'000 && m_view->isAging(m_pacer.state()))
        changed();
    m_nowNs = newest;
    QString note = m_view->footNote(m_pacer);
    if (!m_flowNote.isEmpty())
        note += (note.isEmpty() ? QString() : QStringLiteral("   ·   ")) + m_flowNote;
    if (note != m_footNote && (m_time - m_notedAt > kNoteEvery || note.isEmpty() != m_footNote.isEmpty())) {
        m_footNote = note;
        m_notedAt = m_time;
        changed();
    }
    const bool slides = m_view->isSliding(m_time);
    if (slides || m_wasMoving || (m_isDirty && m_time - m_builtAt >= kBuildEvery)) {
        m_wasMoving = slides;
        rebuildResting();
    }
    if (m_time - m_flowAt >= kFlowEvery && (m_view->hasFlow() || !m_flow.items().empty())) {
        rebuildFlow();
        update();
    }
    const bool moves = m_view->isMoving(m_pacer.clock()) || !m_highlights.empty() || m_time < m_spokenUntil;
    const bool hovers = bool(m_selection.hovered()) || m_selection.shownOperation().first != 0;
    if (moves || hovers || m_selection.part() > 0 || !m_moving.items().empty()) {
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

// The view of the system whose cluster is shown now.
void ClusterCanvas::chooseView()
{
    if (state().processes.empty())
        return; // nothing is known yet
    SystemView* view = &viewFor(state(), m_views);
    if (view == m_view)
        return;
    m_view = view;
    m_selection.select({});
    m_selection.point({});
    m_highlights.clear();
    m_spokenOf.clear();
    m_spokenClient = 0;
    cut();
    emit systemChanged();
}

SystemView::Sight ClusterCanvas::sight(const Theme& theme) const
{
    SystemView::Sight sight { m_pacer.state(), theme, m_selection, m_silent, size(), m_zoom, m_pan };
    sight.layers = m_layers;
    sight.client = m_spokenClient;
    sight.time = m_time;
    sight.nowNs = m_nowNs;
    sight.footNote = m_footNote;
    sight.isRecorded = m_isRecorded;
    sight.hasFocus = hasFocus();
    return sight;
}

void ClusterCanvas::relayout(bool isAnimated)
{
    chooseFace();
    m_pan = m_view->layout(sight(m_theme), isAnimated);
    changed();
}

void ClusterCanvas::chooseFace()
{
    const qreal scale = std::min(Theme::kHallScaleMax, m_asked.fontScale() * m_view->roomScale(sight(m_asked)));
    if (scale == m_theme.fontScale() && m_asked.kind() == m_theme.kind()
        && m_asked.isHighContrast() == m_theme.isHighContrast() && m_asked.stroke() == m_theme.stroke())
        return;
    m_theme = Theme(m_asked.kind(), scale, m_asked.isHighContrast(), m_asked.stroke());
    m_flow.setTheme(m_theme);
    m_moving.setTheme(m_theme);
}

void ClusterCanvas::rebuildResting()
{
    const DisplayList before = std::exchange(m_resting, DisplayList(m_theme));
    const bool isWhole = m_view->drawResting(sight(m_theme), m_resting);
    m_builtAt = m_time;
    m_isDirty = !isWhole;
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

// Draws how much flows where as a layer of its own, between what is at rest and what travels.
void ClusterCanvas::rebuildFlow()
{
    m_flow.clear();
    m_flowNote = m_view->drawFlow(sight(m_theme), m_flow);
    m_flowAt = m_time;
    if (m_flow.items().empty()) {
        m_flowLayer = QImage();
        return;
    }
    if (m_flowLayer.size() != m_cache.size()) {
        m_flowLayer = QImage(m_cache.size(), QImage::Format_ARGB32_Premultiplied);
        m_flowLayer.setDevicePixelRatio(devicePixelRatioF());
    }
    inPoolThread([this] {
        m_flowLayer.fill(Qt::transparent);
        QPainter painter(&m_flowLayer);
        m_flow.paint(painter);
    });
}

DisplayList ClusterCanvas::picture() const
{
    DisplayList all = m_resting;
    all.append(m_flow);
    all.append(m_moving);
    return all;
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
    if (!m_flowLayer.isNull() && m_flowLayer.size() == m_cache.size())
        painter.drawImage(0, 0, m_flowLayer);
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
    const SystemView::Found found = m_view->find(state(), wanted);
    if (!found.object)
        return false;
    choose(found.object);
    if (found.part != 0)
        m_selection.setPart(found.part);
    if (!found.words.isEmpty())
        highlight({ found.object }, found.words, kFoundFor);
    return true;
}

void ClusterCanvas::choose(ObjectRef object)
{
    m_spokenClient = 0; // the person has chosen something since
    m_selection.select(object);
    const QRectF rect = m_view->targetOf(state(), object), area = m_view->area();
    if (m_view->isInArea(object) && !area.contains(rect.center())) {
        m_pan += rect.center() - area.center();
        relayout(!m_isReduced);
    }
    const QString words = m_view->sentenceOf(state(), object);
    setAccessibleDescription(words);
    QAccessibleEvent event(this, QAccessible::DescriptionChanged);
    QAccessible::updateAccessibility(&event);
}

// Selects the part that is drawn at the point, too.
void ClusterCanvas::chooseAt(QPointF point)
{
    const ObjectRef object = m_resting.hitTest(point);
    const std::uint32_t part = partAt(object, point);
    choose(object);
    m_selection.setPart(part);
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
    if (const std::uint32_t part = partAt(object, event->position()))
        emit partRequested(object, part);
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

void ClusterCanvas::walk(int dx, int dy)
{
    m_walkedWith = QCursor::pos();
    if (const ObjectRef next = m_view->next(state(), m_selection.selected(), dx, dy))
        choose(next);
}

void ClusterCanvas::contextMenuEvent(QContextMenuEvent* event)
{
    const bool isKeyboard = event->reason() == QContextMenuEvent::Keyboard;
    const ObjectRef object = isKeyboard ? m_selection.selected() : m_resting.hitTest(event->pos());
    if (!isKeyboard && object)
        chooseAt(event->pos());
    const QPoint at = isKeyboard
        ? mapToGlobal((rectOf(object).isNull() ? QRectF(rect()) : rectOf(object)).center().toPoint())
        : event->globalPos();
    emit menuRequested(object, at);
}

void ClusterCanvas::focusInEvent(QFocusEvent*) { update(); }

void ClusterCanvas::focusOutEvent(QFocusEvent*) { update(); }

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
