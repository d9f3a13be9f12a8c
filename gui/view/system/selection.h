// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/show/words/object_ref.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <utility>

namespace lhrs::gui {

// An operation by its client and number; client 0: none.
using OperationId = std::pair<std::uint64_t, std::uint64_t>;

// What is under the mouse in a view: a place or process, a part of it, an operation, an instant.
struct Pointed {
    ObjectRef object {};
    OperationId operation { 0, 0 };
    std::uint32_t part = 0; // number of a part of the object, for example of a record; 0: none
    std::optional<std::int64_t> atNs {}; // on the run's clock
    bool operator==(const Pointed&) const = default;
};

// What is selected and what is under the mouse: one state for the whole window, the same in all views. Each view
// reports what the mouse is over in it, and marks what the mouse is over in the others.
class Selection : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    ObjectRef selected() const { return m_selected; }
    const Pointed& pointed() const { return m_pointed; }
    ObjectRef hovered() const { return m_pointed.object; }
    // The number of the part under the mouse in a table or a picture, else of the selected one; 0: none.
    std::uint32_t part() const { return m_pointed.part != 0 ? m_pointed.part : m_part; }
    // The number of the selected part, whatever the mouse is over.
    std::uint32_t chosenPart() const { return m_part; }
    // The object that part() is a part of.
    ObjectRef partObject() const { return m_pointed.part != 0 ? m_pointed.object : m_selected; }

    // The operation that is followed.
    OperationId operation() const { return m_operation; }
    // The operation that is marked: the one under the mouse, else the one that is followed.
    OperationId shownOperation() const { return m_pointed.operation.first != 0 ? m_pointed.operation : m_operation; }

    void select(ObjectRef object)
    {
        if (object == m_selected)
            return;
        m_selected = object;
        emit selectionChanged();
    }
    // The mouse is over something else, or over nothing.
    void point(const Pointed& pointed)
    {
        if (pointed == m_pointed)
            return;
        m_pointed = pointed;
        emit hoverChanged();
    }
    void hover(ObjectRef object) { point({ object }); }
    // Selects a part of the selected object.
    void setPart(std::uint32_t part)
    {
        if (part == m_part)
            return;
        m_part = part;
        emit hoverChanged();
    }
    void selectOperation(OperationId operation)
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
    ObjectRef m_selected;
    Pointed m_pointed;
    std::uint32_t m_part = 0;
    OperationId m_operation { 0, 0 };
};

} // namespace lhrs::gui
