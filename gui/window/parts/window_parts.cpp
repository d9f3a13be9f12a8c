// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/parts/window_parts.h"

#include "gui/lab/export/run_export.h"
#include "gui/lab/words/process/process_words.h"
#include "gui/view/system/process_order.h"
#include "gui/view/systems/view_systems.h"
#include "gui/show/words/quantity_words.h"

#include <QMenu>
#include <QSaveFile>

namespace lhrs::gui {

bool WindowParts::isWithoutCoordinator() const
{
    if (commands.link().state() != LinkState::Lost || !commands.link().isLocal())
        return false;
    const auto coordinator = pacer.state().processes.find(coordinatorOf(pacer.state()));
    return coordinator != pacer.state().processes.end()
        && (coordinator->second.hasEnded || coordinator->second.isPaused);
}

bool WindowParts::hasCluster() const
{
    const LinkState link = commands.link().state();
    return timeLine.isReplay() || link == LinkState::Here || link == LinkState::Lost || commands.link().scenarioRuns()
        || (link == LinkState::Starting && commands.link().isLocal());
}

ProcessId WindowParts::process() const
{
    const ClusterState& state = pacer.state();
    const ObjectRef object = selection.selected();
    return object.kind == ObjectKind::Coordinator ? coordinatorOf(state) : wordsOf(state).processOf(state, object);
}

QString WindowParts::target() const
{
    const QString place = wordsOf(pacer.state()).placeLine(selection.selected());
    return place.isEmpty()
        ? QStringLiteral("lab.process('%1')").arg(QString::fromStdString(processShown(process(), pacer.state())))
        : place;
}

ObjectRef WindowParts::objectNamed(const QString& name) const
{
    const QString wanted = name.trimmed().toLower();
    if (const ObjectRef object = wordsOf(pacer.state()).named(pacer.state(), wanted))
        return object;
    if (wanted.startsWith(QLatin1String("data ")))
        return { ObjectKind::Dummy, wanted.mid(5).toULongLong(), 0 };
    return {};
}

void WindowParts::endShow() const
{
    if (player.run().isRunning())
        return;
    director.end();
    player.forgetWords();
}

PictureOrigin WindowParts::origin() const
{
    PictureOrigin origin;
    const bool isSimulated = pacer.state().isSimulated;
    origin.word = timeLine.isReplay() ? (isSimulated ? QObject::tr("RECORDED, SIMULATED") : QObject::tr("RECORDED"))
        : isSimulated                 ? QObject::tr("SIMULATED")
                                      : QObject::tr("LIVE");
    origin.run = identity().run;
    origin.instant = durationWords(timeLine.cursorNs() - timeLine.beginNs());
    return origin;
}

RunIdentity WindowParts::identity() const
{
    if (timeLine.isReplay())
        return identityOf(*timeLine.recording());
    return { run.run, pacer.state().isSimulated, machineShown() };
}

bool WindowParts::isInspected(const QWidget& widget) const
{
    return workspaces.now() == Workspace::Inspect && workspaces.showsWork() && !widget.visibleRegion().isEmpty();
}

void WindowParts::endPreviewWith(QMenu& menu) const
{
    QObject::connect(&menu, &QMenu::aboutToHide, &line, [this] { line.preview({}); });
}

QString writeBytes(const QString& path, const QByteArray& bytes)
{
    QSaveFile file(path);
    if (file.open(QIODevice::WriteOnly) && file.write(bytes) >= 0 && file.commit())
        return {};
    return QObject::tr("%1 cannot be written: %2. Choose another place.").arg(path, file.errorString());
}

bool isCsv(const QString& path) { return path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive); }

} // namespace lhrs::gui
