// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "node/process/thread_meter.h"
#include "node/runtime/input.h"
#include "node/runtime/queue.h"
#include "node/transport/fault_shim.h"
#include "node/transport/tcp_streams.h"

#include <thread>

namespace lhrs {

// The TCP Listening Thread of the demo paper's figure 2: accepts and serves several connections, writes data that is
// waiting for receivers, and passes frames to the working threads. While their queue is full, it does not read.
class TcpListener {
public:
    // `hasKeys`: the sender of each frame is certain.
    TcpListener(TcpStreams& streams, Queue<Input>& inputs, FaultShim& faults, bool hasKeys, ThreadBook* threads);

private:
    std::jthread m_thread;
};

} // namespace lhrs
