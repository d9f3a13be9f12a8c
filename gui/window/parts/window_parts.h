// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "gui/lab/tables/run_facts.h"
#include "gui/view/paint/picture_export.h"
#include "gui/view/time/frame_clock.h"
#include "gui/window/commands/cluster_commands.h"
#include "gui/window/panels/status_strip.h"
#include "gui/window/panels/time_bar.h"
#include "gui/window/panels/workload_bar.h"
#include "gui/window/parts/layer_action.h"
#include "gui/window/player/player.h"
#include "gui/window/parts/workspaces.h"
#include "gui/window/widgets/actions.h"

#include <QObject>

#include <functional>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

class QMenu;

namespace lhrs::gui {

class Recorder;
struct CameraWish;

// What the subjects of the window share. The main window owns all of it, and it outlives them.
struct WindowParts {
    QWidget& window; // the parent of dialogs
    Actions& actions;
    Selection& selection;
    ClusterCommands& commands;
    TimeLine& timeLine; // between the cluster and the views
    Pacer& pacer;
    Director& director; // moves the pacer along the reel of a scenario
    FrameClock& clock;
    Workspaces& workspaces;
    ClusterCanvas& canvas;
    LabLine& line;
    Player& player;
    // The actions are to be enabled anew. / The status line is to be written in the next frame.
    std::function<void()> enableActions, updateSoon;
    // Asks what to do with a run that would be lost. False: stay.
    std::function<bool()> mayForgetRun;

    // Of buttons that carry actions of several subjects: made when all actions are registered.
    WorkloadBar* workloads = nullptr;
    TimeBar* timeBar = nullptr;
    std::vector<LayerAction> layers {}; // of the picture, in the order of their menu
    RunFacts run {}; // of this window
    Recorder* recorder = nullptr; // of this run; null: nothing is recorded
    Theme theme {};
    double seconds = 0; // since the window was made
    bool isPresenting = false;

    // The cluster answers. / It answers, or only its coordinator does not.
    bool isHere() const { return commands.link().state() == LinkState::Here; }
    bool isGoing() const { return isHere() || isWithoutCoordinator(); }
    // This window may start more processes.
    bool mayStart() const { return isHere() && !commands.link().scenarioRuns() && commands.link().isLocal(); }
    // The cluster runs, but its coordinator does not.
    bool isWithoutCoordinator() const;
    // There is a cluster or a recording to show.
    bool hasCluster() const;
    // The selected process, or the process that holds the selected place now; 0: none.
    ProcessId process() const;
    // The selection as a scenario names it: lab.data(5).
    QString target() const;
    // The client that the person works with; 0: none.
    ProcessId client() const { return workloads->client(); }
    // The object with this name in the picture, or the place of one that does not exist yet.
    ObjectRef objectNamed(const QString& name) const;

    // Free play begins: the previous show and its words end.
    void endShow() const;

    // What an exported picture or table says about its run.
    PictureOrigin origin() const;
    RunIdentity identity() const;
    // The widget is in front among the tabs of what is inspected. For Qt a tab behind another is visible too, but with
    // an empty visible region.
    bool isInspected(const QWidget& widget) const;
    void trigger(const QString& action) const { actions.get(action.toLatin1().constData())->trigger(); }
    // Shows the scenario line of an entry while the mouse is over it, at most as long as the menu is open.
    void endPreviewWith(QMenu& menu) const;
};

// How a view is written that is in front.
struct ViewExport {
    QString name; // of the file, without its ending
    QString endings; // "Pictures (*.svg *.pdf *.png)"
    std::function<QString(const QString& path)> write; // the format is the ending; returns an error as a sentence
    // Rows that have to be read first, so that the command line answers later; empty: there are none.
    std::function<void(const QString& path)> readRows = {};
};

// Returns an error as a sentence, or an empty string.
QString writeBytes(const QString& path, const QByteArray& bytes);
bool isCsv(const QString& path);

// A place among the entries of any system in the menu of an object: before them, after the work of clients, after them.
enum class MenuPlace { First, AfterWork, Last };

// One subject of the window. It owns its actions, its panel and its connections, and knows the other parts of the
// window through WindowParts. The constructor registers the actions, in the order of the menus; build() makes the
// panel, whose buttons may carry actions of other subjects. The main window asks all subjects in turn.
class WindowSubject : public QObject {
    Q_OBJECT
public:
    explicit WindowSubject(WindowParts& parts) : QObject(&parts.window), m_parts(parts) { }

    // Its bar above the picture, before any panel is made; null: it has none.
    virtual QWidget* makeBar() { return nullptr; }
    virtual void build() { }
    // Sets which of its actions can be used now.
    virtual void enable() { }
    // Called in each frame, before the views are asked for theirs. / Called a few times a second.
    virtual void frame() { }
    virtual void update() { }
    // Another cluster begins: what is known of the previous one is forgotten.
    virtual void forget() { }
    // A scenario begins: events from before are no longer listed.
    virtual void clear() { }
    // Another instant is shown: nothing that was moving before belongs to it.
    virtual void restart() { }
    // Opens its panel with the contents of the object. False: it does not have them.
    virtual bool showContents(ObjectRef /*object*/) { return false; }
    // A scenario points the camera; the subject opens its view if it is meant. `looked`: the first place that it names.
    // True: it is looked at so closely that the next step shows all of the picture again.
    virtual bool openPage(const CameraWish& /*wish*/, ObjectRef /*looked*/) { return false; }
    // Adds to the menu of the object what only its system offers at this place.
    virtual void offer(QMenu& /*menu*/, ObjectRef /*object*/, MenuPlace /*place*/) { }
    // Another run is shown: a recording, or the live run again.
    virtual void showRun() { }
    // The theme of the parts has changed.
    virtual void applyTheme() { }
    virtual void addStatus(std::vector<StatusPart>&) const { }
    virtual void addLastStatus(std::vector<StatusPart>&) const { } // at the end of the line
    // The scenario line of one of its actions as it would be carried out now; empty: it has none.
    virtual QString lineOf(const QString&) const { return {}; }
    // Writes its view, if that is in front, into a file.
    virtual std::optional<ViewExport> inFront() { return std::nullopt; }
    // Its panel, and the term of the glossary for what is asked about in it; null: it has no panel.
    virtual std::pair<const QWidget*, std::string_view> explained() const { return {}; }

protected:
    WindowParts& m_parts;
};

} // namespace lhrs::gui
