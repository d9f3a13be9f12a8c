// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/view/canvas/system_views.h"

#include "gui/view/cluster/file_picture.h"

namespace lhrs::gui {

std::vector<ViewOfSystem> systemViews()
{
    std::vector<ViewOfSystem> views;
    views.push_back({ "", std::make_unique<FilePicture>() });
    return views;
}

} // namespace lhrs::gui
