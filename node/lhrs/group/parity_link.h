// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "common/lhrs/file_ids.h"
#include "common/ring.h"
#include "node/lhrs/group/server_context.h"
#include "proto/message.pb.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lhrs {

// A data bucket's connection to its parity buckets. Every change gets the next sequence number and is sent as a Delta
// to all of them at once. It is done when every parity bucket that is UP in the view has acknowledged it. Changes are
// done in the order of their numbers, because acknowledgements are cumulative.
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
        Address client; // the receiver of the reply
        pb::Reply reply; // without its request
        std::uint64_t split = 0; // the split to which this batch belongs; 0: no batch
        bool isDecided = true; // false: an undecided batch, which parity buckets must not apply
        Time sent {};
        bool isResent = false;
        bool isSilent = false; // no reply is wanted
        std::uint64_t grownTo = 0; // sum of growth() up to this change
    };

    ParityLink(ServerContext& context, GroupNumber group, Position position, Incarnation incarnation);

    // Takes in the parity buckets and the epoch of the view. What they have not acknowledged is sent again under the
    // new epoch.
    void setView(const pb::View& view, Time now, Effects& out);
    Epoch epoch() const { return m_epoch; }

    // A recovered bucket continues from the cut: all parity buckets have everything up to it.
    void restore(Sequence cut);

    // Returns the next change; the caller fills it in and passes it to send().
    std::unique_ptr<Change> begin();
    // The next change to begin will make a bucket grow by about this many bytes.
    void grow(std::uint64_t bytes) { m_grown += bytes; }
    // The first parity bucket that has no room for this many further bytes, according to its last acknowledgement.
    std::optional<ParityColumn> fullFor(std::uint64_t bytes) const;
    // Bytes of the changes that are kept until all parity buckets have them.
    std::uint64_t pendingBytes() const { return m_pendingBytes; }
    void send(std::unique_ptr<Change> change, Time now, Effects& out);
    // A batch takes the next number; its blocks are sent by the split. It remains undecided until decideBatch().
    Sequence beginBatch(std::uint64_t split);
    void decideBatch(std::uint64_t split, Time now);

    // Reports to the coordinator that the parity bucket of this incarnation does not answer messages of this kind.
    void alarm(Incarnation silent, const char* what, Time now, Effects& out);
    // Returns false for an acknowledgement that names another incarnation, or does not come from the parity bucket in
    // the view.
    bool onDeltaAck(const pb::DeltaAck& ack, Incarnation from, Time now);
    void onDeltaNak(const pb::DeltaNak& nak, Time now, Effects& out);
    // Passes on the changes that are done, in order.
    template <typename Done> void takeDone(const Done& done)
    {
        const Sequence held = heldByAll();
        const Sequence first = m_pending.isEmpty() ? m_done + 1 : m_pending.front()->sequence;
        for (std::size_t i = first > m_done ? 0 : std::size_t(m_done - first + 1);
             i < m_pending.size() && m_pending[i]->sequence <= held; ++i) {
            m_done = m_pending[i]->sequence;
            m_deletes -= m_pending[i]->kind == pb::CHANGE_DELETE ? 1 : 0;
            done(*m_pending[i]);
        }
        forgetDone(held);
    }

    Sequence sequence() const { return m_sequence; }
    // The last change included in the records; a batch is included only once it is decided.
    Sequence lastChange() const { return m_undecided != 0 ? m_undecided - 1 : m_sequence; }
    // Every parity bucket that is UP has all changes up to this one.
    Sequence heldByAll() const;
    bool isIdle() const { return m_pending.isEmpty(); }
    std::uint32_t pending() const { return std::uint32_t(m_pending.size()); }
    // Whether a delete of this key is under way. (Changes of an existing record are visible in its version.)
    bool isBeingDeleted(Key key, Sequence& by) const;

    struct Column {
        HolderInfo holder;
        bool isUp = false;
        Sequence acknowledged = 0;
        // The last change at the time when this column became UP: changes up to it may be acknowledged to clients
        // although the column lacks them.
        Sequence needed = 0;
        bool isWhole() const { return acknowledged >= needed; }
        std::uint32_t tries = 0;
        Time due = Time::max();
        std::uint64_t grownTo = 0; // grownTo of the last change that it has acknowledged
        std::optional<std::uint64_t> room; // bytes that may be under way beyond grownTo; unset: not reported yet
    };
    // Ascending. Each change iterates over all columns several times.
    using Columns = std::vector<std::pair<ParityColumn, Column>>;
    const Columns& columns() const { return m_columns; }
    // Null: the view has no such column.
    const Column* column(ParityColumn p) const;
    // The change of this number, as long as it may have to be sent again.
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

    ServerContext& m_context;
    const GroupNumber m_group;
    const Position m_position;
    const Incarnation m_incarnation;
    Epoch m_epoch;
    Sequence m_sequence = 0;
    Columns m_columns;
    Ring<std::unique_ptr<Change>> m_pending; // ascending without gaps; some are done and are kept for resends
    Sequence m_done = 0; // the last one passed on by takeDone
    std::vector<std::unique_ptr<Change>> m_spare; // changes whose memory is reused
    Sequence m_undecided = 0; // number of the batch that waits for its decision; 0: none
    std::uint32_t m_deletes = 0; // pending deletes
    Time m_roundTrip {};
    std::uint64_t m_grown = 0; // total growth by all changes so far, in bytes
    std::uint64_t m_pendingBytes = 0;
};

} // namespace lhrs
