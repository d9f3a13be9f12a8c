// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/export/run_story.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"

#include <QAbstractTableModel>

#include <vector>

namespace lhrs::gui {

// The summary of the log: what the narrator has told up to the shown instant, one sentence per row.
class NarrationModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Time, What, Columns };

    // All arguments must outlive the model.
    NarrationModel(const RunStory& story, const EventFeed& feed, const Pacer& pacer, QObject* parent = nullptr);

    // Lists only sentences that contain this text; empty: all.
    void setText(const QString& text);
    // Returns true if the rows have changed.
    bool refresh();
    std::size_t hidden() const { return m_hidden; }
    // What the row is about, for marks in all views: its instant, and the place of the event that it tells of.
    Pointed pointedOfRow(int row) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    const RunStory& m_story;
    const EventFeed& m_feed;
    const Pacer& m_pacer;
    QString m_text;
    std::vector<RunStory::Line> m_rows;
    std::size_t m_hidden = 0;
    std::uint64_t m_version = 0, m_until = 0; // version and end of the story for which the rows were made
    bool m_isStale = true;
};

} // namespace lhrs::gui
