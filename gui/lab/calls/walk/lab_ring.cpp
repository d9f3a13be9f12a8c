// SPDX-License-Identifier: GPL-3.0-or-later
// Calls for a ring that walks: start it, let nodes join and leave, look up keys through a given node.
#include "gui/lab/calls/lab.h"
#include "gui/lab/calls/lab_cluster.h"
#include "gui/lab/calls/lab_hosts.h"
#include "gui/lab/calls/walk/lab_ring.h"
#include "gui/lab/words/process/process_words.h"

#include <algorithm>
#include <map>

namespace lhrs::gui {

namespace {

constexpr std::uint32_t kLookUpsAtOnce = 64;

LabResult<pb::RingDescription> describeRing(LabContext& context)
{
    if (context.control.coordinator() == 0)
        return LabError { LabCode::Unreachable, "The master of the ring does not answer." };
    pb::Command command;
    command.mutable_walk()->mutable_describe_ring();
    auto reply = context.ask(context.control.coordinator(), std::move(command), kAnswerSeconds);
    if (!reply)
        return reply.error();
    return reply->walk().ring();
}

LabResult<bool> awaitRest(LabContext& context, double timeout)
{
    pb::Command command;
    command.mutable_await_rest()->set_timeout_ms(std::uint32_t(timeout * 1000));
    const auto rest = context.ask(context.control.coordinator(), std::move(command), timeout + 1);
    if (!rest && rest.error().code == LabCode::Timeout)
        return LabError { LabCode::Timeout,
            "Not at rest after " + QString::number(timeout) + " s: " + rest.error().message + "." };
    if (!rest)
        return rest.error();
    return true;
}

// The number of keys of each node; a node that does not answer is left out.
LabResult<std::map<ProcessId, std::uint32_t>> keysOf(LabContext& context, const pb::RingDescription& ring)
{
    std::map<ProcessId, std::uint32_t> keys;
    for (const pb::WalkNode& node : ring.ring()) {
        if (std::find(ring.lost().begin(), ring.lost().end(), node.node()) != ring.lost().end())
            continue;
        pb::Command command;
        command.mutable_statistics();
        const auto reply = context.ask(node.node(), std::move(command), kAnswerSeconds);
        if (reply)
            keys[node.node()] = reply->gauges().records();
        else if (reply.error().code != LabCode::Unreachable)
            return reply.error();
    }
    return keys;
}

QJSValue orNull(const std::string& words)
{
    return words.empty() ? QJSValue(QJSValue::NullValue) : QJSValue(QString::fromStdString(words));
}

QJSValue nodesShown(
    const LabContext& context, const pb::RingDescription& ring, const std::map<ProcessId, std::uint32_t>& keys)
{
    const auto size = std::uint32_t(ring.ring_size());
    QJSValue nodes = context.engine.newArray(size);
    for (std::uint32_t i = 0; i < size; ++i) {
        const pb::WalkNode& node = ring.ring(int(i));
        const auto known = keys.find(node.node());
        QJSValue shown = context.engine.newObject();
        shown.setProperty("name", context.nameOf(node.node()));
        shown.setProperty("id", scriptNumber(node.id()));
        shown.setProperty("from", scriptNumber(ring.ring(int((i + size - 1) % size)).id()));
        shown.setProperty("successor", context.nameOf(ring.ring(int((i + 1) % size)).node()));
        shown.setProperty("keys", known == keys.end() ? QJSValue(QJSValue::NullValue) : QJSValue(known->second));
        nodes.setProperty(i, shown);
    }
    return nodes;
}

// The process that a target names; it must be a server.
LabResult<ProcessId> nodeOf(LabContext& context, const QJSValue& target, const QString& call)
{
    if (target.isNull() || target.isUndefined())
        return ProcessId(0);
    const auto found = findTarget(context, target);
    if (!found)
        return found.error();
    const auto known = context.control.find(found->process);
    if (!known || known->info.kind() != pb::NODE)
        return LabError { LabCode::BadArgument, found->shown + " is not a node, so " + call + " does not take it.",
            call + "(lab.process('node-3'))" };
    return found->process;
}

LabResult<QJSValue> change(LabContext& context, pb::Command command, double timeout)
{
    const auto reply = context.ask(context.control.coordinator(), std::move(command), timeout);
    if (!reply)
        return reply.error();
    const pb::RingChangeResult& done = reply->walk().change();
    if (!done.undone().empty())
        return LabError { LabCode::Refused,
            "The change of the ring was undone: " + QString::fromStdString(done.undone()) + "." };
    QJSValue result = context.engine.newObject();
    result.setProperty("change", scriptNumber(done.change()));
    result.setProperty("node", context.nameOf(done.node().node()));
    result.setProperty("id", scriptNumber(done.node().id()));
    result.setProperty("keys", done.keys());
    return result;
}

LabResult<QJSValue> join(LabContext& context, const Arguments& o)
{
    const auto node = nodeOf(context, o.option("node"), "lab.join");
    if (!node)
        return node.error();
    pb::Command command;
    command.mutable_walk()->mutable_join_ring()->set_node(*node);
    return change(context, std::move(command), o.number("timeout"));
}

LabResult<QJSValue> leave(LabContext& context, const Arguments& o)
{
    const auto node = nodeOf(context, o.at(0), "lab.leave");
    if (!node)
        return node.error();
    pb::Command command;
    command.mutable_walk()->mutable_leave_ring()->set_node(*node);
    return change(context, std::move(command), o.number("timeout"));
}

LabResult<ProcessId> clientOf(const LabContext& context, const QJSValue& self)
{
    const QString name = self.property("name").toString();
    const auto client = context.clients.find(name);
    if (client == context.clients.end())
        return LabError { LabCode::Unreachable, "The client " + name + " belonged to a cluster that was replaced.",
            "Call lab.client('" + name + "') again." };
    return client->second.process;
}

pb::Command lookUpOf(std::uint64_t key, ProcessId via)
{
    pb::Command command;
    command.mutable_walk()->mutable_look_up()->set_key(key);
    command.mutable_walk()->mutable_look_up()->set_via(via);
    return command;
}

LabResult<QJSValue> lookUp(LabContext& context, const LabCall& c)
{
    const auto client = clientOf(context, c.self);
    if (!client)
        return client.error();
    const auto key = keyOf(c.arguments.at(0));
    if (!key)
        return key.error();
    const auto via = nodeOf(context, c.arguments.option("via"), "via");
    if (!via)
        return via.error();
    const auto reply = context.ask(*client, lookUpOf(*key, *via), c.arguments.number("timeout"));
    if (!reply)
        return reply.error();
    const pb::LookUpResult& found = reply->walk().looked_up();
    if (found.result() != pb::OK && found.result() != pb::NOT_FOUND)
        return LabError { LabCode::Timeout,
            "client.lookUp: " + QString::fromStdString(resultWord(found.result())) + " after "
                + QString::number(secondsOf(found.time_ns())) + " s.",
            "A node on the way is silent: see lab.ring().broken." };
    QJSValue result = context.engine.newObject();
    result.setProperty("key", scriptNumber(*key));
    result.setProperty("result", found.result() == pb::OK ? "found" : "not found");
    result.setProperty("value",
        found.result() != pb::OK                 ? QJSValue(QJSValue::NullValue)
            : scriptText(found.value()).isNull() ? QJSValue("0x" + hexOf(found.value()))
                                                 : scriptText(found.value()));
    result.setProperty("owner", context.nameOf(found.owner()));
    result.setProperty("steps", found.steps());
    result.setProperty("time_ms", double(found.time_ns()) / 1e6);
    return result;
}

// Looks up each key through each node of the ring.
LabResult<QJSValue> lookUpAll(LabContext& context, const LabCall& c)
{
    const auto client = clientOf(context, c.self);
    if (!client)
        return client.error();
    const auto ring = describeRing(context);
    if (!ring)
        return ring.error();
    std::vector<std::pair<CallTarget, pb::Command>> questions;
    const QJSValue list = c.arguments.at(0);
    for (std::uint32_t i = 0; i < list.property("length").toUInt(); ++i) {
        const auto key = keyOf(list.property(i));
        if (!key)
            return key.error();
        for (const pb::WalkNode& node : ring->ring())
            questions.emplace_back(*client, lookUpOf(*key, node.node()));
    }
    std::uint64_t found = 0, steps = 0;
    std::uint32_t most = 0;
    for (std::size_t at = 0; at < questions.size(); at += kLookUpsAtOnce) {
        const auto end = questions.begin()
            + std::ptrdiff_t(std::min<std::size_t>(at + kLookUpsAtOnce, questions.size()));
        const auto replies = context.askAll(
            { questions.begin() + std::ptrdiff_t(at), end }, c.arguments.number("timeout"));
        if (!replies)
            return replies.error();
        for (const pb::CommandReply& reply : *replies) {
            const pb::LookUpResult& one = reply.walk().looked_up();
            found += one.result() == pb::OK ? 1 : 0;
            steps += one.steps();
            most = std::max(most, one.steps());
        }
    }
    QJSValue result = context.engine.newObject();
    result.setProperty("nodes", ring->ring_size());
    result.setProperty("lookUps", scriptNumber(questions.size()));
    result.setProperty("found", scriptNumber(found));
    result.setProperty("missing", scriptNumber(questions.size() - found));
    result.setProperty("steps", questions.empty() ? 0 : double(steps) / double(questions.size()));
    result.setProperty("stepsMost", most);
    return result;
}

// The parameter in which the rings differ; empty if none.
QString difference(const LocalOptions& there, const RingOptions& wanted)
{
    if (!there.ring)
        return "it is a file of LH*RS";
    const auto differs = [](const char* name, std::uint32_t is, std::uint32_t should) {
        return is == should ? QString() : QString("%1 is %2 there, %3 is wanted").arg(name).arg(is).arg(should);
    };
    for (const QString& text :
        { differs("bits", there.ring->bits, wanted.bits), differs("nodes", there.ring->nodes, wanted.nodes),
            differs("outside", there.ring->outside, wanted.outside) })
        if (!text.isEmpty())
            return text;
    return {};
}

// Waits until this many nodes are in the ring and it is at rest.
LabResult<bool> awaitRing(LabContext& context, std::uint32_t nodes, double timeout)
{
    const auto deadline = context.deadlineIn(timeout);
    for (;;) {
        const auto ring = describeRing(context);
        if (ring && std::uint32_t(ring->ring_size()) >= nodes && ring->at_rest())
            return true;
        if (context.isStopped())
            return context.stopped();
        if (context.now() >= deadline)
            return LabError { LabCode::Timeout,
                QString("The ring has %1 of %2 nodes after %3 s.")
                        .arg(ring ? ring->ring_size() : 0)
                        .arg(nodes)
                        .arg(timeout)
                    + (ring ? QString() : " " + ring.error().message) };
        context.waitBeyond(context.ingest.committed(), context.now() + kLookAgain);
    }
}

// What lab.ring returns: the ring as its master describes it, with the keys of its nodes.
LabResult<QJSValue> ringNow(LabContext& context)
{
    const auto ring = describeRing(context);
    if (!ring)
        return ring.error();
    const auto keys = keysOf(context, *ring);
    if (!keys)
        return keys.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("bits", ring->config().bits());
    result.setProperty("nodes", nodesShown(context, *ring, *keys));
    QStringList outside;
    for (const std::uint64_t process : ring->spares())
        if (const auto known = context.control.find(process); !known || !known->hasEnded)
            outside << context.nameOf(process);
    outside.sort();
    result.setProperty("outside", context.engine.toScriptValue(outside));
    std::uint64_t sum = 0;
    for (const auto& [process, count] : *keys)
        sum += count;
    result.setProperty("keys", scriptNumber(sum));
    result.setProperty("changes", scriptNumber(ring->change()));
    result.setProperty("underWay", orNull(ring->under_way()));
    result.setProperty("broken", orNull(ring->broken()));
    result.setProperty("atRest", ring->at_rest());
    return result;
}

} // namespace

LabResult<QJSValue> RingLab::settle(LabContext& context, double timeout) const
{
    const auto rest = awaitRest(context, timeout);
    if (!rest)
        return rest.error();
    return ringNow(context);
}

LabResult<QJSValue> RingLab::start(LabContext& context, const Arguments& o) const
{
    const RingOptions wanted { o.integer("bits"), o.integer("nodes"), o.integer("outside") };
    LocalOptions local;
    local.ring = wanted;
    local.slowTimers = o.text("timers") == "classroom";
    local.hasGate = o.isOn("gate");
    local.hasKeys = o.isOn("keys");
    auto hosts = hostsOf(o);
    if (!hosts)
        return hosts.error();
    local.hosts = std::move(*hosts);
    ChosenCluster chosen;
    if (context.settings.mayStartCluster) {
        const auto found = keepOrReplace(
            context, local, o, [&](const LocalOptions& running) { return difference(running, wanted).isEmpty(); });
        if (!found)
            return found.error();
        chosen = *found;
    } else if (const auto ring = describeRing(context); !ring) {
        return LabError { LabCode::ClusterMismatch,
            "The connected cluster is not a ring: " + ring.error().message + ".",
            "It was not started here, so it is not replaced." };
    }
    const double timeout = o.number("timeout");
    if (const auto there = awaitRing(context, context.settings.mayStartCluster ? wanted.nodes : 1, timeout); !there)
        return there.error();
    if (const auto known = context.awaitServers(timeout); !known)
        return known.error();
    context.hasCluster = true;
    context.system = this;
    context.kept.reset();
    context.recordBytes = o.integer("recordBytes");
    if (chosen.isNew) {
        ClusterFacts facts { .number = ++context.clusters, .parameters = {} };
        facts.parameters = { { "system", "walk" }, { "bits", wanted.bits }, { "nodes", wanted.nodes },
            { "outside", wanted.outside } };
        if (const auto told = tellCluster(context, std::move(facts), o, chosen.former); !told)
            return told.error();
    }
    const auto ring = describeRing(context);
    if (!ring)
        return ring.error();
    QJSValue result = context.engine.newObject();
    result.setProperty("system", "walk");
    result.setProperty("bits", ring->config().bits());
    result.setProperty("nodes", ring->ring_size());
    result.setProperty("outside", ring->spares_size());
    showProcesses(context, result);
    return result;
}

LabSystem::Words RingLab::words() const
{
    return { "walk", "a ring", "lab.cluster({ system: 'walk', nodes: 8, outside: 2, bits: 32 }) makes a ring.",
        "See lab.ring(), lab.join(), client.lookUp().",
        "lab.cluster({ system: 'walk', outside: 8 }) makes a ring with more processes that can join it." };
}

bool RingLab::isAtRest(const ClusterState& state) const { return !state.ring.now; }

void RingLab::addState(const ClusterState& state, QJSEngine& engine, QJSValue& value) const
{
    QJSValue ring = engine.newObject();
    ring.setProperty("nodes", scriptList(state.ring.inRing(), engine, [&](const walk::RingNode* node) {
        QJSValue shown = engine.newObject();
        shown.setProperty("name", processName(state, node->process));
        shown.setProperty("id", scriptNumber(node->id));
        shown.setProperty("keys", node->keys);
        return shown;
    }));
    ring.setProperty("joins", scriptNumber(state.ring.joins));
    ring.setProperty("leaves", scriptNumber(state.ring.leaves));
    value.setProperty("ring", ring);
}

void RingLab::addCalls(Lab& lab, LabContext& context) const
{
    lab.handle("lab.ring", [&](const LabCall&) { return ringNow(context); });
    lab.handle("lab.join", [&](const LabCall& c) { return join(context, c.arguments); });
    lab.handle("lab.leave", [&](const LabCall& c) { return leave(context, c.arguments); });
    lab.handle("client.lookUp", [&](const LabCall& c) { return lookUp(context, c); });
    lab.handle("client.lookUpAll", [&](const LabCall& c) { return lookUpAll(context, c); });
}

} // namespace lhrs::gui
