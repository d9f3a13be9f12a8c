// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/canvas/cluster_canvas.h"

#include <QAccessible>
#include <QAccessibleWidget>

#include <algorithm>
#include <map>

namespace lhrs::gui {

namespace {

std::vector<ObjectRef> objectsOf(const ClusterCanvas& canvas)
{
    return wordsOf(canvas.state()).objectsOf(canvas.state());
}

// One object of the canvas, as a list entry whose name describes it in one sentence.
class ObjectAccessible : public QAccessibleInterface {
public:
    ObjectAccessible(ClusterCanvas* canvas, ObjectRef object) : m_canvas(canvas), m_object(object) { }

    bool isValid() const override { return m_canvas != nullptr; }
    QObject* object() const override { return nullptr; }
    QWindow* window() const override { return m_canvas->window()->windowHandle(); }
    QAccessibleInterface* parent() const override { return QAccessible::queryAccessibleInterface(m_canvas); }
    QAccessibleInterface* child(int) const override { return nullptr; }
    QAccessibleInterface* childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface*) const override { return -1; }
    QAccessible::Role role() const override { return QAccessible::ListItem; }
    QRect rect() const override
    {
        const QRect inside = m_canvas->rectOf(m_object).toRect();
        return QRect(m_canvas->mapToGlobal(inside.topLeft()), inside.size());
    }
    QString text(QAccessible::Text t) const override
    {
        if (t == QAccessible::Name)
            return m_canvas->view().sentenceOf(m_canvas->state(), m_object);
        if (t == QAccessible::Description)
            return m_canvas->view().detailsOf(m_canvas->state(), m_object).join(QStringLiteral(". "));
        return {};
    }
    void setText(QAccessible::Text, const QString&) override { }
    QAccessible::State state() const override
    {
        QAccessible::State state;
        state.selectable = state.focusable = true;
        state.selected = state.focused = m_canvas->selection().selected() == m_object;
        return state;
    }
    ObjectRef ref() const { return m_object; }

private:
    ClusterCanvas* m_canvas;
    ObjectRef m_object;
};

class CanvasAccessible : public QAccessibleWidget {
public:
    explicit CanvasAccessible(ClusterCanvas* canvas)
        : QAccessibleWidget(canvas, QAccessible::List), m_canvas(canvas) { }
    ~CanvasAccessible() override
    {
        for (const auto& [object, id] : m_children)
            QAccessible::deleteAccessibleInterface(id);
    }

    int childCount() const override { return int(objectsOf(*m_canvas).size()); }
    QAccessibleInterface* child(int index) const override
    {
        const std::vector<ObjectRef> objects = objectsOf(*m_canvas);
        if (index < 0 || index >= int(objects.size()))
            return nullptr;
        return of(objects[std::size_t(index)]);
    }
    QAccessibleInterface* childAt(int x, int y) const override
    {
        const ObjectRef object = m_canvas->restingPicture().hitTest(m_canvas->mapFromGlobal(QPoint(x, y)));
        return indexOf(object) >= 0 ? of(object) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface* child) const override
    {
        const auto* entry = dynamic_cast<const ObjectAccessible*>(child);
        return entry ? indexOf(entry->ref()) : -1;
    }
    QAccessibleInterface* focusChild() const override
    {
        const ObjectRef selected = m_canvas->selection().selected();
        return m_canvas->hasFocus() && indexOf(selected) >= 0 ? of(selected) : nullptr;
    }

private:
    int indexOf(ObjectRef object) const
    {
        const std::vector<ObjectRef> objects = objectsOf(*m_canvas);
        const auto found = std::find(objects.begin(), objects.end(), object);
        return found == objects.end() ? -1 : int(found - objects.begin());
    }
    QAccessibleInterface* of(ObjectRef object) const
    {
        const auto known = m_children.find(object);
        if (known != m_children.end())
            return QAccessible::accessibleInterface(known->second);
        auto* made = new ObjectAccessible(m_canvas, object); // owned by Qt's registry from the next line on
        m_children[object] = QAccessible::registerAccessibleInterface(made);
        return made;
    }

    ClusterCanvas* m_canvas;
    mutable std::map<ObjectRef, QAccessible::Id> m_children;
};

QAccessibleInterface* makeCanvasAccessible(const QString&, QObject* object)
{
    auto* canvas = qobject_cast<ClusterCanvas*>(object);
    return canvas ? new CanvasAccessible(canvas) : nullptr;
}

} // namespace

void registerCanvasAccessibility()
{
    static const bool isInstalled = [] {
        QAccessible::installFactory(makeCanvasAccessible);
        return true;
    }();
    Q_UNUSED(isInstalled)
}

} // namespace lhrs::gui
