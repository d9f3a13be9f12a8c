// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/pacer.h"
#include "gui/view/systems/view_systems.h"
#include "gui/view/system/selection.h"
#include "gui/view/time/frame_clock.h"

#include <QImage>
#include <QWidget>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lhrs::gui {

// The picture of the cluster, drawn by the view of its system. The canvas pulls from the pacer once per frame, keeps
// what is at rest in a cached layer, and has what moves drawn above it. Dragging pans, the wheel zooms; the arrow keys
// walk over everything that can be selected.
class ClusterCanvas : public QWidget, public FrameView {
    Q_OBJECT
public:
    // Pacer and selection must outlive the canvas.
    ClusterCanvas(Pacer& pacer, Selection& selection, QWidget* parent = nullptr);
    ~ClusterCanvas() override;

    bool refresh(double seconds) override;

    void setTheme(const Theme& theme);
    // The theme that is used for drawing. In a large view its text is larger than was asked for.
    const Theme& theme() const { return m_theme; }
    void setLayers(Layers layers);
    Layers layers() const { return m_layers; }
    // Nothing travels and nothing pulses; changes fade in.
    void setReducedMotion(bool on);
    static constexpr double kFade = 0.15; // seconds
    static constexpr double kHoverDelay = 0.35; // seconds until the hover card shows
    // Opacity of the new picture above the previous one; 1: nothing fades.
    double fadeShare() const;
    bool isMotionReduced() const { return m_isReduced; }
    // The view that draws now.
    const SystemView& view() const { return *m_view; }
    // The view of that class, whether it draws now or not.
    template <class View> View& viewOf() const
    {
        const auto isIt = [](const auto& view) { return dynamic_cast<View*>(view.get()) != nullptr; };
        return dynamic_cast<View&>(**std::find_if(m_views.begin(), m_views.end(), isIt));
    }
    // A recorded run is shown: what does not exist at the shown instant has not happened yet.
    void setRecorded(bool on);
    // Processes that should give signs of life but have been silent for a while.
    void setSilent(std::set<ProcessId> silent);

    // ---- sight
    void zoomBy(qreal factor, QPointF around);
    void zoomIn() { zoomBy(1.5, rect().center()); }
    void zoomOut() { zoomBy(1 / 1.5, rect().center()); }
    void fit();
    // Another instant is shown: nothing slides or flies from where it was before.
    void standStill();
    // Another cluster is shown: all of it is in sight, and nothing slides from its place in the previous cluster.
    void cut();
    // Zooms in until the object can be read, and moves it to the middle.
    void fitTo(ObjectRef object) { fitTo(std::vector<ObjectRef> { object }); }
    // The same for several objects; all of them stay in sight.
    void fitTo(const std::vector<ObjectRef>& objects);
    qreal zoom() const { return m_zoom; }

    // Draws a ring with words around the objects for this many seconds.
    void highlight(const std::vector<ObjectRef>& objects, const QString& words, double seconds);
    // Marks the objects that a caption speaks of: a ring that pulses, without words, because the caption has them.
    void speakOf(const std::vector<ObjectRef>& objects, double seconds);
    // Selects the object with this name, or the object that holds the thing with this name; false: there is none.
    bool findObject(const QString& words);

    // ---- the picture as data
    // What is at rest and what moves, as drawn in the last frame.
    const DisplayList& restingPicture() const { return m_resting; }
    const DisplayList& movingPicture() const { return m_moving; }
    DisplayList picture() const;
    const ClusterState& state() const { return m_pacer.state(); }
    Selection& selection() { return m_selection; }
    QRectF rectOf(ObjectRef object) const { return m_view->rectOf(state(), object); }
    // The number of the object's part at the point, for example of a record; 0: none.
    std::uint32_t partAt(ObjectRef object, QPointF point) const
    {
        return m_view->partAt(sight(m_theme), object, point);
    }
    void chooseAt(QPointF point);
    // What the person asks about: the object under the mouse, unless the keyboard has chosen another since; else the
    // selection.
    struct Asked {
        ObjectRef object;
        std::string_view term; // the term of the part; empty: the object itself
        std::uint32_t part = 0; // of the object's part; 0: none
    };
    Asked asked() const;
    // The keyboard has chosen an object since the mouse last moved.
    bool isWalked() const;
    // Something travels, or slides to its place.
    bool isMoving() const { return m_view->isSliding(m_time) || m_view->isMoving(m_pacer.clock()); }
    // Selects the object and brings it into sight; for the keyboard and for screen readers.
    void choose(ObjectRef object);

signals:
    void inspectRequested(lhrs::gui::ObjectRef object);
    void partRequested(lhrs::gui::ObjectRef object, quint32 part);
    // Another view draws, because the cluster that is shown is of another system.
    void systemChanged();
    void menuRequested(lhrs::gui::ObjectRef object, QPoint globalPosition);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    struct Highlight {
        ObjectRef object;
        QString words;
        double until = 0;
    };

    SystemView::Sight sight(const Theme& theme) const;
    void chooseView();
    void relayout(bool isAnimated);
    void chooseFace();
    void rebuildResting();
    void rebuildFlow();
    void rebuildMoving();
    void drawHoverCard();
    QRectF thingOf(ObjectRef object) const;
    QRectF besideThing(const QRectF& thing, QSizeF size) const;
    void drawSpokenOf();
    void pointAt(QPointF at);
    void walk(int dx, int dy);
    void beginFade();
    void announce();
    void changed() { m_isDirty = true; }

    Pacer& m_pacer;
    Selection& m_selection;
    SystemViews m_views;
    SystemView* m_view; // one of them
    Theme m_asked, m_theme;
    Layers m_layers;
    DisplayList m_resting, m_flow, m_moving;
    QImage m_cache, m_flowLayer; // painted in another thread
    QImage m_former; // the previous picture while it fades out; null: no fade
    double m_fadeStart = 0;
    QString m_footNote, m_flowNote;
    qreal m_zoom = 1;
    QPointF m_pan;
    double m_time = 0, m_builtAt = -1, m_flowAt = -1, m_notedAt = -1, m_hoverSince = 0, m_announcedAt = 0;
    std::int64_t m_nowNs = 0;
    std::uint64_t m_version = 0, m_places = 0;
    bool m_isDirty = true, m_isReduced = false, m_wasMoving = false;
    bool m_isPressed = false, m_isDragging = false, m_isRecorded = false;
    QPointF m_pressedAt, m_panAtPress, m_mouse;
    std::string_view m_pointedTerm; // the term of the part under the mouse
    std::optional<QPoint> m_walkedWith; // where the mouse was when the keyboard chose
    std::vector<Highlight> m_highlights;
    std::vector<ObjectRef> m_spokenOf;
    ProcessId m_spokenClient = 0; // the client that was spoken of last
    double m_spokenSince = 0, m_spokenUntil = 0;
    std::string m_toAnnounce;
    std::set<ProcessId> m_silent;
};

// Registers the accessible interface of the canvas; once per program.
void registerCanvasAccessibility();

} // namespace lhrs::gui
