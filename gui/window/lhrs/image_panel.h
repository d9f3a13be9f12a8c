// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/panels/lhrs/image_view.h"

#include <QWidget>

class QLineEdit;
class QPushButton;
class QScrollArea;

namespace lhrs::gui {

class Actions;

// The client's image beside the true file state, with a field to try a key: its address by image and by file and its
// path, computed without sending anything. A button sends a search for it.
class ImagePanel : public QWidget {
    Q_OBJECT
public:
    ImagePanel(const Pacer& pacer, Selection& selection, Actions& actions, QWidget* parent = nullptr);

    ImageView& view() { return *m_view; }
    QScrollArea& scroll() { return *m_scroll; }
    // The key in the field; nothing: the field is empty or not a number.
    std::optional<std::uint64_t> key() const;
    void focusKey();
    void setTheme(const Theme& theme);

private:
    void follow();

    ImageView* m_view;
    QScrollArea* m_scroll;
    QLineEdit* m_key;
};

} // namespace lhrs::gui
