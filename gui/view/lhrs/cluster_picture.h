// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_layout.h"
#include "gui/view/lhrs/words/file_looks.h"
#include "gui/view/paint/display_list.h"
#include "gui/view/system/layers.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace lhrs::gui {

// Where the cells of a card's ranks lie: one cell stands for `ratio` ranks.
struct CellGeometry {
    QRectF area;
    std::uint32_t ratio = 1;
    int columns = 1, pitchX = 0, pitchY = 0; // pixels from cell to cell; 0: the card has no room for cells
    bool hasKeys = false; // a cell has room for its key
    TextStyle keyStyle { TextSize::Small }; // as large as the cell allows
    bool isValid() const { return pitchX > 0; }
    QRectF cellOf(std::uint32_t rank) const;
};
// Keys are written only where they can be read at a glance: the most ranks per bucket, and the most buckets.
inline constexpr std::uint32_t kKeyRanks = 240;
inline constexpr std::size_t kKeyBuckets = 24;
// What is common to all cards of a file, so that their cells are alike.
struct CellPlan {
    std::uint32_t ranks = 0; // the larger of b and the highest rank in use
    std::uint32_t keyDigits = 0; // of the longest key; 0: keys are too long or too many to be written
    bool isDrawn = true; // false: too many buckets are in sight to draw ranks
};
// `detail`: that of the layout.
CellPlan cellPlanOf(const ClusterState& state, CardDetail detail = CardDetail::Full);
CellGeometry cellGeometry(const Theme& theme, const QRectF& card, const CellPlan& plan);

// A cell's value: 0 (empty) to kCellShades - 1 (all ranks used, or all members present), or kCellIncoming.
inline constexpr std::uint8_t kCellShades = 6;
inline constexpr std::uint8_t kCellIncoming = kCellShades; // records of a split that is not decided yet

// Reads the ranks of buckets into cells and caches them: a bucket may have thousands of ranks, and few of them change
// between two frames. Where many change, buckets are read in turn and isLate() returns true.
class CellReader {
public:
    static constexpr std::uint32_t kRanksPerFrame = 24'000;

    void beginFrame();
    const std::vector<std::uint8_t>& data(
        const DataBucketState& bucket, const CellGeometry& geometry, std::uint32_t ranks);
    const std::vector<std::uint8_t>& parity(
        const ParityBucketState& bucket, const CellGeometry& geometry, std::uint32_t ranks, std::uint32_t m);
    // The cells of some bucket are older than its state: the picture must be drawn once more.
    bool isLate() const { return m_isLate; }

private:
    struct Entry {
        std::vector<std::uint8_t> values;
        std::uint64_t stamp = 0;
        std::uint64_t frame = 0;
        std::uint32_t ranks = 0, ratio = 0;
    };
    template <class Value>
    const std::vector<std::uint8_t>& read(
        Entry& entry, std::uint64_t stamp, const CellGeometry& geometry, std::uint32_t ranks, Value&& value);

    std::unordered_map<std::uint64_t, Entry> m_entries;
    std::uint64_t m_frame = 0;
    std::uint32_t m_wanted = 0, m_interval = 1;
    bool m_isLate = false;
};

struct PictureInput {
    const ClusterState& state;
    const ClusterLayout& layout;
    const Theme& theme;
    CellReader& cells;
    Layers layers {};
    ObjectRef selected {}, hovered {};
    std::int64_t nowNs = 0;
    const std::set<ProcessId>* silent = nullptr; // processes that have been silent for a while
    bool hasFocus = false;
    CellPlan plan {}; // of cellPlanOf()
    bool isRecorded = false; // what does not exist has not happened yet
    QString footNote {}; // what Motion reports, e.g. "messages drawn 4 000 x slower"
};

// The cluster without what moves: cards, clients, coordinator, file, pools, level-of-detail line.
void drawCluster(const PictureInput& input, DisplayList& out);

// Parts of it.
void drawDataCard(const PictureInput& input, const DataBucketState& bucket, const QRectF& rect, DisplayList& out);
void drawParityCard(const PictureInput& input, const ParityBucketState& bucket, const QRectF& rect, DisplayList& out);
void drawDummy(const PictureInput& input, std::uint32_t number, const QRectF& rect, DisplayList& out);
// What failures do to a group, on the right of its header and around it. Removes the room that it uses from `row`.
void drawGroupState(const PictureInput& input, const ClusterLayout::Group& group, const GroupState& state, QRectF& row,
    DisplayList& out);
// The parts of a bucket's card that a label over it must leave legible: head, last words, and foot, but not the cells.
// Empty for other objects and where nothing is written.
std::vector<QRectF> wordsOfCard(const PictureInput& input, const ClusterLayout::Item& item);
// Draws the faults that are armed at a process as a badge at the foot of its card.
void drawFaults(const PictureInput& input, ProcessId process, const QRectF& card, DisplayList& out);
void drawDisplaced(const PictureInput& input, DisplayList& out);
// For groups that are being rebuilt: which members are asked for their records, which are not, and which one computes.
void drawRecoveryRoles(const PictureInput& input, DisplayList& out);
// For cards that are too small: marks failures, splits, rebuilding and armed faults with signs that are large enough to
// be seen.
void drawSigns(const PictureInput& input, DisplayList& out);
// Draws the state of a group whose header has no room for words.
void drawSmallGroupState(
    const PictureInput& input, const ClusterLayout::Group& group, const GroupState& state, DisplayList& out);
// How much of a bucket is drawn in a rectangle of that size.
CardDetail detailOf(const PictureInput& input, QSizeF card);
// Marks a card whose contents are gone, so that it differs from a card that has them.
void drawDamage(const PictureInput& input, Look look, const QRectF& card, DisplayList& out);
void drawFilePanel(const PictureInput& input, DisplayList& out);
// The capacity b that a bucket is measured against; at least 1.
std::uint32_t capacityOf(const ClusterState& state, const DataBucketState& bucket);

} // namespace lhrs::gui
