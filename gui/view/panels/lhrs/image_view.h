// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/time/frame_clock.h"
#include "gui/view/panels/lhrs/image_picture.h"
#include "gui/show/pacer.h"
#include "gui/view/system/selection.h"

#include <QWidget>

#include <optional>

namespace lhrs::gui {

// Shows the images of clients: of the selected client, or of all of them if none is selected.
class ImageView : public QWidget, public FrameView {
    Q_OBJECT
public:
    ImageView(const Pacer& pacer, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    // Shows the path of this key, computed without sending anything; nothing: shows that of the last operation.
    void tryKey(std::optional<std::uint64_t> key);
    std::optional<std::uint64_t> triedKey() const { return m_tried; }
    const DisplayList& picture() const { return m_list; }
    // The marks for what is under the mouse in another view, drawn over the picture.
    DisplayList marks() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();

    const Pacer& m_pacer;
    Selection& m_selection;
    Theme m_theme, m_face; // m_face: scaled to the size of the view
    DisplayList m_list;
    std::optional<std::uint64_t> m_tried;
    std::uint64_t m_version = 0;
    double m_time = 0, m_builtAt = -1;
    bool m_isDirty = true;
};

} // namespace lhrs::gui
