// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLayout>
#include <QList>

namespace lhrs::gui {

// Lays widgets out like words: in as many rows as the width requires.
class FlowLayout : public QLayout {
public:
    explicit FlowLayout(QWidget* parent, int spacing = 6);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return int(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize minimumSize() const override;
    QSize sizeHint() const override { return minimumSize(); }
    void setGeometry(const QRect& rect) override;
    // The width that is needed for all widgets in one row.
    int oneRowWidth() const;

private:
    int arrange(const QRect& rect, bool isReal) const;

    QList<QLayoutItem*> m_items;
};

} // namespace lhrs::gui
