// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for charts of measurements.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_values.h"
#include "gui/lab/tables/measure_chart.h"
#include "gui/lab/tables/near_word.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>

namespace lhrs::gui {

namespace {

// One name, or a list of them.
LabResult<QStringList> namesOf(const QJSValue& value, const QString& option, qsizetype least, qsizetype most)
{
    QStringList names;
    const bool isList = value.isArray();
    const std::uint32_t count = isList ? value.property("length").toUInt() : 1;
    bool areWords = isList || value.isString();
    for (std::uint32_t i = 0; areWords && i < count; ++i) {
        const QJSValue one = isList ? value.property(i) : value;
        areWords = one.isString() && !one.toString().isEmpty();
        names << one.toString();
    }
    if (!areWords || names.size() < least || names.size() > most)
        return LabError { LabCode::BadArgument,
            QString("The option %1 of lab.chart is the name of a column, or a list of %2 to %3 of them.")
                .arg(option)
                .arg(least)
                .arg(most),
            option + ": ['total_s', 'process_s']" };
    return names;
}

LabResult<QJSValue> chart(LabContext& context, const Arguments& o)
{
    ChartOrder order;
    order.table = o.text("table");
    order.x = o.text("x");
    order.isLog = o.isOn("log");
    if (!o.option("title").isNull())
        order.title = o.text("title");
    const auto y = namesOf(o.option("y"), "y", 1, kChartQuantitiesMax),
               by = namesOf(o.option("by"), "by", 0, kChartByMax);
    if (!y || !by)
        return y ? by.error() : y.error();
    order.y = *y;
    order.by = *by;
    for (QJSValueIterator it(o.option("where")); it.hasNext();) {
        it.next();
        if (it.name() == "suspect")
            order.withSuspect = it.value().toBool();
        else
            order.where[it.name()] = cellText(it.value().toVariant());
    }
    if (!context.tables.names().contains(order.table)) {
        const QString near = nearestWord(order.table, context.tables.names());
        return LabError { LabCode::BadArgument, "There is no table '" + order.table.left(80) + "' yet.",
            near.isEmpty() ? QString("lab.measure or lab.row makes one; then its chart follows it.")
                           : "Did you mean " + near + "?" };
    }
    if (!o.option("paper").isNull()) {
        order.paper = o.text("paper");
        auto published = publishedTable(context, order.paper);
        if (!published)
            return published.error();
        order.published = std::move(*published);
        context.observer.onPublished(order.paper, *order.published);
    }
    const auto drawn = measureChart(context.tables.table(order.table), order);
    if (!drawn)
        return LabError { LabCode::BadArgument, QString::fromStdString(drawn.error().text) };
    const QString id = context.charts.add(order), table = order.table;
    for (const MeasureChart& one : context.charts.drawn(context.tables, context.isSimulated(), table))
        if (one.id == id) {
            context.observer.onReel({ .kind = ReelEntry::Kind::Chart, .at = context.cueNow(), .id = id });
            context.observer.onChart(one, true);
        }
    return QJSValue(id);
}

} // namespace

void addChartCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.chart", [&](const LabCall& c) { return chart(context, c.arguments); });
}

} // namespace lhrs::gui
