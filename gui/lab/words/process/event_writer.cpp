// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/words/process/event_writer.h"

#include "gui/lab/state/process/fault_sentences.h"
#include "gui/lab/state/process/sentence_words.h"
#include "gui/lab/words/process/process_words.h"

namespace lhrs::gui {

namespace {

// part_ack -> "part ack"
std::string spaced(std::string kind)
{
    for (char& c : kind)
        if (c == '_')
            c = ' ';
    return kind;
}

} // namespace

std::string EventWriter::who() const
{
    const std::string name = processShown(process, state);
    return name == "coordinator" ? "The coordinator" : name;
}

std::string EventWriter::other(ProcessId id) const { return processShown(id, state); }

std::string EventWriter::text() const
{
    using B = pb::Event;
    switch (static_cast<int>(event.body_case())) {
    case B::kProcessStarted: {
        const pb::ProcessInfo& p = event.process_started().process();
        return who() + (p.is_simulated() ? " is simulated." : " runs as process " + num(p.pid()) + ".");
    }
    case B::kRecruitingChanged:
        return std::string("Idle servers are now reached by ")
            + (event.recruiting_changed().transport() == pb::MULTICAST ? "multicast" : "the registry, one by one")
            + because(event.recruiting_changed().reason());
    case B::kOperationStarted: {
        const pb::OperationStarted& e = event.operation_started();
        return who() + " starts to " + operationWord(e.kind()) + " key " + num(e.key()) + ".";
    }
    case B::kOperationDone: {
        const pb::OperationDone& e = event.operation_done();
        return who() + ": " + operationWord(e.kind()) + " of key " + num(e.key()) + " is done ("
            + resultWord(e.result()) + ") after " + counted(e.forwards(), "step", "steps") + ", in "
            + millisecondsOf(e.time_ns()) + ".";
    }
    case B::kProcessEnded: return who() + " ends" + because(event.process_ended().reason());
    case B::kFaultBegun:
        return who() + " " + faultWords(event.fault_begun().fault(), process) + ": a fault on purpose.";
    case B::kFaultEnded: return who() + " " + endWords(event.fault_ended());
    case B::kMemoryFull: {
        const pb::MemoryFull& e = event.memory_full();
        const auto mib = [](std::uint64_t bytes) { return num(bytes >> 20) + " MiB"; };
        return !e.is_full() ? who() + " has memory for further records again: " + mib(e.left()) + " are left."
                            : who() + " is full: " + mib(e.left()) + " of " + mib(e.limit()) + " are left (" + e.bound()
                + "). It refuses what would make it grow; searches and deletes go on.";
    }
    case B::kGauges:
        return who() + " holds " + num(event.gauges().records()) + " records; " + num(event.gauges().unacknowledged())
            + " messages wait for an acknowledgement.";
    case B::kMessageSent: {
        const pb::MessageSent& e = event.message_sent();
        return who() + " sends " + spaced(e.kind()) + " to " + (e.to() != 0 ? other(e.to()) : "an address") + " by "
            + transportWord(e.transport()) + ", " + num(e.bytes()) + " bytes"
            + (e.tries() > 0 ? ", resend " + num(e.tries()) : "") + ".";
    }
    case B::kMessageReceived:
        return who() + " receives " + spaced(event.message_received().kind()) + " from "
            + other(event.message_received().from()) + ".";
    case B::kMessageDropped:
        return who() + " dropped " + counted(event.message_dropped().count(), "message", "messages")
            + because(event.message_dropped().reason());
    case B::kMessageGivenUp:
        return who() + " gives up " + spaced(event.message_given_up().kind()) + " to "
            + (event.message_given_up().to() != 0 ? other(event.message_given_up().to()) : "an address") + " after "
            + counted(event.message_given_up().tries(), "resend", "resends") + ".";
    case B::kWorkloadHeld:
        return who() + (event.workload_held().is_held() ? " begins no new operations" : " begins operations again")
            + because(event.workload_held().reason());
    case B::kGateClosed: return who() + " is gated: what arrives is held, and its clock stands still.";
    case B::kGateOpened: {
        const pb::GateOpened& e = event.gate_opened();
        return who() + " is no longer gated" + because(e.reason()) + " "
            + counted(e.held(), "message that was held is", "messages that were held are") + " delivered"
            + (e.released() > 0 ? ", " + num(e.released()) + " went through one by one" : "")
            + (e.dropped() > 0 ? ", " + num(e.dropped()) + " were lost" : "") + ".";
    }
    default: return {};
    }
}

} // namespace lhrs::gui
