// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/export/run_export.h"

#include "gui/lab/tables/chart_svg.h"
#include "gui/lab/replay/cluster_numbers.h"
#include "gui/lab/words/process/detail_words.h"
#include "gui/lab/series/process/loss_times.h"
#include "gui/lab/tables/qt_text.h"
#include "gui/lab/recording/recording_systems.h"
#include "gui/lab/recording/rows/recording_file.h"
#include "gui/lab/export/run_story.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/lab/export/shiviz.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

namespace lhrs::gui {

namespace {

// The cluster of each row of the recording's table of faults.
class FaultClusters {
public:
    FaultClusters(Recording& recording, const ClusterNumbers& clusters)
    {
        for (const RunEvent& run : recording.allOf({ pb::Event::kFaultBegunFieldNumber }))
            m_of[{ run.event->fault_begun().fault().number(), qlonglong(run.process) }] = clusters.of(run.index);
    }
    // 0: unknown.
    std::uint32_t operator()(const std::map<QString, QVariant>& row) const
    {
        if (const auto cluster = row.find("cluster"); cluster != row.end() && !cluster->second.isNull())
            return cluster->second.toUInt();
        // Version 1 stores no cluster; it is found by the events.
        const auto at = m_of.find({ row.at("number").toULongLong(), row.at("target").toLongLong() });
        return at == m_of.end() ? 0 : at->second;
    }

private:
    std::map<std::pair<qulonglong, qlonglong>, std::uint32_t> m_of; // number, process
};

// Folds a run's events into rows in one pass through the recording. Numbers that processes assign restart in each
// cluster, so everything is stored by cluster.
class Walk {
public:
    explicit Walk(Recording& recording)
        : m_recording(recording), m_clusters(recording.words()), m_clusterOfFault(recording, m_clusters)
    {
        for (const RecordedSystem* system : recordedSystems())
            m_systems.push_back(system->rows(true));
        for (const auto& process : recording.rows("process"))
            m_processes[ProcessId(process.at("id").toLongLong())] = { process.at("name").toString(),
                process.at("kind").toString() };
        for (const auto& row : recording.rows("fault")) {
            const QVariant number = row.at("number"), end = row.at("end_ns");
            m_faults[m_clusterOfFault(row)].push_back(
                { row.at("begin_ns").toLongLong(), number.isNull() ? -row.at("id").toLongLong() : number.toLongLong(),
                    end.isNull() ? std::optional<std::int64_t>() : std::optional<std::int64_t>(end.toLongLong()) });
        }
        const std::vector<Recording::Word> words = recording.words();
        auto word = words.begin();
        for (std::uint64_t cursor = 0; cursor < recording.events();) {
            const EventPage page = recording.eventsSince(cursor, kExportPage);
            for (const RunEvent& run : page.events) {
                for (; word != words.end() && word->event < run.index; ++word)
                    if (word->told.has_ended())
                        for (const auto& system : m_systems)
                            system->takeEnd(word->process, word->tNs);
                m_cluster = m_clusters.of(run.index);
                if (run.isGap())
                    m_losses.add(m_lastNs.try_emplace(run.process, recording.beginNs()).first->second, run.runNs);
                else
                    take(run);
                m_lastNs[run.process] = run.runNs;
            }
            if (page.events.empty())
                break;
            cursor = page.next;
        }
    }

    ExportTable operations() const
    {
        ExportTable table { "operations",
            { "cluster", "op", "client", "kind", "key", "begin_s", "time_ms", "result", "place", "rank", "forwards",
                "iam", "path", "resends", "messages_sent", "faults", "complete" },
            {} };
        std::vector<const Operation*> all;
        for (const auto& [id, operation] : m_operations)
            if (operation.isDone || (operation.isStarted && !m_losses.isWhole(operation.beginNs, LossTimes::kEnd)))
                all.push_back(&operation);
        std::stable_sort(all.begin(), all.end(), [](const Operation* x, const Operation* y) {
            return std::pair(x->cluster, x->beginNs) < std::pair(y->cluster, y->beginNs);
        });
        for (const Operation* o : all) {
            const pb::OperationDone& done = o->done;
            if (!o->isDone) { // the event of its end was lost
                table.rows.push_back({ o->cluster, qulonglong(o->number), name(o->client),
                    text(operationWord(o->started.kind())), qulonglong(o->started.key()), run(o->beginNs), {}, {}, {},
                    {}, {}, {}, {}, {}, known(o->messages > 0, qulonglong(o->messages)),
                    faultsIn(o->cluster, o->beginNs, o->beginNs), false });
                continue;
            }
            const OperationCells own = operationCells(kind(o->client), done, o->isAdjusted);
            table.rows.push_back({ o->cluster, qulonglong(o->number), name(o->client), text(operationWord(done.kind())),
                qulonglong(done.key()), run(o->beginNs), milliseconds(done.time_ns()), text(resultWord(done.result())),
                known(own.place.isValid(), "data " + own.place.toString()), own.number, done.forwards(), own.isAdjusted,
                QString::fromStdString(pathWord(done.path())), done.resends(),
                known(o->messages > 0, qulonglong(o->messages)), faultsIn(o->cluster, o->beginNs, o->endNs),
                o->isStarted && m_losses.isWhole(o->beginNs, o->endNs) });
        }
        return table;
    }

    // Those of each system.
    std::vector<ExportTable> ofSystems() const
    {
        std::vector<ExportTable> all;
        for (const auto& system : m_systems)
            for (ExportTable& table : system->tables(m_recording.beginNs()))
                all.push_back(std::move(table));
        return all;
    }

private:
    struct Operation {
        std::uint32_t cluster = 1;
        std::uint64_t client = 0, number = 0, messages = 0;
        std::int64_t beginNs = 0, endNs = 0;
        bool isStarted = false, isAdjusted = false, isDone = false;
        pb::OperationStarted started;
        pb::OperationDone done;
    };

    struct Fault {
        std::int64_t beginNs = 0, number = 0; // a signal has no number; the negative row number is used
        std::optional<std::int64_t> endNs;
    };

    double run(std::int64_t ns) const { return seconds(ns - m_recording.beginNs()); }

    QString name(ProcessId process) const
    {
        const auto at = m_processes.find(process);
        return at != m_processes.end() && !at->second.name.isEmpty() ? at->second.name : QString::number(process, 16);
    }

    QString kind(ProcessId process) const
    {
        const auto at = m_processes.find(process);
        return at != m_processes.end() ? at->second.kind : QString();
    }

    // A fault counts once, however many processes it concerns.
    int faultsIn(std::uint32_t cluster, std::int64_t fromNs, std::int64_t toNs) const
    {
        std::set<std::int64_t> acted;
        if (const auto faults = m_faults.find(cluster); faults != m_faults.end())
            for (const Fault& fault : faults->second)
                if (fault.beginNs <= toNs && (!fault.endNs || *fault.endNs >= fromNs))
                    acted.insert(fault.number);
        return int(acted.size());
    }

    void take(const RunEvent& told)
    {
        const pb::Event& event = *told.event;
        for (const auto& system : m_systems)
            system->take(int(m_cluster), told.process, event, told.runNs);
        if (event.operation().client() != 0)
            takeOperation(told);
    }

    void takeOperation(const RunEvent& told)
    {
        const pb::Event& event = *told.event;
        const bool isAdjusted = adjustsClient(event);
        if (!event.has_operation_started() && !event.has_operation_done() && !event.has_message_sent() && !isAdjusted)
            return;
        Operation& o = m_operations[{ m_cluster, event.operation().client(), event.operation().number() }];
        o.cluster = m_cluster;
        o.client = event.operation().client();
        o.number = event.operation().number();
        if (event.has_operation_started()) {
            o.isStarted = true;
            o.beginNs = told.runNs;
            o.started = event.operation_started();
        } else if (event.has_message_sent()) {
            ++o.messages;
        } else if (isAdjusted) {
            o.isAdjusted = true;
        } else {
            o.isDone = true;
            o.endNs = told.runNs;
            o.done = event.operation_done();
            if (!o.isStarted)
                o.beginNs = told.runNs - o.done.time_ns();
        }
    }

    Recording& m_recording;
    struct Process {
        QString name, kind;
    };
    std::map<ProcessId, Process> m_processes;
    ClusterNumbers m_clusters;
    FaultClusters m_clusterOfFault;
    std::uint32_t m_cluster = 1; // of the events being read
    std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint64_t>, Operation>
        m_operations; // cluster, client, number
    std::map<ProcessId, std::int64_t> m_lastNs; // last event or gap of each process
    LossTimes m_losses;
    std::vector<std::unique_ptr<SystemRows>> m_systems;
    std::map<std::uint32_t, std::vector<Fault>> m_faults; // by cluster; 0: unknown
};

// A table of the recording, exported with its cluster as an additional column. Columns ending in _ns become seconds
// of the run (or durations), and processes get their names. No column may have the name of one of the first three
// columns of every file, because duplicate names are read wrongly.
struct OfRecording {
    Recording& recording;
    ClusterNumbers clusters { recording.words() };
    std::map<qlonglong, QString> names = namesOf(recording);
    using Row = std::map<QString, QVariant>;

    static std::map<qlonglong, QString> namesOf(Recording& recording)
    {
        std::map<qlonglong, QString> names;
        for (const auto& process : recording.rows("process"))
            names[process.at("id").toLongLong()] = process.at("name").toString();
        return names;
    }

    // `columns`: names in the recording, or "theirs=ours" for a different name. `clusterOf`: the cluster of a row;
    // empty if unknown.
    ExportTable table(const QString& name, const QString& from, const QStringList& columns,
        const std::function<QVariant(const Row&)>& clusterOf)
    {
        ExportTable table { name, { "cluster" }, {} };
        for (const QString& column : columns)
            table.columns << column.section('=', -1).replace(QRegularExpression("_ns$"), "_s");
        for (const Row& row : recording.rows(from)) {
            QVariantList cells { clusterOf(row) };
            for (const QString& column : columns)
                cells << cell(row, column.section('=', 0, 0));
            table.rows.push_back(cells);
        }
        return table;
    }
    ExportTable table(const QString& name, const QString& from, const QStringList& columns)
    {
        return table(name, from, columns, [this](const Row& row) {
            return row.at("event").isNull() ? QVariant() : QVariant(clusters.of(row.at("event").toULongLong()));
        });
    }

    QVariant cell(const Row& row, const QString& column) const
    {
        const auto at = row.find(column);
        if (at == row.end() || at->second.isNull())
            return {};
        if (column.endsWith("_ns")) {
            const bool isDuration = column == "lease_ns" || column == "took_ns";
            return seconds(at->second.toLongLong() - (isDuration ? 0 : recording.beginNs()));
        }
        if (column == "ok")
            return at->second.toBool(); // SQLite has no truth values
        if (column == "process" || column == "target") {
            const auto name = names.find(at->second.toLongLong());
            return name != names.end() && !name->second.isEmpty() ? name->second
                                                                  : QString::number(at->second.toULongLong(), 16);
        }
        return at->second;
    }

    ExportTable faults()
    {
        const FaultClusters of(recording, clusters);
        return table("faults", "fault",
            { "number=fault", "kind", "target", "requested", "achieved", "begin_ns", "end_ns", "lease_ns", "ended_by" },
            [&](const Row& row) {
                const std::uint32_t cluster = of(row);
                return cluster == 0 ? QVariant() : QVariant(cluster);
            });
    }
    // The recording's table of gaps refers to no event; the cluster is found by the events.
    ExportTable gaps()
    {
        std::map<std::pair<qlonglong, qulonglong>, std::uint32_t> of; // process, first number
        for (std::uint64_t cursor = 0;;) {
            const EventPage page = recording.eventsOf({ kGapKind }, cursor, recording.events(), kExportPage);
            for (const RunEvent& run : page.events)
                of[{ qlonglong(run.process), run.gapFirst }] = clusters.of(run.index);
            cursor = page.next;
            if (page.events.size() < kExportPage)
                break;
        }
        ExportTable gaps = table(
            "gaps", "gap", { "process", "seq_first", "seq_last", "t_ns", "reason", "healed_by" }, [&](const Row& row) {
                if (!row.at("healed_by").isNull())
                    // The gap is after that event, in the cluster that followed.
                    return QVariant(clusters.of(row.at("healed_by").toULongLong() + 1));
                const auto at = of.find({ row.at("process").toLongLong(), row.at("seq_first").toULongLong() });
                return at == of.end() ? QVariant() : QVariant(at->second);
            });
        // Rows noticed at the same moment have no defined order, so they are sorted.
        const auto key = [](const QVariantList& row) {
            return std::tuple(row[4].toDouble(), row[1].toString(), row[2].toULongLong());
        };
        std::stable_sort(gaps.rows.begin(), gaps.rows.end(),
            [&key](const QVariantList& a, const QVariantList& b) { return key(a) < key(b); });
        return gaps;
    }
};

// The clusters that the scenario created.
std::vector<ClusterFacts> clustersOf(const Recording& recording)
{
    std::vector<ClusterFacts> clusters;
    for (int number = 1;; ++number) {
        const QString json = recording.meta(kClusterMeta + QString::number(number));
        if (json.isEmpty())
            return clusters;
        ClusterFacts cluster { number, false, {} };
        const QJsonObject parameters = QJsonDocument::fromJson(json.toUtf8()).object();
        for (auto it = parameters.begin(); it != parameters.end(); ++it)
            cluster.parameters[it.key()] = it.value().toVariant();
        cluster.isSimulated = cluster.parameters["simulated"].toBool();
        cluster.parameters.erase("simulated");
        clusters.push_back(std::move(cluster));
    }
}

// One row per observation, as lhrs-play --csv writes it.
std::vector<ExportTable> measurementTables(Recording& recording)
{
    std::vector<ExportTable> out;
    for (const auto& [name, measured] : measuredTables(recording)) {
        ExportTable table { name,
            QStringList { "repetition", "warm_up" } + measured.factorColumns() + measured.metricColumns()
                + QStringList { "faults", "machine" },
            {} };
        for (const LabTable::Row& row : measured.rows()) {
            QVariantList cells { row.repetition > 0 ? QVariant(row.repetition) : QVariant(), row.isWarmUp };
            const auto add = [&](const std::map<QString, QVariant>& values, const QStringList& columns) {
                for (const QString& column : columns) {
                    const auto at = values.find(column);
                    cells << (at == values.end() ? QVariant() : at->second);
                }
            };
            add(row.factors, measured.factorColumns());
            add(row.metrics, measured.metricColumns());
            cells << row.faults << recording.meta("machine");
            table.rows.push_back(cells);
        }
        out.push_back(std::move(table));
    }
    return out;
}

} // namespace

QString lostEvents(Recording& recording)
{
    std::uint64_t events = 0;
    std::set<qlonglong> processes;
    for (const auto& gap : recording.rows("gap")) {
        if (gap.at("seq_first").isNull())
            continue;
        events += gap.at("seq_last").toULongLong() - gap.at("seq_first").toULongLong() + 1;
        processes.insert(gap.at("process").toLongLong());
    }
    return events == 0
        ? QString()
        : QString("%1 events of %2 processes were lost (gaps.csv), so rows of operations.csv may be missing, and rows "
                  "whose `complete` is false may lack something; messages.csv may lack rows.")
              .arg(events)
              .arg(processes.size());
}

RunIdentity identityOf(const Recording& recording)
{
    const RunFacts facts = factsOf(recording);
    return { facts.run, facts.isSimulated, facts.machine };
}

RunFacts factsOf(const Recording& recording)
{
    RunFacts facts;
    facts.run = recording.meta("run");
    if (facts.run.isEmpty()) { // from an earlier version
        facts.run = recording.meta("started_utc");
        if (const QString seed = recording.meta("seed"); !seed.isEmpty())
            facts.run += " seed " + seed;
    }
    facts.isSimulated = recording.isSimulated();
    for (const auto& [key, field] : runFactFields())
        facts.*field = recording.meta(key);
    const QJsonObject parameters = QJsonDocument::fromJson(recording.meta(kParametersMeta).toUtf8()).object();
    for (auto it = parameters.begin(); it != parameters.end(); ++it)
        facts.parameters[it.key()] = it.value().toVariant();
    return facts;
}

QString detailOf(Recording& recording)
{
    std::set<std::string> words;
    for (const Recording::Word& word : recording.words())
        if (word.told.has_snapshot())
            words.insert(detailWord(word.told.snapshot().detail()));
    return words.size() == 1 ? text(*words.begin()) : QString(); // changed or never reported: unknown for the whole run
}

std::vector<ExportTable> exportTables(Recording& recording) { return exportTables(recording, storyOf(recording)); }

std::vector<ExportTable> exportTables(Recording& recording, const RunStory& story)
{
    const Walk walk(recording);
    OfRecording own { recording };
    std::vector<ExportTable> tables { walk.operations(), messageTable(recording) };
    for (ExportTable& table : walk.ofSystems())
        tables.push_back(std::move(table));
    for (ExportTable& table : std::vector { own.faults(), own.gaps(),
             own.table("captions", "caption", { "event", "t_ns", "step", "kind", "text", "source" }),
             storyTable(recording, story),
             own.table("markers", "marker", { "event", "t_ns", "step", "kind", "text", "source" }),
             own.table("commands", "command",
                 { "event", "t_ns", "source", "line", "call", "arguments", "reply", "ok", "took_ns" }),
             own.table("expectations", "expectation", { "event", "t_ns", "line", "text", "ok", "detail=explanation" }),
             own.table(
                 "invariants", "lamp", { "event", "t_ns", "invariant", "state", "checks", "detail=explanation" }) })
        tables.push_back(std::move(table));
    std::set<QString> names;
    for (const ExportTable& table : tables)
        names.insert(table.name);
    for (ExportTable& table : measurementTables(recording)) {
        while (!names.insert(table.name).second)
            table.name = "measured_" + table.name;
        tables.push_back(std::move(table));
    }
    return tables;
}

QString csvOf(const ExportTable& table, const RunIdentity& identity, const QString& detail)
{
    const auto line = [](const QVariantList& cells) {
        QStringList texts;
        for (const QVariant& cell : cells)
            texts << csvCell(cell);
        return texts.join(',') + "\r\n";
    };
    QVariantList header { "run", "simulated", "detail" };
    for (const QString& column : table.columns)
        header << column;
    QString out = line(header);
    for (const QVariantList& row : table.rows)
        out += line(QVariantList { identity.run, identity.isSimulated, detail } + row);
    return out;
}

ExportResult exportRun(Recording& recording, const QString& directory, FolderUse use)
{
    ExportResult result;
    auto folder = ResultFolder::open(directory, use);
    if (!folder) {
        result.problem = QString::fromStdString(folder.error().text);
        return result;
    }
    result.problem = (*folder)->begin(factsOf(recording));
    for (const ClusterFacts& cluster : clustersOf(recording))
        if (result.problem.isEmpty())
            result.problem = (*folder)->onCluster(cluster);
    return result.problem.isEmpty() ? exportRun(recording, **folder) : result;
}

ExportResult exportRun(Recording& recording, ResultFolder& folder)
{
    ExportResult result;
    result.damage = recording.damage();
    if (const QString unfinished = recording.unfinished(); !unfinished.isEmpty())
        result.notes << unfinished;
    if (const QString lost = lostEvents(recording); !lost.isEmpty())
        result.notes << lost;
    const RunIdentity identity = folder.identity();
    const QVariant detail = detailOf(recording);
    const RunStory story = storyOf(recording);
    for (const ExportTable& table : exportTables(recording, story)) {
        std::vector<QVariantList> rows;
        for (const QVariantList& row : table.rows)
            rows.push_back(QVariantList { identity.run, identity.isSimulated, detail } + row);
        result.problem = folder.put(table.name, QStringList { "run", "simulated", "detail" } + table.columns, rows);
        if (!result.problem.isEmpty())
            return result;
    }
    result.problem = folder.putFile("story.txt", storyText(recording, story));
    if (!result.problem.isEmpty())
        return result;
    const QString origin = QString::fromUtf8("RECORDED  ·  ") + chartOrigin(identity);
    for (const MeasureChart& chart : chartsOf(recording)) {
        result.problem = folder.putFile(chart.id + ".svg", chartSvg(chart, {}, chartSize(chart), origin));
        if (!result.problem.isEmpty())
            return result;
    }
    result.written = folder.written();
    if (recording.events() > kShivizEvents) {
        result.notes << QString("no run.shiviz: the run has %1 events, and ShiViz draws up to %2; choose an interval "
                                "in the space-time diagram and export that")
                            .arg(recording.events())
                            .arg(kShivizEvents);
        return result;
    }
    auto state = recording.stateAt(recording.events());
    result.problem = folder.putFile(
        "run.shiviz", shivizOf(recording.eventsSince(0, kShivizEvents).events, state ? *state : ClusterState()));
    result.written = folder.written();
    return result;
}

} // namespace lhrs::gui
