// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/script/lab_systems.h"

#include "gui/lab/calls/lhrs/lab_file.h"
#include "gui/lab/calls/walk/lab_ring.h"

namespace lhrs::gui {

const LabSystems& labSystems()
{
    static const FileLab kFile;
    static const RingLab kRing;
    static const LabSystems kSystems { &kFile, &kRing };
    return kSystems;
}

} // namespace lhrs::gui
