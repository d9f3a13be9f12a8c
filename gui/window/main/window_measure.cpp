// SPDX-License-Identifier: GPL-3.0-or-later
// The window's charts, and the files that it writes of what it shows.
#include "gui/window/main/main_window.h"

#include "gui/lab/words/detail_words.h"
#include "gui/lab/live/ingest.h"
#include "gui/lab/export/run_export.h"
#include "gui/lab/words/sentences.h"
#include "gui/lab/export/shiviz.h"
#include "gui/view/cluster/object_words.h"
#include "gui/view/paint/picture_export.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QPainter>
#include <QSaveFile>

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

void MainWindow::makeMeasureActions()
{
    m_actions->add({ "measure", "View", "Measure", "Ctrl+3",
                       "Charts of the run: operations, latency, messages, load factor, storage, recoveries", true },
        [this] { setWorkspace(Workspace::Measure); });
    m_actions->add({ "spaceTime", "View", "Space-time diagram", "Ctrl+5",
                       "Processes as lines over time, messages as arrows, below the picture", true },
        [this] { setWorkspace(Workspace::SpaceTime); });
}

void MainWindow::makeMeasureDocks()
{
    m_charts = new ChartPanel(
        m_timeLine, [this] { return m_commands->session().ingest().series(); }, this);
    m_workspaces->addDock("chartDock", tr("Charts"), m_charts);
    m_spaceTime = new SpaceTimeView(m_timeLine, m_pacer, *m_selection, this);
    m_workspaces->addDock("spaceTimeDock", tr("Space-time diagram"), m_spaceTime);
    m_charts->setRemedyWords(
        [this](const QString& action) { return m_actions->get(action.toLatin1().constData())->text(); });
}

void MainWindow::connectMeasure()
{
    m_clock->add(m_charts, m_charts);
    m_clock->add(m_spaceTime, m_spaceTime);
    connect(m_spaceTime, &SpaceTimeView::seekWanted, this, [this](qulonglong event) { m_timeLine.seek(event); });
    // One common cursor: the instant under the mouse in one of them is marked in the others.
    const auto point = [this](std::optional<std::int64_t> ns) {
        Pointed pointed;
        pointed.atNs = ns;
        m_selection->point(pointed);
    };
    connect(m_charts, &ChartPanel::instantPointed, this, point);
    connect(&m_parts.timeBar->track(), &TimeTrack::instantPointed, this, point);
    connect(m_selection, &Selection::hoverChanged, this, [this] {
        m_charts->setPointed(m_selection->pointed().atNs);
        m_parts.timeBar->track().setPointed(m_selection->pointed().atNs);
    });
    connect(m_charts, &ChartPanel::instantChosen, this, [this](qint64 ns) { m_timeLine.seekTime(ns); });
    connect(m_charts, &ChartPanel::remedyWanted, this,
        [this](const QString& action) { m_actions->get(action.toLatin1().constData())->trigger(); });
    connect(m_charts, &ChartPanel::exportWanted, this, &MainWindow::exportView);
    connect(m_player, &Player::runningChanged, m_charts, [this](bool isRunning) {
        if (isRunning)
            m_charts->forgetMeasured();
    });
    connect(m_player, &Player::chartWished, this, [this](const MeasureChart& chart, bool isNew) {
        const RunIdentity run = m_timeLine.isReplay() ? m_parts.identity() : m_player->engine().identity();
        m_charts->showMeasured(chart, chartOrigin(identityWith(chart, run)), isNew);
        if (!isNew)
            return;
        if (workspace() != Workspace::Measure && !m_workspaceOfReel)
            m_workspaceOfReel = workspace();
        setWorkspace(Workspace::Measure);
    });
}

// ---- files

QString MainWindow::exportViewTo(const QString& path)
{
    const PictureOrigin origin = m_parts.origin();
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    if (const MeasureChart* measured = workspace() == Workspace::Measure ? m_charts->measured() : nullptr) {
        const RunIdentity identity = identityWith(*measured, m_player->engine().identity());
        if (!isCsv)
            return writeMeasureChart(path, *measured, chartOrigin(identity));
        QSaveFile file(path);
        if (!file.open(QIODevice::WriteOnly)
            || file.write(csvOf({ measured->id, measured->header, measured->rows }, identity, QString()).toUtf8()) < 0
            || !file.commit())
            return tr("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
        return {};
    }
    if (workspace() == Workspace::Measure) {
        const ChartData& chart = m_charts->chart();
        if (isCsv) {
            QSaveFile file(path);
            const QString detail = m_timeLine.isReplay() ? QString()
                                                         : QString::fromStdString(detailWord(m_commands->detail()));
            if (!file.open(QIODevice::WriteOnly) || file.write(chartCsv(chart, m_parts.identity(), detail).toUtf8()) < 0
                || !file.commit())
                return tr("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
            return {};
        }
        ChartView& view = m_charts->view();
        const QSize size(view.width(), view.height() + int(m_parts.theme.px(90)));
        return writePicture(
            path, size, 2, tr("LHRS Lab: %1, %2").arg(chart.title, origin.line()), [&](QPainter& painter) {
                view.paintTo(painter, size, chart.title, origin.line() + QString::fromUtf8("  ·  ") + chart.note);
            });
    }
    if (workspace() == Workspace::SpaceTime) {
        if (path.endsWith(QLatin1String(".shiviz"), Qt::CaseInsensitive)) {
            const std::vector<RunEvent> events = m_spaceTime->events();
            QSaveFile file(path);
            if (!file.open(QIODevice::WriteOnly) || file.write(shivizOf(events, m_pacer.state())) < 0 || !file.commit())
                return tr("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
            return {};
        }
        if (isCsv)
            return tr("Rows of all messages are in the run's tables: lhrs-gui --export FILE.lhrun --out DIR. Here "
                      "choose .svg, .pdf, .png or .shiviz.");
        return writePicture(
            path, m_spaceTime->canvas().picture(), m_spaceTime->canvas().size(), tr("space-time diagram"), origin);
    }
    switch (inspectedView()) {
    case Inspected::Node:
        if (isCsv)
            return tr("The node inspector has no rows; choose .svg, .pdf or .png. Its samples are in the recording.");
        return writePicture(path, m_node->view().picture(), m_node->view().size(), tr("what the process does"), origin);
    case Inspected::Image:
        if (isCsv)
            return tr("The images of the clients have no rows; choose .svg, .pdf or .png. Their operations are in the "
                      "recording.");
        return writePicture(
            path, m_imagePanel->view().picture(), m_imagePanel->view().size(), tr("clients' images"), origin);
    case Inspected::Group:
        if (isCsv)
            return tr("The record group has no rows; choose .svg, .pdf or .png, or copy it as text (Alt+C).");
        return writePicture(path, group().picture(), group().pictureSize(),
            tr("record group (%1, %2)").arg(group().groupNumber()).arg(group().rank()), origin);
    case Inspected::Bucket: {
        if (isCsv)
            return tr("The rows of a bucket are read from its process first: choose Records as CSV (Alt+Shift+E).");
        const QString title = nameOf(m_pacer.state(), m_records->model().bucket());
        const QSize size = m_records->size() + QSize(0, int(m_parts.theme.px(24)));
        return writePicture(path, size, 2, tr("LHRS Lab: %1, %2").arg(title, origin.line()), [&](QPainter& painter) {
            painter.fillRect(QRect(QPoint(), size), palette().window());
            m_records->render(&painter);
            painter.setFont(m_parts.theme.font({ TextSize::Small }));
            painter.setPen(m_parts.theme.text);
            painter.drawText(QRect(0, m_records->height(), size.width(), size.height() - m_records->height()),
                Qt::AlignCenter, origin.line());
        });
    }
    case Inspected::None: break;
    }
    if (isCsv)
        return tr("The picture of the cluster has no rows; choose .svg, .pdf or .png, or open the charts (Ctrl+3).");
    return writePicture(path, m_canvas->picture(), m_canvas->size(), tr("the file and its processes"), origin);
}

ExportResult MainWindow::exportAll(const QString& directory, FolderUse use)
{
    ExportResult result = exportRun(*m_timeLine.recording(), directory, use);
    if (!result.problem.isEmpty())
        return result;
    const auto folder = ResultFolder::open(directory, FolderUse::Append);
    if (!folder) {
        result.problem = QString::fromStdString(folder.error().text);
        return result;
    }
    (*folder)->goOn(factsOf(*m_timeLine.recording()));
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
        result.problem = exportViewTo(directory + '/' + name);
        if (result.problem.isEmpty())
            result.written << name;
    };
    m_timeLine.follow(); // goes to the end
    m_clock->step(0.1);
    setWorkspace(Workspace::Measure);
    for (int kind = 0; kind < kCharts; ++kind) {
        m_charts->choose(ChartKind(kind));
        do {
            QCoreApplication::processEvents(); // lays out the views that were shown or moved
            m_clock->step(0.5);
        } while (m_charts->isReading());
        m_clock->step(0.5);
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
        setWorkspace(workspace);
        for (int frame = 0; frame < 8; ++frame) {
            QCoreApplication::processEvents();
            m_clock->step(0.5);
        }
        write(QString::fromLatin1(name));
    }
    return result;
}

// The view in front among the tabs of the inspector. For Qt a tab behind another is visible too, but with an empty
// visible region.
MainWindow::Inspected MainWindow::inspectedView() const
{
    if (workspace() != Workspace::Inspect || !showsCluster())
        return Inspected::None;
    for (const auto& [view, which] : { std::pair<const QWidget*, Inspected>(m_node, Inspected::Node),
             { m_imagePanel, Inspected::Image }, { m_group, Inspected::Group }, { m_records, Inspected::Bucket } }) {
        const bool isEmpty = (which == Inspected::Group && !m_group->view().isOpen())
            || (which == Inspected::Bucket && !m_records->model().bucket());
        if (!view->visibleRegion().isEmpty() && !isEmpty)
            return which;
    }
    return Inspected::None;
}

void MainWindow::exportView()
{
    const bool isMeasure = workspace() == Workspace::Measure, hasLog = workspace() == Workspace::SpaceTime;
    QString name = QStringLiteral("cluster");
    if (isMeasure)
        name = m_charts->measured() ? m_charts->measured()->id : chartId(m_charts->kind());
    else if (hasLog)
        name = QStringLiteral("space_time");
    const Inspected inspected = inspectedView();
    switch (inspected) {
    case Inspected::Node: name = QStringLiteral("node"); break;
    case Inspected::Image: name = QStringLiteral("images"); break;
    case Inspected::Group:
        name = QStringLiteral("record-group-%1-%2").arg(group().groupNumber()).arg(group().rank());
        break;
    case Inspected::Bucket:
        name = nameOf(m_pacer.state(), m_records->model().bucket()).replace(QLatin1Char(' '), QLatin1Char('-'));
        break;
    case Inspected::None: break;
    }
    const bool hasRows = isMeasure || inspected == Inspected::Bucket;
    name += QStringLiteral(".svg");
    const QString filter = hasRows ? tr("Pictures and rows (*.svg *.pdf *.png *.csv)")
        : hasLog                   ? tr("Pictures and ShiViz (*.svg *.pdf *.png *.shiviz)")
                                   : tr("Pictures (*.svg *.pdf *.png)");
    const QString path = QFileDialog::getSaveFileName(this, tr("Export what is shown"), name, filter);
    if (path.isEmpty())
        return;
    if (inspected == Inspected::Bucket && path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive)) {
        m_csvPath = path;
        beginRecords(RecordJob::Csv); // the command line shows when it has been read and written
        return;
    }
    const QString problem = exportViewTo(path);
    m_line->answer(tr("export"), problem.isEmpty() ? tr("Written: %1").arg(path) : problem, problem.isEmpty());
}

} // namespace lhrs::gui
