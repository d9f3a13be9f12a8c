// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/object_ref.h"

#include <QObject>

#include <cstdint>
#include <utility>

namespace lhrs::gui {

// What is selected and what the mouse is over: one for the whole window, the same in all views.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    ObjectRef selected() const { return m_selected; }
    ObjectRef hovered() const { return m_hovered; }
    // Rank of the record group that a table points at; 0: none.
    std::uint32_t rank() const { return m_rank; }

    // An operation that is followed, by client and number; client 0: none.
    std::pair<std::uint64_t, std::uint64_t> operation() const { return m_operation; }

    void select(ObjectRef object)
    {
        if (object == m_selected)
            return;
        m_selected = object;
        emit selectionChanged();
    }
    void hover(ObjectRef object)
    {
        if (object == m_hovered)
            return;
        m_hovered = object;
        emit hoverChanged();
    }
    void setRank(std::uint32_t rank)
    {
        if (rank == m_rank)
            return;
        m_rank = rank;
        emit hoverChanged();
    }
    void selectOperation(std::pair<std::uint64_t, std::uint64_t> operation)
    {
        if (operation == m_operation)
            return;
        m_operation = operation;
        emit operationChanged();
    }

signals:
    void selectionChanged();
    void hoverChanged();
    void operationChanged();

private:
    ObjectRef m_selected, m_hovered;
    std::uint32_t m_rank = 0;
    std::pair<std::uint64_t, std::uint64_t> m_operation { 0, 0 };
};

} // namespace lhrs::gui
