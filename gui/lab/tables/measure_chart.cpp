// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/measure_chart.h"

#include "gui/lab/tables/chart_svg.h"
#include "gui/lab/tables/near_word.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lhrs::gui {

namespace {

constexpr std::size_t kGroupsMax = 500; // combinations of `by`; more are unreadable and slow to draw
// Lines per panel; above it there is one panel per value of the first column of `by`.
constexpr std::size_t kLinesMax = 6;

using Values = std::vector<QString>; // of the columns of `by`

// A measured or published row, as text.
struct TableRow {
    const std::map<QString, QVariant>* factors = nullptr;
    const std::map<QString, QVariant>* metrics = nullptr;

    QString cell(const QString& column) const
    {
        for (const auto* cells : { factors, metrics })
            if (const auto at = cells->find(column); at != cells->end())
                return cellText(at->second);
        return {};
    }
};

bool isEqual(const QString& a, const QString& b)
{
    bool isA = false, isB = false;
    const double x = a.toDouble(&isA), y = b.toDouble(&isB);
    return isA && isB ? x == y : a == b;
}

bool isBefore(const QString& a, const QString& b)
{
    bool isA = false, isB = false;
    const double x = a.toDouble(&isA), y = b.toDouble(&isB);
    return isA && isB ? x < y : isA != isB ? isA : a < b;
}

// Numbers in numeric order, then words in alphabetical order.
struct Before {
    bool operator()(const QString& a, const QString& b) const { return isBefore(a, b); }
    bool operator()(const Values& a, const Values& b) const
    {
        return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), isBefore);
    }
};

// "total_s" as "total (s)": the suffix of a column's name is its unit (scenarios/DATA.md).
QString quantityName(const QString& column)
{
    for (const char* unit : { "s", "ms", "bytes", "percent" })
        if (column.endsWith(QString("_") + unit))
            return column.chopped(qsizetype(qstrlen(unit)) + 1).replace('_', ' ') + " (" + unit + ")";
    return QString(column).replace('_', ' ');
}

// "failed servers 2, rs": a number is given with its column's name, a word alone.
QString seriesName(const QStringList& columns, const Values& values)
{
    QStringList parts;
    for (qsizetype i = 0; i < columns.size(); ++i) {
        const QString column = QString(columns[i]).replace('_', ' ');
        const QString& value = values[std::size_t(i)];
        bool isNumber = false;
        (void)value.toDouble(&isNumber);
        if (value == "true" || value == "false")
            parts << (value == "true" ? column : "no " + column);
        else
            parts << (isNumber ? column + ' ' + value : value.isEmpty() ? column + " unknown" : value);
    }
    return parts.join(", ");
}

std::optional<Error> missing(const QString& what, const QString& column, const QStringList& known)
{
    if (known.contains(column))
        return std::nullopt;
    const QString near = nearestWord(column, known);
    return Error { (what + " has no column " + column + ". "
        + (near.isEmpty() ? "Its columns are " + known.join(", ") + "." : "Did you mean " + near + "?"))
                       .toStdString() };
}

// Places rows in the chart: panels, lines and positions on the x axis.
struct Drawer {
    const ChartOrder& order;
    MeasureChart& chart;
    std::vector<Values> groups = {}; // combinations of `by` in the measured rows, in order
    bool isFaceted = false;
    std::vector<QString> facets = {}; // values of the first column of `by`
    std::vector<Values> lines = {}; // values of its other columns

    QStringList lineColumns() const { return isFaceted ? order.by.mid(1) : order.by; }
    double place(const QString& x) const
    {
        if (chart.words.isEmpty())
            return x.toDouble();
        const auto at = std::find_if(
            chart.words.begin(), chart.words.end(), [&](const QString& word) { return isEqual(word, x); });
        return double(at - chart.words.begin());
    }
    bool isDrawable(double x, double y) const
    {
        return std::isfinite(y) && (!chart.isLog || (y > 0 && (x > 0 || !chart.words.isEmpty())));
    }

    // The first panel of the group's lines (there is one panel per y), and their colour.
    std::pair<std::size_t, int> panelOf(std::size_t group) const
    {
        if (!isFaceted)
            return { 0, int(group) };
        const Values rest(groups[group].begin() + 1, groups[group].end());
        const auto facet = std::lower_bound(facets.begin(), facets.end(), groups[group][0], Before());
        return { std::size_t(facet - facets.begin()) * std::size_t(order.y.size()),
            int(std::lower_bound(lines.begin(), lines.end(), rest, Before()) - lines.begin()) };
    }
    void facet()
    {
        isFaceted = true;
        std::set<QString, Before> first;
        std::set<Values, Before> others;
        for (const Values& values : groups) {
            first.insert(values[0]);
            others.insert(Values(values.begin() + 1, values.end()));
        }
        facets.assign(first.begin(), first.end());
        lines.assign(others.begin(), others.end());
    }
    QString nameOf(std::size_t group) const
    {
        const Values& values = groups[group];
        const QString name = seriesName(lineColumns(), isFaceted ? Values(values.begin() + 1, values.end()) : values);
        return name.isEmpty() ? QStringLiteral("here") : name;
    }
    void add(std::size_t group, std::size_t quantity, bool isPublished, std::vector<MeasureChart::Point> points)
    {
        std::erase_if(points, [this](const MeasureChart::Point& p) { return !isDrawable(p.x, p.median); });
        if (points.empty())
            return;
        std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.x < b.x; });
        const auto [panel, colour] = panelOf(group);
        const QString name = nameOf(group);
        for (const MeasureChart::Point& p : points) {
            const bool isOfPaper = isPublished || chart.isOnlyPublished;
            QVariantList row { isOfPaper ? QStringLiteral("published") : QStringLiteral("here") };
            for (const QString& value : groups[group])
                row << value;
            row << (chart.words.isEmpty() ? QVariant(p.x) : QVariant(chart.words.value(qsizetype(p.x))))
                << order.y[qsizetype(quantity)] << p.median << (p.n > 1 ? QVariant(p.q1) : QVariant())
                << (p.n > 1 ? QVariant(p.q3) : QVariant()) << (isOfPaper ? QVariant() : QVariant(p.n));
            chart.rows.push_back(row);
        }
        chart.panels[panel + quantity].series.push_back(
            { isPublished ? (name == "here" ? QString() : name + ", ") + "published" : name, isPublished, colour,
                std::move(points) });
    }
};

QString hardware(const QString& configuration)
{
    return configuration == "1" ? " (733 MHz, 100 Mb/s)" : configuration == "2" ? " (1.8 GHz, 1 Gb/s)" : QString();
}

bool isWanted(const ChartOrder& order, const QStringList& columns, const auto& cellOf)
{
    return std::all_of(order.where.begin(), order.where.end(),
        [&](const auto& item) { return !columns.contains(item.first) || isEqual(cellOf(item.first), item.second); });
}

// Adds published rows, only for lines that were measured too.
std::optional<Error> addPublished(const ChartOrder& order, Drawer& drawer)
{
    const CsvTable& table = *order.published;
    const QString what = "The published table " + order.paper;
    QStringList wanted = QStringList { order.x } + order.by;
    for (const auto& [column, value] : order.where)
        wanted << column;
    for (const QString& column : wanted)
        if (const auto error = missing(what, column, table.columns))
            return error;
    if (std::none_of(order.y.begin(), order.y.end(), [&](const QString& y) { return table.columns.contains(y); }))
        return missing(what, order.y.first(), table.columns);
    QStringList sources;
    for (std::size_t g = 0; g < drawer.groups.size(); ++g)
        for (qsizetype q = 0; q < order.y.size(); ++q) {
            std::vector<MeasureChart::Point> points;
            for (const QStringList& row : table.rows) {
                const auto cellOf = [&](const QString& column) { return table.cell(row, column); };
                bool isOurs = isWanted(order, table.columns, cellOf)
                    && (order.withSuspect || !cellOf("note").contains("SUSPECT"));
                for (qsizetype b = 0; b < order.by.size(); ++b)
                    isOurs = isOurs && isEqual(cellOf(order.by[b]), drawer.groups[g][std::size_t(b)]);
                const auto y = table.number(row, order.y[q]);
                const bool hasPlace = drawer.chart.words.isEmpty()
                    ? table.number(row, order.x).has_value()
                    : std::any_of(drawer.chart.words.begin(), drawer.chart.words.end(),
                        [&](const QString& word) { return isEqual(word, cellOf(order.x)); });
                if (!isOurs || !y || !hasPlace)
                    continue;
                points.push_back({ drawer.place(cellOf(order.x)), *y, *y, *y, 0 });
                const QString source = cellOf("source")
                    + (cellOf("config").isEmpty() ? QString()
                                                  : ", configuration " + cellOf("config") + hardware(cellOf("config")));
                if (!sources.contains(source))
                    sources << source;
            }
            drawer.add(g, std::size_t(q), true, std::move(points));
        }
    drawer.chart.source = sources.join("; ");
    return std::nullopt;
}

// A measured row that the chart shows.
struct ShownRow {
    TableRow row;
    QString x;
    Values group;
};

// The measured rows that are shown, with the places of their x values and the numbers of their groups.
struct ShownRows {
    std::vector<ShownRow> rows = {};
    std::map<QString, std::size_t, Before> places = {}; // numbers first, then words in the order of appearance
    std::map<Values, std::size_t, Before> groups = {};
    bool hasWords = false;

    // `known`: the columns of the table.
    ShownRows(const LabTable& table, const ChartOrder& order, const QStringList& known)
    {
        std::vector<QString> words;
        for (const LabTable::Row& from : table.rows()) {
            const TableRow row { &from.factors, &from.metrics };
            const auto cellOf = [&](const QString& column) { return row.cell(column); };
            const QString x = order.x == "repetition" ? QString::number(from.repetition) : row.cell(order.x);
            if (from.isWarmUp || x.isEmpty() || !isWanted(order, known, cellOf))
                continue;
            bool isNumber = false;
            (void)x.toDouble(&isNumber);
            Values group;
            for (const QString& column : order.by)
                group.push_back(row.cell(column));
            if (places.emplace(x, 0).second && !isNumber)
                words.push_back(x);
            groups.emplace(group, 0);
            rows.push_back({ row, x, std::move(group) });
        }
        hasWords = !words.empty();
        std::size_t next = 0;
        for (auto& [x, place] : places)
            place = next++;
        next = places.size() - words.size();
        for (const QString& word : words)
            places.at(word) = next++;
        next = 0;
        for (auto& [group, number] : groups)
            number = next++;
    }

    QStringList xInOrder() const
    {
        QStringList inOrder(qsizetype(places.size()));
        for (const auto& [x, place] : places)
            inOrder[qsizetype(place)] = x;
        return inOrder;
    }
};

// One panel for each quantity, or one for each quantity and facet.
void addPanels(const ChartOrder& order, Drawer& drawer)
{
    MeasureChart& chart = drawer.chart;
    for (const QString& facet : drawer.isFaceted ? drawer.facets : std::vector<QString> { QString() })
        for (const QString& y : order.y) {
            const QString quantity = quantityName(y);
            chart.panels.push_back(
                { drawer.isFaceted ? quantity + ", " + seriesName({ order.by[0] }, { facet }) : quantity, quantity,
                    {} });
        }
    chart.columns = drawer.isFaceted ? int(order.y.size()) : std::min(int(order.y.size()), 3);
    chart.header = QStringList { "origin" } + order.by + QStringList { order.x, "quantity", "median", "q1", "q3", "n" };
}

// One line for each group and quantity: medians and quartiles of the rows at each place.
void addMeasured(const ChartOrder& order, const ShownRows& shown, Drawer& drawer)
{
    for (qsizetype q = 0; q < order.y.size(); ++q) {
        std::vector<std::map<std::size_t, std::vector<double>>> values(drawer.groups.size()); // by group and place
        for (const ShownRow& row : shown.rows) {
            bool isNumber = false;
            if (const double value = row.row.cell(order.y[q]).toDouble(&isNumber); isNumber)
                values[shown.groups.at(row.group)][shown.places.at(row.x)].push_back(value);
        }
        for (std::size_t g = 0; g < values.size(); ++g) {
            std::vector<MeasureChart::Point> points;
            for (const auto& [x, place] : shown.places)
                if (const auto at = values[g].find(place); at != values[g].end()) {
                    const LabTable::Summary::Quartiles three = quartilesOf(at->second);
                    points.push_back({ shown.hasWords ? double(place) : x.toDouble(), three.median, three.q1, three.q3,
                        int(at->second.size()) });
                }
            drawer.add(g, std::size_t(q), false, std::move(points));
        }
    }
}

// The publications that the rows are of; empty if a row is of this run.
QStringList sourcesOf(const ShownRows& shown)
{
    QStringList sources;
    for (const ShownRow& row : shown.rows) {
        const QString source = row.row.cell(QStringLiteral("source"));
        if (source.isEmpty())
            return {};
        if (!sources.contains(source))
            sources << source;
    }
    return sources;
}

} // namespace

Result<MeasureChart> measureChart(const LabTable& table, const ChartOrder& order)
{
    const QStringList known = table.factorColumns() + table.metricColumns() + QStringList { "repetition" };
    for (const QString& column : QStringList { order.x } + order.y + order.by)
        if (const auto error = missing("The table " + order.table, column, known))
            return *error;
    MeasureChart chart;
    chart.title = order.title.isEmpty() ? QString(order.table).replace('_', ' ') : order.title;
    chart.xTitle = quantityName(order.x);
    chart.isLog = order.isLog;
    const ShownRows shown(table, order, known);
    Drawer drawer { order, chart };
    for (const auto& [group, number] : shown.groups)
        drawer.groups.push_back(group);
    if (shown.hasWords)
        chart.words = shown.xInOrder();
    if (shown.rows.empty()) {
        chart.nothing = QString("No row of %1 yet; a measurement adds one each time").arg(order.table);
        return chart;
    }
    const QStringList sources = sourcesOf(shown);
    chart.isOnlyPublished = !sources.isEmpty();
    chart.source = sources.join("; ");
    if (drawer.groups.size() > kGroupsMax) {
        chart.nothing = QString("%1 lines (%2) are too many, at most %3; `by` or `where` makes them fewer")
                            .arg(drawer.groups.size())
                            .arg(order.by.join(" x "))
                            .arg(kGroupsMax);
        return chart;
    }
    if (drawer.groups.size() > kLinesMax && order.by.size() > 1)
        drawer.facet();
    addPanels(order, drawer);
    addMeasured(order, shown, drawer);
    if (order.published)
        if (const auto error = addPublished(order, drawer))
            return *error;
    if (std::all_of(chart.panels.begin(), chart.panels.end(), [](const auto& panel) { return panel.series.empty(); }))
        chart.nothing = chart.isLog ? "No value is above 0, which logarithmic axes need"
                                    : "No row has a value of " + order.y.join(", ");
    return chart;
}

QString LabCharts::add(ChartOrder order)
{
    const std::lock_guard lock(m_mutex);
    const auto before = std::count_if(
        m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return entry.order.table == order.table; });
    const QString id = order.table + "_chart" + (before == 0 ? QString() : '_' + QString::number(before + 1));
    m_entries.push_back({ id, std::move(order) });
    return id;
}

bool LabCharts::hasAny(const QString& table) const
{
    const std::lock_guard lock(m_mutex);
    return std::any_of(
        m_entries.begin(), m_entries.end(), [&](const Entry& entry) { return entry.order.table == table; });
}

std::vector<MeasureChart> LabCharts::drawn(const LabTables& tables, bool isSimulated, const QString& onlyOf) const
{
    const std::lock_guard lock(m_mutex);
    std::vector<MeasureChart> charts;
    for (const Entry& entry : m_entries) {
        if (!onlyOf.isEmpty() && entry.order.table != onlyOf)
            continue;
        auto chart = measureChart(tables.table(entry.order.table), entry.order);
        if (!chart)
            continue; // its columns existed when it was requested, and columns are never removed
        chart->id = entry.id;
        chart->isSimulated = isSimulated;
        charts.push_back(std::move(*chart));
    }
    return charts;
}

std::vector<std::pair<QString, QByteArray>> LabCharts::pictures(
    const LabTables& tables, const RunIdentity& identity) const
{
    std::vector<std::pair<QString, QByteArray>> pictures;
    for (const MeasureChart& chart : drawn(tables, identity.isSimulated))
        pictures.emplace_back(chart.id + ".svg", chartSvg(chart, {}, chartSize(chart), chartOrigin(identity, &chart)));
    return pictures;
}

} // namespace lhrs::gui
