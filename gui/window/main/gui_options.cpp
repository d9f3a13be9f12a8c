// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/main/gui_options.h"

#include "common/keys/key_file.h"
#include "common/number_words.h"
#include "gui/lab/local/network_check.h"
#include "gui/lab/replay/unsaved_store.h"

#include <QFile>

#include <algorithm>
#include <array>
#include <map>

namespace lhrs::gui {

namespace {

struct Option {
    const char* name;
    const char* words;
    const char* value; // its name; null: the option has none
    const char* usual; // null: there is no usual value
};

// In the order of --help.
constexpr std::array kOptions = std::to_array<Option>({
    { "card-pictures",
        "Draw the pictures of the start page, of all scenarios or of --play, into this directory, and exit.", "DIR",
        nullptr },
    { "presenter", "Present: full screen for the hall, notes on the other screen.", nullptr, nullptr },
    { "projector", "150 %, light, thick lines, fewer layers.", nullptr, nullptr },
    { "export", "Write the tables (CSV), the ShiViz log and pictures of this recording into a directory, and exit.",
        "FILE.lhrun", nullptr },
    { "out", "With --export: the directory.", "DIR", nullptr },
    { "local", "Start a cluster of processes on this computer.", nullptr, nullptr },
    { "sim", "Start a simulated cluster, or play the scenario on one.", nullptr, nullptr },
    { "seed", "With --sim: its seed.", "N", "1" },
    { "speed", "With --sim: ratio of virtual time to real time, 0.001 to 100, or max.", "X", "1" },
    { "case", "With --sim: watch the case that the seed stands for in the tests.", nullptr, nullptr },
    { "messages", "With --case: also publish its messages, so the run may differ.", nullptr, nullptr },
    { "connect", "Watch a running cluster: control endpoint of its coordinator.", "HOST:PORT", nullptr },
    { "key-file", "With --connect: a key of the running cluster.", "FILE", nullptr },
    { "hosts", "Start the processes of clusters on these hosts: a line for each, its name as ssh knows it.", "FILE",
        nullptr },
    { "open", "Show this recording; no cluster is needed.", "FILE.lhrun", nullptr },
    { "record", "Record the run into this file, which must not exist.", "FILE.lhrun", nullptr },
    { "play", "Load this scenario; it stops before its first step.", "FILE", nullptr },
    { "tour", "Take the tour, or continue it where it was left.", nullptr, nullptr },
    { "theme", "Theme: light, dark, light-contrast, dark-contrast or system. Default: the last choice.", "THEME",
        "system" },
    { "font-scale", "Size of all text, 0.8 to 2.5. Default: the last choice.", "N", "1" },
    { "screenshot", "Play the scenario to its end, save the window as a picture, print the summary and exit.",
        "FILE.png", nullptr },
    { "csv", "With --screenshot: write the tables of measurements into this directory.", "DIR", nullptr },
    { "append", "With --csv or --export: add the run to the results that the directory has.", nullptr, nullptr },
    { "overwrite", "With --csv or --export: remove the results that the directory has.", nullptr, nullptr },
    { "size", "Size of the window in pixels.", "WxH", "1280x720" },
    { "workspace", "Workspace: lecture, inspect, measure, write, space-time, faults, invariants or gate.", "NAME",
        "lecture" },
});

const std::map<QString, Workspace>& workspaces()
{
    static const std::map<QString, Workspace> kWorkspaces { { QStringLiteral("lecture"), Workspace::Lecture },
        { QStringLiteral("inspect"), Workspace::Inspect }, { QStringLiteral("measure"), Workspace::Measure },
        { QStringLiteral("write"), Workspace::Write }, { QStringLiteral("space-time"), Workspace::SpaceTime },
        { QStringLiteral("faults"), Workspace::Faults }, { QStringLiteral("invariants"), Workspace::Invariants },
        { QStringLiteral("gate"), Workspace::Gate } };
    return kWorkspaces;
}

} // namespace

GuiOptions::GuiOptions()
{
    m_parser.setApplicationDescription(QStringLiteral("The window onto an LH*RS cluster."));
    m_parser.addHelpOption();
    m_parser.addVersionOption();
    for (const Option& option : kOptions)
        m_parser.addOption({ QString::fromUtf8(option.name), QString::fromUtf8(option.words),
            QString::fromUtf8(option.value), QString::fromUtf8(option.usual) });
}

bool GuiOptions::isAnySet(std::initializer_list<const char*> options) const
{
    return std::any_of(options.begin(), options.end(), [this](const char* option) { return isSet(option); });
}

QString GuiOptions::read(const QCoreApplication& application)
{
    m_parser.process(application);
    if (!m_parser.positionalArguments().isEmpty())
        return QStringLiteral("“%1” is not understood; --help lists the options.")
            .arg(m_parser.positionalArguments().constFirst());
    // A picture of a run must not depend on the desktop or on the person's settings.
    if (!isAnySet({ "export", "screenshot" })) {
        window.settingsPath = Remembered::usualPath();
        window.unsavedDirectory = UnsavedStore::usualDirectory();
    }
    window.recordPath = value("record");
    use = isSet("overwrite") ? FolderUse::Overwrite : isSet("append") ? FolderUse::Append : FolderUse::New;
    for (const QString& problem :
        { readLooks(), readSize(), readCluster(), objectionToRun(), objectionToFiles(), readWorkspace() })
        if (!problem.isEmpty())
            return problem;
    return {};
}

QString GuiOptions::readLooks()
{
    using Choice = WindowLooks::ThemeChoice;
    const QString theme = value("theme");
    if (theme == QLatin1String("light") || theme == QLatin1String("light-contrast"))
        window.theme = Choice::Light;
    else if (theme == QLatin1String("dark") || theme == QLatin1String("dark-contrast"))
        window.theme = Choice::Dark;
    else if (theme != QLatin1String("system"))
        return QStringLiteral("--theme %1: write light, dark, light-contrast, dark-contrast or system.").arg(theme);
    else if (isSet("export"))
        window.theme = Choice::Light;
    else if (isSet("theme"))
        window.theme = Choice::System;
    if (isSet("theme"))
        window.isHighContrast = theme.endsWith(QLatin1String("-contrast"));
    const auto scale = readNumber<double>(
        value("font-scale").toStdString(), Theme::kFontScaleMin, Theme::kFontScaleMax);
    if (!scale)
        return QStringLiteral("--font-scale %1: write a number from 0.8 to 2.5.").arg(value("font-scale"));
    if (isSet("font-scale"))
        window.fontScale = *scale;
    if (isSet("projector") && isAnySet({ "theme", "font-scale" }))
        return QStringLiteral("--projector sets its own theme and size: --theme and --font-scale do not go with it.");
    if (isSet("presenter") && isAnySet({ "export", "screenshot" }))
        return QStringLiteral("--presenter is for a hall: --screenshot and --export do not go with it.");
    return {};
}

QString GuiOptions::readSize()
{
    const QStringList sides = value("size").split(QLatin1Char('x'));
    const auto wide = readNumber(sides.value(0).toStdString(), 640, 8192),
               high = readNumber(sides.value(1).toStdString(), 400, 8192);
    if (sides.size() != 2 || !wide || !high)
        return QStringLiteral(
            "--size %1: write WIDTHxHEIGHT, for example 1280x720; at least 640x400, at most 8192x8192.")
            .arg(value("size"));
    size = QSize(*wide, *high);
    return {};
}

QString GuiOptions::readCluster()
{
    if (int(isSet("local")) + int(isSet("connect")) + int(isSet("sim")) > 1)
        return QStringLiteral("--local, --sim and --connect exclude each other.");
    if (!isSet("sim") && isAnySet({ "seed", "speed", "case" }))
        return QStringLiteral("--seed, --speed and --case are for a simulated cluster; write --sim, too.");
    if (isSet("messages") && !isSet("case"))
        return QStringLiteral("--messages is for a case; write --case, too.");
    if (isSet("case") && isSet("play"))
        return QStringLiteral("--case plays the case of the seed, so no scenario can be played on it.");
    const auto drawn = readSeed(value("seed").toStdString());
    if (!drawn)
        return QStringLiteral("--seed %1: write a number such as 7 or 0x5e1f09, below 2^64.").arg(value("seed"));
    const bool isFastest = value("speed") == QLatin1String("max");
    const auto factor = readNumber<double>(isFastest ? "1" : value("speed").toStdString(), 0.001, 100);
    if (!factor)
        return QStringLiteral("--speed %1: write a number from 0.001 to 100, or max.").arg(value("speed"));
    simulated = { *drawn, isFastest ? 0 : *factor, isSet("case"), isSet("messages") };
    if (isSet("connect"))
        if (const auto endpoint = endpointOf(value("connect").toStdString()); !endpoint)
            return QStringLiteral("--connect: ") + QString::fromStdString(endpoint.error().text);
    if (isSet("hosts") && isAnySet({ "connect", "sim", "open" }))
        return QStringLiteral("--hosts is for processes that are started: not with --sim, --connect or --open.");
    if (isSet("hosts")) {
        auto read = readHosts(QFile::encodeName(value("hosts")).toStdString());
        if (!read)
            return QStringLiteral("--hosts: %1.").arg(QString::fromStdString(read.error().text));
        hosts = std::move(*read);
    }
    return {};
}

QString GuiOptions::objectionToRun() const
{
    if (isSet("key-file") && !isSet("connect"))
        return QStringLiteral("--key-file goes with --connect: a cluster that is started here has keys of its own.");
    if (isSet("key-file"))
        if (const auto key = readKeyFile(QFile::encodeName(value("key-file")).toStdString()); !key)
            return QStringLiteral("--key-file: %1.").arg(QString::fromStdString(key.error().text));
    if (isSet("open") && isAnySet({ "local", "sim", "connect", "play", "record" }))
        return QStringLiteral(
            "--open shows a run that is over: --local, --sim, --connect, --play and --record do not go with it.");
    if (isSet("screenshot") && !isSet("play"))
        return QStringLiteral("--screenshot needs --play: the picture is that of a scenario's end.");
    if (isSet("csv") && !isSet("screenshot"))
        return QStringLiteral("--csv needs --screenshot: the tables are those of a scenario played to its end.");
    if (isSet("append") && isSet("overwrite"))
        return QStringLiteral("--append and --overwrite exclude each other.");
    if (isAnySet({ "append", "overwrite" }) && !isAnySet({ "csv", "export" }))
        return QStringLiteral("--append and --overwrite say what happens to results in the directory of --csv or "
                              "--out; write one of these, too.");
    if (isSet("tour") && isAnySet({ "local", "sim", "connect", "open", "play", "export" }))
        return QStringLiteral("--tour starts a cluster of its own: --local, --sim, --connect, --open, --play and "
                              "--export do not go with it.");
    return {};
}

QString GuiOptions::objectionToFiles() const
{
    if (isSet("export") != isSet("out"))
        return QStringLiteral("--export FILE.lhrun and --out DIR go together.");
    if (isSet("export") && isAnySet({ "local", "connect", "play", "record", "open" }))
        return QStringLiteral(
            "--export reads a recording and ends: --local, --connect, --open, --play and --record do not go with it.");
    if (isSet("record") && QFile::exists(window.recordPath))
        return QStringLiteral("--record %1: this file exists already; name another one.").arg(window.recordPath);
    return {};
}

QString GuiOptions::readWorkspace()
{
    const auto chosen = workspaces().find(value("workspace"));
    if (chosen == workspaces().end())
        return QStringLiteral(
            "--workspace %1: write lecture, inspect, measure, write, space-time, faults, invariants or gate.")
            .arg(value("workspace"));
    workspace = chosen->second;
    return {};
}

} // namespace lhrs::gui
