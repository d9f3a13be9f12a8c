// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/records/record_model.h"

#include <QWidget>

class QLabel;
class QLineEdit;
class QSpinBox;
class QTableView;

namespace lhrs::gui {

// The panel of the selected bucket: its headline and its records. A record that is under the mouse in another view is
// marked here, and a record that is under the mouse here is marked in the other views.
class RecordTable : public QWidget, public FrameView {
    Q_OBJECT
public:
    RecordTable(const Pacer& pacer, ContentsSource& source, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    RecordModel& model() { return *m_model; }
    // The strip with the filter field; the window adds its buttons to it.
    QWidget& tools() { return *m_tools; }
    QLineEdit& filter() { return *m_filter; }
    // The selected rows; all rows if none is selected.
    std::vector<int> rowsChosen() const;

signals:
    // A record group was requested for a record: by double click, Enter or the menu.
    void groupRequested(lhrs::gui::ObjectRef bucket, quint32 rank);
    void menuRequested(lhrs::gui::ObjectRef bucket, quint32 rank, QPoint globalPosition);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void prepareTable();
    void prepareControls();
    void connectTable();
    void follow();
    void mark();
    void keepCurrent();
    void fitColumns();

    const Pacer& m_pacer;
    Selection& m_selection;
    RecordModel* m_model;
    QTableView* m_table;
    QLabel *m_title, *m_details, *m_headline, *m_nothing;
    QSpinBox* m_goTo;
    QWidget* m_tools;
    QLineEdit* m_filter;
    std::uint32_t m_current = 0; // rank of the current row: it stays current when rows come and go
    Theme m_theme;
    double m_time = 0, m_saidAt = -1;
};

} // namespace lhrs::gui
