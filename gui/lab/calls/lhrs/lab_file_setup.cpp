// SPDX-License-Identifier: GPL-3.0-or-later
// How a file is made, with its servers.
#include "common/field/galois.h"
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_cluster.h"
#include "gui/lab/calls/lab_hosts.h"
#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/tables/run_facts.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <cmath>

namespace lhrs::gui {

namespace {

QString lowered(std::string word, const std::string& prefix)
{
    if (word.starts_with(prefix))
        word.erase(0, prefix.size());
    return QString::fromStdString(word).toLower();
}

// Its row of clusters.csv.
ClusterFacts factsOf(int number, const pb::FileConfig& config)
{
    ClusterFacts facts { .number = number, .parameters = {} };
    QStringList thresholds;
    for (const auto& threshold : config.thresholds())
        thresholds << QString("%1:%2").arg(threshold.buckets()).arg(threshold.availability());
    const QString galois = QString::fromStdString(config.galois());
    const auto options = fieldOptionsNamed(config.galois());
    facts.parameters = { { "m", config.m() }, { "k", config.availability() }, { "b", config.b() },
        { "field", config.field() == pb::GF_8 ? 8 : 16 },
        { "slice", config.slice() == 0 ? QVariant() : QVariant(config.slice()) },
        { "thresholds", thresholds.join(' ') }, { "rerank", config.rerank() == pb::KEEP ? "keep" : "fill" },
        { "recovery_way", lowered(pb::RecoveryWay_Name(config.recovery()), "RECOVERY_") },
        { "decode", lowered(pb::DecodeWay_Name(config.decode()), "DECODE_") },
        { "recovery_transport", lowered(pb::RecoveryTransport_Name(config.recovery_transport()), "RECOVERY_") },
        { "tcp", lowered(pb::TcpMode_Name(config.tcp_mode()), "TCP_") },
        { "galois", options ? QString::fromStdString(nameOf(*options)) : galois },
        { "log_precalculus", !config.no_log_precalculus() }, { "pure_rs", config.pure_rs() },
        { "mix_keys", config.mix_keys() }, { "parallel_splits", config.parallel_splits() },
        { "merges", config.merges() },
        { "load_control", config.load_control() == 0 ? QVariant() : QVariant(double(config.load_control()) / 1000) } };
    return facts;
}

LabResult<pb::FileConfig> configOf(const Arguments& o)
{
    pb::FileConfig config;
    config.set_m(o.integer("m"));
    config.set_availability(o.integer("k"));
    config.set_b(o.integer("b"));
    config.set_field(o.integer("field") == 8 ? pb::GF_8 : pb::GF_16);
    config.set_rerank(o.text("rerank") == "keep" ? pb::KEEP : pb::FILL_HOLES);
    config.set_recovery(recoveryWayOf(o.text("recovery")));
    config.set_decode(o.text("decode") == "rs" ? pb::DECODE_RS : pb::DECODE_AUTO);
    config.set_recovery_transport(o.text("recoveryTransport") == "udp" ? pb::RECOVERY_UDP : pb::RECOVERY_TCP);
    config.set_tcp_mode(o.text("tcp") == "handshake" ? pb::TCP_HANDSHAKE : pb::TCP_PASSIVE);
    if (o.text("galois") != "simd") // the default
        config.set_galois(o.text("galois").toStdString());
    config.set_no_log_precalculus(!o.isOn("logPrecalculus"));
    config.set_pure_rs(o.isOn("pureRs"));
    config.set_mix_keys(o.isOn("mixKeys"));
    config.set_parallel_splits(o.text("split") == "parallel");
    config.set_merges(o.isOn("merges"));
    if (!o.option("loadControl").isNull())
        config.set_load_control(std::uint32_t(std::lround(o.number("loadControl") * 1000)));
    const auto slice = sliceOf(o.option("slice"), "lab.cluster");
    if (!slice)
        return slice.error();
    config.set_slice(*slice);
    const QJSValue thresholds = o.option("thresholds");
    std::uint32_t availability = config.availability();
    for (std::uint32_t i = 0; i < thresholds.property("length").toUInt(); ++i) {
        const std::uint32_t buckets = thresholds.property(i).toUInt();
        if (buckets == 0)
            return LabError { LabCode::BadArgument, "thresholds of lab.cluster are numbers of data buckets, from 1.",
                "thresholds: [8, 32]" };
        auto* threshold = config.add_thresholds();
        threshold->set_buckets(buckets);
        threshold->set_availability(++availability);
    }
    return config;
}

// "m is 4 there, 8 wanted": the first parameter in which the files differ; empty if none.
QString difference(const pb::FileConfig& there, const pb::FileConfig& wanted)
{
    const auto differs = [](const char* name, std::uint32_t is, std::uint32_t should) {
        return is == should ? QString() : QString("%1 is %2 there, %3 is wanted").arg(name).arg(is).arg(should);
    };
    const auto backend = [](const pb::FileConfig& config) {
        return config.galois().empty() ? "simd" : config.galois();
    };
    const auto bits = [](const pb::FileConfig& config) { return config.field() == pb::GF_8 ? 8u : 16u; };
    for (const QString& text : { differs("m", there.m(), wanted.m()),
             differs("k", there.availability(), wanted.availability()), differs("b", there.b(), wanted.b()),
             differs("field", bits(there), bits(wanted)), differs("slice", there.slice(), wanted.slice()),
             there.recovery() == wanted.recovery() ? QString() : QString("recovery differs"),
             there.decode() == wanted.decode() ? QString() : QString("decode differs"),
             there.recovery_transport() == wanted.recovery_transport() ? QString()
                                                                       : QString("recoveryTransport differs"),
             there.tcp_mode() == wanted.tcp_mode() ? QString() : QString("tcp differs"),
             backend(there) == backend(wanted) ? QString() : QString("galois differs"),
             there.no_log_precalculus() == wanted.no_log_precalculus() ? QString() : QString("logPrecalculus differs"),
             there.pure_rs() == wanted.pure_rs() ? QString() : QString("pureRs differs"),
             there.mix_keys() == wanted.mix_keys() ? QString() : QString("mixKeys differs"),
             there.parallel_splits() == wanted.parallel_splits() ? QString() : QString("split differs"),
             there.merges() == wanted.merges() ? QString() : QString("merges differs"),
             there.load_control() == wanted.load_control() ? QString() : QString("loadControl differs") })
        if (!text.isEmpty())
            return text;
    return there.rerank() == wanted.rerank() ? QString() : QString("rerank differs");
}

// Waits until the file exists.
LabResult<pb::FileDescription> awaitFile(LabContext& context, double timeout)
{
    const auto deadline = context.deadlineIn(timeout);
    std::uint64_t cursor = context.changeCursor;
    for (;;) {
        auto file = context.describeFile();
        if (file && file->exists())
            return file;
        if (context.isStopped())
            return context.stopped();
        if (context.now() >= deadline) {
            const QString seen = file ? QString::fromStdString(file->under_way()) : file.error().message;
            return LabError { file ? LabCode::Timeout : file.error().code,
                "There is no file after " + QString::number(timeout) + " s"
                    + (seen.isEmpty() ? "." : " (" + seen + ").") };
        }
        context.waitBeyond(cursor, context.now() + kLookAgain);
        cursor = context.ingest.committed();
    }
}

} // namespace

LabResult<QJSValue> FileLab::start(LabContext& context, const Arguments& o) const
{
    const auto config = configOf(o);
    if (!config)
        return config.error();
    const QJSValue spares = o.option("spares");
    LocalOptions local;
    local.config = *config;
    local.slowTimers = o.text("timers") == "classroom";
    local.hasGate = o.isOn("gate");
    local.hasKeys = o.isOn("keys");
    auto hosts = hostsOf(o);
    if (!hosts)
        return hosts.error();
    local.hosts = std::move(*hosts);
    for (QJSValueIterator it(spares); it.hasNext();) {
        it.next();
        const double count = it.value().toNumber();
        if ((it.name() != "data" && it.name() != "parity") || !it.value().isNumber() || count < 0 || count > 1000)
            return LabError { LabCode::BadArgument,
                "spares of lab.cluster are { data: 0 to 1000, parity: 0 to 1000 }." };
    }
    local.dataServers = spares.property("data").isUndefined() ? 8 : spares.property("data").toUInt();
    local.parityServers = spares.property("parity").isUndefined() ? 6 : spares.property("parity").toUInt();
    if (local.dataServers < 1 || local.parityServers < config->availability())
        return LabError { LabCode::BadArgument,
            "The file begins with one data bucket and k parity buckets, so spares.data must be 1 and "
            "spares.parity k at least." };

    const double timeout = o.number("timeout");
    ChosenCluster chosen;
    if (context.settings.mayStartCluster) {
        const auto found = keepOrReplace(context, local, o, [&](const LocalOptions& running) {
            return !running.ring && difference(running.config, *config).isEmpty();
        });
        if (!found)
            return found.error();
        chosen = *found;
    } else {
        auto file = context.describeFile();
        if (!file && file.error().code == LabCode::Refused)
            return LabError { LabCode::ClusterMismatch,
                "The connected cluster is not a file of LH*RS: " + file.error().message + ".",
                "It was not started here, so it is not replaced." };
        if (!file)
            return LabError { LabCode::NoCluster,
                "The connected coordinator does not answer: " + file.error().message };
        if (const QString text = difference(file->config(), *config); !text.isEmpty())
            return LabError { LabCode::ClusterMismatch, "The connected cluster has other parameters: " + text + ".",
                "It was not started here, so it is not replaced." };
    }
    auto file = awaitFile(context, timeout);
    if (!file)
        return file.error();
    // lab.recovery may have changed an existing file.
    if (context.settings.mayStartCluster && file->config().recovery() != config->recovery()) {
        if (const auto changed = setRecoveryWay(context, config->recovery()); !changed)
            return changed.error();
        file->mutable_config()->set_recovery(config->recovery());
    }
    if (const auto known = context.awaitServers(timeout); !known)
        return known.error();
    context.hasCluster = true;
    context.system = this;
    context.kept = file->config();
    context.recordBytes = o.integer("recordBytes");
    if (chosen.isNew) {
        ClusterFacts facts = factsOf(++context.clusters, file->config());
        facts.parameters["data_servers"] = local.dataServers;
        facts.parameters["parity_servers"] = local.parityServers;
        if (const auto told = tellCluster(context, std::move(facts), o, chosen.former); !told)
            return told.error();
    }
    QJSValue result = context.engine.newObject();
    result.setProperty("m", file->config().m());
    result.setProperty("k", file->config().availability());
    result.setProperty("b", file->config().b());
    result.setProperty("field", file->config().field() == pb::GF_8 ? 8 : 16);
    showProcesses(context, result);
    return result;
}

namespace {

LabResult<QJSValue> sparesNow(LabContext& context)
{
    const auto file = context.describeFile();
    if (!file)
        return file.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("data", file->data_spares());
    result.setProperty("parity", file->parity_spares());
    return result;
}

LabResult<QJSValue> addSpares(LabContext& context, const Arguments& o)
{
    if (!context.settings.mayStartCluster)
        return LabError { LabCode::NotAllowed, "Servers can only be started for a cluster that was started here.",
            "Start them by hand: lhrs-node --role data --coordinator HOST:PORT" };
    const auto before = context.describeFile();
    if (!before)
        return before.error();
    for (const auto& [pool, count] :
        { std::pair(pb::DATA, o.integer("data")), std::pair(pb::PARITY, o.integer("parity")) })
        if (count > 0)
            if (const auto added = context.local.addServers(pool, count, context.stopToken()); !added)
                return context.isStopped() ? context.stopped()
                                           : LabError { LabCode::Refused, QString::fromStdString(added.error().text) };
    // Some spares may be taken at once by splits or recoveries that waited for them.
    if (const auto known = context.awaitServers(o.number("timeout")); !known)
        return known.error();
    return sparesNow(context);
}

} // namespace

LabResult<std::uint32_t> sliceOf(const QJSValue& option, const QString& call)
{
    const bool isNumber = option.isNumber() && option.toNumber() >= 1 && option.toNumber() <= (1 << 24)
        && std::floor(option.toNumber()) == option.toNumber();
    if (!isNumber && option.toString() != "auto")
        return LabError { LabCode::BadArgument,
            "The option slice of " + call + " is a number of ranks, at least 1, or 'auto', not " + option.toString()
                + ".",
            "slice: 5" };
    return isNumber ? option.toUInt() : 0;
}

void addSpareCalls(Lab& lab, LabContext& context)
{
    lab.handle("lab.addSpares", [&](const LabCall& c) { return addSpares(context, c.arguments); });
    lab.handle("lab.spares", [&](const LabCall&) { return sparesNow(context); });
}

} // namespace lhrs::gui
