// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/local/lhrs/file_lines.h"

#include "common/number_words.h"

#include <string>
#include <utility>
#include <vector>

namespace lhrs::gui {

namespace {

std::vector<std::string> fileArguments(const pb::FileConfig& c)
{
    std::vector<std::string> arguments { "-m", std::to_string(c.m()), "-k", std::to_string(c.availability()), "-b",
        std::to_string(c.b()), "--field", c.field() == pb::GF_8 ? "8" : "16" };
    if (c.rerank() == pb::KEEP)
        arguments.insert(arguments.end(), { "--rerank", "keep" });
    arguments.insert(arguments.end(),
        { "--recovery",
            c.recovery() == pb::RECOVERY_AUTOMATIC      ? "automatic"
                : c.recovery() == pb::RECOVERY_ON_ALARM ? "alarm"
                : c.recovery() == pb::RECOVERY_MANUAL   ? "manual"
                                                        : "off" });
    if (c.slice() != 0)
        arguments.insert(arguments.end(), { "--slice", std::to_string(c.slice()) });
    if (c.decode() == pb::DECODE_RS)
        arguments.insert(arguments.end(), { "--decode", "rs" });
    if (c.recovery_transport() == pb::RECOVERY_UDP)
        arguments.insert(arguments.end(), { "--recovery-transport", "udp" });
    if (c.tcp_mode() == pb::TCP_HANDSHAKE)
        arguments.insert(arguments.end(), { "--tcp", "handshake" });
    if (c.parallel_splits())
        arguments.insert(arguments.end(), { "--split", "parallel" });
    if (c.load_control() > 0)
        arguments.insert(arguments.end(), { "--load-control", numberWord(double(c.load_control()) / 1000) });
    if (!c.galois().empty())
        arguments.insert(arguments.end(), { "--galois", c.galois() });
    for (const auto& [isOn, flag] :
        { std::pair(c.no_log_precalculus(), "--no-log-precalculus"), std::pair(c.pure_rs(), "--pure-rs"),
            std::pair(c.mix_keys(), "--mix-keys"), std::pair(c.merges(), "--merges") })
        if (isOn)
            arguments.emplace_back(flag);
    for (const pb::Threshold& threshold : c.thresholds())
        arguments.insert(arguments.end(),
            { "--threshold", std::to_string(threshold.buckets()) + ":" + std::to_string(threshold.availability()) });
    return arguments;
}

} // namespace

SystemLines linesOfFile(const FileOptions& options)
{
    SystemLines lines;
    lines.coordinator = fileArguments(options.config);
    lines.asNew = { "--new" }; // one that is started again listens for a running file first
    lines.withoutServers = { "--data-spares", "0", "--parity-spares", "0" };
    // The file begins with the first data server.
    lines.pools = { { pb::PARITY, "parity", { "--role", "parity" }, options.parityServers },
        { pb::DATA, "data", { "--role", "data" }, options.dataServers } };
    return lines;
}

} // namespace lhrs::gui
