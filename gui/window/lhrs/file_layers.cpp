// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/file_layers.h"

namespace lhrs::gui {

std::vector<LayerAction> fileLayers()
{
    return {
        { "deltas", &Layers::changes, "layerDeltas", "Deltas", "D",
            "Draws deltas to the parity buckets and their acknowledgements", false },
        { "ranks", &Layers::parts, "layerRanks", "Ranks", "Shift+R", "Draws the records of each bucket by rank" },
        { "spares", &Layers::waiting, "layerSpares", "Spares", "Shift+S", "Draws the two pools of spare servers" },
    };
}

} // namespace lhrs::gui
