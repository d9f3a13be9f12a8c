// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/state/cluster_state.h"
#include "gui/view/paint/theme.h"

#include <QAbstractListModel>
#include <QListView>
#include <QStyledItemDelegate>

#include <vector>

namespace lhrs::gui {

// One row for each invariant: its state at the shown instant.
class InvariantModel : public QAbstractListModel {
    Q_OBJECT
public:
    explicit InvariantModel(QObject* parent = nullptr);

    // `beginNs`: the begin of the run, from which times are counted.
    void show(const ClusterState& state, std::int64_t beginNs = 0);
    // Opens a row, which then also shows when it was last checked, or what would check it; -1: none.
    void open(int row);
    bool isOpen(int row) const { return row == m_open; }
    const InvariantShown& invariant(int row) const { return m_invariants[std::size_t(row)]; }
    const std::vector<InvariantShown>& invariants() const { return m_invariants; }
    // "I5, at most 2 forwards, image never ahead: holds, 412 checks, last 12.043 s"
    static QString sentenceOf(const InvariantShown& invariant);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<InvariantShown> m_invariants;
    int m_open = -1;
};

// How an invariant is drawn: a tick, a cross, three dots or a dash in its colour, its words, and how often it was
// checked. An invariant that is violated, pending or open has a second line.
class InvariantDelegate : public QStyledItemDelegate {
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
    Places placesOf(const QRectF& row, const InvariantShown& invariant, bool isOpen) const;
    Theme m_theme;
};

class InvariantList : public QListView {
    Q_OBJECT
public:
    explicit InvariantList(QWidget* parent = nullptr);

    InvariantModel& invariantModel() { return *m_model; }
    void setTheme(const Theme& theme);

signals:
    // The row of an invariant was clicked, or Enter was pressed on it; the row also opens or closes.
    void invariantChosen(int number);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    InvariantModel* m_model;
    InvariantDelegate* m_delegate;
};

// The invariant, with its times counted from the begin of the run.
InvariantShown invariantFrom(const ClusterState& state, int number, std::int64_t beginNs);

// The mark of a state: its glyph (none: a dash) and its colour.
struct InvariantMark {
    Glyph glyph = Glyph::None;
    QColor colour;
};
InvariantMark invariantMark(InvariantState state, const Theme& theme);

} // namespace lhrs::gui
