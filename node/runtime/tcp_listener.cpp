// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/tcp_listener.h"

#include "common/wire.h"
#include "node/runtime/thread.h"

namespace lhrs {

TcpListener::TcpListener(
    TcpStreams& streams, Queue<Input>& inputs, FaultShim& faults, bool hasKeys, ThreadBook* threads)
    : m_thread(spawn("TCP Listening", [&streams, &inputs, &faults, hasKeys, threads](std::stop_token stop) {
          const ThreadMeter meter(threads, "TCP listening");
          Input input;
          const auto push = [&](std::string& bytes, std::size_t bodyBegin, std::size_t bodySize, std::string& block) {
              input.transport = pb::STREAM;
              input.bodyBegin = bodyBegin;
              input.bodySize = bodySize;
              input.bytes.swap(bytes);
              input.block.swap(block);
              if (inputs.tryPush(input))
                  return true;
              input.bytes.swap(bytes);
              input.block.swap(block);
              return false;
          };
          const auto onFrame = [&](std::string& packet, std::string& block) {
              const std::size_t bodySize = packet.size() - kEnvelopeBytes;
              input.sealedBy = hasKeys ? std::optional(Envelope::senderOf(packet)) : std::nullopt;
              if (!faults.touches(FaultBook::Traffic))
                  return push(packet, kHeaderBytes, bodySize, block);
              std::string body(packet, kHeaderBytes, bodySize);
              if (!block.empty()) {
                  auto joined = joinBlock(body, std::string(block));
                  if (!joined)
                      // The receiver will report what is wrong with the frame.
                      return push(packet, kHeaderBytes, bodySize, block);
                  body = std::move(*joined);
              }
              std::string none;
              return !faults.letIn(Envelope::senderOf(packet), pb::STREAM, body) || push(body, 0, body.size(), none);
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
