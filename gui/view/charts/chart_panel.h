// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/series/charts.h"
#include "gui/lab/replay/series_reader.h"
#include "gui/lab/replay/time_line.h"
#include "gui/view/charts/chart_view.h"
#include "gui/view/time/frame_clock.h"
#include "gui/view/charts/measure_view.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>

class QCheckBox;
class QComboBox;
class QLabel;
class QListWidget;
class QPushButton;
class QStackedWidget;
class QTableView;
class QToolButton;

namespace lhrs::gui {

class FlowLayout;

// The rows of a chart as in its CSV file, cell by cell.
class ChartTable : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;
    void show(const QStringList& header, const std::vector<QVariantList>& rows);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    QStringList m_header;
    std::vector<QVariantList> m_rows;
};

// The charts of the run: a list of them, one of them large, its series on and off, and its rows as a table. For a live
// run the data comes from the series of the ingest thread, for a recording from its events. The instant is that of the
// time line.
class ChartPanel : public QWidget, public FrameView {
    Q_OBJECT
public:
    // `live`: the numbers of the running cluster; called a few times a second while the panel is visible.
    ChartPanel(TimeLine& time, std::function<RunSeries()> live, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // Another run: discards the numbers of the previous one.
    void reset();

    void choose(ChartKind kind);
    ChartKind kind() const { return m_kind; }
    // 0: the whole run; else a span of this many seconds that contains the shown instant.
    void setSpan(double seconds);
    void setTableShown(bool on);
    const ChartData& chart() const { return m_view->shown(); }
    ChartView& view() { return *m_view; }
    const ChartTable& table() const { return *m_model; }
    // The zero of the time axis, on the run's clock.
    std::int64_t beginNs() const { return m_originNs; }
    // Adds a chart that a script asked for, or a newer state of it; `opens`: the chart is shown now.
    void showMeasured(const MeasureChart& chart, const QString& origin, bool opens);
    // The script's chart that is shown; null while a chart of the run is shown.
    const MeasureChart* measured() const { return m_measuredShown.isEmpty() ? nullptr : &m_measure->chart(); }
    // Removes the charts of the previous script.
    void forgetMeasured();
    bool isReading() const { return m_reader && !m_reader->isDone(); }
    // Gives the label of the action that would fill an empty chart, by the action's id.
    void setRemedyWords(std::function<QString(const QString& action)> words) { m_remedyWords = std::move(words); }

    // The instant under the mouse in any view, on the run's clock.
    void setPointed(std::optional<std::int64_t> runNs);

signals:
    void instantPointed(std::optional<std::int64_t> runNs);
    void instantChosen(qint64 runNs);
    void remedyWanted(const QString& action);
    void exportWanted();

private:
    void pull(double seconds);
    void draw();
    void drawMeasured();
    void chooseRow(int row);
    void makeLegend();

    TimeLine& m_time;
    const std::function<RunSeries()> m_live;
    std::function<QString(const QString&)> m_remedyWords;
    Theme m_theme;
    RunSeries m_series;
    std::unique_ptr<SeriesReader> m_reader;
    const Recording* m_read = nullptr; // the recording that the reader reads
    std::int64_t m_readFrom = 0, m_readTo = 0, m_originNs = 0; // the shown interval; the zero of the axis
    ChartKind m_kind = ChartKind::Operations;
    double m_span = 0, m_sincePull = 1, m_sinceDraw = 1;
    bool m_isDirty = true, m_isLogChosen = false;
    std::array<bool, kCharts> m_isLog {};
    std::set<QString> m_hidden;
    QString m_legendShape;

    QListWidget* m_list;
    QWidget* m_legend;
    FlowLayout* m_legendRow;
    QComboBox* m_spans;
    QCheckBox *m_log, *m_tableBox;
    QPushButton *m_export, *m_remedy;
    QLabel *m_title, *m_note;
    ChartView* m_view;
    MeasureView* m_measure;
    QStackedWidget* m_stack; // of both views
    struct Measured {
        MeasureChart chart;
        QString origin;
    };
    std::vector<Measured> m_measured; // listed below the charts of the run
    QString m_measuredShown; // id; empty: none
    ChartTable* m_model;
    QTableView* m_table;
};

} // namespace lhrs::gui
