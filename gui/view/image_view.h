// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/view/display_list.h"
#include "gui/view/frame_clock.h"
#include "gui/view/pacer.h"
#include "gui/view/selection.h"

#include <QWidget>

namespace lhrs::gui {

// What a client believes of the file, beside what is true: its image (i', n') with M' buckets over the file's (i, n)
// with M, the address formulas filled in with the last key, the last operations with their way, how often operations
// were forwarded. Geometry and words are in the display list, so that a test can ask it.
struct ImagePicture {
    qreal height = 0; // that the list needs at the width asked for
};
ImagePicture drawImages(const ClusterState& state, const Theme& theme, ObjectRef selected, qreal width, DisplayList& out);

// How the address of a key is computed with an image, as one line of arithmetic: "4711 mod 4 = 3".
QString addressWords(std::uint64_t key, std::uint32_t i, std::uint32_t n);

class ImageView : public QWidget, public FrameView {
    Q_OBJECT
public:
    ImageView(const Pacer& pacer, Selection& selection, QWidget* parent = nullptr);

    bool refresh(double seconds) override;
    void setTheme(const Theme& theme);
    const DisplayList& picture() const { return m_list; }

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    void rebuild();

    const Pacer& m_pacer;
    Selection& m_selection;
    Theme m_theme;
    DisplayList m_list;
    std::uint64_t m_version = 0;
    double m_time = 0, m_builtAt = -1;
    bool m_isDirty = true;
};

} // namespace lhrs::gui
