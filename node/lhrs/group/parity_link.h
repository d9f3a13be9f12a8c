// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/ids.h"
#include "common/ring.h"
#include "node/machine/node_context.h"
#include "proto/message.pb.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// A data bucket's way to its parity buckets (lhrs.md 4.2): every change gets the next sequence number and goes as a
// Delta to all of them at once; it is done when every one that is UP in the view has acknowledged it. Changes are done
// in the order of their numbers, because acknowledgements are cumulative.
class ParityLink {
public:
    // A change that is under way.
    struct Change {
        Sequence sequence = 0;
        pb::ChangeKind kind = pb::CHANGE_UNKNOWN;
        Rank rank;
        Key key;
        std::uint32_t length = 0;
        std::string delta;
        pb::RequestId request;
        std::uint64_t doneBelow = 0;
        Address client; // whom the reply goes to
        pb::Reply reply; // all but its request
        std::uint64_t split = 0;     // a batch: of this split
        bool isDecided = true;       // a batch: committed or aborted, so that parity buckets may apply it
        Time sent {};
        bool isResent = false;
        bool isSilent = false;       // no reply is wanted
        std::uint64_t grownTo = 0;   // sum of growth() up to this change
    };

    ParityLink(NodeContext& context, GroupNumber group, Position position, Incarnation incarnation);

    // Takes the view's parity buckets and epoch; what they have not acknowledged is sent again under the new epoch.
    void setView(const pb::View& view, Time now, Effects& out);
    Epoch epoch() const { return m_epoch; }

    // A recovered bucket goes on from the cut: everything up to it is at all parity buckets.
    void restore(Sequence cut);

    // The next change, to be filled in and given to send().
    std::unique_ptr<Change> begin();
    // The change that begins next makes a bucket grow by about so many bytes.
    void grow(std::uint64_t bytes) { m_grown += bytes; }
    // The first parity bucket that has no room for so many further bytes, as far as it has said.
    std::optional<ParityColumn> fullFor(std::uint64_t bytes) const;
    // Bytes of the changes that are kept until all parity buckets have them.
    std::uint64_t pendingBytes() const { return m_pendingBytes; }
    void send(std::unique_ptr<Change> change, Time now, Effects& out);
    // A batch takes the next number; its blocks travel by the split. Undecided until decideBatch().
    Sequence beginBatch(std::uint64_t split);
    void decideBatch(std::uint64_t split, Time now);

    // Tells the coordinator that the parity bucket of this incarnation does not answer such messages.
    void alarm(Incarnation silent, const char* what, Time now, Effects& out);
    // Returns false for an acknowledgement that is not for this incarnation, or not `from` the parity bucket of the view.
    bool onDeltaAck(const pb::DeltaAck& ack, Incarnation from, Time now);
    void onDeltaNak(const pb::DeltaNak& nak, Time now, Effects& out);
    // Hands out the changes that are done, in order.
    template <typename Done>
    void takeDone(const Done& done)
    {
        const Sequence held = heldByAll();
        const Sequence first = m_pending.isEmpty() ? m_done + 1 : m_pending.front()->sequence;
        for (std::size_t i = first > m_done ? 0 : std::size_t(m_done - first + 1); i < m_pending.size() && m_pending[i]->sequence <= held; ++i) {
            m_done = m_pending[i]->sequence;
            m_deletes -= m_pending[i]->kind == pb::CHANGE_DELETE ? 1 : 0;
            done(*m_pending[i]);
        }
        forgetDone(held);
    }

    Sequence sequence() const { return m_sequence; }
    // The last change that the records show; a batch shows when it is decided.
    Sequence lastChange() const { return m_undecided != 0 ? m_undecided - 1 : m_sequence; }
    // Every change up to this is at all parity buckets that are UP.
    Sequence heldByAll() const;
    bool isIdle() const { return m_pending.isEmpty(); }
    std::uint32_t pending() const { return std::uint32_t(m_pending.size()); }
    // Whether a delete of this key is under way (a record's own changes show in its version).
    bool isBeingDeleted(Key key, Sequence& by) const;

    struct Column {
        HolderInfo holder;
        bool isUp = false;
        Sequence acknowledged = 0;
        // Where it was UP first: changes up to this one may be acknowledged although it lacks them.
        Sequence needed = 0;
        bool isWhole() const { return acknowledged >= needed; }
        std::uint32_t tries = 0;
        Time due = Time::max();
        std::uint64_t grownTo = 0;        // of the last change that it has acknowledged
        std::optional<std::uint64_t> room; // what may be on its way beyond that, as it said; nothing: it has not spoken
    };
    // Ascending; each change looks at all of them several times.
    using Columns = std::vector<std::pair<ParityColumn, Column>>;
    const Columns& columns() const { return m_columns; }
    // Null: the view has no such column.
    const Column* column(ParityColumn p) const;
    // The change of this number, while somebody may still want it again.
    const Change* pendingChange(Sequence sequence) const;

    void onTime(Time now, Effects& out);
    Time deadline() const;

private:
    Column* columnOf(ParityColumn p) { return const_cast<Column*>(std::as_const(*this).column(p)); }
    void forgetDone(Sequence held);
    void sendTo(const Column& to, const Change& change, std::uint32_t tries, Effects& out) const;
    void resend(Column& column, Time now, Effects& out);
    void measureRoundTrip(Sequence before, Sequence applied, Time now);
    Time dueAfterAck(const Column& column, Time now) const;
    Time interval(const Column& column) const;

    NodeContext& m_context;
    const GroupNumber m_group;
    const Position m_position;
    const Incarnation m_incarnation;
    Epoch m_epoch;
    Sequence m_sequence = 0;
    Columns m_columns;
    Ring<std::unique_ptr<Change>> m_pending; // ascending by sequence, without gaps; some are done and kept for resends
    Sequence m_done = 0;                           // handed out by takeDone
    std::vector<std::unique_ptr<Change>> m_spare;  // used again, with their memory
    Sequence m_undecided = 0;                      // of the batch that waits for its decision
    std::uint32_t m_deletes = 0;                   // pending ones
    Time m_roundTrip {};
    std::uint64_t m_grown = 0;        // by all changes so far
    std::uint64_t m_pendingBytes = 0;
};

} // namespace lhrs
