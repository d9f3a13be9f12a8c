// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/widgets/screen_place.h"

#include <QGuiApplication>
#include <QScreen>

#include <algorithm>

namespace lhrs::gui {

namespace {

constexpr double kNotesShare = 0.6; // of the screen's width and height, for notes on a separate screen

std::int64_t areaOf(const QRect& rect) { return rect.isEmpty() ? 0 : std::int64_t(rect.width()) * rect.height(); }

} // namespace

QList<ScreenFacts> screensNow()
{
    QList<ScreenFacts> facts;
    for (const QScreen* screen : QGuiApplication::screens())
        facts.append({ screen->name(), screen->geometry(), screen->availableGeometry() });
    return facts;
}

QScreen* screenNamed(const QString& name)
{
    const QList<QScreen*> screens = QGuiApplication::screens();
    const auto found = std::find_if(
        screens.begin(), screens.end(), [&](const QScreen* screen) { return screen->name() == name; });
    return found == screens.end() ? nullptr : *found;
}

std::optional<PresentationPlace> placeOfPresentation(const QList<ScreenFacts>& screens, bool isChanged)
{
    if (screens.isEmpty())
        return std::nullopt;
    PresentationPlace place { screens.value(1, screens[0]), screens[0], {} };
    if (isChanged)
        std::swap(place.hall, place.own);
    place.notes = QRect(QPoint(), place.own.available.size() * kNotesShare);
    place.notes.moveCenter(place.own.available.center());
    return place;
}

QRect fitOnScreens(QRect wanted, const QList<ScreenFacts>& screens, const QMargins& frame)
{
    if (screens.isEmpty())
        return wanted;
    const QRect whole = wanted.marginsAdded(frame);
    const auto shown = [&](const ScreenFacts& screen) { return areaOf(screen.available.intersected(whole)); };
    const auto most = std::max_element(screens.begin(), screens.end(),
        [&](const ScreenFacts& x, const ScreenFacts& y) { return shown(x) < shown(y); });
    const QRect room = most->available;
    QRect fitted(whole.topLeft(), whole.size().boundedTo(room.size()));
    fitted.moveLeft(std::clamp(fitted.left(), room.left(), room.left() + room.width() - fitted.width()));
    fitted.moveTop(std::clamp(fitted.top(), room.top(), room.top() + room.height() - fitted.height()));
    return fitted.marginsRemoved(frame);
}

} // namespace lhrs::gui
