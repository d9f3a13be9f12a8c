// SPDX-License-Identifier: GPL-3.0-or-later
// Decides which screen a window belongs on, and where: computed from a list of screens, so that tests can use any list.
#pragma once

#include <QList>
#include <QRect>
#include <QString>

#include <optional>

class QScreen;

namespace lhrs::gui {

// A screen as the desktop describes it, in device-independent pixels: a 4K screen at a ratio of 1.5 has 2560 x 1440 of
// them. `available` excludes the panels of the desktop.
struct ScreenFacts {
    QString name;
    QRect geometry, available;
    bool operator==(const ScreenFacts&) const = default;
};
// The screens that exist now; the primary one is first.
QList<ScreenFacts> screensNow();
// The screen with that name; null: it no longer exists.
QScreen* screenNamed(const QString& name);

// The audience's picture fills `hall`; the notes are in the middle of `own`. With one screen both are the same.
struct PresentationPlace {
    ScreenFacts hall, own;
    QRect notes;
};
// The audience sees the second screen, or the first if the screens are swapped. Nothing: there is no screen.
std::optional<PresentationPlace> placeOfPresentation(const QList<ScreenFacts>& screens, bool isChanged);

// The place for a window that asks for `wanted`, such that it can be seen and reached. It stays there if one screen
// contains it. Otherwise it is moved onto the screen that contains most of it, or onto the first one, and reduced to
// that screen's size. `frame`: the pixels of the title bar and borders around `wanted`. Without a screen it stays.
QRect fitOnScreens(QRect wanted, const QList<ScreenFacts>& screens, const QMargins& frame = {});

} // namespace lhrs::gui
