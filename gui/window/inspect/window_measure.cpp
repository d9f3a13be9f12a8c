// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/inspect/window_measure.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/export/shiviz.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/words/process/detail_words.h"
#include "gui/view/charts/chart_panel.h"
#include "gui/view/paint/picture_export.h"
#include "gui/view/timeline/space_time_view.h"

#include <QCoreApplication>
#include <QPainter>

namespace lhrs::gui {

namespace {

// The identity of the run that a chart belongs to. The engine reports only at the end of its script whether the run was
// simulated; the chart contains that from the first row.
RunIdentity identityWith(const MeasureChart& chart, RunIdentity identity)
{
    identity.isSimulated = identity.isSimulated || chart.isSimulated;
    return identity;
}

} // namespace

WindowMeasure::WindowMeasure(WindowParts& parts) : WindowSubject(parts)
{
    Actions& a = m_parts.actions;
    a.add({ "measure", "View", "Measure", "Ctrl+3",
              "Charts of the run: operations, latency, messages, load factor, storage, repairs", true },
        [this] { m_parts.workspaces.enter(Workspace::Measure); });
    a.add({ "spaceTime", "View", "Space-time diagram", "Ctrl+5",
              "Processes as lines over time, messages as arrows, below the picture", true },
        [this] { m_parts.workspaces.enter(Workspace::SpaceTime); });
}

void WindowMeasure::build()
{
    m_charts = new ChartPanel(
        m_parts.timeLine, [this] { return m_parts.commands.session().ingest().series(); }, &m_parts.window);
    m_parts.workspaces.addDock("chartDock", tr("Charts"), m_charts);
    m_spaceTime = new SpaceTimeView(m_parts.timeLine, m_parts.pacer, m_parts.selection, &m_parts.window);
    m_parts.workspaces.addDock("spaceTimeDock", tr("Space-time diagram"), m_spaceTime);
    m_charts->setRemedyWords(
        [this](const QString& action) { return m_parts.actions.get(action.toLatin1().constData())->text(); });
    m_parts.clock.add(m_charts, m_charts);
    m_parts.clock.add(m_spaceTime, m_spaceTime);
    connect(m_spaceTime, &SpaceTimeView::seekWanted, this, [this](qulonglong event) { m_parts.timeLine.seek(event); });
    // One common cursor: the instant under the mouse in one of them is marked in the others.
    const auto point = [this](std::optional<std::int64_t> ns) {
        Pointed pointed;
        pointed.atNs = ns;
        m_parts.selection.point(pointed);
    };
    connect(m_charts, &ChartPanel::instantPointed, this, point);
    connect(&m_parts.timeBar->track(), &TimeTrack::instantPointed, this, point);
    connect(&m_parts.selection, &Selection::hoverChanged, this, [this] {
        m_charts->setPointed(m_parts.selection.pointed().atNs);
        m_parts.timeBar->track().setPointed(m_parts.selection.pointed().atNs);
    });
    connect(m_charts, &ChartPanel::instantChosen, this, [this](qint64 ns) { m_parts.timeLine.seekTime(ns); });
    connect(m_charts, &ChartPanel::remedyWanted, this, [this](const QString& action) { m_parts.trigger(action); });
    connect(m_charts, &ChartPanel::exportWanted, m_parts.actions.get("exportPicture"), &QAction::trigger);
    connect(&m_parts.player, &Player::runningChanged, m_charts, [this](bool isRunning) {
        if (isRunning)
            m_charts->forgetMeasured();
    });
    connect(&m_parts.player, &Player::chartWished, this, [this](const MeasureChart& chart, bool isNew) {
        const RunIdentity run = m_parts.timeLine.isReplay() ? m_parts.identity()
                                                            : m_parts.player.run().engine().identity();
        m_charts->showMeasured(chart, chartOrigin(identityWith(chart, run), &chart), isNew);
        if (!isNew)
            return;
        emit wanted();
        m_parts.workspaces.enter(Workspace::Measure);
    });
}

void WindowMeasure::applyTheme()
{
    m_charts->setTheme(m_parts.theme);
    m_spaceTime->setTheme(m_parts.theme);
}

void WindowMeasure::forget()
{
    showRun();
    clear();
}

void WindowMeasure::clear() { m_spaceTime->clear(); }

void WindowMeasure::restart() { m_spaceTime->restart(m_parts.timeLine.committed()); }

void WindowMeasure::showRun() { m_charts->reset(); }

// ---- files

std::optional<ViewExport> WindowMeasure::inFront()
{
    const QString rows = tr("Pictures and rows (*.svg *.pdf *.png *.csv)");
    if (m_parts.workspaces.now() == Workspace::SpaceTime)
        return ViewExport { QStringLiteral("space_time"), tr("Pictures and ShiViz (*.svg *.pdf *.png *.shiviz)"),
            [this](const QString& path) { return writeSpaceTime(path); } };
    if (m_parts.workspaces.now() != Workspace::Measure)
        return std::nullopt;
    if (const MeasureChart* measured = m_charts->measured())
        return ViewExport { measured->id, rows,
            [this, measured](const QString& path) {
                const RunIdentity run = identityWith(*measured, m_parts.player.run().engine().identity());
                return isCsv(path) ? writeBytes(
                           path, csvOf({ measured->id, measured->header, measured->rows }, run, QString()).toUtf8())
                                   : writeMeasureChart(path, *measured, chartOrigin(run, measured));
            } };
    return ViewExport { chartId(m_charts->kind()), rows, [this](const QString& path) { return writeChart(path); } };
}

QString WindowMeasure::writeChart(const QString& path)
{
    const ChartData& chart = m_charts->chart();
    if (isCsv(path)) {
        const QString detail = m_parts.timeLine.isReplay()
            ? QString()
            : QString::fromStdString(detailWord(m_parts.commands.session().control().detail()));
        return writeBytes(path, chartCsv(chart, m_parts.identity(), detail).toUtf8());
    }
    ChartView& view = m_charts->view();
    const QSize size(view.width(), view.height() + int(m_parts.theme.px(90)));
    const QString origin = m_parts.origin().line();
    return writePicture(path, size, 2, tr("LHRS Lab: %1, %2").arg(chart.title, origin), [&](QPainter& painter) {
        view.paintTo(painter, size, chart.title, origin + QString::fromUtf8("  ·  ") + chart.note);
    });
}

QString WindowMeasure::writeSpaceTime(const QString& path)
{
    if (path.endsWith(QLatin1String(".shiviz"), Qt::CaseInsensitive))
        return writeBytes(path, shivizOf(m_spaceTime->events(), m_parts.pacer.state()));
    if (isCsv(path))
        return tr("Rows of all messages are in the run's tables: lhrs-gui --export FILE.lhrun --out DIR. Here "
                  "choose .svg, .pdf, .png or .shiviz.");
    return writePicture(path, m_spaceTime->canvas().picture(), m_spaceTime->canvas().size(), tr("space-time diagram"),
        m_parts.origin());
}

ExportResult WindowMeasure::writeAll(
    const QString& directory, FolderUse use, const std::function<QString(const QString&)>& writeView)
{
    ExportResult result = exportRun(*m_parts.timeLine.recording(), directory, use);
    if (!result.problem.isEmpty())
        return result;
    const auto folder = ResultFolder::open(directory, FolderUse::Append);
    if (!folder) {
        result.problem = QString::fromStdString(folder.error().text);
        return result;
    }
    (*folder)->goOn(factsOf(*m_parts.timeLine.recording()));
    // Adds rows beside those of other runs.
    const auto writeRows = [&](const QString& name) {
        const QString detail;
        const auto table = CsvTable::parse(chartCsv(m_charts->chart(), m_parts.identity(), detail), name);
        if (!result.problem.isEmpty() || !table)
            return;
        std::vector<QVariantList> rows;
        for (const QStringList& row : table->rows)
            rows.emplace_back(row.begin(), row.end());
        result.problem = (*folder)->put(name, table->columns, rows);
        if (result.problem.isEmpty())
            result.written << name + QStringLiteral(".csv");
    };
    const auto write = [&](const QString& name) {
        if (!result.problem.isEmpty())
            return;
        result.problem = writeView(directory + '/' + name);
        if (result.problem.isEmpty())
            result.written << name;
    };
    m_parts.timeLine.follow(); // goes to the end
    m_parts.clock.step(0.1);
    m_parts.workspaces.enter(Workspace::Measure);
    for (int kind = 0; kind < kCharts; ++kind) {
        m_charts->choose(ChartKind(kind));
        do {
            QCoreApplication::processEvents(); // lays out the views that were shown or moved
            m_parts.clock.step(0.5);
        } while (m_charts->isReading());
        m_parts.clock.step(0.5);
        const QString name = chartId(m_charts->kind());
        if (!m_charts->chart().nothing.isEmpty()) {
            result.notes << tr("no picture of %1: %2").arg(chartTitle(m_charts->kind()), m_charts->chart().nothing);
            continue;
        }
        write(name + QStringLiteral(".svg"));
        writeRows(name);
    }
    for (const auto& [workspace, name] :
        { std::pair(Workspace::SpaceTime, "space_time.svg"), std::pair(Workspace::Lecture, "cluster.svg") }) {
        m_parts.workspaces.enter(workspace);
        for (int frame = 0; frame < 8; ++frame) {
            QCoreApplication::processEvents();
            m_parts.clock.step(0.5);
        }
        write(QString::fromLatin1(name));
    }
    return result;
}

} // namespace lhrs::gui
