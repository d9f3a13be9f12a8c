// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/walk/ring_words.h"

#include "common/kinds.h"
#include "gui/show/words/quantity_words.h"
#include "gui/view/system/process_order.h"
#include "gui/view/walk/ring_layout.h"

#include <cmath>

namespace lhrs::gui {

namespace {

const ProcessState* processOf(const ClusterState& state, std::uint64_t id)
{
    const auto found = state.processes.find(id);
    return found == state.processes.end() ? nullptr : &found->second;
}

QString keysWords(std::uint64_t keys) { return countedWords(keys, "key", "keys"); }

// The stage of the change under way, in words: which node answers for the range now.
QString stageWords(const ClusterState& state)
{
    const walk::RingChange& change = *state.ring.now;
    switch (state.ring.stage()) {
    case walk::RingStage::Ordered:
        return QStringLiteral("%1 still answers for its keys and copies them to %2")
            .arg(ringNodeName(state, change.giver()), ringNodeName(state, change.receiver()));
    case walk::RingStage::Given:
        return QStringLiteral("the keys are copied: no node answers until %1 is told that they are its own")
            .arg(ringNodeName(state, change.receiver()));
    case walk::RingStage::Taken:
        return QStringLiteral("%1 answers for the keys; its predecessor learns of it")
            .arg(ringNodeName(state, change.receiver()));
    }
    return {};
}

QString stepsWords(const walk::RingAsker& asker)
{
    if (asker.queries == 0)
        return QStringLiteral("no queries yet");
    return QStringLiteral("%1, %2 steps on average")
        .arg(countedWords(asker.queries, "query", "queries"))
        .arg(double(asker.steps) / double(asker.queries), 0, 'f', 1);
}

QString masterWord(const ProcessState* process)
{
    return process != nullptr && process->hasEnded ? QStringLiteral("has ended")
        : process != nullptr && process->isPaused  ? QStringLiteral("stands still")
                                                   : QString();
}

void sayNode(const ClusterState& state, std::uint64_t process, QStringList& lines)
{
    const walk::RingNode* node = state.ring.find(process);
    const bool hasRange = node != nullptr && node->hasRange;
    lines << QStringLiteral("%1: %2").arg(
        ringNodeName(state, process), nodeLookWord(nodeLookOf(state, process, nullptr), hasRange));
    if (node == nullptr)
        return;
    if (hasRange && node->from == node->id)
        lines << QStringLiteral("%1; it is alone and answers for all ids").arg(ringIdText(state, node->id));
    else if (hasRange)
        lines << QStringLiteral("%1; answers for the ids after %2 up to its own: %3 of the circle")
                     .arg(ringIdText(state, node->id), ringIdText(state, node->from).section(QLatin1Char(' '), 1),
                         shareWords(state, process));
    else if (node->hasId)
        lines << QStringLiteral("%1 will be its place in the ring").arg(ringIdText(state, node->id));
    if (hasRange && state.ring.lost.contains(process))
        lines << QStringLiteral("%1 cannot be reached, and no query passes it").arg(keysWords(node->keys));
    else if (hasRange)
        lines << keysWords(node->keys);
    if (node->successor != 0 && hasRange)
        lines << QStringLiteral("knows one node, its successor: %1").arg(ringNodeName(state, node->successor));
    if (node->answered + node->passed > 0)
        lines << QStringLiteral("%1 answered, %2 passed on")
                     .arg(countedWords(node->answered, "query", "queries"), grouped(node->passed));
    if (state.ring.now && (state.ring.now->giver() == process || state.ring.now->receiver() == process))
        lines << stageWords(state);
}

} // namespace

NodeLook nodeLookOf(const ClusterState& state, std::uint64_t process, const std::set<ProcessId>* silent)
{
    const ProcessState* known = processOf(state, process);
    if (known != nullptr && known->hasEnded)
        return NodeLook::Gone;
    if (state.ring.lost.contains(process))
        return NodeLook::Lost;
    if (known != nullptr && known->isPaused)
        return NodeLook::Paused;
    if (silent != nullptr && silent->contains(process))
        return NodeLook::Silent;
    const pb::WalkState own = state.ring.stateOf(process);
    return own == pb::WALK_JOINING ? NodeLook::Joining
        : own == pb::WALK_IN       ? NodeLook::In
        : own == pb::WALK_LEAVING  ? NodeLook::Leaving
                                   : NodeLook::Outside;
}

QString nodeLookWord(NodeLook look, bool hasRange)
{
    switch (look) {
    case NodeLook::Outside: return QStringLiteral("waits outside");
    case NodeLook::In: return QStringLiteral("in the ring");
    case NodeLook::Joining: return QStringLiteral("joins");
    case NodeLook::Leaving: return QStringLiteral("leaves");
    case NodeLook::Silent: return QStringLiteral("silent for a while");
    case NodeLook::Paused: return hasRange ? QStringLiteral("paused: queries wait at it") : QStringLiteral("paused");
    case NodeLook::Lost: return QStringLiteral("lost: the master does not hear it");
    case NodeLook::Gone: return hasRange ? QStringLiteral("has ended: its keys are lost") : QStringLiteral("has ended");
    }
    return {};
}

QString ringNodeName(const ClusterState& state, std::uint64_t process)
{
    const ProcessState* known = processOf(state, process);
    return known != nullptr && !known->name.empty() ? QString::fromStdString(known->name) : QStringLiteral("a node");
}

QString ringIdText(const ClusterState& state, std::uint64_t id)
{
    constexpr unsigned kDecimalBits = 32, kDigits = 8; // as scenarios print them
    if (state.ring.bits <= kDecimalBits)
        return QStringLiteral("id %1").arg(id);
    const unsigned digits = (state.ring.bits + 3) / 4;
    const QString all = QStringLiteral("%1").arg(id, int(digits), 16, QLatin1Char('0'));
    return QStringLiteral("id %1").arg(digits > kDigits ? all.left(kDigits) + QStringLiteral("…") : all);
}

QString shareWords(const ClusterState& state, std::uint64_t process)
{
    const walk::RingNode* node = state.ring.find(process);
    if (node == nullptr || !node->hasRange || state.ring.bits == 0)
        return QStringLiteral("0 %");
    if (node->from == node->id)
        return QStringLiteral("100 %");
    const std::uint64_t mask = state.ring.bits >= 64 ? ~0ULL : (1ULL << state.ring.bits) - 1;
    const double share = std::ldexp(double((node->id - node->from) & mask), -int(state.ring.bits)) * 100;
    return QStringLiteral("%1 %").arg(share, 0, 'f', share < 1 ? 2 : share < 10 ? 1 : 0);
}

RingNews ringNews(const ClusterState& state)
{
    const walk::RingView& ring = state.ring;
    RingNews news;
    const std::vector<const walk::RingNode*> in = ring.inRing();
    for (const walk::RingNode* node : in) {
        const ProcessState* process = processOf(state, node->process);
        const bool hasEnded = process != nullptr && process->hasEnded;
        if (!hasEnded && !ring.lost.contains(node->process))
            continue;
        news.isBad = true;
        if (news.lines.isEmpty())
            news.lines << QStringLiteral("the ring is broken at %1").arg(ringNodeName(state, node->process));
        news.lines << QStringLiteral("%1 of %2 cannot be reached, and no query passes it")
                          .arg(keysWords(node->keys), ringNodeName(state, node->process));
    }
    if (in.empty() && !ring.now)
        news.lines << QStringLiteral("no node is in the ring yet");
    if (ring.now) {
        news.lines << QStringLiteral("%1 %2").arg(ringNodeName(state, ring.now->node),
            ring.now->isLeave ? QStringLiteral("leaves") : QStringLiteral("joins"));
        if (ring.now->giver() != ring.now->receiver()) // the first node gets its range from no other node
            news.lines << stageWords(state);
    }
    if (in.empty())
        return news;
    std::uint64_t keys = 0;
    for (const walk::RingNode* node : in)
        keys += node->keys;
    news.lines << QStringLiteral("%1, %2").arg(countedWords(in.size(), "node", "nodes"), keysWords(keys));
    if (const walk::RingAsker asked = ring.asked(); asked.queries > 0)
        news.lines << stepsWords(asked);
    if (ring.adrift > 0)
        news.lines << QStringLiteral("%1 went round the ring and found no owner")
                          .arg(countedWords(ring.adrift, "query", "queries"));
    return news;
}

const RingWords& ringWords()
{
    static const RingWords kWords;
    return kWords;
}

// Which keys are lost.
std::vector<std::pair<MessageClass, QString>> ringMessageWords()
{
    return { { MessageClass::Operation, QStringLiteral("query") }, { MessageClass::Reply, QStringLiteral("answer") },
        { MessageClass::Bulk, QStringLiteral("keys that move") },
        { MessageClass::Control, QStringLiteral("orders of the master") } };
}

std::int64_t RingWords::tellingOf(const ClusterState& /*state*/) const { return 1; }

std::vector<int> RingWords::tellingKinds() const
{
    const Kind* leave = eventKindNamed("leave_ordered");
    return leave ? std::vector<int> { leave->number } : std::vector<int>();
}

std::vector<SystemWords::MessagesNamed> RingWords::messagesToBreak() const
{
    std::vector<ClassWord> classes;
    for (const auto& [messageClass, words] : ringMessageWords())
        classes.push_back({ messageClass, words });
    return messagesByClass(*pb::WalkMessage::descriptor(), classes);
}

// Those of a join and a leave, then those of queries.
QStringList RingWords::stepsToKillAt() const
{
    return { QStringLiteral("JoinOrdered"), QStringLiteral("LeaveOrdered"), QStringLiteral("KeysGiven"),
        QStringLiteral("RangeTaken"), QStringLiteral("SuccessorChanged"), QStringLiteral("NodeJoined"),
        QStringLiteral("NodeLeft"), QStringLiteral("QueryPassed"), QStringLiteral("KeyStored"),
        QStringLiteral("KeyRead") };
}

QString RingWords::wordsToFind() const { return QStringLiteral("A node, a client or a key: node-3, alice, key 4711"); }

QStringList RingWords::firstLines() const
{
    return { QStringLiteral("lab.cluster({ system: 'walk', nodes: 8, outside: 2 });"),
        QStringLiteral("lab.client('alice').run({ do: 'insert', count: 50 });") };
}

QString RingWords::warningOfKill(
    const ClusterState& state, const std::vector<ProcessId>& processes, const QString& /*names*/) const
{
    QStringList parts;
    for (const ProcessId process : processes)
        if (const walk::RingNode* node = state.ring.find(process); node != nullptr && node->hasRange)
            parts << QStringLiteral("%1 with %2").arg(ringNodeName(state, process), keysWords(node->keys));
    return parts.isEmpty() ? QString()
                           : QStringLiteral("No other process has the keys of a node: those of %1 are lost, and no "
                                            "query passes the ring there any more.")
                                 .arg(parts.join(QStringLiteral(", ")));
}

SystemWords::LaneGroup RingWords::laneGroupOf(const ClusterState& state, ObjectRef object) const
{
    return object.kind == ObjectKind::Node ? LaneGroup { 2, 0, QStringLiteral("ring"), QStringLiteral("nodes") }
                                           : SystemWords::laneGroupOf(state, object);
}

QString RingWords::nameOf(const ClusterState& state, ObjectRef object) const
{
    return object.kind == ObjectKind::Coordinator ? QStringLiteral("master")
        : object.kind == ObjectKind::File         ? QStringLiteral("ring")
                                                  : SystemWords::nameOf(state, object);
}

std::vector<ObjectRef> RingWords::objectsOf(const ClusterState& state) const
{
    std::vector<ObjectRef> objects;
    for (const ProcessId client : clientsOf(state))
        objects.push_back({ ObjectKind::Client, client, 0 });
    if (const ProcessId master = coordinatorOf(state))
        objects.push_back({ ObjectKind::Coordinator, master, 0 });
    for (const auto& nodes : { ringNodes(state), nodesOutside(state) })
        for (const std::uint64_t node : nodes)
            objects.push_back({ ObjectKind::Node, node, 0 });
    return objects;
}

QString ringObjectSentence(const ClusterState& state, ObjectRef object)
{
    if (object.kind != ObjectKind::Node && object.kind != ObjectKind::Client && object.kind != ObjectKind::Coordinator)
        return {};
    QStringList lines = ringObjectDetails(state, object);
    if (object.kind == ObjectKind::Node)
        lines[0] = QStringLiteral("Node %1, %2")
                       .arg(lines[0].section(QStringLiteral(": "), 0, 0), lines[0].section(QStringLiteral(": "), 1));
    lines.removeIf([](const QString& line) { return line.startsWith(QLatin1String("process ")); });
    QString sentence = lines.join(QStringLiteral(", "));
    sentence[0] = sentence[0].toUpper();
    return sentence;
}

QStringList ringObjectDetails(const ClusterState& state, ObjectRef object)
{
    const ProcessState* process = processOf(state, object.a);
    QStringList lines;
    if (process == nullptr)
        return lines;
    if (object.kind == ObjectKind::Node) {
        sayNode(state, object.a, lines);
    } else if (object.kind == ObjectKind::Client) {
        const auto asker = state.ring.askers.find(object.a);
        lines << ringWords().nameOf(state, object);
        lines << stepsWords(asker == state.ring.askers.end() ? walk::RingAsker {} : asker->second);
        lines << QStringLiteral("asks any node of the ring; the query goes on from node to successor");
    } else if (object.kind == ObjectKind::Coordinator) {
        const QString word = masterWord(process);
        lines << (word.isEmpty() ? QStringLiteral("master") : QStringLiteral("master: %1").arg(word));
        lines << QStringLiteral("lets nodes join and leave, one after the other; no query passes it");
        const walk::RingView& ring = state.ring;
        lines << QStringLiteral("%1, %2, %3 undone")
                     .arg(countedWords(ring.joins, "join", "joins"), countedWords(ring.leaves, "leave", "leaves"))
                     .arg(ring.undone);
    } else {
        return lines;
    }
    for (const auto& [number, fault] : process->faults)
        lines << QStringLiteral("fault on purpose: %1").arg(QString::fromStdString(fault.words));
    lines << QStringLiteral("process %1, pid %2, %3")
                 .arg(QString::fromStdString(process->name))
                 .arg(process->pid)
                 .arg(QString::fromStdString(process->address));
    return lines;
}

} // namespace lhrs::gui
