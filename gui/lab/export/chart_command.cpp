// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/chart_command.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/tables/chart_svg.h"
#include "gui/lab/tables/near_word.h"
#include "gui/lab/tables/published_table.h"

#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>

namespace lhrs::gui {

namespace {

constexpr int kExitBadChart = 2;
const QString kRun = "run";

Error chartProblem(const QString& sentence) { return Error { sentence.toStdString() }; }

int refuseChart(const QString& sentence)
{
    std::fprintf(stderr, "lhrs-play: %s\n", qPrintable(sentence));
    return kExitBadChart;
}

// One name, or a list of them.
Result<QStringList> namesOf(const QJsonValue& value, const QString& option, qsizetype least, qsizetype most)
{
    const QJsonArray list = value.isArray() ? value.toArray()
        : value.isUndefined()               ? QJsonArray()
                                            : QJsonArray { value };
    QStringList names;
    for (const QJsonValue& one : list)
        names << one.toString(); // empty if it is not a string
    if (names.contains(QString()) || names.size() < least || names.size() > most)
        return chartProblem(
            QString("%1 is the name of a column, or a list of %2 to %3 of them.").arg(option).arg(least).arg(most));
    return names;
}

// A string or null; empty if the option is left out.
Result<QString> textOf(const QJsonObject& order, const QString& option)
{
    const QJsonValue value = order[option];
    if (!value.isString() && !value.isUndefined() && !value.isNull())
        return chartProblem(option + " is a text.");
    return value.toString();
}

Result<bool> truthOf(const QJsonObject& order, const QString& option)
{
    const QJsonValue value = order[option];
    if (!value.isBool() && !value.isUndefined())
        return chartProblem(option + " is true or false.");
    return value.toBool();
}

// Reads the options of the order, except those that are strings.
std::optional<Error> readColumns(const QJsonObject& object, ChartOrder& order)
{
    const auto y = namesOf(object["y"], "y", 1, kChartQuantitiesMax), by = namesOf(object["by"], "by", 0, kChartByMax);
    if (!y || !by)
        return y ? by.error() : y.error();
    order.y = *y;
    order.by = *by;
    const auto isLog = truthOf(object, "log");
    if (!isLog)
        return isLog.error();
    order.isLog = *isLog;
    if (!object["where"].isUndefined() && !object["where"].isObject())
        return chartProblem("where is an object of columns and values, such as {\"k\": 2}.");
    const QJsonObject where = object["where"].toObject();
    for (auto at = where.begin(); at != where.end(); ++at)
        if (at.key() == "suspect")
            order.withSuspect = at.value().toBool();
        else
            order.where[at.key()] = cellText(at.value().toVariant());
    return std::nullopt;
}

} // namespace

void addChartOptions(CLI::App& app, ChartCommand& command)
{
    auto* chart
        = app.add_option("--chart", command.order,
                 "Draw FILE, a table of measurements from --csv, print the picture as SVG, and exit. ORDER is JSON "
                 "with the options of lab.chart: '{\"x\": \"window\", \"y\": [\"total_s\"], \"by\": [\"k\"]}'")
              ->type_name("ORDER");
    app.add_flag("--chart-points", command.givesPoints,
           "With --chart: print the points of the chart as CSV instead of the picture")
        ->needs(chart);
}

Result<ChartOrder> chartOrderOf(const QString& json, const QString& file)
{
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(json.toUtf8(), &problem);
    if (!document.isObject())
        return chartProblem("this is not a JSON object"
            + (problem.error == QJsonParseError::NoError ? QString() : " (" + problem.errorString() + ")")
            + "; write {\"x\": \"window\", \"y\": [\"total_s\"]}.");
    const QJsonObject object = document.object();
    const QStringList known { "table", "x", "y", "by", "paper", "where", "title", "log" };
    for (const QString& option : object.keys())
        if (!known.contains(option)) {
            const QString near = nearestWord(option, known);
            return chartProblem("there is no option " + option + ". "
                + (near.isEmpty() ? "There are " + known.join(", ") + "." : "Did you mean " + near + "?"));
        }
    ChartOrder order;
    for (auto [option, target] : { std::pair("table", &order.table), std::pair("x", &order.x),
             std::pair("title", &order.title), std::pair("paper", &order.paper) }) {
        const auto text = textOf(object, option);
        if (!text)
            return text.error();
        *target = *text;
    }
    if (order.x.isEmpty())
        return chartProblem("x is missing: the column along the axis.");
    if (order.table.isEmpty())
        order.table = QFileInfo(file).completeBaseName();
    if (const auto error = readColumns(object, order))
        return *error;
    return order;
}

Result<MeasuredTable> measuredTable(const CsvTable& csv, const QString& run)
{
    if (csv.columns.value(0) != kRun || csv.columns.value(1) != "simulated")
        return chartProblem(
            "it is not a table of measurements: the first columns of such a table are run and simulated.");
    QStringList own, runs;
    for (const QString& column : csv.columns)
        if (!LabTable::isOfEveryTable(column))
            own << column;
    MeasuredTable measured;
    for (const QStringList& cells : csv.rows) {
        const QString of = csv.cell(cells, kRun);
        if (!runs.contains(of))
            runs << of;
        if (of != run && !run.isEmpty())
            continue;
        measured.identity = { of, csv.cell(cells, "simulated") == "true", csv.cell(cells, "machine") };
        LabTable::Row row { csv.cell(cells, "detail"), csv.cell(cells, "repetition").toInt(),
            csv.cell(cells, "warm_up") == "true", csv.cell(cells, "faults").toInt(), {}, {} };
        for (const QString& column : own) // an empty cell is an unknown value
            if (const QString cell = csv.cell(cells, column); !cell.isEmpty())
                row.metrics[column] = cell;
        measured.table.add(std::move(row), {}, own);
    }
    if (run.isEmpty() && runs.size() > 1)
        return chartProblem(QString("it has rows of %1 runs; choose one: \"where\": {\"run\": \"%2\"}.")
                                .arg(runs.size())
                                .arg(runs.last()));
    if (!run.isEmpty() && !runs.contains(run))
        return chartProblem("it has no row of the run " + run + ". Its runs are " + runs.join(", ") + ".");
    return measured;
}

int drawChart(const ChartCommand& command, const QString& file, const QString& paperDirectory)
{
    auto order = chartOrderOf(QString::fromStdString(command.order), file);
    if (!order)
        return refuseChart("--chart: " + QString::fromStdString(order.error().text));
    const auto csv = CsvTable::read(file);
    if (!csv)
        return refuseChart(QString::fromStdString(csv.error().text));
    const auto wanted = order->where.find(kRun);
    const auto measured = measuredTable(*csv, wanted == order->where.end() ? QString() : wanted->second);
    if (!measured)
        return refuseChart(file + ": " + QString::fromStdString(measured.error().text));
    order->where.erase(kRun); // published tables have no such column
    if (!order->paper.isEmpty()) {
        const auto published = publishedTableIn(paperDirectory, order->paper);
        if (!published)
            return refuseChart("--chart: " + published.error().message + ' ' + published.error().hint);
        order->published = *published;
    }
    auto chart = measureChart(measured->table, *order);
    if (!chart)
        return refuseChart("--chart: " + QString::fromStdString(chart.error().text));
    chart->isSimulated = measured->identity.isSimulated;
    const QByteArray out = command.givesPoints
        ? csvOf({ order->table, chart->header, chart->rows }, measured->identity, QString()).toUtf8()
        : chartSvg(*chart, {}, chartSize(*chart), chartOrigin(measured->identity, &*chart));
    const bool isWritten = std::fwrite(out.constData(), 1, std::size_t(out.size()), stdout) == std::size_t(out.size());
    return isWritten && std::fflush(stdout) == 0 ? 0 : refuseChart("the chart cannot be written to standard output.");
}

} // namespace lhrs::gui
