// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/frame_clock.h"
#include "gui/view/pacer.h"
#include "gui/view/selection.h"
#include "gui/view/theme.h"

#include <QAbstractTableModel>
#include <QWidget>

#include <functional>
#include <map>
#include <set>

class QLabel;
class QSpinBox;
class QTableView;

namespace lhrs::gui {

// A page of a bucket, or why there is none.
struct ContentsAnswer {
    bool isOk = false;
    pb::ContentsPage page;
    QString why;
};

// Who fetches contents of buckets. Events carry no bytes: they come from the process itself, on demand.
class ContentsSource {
public:
    virtual ~ContentsSource() = default;
    // Calls back in the GUI thread, later; not at all once the receiver is gone.
    virtual void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done) = 0;
};

// "Display the contents" of a bucket: one row per rank. Ranks and keys are those of the shown state; bytes are read from
// the process in pages of 256 ranks, when a row of the page is looked at.
class RecordModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr std::uint32_t kPage = 256;

    RecordModel(const Pacer& pacer, ContentsSource& source, QObject* parent = nullptr);

    // The bucket to show: data or parity; anything else: none.
    void setBucket(ObjectRef bucket);
    ObjectRef bucket() const { return m_bucket; }
    // Follows the state: number of rows, changed bytes. `now` in seconds.
    void refresh(double now);
    // What the table is, and how old its bytes are; or why there are none.
    QString headline() const;
    // Why bytes are missing; empty if they are not.
    QString trouble() const { return m_trouble; }
    std::uint32_t rankOfRow(int row) const { return std::uint32_t(row) + 1; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

private:
    struct Page {
        std::map<std::uint32_t, pb::ContentsPage::DataRecord> data;
        std::map<std::uint32_t, pb::ContentsPage::ParityRecord> parity;
        std::uint64_t stamp = 0; // of the bucket when it was asked for
        bool isAsked = false, isHere = false;
        double askedAt = 0;
    };

    bool isParity() const { return m_bucket.kind == ObjectKind::Parity; }
    ProcessId process() const;
    std::uint64_t stamp() const;
    std::uint32_t rankMax() const;
    std::uint32_t positions() const { return m_pacer.state().m(); }
    void want(std::uint32_t page) const;
    void ask(std::uint32_t page);
    QVariant dataCell(std::uint32_t rank, int column) const;
    QVariant parityCell(std::uint32_t rank, int column) const;

    const Pacer& m_pacer;
    ContentsSource& m_source;
    ObjectRef m_bucket;
    ProcessId m_process = 0;
    int m_rows = 0, m_columns = 0;
    double m_now = 0;
    std::uint64_t m_stamp = 0;  // of the bucket as the views were told of it
    std::uint64_t m_readAt = 0; // sequence, or sum of applied sequences, of the newest page
    std::uint64_t m_generation = 0;
    QString m_trouble;
    std::map<std::uint32_t, Page> m_pages;
    mutable std::set<std::uint32_t> m_wanted;
};

// Panel of the selected bucket: what it is, and its records.
class RecordTable : public QWidget, public FrameView {
    Q_OBJECT
public:
    RecordTable(const Pacer& pacer, ContentsSource& source, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    RecordModel& model() { return *m_model; }

signals:
    // A record is to be looked at with its record group: by double click, Enter or the menu.
    void groupRequested(lhrs::gui::ObjectRef bucket, quint32 rank);
    void menuRequested(lhrs::gui::ObjectRef bucket, quint32 rank, QPoint globalPosition);

private:
    void follow();
    void fitColumns();

    const Pacer& m_pacer;
    Selection& m_selection;
    RecordModel* m_model;
    QTableView* m_table;
    QLabel *m_title, *m_details, *m_headline, *m_nothing;
    QSpinBox* m_goTo;
    Theme m_theme;
    double m_time = 0, m_saidAt = -1;
};

// Bytes as hexadecimal pairs, and as text with dots for what cannot be printed.
QString hexOf(const std::string& bytes, std::size_t bytesMax);
QString textOf(const std::string& bytes, std::size_t bytesMax);

} // namespace lhrs::gui
