// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"
#include "gui/view/timeline/space_time_layout.h"

#include <QWidget>

#include <deque>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace lhrs::gui {

// The diagram itself: it pans by dragging, zooms by the wheel, and describes what is under the mouse.
class SpaceTimeCanvas : public QWidget {
    Q_OBJECT
public:
    explicit SpaceTimeCanvas(QWidget* parent);
    void setPicture(SpaceTimeLayout layout, DisplayList list);
    const SpaceTimeLayout& layoutShown() const { return m_layout; }
    const DisplayList& picture() const { return m_list; }
    void setTheme(const Theme& theme);
    // The distance between two measured points, in words; empty: nothing is measured.
    QString measureWords() const;
    // The unit of distances: numbers of causes if true, else ns.
    void setLogical(bool on) { m_isLogical = on; }
    // Marks for what is under the mouse in other views, drawn over the picture.
    void setMarks(DisplayList marks);
    const DisplayList& marks() const { return m_marks; }
    // `words` gives a sentence for what is under the mouse.
    void setWords(std::function<QString(const SpaceTimeLayout::Arrow*, const SpaceTimeLayout::Tick*)> words)
    {
        m_words = std::move(words);
    }

signals:
    // What is under the mouse: an arrow's message, an event of the model (either may be none), a lane's process.
    void pointedAt(qulonglong message, qulonglong event, lhrs::gui::ObjectRef object);
    void panned(double values);
    void zoomed(double factor, double around);
    void arrowChosen(qulonglong message);
    void eventChosen(qulonglong event); // of the model
    void laneChosen(lhrs::gui::ObjectRef object);
    void groupToggled(const QString& group);
    void nothingChosen();
    void jumpWanted(qulonglong event); // of the model
    void resized();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    QSize minimumSizeHint() const override { return { 200, 120 }; }

private:
    SpaceTimeLayout m_layout;
    Theme m_theme;
    DisplayList m_list, m_marks;
    bool m_isLogical = true;
    std::function<QString(const SpaceTimeLayout::Arrow*, const SpaceTimeLayout::Tick*)> m_words;
    void paintMeasure(QPainter& painter) const;
    QPointF m_pressed, m_dragged;
    bool m_isDragging = false, m_hasMoved = false;
    bool m_isMeasuring = false; // Shift and dragging measure the distance between two points
};

// The space-time diagram with its controls. It shows what the window shows: live, or up to the shown instant.
class SpaceTimeView : public QWidget, public FrameView {
    Q_OBJECT
public:
    // All arguments must outlive the view.
    SpaceTimeView(const EventFeed& feed, const Pacer& pacer, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // Another cluster: begins after the newest event.
    void clear();
    // Another instant: shows what happened before it, as far as the diagram keeps events, and what follows.
    void restart(std::uint64_t event);

    const SpaceTime& model() const { return m_model; }
    const SpaceTimeWish& wish() const { return m_wish; }
    SpaceTimeCanvas& canvas() { return *m_canvas; }
    // The events that the diagram is made of, for exports.
    std::vector<RunEvent> events() const { return { m_events.begin(), m_events.end() }; }

    void setOrder(SpaceTimeWish::Order order);
    void setFilter(SpaceTimeWish::Filter filter);
    void setSearch(const QString& words);
    void toggleGroup(const QString& group);
    void follow(std::pair<std::uint64_t, std::uint64_t> operation);
    // Shows all events that are kept, or the last of them.
    void showAll();
    void showLast();
    // The words below the diagram: how many messages are shown, hidden and bundled, and what is not right.
    QString status() const;

    static constexpr std::size_t kEvents = 6'000; // kept

signals:
    // Asks the window to show this instant: the event's number in the run.
    void seekWanted(qulonglong event);

private:
    bool keeps(const RunEvent& run) const;
    void prepareControls();
    void connectControls();
    void connectCanvas();
    void rebuild();
    void draw();
    void mark();
    void zoom(double factor, double around);
    double firstValue() const;
    double lastValue() const;
    QString wordsOf(const SpaceTimeLayout::Arrow* arrow, const SpaceTimeLayout::Tick* tick) const;

    const EventFeed& m_feed;
    const Pacer& m_pacer;
    Selection& m_selection;
    Theme m_theme;
    std::deque<RunEvent> m_events;
    std::uint64_t m_cursor = 0, m_left = 0, m_dropped = 0; // left out by the filter; dropped
    SpaceTime m_model;
    SpaceTimeWish m_wish;
    double m_span = 48;
    bool m_isAtEnd = true, m_isDirty = true, m_hasNew = true;
    double m_sinceBuilt = 1;
    std::uint64_t m_stateVersion = 0;

    QComboBox *m_order, *m_filter;
    QLineEdit* m_search;
    QPushButton *m_all, *m_last, *m_free, *m_reset;
    QLabel *m_status, *m_nothing;
    SpaceTimeCanvas* m_canvas;
};

} // namespace lhrs::gui
