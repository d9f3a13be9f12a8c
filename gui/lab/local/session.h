// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

namespace lhrs::gui {

class ControlClient;
class Ingest;
class LocalCluster;
class WitnessBook;

// What a program on the watching side owns, in the order of lifetimes: the ZeroMQ context, the ingest thread, the
// control thread, the local processes. lhrs-play and the window each have one.
class Session {
public:
    // `courtesy`: by how much the local processes give way to this program when the processors are busy (nice(1)).
    explicit Session(int courtesy = 0);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Ingest& ingest();
    ControlClient& control();
    LocalCluster& local();
    // Contents that were read before something happened; of the cluster that is watched now.
    WitnessBook& witnesses();

private:
    struct Parts;
    std::unique_ptr<Parts> m_parts;
};

} // namespace lhrs::gui
