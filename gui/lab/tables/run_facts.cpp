// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/tables/run_facts.h"

#include "common/field/galois.h"

#include <QCryptographicHash>
#include <QDateTime>
#include <QJsonDocument>
#include <QJsonObject>
#include <QSysInfo>

#include <google/protobuf/stubs/common.h>
#include <zmq.h>

#include <mutex>

#include <unistd.h>

namespace lhrs::gui {

namespace {

constexpr int kDigits = 16; // of an inputs' digest; among 100,000 digests two are equal with a probability of 10^-9

QString& commitHere()
{
    static QString commit;
    return commit;
}

QString compilerShown()
{
#ifdef __clang__
    const QString compiler = QString("Clang ") + __clang_version__;
#else
    const QString compiler = QString("GCC ") + __VERSION__;
#endif
    return compiler + ", " + LHRS_BUILD_KIND;
}

QString librariesShown()
{
    int major = 0, minor = 0, patch = 0;
    ::zmq_version(&major, &minor, &patch);
    return QString("Qt %1, protobuf %2, ZeroMQ %3.%4.%5")
        .arg(qVersion(), QString::fromStdString(google::protobuf::internal::VersionString(GOOGLE_PROTOBUF_VERSION)))
        .arg(major)
        .arg(minor)
        .arg(patch);
}

// Keeps only characters allowed in an id and in a file name.
QString plain(QString name)
{
    for (QChar& c : name)
        if (!(c.unicode() < 128 && (c.isLetterOrNumber() || c == '.' || c == '_')))
            c = '_';
    return name.left(64);
}

} // namespace

void setProgramCommit(const QString& commit) { commitHere() = commit; }

QString programCommit() { return commitHere(); }

RunFacts programFacts(const QString& program)
{
    RunFacts facts;
    facts.outcome = "under way";
    facts.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODateWithMs);
    facts.host = QSysInfo::machineHostName();
    facts.machine = machineShown();
    facts.program = program + " " + LHRS_VERSION;
    facts.commit = programCommit();
    facts.compiler = compilerShown();
    facts.instructions = QString::fromStdString(nameOf(FieldOptions {}));
    facts.libraries = librariesShown();
    return facts;
}

QString buildInfo()
{
    const RunFacts facts = programFacts({});
    const QJsonObject info { { "version", LHRS_VERSION }, { "commit", facts.commit }, { "compiler", facts.compiler },
        { "instructions", facts.instructions }, { "libraries", facts.libraries } };
    return QString::fromUtf8(QJsonDocument(info).toJson(QJsonDocument::Compact));
}

QString newRunId(std::uint64_t seed)
{
    static std::mutex mutex;
    static qint64 last = 0; // ms; two runs of one process never have the same start
    const std::lock_guard lock(mutex);
    last = std::max(last + 1, QDateTime::currentMSecsSinceEpoch());
    const QString started = QDateTime::fromMSecsSinceEpoch(last, Qt::UTC).toString("yyyyMMdd'T'HHmmss.zzz'Z'");
    return QString("%1-%2-%3-%4").arg(started, plain(QSysInfo::machineHostName())).arg(::getpid()).arg(seed);
}

QString inputsDigest(
    const QString& scenarioText, const std::map<QString, QString>& sets, std::uint64_t seed, const QStringList& further)
{
    QCryptographicHash hash(QCryptographicHash::Sha256);
    // Each part is preceded by its length, so that different lists of parts never give the same bytes.
    const auto add = [&hash](const QString& part) {
        const QByteArray bytes = part.toUtf8();
        hash.addData(QByteArray::number(bytes.size()) + ':' + bytes);
    };
    add(scenarioText);
    add(QString::number(sets.size()));
    for (const auto& [name, value] : sets) {
        add(name);
        add(value);
    }
    add(QString::number(seed));
    add(LHRS_VERSION);
    add(programCommit());
    for (const QString& part : further)
        add(part);
    return QString::fromLatin1(hash.result().toHex().left(kDigits));
}

const std::map<QString, QString RunFacts::*>& runFactFields()
{
    static const std::map<QString, QString RunFacts::*> kFields { { "started_utc", &RunFacts::started },
        { "host", &RunFacts::host }, { "machine", &RunFacts::machine }, { "program", &RunFacts::program },
        { "commit", &RunFacts::commit }, { "compiler", &RunFacts::compiler },
        { "instructions", &RunFacts::instructions }, { "libraries", &RunFacts::libraries },
        { "scenario", &RunFacts::scenario }, { "inputs", &RunFacts::inputs }, { "seed", &RunFacts::seed },
        { "sweep", &RunFacts::sweep }, { "sweep_run", &RunFacts::sweepRun } };
    return kFields;
}

std::map<QString, QString> metaOf(const RunFacts& facts)
{
    std::map<QString, QString> meta { { "run", facts.run }, { "qt", qVersion() } };
    for (const auto& [key, field] : runFactFields())
        if (!(facts.*field).isEmpty())
            meta[key] = facts.*field;
    if (facts.isSimulated)
        meta["simulated"] = "1";
    return meta;
}

QStringList runColumns(const RunFacts& facts)
{
    QStringList columns { "run", "simulated", "outcome", "started_utc", "host", "machine", "program", "commit",
        "compiler", "instructions", "libraries", "scenario", "inputs", "seed", "sweep", "sweep_run", "parameters" };
    for (const auto& [name, value] : facts.parameters)
        columns << "param_" + name;
    return columns;
}

QVariantList runCells(const RunFacts& facts)
{
    QJsonObject parameters;
    for (const auto& [name, value] : facts.parameters)
        parameters[name] = QJsonValue::fromVariant(value);
    QVariantList cells { facts.run, facts.isSimulated, facts.outcome, facts.started, facts.host, facts.machine,
        facts.program, facts.commit, facts.compiler, facts.instructions, facts.libraries, facts.scenario, facts.inputs,
        facts.seed, facts.sweep, facts.sweepRun,
        QString::fromUtf8(QJsonDocument(parameters).toJson(QJsonDocument::Compact)) };
    for (const auto& [name, value] : facts.parameters)
        cells << value;
    return cells;
}

QStringList clusterColumns(const ClusterFacts& cluster)
{
    QStringList columns { "run", "simulated", "cluster" };
    for (const auto& [name, value] : cluster.parameters)
        columns << name;
    return columns;
}

QVariantList clusterCells(const RunFacts& facts, const ClusterFacts& cluster)
{
    QVariantList cells { facts.run, cluster.isSimulated, cluster.number };
    for (const auto& [name, value] : cluster.parameters)
        cells << value;
    return cells;
}

} // namespace lhrs::gui
