// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_work.h"

#include "common/lhrs/linear_hash.h"
#include "gui/view/lhrs/cluster_layout.h"
#include "gui/view/paint/picture_export.h"
#include "gui/window/panels/image_panel.h"

#include <algorithm>
#include <array>
#include <set>

namespace lhrs::gui {

WindowWork::WindowWork(WindowParts& parts) : WindowSubject(parts)
{
    addClientActions();
    addClusterActions();
}

void WindowWork::addClientActions()
{
    Actions& a = m_parts.actions;
    a.add({ "insert", "Client", "Insert", "Ctrl+I", "The client inserts the chosen number of records with new keys" },
        [this] { work(pb::INSERT); });
    a.add({ "update", "Client", "Update", "Ctrl+U", "The client updates the chosen number of its records" },
        [this] { work(pb::UPDATE); });
    a.add({ "search", "Client", "Search", "Ctrl+F", "The client searches for the chosen number of its keys" },
        [this] { work(pb::SEARCH); });
    a.add({ "delete", "Client", "Delete", "Ctrl+D", "The client deletes the chosen number of its records" },
        [this] { work(pb::DELETE); });
    a.add({ "stopWorkload", "Client", "Stop", "Ctrl+Shift+X",
              "Stops what the client is doing; operations under way are still answered" },
        [this] { m_parts.commands.clients().stopWorkload(m_parts.client()); });
    a.add({ "secondClient", "Client", "Second client", "Ctrl+Shift+C",
              "Starts another client, which knows only bucket 0" },
        [this] { m_parts.commands.clients().start(); });
    a.add({ "imageAdjusting", "Client", "Image: adjusting", "Ctrl+Shift+1",
              "The client takes image adjustments, as LH* does" },
        [this] { m_parts.commands.clients().setImage(m_parts.client(), pb::ADJUSTING); });
    a.add({ "imageFrozen", "Client", "Image: frozen", "Ctrl+Shift+2",
              "The client counts image adjustments but never takes one" },
        [this] { m_parts.commands.clients().setImage(m_parts.client(), pb::FROZEN); });
    a.add({ "imageExact", "Client", "Image: exact", "Ctrl+Shift+3",
              "The client asks the coordinator before each operation" },
        [this] { m_parts.commands.clients().setImage(m_parts.client(), pb::EXACT); });
    a.add({ "forgetImage", "Client", "Forget the image", "Ctrl+Shift+F",
              "The client believes again that the file has one bucket" },
        [this] { m_parts.commands.clients().forgetImage(m_parts.client()); });
    a.add({ "tryKey", "Client", "Try a key …", "Alt+K",
              "Works out the path of a key by the client's image and by the file's state; nothing is sent" },
        [this] {
            m_parts.workspaces.open("imageDock", true);
            m_images->focusKey();
        });
    a.add({ "sendKey", "Client", "Search the tried key", "Alt+S", "The client searches for the key that is tried" },
        [this] {
            if (const auto key = m_images->key())
                m_parts.commands.clients().search(m_parts.client(), *key);
            else
                m_parts.line.answer(
                    tr("search"), tr("Write a key into the field “try a key” of the view Client image first."), false);
        });
    a.add({ "insertHere", "Client", "Insert here", "Alt+I",
              "The client inserts one new record whose key belongs in the selected bucket" },
        [this] { workHere(pb::INSERT); });
    a.add({ "searchHere", "Client", "Search here", "Alt+F",
              "The client searches for the selected record, or else for the first key of the selected bucket" },
        [this] { workHere(pb::SEARCH); });
}

void WindowWork::addClusterActions()
{
    Actions& a = m_parts.actions;
    a.add({ "split", "Cluster", "Split", "Ctrl+Shift+S",
              "Splits the bucket at the split pointer, as if a bucket had overflowed" },
        [this] { m_parts.commands.file().split(); });
    a.add({ "raiseK", "Cluster", "Raise K", "Ctrl+Shift+K", "Raises the intended availability of the file by one" },
        [this] { m_parts.commands.file().raiseAvailability(); });
    a.add({ "addParity", "Cluster", "Add parity", "Ctrl+Shift+P",
              "Gives the selected group (or group 0) one more parity bucket, up to K" },
        [this] { m_parts.commands.file().addParity(m_parts.group()); });
    a.add({ "audit", "Cluster", "Check parity", "Ctrl+Shift+A",
              "Checks that the parity of the selected group (or group 0) is what its data encode to" },
        [this] { m_parts.commands.audits().audit(m_parts.group()); });
    a.add({ "addSpares", "Cluster", "More spares", "Ctrl+Shift+N",
              "Starts two more data servers and one more parity server, which wait in their pools" },
        [this] { m_parts.commands.file().addSpares(2, 1); });
    const auto detail = [this](
                            pb::Detail level) { return [this, level] { m_parts.commands.link().setDetail(level); }; };
    a.add({ "detailFull", "Cluster", "Events: everything", "Ctrl+Alt+1",
              "Processes publish everything, messages included" },
        detail(pb::FULL));
    a.add({ "detailOperations", "Cluster", "Events: without messages", "Ctrl+Alt+2",
              "Processes publish operations and structure; messages are not observed" },
        detail(pb::OPERATIONS));
    a.add({ "detailSampled", "Cluster", "Events: 1 operation in 100", "Ctrl+Alt+3",
              "Processes publish everything of one operation in a hundred" },
        detail(pb::SAMPLED));
    a.add({ "detailRecords", "Cluster", "Events: changes in lists", "Ctrl+Alt+5",
              "Processes publish structure, and which records change, many in one event; for a file at full speed" },
        detail(pb::RECORDS));
    a.add({ "detailCounts", "Cluster", "Events: sums only", "Ctrl+Alt+4",
              "Processes publish structure and sums; for measurements" },
        detail(pb::COUNTS));
}

QWidget* WindowWork::makeBar() { return m_parts.workloads = new WorkloadBar(m_parts.actions); }

void WindowWork::build()
{
    m_images = new ImagePanel(m_parts.pacer, m_parts.selection, m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock("imageDock", tr("Client image"), m_images);
    m_parts.clock.add(&m_images->view(), m_images);
    connect(&m_parts.commands.clients(), &ClusterClients::started, this, [this](ProcessId client) {
        m_wanted = client; // a client that a person starts is the one to use next
        update();
        m_parts.enableActions();
    });
    connect(&m_parts.selection, &Selection::selectionChanged, this, [this] {
        if (m_parts.selection.selected().kind == ObjectKind::Client)
            m_parts.workloads->chooseClient(m_parts.selection.selected().a);
    });
}

void WindowWork::applyTheme()
{
    m_parts.workloads->setTheme(m_parts.theme);
    m_images->setTheme(m_parts.theme);
}

void WindowWork::enable()
{
    const Actions& a = m_parts.actions;
    const ClusterState& state = m_parts.pacer.state();
    const bool isHere = m_parts.isHere(), isOfLhrs = state.isOfLhrs();
    const bool hasClient = m_parts.isGoing() && m_parts.client() != 0;
    const bool mayStart = isHere && !m_parts.commands.link().scenarioRuns() && m_parts.commands.link().isLocal();
    a.enable({ "insert", "update", "search", "delete", "stopWorkload", "sendKey" }, hasClient);
    a.enable({ "imageAdjusting", "imageFrozen", "imageExact", "forgetImage" }, hasClient && isOfLhrs);
    a.enable({ "insertHere", "searchHere" }, hasClient && m_parts.selection.selected().kind == ObjectKind::Data);
    a.enable({ "split", "raiseK", "addParity", "audit" }, isHere && state.file.exists);
    a.enable({ "secondClient" }, mayStart);
    a.enable({ "addSpares" }, mayStart && isOfLhrs);
    a.enable({ "detailFull", "detailOperations", "detailSampled", "detailRecords", "detailCounts" }, isHere);
    a.enable({ "tryKey" }, m_parts.workspaces.showsWork() && isOfLhrs);
}

QString WindowWork::lineOf(const QString& action) const
{
    static constexpr std::array kKinds { std::pair("insert", pb::INSERT), std::pair("update", pb::UPDATE),
        std::pair("search", pb::SEARCH), std::pair("delete", pb::DELETE) };
    for (const auto& [id, kind] : kKinds)
        if (action == QLatin1String(id))
            return m_parts.commands.clients().lineOf(m_parts.client(), m_parts.workloads->work(kind));
    if (action == QLatin1String("split"))
        return QStringLiteral("lab.split();");
    if (action == QLatin1String("raiseK"))
        return QStringLiteral("lab.raiseAvailability(%1);").arg(m_parts.pacer.state().file.availability + 1);
    if (action == QLatin1String("addParity"))
        return QStringLiteral("lab.addParity(%1);").arg(m_parts.group());
    if (action == QLatin1String("audit"))
        return QStringLiteral("lab.audit(%1);").arg(m_parts.group());
    return action == QLatin1String("secondClient")
        ? QStringLiteral("lab.client('%1');").arg(m_parts.commands.clients().nextName())
        : QString();
}

std::pair<const QWidget*, std::string_view> WindowWork::explained() const
{
    const ImageView& images = m_images->view();
    const std::string_view part = images.underMouse()
        ? images.picture().termAt(images.mapFromGlobal(QPointF(QCursor::pos())))
        : std::string_view();
    return { m_images, part.empty() ? "client-image" : part };
}

std::optional<ViewExport> WindowWork::inFront()
{
    if (!m_parts.isInspected(*m_images))
        return std::nullopt;
    const auto write = [this](const QString& path) {
        if (isCsv(path))
            return tr("The images of the clients have no rows; choose .svg, .pdf or .png. Their operations are in the "
                      "recording.");
        const ImageView& images = m_images->view();
        return writePicture(path, images.picture(), images.size(), tr("clients' images"), m_parts.origin());
    };
    return ViewExport { QStringLiteral("images"), tr("Pictures (*.svg *.pdf *.png)"), write };
}

void WindowWork::update()
{
    std::vector<std::pair<ProcessId, QString>> clients;
    for (const ProcessId id : clientsOf(m_parts.pacer.state()))
        clients.emplace_back(id, QString::fromStdString(m_parts.pacer.state().processes.at(id).name));
    // A person regards a new coordinator as the same object as the previous one.
    if (const ObjectRef selected = m_parts.selection.selected();
        selected.kind == ObjectKind::Coordinator && selected.a != coordinatorOf(m_parts.pacer.state()))
        m_parts.selection.select({ ObjectKind::Coordinator, coordinatorOf(m_parts.pacer.state()), 0 });
    if (clients != m_clients) {
        m_clients = clients;
        m_parts.workloads->setClients(clients);
        // The client may have been selected before it was in the list.
        if (const ObjectRef selected = m_parts.selection.selected(); selected.kind == ObjectKind::Client)
            m_parts.workloads->chooseClient(selected.a);
    }
    if (m_wanted != 0 && std::any_of(clients.begin(), clients.end(), [this](const auto& client) {
            return client.first == m_wanted;
        })) {
        m_parts.workloads->chooseClient(m_wanted);
        m_wanted = 0;
    }
}

void WindowWork::work(pb::OperationKind kind)
{
    m_parts.commands.clients().run(m_parts.client(), m_parts.workloads->work(kind));
}

// Runs one operation at the selected bucket, with a key that belongs there according to the file state.
void WindowWork::workHere(pb::OperationKind kind)
{
    const ClusterState& state = m_parts.pacer.state();
    const ObjectRef object = m_parts.selection.selected();
    const auto bucket = state.data.find(std::uint32_t(object.a));
    if (object.kind != ObjectKind::Data || bucket == state.data.end()) {
        m_parts.line.answer(tr("work here"), tr("Select a data bucket first."), false);
        return;
    }
    if (kind == pb::SEARCH) {
        const std::vector<std::uint32_t> pages = bucket->second.ranks.pages();
        if (pages.empty())
            m_parts.line.answer(
                tr("search here"), tr("Bucket %1 has no record yet, as far as the events tell.").arg(object.a), false);
        else if (const std::uint32_t rank = m_parts.selection.chosenRank(); bucket->second.ranks.has(rank))
            m_parts.commands.clients().search(m_parts.client(), bucket->second.ranks.at(rank));
        else
            m_parts.commands.clients().search(
                m_parts.client(), bucket->second.ranks.inPage(pages.front()).front().second);
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
    m_parts.commands.clients().insert(m_parts.client(), key);
}

} // namespace lhrs::gui
