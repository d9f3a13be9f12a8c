// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for measurements and for the published tables.
#include "gui/lab/tables/csv_table.h"
#include "gui/lab/words/process/detail_words.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/tables/median_interval.h"
#include "gui/lab/tables/near_word.h"
#include "gui/lab/tables/published_table.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kOneSampledOf = 100; // at detail `sampled`: one operation in 100 is observed
constexpr std::size_t kCasesMax = 1'000'000; // of a measurement

// One cell: a number, a string or a truth value; other values cannot be stored in a table.
QVariant cellOf(const QJSValue& value)
{
    if (value.isNumber())
        return std::isfinite(value.toNumber()) ? QVariant(value.toNumber()) : QVariant();
    if (value.isBool())
        return value.toBool();
    if (value.isString())
        return value.toString();
    return {};
}

bool isUnknown(const QJSValue& value)
{
    return value.isNull() || value.isUndefined() || (value.isNumber() && !std::isfinite(value.toNumber()));
}

void takeCells(const QJSValue& object, std::map<QString, QVariant>& cells, QStringList& order, bool onlyNumbers)
{
    for (QJSValueIterator it(object); it.hasNext();) {
        it.next();
        const QVariant value = cellOf(it.value());
        // An unknown value still gets a column, so that a table's columns do not depend on the results of a run.
        if (!isUnknown(it.value()) && (!value.isValid() || (onlyNumbers && !it.value().isNumber())))
            continue;
        cells[it.name()] = value;
        if (!order.contains(it.name()))
            order << it.name();
    }
}

// All combinations of the factors' values; the last factor varies fastest.
LabResult<std::vector<QJSValue>> casesOf(const LabContext& context, const Arguments& o)
{
    std::vector<QJSValue> cases;
    if (const QJSValue given = o.option("cases"); given.isArray()) {
        for (std::uint32_t i = 0; i < given.property("length").toUInt(); ++i) {
            if (!given.property(i).isObject())
                return LabError { LabCode::BadArgument, "The option cases of lab.measure is a list of objects." };
            cases.push_back(given.property(i));
        }
        return cases;
    }
    cases.push_back(context.engine.newObject());
    for (QJSValueIterator it(o.option("factors")); it.hasNext();) {
        it.next();
        const std::uint32_t count = it.value().isArray() ? it.value().property("length").toUInt() : 0;
        if (count == 0)
            return LabError { LabCode::BadArgument,
                "The factor " + it.name() + " of lab.measure needs a list of values." };
        if (count > kCasesMax / cases.size())
            return LabError { LabCode::BadArgument,
                "The factors of lab.measure give more than " + QString::number(kCasesMax) + " cases." };
        std::vector<QJSValue> next;
        for (const QJSValue& before : cases)
            for (std::uint32_t i = 0; i < count; ++i) {
                QJSValue one = context.engine.newObject();
                for (QJSValueIterator field(before); field.hasNext();) {
                    field.next();
                    one.setProperty(field.name(), field.value());
                }
                one.setProperty(it.name(), it.value().property(i));
                next.push_back(one);
            }
        cases = std::move(next);
    }
    return cases;
}

QJSValue tableObject(const LabContext& context, const QString& name)
{
    QJSValue self = context.engine.newObject();
    self.setProperty("name", name);
    return context.prelude.property("table").call({ self });
}

// Updates the charts of the table, but not for every row of a long table.
void tellOfRow(LabContext& context, const QString& name, int rows)
{
    context.observer.onRow(name, rows);
    if (context.charts.hasAny(name) && rows % std::max(1, rows / 100) == 0)
        for (const MeasureChart& chart : context.charts.drawn(context.tables, context.isSimulated(), name))
            context.observer.onChart(chart, false);
}

// Returns the number of the row. BadArgument: it uses a column name that every table has. Refused: it could not be
// written.
LabResult<int> addTo(
    LabContext& context, const QString& name, LabTable::Row row, const QStringList& factors, const QStringList& metrics)
{
    for (const QString& column : factors + metrics)
        if (LabTable::isOfEveryTable(column))
            return LabError { LabCode::BadArgument,
                "The column " + column + " of the table " + name + " is one that every table has.",
                "Give yours another name." };
    const auto number = context.tables.add(name, std::move(row), factors, metrics);
    if (!number)
        return LabError { LabCode::Refused, QString::fromStdString(number.error().text) };
    tellOfRow(context, name, *number);
    return *number;
}

LabResult<bool> hasRoom(const LabContext& context)
{
    if (context.tables.rows() < context.settings.rowsMax)
        return true;
    return LabError { LabCode::Refused,
        "The tables of a run have at most " + QString::number(context.settings.rowsMax) + " rows.",
        "Write sums of many measurements into one row, or play the scenario several times." };
}

struct Measurement {
    LabContext& context;
    const Arguments& o;
    QString name;
    pb::Detail detail;
    LabTable::Goal goal;
    QStringList factorOrder = {}, metricOrder = {};
    // By case: values of the goal's metrics, without warm-up rows.
    std::vector<std::map<QString, std::vector<double>>> reached = {};

    // Nothing is measured while clocks stand still: times would be meaningless.
    LabResult<bool> notGated() const
    {
        bool isPaused = false;
        if (const std::string simulator = context.control.simulator(); !simulator.empty()) {
            // The state is requested now: the known one may be from an instant when one call killed several processes
            // and time stood still.
            pb::Command describe;
            describe.mutable_describe_simulation();
            const auto now = context.ask(simulator, std::move(describe), kAnswerSeconds);
            if (!now)
                return now.error();
            isPaused = now->simulation().is_paused();
        }
        if (isPaused)
            return LabError { LabCode::Refused, "Nothing is measured while virtual time stands still.",
                "lab.clock({ speed: 1 }) lets it go on." };
        if (context.control.isGated())
            return LabError { LabCode::Refused,
                "Nothing is measured while the gate is closed: messages and clocks stand still.",
                "lab.gate(false) opens it." };
        return true;
    }

    // Whether the case has reached the goal; it then gets no further repetitions.
    bool isReached(std::size_t number) const
    {
        return std::all_of(goal.metrics.begin(), goal.metrics.end(), [&](const QString& metric) {
            const auto at = reached[number].find(metric);
            return at != reached[number].end() && isWithin(at->second, goal.percent);
        });
    }

    LabResult<bool> once(const QJSValue& one, std::size_t number, int repetition, bool isWarmUp)
    {
        if (const auto open = notGated(); !open)
            return open.error();
        if (const auto room = hasRoom(context); !room)
            return room.error();
        if (o.option("before").isCallable())
            if (const auto done = context.callBack(o.option("before"), { one }); !done)
                return done.error();
        // The cluster may be new, or `before` may have changed the detail level.
        if (context.control.detail() != detail)
            context.control.setDetail(detail, kOneSampledOf);
        if (const auto told = context.awaitDetail(); !told)
            return told.error();
        const std::uint64_t changesBefore = context.control.detailChanges();
        context.observer.onMeasuring(name);
        const int faultsBefore = faultsActive(context);
        const auto value = context.callBack(o.option("run"), { one });
        if (!value)
            return value.error();
        if (context.control.isGated()) // closed meanwhile; paused virtual time does not change a figure
            return notGated().error();
        LabTable::Row row;
        row.faults = std::max(faultsBefore, faultsActive(context));
        if (context.control.detailChanges() == changesBefore) // otherwise no single word describes the level
            row.detail = QString::fromStdString(detailWord(detail));
        row.repetition = repetition;
        row.isWarmUp = isWarmUp;
        takeCells(one, row.factors, factorOrder, false);
        takeCells(o.option("constants"), row.factors, factorOrder, false);
        takeCells(*value, row.metrics, metricOrder, true);
        for (const auto& [factor, ignored] : row.factors)
            row.metrics.erase(factor); // e.g. `group` of a Timing, when it is a factor
        if (std::none_of(
                row.metrics.begin(), row.metrics.end(), [](const auto& metric) { return metric.second.isValid(); }))
            return LabError { LabCode::BadArgument, "The function run of lab.measure returned no number.",
                "Return a Timing, the result of a workload, or an object such as { value: 42 }." };
        for (const QString& metric : goal.metrics) {
            const auto at = row.metrics.find(metric);
            if (at == row.metrics.end())
                return LabError { LabCode::BadArgument,
                    "The function run of lab.measure returned no number " + metric + ", which withinOf names." };
            if (!isWarmUp)
                reached[number][metric].push_back(at->second.toDouble());
        }
        QStringList metrics = metricOrder;
        metrics.removeIf([&](const QString& metric) { return factorOrder.contains(metric); });
        if (const auto kept = addTo(context, name, std::move(row), factorOrder, metrics); !kept)
            return kept.error();
        if (o.option("after").isCallable())
            if (const auto done = context.callBack(o.option("after"), { one }); !done)
                return done.error();
        return true;
    }

    LabResult<bool> all()
    {
        const auto cases = casesOf(context, o);
        if (!cases)
            return cases.error();
        const int warmUps = int(o.integer("warmUp")), repetitions = int(o.integer("repetitions"));
        const int most = goal.percent > 0 ? std::max(repetitions, int(o.integer("repetitionsMax"))) : repetitions;
        reached.assign(cases->size(), {});
        std::vector<std::size_t> order(cases->size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        for (int round = 1; round <= warmUps + most; ++round) {
            if (round > warmUps + repetitions)
                std::erase_if(order, [&](std::size_t one) { return isReached(one); });
            else
                std::iota(order.begin(), order.end(), std::size_t(0));
            if (o.text("order") == "shuffled")
                for (std::size_t i = order.size(); i > 1; --i)
                    std::swap(order[i - 1], order[std::size_t(context.random.below(i))]);
            else
                std::sort(order.begin(), order.end());
            const bool isWarmUp = round <= warmUps;
            for (const std::size_t one : order)
                if (const auto done = once((*cases)[one], one, isWarmUp ? round : round - warmUps, isWarmUp); !done)
                    return done.error();
        }
        return true;
    }
};

LabResult<LabTable::Goal> goalOf(const Arguments& o)
{
    const QJSValue metrics = o.option("withinOf");
    LabTable::Goal goal;
    if (o.option("within").isNull() && metrics.isNull())
        return goal;
    for (std::uint32_t i = 0; i < metrics.property("length").toUInt() && metrics.isArray(); ++i)
        goal.metrics << metrics.property(i).toString();
    if (metrics.isString())
        goal.metrics << metrics.toString();
    if (o.option("within").isNull() || goal.metrics.isEmpty())
        return LabError { LabCode::BadArgument, "The options within and withinOf of lab.measure go together.",
            "within: 5, withinOf: 'total_s' repeats until the median of total_s is known to 5 per cent." };
    goal.percent = o.number("within");
    return goal;
}

LabResult<QJSValue> measure(LabContext& context, const Arguments& o)
{
    const QString name = o.text("name");
    if (!isTableName(name))
        return LabError { LabCode::BadArgument,
            "The name of a table has 1 to 64 letters, digits, - and _, not '" + name.left(80) + "'." };
    const auto goal = goalOf(o);
    if (!goal)
        return goal.error();
    if (goal->percent > 0)
        context.tables.setGoal(name, *goal);
    const pb::Detail former = context.control.detail();
    const pb::Detail wanted = detailOf(o.text("detail").toStdString()).value();
    Measurement measurement { context, o, name, wanted, *goal };
    // Even if unchanged, because another watcher of the cluster may have set a different level.
    context.control.setDetail(wanted, kOneSampledOf);
    // Awaited here, because `before` may end this cluster: whether its processes still answered would then depend on
    // chance, and so would later events.
    if (const auto told = context.awaitDetail(); !told)
        return told.error();
    const auto done = measurement.all(); // an error ends the table, but its rows are kept
    if (wanted != former)
        context.control.setDetail(former, kOneSampledOf);
    if (!done)
        return done.error();
    if (const auto told = context.awaitDetail(); !told)
        return told.error();
    return tableObject(context, name);
}

LabResult<QJSValue> addRow(LabContext& context, const QString& name, const QJSValue& object)
{
    if (!isTableName(name))
        return LabError { LabCode::BadArgument,
            "The name of a table has 1 to 64 letters, digits, - and _, not '" + name.left(80) + "'." };
    if (const auto room = hasRoom(context); !room)
        return room.error();
    LabTable::Row row;
    QStringList factors, metrics;
    for (QJSValueIterator it(object); it.hasNext();) {
        it.next();
        const QVariant value = cellOf(it.value());
        if (!value.isValid() && !isUnknown(it.value()))
            continue;
        const bool isMetric = it.value().isNumber() || !value.isValid();
        (isMetric ? row.metrics : row.factors)[it.name()] = value;
        (isMetric ? metrics : factors) << it.name();
    }
    row.detail = QString::fromStdString(detailWord(context.control.detail()));
    row.faults = faultsActive(context);
    const auto number = addTo(context, name, std::move(row), factors, metrics);
    if (!number)
        return number.error();
    return QJSValue(*number);
}

QJSValue rowsOf(LabContext& context, const QString& name)
{
    const LabTable table = context.tables.table(name);
    QJSValue list = context.engine.newArray(std::uint32_t(table.rows().size()));
    for (std::size_t i = 0; i < table.rows().size(); ++i) {
        const LabTable::Row& row = table.rows()[i];
        QJSValue object = context.engine.newObject();
        object.setProperty("repetition", row.repetition);
        object.setProperty("warm_up", row.isWarmUp);
        for (const auto* cells : { &row.factors, &row.metrics })
            for (const auto& [column, value] : *cells)
                object.setProperty(
                    column, value.isValid() ? context.engine.toScriptValue(value) : QJSValue(QJSValue::NullValue));
        list.setProperty(std::uint32_t(i), object);
    }
    return list;
}

QJSValue summaryOf(LabContext& context, const QString& name)
{
    const LabTable table = context.tables.table(name);
    const std::vector<LabTable::Summary> summaries = table.summary();
    QJSValue list = context.engine.newArray(std::uint32_t(summaries.size()));
    for (std::size_t i = 0; i < summaries.size(); ++i) {
        QJSValue object = context.engine.newObject();
        for (const auto& [column, value] : summaries[i].factors)
            object.setProperty(column, context.engine.toScriptValue(value));
        object.setProperty("n", summaries[i].n);
        if (table.goal().percent > 0)
            object.setProperty("reached", summaries[i].isReached);
        for (const auto& [metric, quartiles] : summaries[i].metrics) {
            QJSValue three = context.engine.newObject();
            three.setProperty("median", quartiles.median);
            const auto known = [](bool isKnown, double value) {
                return isKnown ? QJSValue(value) : QJSValue(QJSValue::NullValue);
            };
            const auto ends = quartiles.interval.value_or(MedianInterval());
            three.setProperty("q1", known(quartiles.n > 1, quartiles.q1));
            three.setProperty("q3", known(quartiles.n > 1, quartiles.q3));
            three.setProperty("ci95_low", known(quartiles.interval.has_value(), ends.low));
            three.setProperty("ci95_high", known(quartiles.interval.has_value(), ends.high));
            object.setProperty(metric, three);
        }
        list.setProperty(std::uint32_t(i), object);
    }
    return list;
}

// ---- published tables

QJSValue paperValue(const QString& cell)
{
    bool isNumber = false;
    const double number = cell.toDouble(&isNumber);
    return cell.isEmpty() ? QJSValue(QJSValue::NullValue) : isNumber ? QJSValue(number) : QJSValue(cell);
}

LabResult<QJSValue> paper(LabContext& context, const QString& name, const QJSValue& where)
{
    const auto table = publishedTable(context, name);
    if (!table)
        return table.error();
    const QStringList& columns = table->columns;
    bool withSuspect = false;
    for (QJSValueIterator it(where); it.hasNext();) {
        it.next();
        if (it.name() == "suspect")
            withSuspect = it.value().toBool();
        else if (!columns.contains(it.name())) {
            const QString near = nearestWord(it.name(), columns);
            return LabError { LabCode::BadArgument, "The table " + name + " has no column " + it.name() + ".",
                near.isEmpty() ? "Its columns are " + columns.join(", ") + "." : "Did you mean " + near + "?" };
        }
    }
    QJSValue list = context.engine.newArray();
    std::uint32_t count = 0;
    for (const QStringList& cells : table->rows) {
        QJSValue row = context.engine.newObject();
        bool isWanted = withSuspect || !cells.value(columns.indexOf("note")).contains("SUSPECT");
        for (qsizetype c = 0; c < columns.size(); ++c) {
            row.setProperty(columns[c], paperValue(cells.value(c)));
            if (where.hasProperty(columns[c]))
                isWanted = isWanted && row.property(columns[c]).equals(where.property(columns[c]));
        }
        if (isWanted)
            list.setProperty(count++, row);
    }
    return list;
}

} // namespace

LabResult<CsvTable> publishedTable(const LabContext& context, const QString& name)
{
    return publishedTableIn(context.settings.paperDirectory, name);
}

void addMeasureCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.measure", [&](const LabCall& c) { return measure(context, c.arguments); });
    lab.handle(
        "lab.row", [&](const LabCall& c) { return addRow(context, c.arguments.at(0).toString(), c.arguments.at(1)); });
    lab.handle(
        "lab.paper", [&](const LabCall& c) { return paper(context, c.arguments.at(0).toString(), c.arguments.at(1)); });
    lab.handle("table.rows",
        [&](const LabCall& c) -> LabResult<QJSValue> { return rowsOf(context, c.self.property("name").toString()); });
    lab.handle("table.summary", [&](const LabCall& c) -> LabResult<QJSValue> {
        return summaryOf(context, c.self.property("name").toString());
    });
}

} // namespace lhrs::gui
