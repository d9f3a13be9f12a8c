// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/lhrs/paper_report.h"

#include <QDir>

#include <algorithm>
#include <set>

namespace lhrs::gui {

namespace {

using Where = std::map<QString, QString>;

// The tables that experiments write, and the scenarios that write them.
constexpr std::pair<const char*, const char*> kMeasured[] = { { "bucket_recovery", "recovery_tables.js" },
    { "parity_creation", "parity_tables.js" }, { "process_time_options", "parity_tables.js" },
    { "record_recovery", "record_recovery.js" }, { "search", "search_times.js" },
    { "file_creation", "file_creation.js" }, { "insert_time", "file_creation.js" },
    { "insert_stalls", "file_creation.js" }, { "bulk_insert", "file_creation.js" },
    { "recovery_ways", "recovery_ways.js" }, { "network_recovery", "network_speed.js" },
    { "network_creation", "network_speed.js" } };

// How a published table is matched with a measured one.
struct Join {
    const char* experiment;
    const char* ours;
    const char* published;
    Where publishedWhere, oursWhere; // in addition to configuration 2, the faster machines
    std::vector<std::pair<const char*, const char*>> keys; // measured column, published column
    struct Quantity {
        const char* ours;
        const char* published;
        const char* name;
        const char* unit;
    };
    std::vector<Quantity> quantities;
    QString (*what)(const CsvTable&, const QStringList&);
    QString (*condition)(const CsvTable&, const QStringList&);
    const char* configuration = "2";
};

QString fieldOf(const CsvTable& t, const QStringList& row) { return QStringLiteral("GF(2^%1)").arg(t.cell(row, "gf")); }
QString schemeOf(const CsvTable& t, const QStringList& row) { return t.cell(row, "scheme").toUpper(); }

const std::vector<Join>& joins()
{
    static const std::vector<Join::Quantity> kTimes { { "total_s", "total_s", "total", "s" },
        { "process_s", "process_s", "process", "s" }, { "comm_s", "comm_s", "communication", "s" } };
    static const std::vector<Join> all {
        { "E4 E5 E6", "bucket_recovery", "bucket_recovery", {}, {},
            { { "gf", "gf" }, { "scheme", "scheme" }, { "failed_buckets", "failed_buckets" }, { "slice", "slice" } },
            kTimes,
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("recovery of %1, %2, %3")
                    .arg(t.cell(row, "failed_buckets") == "1" ? QStringLiteral("1 data bucket")
                                                              : t.cell(row, "failed_buckets") + " data buckets",
                        schemeOf(t, row), fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("slices of %1 records").arg(t.cell(row, "slice"));
            } },
        { "E3 E16", "parity_creation", "parity_creation", {}, {},
            { { "gf", "gf" }, { "scheme", "scheme" }, { "bucket_size", "bucket_size" } }, kTimes,
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("making a parity bucket, %1, %2").arg(schemeOf(t, row), fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("bucket size %1").arg(t.cell(row, "bucket_size"));
            } },
        { "E2", "process_time_options", "process_time_options", {}, {},
            { { "gf", "gf" }, { "option", "option" }, { "bucket_size", "bucket_size" } },
            { { "process_s", "process_s", "process", "s" } },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("encoding by tables of logarithms, %1").arg(fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return (t.cell(row, "option") == "rs_pure" ? QStringLiteral("general matrix, bucket size %1")
                                                           : QStringLiteral("matrix with ones, bucket size %1"))
                    .arg(t.cell(row, "bucket_size"));
            },
            "1" },
        { "E9", "record_recovery", "record_recovery", {}, { { "scheme", "rs" } },
            { { "gf", "gf" }, { "records", "records" } },
            { { "ms_per_record", "rs_ms_per_record", "time of a record", "ms" } },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("record recovery, RS, %1").arg(fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("%1 records").arg(t.cell(row, "records"));
            } },
        { "E9", "record_recovery", "record_recovery", {}, { { "scheme", "xor" } },
            { { "gf", "gf" }, { "records", "records" } },
            { { "ms_per_record", "xor_ms_per_record", "time of a record", "ms" } },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("record recovery, XOR, %1").arg(fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("%1 records").arg(t.cell(row, "records"));
            } },
        { "E10", "search", "search", {}, { { "window", "1" } }, { { "searches", "acked_keys" } },
            { { "ms_per_record", "sync_ms_per_record", "time of a search", "ms" } },
            [](const CsvTable&, const QStringList&) { return QStringLiteral("key search, synchronised"); },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("%1 searches").arg(t.cell(row, "acked_keys"));
            } },
        { "E10", "search", "search", {}, { { "window", "64" } }, { { "searches", "acked_keys" } },
            { { "ms_per_record", "parallel_ms_per_record", "time of a search", "ms" } },
            [](const CsvTable&, const QStringList&) { return QStringLiteral("key search, parallel"); },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("%1 searches").arg(t.cell(row, "acked_keys"));
            } },
        { "E11 E12", "file_creation", "file_creation", {}, {}, { { "gf", "gf" }, { "k", "k" } },
            { { "total_s", "total_s", "total", "s" } },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("25 000 acknowledged inserts, %1").arg(fieldOf(t, row));
            },
            [](const CsvTable& t, const QStringList& row) {
                return QStringLiteral("k = %1%2")
                    .arg(t.cell(row, "k"),
                        t.cell(row, "k") == "1" ? ", parity by " + schemeOf(t, row) + " there" : QString());
            } },
    };
    return all;
}

void joinRows(const Join& join, const CsvTable& ours, const CsvTable& published, std::vector<PaperRow>& rows)
{
    Where where = join.publishedWhere;
    where["config"] = join.configuration;
    for (const QStringList& row : published.where(where)) {
        Where here = join.oursWhere;
        bool isKnown = true;
        for (const auto& [mine, theirs] : join.keys) {
            here[mine] = published.cell(row, theirs);
            isKnown = isKnown && !published.cell(row, theirs).isEmpty();
        }
        for (const Join::Quantity& quantity : join.quantities) {
            const auto printed = published.number(row, quantity.published);
            if (!printed || !isKnown)
                continue;
            PaperRow out;
            out.experiment = join.experiment;
            out.what = join.what(published, row);
            out.condition = join.condition(published, row);
            out.quantity = quantity.name;
            out.unit = quantity.unit;
            out.ours = paperFigure(ours, here, quantity.ours);
            out.published = *printed;
            const QString table = published.cell(row, "table");
            out.source = QStringLiteral("2003, %1, configuration %2")
                             .arg(table.startsWith("sec") ? "section " + table.mid(3) : "table " + table,
                                 join.configuration);
            out.note = published.cell(row, "note");
            rows.push_back(std::move(out));
        }
    }
}

// The median of one metric over x, as a line.
PaperChart::Series measuredLine(
    const QString& name, int colour, const CsvTable& table, const Where& where, const QString& x, const QString& metric)
{
    PaperChart::Series series { name, false, colour, {} };
    std::set<double> places;
    for (const QStringList& row : table.where(where))
        if (const auto at = table.number(row, x))
            places.insert(*at);
    for (const double at : places) {
        Where here = where;
        here[x] = QString::number(at, 'g', 12);
        if (const auto figure = paperFigure(table, here, metric))
            series.points.emplace_back(at, figure->median);
    }
    return series;
}

PaperChart::Series publishedLine(
    const QString& name, int colour, const CsvTable& table, Where where, const QString& x, const QString& column)
{
    where.try_emplace("config", "2");
    PaperChart::Series series { name, true, colour, {} };
    for (const QStringList& row : table.where(where)) {
        const auto at = table.number(row, x), value = table.number(row, column);
        if (at && value)
            series.points.emplace_back(*at, *value);
    }
    std::sort(series.points.begin(), series.points.end());
    return series;
}

void addCharts(const std::map<QString, CsvTable>& ours, const std::map<QString, CsvTable>& published,
    std::vector<PaperChart>& charts)
{
    const auto add = [&](PaperChart chart) {
        std::erase_if(chart.series, [](const auto& series) { return series.points.empty(); });
        if (std::any_of(
                chart.series.begin(), chart.series.end(), [](const auto& series) { return !series.isPublished; }))
            charts.push_back(std::move(chart));
    };
    const auto at = [](const std::map<QString, CsvTable>& tables, const char* name) -> const CsvTable& {
        static const CsvTable kNone;
        const auto found = tables.find(name);
        return found != tables.end() ? found->second : kNone;
    };
    for (const char* field : { "16", "8" }) {
        PaperChart recovery { QStringLiteral("recovery_gf%1").arg(field),
            QStringLiteral("Recovery of 31 250 records a bucket in GF(2^%1)").arg(field), "records of a slice",
            "total, s", true, true, {} };
        int colour = 0;
        for (const auto& [failed, scheme] :
            { std::pair("1", "xor"), std::pair("1", "rs"), std::pair("2", "rs"), std::pair("3", "rs") }) {
            const Where where { { "gf", field }, { "failed_buckets", failed }, { "scheme", scheme } };
            const QString name = QStringLiteral("%1 of 4, %2").arg(failed, QString(scheme).toUpper());
            recovery.series.push_back(
                measuredLine(name, colour, at(ours, "bucket_recovery"), where, "slice", "total_s"));
            recovery.series.push_back(
                publishedLine(name + ", 2003", colour++, at(published, "bucket_recovery"), where, "slice", "total_s"));
        }
        add(std::move(recovery));
        PaperChart creation { QStringLiteral("parity_gf%1").arg(field),
            QStringLiteral("Making a parity bucket in GF(2^%1)").arg(field), "bucket size", "total, s", true, true,
            {} };
        colour = 0;
        for (const char* scheme : { "xor", "rs" }) {
            const Where where { { "gf", field }, { "scheme", scheme } };
            creation.series.push_back(measuredLine(
                QString(scheme).toUpper(), colour, at(ours, "parity_creation"), where, "bucket_size", "total_s"));
            creation.series.push_back(publishedLine(QString(scheme).toUpper() + ", 2003", colour++,
                at(published, "parity_creation"), where, "bucket_size", "total_s"));
        }
        add(std::move(creation));
    }
    PaperChart search { "search", "Key search", "searches", "ms each", false, true, {} };
    search.series.push_back(
        measuredLine("synchronised", 0, at(ours, "search"), { { "window", "1" } }, "searches", "ms_per_record"));
    search.series.push_back(
        publishedLine("synchronised, 2003", 0, at(published, "search"), {}, "acked_keys", "sync_ms_per_record"));
    search.series.push_back(
        measuredLine("parallel", 1, at(ours, "search"), { { "window", "64" } }, "searches", "ms_per_record"));
    search.series.push_back(
        publishedLine("parallel, 2003", 1, at(published, "search"), {}, "acked_keys", "parallel_ms_per_record"));
    add(std::move(search));
    PaperChart creation { "file_creation", "25 000 acknowledged inserts", "parity buckets of a group (k)", "total, s",
        false, true, {} };
    PaperChart insert { "insert_time", "Time of an insert along the run (means of 500 and, published, single inserts)",
        "records inserted", "ms", false, true, {} };
    int colour = 0;
    for (const char* field : { "16", "8" }) {
        creation.series.push_back(measuredLine(QStringLiteral("GF(2^%1)").arg(field), colour, at(ours, "file_creation"),
            { { "gf", field } }, "k", "total_s"));
        creation.series.push_back(publishedLine(QStringLiteral("GF(2^%1), 2003").arg(field), colour++,
            at(published, "file_creation"), { { "gf", field } }, "k", "total_s"));
    }
    for (int k = 0; k <= 2; ++k) {
        insert.series.push_back(measuredLine(QStringLiteral("k = %1").arg(k), k, at(ours, "insert_time"),
            { { "k", QString::number(k) } }, "acked_to", "mean_ms"));
        insert.series.push_back(publishedLine(QStringLiteral("k = %1, 2003").arg(k), k, at(published, "insert_time"),
            {}, "ack_key", QStringLiteral("k%1_ms").arg(k)));
    }
    add(std::move(creation));
    add(std::move(insert));
    PaperChart records { "record_recovery", "A record computed by a parity bucket", "records", "ms each", false, true,
        {} };
    colour = 0;
    for (const char* scheme : { "xor", "rs" }) {
        records.series.push_back(measuredLine(QString(scheme).toUpper() + ", GF(2^16)", colour,
            at(ours, "record_recovery"), { { "gf", "16" }, { "scheme", scheme } }, "records", "ms_per_record"));
        records.series.push_back(publishedLine(QString(scheme).toUpper() + ", GF(2^16), 2003", colour++,
            at(published, "record_recovery"), { { "gf", "16" } }, "records", QString(scheme) + "_ms_per_record"));
    }
    add(std::move(records));
}

} // namespace

std::optional<PaperFigure> paperFigure(const CsvTable& table, const Where& where, const QString& metric)
{
    std::vector<double> values;
    for (const QStringList& row : table.where(where))
        if (const auto value = table.number(row, metric); value && table.cell(row, "warm_up") != "true")
            values.push_back(*value);
    if (values.empty())
        return std::nullopt;
    std::sort(values.begin(), values.end());
    const auto at = [&](double share) { // interpolated, as in the summaries
        const double place = share * double(values.size() - 1);
        const std::size_t below = std::size_t(place), above = std::min(below + 1, values.size() - 1);
        return values[below] + (values[above] - values[below]) * (place - double(below));
    };
    return PaperFigure { at(0.5), at(0.25), at(0.75), int(values.size()) };
}

Result<PaperReport> paperReport(const QString& measured, const QString& published)
{
    PaperReport report;
    std::map<QString, CsvTable> printed;
    for (const Join& join : joins())
        if (!printed.contains(join.published)) {
            auto table = CsvTable::read(QDir(published).filePath(QString(join.published) + ".csv"));
            if (!table)
                return table.error();
            printed[join.published] = std::move(*table);
        }
    if (auto table = CsvTable::read(QDir(published).filePath("insert_time.csv")))
        printed["insert_time"] = std::move(*table);
    std::set<QString> runs, machines;
    for (const auto& [name, scenario] : kMeasured) {
        const QString path = QDir(measured).filePath(QString(name) + ".csv");
        if (!QFile::exists(path)) {
            report.missing << QStringLiteral("%1 (%2)").arg(name, scenario);
            continue;
        }
        auto table = CsvTable::read(path);
        if (!table)
            return table.error();
        for (const QStringList& row : table->rows) {
            runs.insert(table->cell(row, "run"));
            machines.insert(table->cell(row, "machine"));
            report.isSimulated = report.isSimulated || table->cell(row, "simulated") == "true";
        }
        report.measured[name] = std::move(*table);
    }
    if (report.measured.empty())
        return Error { QString("%1 holds none of the tables of the experiments (bucket_recovery.csv, search.csv, ...): "
                               "./run paper writes them.")
                           .arg(measured)
                           .toStdString() };
    report.runs = QStringList(runs.begin(), runs.end());
    report.machines = QStringList(machines.begin(), machines.end());
    static const CsvTable kNone;
    for (const Join& join : joins()) {
        const auto ours = report.measured.find(join.ours);
        joinRows(join, ours != report.measured.end() ? ours->second : kNone, printed.at(join.published), report.rows);
    }
    report.shapes = paperShapes(report.measured);
    addCharts(report.measured, printed, report.charts);
    return report;
}

} // namespace lhrs::gui
