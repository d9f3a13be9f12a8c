// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/cluster/cluster_picture.h"
#include "gui/show/pacer.h"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace lhrs::gui {

// What moves on the canvas: messages as dots, records between two buckets, invitations around a pool, and short marks
// where something happened. All times are those of the pacer's clock. Up to kDots messages of operations are drawn one
// by one. Above that, and while the picture is live, sampled messages stand for many, and ribbons show the rates of the
// links. Structural changes, resends and losses are never thinned out.
class Motion {
public:
    static constexpr std::size_t kDots = 150;
    static constexpr std::size_t kUnthinned = 600; // for messages that are never thinned out: a bound on memory
    static constexpr std::size_t kRibbons = 48;    // the busiest links
    static constexpr std::size_t kRecords = 150; // squares of one block of records
    static constexpr std::size_t kContents = 8;  // squares of the contents that one bucket sends to a parity bucket
    static constexpr std::size_t kChains = 10;   // operations that are followed in a live picture

    // To be called after each Pacer::advance().
    void take(const Pacer& pacer, double seconds);
    void clear();
    // Reduced motion: nothing travels.
    void setReduced(bool on) { m_isReduced = on; }
    // The next frame will look different.
    bool isMoving(double clock) const;
    void draw(const PictureInput& input, double clock, DisplayList& out) const;
    // The links by their rates. They change slowly, so they may be drawn less often.
    struct Ribbons {
        std::size_t drawn = 0, links = 0;
        double most = 0; // messages per second of the widest ribbon
    };
    Ribbons drawRibbons(const PictureInput& input, DisplayList& out) const;
    static QString ribbonNote(const Ribbons& ribbons);
    // How much detail is drawn, in words; empty when nothing moves.
    QString footNote(const Pacer& pacer) const;

    std::size_t messagesUnderWay() const { return m_messages.size(); }
    std::size_t recordsUnderWay() const { return m_records.size(); }
    std::size_t bands() const { return m_bands.size(); }

private:
    using OperationKey = std::pair<std::uint64_t, std::uint64_t>;
    struct Message {
        MessageClass messageClass = MessageClass::Control;
        ProcessId from = 0, to = 0;
        double start = 0, end = 0;
        bool isResend = false, isLost = false;
        QString label {};
        bool isThinned = false; // one of many messages of its kind: it may be left out
    };
    struct Record {
        ObjectRef from, to;        // buckets; in a recovery, `from` is the recovery manager
        std::uint32_t fromRank = 0, toRank = 0; // 0: the whole card
        double start = 0, end = 0;
    };
    struct Invitation {
        ProcessId from = 0;
        pb::Role pool = pb::NO_ROLE;
        std::uint32_t count = 0;
        double start = 0, end = 0;
    };
    // When words are shown beside a card, by what the card itself shows.
    enum class Holds { Always, WhileHere, WhileDown, WhenBack };
    static bool holds(Holds words, Look look);
    struct Pulse {
        ObjectRef object;
        std::uint32_t rank = 0; // 0: the whole card
        QColor colour;
        Glyph glyph = Glyph::None;
        QString text;
        double start = 0, end = 0;
        Holds holds = Holds::WhileHere;
        bool isOfFailure = false, isOfEnd = false; // what it says: of a failure in a group, or that its buckets are back
    };
    struct Band {
        double perSecond = 0;
        std::uint32_t count = 0; // since the last frame
    };
    using BandKey = std::tuple<ProcessId, ProcessId, MessageClass>;
    // An operation that is followed in a live picture: when each process is ready for its next message.
    struct Chain {
        std::unordered_map<ProcessId, double> ready;
        double last = 0;
        bool isDone = false;
    };

    void plan(const ShownEvent& event, double clock, const ClusterState& state);
    void planRecords(ObjectRef from, ObjectRef to, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranks, const ShownEvent& event, double clock);
    void dropOlderWords(const Pulse& pulse, const pb::Event& body, std::uint32_t m);
    bool failurePulse(const ShownEvent& event, const pb::Event& body, std::uint32_t m, Pulse& pulse) const;
    void start(const ShownEvent& event, const Pacer& pacer);
    void startMessage(const ShownEvent& event, const pb::MessageSent& sent, const Pacer& pacer);
    void pulse(const ShownEvent& event, const pb::Event& body, double clock, std::uint32_t m);
    void pulseChanges(Pulse pulse, const google::protobuf::RepeatedField<std::uint32_t>& ranks, const google::protobuf::RepeatedField<int>& kinds);
    void learnAddresses(const ClusterState& state);
    ProcessId receiverOf(const pb::MessageSent& sent) const;

    void drawRecords(const PictureInput& in, double clock, DisplayList& out) const;
    // `taken`: rectangles of labels that are drawn already.
    void drawMessages(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const;
    void drawBundle(const PictureInput& in, DisplayList& out) const;
    void drawPulses(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const;

    bool m_isReduced = false;
    std::optional<Pacer::Bundle> m_bundle; // of operations that are shown together now
    std::vector<Message> m_messages;
    std::vector<Record> m_records;
    std::vector<Invitation> m_invitations;
    std::vector<Pulse> m_pulses;
    std::map<BandKey, Band> m_bands;
    std::map<OperationKey, Chain> m_chains;
    std::map<OperationKey, QString> m_labels;  // of operations whose messages are drawn one by one
    std::set<OperationKey> m_adjusted;         // operations whose reply brings an image adjustment
    std::map<std::uint32_t, std::uint32_t> m_managers; // group -> column of its recovery manager
    std::unordered_map<std::string, ProcessId> m_byAddress;
    std::size_t m_processes = 0;
    std::map<std::pair<ProcessId, std::uint64_t>, std::int64_t> m_sent; // run time of messages that have not arrived
    std::deque<std::int64_t> m_transits;                                // run time that messages needed, newest last
    double m_messagesSeen = 0, m_messagesDrawn = 0;                     // recently, of those that may be thinned out
    std::size_t m_thinned = 0; // messages under way that may be thinned out
    std::size_t m_notDrawn = 0; // in this frame, of the messages that may not be thinned out
};

} // namespace lhrs::gui
