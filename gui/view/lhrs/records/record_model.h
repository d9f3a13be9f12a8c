// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/show/pacer.h"
#include "gui/view/lhrs/records/record_filter.h"
#include "gui/view/system/selection.h"
#include "gui/view/paint/theme.h"

#include <QAbstractTableModel>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// A page of a bucket, or the reason why there is none.
struct ContentsAnswer {
    bool isOk = false;
    pb::ContentsPage page;
    QString why;
};

// Fetches the contents of buckets. Events carry no bytes: they come from the process itself, on demand.
class ContentsSource {
public:
    virtual ~ContentsSource() = default;
    // Calls back later, in the GUI thread; never after the receiver has been destroyed.
    virtual void readContents(ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject* receiver,
        std::function<void(ContentsAnswer)> done)
        = 0;
};

// "Display the contents" of a bucket: one row per rank. Ranks and keys are those of the shown state. Bytes are read
// from the process in pages of 256 ranks, when a row of the page is displayed. Rows can be filtered, and sorted by rank
// and key, which are known without reading. Bytes that were read as a witness are compared with the present ones.
class RecordModel : public QAbstractTableModel {
    Q_OBJECT
public:
    static constexpr std::uint32_t kPage = 256;
    static constexpr std::size_t kBytesMax = 64u << 20; // read of a whole bucket: for a filter, a witness, a file

    RecordModel(const Pacer& pacer, ContentsSource& source, QObject* parent = nullptr);

    // Sets the data or parity bucket to show; any other object: none.
    void setBucket(ObjectRef bucket);
    ObjectRef bucket() const { return m_bucket; }
    // Follows the state: number of rows, changed bytes. `now` in seconds.
    void refresh(double now);
    // What the table shows and how old its bytes are, or why there are none.
    QString headline() const;
    // Why bytes are missing; empty: none are.
    QString trouble() const { return m_trouble; }
    // Why the bucket cannot be read now, as a sentence; empty: a process serves it.
    QString absence() const;

    // ---- which rows, in which order
    std::uint32_t rankOfRow(int row) const { return m_isOrdered ? m_order[std::size_t(row)] : std::uint32_t(row) + 1; }
    int rowOfRank(std::uint32_t rank) const; // -1: not listed
    bool canSortBy(int column) const;
    void sort(int column, Qt::SortOrder order) override;
    void setFilter(const QString& words);
    bool isFiltered() const { return m_filter.kind != RecordFilter::Kind::All; }
    // Marks the row of this rank, because the mouse is over its record in some view. 0: none.
    void setMark(std::uint32_t rank, QColor colour);
    std::uint32_t marked() const { return m_marked; }
    // All ranks in use, listed or not.
    std::uint32_t recordsInAll() const;

    // ---- the whole bucket
    // Reads every page again; wholeRead() reports the end.
    void readAll();
    bool isReadingAll() const { return m_readsAll; }
    // Keeps what has been read of the bucket as the witness for later comparisons; requires readAll() before.
    void takeWitness();
    bool hasWitness() const { return m_witnesses.contains(m_bucket); }
    void compare();
    void endComparison();
    // Empty: there is no comparison.
    QString comparisonWords() const;
    const std::map<std::uint32_t, WitnessVerdict>& verdicts() const { return m_verdicts; }
    void forgetWitnesses();

    // ---- out of the window
    // With a header; full bytes, as far as they have been read.
    QString csv() const;
    // The rows with tabs between their cells, in the form in which spreadsheets accept them from the clipboard.
    QString rowsAsText(const std::vector<int>& rows) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

signals:
    // Empty: complete. Otherwise the reason why it is not.
    void wholeRead(const QString& problem);

private:
    struct Page {
        std::map<std::uint32_t, pb::ContentsPage::DataRecord> data;
        std::map<std::uint32_t, pb::ContentsPage::ParityRecord> parity;
        std::uint64_t stamp = 0; // of the bucket at the time of the request
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
    bool isOrderWanted() const
    {
        return isFiltered() || m_sortColumn != 0 || m_sortOrder != Qt::AscendingOrder || m_isCompared;
    }
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
    std::uint64_t m_stamp = 0; // of the bucket when the views were last notified
    std::uint64_t m_readAt = 0; // sequence number, or sum of applied sequence numbers, of the newest page
    std::uint64_t m_generation = 0;
    QString m_trouble;
    std::map<std::uint32_t, Page> m_pages;
    mutable std::set<std::uint32_t> m_wanted;

    RecordFilter m_filter;
    int m_sortColumn = 0;
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
    bool m_isOrdered = false; // m_order is valid
    std::vector<std::uint32_t> m_order; // ranks by row
    double m_orderedAt = -1;
    bool m_isOrderOld = false;

    bool m_readsAll = false, m_mustCompare = false;
    std::set<std::uint32_t> m_toRead; // pages of a whole reading that have not arrived yet
    std::map<ObjectRef, Witness> m_witnesses;
    bool m_isCompared = false;
    std::uint64_t m_comparedAt = 0; // stamp of the comparison
    std::map<std::uint32_t, WitnessVerdict> m_verdicts;
};

} // namespace lhrs::gui
