// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

namespace lhrs::gui {

class ControlClient;
class Ingest;
class LocalCluster;
class WitnessBook;

// The objects of a watching program in the order of their lifetimes: the ZeroMQ context, the ingest thread, the
// control thread, the local processes. lhrs-play and the window each have one.
class Session {
public:
    // `courtesy`: the nice value of the local processes, which then give way to this program on a busy machine
    // (nice(1)).
    explicit Session(int courtesy = 0);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Ingest& ingest();
    ControlClient& control();
    LocalCluster& local();
    // Contents of servers that were read earlier for comparison; of the cluster watched now.
    WitnessBook& witnesses();

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace lhrs::gui
