// SPDX-License-Identifier: GPL-3.0-or-later
// Which screen a window belongs on, and where there: decided from a list of screens, so that any list can be tried.
#pragma once

#include <QList>
#include <QRect>
#include <QString>

#include <optional>

class QScreen;

namespace lhrs::gui {

// A screen as the desktop tells of it, in pixels that do not depend on the device: a 4K screen at a ratio of 1.5 has 2560 x
// 1440 of them. `available` is without panels of the desktop.
struct ScreenFacts {
    QString name;
    QRect geometry, available;
    bool operator==(const ScreenFacts&) const = default;
};
// Of the screens that are there now; the primary one is the first.
QList<ScreenFacts> screensNow();
// The screen of that name; null: it is not there any more.
QScreen* screenNamed(const QString& name);

// The hall's picture fills `hall`; the notes lie in the middle of `own`. With one screen both are the same.
struct PresentationPlace {
    ScreenFacts hall, own;
    QRect notes;
};
// The hall sees the second screen, or, when the screens are changed, the first. Nothing: there is no screen at all.
std::optional<PresentationPlace> placeOfPresentation(const QList<ScreenFacts>& screens, bool isChanged);

// Where a window that wants to be at `wanted` can be seen and reached: there, if a screen has it wholly; else on the screen
// that has most of it, or the first one, moved and made as small as that is. `frame`: pixels of its title bar and borders
// beside `wanted`. Without a screen it stays.
QRect fitOnScreens(QRect wanted, const QList<ScreenFacts>& screens, const QMargins& frame = {});

} // namespace lhrs::gui
