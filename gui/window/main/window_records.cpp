// SPDX-License-Identifier: GPL-3.0-or-later
// What the main window does with the records of a bucket: filter, witness, comparison, copy, CSV.
#include "gui/view/paint/flow_layout.h"
#include "gui/window/main/main_window.h"

#include "gui/view/cluster/object_words.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>

#include <utility>

namespace lhrs::gui {

// Starts to read the whole bucket that is listed; finishRecords() does the rest.
void MainWindow::beginRecords(RecordJob job)
{
    RecordModel& model = m_records->model();
    const QString line = tr("records of %1").arg(nameOf(m_pacer.state(), model.bucket()));
    if (const QString why = model.bucket() ? model.absence()
                                           : tr("Choose a bucket first, in the picture or with the arrow keys.");
        !why.isEmpty()) {
        m_line->answer(line, why, false);
        return;
    }
    if (job == RecordJob::Compare && !model.hasWitness()) {
        m_line->answer(line,
            tr("There is no witness of this bucket yet: take one (Alt+Shift+W), let something happen, then compare."),
            false);
        return;
    }
    m_recordJob = job;
    if (job == RecordJob::Compare)
        model.compare();
    else
        model.readAll();
}

void MainWindow::makeRecordActions()
{
    Actions& a = *m_actions;
    a.add(
        { "recordFilter", "Records", "Filter the records", "Alt+R", "Lists only records with a key, a rank or a text" },
        [this] {
            m_workspaces->open("bucketDock");
            m_records->tools().show();
            m_records->filter().setFocus(Qt::ShortcutFocusReason);
        });
    a.add({ "recordWitness", "Records", "Witness of the bucket", "Alt+Shift+W",
              "Reads the whole bucket and keeps what it holds, to compare with later" },
        [this] { beginRecords(RecordJob::Witness); });
    a.add({ "recordCompare", "Records", "Compare with the witness", "Alt+Shift+V",
              "Reads the whole bucket again: which records are equal, changed, missing, extra; once more: ends it",
              true },
        [this] {
            RecordModel& model = m_records->model();
            if (!model.comparisonWords().isEmpty())
                model.endComparison();
            else
                beginRecords(RecordJob::Compare);
            m_actions->get("recordCompare")->setChecked(!model.comparisonWords().isEmpty());
        });
    a.add({ "recordCopy", "Records", "Copy the records", "Alt+Shift+C",
              "Copies the selected rows, or all that are listed, with tabs between their cells" },
        [this] {
            const std::vector<int> rows = m_records->rowsChosen();
            QApplication::clipboard()->setText(m_records->model().rowsAsText(rows));
            m_line->answer(
                tr("copy"), tr("%1 copied").arg(countedWords(rows.size(), "row is", "rows are")), !rows.empty());
        });
    a.add({ "recordCsv", "Records", "Records as CSV …", "Alt+Shift+E",
              "Reads the whole bucket and writes the rows that are listed, bytes in full" },
        [this] {
            m_csvPath = QFileDialog::getSaveFileName(
                this, tr("Records as CSV"), QStringLiteral("records.csv"), tr("Rows (*.csv)"));
            if (!m_csvPath.isEmpty())
                beginRecords(RecordJob::Csv);
        });
}

void MainWindow::connectRecords()
{
    auto* flow = new FlowLayout(&m_records->tools(), 4);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->addWidget(&m_records->filter());
    // Copy and CSV are only in the menu: at 150 %, a second row of buttons would take the table's room.
    for (const auto& [id, words] :
        { std::pair("recordWitness", tr("Witness")), std::pair("recordCompare", tr("Compare")) }) {
        QAction* action = m_actions->get(id);
        auto* made = new QPushButton(words, &m_records->tools());
        made->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        made->setAccessibleName(action->text());
        made->setToolTip(action->toolTip());
        connect(made, &QPushButton::clicked, action, &QAction::trigger);
        flow->addWidget(made);
    }
    connect(&m_records->model(), &RecordModel::wholeRead, this, &MainWindow::finishRecords);
}

// The whole bucket was read, or cannot be read.
void MainWindow::finishRecords(const QString& problem)
{
    RecordModel& model = m_records->model();
    const RecordJob job = std::exchange(m_recordJob, RecordJob::None);
    const QString line = tr("records of %1").arg(nameOf(m_pacer.state(), model.bucket()));
    m_actions->get("recordCompare")->setChecked(!model.comparisonWords().isEmpty());
    if (job == RecordJob::None)
        return; // the reading was for a filter; the table shows its result
    if (!problem.isEmpty()) {
        m_line->answer(line, tr("The bucket was not read to its end: %1").arg(problem), false);
        return;
    }
    switch (job) {
    case RecordJob::Witness:
        model.takeWitness();
        m_line->answer(
            line, tr("%1 kept as a witness").arg(countedWords(model.recordsInAll(), "record is", "records are")), true);
        return;
    case RecordJob::Compare: m_line->answer(line, model.comparisonWords(), true); return;
    case RecordJob::Csv: {
        QSaveFile file(m_csvPath);
        const bool isWritten = file.open(QIODevice::WriteOnly) && file.write(model.csv().toUtf8()) >= 0
            && file.commit();
        m_line->answer(line,
            isWritten ? tr("Written: %1").arg(m_csvPath)
                      : tr("%1 cannot be written: %2. Choose another place.").arg(m_csvPath, file.errorString()),
            isWritten);
        return;
    }
    case RecordJob::None: return;
    }
}

} // namespace lhrs::gui
