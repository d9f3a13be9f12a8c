// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/tcp_listener.h"

#include "node/runtime/thread.h"

namespace lhrs {

TcpListener::TcpListener(TcpStreams& streams, Queue<Input>& inputs)
    : m_thread(spawn("TCP Listening", [&streams, &inputs](std::stop_token stop) {
        Input input;
        streams.run(stop, [&](std::string& packet) {
            input.transport = pb::STREAM;
            input.bodyBegin = kHeaderBytes;
            input.bodySize = packet.size() - kEnvelopeBytes;
            input.bytes.swap(packet);
            if (inputs.tryPush(input))
                return true;
            input.bytes.swap(packet);
            return false;
        });
    }))
{
}

} // namespace lhrs
