// SPDX-License-Identifier: GPL-3.0-or-later
// Measurements of a recorded run: their tables, and the charts that its scenario requested.
#include "gui/lab/tables/chart_svg.h"
#include "gui/lab/tables/csv_table.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/export/run_export.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace lhrs::gui {

namespace {

QStringList namesOf(const QJsonValue& value)
{
    QStringList names;
    for (const QJsonValue& one : value.isArray() ? value.toArray() : QJsonArray { value })
        names << one.toString();
    names.removeAll(QString());
    return names;
}

} // namespace

std::map<QString, LabTable> measuredTables(Recording& recording)
{
    std::map<qlonglong, std::map<QString, QVariant>> metrics;
    for (const auto& row : recording.rows("metric"))
        metrics[row.at("measurement").toLongLong()][row.at("name").toString()] = row.at("value");
    std::map<QString, LabTable> tables;
    for (const auto& row : recording.rows("measurement")) {
        if (!isTableName(row.at("name").toString()))
            continue; // a recording is untrusted and must not choose where files are written
        LabTable::Row r;
        r.detail = row.at("detail").toString();
        r.repetition = row.at("repetition").toInt();
        r.isWarmUp = row.at("warm_up").toBool();
        r.faults = row.at("faults").toInt();
        QStringList factorOrder, metricOrder;
        const QJsonObject factors = QJsonDocument::fromJson(row.at("factors").toString().toUtf8()).object();
        for (auto factor = factors.begin(); factor != factors.end(); ++factor) {
            r.factors[factor.key()] = factor.value().toVariant();
            factorOrder << factor.key();
        }
        for (const auto& [name, value] : metrics[row.at("id").toLongLong()]) {
            r.metrics[name] = value;
            metricOrder << name;
        }
        tables[row.at("name").toString()].add(std::move(r), factorOrder, metricOrder);
    }
    return tables;
}

std::vector<MeasureChart> chartsOf(Recording& recording)
{
    const std::map<QString, LabTable> tables = measuredTables(recording);
    std::map<QString, int> counts;
    std::vector<MeasureChart> charts;
    for (const auto& row : recording.rows("command")) {
        if (row.at("call").toString() != "lab.chart" || !row.at("ok").toBool())
            continue;
        const QJsonObject told
            = QJsonDocument::fromJson(row.at("arguments").toString().toUtf8()).array().at(0).toObject();
        ChartOrder order;
        order.table = told["table"].toString();
        order.x = told["x"].toString();
        order.y = namesOf(told["y"]);
        order.by = namesOf(told["by"]);
        order.title = told["title"].toString();
        order.isLog = told["log"].toBool();
        const QJsonObject where = told["where"].toObject();
        for (auto it = where.begin(); it != where.end(); ++it)
            if (it.key() == "suspect")
                order.withSuspect = it.value().toBool();
            else
                order.where[it.key()] = cellText(it.value().toVariant());
        if (const QString paper = told["paper"].toString(); !paper.isEmpty()) {
            // Recordings of earlier versions lack it: the chart then shows the measured values only.
            if (auto published = CsvTable::parse(recording.meta(kPublishedMeta + paper), paper)) {
                order.paper = paper;
                order.published = std::move(*published);
            }
        }
        const auto table = tables.find(order.table);
        if (table == tables.end() || order.y.isEmpty())
            continue;
        auto chart = measureChart(table->second, order);
        if (!chart)
            continue;
        const int number = ++counts[order.table];
        chart->id = order.table + "_chart" + (number == 1 ? QString() : '_' + QString::number(number));
        charts.push_back(std::move(*chart));
    }
    return charts;
}

} // namespace lhrs::gui
