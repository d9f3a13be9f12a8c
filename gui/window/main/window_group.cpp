// SPDX-License-Identifier: GPL-3.0-or-later
// The main window's record group: its actions, how it is opened, and its exports.
#include "gui/window/main/main_window.h"

#include "gui/lab/words/record_group.h"
#include "gui/view/cluster/object_words.h"
#include "gui/view/paint/picture_export.h"

#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QFileDialog>
#include <QMenu>

#include <algorithm>

namespace lhrs::gui {

void MainWindow::makeGroupActions()
{
    Actions& a = *m_actions;
    const auto view = [this]() -> RecordGroupView& { return m_group->view(); };
    a.add({ "recordGroup", "Record group", "Open record group", "Ctrl+G",
              "Opens the record group of the selected record: its members, and how a lost one is decoded" },
        [this] { openGroup(m_selection->selected(), m_selection->rank()); });
    a.add({ "groupUpdate", "Record group", "Page Update", "Alt+U",
              "What a change of one record does to the parity of its group", true },
        [view] { view().setPage(GroupPage::Update); });
    a.add({ "groupDecode", "Record group", "Page Decode", "Alt+D",
              "How a lost member is computed from the others, step by step", true },
        [view] { view().setPage(GroupPage::Decode); });
    a.add({ "groupCompare", "Record group", "Page Compare", "Alt+V",
              "The computed bytes beside those that were there before", true },
        [view] { view().setPage(GroupPage::Compare); });
    a.add({ "groupForward", "Record group", "Next step of the decoding", "Alt+Right",
              "Shows the next step of the arithmetic" },
        [view] { view().step(1); });
    a.add({ "groupBack", "Record group", "Last step of the decoding", "Alt+Left",
              "Shows the step of the arithmetic before this one" },
        [view] { view().step(-1); });
    a.add({ "groupSymbolNext", "Record group", "Next symbol", "Alt+Down",
              "The arithmetic of the next symbol of the record" },
        [view] { view().moveSymbol(1); });
    a.add(
        { "groupSymbolLast", "Record group", "Last symbol", "Alt+Up", "The arithmetic of the symbol before this one" },
        [view] { view().moveSymbol(-1); });
    a.add({ "groupRankNext", "Record group", "Next rank", "Alt+PgDown", "The record group of the next rank" },
        [view] { view().moveRank(1); });
    a.add({ "groupRankLast", "Record group", "Last rank", "Alt+PgUp", "The record group of the rank before this one" },
        [view] { view().moveRank(-1); });
    a.add({ "groupBase", "Record group", "Hexadecimal, decimal, logarithm", "Alt+B", "Writes symbols in another way" },
        [view] { view().nextBase(); });
    a.add({ "supposeLost", "Record group", "Suppose the member lost", "Alt+L",
              "Takes the selected member of the record group for lost, or gives it back; nothing is broken by it" },
        [this] {
            if (const auto member = m_group->view().selectedMember())
                m_group->view().toggleSupposed(*member);
            else
                m_line->answer(tr("suppose lost"),
                    tr("Select a member of the record group first: a data or parity bucket."), false);
        });
    a.add({ "otherSurvivors", "Record group", "Other survivors", "Alt+O",
              "Decodes from another choice of members: any m give the same bytes" },
        [view] { view().otherSurvivors(false); });
    a.add({ "ownSurvivors", "Record group", "Survivors as the nodes choose", "Alt+N",
              "Decodes from the members that the nodes would take, or took" },
        [view] { view().otherSurvivors(true); });
    a.add({ "groupTarget", "Record group", "Next member", "Alt+M",
              "Follows the next lost member; on the page Update, the next data record" },
        [view] { view().nextTarget(); });
    a.add(
        { "takeWitness", "Record group", "Keep as witness", "Alt+W",
            "Keeps the bytes of all members as they are now, to compare with later; once more: lets go of them", true },
        [this] {
            RecordGroupView& group = m_group->view();
            const bool isOn = !group.isPinned();
            const int pinned = group.setPinned(isOn);
            const QString line = tr("witness of record group (%1, %2)").arg(group.groupNumber()).arg(group.rank());
            if (isOn)
                m_line->answer(line,
                    pinned > 0 ? tr("%1 kept").arg(countedWords(std::uint64_t(pinned), "member is", "members are"))
                               : tr("No member has been read yet; wait a moment, or check that the cluster runs."),
                    pinned > 0);
            else
                m_line->answer(line, tr("let go"), true);
        });
    a.add({ "copyGroup", "Record group", "Copy as text", "Alt+C",
              "Copies the whole decoding as plain text: matrix, elimination, inverse, symbols, bytes" },
        [this, view] {
            QApplication::clipboard()->setText(view().text());
            m_line->answer(tr("copy the record group"),
                tr("%1 copied")
                    .arg(countedWords(std::uint64_t(view().text().count(QLatin1Char('\n'))), "line is", "lines are")),
                true);
        });
    a.add({ "exportGroup", "Record group", "Export the record group …", "Alt+E",
              "Saves the picture of the record group as SVG, PDF or PNG" },
        [this] { exportGroup(); });
}

// Opens the group at the rank; without a rank, at the rank of the bucket's first record.
void MainWindow::openGroup(ObjectRef object, std::uint32_t rank)
{
    const ClusterState& state = m_pacer.state();
    const auto firstOf = [](const RankMap& ranks) {
        std::uint32_t first = 1;
        while (first < ranks.rankMax() && !ranks.has(first))
            ++first;
        return first;
    };
    if (object.kind != ObjectKind::Data && object.kind != ObjectKind::Parity && object.kind != ObjectKind::Group
        && object.kind != ObjectKind::Dummy) {
        m_line->answer(
            tr("open record group"), tr("Select a bucket, or a record in the table of a bucket, first."), false);
        return;
    }
    if (rank == 0) {
        const auto bucket = state.data.find(
            std::uint32_t(object.kind == ObjectKind::Data ? object.a : object.a * state.m()));
        const auto parity = state.parity.find({ std::uint32_t(object.a), std::uint32_t(object.b) });
        rank = object.kind == ObjectKind::Parity && parity != state.parity.end() ? firstOf(parity->second.ranks)
            : object.kind != ObjectKind::Parity && bucket != state.data.end()    ? firstOf(bucket->second.ranks)
                                                                                 : 1;
    }
    if (object.kind == ObjectKind::Data || object.kind == ObjectKind::Parity) {
        m_selection->select(object);
        m_selection->setRank(rank);
    }
    m_workspaces->open("groupDock", true);
    m_group->view().open(object, rank);
    m_group->view().setFocus();
    enableGroup();
}

void MainWindow::enableGroup()
{
    RecordGroupView& view = m_group->view();
    const ObjectRef selected = m_selection->selected();
    const bool isBucket = selected.kind == ObjectKind::Data || selected.kind == ObjectKind::Parity
        || selected.kind == ObjectKind::Group;
    const Decoding* decoding = view.decoding();
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) {
        for (const char* id : ids) {
            if (QAction* action = m_actions->get(id); action->isEnabled() != on)
                action->setEnabled(on);
        }
    };
    enable({ "recordGroup" }, showsCluster() && isBucket);
    enable({ "groupUpdate", "groupDecode", "groupCompare", "groupForward", "groupBack", "groupSymbolNext",
               "groupSymbolLast", "groupRankNext", "groupRankLast", "groupBase", "groupTarget", "takeWitness",
               "copyGroup", "exportGroup", "supposeLost" },
        view.isOpen() && showsCluster());
    enable({ "otherSurvivors", "ownSurvivors" }, view.isOpen() && showsCluster() && decoding && decoding->choices > 0);
    const auto check = [this](const char* id, bool on) {
        if (QAction* action = m_actions->get(id); action->isChecked() != on)
            action->setChecked(on);
    };
    check("groupUpdate", view.page() == GroupPage::Update);
    check("groupDecode", view.page() == GroupPage::Decode);
    check("groupCompare", view.page() == GroupPage::Compare);
    check("takeWitness", view.isPinned());
}

// Sets whether bytes may be read, and the note beside them: bytes that are not of the shown instant must say so.
void MainWindow::noteReading()
{
    const bool isRunning = m_commands->link() == ClusterCommands::Link::Here || m_parts.isWithoutCoordinator();
    QString note;
    if (m_timeLine.isReplay())
        note = tr("Events carry no bytes: of a recorded run there are those that somebody read by then.");
    else if (!isRunning)
        note = tr("No cluster answers: bytes are those that were read before.");
    else if (m_timeLine.mode() != TimeLine::Mode::Follow)
        note = tr("The picture stands at %1; bytes are read from the processes now.")
                   .arg(durationWords(m_timeLine.cursorNs()));
    m_group->view().setReading(isRunning || m_timeLine.isReplay(), note);
}

void MainWindow::exportGroup()
{
    RecordGroupView& view = m_group->view();
    const QString name = QStringLiteral("record-group-%1-%2.svg").arg(view.groupNumber()).arg(view.rank());
    const QString path = QFileDialog::getSaveFileName(
        this, tr("Export the record group"), name, tr("Pictures (*.svg *.pdf *.png)"));
    if (path.isEmpty())
        return;
    const QString problem = writePicture(path, view.picture(), view.pictureSize(),
        tr("record group (%1, %2)").arg(view.groupNumber()).arg(view.rank()), m_parts.origin());
    m_line->answer(tr("export"), problem.isEmpty() ? tr("Written: %1").arg(path) : problem, problem.isEmpty());
}

void MainWindow::showRecordMenu(ObjectRef bucket, std::uint32_t rank, QPoint at)
{
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("recordMenu"));
    m_parts.endPreviewWith(menu);
    menu.addSection(tr("%1, rank %2").arg(nameOf(m_pacer.state(), bucket)).arg(rank));
    m_selection->setRank(rank);
    enableGroup();
    menu.addAction(m_actions->get("recordGroup"));
    if (bucket.kind == ObjectKind::Data)
        menu.addAction(m_actions->get("searchHere"));
    menu.exec(at);
}

} // namespace lhrs::gui
