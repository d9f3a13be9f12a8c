// SPDX-License-Identifier: GPL-3.0-or-later
// The window's charts, and what it writes into files of what it shows.
#include "gui/window/main_window.h"

#include "gui/lab/ingest.h"
#include "gui/lab/sentences.h"
#include "gui/view/object_words.h"
#include "gui/view/picture_export.h"

#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QPainter>
#include <QSaveFile>

namespace lhrs::gui {

void MainWindow::makeMeasureActions()
{
    m_actions->add({ "measure", "View", "Measure", "Ctrl+3", "Charts of the run: operations, latency, messages, load factor, storage, recoveries", true }, [this] { setWorkspace(Workspace::Measure); });
}

void MainWindow::makeMeasureDocks()
{
    m_charts = new ChartPanel(m_timeLine, [this] { return m_operator->session().ingest().series(); }, this);
    m_chartDock = makeDock(QStringLiteral("chartDock"), tr("Charts"), m_charts);
    m_charts->setRemedyWords([this](const QString& action) { return m_actions->get(action.toLatin1().constData())->text(); });
}

void MainWindow::connectMeasure()
{
    m_clock->add(m_charts, m_charts);
    connect(m_charts, &ChartPanel::instantChosen, this, [this](qint64 ns) { m_timeLine.seekTime(ns); });
    connect(m_charts, &ChartPanel::remedyWanted, this, [this](const QString& action) { m_actions->get(action.toLatin1().constData())->trigger(); });
    connect(m_charts, &ChartPanel::exportWanted, this, &MainWindow::exportView);
}

// ---- files

PictureOrigin MainWindow::originShown() const
{
    PictureOrigin origin;
    const bool isSimulated = m_pacer.state().isSimulated;
    origin.word = m_timeLine.isReplay() ? (isSimulated ? tr("RECORDED, SIMULATED") : tr("RECORDED")) : isSimulated ? tr("SIMULATED") : tr("LIVE");
    origin.run = identityShown().run;
    origin.instant = durationWords(m_timeLine.cursorNs() - m_timeLine.beginNs());
    return origin;
}

RunIdentity MainWindow::identityShown() const
{
    RunIdentity identity { m_startedUtc, m_pacer.state().isSimulated, machineShown() };
    if (Recording* recording = m_timeLine.isReplay() ? const_cast<TimeLine&>(m_timeLine).recording() : nullptr) {
        identity.run = recording->meta(QStringLiteral("started_utc"));
        identity.isSimulated = recording->isSimulated();
        identity.machine = recording->meta(QStringLiteral("machine"));
    }
    return identity;
}

QString MainWindow::exportViewTo(const QString& path)
{
    const PictureOrigin origin = originShown();
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    if (m_workspace == Workspace::Measure) {
        const ChartData& chart = m_charts->chart();
        if (isCsv) {
            QSaveFile file(path);
            const QString detail = m_timeLine.isReplay() ? QString() : QString::fromStdString(detailWord(m_operator->detail()));
            if (!file.open(QIODevice::WriteOnly) || file.write(chartCsv(chart, identityShown(), detail).toUtf8()) < 0 || !file.commit())
                return tr("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
            return {};
        }
        ChartView& view = m_charts->view();
        const QSize size(view.width(), view.height() + int(m_theme.px(90)));
        return writePicture(path, size, 2, tr("LHRS Lab: %1, %2").arg(chart.title, origin.line()),
            [&](QPainter& painter) { view.paintTo(painter, size, chart.title, origin.line() + QString::fromUtf8("  ·  ") + chart.note); });
    }
    if (isCsv)
        return tr("The picture of the cluster has no rows; choose .svg, .pdf or .png, or open the charts (Ctrl+3).");
    return writePicture(path, m_canvas->picture(), m_canvas->size(), tr("the file and its processes"), origin);
}

void MainWindow::exportView()
{
    const bool hasRows = m_workspace == Workspace::Measure;
    const QString name = hasRows ? chartId(m_charts->kind()) + QStringLiteral(".svg") : QStringLiteral("cluster.svg");
    const QString path = QFileDialog::getSaveFileName(this, tr("Export what is shown"), name, hasRows ? tr("Pictures and rows (*.svg *.pdf *.png *.csv)") : tr("Pictures (*.svg *.pdf *.png)"));
    if (path.isEmpty())
        return;
    const QString problem = exportViewTo(path);
    m_line->answer(tr("export"), problem.isEmpty() ? tr("Written: %1").arg(path) : problem, problem.isEmpty());
}

} // namespace lhrs::gui
