// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>

#include <vector>

namespace lhrs::gui {

// One row for each invariant: the state of its lamp at the shown instant.
class LampModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit LampModel(QObject* parent = nullptr);

    // `beginNs`: the begin of the run, from which times are counted.
    void show(const ClusterState& state, std::int64_t beginNs = 0);
    // Opens a row, which then also shows when it was last checked, or what would check it; -1: none.
    void open(int row);
    bool isOpen(int row) const { return row == m_open; }
    const LampShown& lamp(int row) const { return m_lamps[std::size_t(row)]; }
    const std::vector<LampShown>& lamps() const { return m_lamps; }
    // "I5, at most 2 forwards, image never ahead: holds, 412 checks, last 12.043 s"
    static QString sentenceOf(const LampShown& lamp);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<LampShown> m_lamps;
    int m_open = -1;
};

// How a lamp is drawn: a tick, a cross, three dots or a dash in its colour, its words, and how often it was checked. A
// lamp that is violated, pending or open has a second line.
class LampDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void setTheme(const Theme& theme) { m_theme = theme; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    struct Places {
        QRectF mark, name, words, checks, detail;
        qreal height = 0;
    };
    Places placesOf(const QRectF& row, const LampShown& lamp, bool isOpen) const;
    Theme m_theme;
};

class LampList : public QListView {
    Q_OBJECT
public:
    explicit LampList(QWidget* parent = nullptr);

    LampModel& lampModel() { return *m_model; }
    void setTheme(const Theme& theme);

signals:
    // The row of a lamp was clicked, or Enter was pressed on it; the row also opens or closes.
    void lampChosen(int invariant);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    LampModel* m_model;
    LampDelegate* m_delegate;
};

// The lamp, with its times counted from the begin of the run.
LampShown lampFrom(const ClusterState& state, int invariant, std::int64_t beginNs);

// The mark of a state: its glyph (none: a dash) and its colour.
struct LampMark {
    Glyph glyph = Glyph::None;
    QColor colour;
};
LampMark lampMark(LampState state, const Theme& theme);

} // namespace lhrs::gui
