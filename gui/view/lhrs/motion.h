// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/lhrs/cluster_picture.h"
#include "gui/view/system/message_motion.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace lhrs::gui {

// What moves in the picture of a file: messages as dots, records between two buckets, invitations around a pool, and
// short marks where something happened. All times are those of the pacer's clock.
class Motion {
public:
    static constexpr std::size_t kDots = MessageMotion::kDots, kRibbons = MessageMotion::kRibbons;
    static constexpr std::size_t kRecords = 150; // squares of one block of records
    static constexpr std::size_t kContents = 8; // squares of the contents that one bucket sends to a parity bucket

    // To be called after each Pacer::advance().
    void take(const Pacer& pacer, double seconds);
    void clear();
    // Reduced motion: nothing travels.
    void setReduced(bool on)
    {
        m_isReduced = on;
        m_messages.setReduced(on);
    }
    // The next frame will look different.
    bool isMoving(double clock) const;
    void draw(const PictureInput& input, double clock, DisplayList& out) const;
    // The links by their rates. They change slowly, so they may be drawn less often.
    using Ribbons = RibbonsDrawn;
    Ribbons drawRibbons(const PictureInput& input, DisplayList& out) const;
    static QString ribbonNote(const Ribbons& ribbons) { return gui::ribbonNote(ribbons); }
    // How much detail is drawn, in words; empty when nothing moves.
    QString footNote(const Pacer& pacer) const { return m_messages.footNote(pacer); }

    std::size_t messagesUnderWay() const { return m_messages.flights().size(); }
    std::size_t recordsUnderWay() const { return m_records.size(); }
    std::size_t bands() const { return m_messages.bands().size(); }

private:
    using OperationKey = MessageMotion::OperationKey;
    struct Record {
        ObjectRef from, to; // buckets; in a recovery, `from` is the recovery manager
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
    static bool holds(Holds words, Condition now);
    struct Pulse {
        ObjectRef object;
        std::uint32_t rank = 0; // 0: the whole card
        QColor colour;
        Glyph glyph = Glyph::None;
        QString text;
        QStringList shorter; // the same for narrower cards, the longest first
        double start = 0, end = 0;
        Holds holds = Holds::WhileHere;
        bool isOfFailure = false,
             isOfEnd = false; // what it says: of a failure in a group, or that its buckets are back
    };
    void plan(const ShownEvent& event, double clock, const ClusterState& state);
    void planRecords(ObjectRef from, ObjectRef to, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& ranks,
        const ShownEvent& event, double clock);
    // Its words for a card of this width.
    static QString wordsWithin(const Theme& theme, qreal width, const Pulse& pulse);
    void dropOlderWords(const Pulse& pulse, const pb::Event& body, std::uint32_t m);
    bool failurePulse(const ShownEvent& event, const pb::Event& body, std::uint32_t m, Pulse& pulse) const;
    void start(const ShownEvent& event, const Pacer& pacer);
    MessageMotion::Look messageLook(const ShownEvent& event, const pb::MessageSent& sent, MessageClass ofKind) const;
    void pulse(const ShownEvent& event, const pb::Event& body, double clock, std::uint32_t m);
    void pulseChanges(Pulse pulse, const google::protobuf::RepeatedField<std::uint32_t>& ranks,
        const google::protobuf::RepeatedField<int>& kinds);

    void drawRecords(const PictureInput& in, double clock, DisplayList& out) const;
    // `taken`: rectangles of labels that are drawn already.
    void drawMessages(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const;
    void drawBundle(const PictureInput& in, DisplayList& out) const;
    void drawPulses(const PictureInput& in, double clock, std::vector<QRectF>& taken, DisplayList& out) const;

    bool m_isReduced = false;
    std::optional<Pacer::Bundle> m_bundle; // of operations that are shown together now
    MessageMotion m_messages;
    std::vector<Record> m_records;
    std::vector<Invitation> m_invitations;
    std::vector<Pulse> m_pulses;
    std::set<OperationKey> m_adjusted; // operations whose reply brings an image adjustment
    std::map<std::uint32_t, std::uint32_t> m_managers; // group -> column of its recovery manager
};

} // namespace lhrs::gui
