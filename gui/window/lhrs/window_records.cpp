// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_records.h"

#include "gui/lab/reel/reel.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/lhrs/words/file_words.h"
#include "gui/view/paint/flow_layout.h"
#include "gui/view/paint/picture_export.h"
#include "gui/view/lhrs/records/record_table.h"
#include "gui/window/lhrs/window_group.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPainter>
#include <QPushButton>

#include <utility>

namespace lhrs::gui {

// Starts to read the whole bucket that is listed; finish() does the rest.
void WindowRecords::begin(Job job)
{
    RecordModel& model = m_table->model();
    const QString line = tr("records of %1").arg(fileWords().nameOf(m_parts.pacer.state(), model.bucket()));
    if (const QString why = model.bucket() ? model.absence()
                                           : tr("Choose a bucket first, in the picture or with the arrow keys.");
        !why.isEmpty()) {
        m_parts.line.answer(line, why, false);
        return;
    }
    if (job == Job::Compare && !model.hasWitness()) {
        m_parts.line.answer(line,
            tr("There is no witness of this bucket yet: take one (Alt+Shift+W), let something happen, then compare."),
            false);
        return;
    }
    m_job = job;
    if (job == Job::Compare)
        model.compare();
    else
        model.readAll();
}

WindowRecords::WindowRecords(WindowParts& parts, FileParts& file, WindowGroup& group)
    : WindowSubject(parts), m_file(file), m_group(group)
{
    Actions& a = m_parts.actions;
    a.add(
        { "recordFilter", "Records", "Filter the records", "Alt+R", "Lists only records with a key, a rank or a text" },
        [this] {
            m_parts.workspaces.open("bucketDock");
            m_table->tools().show();
            m_table->filter().setFocus(Qt::ShortcutFocusReason);
        });
    a.add({ "recordWitness", "Records", "Witness of the bucket", "Alt+Shift+W",
              "Reads the whole bucket and keeps what it holds, to compare with later" },
        [this] { begin(Job::Witness); });
    a.add({ "recordCompare", "Records", "Compare with the witness", "Alt+Shift+V",
              "Reads the whole bucket again: which records are equal, changed, missing, extra; once more: ends it",
              true },
        [this] {
            RecordModel& model = m_table->model();
            if (!model.comparisonWords().isEmpty())
                model.endComparison();
            else
                begin(Job::Compare);
            m_parts.actions.get("recordCompare")->setChecked(!model.comparisonWords().isEmpty());
        });
    a.add({ "recordCopy", "Records", "Copy the records", "Alt+Shift+C",
              "Copies the selected rows, or all that are listed, with tabs between their cells" },
        [this] {
            const std::vector<int> rows = m_table->rowsChosen();
            QApplication::clipboard()->setText(m_table->model().rowsAsText(rows));
            m_parts.line.answer(
                tr("copy"), tr("%1 copied").arg(countedWords(rows.size(), "row is", "rows are")), !rows.empty());
        });
    a.add({ "recordCsv", "Records", "Records as CSV …", "Alt+Shift+E",
              "Reads the whole bucket and writes the rows that are listed, bytes in full" },
        [this] {
            m_csvPath = QFileDialog::getSaveFileName(
                &m_parts.window, tr("Records as CSV"), QStringLiteral("records.csv"), tr("Rows (*.csv)"));
            if (!m_csvPath.isEmpty())
                begin(Job::Csv);
        });
}

void WindowRecords::build()
{
    m_table = new RecordTable(m_parts.pacer, m_file.bytes, m_parts.selection, &m_parts.window);
    m_parts.workspaces.addDock(fileDock("bucketDock"), tr("Bucket"), m_table);
    m_parts.clock.add(m_table, m_table);
    connect(m_table, &RecordTable::groupRequested, &m_group, &WindowGroup::open);
    connect(m_table, &RecordTable::menuRequested, this, &WindowRecords::showMenu);
    auto* flow = new FlowLayout(&m_table->tools(), 4);
    flow->setContentsMargins(0, 0, 0, 0);
    flow->addWidget(&m_table->filter());
    // Copy and CSV are only in the menu: at 150 %, a second row of buttons would take the table's room.
    for (const auto& [id, words] :
        { std::pair("recordWitness", tr("Witness")), std::pair("recordCompare", tr("Compare")) }) {
        QAction* action = m_parts.actions.get(id);
        auto* made = new QPushButton(words, &m_table->tools());
        made->setObjectName(QLatin1String(id) + QStringLiteral("Button"));
        made->setAccessibleName(action->text());
        made->setToolTip(action->toolTip());
        connect(made, &QPushButton::clicked, action, &QAction::trigger);
        flow->addWidget(made);
    }
    connect(&m_table->model(), &RecordModel::wholeRead, this, &WindowRecords::finish);
}

// The whole bucket was read, or cannot be read.
void WindowRecords::finish(const QString& problem)
{
    RecordModel& model = m_table->model();
    const Job job = std::exchange(m_job, Job::None);
    const QString line = tr("records of %1").arg(fileWords().nameOf(m_parts.pacer.state(), model.bucket()));
    m_parts.actions.get("recordCompare")->setChecked(!model.comparisonWords().isEmpty());
    if (job == Job::None)
        return; // the reading was for a filter; the table shows its result
    if (!problem.isEmpty()) {
        m_parts.line.answer(line, tr("The bucket was not read to its end: %1").arg(problem), false);
        return;
    }
    switch (job) {
    case Job::Witness:
        model.takeWitness();
        m_parts.line.answer(
            line, tr("%1 kept as a witness").arg(countedWords(model.recordsInAll(), "record is", "records are")), true);
        return;
    case Job::Compare: m_parts.line.answer(line, model.comparisonWords(), true); return;
    case Job::Csv: {
        const QString trouble = writeBytes(m_csvPath, model.csv().toUtf8());
        m_parts.line.answer(line, trouble.isEmpty() ? tr("Written: %1").arg(m_csvPath) : trouble, trouble.isEmpty());
        return;
    }
    case Job::None: return;
    }
}

void WindowRecords::showMenu(ObjectRef bucket, std::uint32_t rank, QPoint at)
{
    QMenu menu(&m_parts.window);
    menu.setObjectName(QStringLiteral("recordMenu"));
    m_parts.endPreviewWith(menu);
    menu.addSection(tr("%1, rank %2").arg(fileWords().nameOf(m_parts.pacer.state(), bucket)).arg(rank));
    m_parts.selection.setPart(rank);
    m_group.enable();
    menu.addAction(m_parts.actions.get("recordGroup"));
    if (bucket.kind == ObjectKind::Data)
        menu.addAction(m_parts.actions.get("searchHere"));
    menu.exec(at);
}

bool WindowRecords::showContents(ObjectRef object)
{
    if (!m_parts.pacer.state().isOfLhrs() || object.kind == ObjectKind::Client)
        return false;
    m_parts.workspaces.open("bucketDock");
    m_parts.canvas.choose(object);
    return true;
}

bool WindowRecords::openPage(const CameraWish& wish, ObjectRef looked)
{
    if (wish.view != QLatin1String("records"))
        return false;
    m_parts.workspaces.open("bucketDock");
    if (looked)
        m_parts.selection.select(looked);
    return false;
}

void WindowRecords::forget() { m_table->model().forgetWitnesses(); }

void WindowRecords::applyTheme() { m_table->setTheme(m_parts.theme); }

std::pair<const QWidget*, std::string_view> WindowRecords::explained() const { return { m_table, "rank" }; }

std::optional<ViewExport> WindowRecords::inFront()
{
    if (!m_parts.isInspected(*m_table) || !m_table->model().bucket())
        return std::nullopt;
    const QString title = fileWords().nameOf(m_parts.pacer.state(), m_table->model().bucket());
    const auto write = [this, title](const QString& path) {
        if (isCsv(path))
            return tr("The rows of a bucket are read from its process first: choose Records as CSV (Alt+Shift+E).");
        const QString origin = m_parts.origin().line();
        const QSize size = m_table->size() + QSize(0, int(m_parts.theme.px(24)));
        return writePicture(path, size, 2, tr("LHRS Lab: %1, %2").arg(title, origin), [&](QPainter& painter) {
            painter.fillRect(QRect(QPoint(), size), m_parts.window.palette().window());
            m_table->render(&painter);
            painter.setFont(m_parts.theme.font({ TextSize::Small }));
            painter.setPen(m_parts.theme.text);
            painter.drawText(
                QRect(0, m_table->height(), size.width(), size.height() - m_table->height()), Qt::AlignCenter, origin);
        });
    };
    return ViewExport { QString(title).replace(QLatin1Char(' '), QLatin1Char('-')),
        tr("Pictures and rows (*.svg *.pdf *.png *.csv)"), write, [this](const QString& path) {
            m_csvPath = path;
            begin(Job::Csv);
        } };
}

} // namespace lhrs::gui
