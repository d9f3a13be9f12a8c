// SPDX-License-Identifier: GPL-3.0-or-later
// What each action of the main window does. The registry is in actions.h; names, keys and sentences are here.
#include "gui/window/main/main_window.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/words/sentences.h"
#include "gui/view/cluster/file_picture.h"
#include "gui/view/cluster/object_words.h"
#include "gui/window/subjects/window_clock.h"
#include "gui/window/subjects/window_export.h"
#include "gui/window/subjects/window_faults.h"
#include "gui/window/subjects/window_gate.h"
#include "gui/window/subjects/window_group.h"
#include "gui/window/subjects/window_inspect.h"
#include "gui/window/subjects/window_invariants.h"
#include "gui/window/subjects/window_measure.h"
#include "gui/window/subjects/window_records.h"
#include "gui/window/subjects/window_ring.h"
#include "gui/window/subjects/window_write.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QFile>
#include <QFileDialog>
#include <QGuiApplication>
#include <QInputDialog>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QScrollArea>
#include <QSpinBox>
#include <QStatusBar>

#include <algorithm>
#include <array>
#include <set>

namespace lhrs::gui {

void MainWindow::makeActions(const Options& options)
{
    Actions& a = *m_actions;
    a.add({ "startLocal", "File", "Start a cluster here", "Ctrl+N",
              "Starts processes on this computer with the parameters of the start page" },
        [this] {
            if (mayForgetRun())
                startLocal();
        });
    a.add(
        { "startSimulated", "File", "Start a simulated cluster", "Ctrl+Alt+S",
            "Starts one process that simulates all others on a virtual clock, with the parameters of the start page" },
        [this] {
            if (mayForgetRun())
                startSimulated(m_start->simulatedOptions());
        });
    a.add({ "connect", "File", "Connect to a coordinator …", "Ctrl+Shift+O", "Watches a cluster that runs already" },
        [this] {
            bool isGiven = false;
            const QString address = QInputDialog::getText(this, tr("Connect"),
                tr("Control endpoint of the coordinator, HOST:PORT"), QLineEdit::Normal, QStringLiteral("127.0.0.1:"),
                &isGiven);
            if (isGiven && mayForgetRun())
                connectTo(address.trimmed());
        });
    a.add({ "openScenario", "File", "Open scenario …", "Ctrl+O",
              "Loads a scenario and stops before its first step; while one is written, it is only opened" },
        [this] { askForScenario(); });
    m_export = new WindowExport(m_parts, m_subjects);
    a.add({ "leave", "File", "Leave the cluster", "Ctrl+W",
              "Goes back to the start page; a scenario that runs is stopped, and processes of this window end" },
        [this] { leaveCluster(); });
    a.add({ "quit", "File", "Quit", "Ctrl+Q", "Closes the window; processes of this window end" }, [this] { close(); });
    makeWorkActions();
    m_faults = new WindowFaults(m_parts);
    makeViewActions();
    m_group = new WindowGroup(m_parts);
    m_records = new WindowRecords(m_parts, *m_group);
    auto* invariants = new WindowInvariants(m_parts);
    m_write = new WindowWrite(m_parts, { options.scenarioDirectory, options.unsavedDirectory });
    m_measure = new WindowMeasure(m_parts);
    makeTimeActions();
    auto* clock = new WindowClock(m_parts);
    makePresentActions();
    m_inspect = new WindowInspect(m_parts);
    m_gate = new WindowGate(m_parts, *m_inspect, *clock);
    m_ring = new WindowRing(m_parts);
    // In the order of the status line.
    m_subjects = { m_gate, invariants, m_write, m_faults, m_group, m_records, m_measure, clock, m_inspect, m_ring,
        m_export };
    a.add({ "runScenario", "Scenario", "Run to the end", "Ctrl+R", "Runs the scenario without stopping at its steps" },
        [this] { m_player->runToEnd(); });
    a.add({ "stopScenario", "Scenario", "Stop the scenario", "Ctrl+.", "Ends the scenario; the cluster stays up" },
        [this] { stopScenario(AfterStop::ShowNow); });
    a.add({ "keySheet", "Help", "Keys and actions", "?; F1", "Shows every action with its key" }, [this] {
        KeySheet sheet(*m_actions, this);
        sheet.exec();
    });
    a.add({ "findAction", "Help", "Find an action …", "Ctrl+K", "Finds an action by its words" }, [this] {
        ActionFinder finder(*m_actions, this);
        finder.exec();
    });
    makeGlossaryActions();
    a.add({ "about", "Help", "About", "", "Says what this is and under which licence" }, [this] {
        QMessageBox::about(this, tr("LHRS Lab"),
            tr("LHRS Lab %1: a window onto a real LH*RS file.\nScalable distributed data structure with Reed-Solomon "
               "parity.\nGPL-3.0-or-later.")
                .arg(QStringLiteral(LHRS_VERSION)));
    });
    a.beginSections({ "openScenario", "leave", "openRecording", "newScenario", "exportTables", "imageAdjusting",
        "tryKey", "audit", "addSpares", "joinRing", "detailFull", "find", "present", "invariants", "write",
        "nodeInspector", "heldMessages", "slower", "theme", "projector", "fontLarger", "byHost", "groupForward",
        "groupBase", "supposeLost", "takeWitness", "recordWitness", "recordCopy", "cutOff", "heal", "faultPanel",
        "recover", "playPause", "stepForward", "timeFaster", "marker", "holdWorkload", "findText" });
    // Actions that cannot be undone: each ends or breaks something that existed.
    a.markDestructive({ "leave", "quit", "delete", "stopScenario", "kill", "restart", "armFault", "acknowledgeLoss",
        "startLocal", "startSimulated", "forgetImage", "closeRecording" });
}

void MainWindow::makeWorkActions()
{
    Actions& a = *m_actions;
    a.add({ "insert", "Client", "Insert", "Ctrl+I", "The client inserts so many records with new keys" },
        [this] { work(pb::INSERT); });
    a.add({ "update", "Client", "Update", "Ctrl+U", "The client updates so many of its records" },
        [this] { work(pb::UPDATE); });
    a.add({ "search", "Client", "Search", "Ctrl+F", "The client searches so many of its keys" },
        [this] { work(pb::SEARCH); });
    a.add({ "delete", "Client", "Delete", "Ctrl+D", "The client deletes so many of its records" },
        [this] { work(pb::DELETE); });
    a.add({ "stopWorkload", "Client", "Stop", "Ctrl+Shift+X",
              "Stops what the client is doing; operations under way are still answered" },
        [this] { m_commands->stopWorkload(m_parts.client()); });
    a.add({ "secondClient", "Client", "Second client", "Ctrl+Shift+C",
              "Starts a further client, which knows bucket 0 only" },
        [this] { m_commands->startClient(); });
    a.add({ "imageAdjusting", "Client", "Image: adjusting", "Ctrl+Shift+1",
              "The client takes image adjustments, as LH* does" },
        [this] { m_commands->setImage(m_parts.client(), pb::ADJUSTING); });
    a.add({ "imageFrozen", "Client", "Image: frozen", "Ctrl+Shift+2",
              "The client counts image adjustments but never takes one" },
        [this] { m_commands->setImage(m_parts.client(), pb::FROZEN); });
    a.add({ "imageExact", "Client", "Image: exact", "Ctrl+Shift+3",
              "The client asks the coordinator before each operation" },
        [this] { m_commands->setImage(m_parts.client(), pb::EXACT); });
    a.add({ "forgetImage", "Client", "Forget the image", "Ctrl+Shift+F", "The client believes in one bucket again" },
        [this] { m_commands->forgetImage(m_parts.client()); });
    a.add({ "tryKey", "Client", "Try a key …", "Alt+K",
              "Works out the way of a key by the client's image and by the file's state; nothing is sent" },
        [this] {
            m_workspaces->open("imageDock", true);
            m_imagePanel->focusKey();
        });
    a.add(
        { "sendKey", "Client", "Search the tried key", "Alt+S", "The client searches the key that is tried" }, [this] {
            if (const auto key = m_imagePanel->key())
                m_commands->search(m_parts.client(), *key);
            else
                m_line->answer(
                    tr("search"), tr("Write a key into the field “try a key” of the view Client image first."), false);
        });
    a.add({ "insertHere", "Client", "Insert here", "Alt+I",
              "The client inserts one new record whose key belongs into the selected bucket" },
        [this] { workHere(pb::INSERT); });
    a.add({ "searchHere", "Client", "Search here", "Alt+F",
              "The client searches the selected record, or else the first key of the selected bucket" },
        [this] { workHere(pb::SEARCH); });
    a.add({ "split", "Cluster", "Split", "Ctrl+Shift+S",
              "Splits the bucket at the split pointer, as if a bucket had overflowed" },
        [this] { m_commands->split(); });
    a.add({ "raiseK", "Cluster", "Raise K", "Ctrl+Shift+K", "Raises the intended availability of the file by one" },
        [this] { m_commands->raiseAvailability(); });
    a.add({ "addParity", "Cluster", "Add parity", "Ctrl+Shift+P",
              "Gives the selected group (or group 0) one parity bucket more, up to K" },
        [this] { m_commands->addParity(m_parts.group()); });
    a.add({ "audit", "Cluster", "Check parity", "Ctrl+Shift+A",
              "Checks that the parity of the selected group (or group 0) is what its data encode to" },
        [this] { m_commands->audit(m_parts.group()); });
    a.add({ "addSpares", "Cluster", "More spares", "Ctrl+Shift+N",
              "Starts two further data servers and one parity server, which wait in their pools" },
        [this] { m_commands->addSpares(2, 1); });
    const auto detail = [this](pb::Detail level) { m_commands->setDetail(level); };
    a.add({ "detailFull", "Cluster", "Events: everything", "Ctrl+Alt+1",
              "Processes publish everything, messages included" },
        [detail] { detail(pb::FULL); });
    a.add({ "detailOperations", "Cluster", "Events: without messages", "Ctrl+Alt+2",
              "Processes publish operations and structure; messages are not observed" },
        [detail] { detail(pb::OPERATIONS); });
    a.add({ "detailSampled", "Cluster", "Events: 1 operation in 100", "Ctrl+Alt+3",
              "Processes publish everything of one operation in a hundred" },
        [detail] { detail(pb::SAMPLED); });
    a.add({ "detailRecords", "Cluster", "Events: changes in lists", "Ctrl+Alt+5",
              "Processes publish which records change, many in one event, and structure; for a file at full speed" },
        [detail] { detail(pb::RECORDS); });
    a.add({ "detailCounts", "Cluster", "Events: sums only", "Ctrl+Alt+4",
              "Processes publish structure and sums; for measurements" },
        [detail] { detail(pb::COUNTS); });
}

void MainWindow::makeViewActions()
{
    Actions& a = *m_actions;
    a.add({ "lecture", "View", "Lecture", "Ctrl+1", "The picture and the caption, nothing else", true },
        [this] { setWorkspace(Workspace::Lecture); });
    a.add({ "inspect", "View", "Inspect", "Ctrl+2",
              "The picture with bucket, client image, record group, node, event log and scenario beside it", true },
        [this] { m_workspaces->inspect(); });
    a.add({ "fit", "View/Picture", "Fit", "0", "Shows the whole file" }, [this] { m_canvas->fit(); });
    a.add({ "fitSelection", "View/Picture", "Fit the selection", "Shift+0",
              "Shows what is selected, large enough to read" },
        [this] { m_canvas->fitTo(m_selection->selected()); });
    a.add({ "zoomIn", "View/Picture", "Zoom in", "Z", "Shows the buckets larger; more of them is drawn" },
        [this] { m_canvas->zoomIn(); });
    a.add({ "zoomOut", "View/Picture", "Zoom out", "Shift+Z", "Shows the buckets smaller" },
        [this] { m_canvas->zoomOut(); });
    a.add({ "find", "View", "Find …", "/", "Finds a bucket, a process or a key: 5, parity 1.0, alice, key 4711" },
        [this] { askForObject(); });
    a.add(
        { "byHost", "View/Picture", "By host and process", "G",
            "Draws all servers of a host side by side, in the order of their names; once more: by bucket group", true },
        [this] {
            auto& file = m_canvas->viewOf<FilePicture>();
            file.setArrangement(
                m_actions->get("byHost")->isChecked() ? Arrangement::Hosts : Arrangement::Groups, file.areColumns());
        });
    a.add({ "asColumns", "View/Picture", "Groups as columns", "Shift+G",
              "Draws each bucket group as a column; once more: as a row", true },
        [this] {
            auto& file = m_canvas->viewOf<FilePicture>();
            file.setArrangement(file.arrangement(), m_actions->get("asColumns")->isChecked());
        });
    a.add({ "copyLine", "View", "Copy as scenario words", "Ctrl+Shift+L",
              "Copies what is selected as a scenario names it: lab.data(5)" },
        [this] {
            const QString words = m_selection->selected() ? m_parts.target() : QString();
            QApplication::clipboard()->setText(words);
            m_line->answer(tr("copy"),
                words.isEmpty() ? tr("Select a bucket or a process first.") : tr("%1 is copied").arg(words),
                !words.isEmpty());
        });
    a.add({ "nextView", "View", "Next view", "F6", "Moves the focus to the next view" }, [this] {
        m_workspaces->focusNext({ m_canvas, m_parts.workloads->countBox() });
    });
    // Not every desktop maps this shortcut to the context menu; the menu key itself arrives as an event of the desktop.
    a.add({ "contextMenu", "View", "Menu of the selection", "Shift+F10",
              "Opens the menu of what is selected, as the menu key does" },
        [this] {
            QWidget* at = QApplication::focusWidget() ? QApplication::focusWidget() : m_canvas;
            QContextMenuEvent wanted(
                QContextMenuEvent::Keyboard, at->rect().center(), at->mapToGlobal(at->rect().center()));
            QApplication::sendEvent(at, &wanted);
        });
    const auto layer = [this, &a](const char* id, const char* name, const char* key, const char* sentence,
                           bool Layers::*member) {
        a.add({ id, "View/Layers", name, key, sentence, true }, [this, member] {
             Layers layers = m_canvas->layers();
             layers.*member = !(layers.*member);
             m_canvas->setLayers(layers);
         })->setChecked(true);
    };
    layer("layerMessages", "Messages", "Shift+M", "Draws messages and records on their way", &Layers::messages);
    layer(
        "layerDeltas", "Deltas", "D", "Draws deltas to the parity buckets and their acknowledgements", &Layers::deltas);
    layer("layerRanks", "Ranks", "Shift+R", "Draws the records of each bucket by rank", &Layers::ranks);
    layer("layerLabels", "Labels", "L", "Writes numbers and names on the buckets", &Layers::labels);
    layer("layerSpares", "Spares", "Shift+S", "Draws the two pools of spare servers", &Layers::spares);
    layer("layerFaults", "Faults", "Shift+F", "Draws faults on purpose: partitions, links, badges", &Layers::faults);
    layer("layerLegend", "Legend", "Shift+L", "Explains the kinds of messages below the picture", &Layers::legend);
    a.add({ "slower", "View/Look", "Show slower", ",",
              "All that moves takes twice the time; how fast it is stands in the time bar" },
        [this] { changeSpeed(0.5); });
    a.add({ "faster", "View/Look", "Show faster", ";",
              "All that moves takes half the time; how fast it is stands in the time bar" },
        [this] { changeSpeed(2); });
    a.add({ "reducedMotion", "View/Look", "Reduced motion", "Ctrl+Shift+M",
              "Nothing travels and nothing pulses; what changes fades over", true },
        [this] {
            m_canvas->setReducedMotion(m_actions->get("reducedMotion")->isChecked());
            keepLooks();
        });
    a.add({ "theme", "View/Look", "Light or dark", "T", "Changes between light and dark" },
        [this] { setThemeChoice(m_parts.theme.isDark() ? ThemeChoice::Light : ThemeChoice::Dark); });
    a.add({ "highContrast", "View/Look", "High contrast", "Ctrl+H",
              "Black on white, or white on black: nothing is said by a shade of grey", true },
        [this] { setHighContrast(!looks().isHighContrast); });
    a.add({ "thickLines", "View/Look", "Thick lines", "Ctrl+T", "All lines and outlines are drawn thicker", true },
        [this] { setThickLines(!looks().hasThickLines); });
    a.add({ "projector", "View/Look", "Projector", "P",
              "150 %, light, thick lines, fewer layers, for a large hall; once more: back", true },
        [this] { setProjector(!m_hall); });
    a.add({ "fontLarger", "View/Look", "Larger text", "Ctrl++; Ctrl+=", "Makes all text larger, up to 250 %" },
        [this] { setFontScale(fontScale() + 0.1); });
    a.add({ "fontSmaller", "View/Look", "Smaller text", "Ctrl+-", "Makes all text smaller, down to 80 %" },
        [this] { setFontScale(fontScale() - 0.1); });
    a.add({ "fontNormal", "View/Look", "Normal text", "Ctrl+0", "Text at 100 %" }, [this] { setFontScale(1); });
}

// ---- conditions of the actions

void MainWindow::work(pb::OperationKind kind) { m_commands->run(m_parts.client(), m_parts.workloads->work(kind)); }

// Runs one operation at the selected bucket, with a key that belongs there according to the file state.
void MainWindow::workHere(pb::OperationKind kind)
{
    const ClusterState& state = m_pacer.state();
    const ObjectRef object = m_selection->selected();
    const auto bucket = state.data.find(std::uint32_t(object.a));
    if (object.kind != ObjectKind::Data || bucket == state.data.end()) {
        m_line->answer(tr("work here"), tr("Select a data bucket first."), false);
        return;
    }
    if (kind == pb::SEARCH) {
        const std::vector<std::uint32_t> pages = bucket->second.ranks.pages();
        if (pages.empty())
            m_line->answer(
                tr("search here"), tr("Bucket %1 has no record yet, as far as events told.").arg(object.a), false);
        else if (const std::uint32_t rank = m_selection->chosenRank(); bucket->second.ranks.has(rank))
            m_commands->search(m_parts.client(), bucket->second.ranks.at(rank));
        else
            m_commands->search(m_parts.client(), bucket->second.ranks.inPage(pages.front()).front().second);
        return;
    }
    // Keys in a bucket of level j are equal modulo 2^j; this takes the first one that is not stored, as far as events
    // have reported.
    std::set<std::uint64_t> used;
    for (const std::uint32_t page : bucket->second.ranks.pages())
        for (const auto& [rank, key] : bucket->second.ranks.inPage(page))
            used.insert(key);
    const std::uint64_t mask = (1ULL << bucket->second.level) - 1;
    const auto addressed = [&](std::uint64_t key) {
        return state.file.config.mix_keys() ? mix64(Key(key)).value : key;
    };
    std::uint64_t key = 1;
    while ((addressed(key) & mask) != object.a || used.contains(key))
        ++key;
    m_commands->insert(m_parts.client(), key);
}

// Previews the scenario line of an action while the mouse is over it.
void MainWindow::previewOf(const QAction* action)
{
    const QString id = action && action->isEnabled() ? action->objectName() : QString();
    static constexpr std::array kKinds { std::pair("insert", pb::INSERT), std::pair("update", pb::UPDATE),
        std::pair("search", pb::SEARCH), std::pair("delete", pb::DELETE) };
    const auto kind = std::find_if(
        kKinds.begin(), kKinds.end(), [&](const auto& k) { return id == QLatin1String(k.first); });
    QString line;
    if (kind != kKinds.end())
        line = m_commands->lineOf(m_parts.client(), m_parts.workloads->work(kind->second));
    else if (id == QLatin1String("split"))
        line = QStringLiteral("lab.split();");
    else if (id == QLatin1String("raiseK"))
        line = QStringLiteral("lab.raiseAvailability(%1);").arg(m_pacer.state().file.availability + 1);
    else if (id == QLatin1String("addParity"))
        line = QStringLiteral("lab.addParity(%1);").arg(m_parts.group());
    else if (id == QLatin1String("audit"))
        line = QStringLiteral("lab.audit(%1);").arg(m_parts.group());
    else if (id == QLatin1String("secondClient"))
        line = QStringLiteral("lab.client('%1');").arg(m_commands->nextClientName());
    for (const WindowSubject* subject : m_subjects)
        if (line.isEmpty())
            line = subject->lineOf(id);
    m_line->preview(line);
}

void MainWindow::askForObject()
{
    bool isGiven = false;
    const QString words = QInputDialog::getText(this, tr("Find"),
        tr("A bucket, a process or a key: 5, parity 1.0, node-3, alice, key 4711"), QLineEdit::Normal, {}, &isGiven);
    if (isGiven && !m_canvas->findObject(words))
        m_line->answer(tr("find %1").arg(words),
            tr("There is no such bucket or process, and no bucket holds such a key as far as events told."), false);
}

// ---- requests of the canvas

void MainWindow::showMenu(ObjectRef object, QPoint at)
{
    QMenu menu(this);
    const QString name = object      ? m_canvas->view().nameOf(m_pacer.state(), object)
        : m_pacer.state().isOfLhrs() ? tr("file")
                                     : tr("ring");
    menu.setObjectName(QStringLiteral("objectMenu"));
    m_parts.endPreviewWith(menu);
    menu.addSection(name);
    enableActions(); // for the object that is selected now
    const auto offer = [&](const char* id) { menu.addAction(m_actions->get(id)); };
    const auto offerFaults = [&] {
        if (m_commands->isGated())
            m_gate->offer(menu);
        for (const char* id : { "kill", "pause", "resume", "restart" })
            offer(id);
        menu.addSeparator();
        for (const char* id : { "cutOff", "loseSome", "delayMessages", "heal", "faultPanel" })
            offer(id);
    };
    switch (object.kind) {
    case ObjectKind::Data:
    case ObjectKind::Parity:
        offer("recordGroup");
        connect(menu.addAction(tr("Show the contents")), &QAction::triggered, this,
            [this, object] { m_inspect->inspect(object); });
        offer("fitSelection");
        offer("copyLine");
        menu.addSeparator();
        if (object.kind == ObjectKind::Data) {
            offer("insertHere");
            offer("searchHere");
            offer("split");
            menu.addSeparator();
        }
        offerFaults();
        menu.addSeparator();
        offer("addParity");
        offer("audit");
        offer("recover");
        break;
    case ObjectKind::Node:
        m_ring->offer(menu, object);
        offerFaults();
        break;
    case ObjectKind::Displaced: offerFaults(); break;
    case ObjectKind::Group:
        for (const char* id : { "addParity", "audit", "recover", "acknowledgeLoss" })
            offer(id);
        break;
    case ObjectKind::Client:
        connect(menu.addAction(tr("Show its image")), &QAction::triggered, this,
            [this, object] { m_inspect->inspect(object); });
        menu.addSeparator();
        for (const char* id : { "insert", "update", "search", "delete", "stopWorkload", "imageAdjusting", "imageFrozen",
                 "imageExact", "forgetImage" })
            offer(id);
        menu.addSeparator();
        offerFaults();
        break;
    case ObjectKind::Spare:
        offerFaults();
        menu.addSeparator();
        offer("addSpares");
        break;
    case ObjectKind::Pool: offer("addSpares"); break;
    case ObjectKind::Coordinator:
        if (!m_pacer.state().isOfLhrs())
            m_ring->offer(menu, object);
        offerFaults();
        menu.addSeparator();
        for (const char* id : { "split", "raiseK" })
            offer(id);
        break;
    case ObjectKind::Fault:
        for (const char* id : { "heal", "healAll", "faultPanel" })
            offer(id);
        break;
    case ObjectKind::None:
    case ObjectKind::Dummy:
    case ObjectKind::File:
    case ObjectKind::Message:
        if (!m_pacer.state().isOfLhrs())
            m_ring->offer(menu, object);
        for (const char* id : { "split", "raiseK", "secondClient", "addSpares", "fit" })
            offer(id);
        break;
    }
    menu.addSeparator();
    connect(menu.addAction(tr("Only this place in the event log")), &QAction::triggered, this, [this, object] {
        m_canvas->choose(object);
        setWorkspace(Workspace::Inspect);
    });
    menu.exec(at);
}

// Another system is shown: panels of the former one make room.
void MainWindow::followSystem()
{
    const bool isGone = workspace() == Workspace::Invariants && !m_pacer.state().isOfLhrs();
    setWorkspace(isGone ? Workspace::Lecture : workspace());
    enableActions();
}

// ---- requests of the scenario

void MainWindow::applyCamera(const CameraWish& wish)
{
    const Workspace before = workspace();
    pointCamera(wish);
    if (workspace() != before && !m_workspaceOfReel)
        m_workspaceOfReel = before;
}

void MainWindow::pointCamera(const CameraWish& wish)
{
    const bool isPlace = !wish.fit.isEmpty() && wish.fit != QLatin1String("file")
        && wish.fit != QLatin1String("spares");
    std::vector<ObjectRef> places;
    if (isPlace)
        for (const QString& name : wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts))
            places.push_back(m_parts.objectNamed(name));
    const ObjectRef looked = places.empty() ? ObjectRef() : places.front();
    if (looked.kind == ObjectKind::Client)
        m_canvas->choose(looked); // selects the client whose image is shown
    else if (isPlace && wish.view.isEmpty())
        m_canvas->fitTo(places), m_isNearOfReel = true;
    else if (!wish.fit.isEmpty())
        m_canvas->fit();
    Layers layers = m_canvas->layers();
    static const std::array kLayers { std::pair("messages", &Layers::messages), std::pair("deltas", &Layers::deltas),
        std::pair("ranks", &Layers::ranks), std::pair("labels", &Layers::labels), std::pair("spares", &Layers::spares),
        std::pair("legend", &Layers::legend), std::pair("faults", &Layers::faults) };
    for (const auto& [name, member] : kLayers) {
        if (const auto wanted = wish.layers.find(QLatin1String(name)); wanted != wish.layers.end())
            layers.*member = wanted->second;
    }
    m_canvas->setLayers(layers);
    if (workspace() == Workspace::Write)
        return; // in this workspace the text must stay visible
    static const std::array kPages { std::pair("update", GroupPage::Update), std::pair("decode", GroupPage::Decode),
        std::pair("compare", GroupPage::Compare) };
    const auto page = std::find_if(
        kPages.begin(), kPages.end(), [&](const auto& p) { return wish.view == QLatin1String(p.first); });
    if (wish.view == QLatin1String("records") || wish.view == QLatin1String("image")) {
        const bool isImage = wish.view == QLatin1String("image");
        m_workspaces->open(isImage ? "imageDock" : "bucketDock", isImage);
        if (wish.view == QLatin1String("records") && looked)
            m_selection->select(looked);
    }
    if (wish.view == QLatin1String("node")) {
        if (!wish.fit.isEmpty()) // the processes side by side
            m_inspect->inspectNodes(wish.fit.split(QLatin1Char(','), Qt::SkipEmptyParts));
        else
            m_actions->get("nodeInspector")->trigger();
    }
    const std::uint32_t m = m_pacer.state().m();
    const bool isMember = wish.group && looked.kind == ObjectKind::Data && m > 0 && looked.a / m == *wish.group;
    if (page != kPages.end() && wish.group && wish.rank) {
        m_group->view().setPage(page->second);
        m_group->open(isMember ? looked : ObjectRef { ObjectKind::Group, *wish.group, 0 }, *wish.rank);
        m_group->view().showStage(wish.stage);
    } else if (wish.group && wish.rank) {
        m_selection->select(isMember && wish.view == QLatin1String("records")
                ? looked
                : ObjectRef { ObjectKind::Parity, *wish.group, 0 });
        m_selection->setRank(*wish.rank);
        m_isNearOfReel = true;
    }
}

} // namespace lhrs::gui
