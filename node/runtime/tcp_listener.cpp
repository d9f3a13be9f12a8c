// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/tcp_listener.h"

#include "node/runtime/thread.h"

namespace lhrs {

TcpListener::TcpListener(TcpStreams& streams, Queue<Input>& inputs, FaultShim& faults, ThreadBook* threads)
    : m_thread(spawn("TCP Listening", [&streams, &inputs, &faults, threads](std::stop_token stop) {
        const ThreadMeter meter(threads, "TCP listening");
        Input input;
        std::string body;
        const auto take = [&](std::string& packet) {
            input.transport = pb::STREAM;
            input.bodyBegin = kHeaderBytes;
            input.bodySize = packet.size() - kEnvelopeBytes;
            input.bytes.swap(packet);
            if (inputs.tryPush(input))
                return true;
            input.bytes.swap(packet);
            return false;
        };
        const auto onFrame = [&](std::string& packet) {
            if (!faults.touches(FaultBook::Traffic))
                return take(packet);
            body.assign(packet, kHeaderBytes, packet.size() - kEnvelopeBytes);
            if (!faults.letIn(Envelope::senderOf(packet), pb::STREAM, body))
                return true;
            return take(packet);
        };
        streams.run(stop, onFrame, [&faults] {
            if (faults.touches(FaultBook::Pause))
                ThreadMeter::become(pb::NodeSample::IN_PAUSE);
            faults.waitWhilePaused();
            ThreadMeter::become(pb::NodeSample::IN_SOCKET);
        });
    }))
{
}

} // namespace lhrs
