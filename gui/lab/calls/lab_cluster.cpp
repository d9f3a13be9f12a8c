// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_cluster.h"

#include "gui/lab/calls/lab_system.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/tables/result_sink.h"

#include <QJSEngine>
#include <QStringList>

namespace lhrs::gui {

namespace {

// Ends the present cluster and starts this one. The clients of the former one are gone.
LabResult<bool> replaceCluster(LabContext& context, const LocalOptions& local)
{
    context.clients.clear();
    for (const LabSystem* system : context.systems)
        system->forget(context);
    if (const auto started = context.local.start(local, context.stopToken()); !started)
        return context.isStopped() ? context.stopped()
                                   : LabError { LabCode::NoCluster, QString::fromStdString(started.error().text) };
    return true;
}

} // namespace

LabResult<ChosenCluster> keepOrReplace(LabContext& context, const LocalOptions& local, const Arguments& o,
    const std::function<bool(const LocalOptions& running)>& isSame)
{
    const auto running = context.local.options();
    const bool isKept = running && !o.isOn("reset") && isSame(*running)
        && (running->hasGate || running->simulated || !local.hasGate)
        && (running->hasKeys == local.hasKeys || running->simulated)
        && (local.hosts.empty() || running->hosts == local.hosts);
    ChosenCluster chosen { !isKept || context.clusters == 0 };
    if (isKept)
        return chosen;
    if (context.hasCluster)
        chosen.former = context.cueNow();
    if (const auto started = replaceCluster(context, local); !started)
        return started.error();
    return chosen;
}

LabResult<bool> tellCluster(LabContext& context, ClusterFacts facts, const Arguments& o, const Cue& former)
{
    facts.isSimulated = context.isSimulated();
    facts.parameters["record_bytes"] = context.recordBytes;
    facts.parameters["timers"] = o.text("timers");
    facts.parameters["keys"] = context.ingest.peerKeys().hasKeys();
    // Nothing is known of processes that were not started here; virtual time is never late.
    const auto patience = context.local.patience();
    facts.parameters["wake_late_ms"] = patience ? QVariant(double(patience->wakeLateNs) / 1e6) : QVariant();
    facts.parameters["time_scale"] = patience ? QVariant(patience->timeScale)
        : facts.isSimulated                   ? QVariant(1u)
                                              : QVariant();
    facts.patience = patience ? QString::fromStdString(patienceWords(*patience)) : QString();
    if (context.settings.results != nullptr)
        if (const QString problem = context.settings.results->onCluster(facts); !problem.isEmpty())
            return LabError { LabCode::Refused, problem };
    context.observer.onReel(
        { .kind = ReelEntry::Kind::Cluster, .at = context.cueNow(), .from = former, .number = facts.number });
    context.observer.onCluster(facts);
    return true;
}

void showProcesses(LabContext& context, QJSValue& result)
{
    result.setProperty("recordBytes", context.recordBytes);
    result.setProperty("simulated", context.isSimulated());
    const std::vector<KnownProcess> directory = context.control.directory();
    QStringList versions;
    QString address;
    for (const KnownProcess& known : directory) {
        if (const QString version = QString::fromStdString(known.info.version()); !versions.contains(version))
            versions << version;
        if (known.info.kind() == pb::COORDINATOR)
            address = QString::fromStdString(known.info.control_endpoint());
    }
    // Not enumerable, because the machine chose the port: printed results depend on the seed only.
    if (context.isInStep()) {
        QJSValue hidden = context.engine.newObject();
        hidden.setProperty("value", address);
        context.engine.globalObject().property("Object").property("defineProperty").call({ result, "address", hidden });
    } else {
        result.setProperty("address", address);
        const QString keyFile = QString::fromStdString(context.local.keyFile());
        result.setProperty("keyFile", keyFile.isEmpty() ? QJSValue(QJSValue::NullValue) : QJSValue(keyFile));
    }
    result.setProperty("processes", std::uint32_t(directory.size()));
    result.setProperty("versions", context.engine.toScriptValue(versions));
}

} // namespace lhrs::gui
