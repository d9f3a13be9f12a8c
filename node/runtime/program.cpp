// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/runtime/program.h"

#include "common/open_files.h"
#include "node/process/heap.h"
#include "node/process/lifetime.h"
#include "node/runtime/runtime.h"

#include <spdlog/spdlog.h>

#include <cstdio>
#include <random>

namespace lhrs {

int runProgram(
    const ProcessOptions& options, pb::ProcessKind kind, pb::Role pool, const MakeMachine& make, ProgramPart* part)
{
    openLog(options);
    keepFreedMemory();
    raiseOpenFiles(); // a large file needs a stream to each process
    const Descriptor signals(openSignals());
    if (options.diesWithParent && !dieWithParent())
        return kExitClean;

    RuntimeOptions wanted;
    wanted.kind = kind;
    wanted.system = options.system;
    wanted.name = options.name;
    wanted.pool = pool;
    wanted.key = options.key;
    wanted.listen = options.listen;
    wanted.coordinator = options.coordinator;
    wanted.eventsPort = options.eventsPort;
    wanted.controlPort = options.controlPort;
    wanted.workingThreads = options.workingThreads;
    wanted.hasGate = options.hasGate;
    wanted.allowsFaults = options.allowsFaults;
    wanted.memory = options.memory;
    auto runtime = Runtime::open(wanted);
    if (!runtime) {
        spdlog::error("{}", runtime.error().text);
        return kExitFailed;
    }
    if (part != nullptr) {
        if (const auto opened = part->open(); !opened) {
            spdlog::error("{}", opened.error().text);
            return kExitFailed;
        }
    }
    const pb::ProcessInfo& self = (*runtime)->self();
    std::random_device device;
    (*runtime)->start(make(self, (*runtime)->coordinator(), std::uint64_t(device()) << 32 | device()), part);
    const Address address = Address::from(self.address());
    std::printf("ready %s udp=%s tcp=%s control=%s events=%s%s\n", self.name().c_str(),
        textOf(Endpoint { address.ip, address.udpPort }).c_str(),
        textOf(Endpoint { address.ip, address.tcpPort }).c_str(), self.control_endpoint().c_str(),
        self.events_endpoint().c_str(), part != nullptr ? part->readyWords().c_str() : "");
    std::fflush(stdout);

    const Ending ending = (*runtime)->run(signals.get());
    if (ending.exitCode == kExitClean)
        spdlog::info("{}", ending.reason);
    else
        spdlog::error("{}", ending.reason);
    return ending.exitCode;
}

} // namespace lhrs
