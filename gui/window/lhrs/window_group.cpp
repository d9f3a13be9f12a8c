// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_group.h"

#include "gui/lab/reel/reel.h"
#include "gui/lab/words/lhrs/record_group.h"
#include "gui/view/lhrs/words/object_words.h"
#include "gui/view/paint/picture_export.h"
#include "gui/window/lhrs/group_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>

#include <algorithm>
#include <array>
#include <utility>

namespace lhrs::gui {

WindowGroup::WindowGroup(WindowParts& parts, FileParts& file) : WindowSubject(parts), m_file(file)
{
    Actions& a = m_parts.actions;
    a.add({ "recordGroup", "Record group", "Open record group", "Ctrl+G",
              "Opens the record group of the selected record: its members, and how a lost one is decoded" },
        [this] { open(m_parts.selection.selected(), m_parts.selection.part()); });
    a.add({ "groupUpdate", "Record group", "Page Update", "Alt+U",
              "What a change of one record does to the parity of its group", true },
        [this] { view().setPage(GroupPage::Update); });
    a.add({ "groupDecode", "Record group", "Page Decode", "Alt+D",
              "How a lost member is computed from the others, step by step", true },
        [this] { view().setPage(GroupPage::Decode); });
    a.add({ "groupCompare", "Record group", "Page Compare", "Alt+V",
              "The computed bytes beside those that were there before", true },
        [this] { view().setPage(GroupPage::Compare); });
    a.add({ "groupForward", "Record group", "Next step of the decoding", "Alt+Right",
              "Shows the next step of the arithmetic" },
        [this] { view().step(1); });
    a.add({ "groupBack", "Record group", "Previous step of the decoding", "Alt+Left",
              "Shows the step of the arithmetic before this one" },
        [this] { view().step(-1); });
    a.add({ "groupSymbolNext", "Record group", "Next symbol", "Alt+Down",
              "The arithmetic of the next symbol of the record" },
        [this] { view().moveSymbol(1); });
    a.add({ "groupSymbolLast", "Record group", "Previous symbol", "Alt+Up",
              "The arithmetic of the symbol before this one" },
        [this] { view().moveSymbol(-1); });
    a.add({ "groupRankNext", "Record group", "Next rank", "Alt+PgDown", "The record group of the next rank" },
        [this] { view().moveRank(1); });
    a.add({ "groupRankLast", "Record group", "Previous rank", "Alt+PgUp",
              "The record group of the rank before this one" },
        [this] { view().moveRank(-1); });
    a.add({ "groupBase", "Record group", "Hexadecimal, decimal, logarithm", "Alt+B", "Writes symbols in another way" },
        [this] { view().nextBase(); });
    a.add({ "supposeLost", "Record group", "Suppose the member lost", "Alt+L",
              "Treats the selected member of the record group as lost, or as there again; nothing is broken by it" },
        [this] {
            if (const auto member = view().selectedMember())
                view().toggleSupposed(*member);
            else
                m_parts.line.answer(tr("suppose lost"),
                    tr("Select a member of the record group first: a data or parity bucket."), false);
        });
    a.add({ "otherSurvivors", "Record group", "Other survivors", "Alt+O",
              "Decodes from another choice of members: any m give the same bytes" },
        [this] { view().otherSurvivors(false); });
    a.add({ "ownSurvivors", "Record group", "Survivors as the nodes choose", "Alt+N",
              "Decodes from the members that the nodes would take, or took" },
        [this] { view().otherSurvivors(true); });
    a.add({ "groupTarget", "Record group", "Next member", "Alt+M",
              "Follows the next lost member; on the page Update, the next data record" },
        [this] { view().nextTarget(); });
    a.add({ "takeWitness", "Record group", "Keep as witness", "Alt+W",
              "Keeps the bytes of all members as they are now, to compare with later; once more: drops them", true },
        [this] {
            RecordGroupView& group = view();
            const bool isOn = !group.isPinned();
            const int pinned = group.setPinned(isOn);
            const QString line = tr("witness of record group (%1, %2)").arg(group.groupNumber()).arg(group.rank());
            if (isOn)
                m_parts.line.answer(line,
                    pinned > 0 ? tr("%1 kept").arg(countedWords(std::uint64_t(pinned), "member is", "members are"))
                               : tr("No member has been read yet; wait a moment, or check that the cluster runs."),
                    pinned > 0);
            else
                m_parts.line.answer(line, tr("let go"), true);
        });
    a.add({ "copyGroup", "Record group", "Copy as text", "Alt+C",
              "Copies the whole decoding as plain text: matrix, elimination, inverse, symbols, bytes" },
        [this] {
            QApplication::clipboard()->setText(view().text());
            m_parts.line.answer(tr("copy the record group"),
                tr("%1 copied")
                    .arg(countedWords(std::uint64_t(view().text().count(QLatin1Char('\n'))), "line is", "lines are")),
                true);
        });
    a.add({ "exportGroup", "Record group", "Export the record group …", "Alt+E",
              "Saves the picture of the record group as SVG, PDF or PNG" },
        [this] { exportGroup(); });
}

void WindowGroup::build()
{
    m_panel = new GroupPanel(m_parts.pacer, m_file.bytes, m_parts.commands.session().witnesses(), m_parts.selection,
        m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock(fileDock("groupDock"), tr("Record group"), m_panel, tr("Group"));
    m_parts.clock.add(&view(), m_panel);
    connect(&m_parts.canvas, &ClusterCanvas::partRequested, this, &WindowGroup::open);
    connect(&view(), &RecordGroupView::shown, this, &WindowGroup::enable);
}

RecordGroupView& WindowGroup::view() const { return m_panel->view(); }

void WindowGroup::forget()
{
    m_parts.commands.session().witnesses().clear();
    view().close();
}

void WindowGroup::applyTheme() { m_panel->setTheme(m_parts.theme); }

std::pair<const QWidget*, std::string_view> WindowGroup::explained() const { return { m_panel, "record-group" }; }

// Without these buttons the audience sees one more line of the matrix; their keys still work.
void WindowGroup::setPresented(bool on) { m_panel->setBarVisible(!on); }

void WindowGroup::open(ObjectRef object, std::uint32_t rank)
{
    const ClusterState& state = m_parts.pacer.state();
    const auto firstOf = [](const RankMap& ranks) {
        std::uint32_t first = 1;
        while (first < ranks.rankMax() && !ranks.has(first))
            ++first;
        return first;
    };
    if (object.kind != ObjectKind::Data && object.kind != ObjectKind::Parity && object.kind != ObjectKind::Group
        && object.kind != ObjectKind::Dummy) {
        m_parts.line.answer(
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
        m_parts.selection.select(object);
        m_parts.selection.setPart(rank);
    }
    m_parts.workspaces.open("groupDock", true);
    view().open(object, rank);
    view().setFocus();
    enable();
}

void WindowGroup::enable()
{
    const RecordGroupView& group = view();
    const ObjectRef selected = m_parts.selection.selected();
    const bool isBucket = selected.kind == ObjectKind::Data || selected.kind == ObjectKind::Parity
        || selected.kind == ObjectKind::Group;
    const Decoding* decoding = group.decoding();
    const auto enable = [this](std::initializer_list<const char*> ids, bool on) { m_parts.actions.enable(ids, on); };
    enable({ "recordGroup" }, m_parts.workspaces.showsWork() && isBucket);
    enable({ "groupUpdate", "groupDecode", "groupCompare", "groupForward", "groupBack", "groupSymbolNext",
               "groupSymbolLast", "groupRankNext", "groupRankLast", "groupBase", "groupTarget", "takeWitness",
               "copyGroup", "exportGroup", "supposeLost" },
        group.isOpen() && m_parts.workspaces.showsWork());
    enable({ "otherSurvivors", "ownSurvivors" },
        group.isOpen() && m_parts.workspaces.showsWork() && decoding && decoding->choices > 0);
    const auto check = [this](const char* id, bool on) { m_parts.actions.get(id)->setChecked(on); };
    check("groupUpdate", group.page() == GroupPage::Update);
    check("groupDecode", group.page() == GroupPage::Decode);
    check("groupCompare", group.page() == GroupPage::Compare);
    check("takeWitness", group.isPinned());
}

// Sets whether bytes may be read, and the note beside them: bytes that are not of the shown instant must say so.
void WindowGroup::frame()
{
    const bool isRunning = m_parts.isHere() || m_parts.isWithoutCoordinator();
    QString note;
    if (m_parts.timeLine.isReplay())
        note = tr("Events carry no bytes: a recorded run has only those that were read by then.");
    else if (!isRunning)
        note = tr("No cluster answers: the bytes are those that were read before.");
    else if (m_parts.timeLine.mode() != TimeLine::Mode::Follow)
        note = tr("The picture stands at %1; bytes are read from the processes now.")
                   .arg(durationWords(m_parts.timeLine.cursorNs() - m_parts.timeLine.beginNs()));
    view().setReading(isRunning || m_parts.timeLine.isReplay(), note);
}

bool WindowGroup::openPage(const CameraWish& wish, ObjectRef looked)
{
    static const std::array kPages { std::pair("update", GroupPage::Update), std::pair("decode", GroupPage::Decode),
        std::pair("compare", GroupPage::Compare) };
    const auto numberOf = [&wish](const char* name) {
        const double number = wish.page[QLatin1String(name)].toDouble(-1);
        return number >= 0 && number <= 4294967295.0 ? std::optional(std::uint32_t(number)) : std::nullopt;
    };
    const auto group = numberOf("group"), rank = numberOf("rank");
    if (!group || !rank)
        return false;
    const auto page = std::find_if(
        kPages.begin(), kPages.end(), [&](const auto& p) { return wish.view == QLatin1String(p.first); });
    const std::uint32_t m = m_parts.pacer.state().m();
    const bool isMember = looked.kind == ObjectKind::Data && m > 0 && looked.a / m == *group;
    if (page != kPages.end()) {
        view().setPage(page->second);
        open(isMember ? looked : ObjectRef { ObjectKind::Group, *group, 0 }, *rank);
        view().showStage(wish.page[QLatin1String("stage")].toString());
        return false;
    }
    const bool isOfRecords = wish.view == QLatin1String("records");
    m_parts.selection.select(isMember && isOfRecords ? looked : ObjectRef { ObjectKind::Parity, *group, 0 });
    m_parts.selection.setPart(*rank);
    return true;
}

void WindowGroup::exportGroup()
{
    const QString path = QFileDialog::getSaveFileName(&m_parts.window, tr("Export the record group"),
        fileName() + QStringLiteral(".svg"), tr("Pictures (*.svg *.pdf *.png)"));
    if (path.isEmpty())
        return;
    const QString problem = write(path);
    m_parts.line.answer(tr("export"), problem.isEmpty() ? tr("Written: %1").arg(path) : problem, problem.isEmpty());
}

QString WindowGroup::fileName() const
{
    return QStringLiteral("record-group-%1-%2").arg(view().groupNumber()).arg(view().rank());
}

QString WindowGroup::write(const QString& path) const
{
    return writePicture(path, view().picture(), view().pictureSize(),
        tr("record group (%1, %2)").arg(view().groupNumber()).arg(view().rank()), m_parts.origin());
}

std::optional<ViewExport> WindowGroup::inFront()
{
    if (!m_parts.isInspected(*m_panel) || !view().isOpen())
        return std::nullopt;
    const auto writeView = [this](const QString& path) {
        return isCsv(path) ? tr("The record group has no rows; choose .svg, .pdf or .png, or copy it as text (Alt+C).")
                           : write(path);
    };
    return ViewExport { fileName(), tr("Pictures (*.svg *.pdf *.png)"), writeView };
}

} // namespace lhrs::gui
