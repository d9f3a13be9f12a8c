// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/recording/recording_place.h"

#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QRegularExpression>

#include <cerrno>
#include <csignal>
#include <sys/vfs.h>

#include <algorithm>
#include <filesystem>

namespace lhrs::gui {

namespace {

constexpr int kDaysKept = 7; // for recordings of ended windows
constexpr std::int64_t kRoomAtLeast = std::int64_t(64) << 20; // room needed to begin a recording, above the free limit

bool hasRoom(const QString& folder)
{
    const DiskRoom disk = roomAt(folder);
    return disk.isKnown && disk.free >= limitsFor(folder + "/x").freeBytes + kRoomAtLeast;
}

void removeOld(const QString& folder)
{
    static const QRegularExpression kName("^lhrs-(\\d+)-\\d+(-\\d+)?\\.lhrun(-wal|-shm|-journal)?$");
    const QDateTime before = QDateTime::currentDateTimeUtc().addDays(-kDaysKept);
    for (const QFileInfo& file : QDir(folder).entryInfoList({ "lhrs-*.lhrun*" }, QDir::Files)) {
        const auto match = kName.match(file.fileName());
        if (!match.hasMatch() || file.lastModified() > before)
            continue;
        if (::kill(pid_t(match.captured(1).toInt()), 0) != 0 && errno == ESRCH)
            QDir(folder).remove(file.fileName());
    }
}

} // namespace

DiskRoom roomAt(const QString& folder)
{
    std::error_code problem;
    const std::filesystem::space_info disk = std::filesystem::space(QFile::encodeName(folder).toStdString(), problem);
    return problem ? DiskRoom() : DiskRoom { true, std::int64_t(disk.available), std::int64_t(disk.capacity) };
}

const char* networkFileSystem(std::int64_t type)
{
    struct Known {
        std::uint32_t type;
        const char* name;
    };
    static constexpr Known kKnown[] = { { 0x6969, "NFS" }, { 0xFF534D42, "CIFS" }, { 0xFE534D42, "SMB" },
        { 0x517B, "SMB" }, { 0x5346414F, "AFS" }, { 0x6B414653, "AFS" }, { 0x01021997, "9P" }, { 0x73757245, "Coda" },
        { 0x564C, "NCP" } };
    for (const Known& known : kKnown)
        if (known.type == std::uint32_t(type))
            return known.name;
    return nullptr;
}

QString placeProblem(const QString& folder)
{
    struct statfs told = {};
    if (::statfs(QFile::encodeName(folder).constData(), &told) != 0)
        return {}; // opening the file will report it
    const char* name = networkFileSystem(told.f_type);
    return name == nullptr ? QString()
                           : QString("%1 is on a network file system (%2), where a recording cannot be written while "
                                     "it is read; record into a folder of a local disk and copy the file afterwards.")
                                 .arg(folder, name);
}

QString stateFolder(const QString& name)
{
    const QString state = qEnvironmentVariable("XDG_STATE_HOME");
    return (QDir::isAbsolutePath(state) ? state : QDir::homePath() + QStringLiteral("/.local/state"))
        + QStringLiteral("/lhrs-lab/") + name;
}

QString folderForRecordings(QString& problem)
{
    QStringList why;
    for (const QString& folder : { stateFolder("recordings"), QDir::tempPath() }) {
        if (!QDir().mkpath(folder) || !QFileInfo(folder).isWritable()) {
            why << folder + " cannot be written";
            continue;
        }
        removeOld(folder);
        if (const QString place = placeProblem(folder); !place.isEmpty())
            why << folder + " is on a network file system";
        else if (!hasRoom(folder))
            why << folder + QString(" has only %1 MiB free").arg(roomAt(folder).free >> 20);
        else
            return folder;
    }
    problem = QString("The run is not recorded: %1. Set XDG_STATE_HOME to a folder that has room.").arg(why.join("; "));
    return {};
}

QString folderWithRoom(std::int64_t bytes)
{
    const QString temporary = QDir::tempPath(), state = stateFolder("recordings");
    if (roomAt(temporary).free >= bytes || !QDir().mkpath(state) || roomAt(state).free < bytes)
        return temporary;
    return state;
}

RecorderLimits limitsFor(const QString& path)
{
    RecorderLimits limits;
    if (const DiskRoom disk = roomAt(QFileInfo(path).absolutePath()); disk.isKnown)
        limits.freeBytes = std::min<std::int64_t>(limits.freeBytes, disk.total / 10);
    return limits;
}

} // namespace lhrs::gui
