// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/canvas/system_views.h"

#include "gui/lab/state/walk/ring_view.h"
#include "gui/view/lhrs/file_picture.h"
#include "gui/view/walk/ring_picture.h"

namespace lhrs::gui {

std::vector<ViewOfSystem> systemViews()
{
    std::vector<ViewOfSystem> views;
    views.push_back({ "", std::make_unique<FilePicture>() });
    views.push_back({ walk::kSystem, std::make_unique<RingPicture>() });
    return views;
}

} // namespace lhrs::gui
