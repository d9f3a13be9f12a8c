// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/window/commands/lhrs/file_commands.h"
#include "gui/window/lhrs/live_or_recorded_contents.h"
#include "gui/window/parts/window_parts.h"

namespace lhrs::gui {

// A dock of a file.
inline SystemDock fileDock(const char* id, Workspace workspace = Workspace::Inspect)
{
    return { id, workspace, [](const ClusterState& state) { return state.isOfLhrs(); } };
}

// What the subjects of a file share beside the parts of the window.
struct FileParts : FileCommands {
    explicit FileParts(const WindowParts& of)
        : FileCommands(of.commands), bytes(contents, of.timeLine, of.pacer, [this] { return parts.recorder; }),
          parts(of)
    {
    }

    // The group of the selection; 0 if it has none.
    std::uint32_t group() const;

    LiveOrRecordedContents bytes; // of the records that are shown
    const WindowParts& parts;
};

} // namespace lhrs::gui
