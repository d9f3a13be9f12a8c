// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/system/system_words.h"

#include <QString>
#include <QStringList>

#include <cstdint>
#include <set>
#include <vector>

namespace lhrs::gui {

// The state of a node of a ring. Later values have priority: a node that has ended is not called paused.
enum class NodeLook { Outside, In, Joining, Leaving, Silent, Paused, Lost, Gone };
// `silent`: processes that have been silent for a while; may be null.
NodeLook nodeLookOf(const ClusterState& state, std::uint64_t process, const std::set<ProcessId>* silent);
// "in the ring", "joins", "has ended: its keys are lost"
QString nodeLookWord(NodeLook look, bool hasRange);

// "node-3"
QString ringNodeName(const ClusterState& state, std::uint64_t process);
// "id 4711"; in a ring of more than 32 bits the beginning of a hexadecimal number.
QString ringIdText(const ClusterState& state, std::uint64_t id);
// The share of all ids that the node answers for: "12 %".
QString shareWords(const ClusterState& state, std::uint64_t process);
// The text in the middle of the circle, the most important line first. `isBad`: the ring is broken.
struct RingNews {
    QStringList lines;
    bool isBad = false;
};
RingNews ringNews(const ClusterState& state);

// The classes of its messages, as a ring calls them.
std::vector<std::pair<MessageClass, QString>> ringMessageWords();
// One sentence for a screen reader.
QString ringObjectSentence(const ClusterState& state, ObjectRef object);
QStringList ringObjectDetails(const ClusterState& state, ObjectRef object);

// What is said of the things of a ring outside its picture.
class RingWords : public SystemWords {
public:
    // The coordinator of a ring is its master.
    QString nameOf(const ClusterState& state, ObjectRef object) const override;
    // Clients, the master, the nodes in the order of their ids, the nodes outside.
    std::vector<ObjectRef> objectsOf(const ClusterState& state) const override;
    QString wordsToFind() const override;
    QStringList firstLines() const override;
    QString warningOfKill(
        const ClusterState& state, const std::vector<ProcessId>& processes, const QString& names) const override;
    std::vector<MessagesNamed> messagesToBreak() const override;
    QStringList stepsToKillAt() const override;
    // A node that is about to leave, when all nodes are in the ring and have keys.
    std::int64_t tellingOf(const ClusterState& state) const override;
    std::vector<int> tellingKinds() const override;
    LaneGroup laneGroupOf(const ClusterState& state, ObjectRef object) const override;
};
const RingWords& ringWords();

} // namespace lhrs::gui
