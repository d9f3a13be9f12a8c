// SPDX-License-Identifier: GPL-3.0-or-later
#include "node/lhrs/client/adopted_image.h"

namespace lhrs {

void adoptImage(FileImage& image, FileImage truth, Effects& out)
{
    if (image == truth)
        return;
    auto* event = out.event().mutable_image_adjusted();
    event->set_by_coordinator(true);
    event->mutable_before()->set_i(image.i);
    event->mutable_before()->set_n(image.n);
    event->mutable_after()->set_i(truth.i);
    event->mutable_after()->set_n(truth.n);
    image = truth;
}

} // namespace lhrs
