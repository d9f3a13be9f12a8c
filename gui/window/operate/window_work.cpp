// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/operate/window_work.h"

#include "gui/view/system/process_order.h"

#include <algorithm>
#include <array>

namespace lhrs::gui {

WindowWork::WindowWork(WindowParts& parts) : WindowSubject(parts)
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
              "Starts another client, which has not learned yet where records are" },
        [this] { m_parts.commands.clients().start(); });
}

QWidget* WindowWork::makeBar() { return m_parts.workloads = new WorkloadBar(m_parts.actions); }

void WindowWork::build()
{
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

void WindowWork::applyTheme() { m_parts.workloads->setTheme(m_parts.theme); }

void WindowWork::enable()
{
    const Actions& a = m_parts.actions;
    const bool hasClient = m_parts.isGoing() && m_parts.client() != 0;
    a.enable({ "insert", "update", "search", "delete", "stopWorkload" }, hasClient);
    a.enable({ "secondClient" }, m_parts.mayStart());
}

QString WindowWork::lineOf(const QString& action) const
{
    static constexpr std::array kKinds { std::pair("insert", pb::INSERT), std::pair("update", pb::UPDATE),
        std::pair("search", pb::SEARCH), std::pair("delete", pb::DELETE) };
    for (const auto& [id, kind] : kKinds)
        if (action == QLatin1String(id))
            return m_parts.commands.clients().lineOf(m_parts.client(), m_parts.workloads->work(kind));
    return action == QLatin1String("secondClient")
        ? QStringLiteral("lab.client('%1');").arg(m_parts.commands.clients().nextName())
        : QString();
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

} // namespace lhrs::gui
