// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/system/system_words.h"

#include "common/kinds.h"
#include "gui/show/show_systems.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/system/faults_shown.h"

#include <algorithm>

namespace lhrs::gui {

namespace {

// "data 1, data 2 and alice"; of many processes only the first ones.
template <class Processes>
QString namesOf(const SystemWords& words, const ClusterState& state, const Processes& processes)
{
    QStringList names;
    for (const ProcessId process : processes) {
        const ObjectRef object = words.objectOf(state, process);
        names << (object ? words.shortNameOf(state, object) : QStringLiteral("a process that has ended"));
    }
    names.sort();
    if (names.size() > 4)
        return QStringLiteral("%1, %2 and %3 others").arg(names[0], names[1]).arg(names.size() - 2);
    if (names.size() < 2)
        return names.join(QString());
    const QString last = names.takeLast();
    return names.join(QStringLiteral(", ")) + QStringLiteral(" and ") + last;
}

} // namespace

QString SystemWords::processName(const ClusterState& state, ProcessId process)
{
    const auto found = state.processes.find(process);
    return found != state.processes.end() ? QString::fromStdString(found->second.name)
                                          : QStringLiteral("unknown process");
}

QString SystemWords::nameOf(const ClusterState& state, ObjectRef object) const
{
    const auto is = [object](ObjectKind kind) { return object.kind == kind; };
    if (is(ObjectKind::Client))
        return QStringLiteral("client %1").arg(processName(state, object.a));
    if (is(ObjectKind::Fault)) {
        const std::vector<std::uint64_t> numbers = faultsOf(state);
        return QStringLiteral("fault %1")
            .arg(std::find(numbers.begin(), numbers.end(), object.a) - numbers.begin() + 1);
    }
    // What has no name here is of one system, which names it.
    return is(ObjectKind::Coordinator) ? QStringLiteral("coordinator")
        : is(ObjectKind::Message)      ? QStringLiteral("message")
        : is(ObjectKind::Node)         ? processName(state, object.a)
                                       : QString();
}

QString SystemWords::shortNameOf(const ClusterState& state, ObjectRef object) const
{
    return object.kind == ObjectKind::Client ? processName(state, object.a) : nameOf(state, object);
}

ObjectRef SystemWords::named(const ClusterState& state, const QString& words) const
{
    for (const ObjectRef object : objectsOf(state)) {
        const QString name = nameOf(state, object).toLower();
        if (name == words || name.section(QLatin1Char(' '), 1) == words)
            return object;
    }
    return {};
}

ObjectRef SystemWords::objectOf(const ClusterState& state, ProcessId process) const
{
    const auto found = state.processes.find(process);
    if (found == state.processes.end())
        return {};
    return { found->second.kind == pb::COORDINATOR ? ObjectKind::Coordinator
            : found->second.kind == pb::CLIENT     ? ObjectKind::Client
                                                   : ObjectKind::Node,
        process, 0 };
}

bool SystemWords::isProcess(ObjectRef object) const
{
    return object.kind == ObjectKind::Client || object.kind == ObjectKind::Coordinator
        || object.kind == ObjectKind::Node;
}

QString SystemWords::choiceOf(const ClusterState& state, const ProcessState& process) const
{
    const ObjectRef object = objectOf(state, process.id);
    return object ? nameOf(state, object) : QString::fromStdString(process.name);
}

int SystemWords::listOrderOf(ObjectRef object) const
{
    return object.kind == ObjectKind::Coordinator ? 0 : object.kind == ObjectKind::Client ? 3 : 4;
}

ProcessId SystemWords::processOf(const ClusterState& /*state*/, ObjectRef object) const
{
    return isProcess(object) ? object.a : 0;
}

QString SystemWords::placeLine(ObjectRef object) const
{
    return object.kind == ObjectKind::Coordinator ? QStringLiteral("lab.coordinator()") : QString();
}

QString SystemWords::faultSentence(const ClusterState& state, std::uint64_t number) const
{
    for (const PartitionShown& partition : partitionsOf(state)) {
        if (partition.number != number)
            continue;
        const QString a = namesOf(*this, state, partition.a),
                      b = partition.restIsB ? QStringLiteral("all others") : namesOf(*this, state, partition.b);
        if (partition.way == pb::OUTGOING)
            return QStringLiteral("Fault on purpose: nothing passes from %1 to %2").arg(a, b);
        if (partition.way == pb::INCOMING)
            return QStringLiteral("Fault on purpose: nothing passes from %1 to %2").arg(b, a);
        return QStringLiteral("Fault on purpose: %1 %2 cut off from %3")
            .arg(a, partition.a.size() == 1 ? QStringLiteral("is") : QStringLiteral("are"), b);
    }
    std::vector<ProcessId> at;
    std::string words;
    for (const auto& [id, process] : state.processes)
        if (const auto fault = process.faults.find(number); fault != process.faults.end()) {
            at.push_back(id);
            words = fault->second.words;
        }
    return at.empty()
        ? QStringLiteral("A fault that has ended")
        : QStringLiteral("Fault on purpose: %1 %2").arg(namesOf(*this, state, at), QString::fromStdString(words));
}

QString SystemWords::restartedWords(bool isCoordinator) const
{
    return isCoordinator ? QStringLiteral("another process listens at its address")
                         : QStringLiteral("its program was started again, with an empty memory");
}

std::vector<std::uint64_t> SystemWords::keysKnown(
    const ClusterState& /*state*/, std::uint64_t /*count*/, std::uint64_t /*seed*/) const
{
    return {};
}

ObjectRef SystemWords::placeOf(const pb::Event& /*event*/, ProcessId process) const
{
    return { ObjectKind::Node, process, 0 };
}

std::uint32_t SystemWords::partOf(const pb::Event& /*event*/) const { return 0; }

bool SystemWords::belongsTo(const ClusterState& /*state*/, const Pointed& own, const Pointed& pointed) const
{
    return own.object == pointed.object && own.part == pointed.part;
}

std::optional<SystemWords::EventMark> SystemWords::markOf(const pb::Event& /*event*/) const { return std::nullopt; }

SystemWords::LaneGroup SystemWords::laneGroupOf(const ClusterState& state, ObjectRef object) const
{
    if (object.kind == ObjectKind::Client)
        return { 0, 0, QStringLiteral("clients"), QStringLiteral("clients") };
    if (object.kind == ObjectKind::Coordinator)
        return { 1, 0, QStringLiteral("coordinator"), nameOf(state, object) };
    return { 3, 0, QStringLiteral("others"), QStringLiteral("others") };
}

std::vector<NodeFact> SystemWords::factsOf(const ClusterState& /*state*/, const ProcessState& process,
    const pb::NodeSample* /*sample*/, const pb::Gauges& gauges, Facts which) const
{
    if (which == Facts::Contents && process.kind == pb::CLIENT)
        return { { QStringLiteral("Operations"), grouped(gauges.operations()) } };
    return {};
}

std::pair<QString, std::vector<NodeFact>> SystemWords::exchangeOf(
    const ProcessState& /*process*/, const pb::NodeSample& /*sample*/) const
{
    return {};
}

// ---- faults

std::vector<SystemWords::MessagesNamed> SystemWords::messagesByClass(
    const google::protobuf::Descriptor& of, const std::vector<ClassWord>& classes)
{
    std::vector<MessagesNamed> named;
    for (const ClassWord& word : classes) {
        MessagesNamed one { word.words, {} };
        for (const Kind& kind : messageKinds())
            if (of.FindFieldByName(kind.name) != nullptr && messageClassOf(kind.name) == word.messageClass)
                one.kinds << QString::fromStdString(kind.name);
        if (!one.kinds.isEmpty())
            named.push_back(std::move(one));
    }
    return named;
}

} // namespace lhrs::gui
