// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/lhrs/cluster_layout.h"

#include "gui/view/lhrs/words/outside_places.h"
#include "gui/view/system/host_clock.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

namespace lhrs::gui {

namespace {

constexpr qreal kCardWidthMax = 330; // pixels at 100 %
constexpr qreal kHostWidthMin = 240; // likewise: its name, its address and the number of its servers
const QString kDisplacedTitle = QStringLiteral("Displaced: serves nothing"); // the same text as in the picture

// The objects for which the groups' area must have room.
struct Census {
    std::vector<std::uint32_t> groups;
    std::uint32_t m = 4, k = 1, b = 1;
};

Census censusOf(const ClusterState& state)
{
    std::set<std::uint32_t> groups;
    Census census;
    census.m = std::max(1U, state.m());
    census.k = std::max(1U, state.file.availability);
    census.b = std::max(1U, state.file.config.b());
    for (const auto& [number, bucket] : state.data)
        groups.insert(number / census.m);
    for (const auto& [place, bucket] : state.parity) {
        groups.insert(place.first);
        census.k = std::max(census.k, place.second + 1);
    }
    for (const auto& [number, group] : state.groups)
        groups.insert(number);
    // The next bucket may open a new group, which is shown only when a process holds a place in it.
    census.groups.assign(groups.begin(), groups.end());
    return census;
}

// Pixels at 100 %: the size of a card with room for cells of records, and the height of the split pointer without
// words.
constexpr qreal kFullWidth = 84, kFullHeight = 78, kPointerAlone = 12;

// The sizes in one group's row for a given number of columns of groups.
struct RowFit {
    QSizeF cell;
    QSizeF card;
    qreal header = 0, pointer = 0, columnGap = 0, rowGap = 0, cardGap = 0, parityGap = 0, score = 0;
};

// The largest useful height of a card of that width: its ranks fill it at their largest size, and it is not too tall
// for its width.
qreal heightMax(const Census& census, qreal width, const Theme& theme)
{
    constexpr qreal kLeast = 150, kMost = 460, kPerWidth = 2.4; // pixels at 100 %
    constexpr qreal kLonger = 1.5; // limit of height / width of a cell, see cellGeometry()
    const qreal u = theme.px(1), cell = kCellMax * u;
    const qreal perRow = std::max(1.0, std::floor((width - 14 * u) / cell));
    const qreal head = theme.lineHeight({ TextSize::Title, true }) + 2 * theme.lineHeight({ TextSize::Small }) + 26 * u;
    const qreal filled = head + std::ceil(census.b / perRow) * cell * kLonger;
    return std::min({ std::max(kLeast * u, filled), kMost * u, std::max(1.0, width) * kPerWidth });
}

// A group as a column: its data buckets one below the other, a gap, its parity buckets.
RowFit fitColumns(const Census& census, QSizeF area, int columns, const Theme& theme)
{
    const int rows = (int(census.groups.size()) + columns - 1) / columns;
    const qreal u = theme.px(1);
    RowFit fit;
    fit.columnGap = std::min(16 * u, area.width() / columns * 0.3);
    fit.rowGap = std::min(6 * u, area.height() / rows * 0.3);
    fit.cell = QSizeF(
        (area.width() - (columns - 1) * fit.columnGap) / columns, (area.height() - (rows - 1) * fit.rowGap) / rows);
    const int cards = int(census.m + census.k);
    fit.header = theme.lineHeight({ TextSize::Small, true }) + 4 * u;
    if (fit.cell.height() - fit.header < cards * 12 * u)
        fit.header = 0;
    const qreal share = (fit.cell.height() - fit.header) / cards;
    // The split pointer is in the gap below a card.
    fit.cardGap = std::min(8 * u, share * 0.25);
    fit.pointer = fit.cardGap * 0.8;
    fit.parityGap = 2 * fit.cardGap;
    const qreal height = (fit.cell.height() - fit.header - (cards - 2) * fit.cardGap - fit.parityGap - fit.pointer)
        / cards;
    fit.card = QSizeF(std::min({ fit.cell.width(), kCardWidthMax * u, std::max(height, 1.0) * 2.4 }),
        std::min(height, heightMax(census, fit.cell.width(), theme)));
    fit.score = std::min(fit.card.width(), 1.35 * fit.card.height());
    return fit;
}

RowFit fitRows(const Census& census, QSizeF area, int columns, const Theme& theme)
{
    const int rows = (int(census.groups.size()) + columns - 1) / columns;
    const qreal u = theme.px(1);
    RowFit fit;
    // With thousands of groups the gaps shrink too, so that the cards keep some room at any size.
    fit.columnGap = std::min(16 * u, area.width() / columns * 0.3);
    fit.rowGap = std::min(6 * u, area.height() / rows * 0.3);
    fit.cell = QSizeF(
        (area.width() - (columns - 1) * fit.columnGap) / columns, (area.height() - (rows - 1) * fit.rowGap) / rows);
    const int cards = int(census.m + census.k);
    const qreal share = fit.cell.width() / cards;
    fit.cardGap = std::clamp(share * 0.06, std::min(1.0, share * 0.25), 12 * u);
    fit.parityGap = 2.5 * fit.cardGap;
    const qreal width = (fit.cell.width() - (cards - 2) * fit.cardGap - fit.parityGap) / cards;
    const auto heightWith = [&](qreal header, qreal pointer) { return fit.cell.height() - header - pointer; };
    fit.header = theme.lineHeight({ TextSize::Small, true }) + 4 * u;
    fit.pointer = theme.lineHeight({ TextSize::Small }) + 2 * u;
    // Cells of records are more useful than the words beside the arrow: the box of the file shows n too.
    if (heightWith(fit.header, fit.pointer) < kFullHeight * u
        && heightWith(fit.header, kPointerAlone * u) >= kFullHeight * u)
        fit.pointer = kPointerAlone * u;
    if (heightWith(fit.header, fit.pointer) < 30 * u) {
        fit.pointer = 5 * u;
        if (heightWith(fit.header, fit.pointer) < 18 * u) {
            fit.header = 0;
            fit.pointer = std::min(2.0, fit.cell.height() * 0.2);
        }
    }
    const qreal height = heightWith(fit.header, fit.pointer);
    fit.card = QSizeF(std::min(width, kCardWidthMax * u),
        std::min(height, heightMax(census, std::min(width, kCardWidthMax * u), theme)));
    fit.card.setWidth(std::min(fit.card.width(), std::max(fit.card.height(), 1.0) * 2.4));
    // The best arrangement has the largest cards, measured by the side that limits them.
    fit.score = std::min(fit.card.width(), 1.35 * fit.card.height());
    return fit;
}

RowFit fitGroups(const Census& census, QSizeF area, int columns, const Theme& theme, bool areColumns)
{
    return areColumns ? fitColumns(census, area, columns, theme) : fitRows(census, area, columns, theme);
}

int bestColumns(const Census& census, QSizeF area, const Theme& theme, bool areColumns)
{
    int best = 1;
    qreal score = -1;
    for (int columns = 1; columns <= std::min<int>(areColumns ? 512 : 64, int(census.groups.size())); ++columns) {
        const qreal s = fitGroups(census, area, columns, theme, areColumns).score;
        if (s > score * 1.02) {
            score = s;
            best = columns;
        }
    }
    return best;
}

void chooseDetail(const ClusterState& state, const Theme& theme, QSizeF card, ClusterLayout& layout)
{
    layout.buckets = state.data.size();
    layout.bucketsInSight = std::size_t(
        std::count_if(layout.items.begin(), layout.items.end(), [&](const ClusterLayout::Item& item) {
            return item.object.kind == ObjectKind::Data && layout.groupsArea.intersects(item.rect);
        }));
    const CardDetail byCount = layout.bucketsInSight > kTilesMax ? CardDetail::Heat
        : layout.bucketsInSight > kCardsMax                      ? CardDetail::Tile
                                                                 : CardDetail::Full;
    layout.detail = std::max(detailFor(card, theme), byCount);
}

// The host: its name, and the address without the port.
QString hostOf(const ProcessState& process)
{
    const QString address = QString::fromStdString(process.address).section(QLatin1Char(':'), 0, -2);
    return process.host.empty() ? address
                                : QStringLiteral("%1 (%2)").arg(QString::fromStdString(process.host), address);
}

// "3 members of group 0" if these processes have more members of a group than its parity can replace; empty otherwise.
QString crowdOf(
    const ClusterState& state, const std::vector<ProcessId>& processes, const std::map<ProcessId, ObjectRef>& objects)
{
    const std::uint32_t m = std::max(1u, state.m());
    std::map<std::uint32_t, std::uint32_t> members;
    for (const ProcessId id : processes) {
        const ObjectRef& object = objects.at(id);
        if (object.kind == ObjectKind::Data || object.kind == ObjectKind::Parity)
            ++members[std::uint32_t(object.kind == ObjectKind::Data ? object.a / m : object.a)];
    }
    for (const auto& [group, count] : members) {
        const auto parity = std::uint32_t(
            std::distance(state.parity.lower_bound({ group, 0 }), state.parity.lower_bound({ group + 1, 0 })));
        if (count > parity && parity > 0)
            return QStringLiteral("%1 members of group %2").arg(count).arg(group);
    }
    return {};
}

void placeGroups(const ClusterState& state, const Theme& theme, const LayoutOptions& options, ClusterLayout& layout)
{
    const Census census = censusOf(state);
    if (census.groups.empty())
        return;
    const QRectF area = layout.groupsArea;
    const qreal zoom = std::clamp(options.zoom, 1.0, 64.0);
    const bool areColumns = options.areColumns;
    layout.columns = bestColumns(census, area.size(), theme, areColumns);
    const QSizeF whole = area.size() * zoom;
    const RowFit fit = fitGroups(census, whole, layout.columns, theme, areColumns);
    layout.card = fit.card;
    layout.pointerHeight = fit.pointer;
    layout.panMax = QPointF(whole.width() - area.width(), whole.height() - area.height());
    layout.pan = QPointF(
        std::clamp(options.pan.x(), 0.0, layout.panMax.x()), std::clamp(options.pan.y(), 0.0, layout.panMax.y()));

    const int rows = (int(census.groups.size()) + layout.columns - 1) / layout.columns;
    // The offset of a card from the first card of its group.
    const auto offsetOf = [&](std::uint32_t index) {
        const qreal step = areColumns ? fit.card.height() : fit.card.width();
        const qreal along = qreal(index) * (step + fit.cardGap) + (index >= census.m ? fit.parityGap - fit.cardGap : 0);
        return areColumns ? QPointF(0, along) : QPointF(along, 0);
    };
    const QPointF last = offsetOf(census.m + census.k - 1);
    const qreal usedHeight = fit.header + last.y() + fit.card.height() + fit.pointer;
    const qreal rowPitch = std::min(fit.cell.height() + fit.rowGap, usedHeight + theme.px(34));
    const qreal used = rowPitch * rows - (rowPitch - usedHeight);
    const qreal top = std::max(0.0, (whole.height() - used) * 0.4);
    const qreal cardsWidth = last.x() + fit.card.width();
    const qreal left = std::max(0.0, (fit.cell.width() - cardsWidth) / 2);
    for (std::size_t index = 0; index < census.groups.size(); ++index) {
        // Rows are filled from top to bottom, columns from left to right.
        const int column = areColumns ? int(index) % layout.columns : int(index) / rows,
                  row = areColumns ? int(index) / layout.columns : int(index) % rows;
        const std::uint32_t g = census.groups[index];
        const QPointF corner = area.topLeft() - layout.pan
            + QPointF(column * (fit.cell.width() + fit.columnGap) + left, top + row * rowPitch);
        ClusterLayout::Group group;
        group.number = g;
        group.frame = QRectF(corner, QSizeF(cardsWidth, usedHeight));
        group.header = QRectF(corner, QSizeF(cardsWidth, std::max(0.0, fit.header - theme.px(4))));
        layout.groups.push_back(group);
        const QPointF first = corner + QPointF(0, fit.header);
        for (std::uint32_t q = 0; q < census.m; ++q) {
            const std::uint32_t a = g * census.m + q;
            const auto bucket = state.data.find(a);
            const bool exists = bucket != state.data.end();
            layout.items.push_back({ { exists ? ObjectKind::Data : ObjectKind::Dummy, a, 0 },
                exists ? bucket->second.process : 0, QRectF(first + offsetOf(q), fit.card) });
        }
        for (std::uint32_t p = 0; p < census.k; ++p) {
            const auto bucket = state.parity.find({ g, p });
            if (bucket != state.parity.end())
                layout.items.push_back({ { ObjectKind::Parity, g, p }, bucket->second.process,
                    QRectF(first + offsetOf(census.m + p), fit.card) });
        }
    }
    chooseDetail(state, theme, fit.card, layout);
}

// All servers of each host side by side, whatever their roles: the physical placement of the file.
void placeHosts(const ClusterState& state, const Theme& theme, const LayoutOptions& options, ClusterLayout& layout)
{
    // Processes that hold a place now, and those that wait for one. A process that held a place before is not among
    // them: it is gone or displaced.
    std::map<ProcessId, ObjectRef> objects;
    for (const auto& [number, bucket] : state.data)
        objects.try_emplace(bucket.process, ObjectRef { ObjectKind::Data, number, 0 });
    for (const auto& [place, bucket] : state.parity)
        objects.try_emplace(bucket.process, ObjectRef { ObjectKind::Parity, place.first, place.second });
    for (const pb::Role pool : { pb::DATA, pb::PARITY })
        for (const ProcessId spare : sparesOf(state, pool))
            objects.try_emplace(spare, ObjectRef { ObjectKind::Spare, spare, 0 });
    std::map<QString, std::vector<ProcessId>> hosts;
    for (const auto& [id, object] : objects)
        if (const auto process = state.processes.find(id); process != state.processes.end())
            hosts[hostOf(process->second)].push_back(id);
    if (hosts.empty())
        return;
    for (auto& [host, processes] : hosts)
        sortByName(state, processes);
    const Census census = censusOf(state);
    const QRectF area = layout.groupsArea;
    const QSizeF whole = area.size() * std::clamp(options.zoom, 1.0, 64.0);
    const qreal u = theme.px(1), header = theme.lineHeight({ TextSize::Small, true }) + 4 * u, pad = 6 * u;
    // Hosts stand side by side in bands, servers side by side within a host; a band is as high as its largest host.
    struct Grid {
        int across = 1; // hosts
        int columns = 1; // servers of a host
    };
    const auto rowsOf = [](const std::vector<ProcessId>& processes, int columns) {
        return (int(processes.size()) + columns - 1) / columns;
    };
    const auto rowsOfBands = [&](Grid grid) {
        std::vector<int> rows;
        int index = 0;
        for (const auto& [host, processes] : hosts) {
            if (index++ % grid.across == 0)
                rows.push_back(1);
            rows.back() = std::max(rows.back(), rowsOf(processes, grid.columns));
        }
        return rows;
    };
    const auto frameWidth = [&](QSizeF room, Grid grid) {
        return (room.width() - (grid.across - 1) * pad) / grid.across;
    };
    const auto gapOf = [&](QSizeF room, Grid grid) {
        return std::min(6 * u, frameWidth(room, grid) / grid.columns * 0.1);
    };
    const auto cardOf = [&](QSizeF room, Grid grid) {
        const qreal gap = gapOf(room, grid);
        const qreal width = (frameWidth(room, grid) - 2 * pad - (grid.columns - 1) * gap) / grid.columns;
        const std::vector<int> bands = rowsOfBands(grid);
        const qreal height = (room.height() - qreal(bands.size()) * (header + 3 * pad))
                / std::accumulate(bands.begin(), bands.end(), 0)
            - gap;
        return QSizeF(std::min({ width, kCardWidthMax * u, std::max(height, 1.0) * 2.4 }),
            std::max(1.0, std::min(height, heightMax(census, width, theme))));
    };
    Grid grid;
    for (int across = 1; across <= int(hosts.size()); ++across) {
        // A narrower frame has no room for the name and the address of its host.
        if (across > 1 && frameWidth(area.size(), { across, 1 }) < kHostWidthMin * u)
            break;
        for (int columns = 1; columns <= 200; ++columns) {
            const QSizeF now = cardOf(area.size(), { across, columns }), best = cardOf(area.size(), grid);
            if (std::min(now.width(), 1.35 * now.height()) > 1.02 * std::min(best.width(), 1.35 * best.height()))
                grid = { across, columns };
        }
    }
    const QSizeF card = cardOf(whole, grid);
    const qreal gap = gapOf(whole, grid), width = frameWidth(whole, grid);
    layout.columns = grid.columns;
    layout.card = card;
    layout.pointerHeight = std::min(gap, 5 * u);
    layout.panMax = QPointF(whole.width() - area.width(), whole.height() - area.height());
    layout.pan = QPointF(
        std::clamp(options.pan.x(), 0.0, layout.panMax.x()), std::clamp(options.pan.y(), 0.0, layout.panMax.y()));
    const std::vector<int> bands = rowsOfBands(grid);
    QPointF corner = area.topLeft() - layout.pan;
    int index = 0;
    for (const auto& [host, processes] : hosts) {
        const int rows = bands[std::size_t(index / grid.across)];
        ClusterLayout::Group group;
        group.host = host;
        group.processes = processes.size();
        if (const auto clock = hostClock(state, state.processes.at(processes.front()).host))
            group.clock = clockWords(*clock);
        if (hosts.size() > 1) // one alone has everything
            group.crowded = crowdOf(state, processes, objects);
        group.header = QRectF(corner, QSizeF(width, header));
        group.frame = QRectF(corner, QSizeF(width, header + 2 * pad + rows * (card.height() + gap) - gap));
        for (std::size_t i = 0; i < processes.size(); ++i) {
            const QPointF at = group.header.bottomLeft()
                + QPointF(pad + qreal(int(i) % grid.columns) * (card.width() + gap),
                    pad + qreal(int(i) / grid.columns) * (card.height() + gap));
            layout.items.push_back({ objects.at(processes[i]), processes[i], QRectF(at, card) });
        }
        layout.groups.push_back(group);
        if (++index % grid.across != 0)
            corner.rx() += width + pad;
        else
            corner = QPointF(area.left() - layout.pan.x(), group.frame.bottom() + pad);
    }
    chooseDetail(state, theme, card, layout);
}

void placePool(const ClusterState& state, const Theme& theme, QRectF frame, pb::Role role, ClusterLayout& layout)
{
    const qreal u = theme.px(1);
    ClusterLayout::Pool pool;
    pool.role = role;
    pool.frame = frame;
    const qreal titleHeight = theme.lineHeight({ TextSize::Small, true }) + 4 * u;
    pool.title = QRectF(frame.left() + 8 * u, frame.top() + 2 * u, frame.width() - 16 * u, titleHeight);
    const std::vector<ProcessId> spares = sparesOf(state, role);
    pool.spares = spares.size();
    const QRectF inside(frame.left() + 8 * u, pool.title.bottom() + 1 * u, frame.width() - 16 * u,
        frame.bottom() - pool.title.bottom() - 6 * u);
    // As few rows as possible: chips with the longest names that fit, else squares.
    const qreal gap = 5 * u;
    const auto count = int(std::max<std::size_t>(1, spares.size()));
    QSizeF chip;
    int perRow = 1;
    for (int rows = 1; rows <= 64; ++rows) {
        perRow = (count + rows - 1) / rows;
        chip = QSizeF(std::min(112 * u, (inside.width() - (perRow - 1) * gap) / perRow),
            (inside.height() - (rows - 1) * gap) / rows);
        chip.setHeight(std::min(chip.height(), 26 * u));
        if (chip.width() >= 74 * u || chip.width() >= chip.height())
            break;
    }
    pool.hasNames = chip.width() >= 30 * u && chip.height() >= theme.lineHeight({ TextSize::Small });
    for (std::size_t i = 0; i < spares.size(); ++i) {
        const auto column = int(i) % perRow, row = int(i) / perRow;
        layout.items.push_back({ { ObjectKind::Spare, spares[i], 0 }, spares[i],
            QRectF(inside.left() + column * (chip.width() + gap), inside.top() + row * (chip.height() + gap),
                chip.width(), chip.height()) });
    }
    layout.pools.push_back(pool);
}

// A strip below the rows: its title, and as many chips as fit after it.
void placeDisplaced(const std::vector<ProcessId>& processes, const Theme& theme, QRectF strip, ClusterLayout& layout)
{
    const qreal u = theme.px(1);
    layout.displaced = strip;
    const qreal title = std::min(
        strip.width() * 0.4, theme.metrics({ TextSize::Small, true }).horizontalAdvance(kDisplacedTitle) + 18 * u);
    const qreal gap = 6 * u, room = strip.width() - title - 6 * u;
    const qreal wide = std::min(300 * u, (room - gap * qreal(processes.size() - 1)) / qreal(processes.size()));
    qreal x = strip.left() + title;
    for (const ProcessId process : processes) {
        layout.items.push_back({ { ObjectKind::Displaced, process, 0 }, process,
            QRectF(x, strip.top() + 3 * u, std::max(4.0, wide), strip.height() - 6 * u) });
        x += wide + gap;
    }
}

void placeTop(const ClusterState& state, const Theme& theme, ProcessId chosen, QRectF band, ClusterLayout& layout)
{
    const qreal u = theme.px(1);
    const bool isNarrow = band.width() < 700 * u; // the file's words are shortened before the clients' words
    const qreal coordinatorWidth = (isNarrow ? 100 : 126) * u;
    const qreal fileWidth = std::min(band.width() * (isNarrow ? 0.42 : 0.5), 560 * u);
    layout.file = QRectF(band.right() - fileWidth, band.top(), fileWidth, band.height());
    const QRectF middle(layout.file.left() - coordinatorWidth, band.top(), coordinatorWidth, band.height());
    layout.clients = QRectF(band.left(), band.top(), middle.left() - band.left() - 6 * u, band.height());
    std::vector<ProcessId> clients = clientsOf(state);
    const auto fits = std::size_t(std::max(1.0, std::floor(layout.clients.width() / (132 * u))));
    const std::size_t shown = std::min(clients.size(), fits);
    layout.clientsHidden = clients.size() - shown;
    if (const auto at = std::find(clients.begin(), clients.end(), chosen);
        at - clients.begin() >= std::ptrdiff_t(shown) && at != clients.end())
        std::iter_swap(at, clients.begin() + std::ptrdiff_t(shown) - 1);
    const qreal more = layout.clientsHidden > 0 ? kMoreClients * u : 0;
    const qreal cell = std::min(240 * u, (layout.clients.width() - more) / qreal(std::max<std::size_t>(1, shown)));
    const qreal diameter = std::min(46 * u, band.height() - 8 * u);
    for (std::size_t i = 0; i < shown; ++i) {
        const QRectF place(layout.clients.left() + qreal(i) * cell, band.top(), cell - 4 * u, band.height());
        layout.items.push_back({ { ObjectKind::Client, clients[i], 0 }, clients[i],
            QRectF(place.left() + 2 * u, place.center().y() - diameter / 2, diameter, diameter) });
    }
    if (const ProcessId coordinator = coordinatorOf(state)) {
        const qreal side = std::min(52 * u, band.height() - theme.lineHeight({ TextSize::Small }) - 8 * u);
        layout.items.push_back({ { ObjectKind::Coordinator, coordinator, 0 }, coordinator,
            QRectF(middle.center().x() - side / 2, band.top() + 4 * u, side, side) });
    }
}

} // namespace

const ClusterLayout::Item* ClusterLayout::find(ObjectRef object) const
{
    if (!m_index)
        return nullptr;
    const auto found = m_index->byObject.find(object);
    return found == m_index->byObject.end() ? nullptr : &items[found->second];
}

const ClusterLayout::Item* ClusterLayout::findProcess(ProcessId process) const
{
    if (!m_index)
        return nullptr;
    const auto found = m_index->byProcess.find(process);
    return found == m_index->byProcess.end() ? nullptr : &items[found->second];
}

QPointF ClusterLayout::anchor(const QRectF& rect) const
{
    QPointF point = rect.center();
    if (point.y() > groupsArea.bottom() || point.y() < groupsArea.top())
        return point;
    return { std::clamp(point.x(), groupsArea.left(), groupsArea.right()),
        std::clamp(point.y(), groupsArea.top(), groupsArea.bottom()) };
}

bool ClusterLayout::isInGroups(ObjectRef object) const
{
    return object.kind == ObjectKind::Data || object.kind == ObjectKind::Parity || object.kind == ObjectKind::Dummy
        || object.kind == ObjectKind::Group;
}

void ClusterLayout::index()
{
    auto index = std::make_shared<Index>();
    index->byProcess.reserve(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) {
        index->byObject[items[i].object] = i;
        if (items[i].process != 0)
            index->byProcess[items[i].process] = i;
    }
    m_index = std::move(index);
}

CardDetail detailFor(QSizeF card, const Theme& theme)
{
    const qreal u = theme.px(1);
    if (card.width() >= kFullWidth * u && card.height() >= kFullHeight * u)
        return CardDetail::Full;
    if (card.width() >= 40 * u && card.height() >= 40 * u)
        return CardDetail::Compact;
    if (card.width() >= 9 && card.height() >= 9)
        return CardDetail::Tile;
    return CardDetail::Heat;
}

std::uint64_t placesStamp(const ClusterState& state)
{
    std::uint64_t stamp = 0;
    const auto mix = [&stamp](std::uint64_t value) { stamp = (stamp ^ value) * 0x9e3779b97f4a7c15ULL + (stamp >> 29); };
    mix(state.m());
    mix(state.file.availability);
    for (const auto& [number, bucket] : state.data) {
        mix(number);
        mix(bucket.process);
    }
    for (const auto& [place, bucket] : state.parity) {
        mix((std::uint64_t(place.first) << 32) + place.second);
        mix(bucket.process);
    }
    for (const auto& [number, group] : state.groups)
        mix(number);
    for (const auto& [id, process] : state.processes) {
        mix(id);
        mix((std::uint64_t(process.kind) << 32) + (std::uint64_t(process.pool) << 16)
            + (std::uint64_t(process.place.role()) << 8) + (process.hasEnded ? 1 : 0));
        mix((std::uint64_t(process.name.size()) << 32) + process.address.size()); // may be known later than the process
    }
    for (const auto& [id, bucket] : state.displacedData)
        mix(id);
    for (const auto& [id, bucket] : state.displacedParity)
        mix(id);
    mix(coordinatorOf(state));
    return stamp;
}

ClusterLayout layoutCluster(const ClusterState& state, const Theme& theme, const LayoutOptions& options)
{
    ClusterLayout layout;
    layout.viewport = options.viewport;
    const qreal u = theme.px(1), margin = 10 * u;
    const QRectF all(margin, 6 * u, options.viewport.width() - 2 * margin, options.viewport.height() - 8 * u);
    const bool isLow = all.height() < 430 * u;
    const qreal topHeight = (isLow ? 66 : 88) * u;
    const qreal line = theme.lineHeight({ TextSize::Small });
    qreal footHeight = line * (options.showLegend ? 2 : 1) + 6 * u;
    const bool hasHosts = options.arrangement == Arrangement::Hosts; // spares are then among the other processes
    qreal poolHeight = options.showSpares && !hasHosts ? (isLow ? 52 : 58) * u : 0;
    const std::vector<ProcessId> displaced = displacedOf(state);
    const qreal stripHeight = displaced.empty() ? 0 : theme.lineHeight({ TextSize::Small, true }) + 12 * u;
    // Nothing overlaps: where the groups would have no room, the legend is removed first, and then the spares.
    const auto isTight = [&] {
        return all.height() - topHeight - footHeight - poolHeight - stripHeight - 16 * u < kGroupsLeast * u;
    };
    if (isTight())
        footHeight = line + 6 * u;
    if (isTight())
        poolHeight = 0;
    layout.foot = QRectF(all.left(), all.bottom() - footHeight, all.width(), footHeight);
    placeTop(state, theme, options.client, QRectF(all.left(), all.top(), all.width(), topHeight), layout);
    const qreal poolTop = layout.foot.top() - poolHeight - 2 * u;
    layout.groupsArea = QRectF(all.left(), all.top() + topHeight + 8 * u, std::max(1.0, all.width()),
        std::max(1.0,
            poolTop - all.top() - topHeight - 14 * u - stripHeight)); // large text in a small window leaves nothing
    if (!displaced.empty())
        placeDisplaced(displaced, theme,
            QRectF(all.left(), layout.groupsArea.bottom() + 3 * u, all.width(), stripHeight - 2 * u), layout);
    layout.arrangement = options.arrangement;
    if (hasHosts)
        placeHosts(state, theme, options, layout);
    else
        placeGroups(state, theme, options, layout);
    if (poolHeight > 0) {
        const auto data = qreal(sparesOf(state, pb::DATA).size()) + 3,
                   parity = qreal(sparesOf(state, pb::PARITY).size()) + 3;
        const qreal gap = 10 * u;
        const qreal share = std::clamp(data / (data + parity), 0.35, 0.65);
        const qreal width = (all.width() - gap) * share;
        placePool(state, theme, QRectF(all.left(), poolTop, width, poolHeight), pb::DATA, layout);
        placePool(state, theme, QRectF(all.left() + width + gap, poolTop, all.width() - gap - width, poolHeight),
            pb::PARITY, layout);
    }
    layout.index();
    return layout;
}

} // namespace lhrs::gui
