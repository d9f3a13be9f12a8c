// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"
#include "gui/view/paint/theme.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <deque>
#include <unordered_map>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QTableView;

namespace lhrs::gui {

class RunStory;
class NarrationModel;

// Which events the log lists.
struct LogFilter {
    enum class Kind {
        Everything,
        WithoutMessages,
        Structure,
        Summary
    }; // Summary lists no events, but sentences of the narrator
    Kind kind = Kind::WithoutMessages;
    ObjectRef object; // only events at this place or process; none: everywhere
    QString text; // a part of the sentence; empty: any
    std::pair<std::uint64_t, std::uint64_t> operation { 0, 0 }; // only events of this one; client 0: any
    bool operator==(const LogFilter&) const = default;
};

// The rows of the event log: a view of the ring of events. A row holds only the number of its event; the sentence is
// built when it is drawn.
class EventLogModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, Who, What, Operation, Columns };

    // Both must outlive the model.
    EventLogModel(const EventFeed& feed, const Pacer& pacer, QObject* parent = nullptr);

    // Takes at most this many of the events that were shown since the last call; true if there are more.
    bool refresh(std::size_t eventsMax = 4'000);
    void setFilter(const LogFilter& filter);
    const LogFilter& filter() const { return m_filter; }
    // Another cluster: begins after the newest event.
    void clear();
    // Another instant: lists some of the events before it, and then those that follow.
    void restart(std::uint64_t event);
    std::uint64_t listed() const { return m_rows.size(); }
    std::uint64_t hidden() const { return m_hidden; }
    std::uint64_t forgotten() const { return m_forgotten; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    ObjectRef objectOfRow(int row) const;
    // What the row is about, for marks in all views.
    Pointed pointedOfRow(int row) const;
    // Gives the rows of these a background colour; for an instant, the last row up to it.
    void setMarks(const Pointed& pointed, OperationId operation, QColor colour);
    bool isMarked(int row) const;

private:
    bool passes(const RunEvent& event) const;
    const RunEvent* eventOf(std::uint64_t index) const;

    static constexpr std::size_t kCached = 512;

    const EventFeed& m_feed;
    const Pacer& m_pacer;
    LogFilter m_filter;
    std::deque<std::uint64_t> m_rows; // numbers of events, ascending
    std::uint64_t m_cursor = 0, m_hidden = 0, m_forgotten = 0;
    Pointed m_pointed;
    OperationId m_operation { 0, 0 };
    QColor m_markColour;
    std::uint64_t m_markedEvent = 0; // the event at a marked instant; 0: none
    mutable std::unordered_map<std::uint64_t, RunEvent> m_cache;
};

// The log with its filter.
class EventLog : public QWidget, public FrameView {
    Q_OBJECT
public:
    // `story`: what the narrator has told; it is the summary of the log.
    EventLog(const EventFeed& feed, const Pacer& pacer, const RunStory& story, Selection& selection,
        QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    EventLogModel& model() { return *m_model; }
    NarrationModel& narration() { return *m_narration; }

signals:
    // A row was double-clicked, or Enter pressed on it.
    void jumpRequested(lhrs::gui::ObjectRef object);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void applyFilter();
    void mark();
    bool isSummary() const;
    void prepareTable(QTableView* table, const char* name, const QString& words);
    void refreshSummary();

    Selection& m_selection;
    QColor m_markColour;
    EventLogModel* m_model;
    NarrationModel* m_narration;
    QTableView *m_table, *m_narrationTable;
    QComboBox* m_kind;
    QCheckBox *m_onlySelected, *m_follow;
    QLineEdit* m_text;
    QLabel *m_count, *m_nothing;
    QPushButton* m_reset;
    double m_sinceCount = 0;
    int m_narrationWidth = 0; // width of a sentence in pixels for which the row heights were computed
    int m_wide = 560; // pixels; from this width on there is room for place and operation
    int m_lineHeight = 16, m_rowGap = 4; // pixels of a row
};

} // namespace lhrs::gui
