// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/commands/lhrs/file_line.h"

#include <QStringList>

#include <utility>

namespace lhrs::gui {

QString fileLine(const LocalOptions& options, std::uint32_t recordBytes)
{
    const pb::FileConfig& config = options.config;
    const char* recovery = config.recovery() == pb::RECOVERY_OFF ? "off"
        : config.recovery() == pb::RECOVERY_ON_ALARM             ? "onAlarm"
        : config.recovery() == pb::RECOVERY_MANUAL               ? "manual"
                                                                 : "automatic";
    QString more = QStringLiteral(", recovery: '%1'").arg(QLatin1String(recovery));
    if (config.slice() > 0)
        more += QStringLiteral(", slice: %1").arg(config.slice());
    if (config.recovery_transport() == pb::RECOVERY_UDP)
        more += QStringLiteral(", recoveryTransport: 'udp'");
    if (config.tcp_mode() == pb::TCP_HANDSHAKE)
        more += QStringLiteral(", tcp: 'handshake'");
    if (config.rerank() == pb::KEEP)
        more += QStringLiteral(", rerank: 'keep'");
    if (config.load_control() > 0)
        more += QStringLiteral(", loadControl: %1").arg(config.load_control() / 1000.0);
    if (config.parallel_splits())
        more += QStringLiteral(", split: 'parallel'");
    if (options.hasGate)
        more += QStringLiteral(", gate: true");
    for (const auto& [isOn, name] : { std::pair(config.merges(), "merges"), std::pair(config.mix_keys(), "mixKeys"),
             std::pair(config.pure_rs(), "pureRs") })
        if (isOn)
            more += QStringLiteral(", %1: true").arg(QLatin1String(name));
    if (options.slowTimers)
        more += QStringLiteral(", timers: 'classroom'");
    QStringList thresholds;
    for (const pb::Threshold& threshold : config.thresholds())
        thresholds << QString::number(threshold.buckets());
    if (!thresholds.isEmpty())
        more += QStringLiteral(", thresholds: [%1]").arg(thresholds.join(QStringLiteral(", ")));
    return QStringLiteral(
        "lab.cluster({ m: %1, k: %2, b: %3, field: %4, recordBytes: %5, spares: { data: %6, parity: %7 }%8 });")
        .arg(config.m())
        .arg(config.availability())
        .arg(config.b())
        .arg(config.field() == pb::GF_8 ? 8 : 16)
        .arg(recordBytes)
        .arg(options.dataServers)
        .arg(options.parityServers)
        .arg(more);
}

} // namespace lhrs::gui
