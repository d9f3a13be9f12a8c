// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/records/record_filter.h"
#include "gui/view/cluster/selection.h"
#include "gui/view/paint/theme.h"

#include <QAbstractTableModel>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

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
// the process in pages of 256 ranks, when a row of the page is looked at. Rows may be sorted by rank and key, which are
// known without reading, and filtered; what was read as a witness is compared with what is there now.
class RecordModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr std::uint32_t kPage = 256;
    static constexpr std::size_t kBytesMax = 64u << 20; // that are read for a whole bucket: for a filter, a witness, a file

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
    // Why the bucket has nothing to read now, in a sentence; empty: a process serves it.
    QString absence() const;

    // ---- which rows, in which order
    std::uint32_t rankOfRow(int row) const { return m_isOrdered ? m_order[std::size_t(row)] : std::uint32_t(row) + 1; }
    int rowOfRank(std::uint32_t rank) const; // -1: not listed
    bool canSortBy(int column) const;
    void sort(int column, Qt::SortOrder order) override;
    void setFilter(const QString& words);
    bool isFiltered() const { return m_filter.kind != RecordFilter::Kind::All; }
    // The row of this rank is marked: some view points at its record. 0: none.
    void setMark(std::uint32_t rank, QColor colour);
    std::uint32_t marked() const { return m_marked; }
    // Ranks in use, listed or not.
    std::uint32_t recordsInAll() const;

    // ---- the whole bucket
    // Reads every page again; wholeRead() tells the end.
    void readAll();
    bool isReadingAll() const { return m_readsAll; }
    // What has been read of the bucket is what later readings are compared with; needs readAll() before.
    void takeWitness();
    bool hasWitness() const { return m_witnesses.contains(m_bucket); }
    void compare();
    void endComparison();
    // Empty: there is no comparison.
    QString comparisonWords() const;
    const std::map<std::uint32_t, WitnessVerdict>& verdicts() const { return m_verdicts; }
    void forgetWitnesses();

    // ---- out of the window
    // With the header; bytes in full, as far as they are read.
    QString csv() const;
    // Those rows with tabs between their cells, as a table takes them from the clipboard.
    QString rowsAsText(const std::vector<int>& rows) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

signals:
    // Empty: complete. Else why not.
    void wholeRead(const QString& problem);

private:
    struct Page {
        std::map<std::uint32_t, pb::ContentsPage::DataRecord> data;
        std::map<std::uint32_t, pb::ContentsPage::ParityRecord> parity;
        std::uint64_t stamp = 0; // of the bucket when it was asked for
        std::size_t bytes = 0;
        bool isAsked = false, isHere = false;
        double askedAt = 0;
    };
    struct Seen {
        QStringList keys;
        QByteArray sum;
        bool operator==(const Seen&) const = default;
    };
    struct Witness {
        std::int64_t atNs = 0;
        std::map<std::uint32_t, Seen> records;
    };

    bool isParity() const { return m_bucket.kind == ObjectKind::Parity; }
    ProcessId process() const;
    std::uint64_t stamp() const;
    std::uint32_t rankMax() const;
    const RankMap* ranks() const;
    std::uint32_t positions() const { return m_pacer.state().m(); }
    int columnsWanted() const;
    std::size_t pagesInAll() const { return (rankMax() + kPage - 1) / kPage; }
    void want(std::uint32_t page) const;
    void ask(std::uint32_t page);
    void take(std::uint32_t number, const ContentsAnswer& answer);
    void readOn();
    void endReading(const QString& problem);
    void arrangeRows();
    bool isOrderWanted() const { return isFiltered() || m_sortColumn != 0 || m_sortOrder != Qt::AscendingOrder || m_isCompared; }
    const std::string* bytesOf(std::uint32_t rank) const;
    QStringList keysOf(std::uint32_t rank) const;
    std::map<std::uint32_t, Seen> seenNow() const;
    QVariant dataCell(std::uint32_t rank, int column) const;
    QVariant parityCell(std::uint32_t rank, int column) const;

    const Pacer& m_pacer;
    ContentsSource& m_source;
    ObjectRef m_bucket;
    ProcessId m_process = 0;
    std::uint32_t m_marked = 0; // rank
    QColor m_markColour;
    int m_rows = 0, m_columns = 0;
    double m_now = 0;
    std::uint64_t m_stamp = 0;  // of the bucket as the views were told of it
    std::uint64_t m_readAt = 0; // sequence, or sum of applied sequences, of the newest page
    std::uint64_t m_generation = 0;
    QString m_trouble;
    std::map<std::uint32_t, Page> m_pages;
    mutable std::set<std::uint32_t> m_wanted;

    RecordFilter m_filter;
    int m_sortColumn = 0;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    bool m_isOrdered = false;           // m_order counts
    std::vector<std::uint32_t> m_order; // ranks by row
    double m_orderedAt = -1;
    bool m_isOrderOld = false;

    bool m_readsAll = false, m_mustCompare = false;
    std::set<std::uint32_t> m_toRead; // pages of a whole reading that are not here yet
    std::map<ObjectRef, Witness> m_witnesses;
    bool m_isCompared = false;
    std::uint64_t m_comparedAt = 0; // stamp
    std::map<std::uint32_t, WitnessVerdict> m_verdicts;
};

} // namespace lhrs::gui
