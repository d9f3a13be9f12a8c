// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/cluster_clients.h"

namespace lhrs::gui {

// What only clients of a file do: operations on one key, and their images.
class FileClients {
public:
    FileClients(const CommandContext& context, const ClusterLink& link, const ClusterClients& clients)
        : m_context(context), m_link(link), m_clients(clients)
    {
    }

    // Searches this key once; the reply adjusts the image like any other reply.
    void search(ProcessId client, std::uint64_t key);
    // Inserts one new record with this key.
    void insert(ProcessId client, std::uint64_t key);
    void setImage(ProcessId client, pb::ImageMode mode);
    void forgetImage(ProcessId client);

private:
    CommandContext m_context;
    const ClusterLink& m_link;
    const ClusterClients& m_clients;
};

} // namespace lhrs::gui
