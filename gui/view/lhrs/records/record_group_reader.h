// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/words/lhrs/record_group.h"
#include "gui/show/pacer.h"
#include "gui/view/lhrs/records/record_table.h"

#include <QObject>

#include <optional>

namespace lhrs::gui {

// Fills a record group with bytes: reads the one rank from the live places, again when they change, and keeps the bytes
// as a witness. Called once per frame.
class RecordGroupReader : public QObject {
    Q_OBJECT
public:
    RecordGroupReader(const Pacer& pacer, ContentsSource& source, WitnessBook& witnesses, QObject* parent = nullptr);

    void setGroup(std::uint32_t group, std::uint32_t rank);
    void clear();
    // Takes what is new, `now` in seconds. True: the group has changed.
    bool refresh(double now);
    // Nothing: there is no such group.
    const std::optional<RecordGroup>& group() const { return m_group; }
    // Keeps all members that have been read as they are now, until they are released; returns how many.
    int pin();
    void unpin();
    bool isPinned() const;
    // If false, no process is asked, because the window shows no running cluster or another instant of it.
    void setReading(bool isAllowed)
    {
        m_isNew = m_isNew || isAllowed != m_isAllowed;
        m_isAllowed = isAllowed;
    }
    bool isReading() const { return m_isAllowed; }

private:
    struct Reading {
        ProcessId process = 0;
        std::uint64_t stamp = 0; // of the place at the time of the request
        bool isAsked = false, isHere = false;
        double askedAt = -1e9;
        MemberRecord record;
        std::string trouble;
    };
    std::uint64_t stampOf(const GroupMember& member) const;
    void ask(std::size_t index, const GroupMember& member, std::uint64_t stamp);

    const Pacer& m_pacer;
    ContentsSource& m_source;
    WitnessBook& m_witnesses;
    bool m_isOpen = false, m_isAllowed = true, m_isNew = true;
    std::uint32_t m_number = 0, m_rank = 0;
    std::optional<RecordGroup> m_group;
    std::vector<Reading> m_readings; // parallel to the members
    std::uint64_t m_generation = 0, m_version = 0;
    double m_now = 0;
};

} // namespace lhrs::gui
