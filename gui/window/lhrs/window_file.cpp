// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/window/lhrs/window_file.h"

#include "common/lhrs/linear_hash.h"
#include "gui/lab/reel/reel.h"
#include "gui/view/paint/picture_export.h"
#include "gui/window/lhrs/image_panel.h"

#include <QMenu>

#include <set>

namespace lhrs::gui {

WindowFile::WindowFile(WindowParts& parts, FileParts& file) : WindowSubject(parts), m_file(file)
{
    addClientActions();
    addClusterActions();
    m_parts.actions.beginSections({ "imageAdjusting", "tryKey", "audit", "addSpares" });
}

void WindowFile::addClientActions()
{
    Actions& a = m_parts.actions;
    a.add({ "imageAdjusting", "Client", "Image: adjusting", "Ctrl+Shift+1",
              "The client takes image adjustments, as LH* does" },
        [this] { m_file.clients.setImage(m_parts.client(), pb::ADJUSTING); });
    a.add({ "imageFrozen", "Client", "Image: frozen", "Ctrl+Shift+2",
              "The client counts image adjustments but never takes one" },
        [this] { m_file.clients.setImage(m_parts.client(), pb::FROZEN); });
    a.add({ "imageExact", "Client", "Image: exact", "Ctrl+Shift+3",
              "The client asks the coordinator before each operation" },
        [this] { m_file.clients.setImage(m_parts.client(), pb::EXACT); });
    a.add({ "forgetImage", "Client", "Forget the image", "Ctrl+Shift+F",
              "The client believes again that the file has one bucket" },
        [this] { m_file.clients.forgetImage(m_parts.client()); });
    a.add({ "tryKey", "Client", "Try a key …", "Alt+K",
              "Works out the path of a key by the client's image and by the file's state; nothing is sent" },
        [this] {
            m_parts.workspaces.open("imageDock", true);
            m_images->focusKey();
        });
    a.add({ "sendKey", "Client", "Search the tried key", "Alt+S", "The client searches for the key that is tried" },
        [this] {
            if (const auto key = m_images->key())
                m_file.clients.search(m_parts.client(), *key);
            else
                m_parts.line.answer(
                    tr("search"), tr("Write a key into the field “try a key” of the view Client image first."), false);
        });
    a.add({ "insertHere", "Client", "Insert here", "Alt+I",
              "The client inserts one new record whose key belongs in the selected bucket" },
        [this] { workHere(pb::INSERT); });
    a.add({ "searchHere", "Client", "Search here", "Alt+F",
              "The client searches for the selected record, or else for the first key of the selected bucket" },
        [this] { workHere(pb::SEARCH); });
}

void WindowFile::addClusterActions()
{
    Actions& a = m_parts.actions;
    a.add({ "split", "Cluster", "Split", "Ctrl+Shift+S",
              "Splits the bucket at the split pointer, as if a bucket had overflowed" },
        [this] { m_file.file.split(); });
    a.add({ "raiseK", "Cluster", "Raise K", "Ctrl+Shift+K", "Raises the intended availability of the file by one" },
        [this] { m_file.file.raiseAvailability(); });
    a.add({ "addParity", "Cluster", "Add parity", "Ctrl+Shift+P",
              "Gives the selected group (or group 0) one more parity bucket, up to K" },
        [this] { m_file.file.addParity(m_file.group()); });
    a.add({ "audit", "Cluster", "Check parity", "Ctrl+Shift+A",
              "Checks that the parity of the selected group (or group 0) is what its data encode to" },
        [this] { m_file.audits.audit(m_file.group()); });
    a.add({ "addSpares", "Cluster", "More spares", "Ctrl+Shift+N",
              "Starts two more data servers and one more parity server, which wait in their pools" },
        [this] { m_file.file.addSpares(2, 1); });
}

void WindowFile::build()
{
    m_images = new ImagePanel(m_parts.pacer, m_parts.selection, m_parts.actions, &m_parts.window);
    m_parts.workspaces.addDock(fileDock("imageDock"), tr("Client image"), m_images, tr("Image"));
    m_parts.clock.add(&m_images->view(), m_images);
    for (const WorkloadBar::Button& button :
        { WorkloadBar::Button { "split", Glyph::Fork, {}, 7 }, { "raiseK", Glyph::Hand, tr("K"), 4 },
            { "addParity", Glyph::Recruit, tr("Parity") }, { "audit", Glyph::Ack, tr("Check"), 3 } })
        m_parts.workloads->add(m_parts.actions, button);
}

void WindowFile::applyTheme() { m_images->setTheme(m_parts.theme); }

bool WindowFile::showContents(ObjectRef object)
{
    if (!m_parts.pacer.state().isOfLhrs() || object.kind != ObjectKind::Client)
        return false;
    m_parts.workspaces.open("imageDock", true);
    m_parts.canvas.choose(object);
    return true;
}

bool WindowFile::openPage(const CameraWish& wish, ObjectRef /*looked*/)
{
    if (wish.view == QLatin1String("image"))
        m_parts.workspaces.open("imageDock", true);
    return false;
}

void WindowFile::enable()
{
    const Actions& a = m_parts.actions;
    const ClusterState& state = m_parts.pacer.state();
    const bool isHere = m_parts.isHere(), isOfLhrs = state.isOfLhrs();
    const bool hasClient = m_parts.isGoing() && m_parts.client() != 0 && isOfLhrs;
    a.enable({ "sendKey", "imageAdjusting", "imageFrozen", "imageExact", "forgetImage" }, hasClient);
    a.enable({ "insertHere", "searchHere" }, hasClient && m_parts.selection.selected().kind == ObjectKind::Data);
    a.enable({ "split", "raiseK", "addParity", "audit" }, isHere && state.file.exists);
    a.enable({ "addSpares" }, m_parts.mayStart() && isOfLhrs);
    a.enable({ "tryKey" }, m_parts.workspaces.showsWork() && isOfLhrs);
}

// ---- the menu of an object

void WindowFile::offer(QMenu& menu, ObjectRef object, MenuPlace place)
{
    const Actions& a = m_parts.actions;
    if (!m_parts.pacer.state().isOfLhrs())
        return;
    if (place == MenuPlace::First) {
        offerFirst(menu, object);
    } else if (place == MenuPlace::AfterWork) {
        if (object.kind == ObjectKind::Client)
            a.offer(menu, { "imageAdjusting", "imageFrozen", "imageExact", "forgetImage" });
        else if (!object || object.kind == ObjectKind::File || object.kind == ObjectKind::Message)
            a.offer(menu, { "addSpares" });
    } else if (object.kind == ObjectKind::Data || object.kind == ObjectKind::Parity) {
        a.offer(menu, { nullptr, "addParity", "audit", "recover" });
    } else if (object.kind == ObjectKind::Spare) {
        a.offer(menu, { nullptr, "addSpares" });
    } else if (object.kind == ObjectKind::Coordinator) {
        a.offer(menu, { nullptr, "split", "raiseK" });
    }
}

void WindowFile::offerFirst(QMenu& menu, ObjectRef object)
{
    const Actions& a = m_parts.actions;
    switch (object.kind) {
    case ObjectKind::Data:
    case ObjectKind::Parity:
        a.offer(menu, { "recordGroup" });
        offerContents(menu, tr("Show the contents"), object);
        a.offer(menu, { "fitSelection", "copyLine", nullptr });
        if (object.kind == ObjectKind::Data)
            a.offer(menu, { "insertHere", "searchHere", "split", nullptr });
        break;
    case ObjectKind::Group: a.offer(menu, { "addParity", "audit", "recover", "acknowledgeLoss" }); break;
    case ObjectKind::Client: offerContents(menu, tr("Show its image"), object); break;
    case ObjectKind::Pool: a.offer(menu, { "addSpares" }); break;
    case ObjectKind::None:
    case ObjectKind::File:
    case ObjectKind::Message: a.offer(menu, { "split", "raiseK" }); break;
    case ObjectKind::Dummy: a.offer(menu, { "split", "raiseK", "secondClient", "addSpares", "fit" }); break;
    case ObjectKind::Spare:
    case ObjectKind::Displaced:
    case ObjectKind::Coordinator:
    case ObjectKind::Fault:
    case ObjectKind::Node: break;
    }
}

void WindowFile::offerContents(QMenu& menu, const QString& words, ObjectRef object)
{
    connect(menu.addAction(words), &QAction::triggered, &m_parts.canvas,
        [this, object] { emit m_parts.canvas.inspectRequested(object); });
}

QString WindowFile::lineOf(const QString& action) const
{
    if (action == QLatin1String("split"))
        return QStringLiteral("lab.split();");
    if (action == QLatin1String("raiseK"))
        return QStringLiteral("lab.raiseAvailability(%1);").arg(m_parts.pacer.state().file.availability + 1);
    if (action == QLatin1String("addParity"))
        return QStringLiteral("lab.addParity(%1);").arg(m_file.group());
    return action == QLatin1String("audit") ? QStringLiteral("lab.audit(%1);").arg(m_file.group()) : QString();
}

std::pair<const QWidget*, std::string_view> WindowFile::explained() const
{
    const ImageView& images = m_images->view();
    const std::string_view part = images.underMouse()
        ? images.picture().termAt(images.mapFromGlobal(QPointF(QCursor::pos())))
        : std::string_view();
    return { m_images, part.empty() ? "client-image" : part };
}

std::optional<ViewExport> WindowFile::inFront()
{
    if (!m_parts.isInspected(*m_images))
        return std::nullopt;
    const auto write = [this](const QString& path) {
        if (isCsv(path))
            return tr("The images of the clients have no rows; choose .svg, .pdf or .png. Their operations are in the "
                      "recording.");
        const ImageView& images = m_images->view();
        return writePicture(path, images.picture(), images.size(), tr("clients' images"), m_parts.origin());
    };
    return ViewExport { QStringLiteral("images"), tr("Pictures (*.svg *.pdf *.png)"), write };
}

// Runs one operation at the selected bucket, with a key that belongs there according to the file state.
void WindowFile::workHere(pb::OperationKind kind)
{
    const ClusterState& state = m_parts.pacer.state();
    const ObjectRef object = m_parts.selection.selected();
    const auto bucket = state.data.find(std::uint32_t(object.a));
    if (object.kind != ObjectKind::Data || bucket == state.data.end()) {
        m_parts.line.answer(tr("work here"), tr("Select a data bucket first."), false);
        return;
    }
    if (kind == pb::SEARCH) {
        const std::vector<std::uint32_t> pages = bucket->second.ranks.pages();
        if (pages.empty())
            m_parts.line.answer(
                tr("search here"), tr("Bucket %1 has no record yet, as far as the events tell.").arg(object.a), false);
        else if (const std::uint32_t rank = m_parts.selection.chosenPart(); bucket->second.ranks.has(rank))
            m_file.clients.search(m_parts.client(), bucket->second.ranks.at(rank));
        else
            m_file.clients.search(m_parts.client(), bucket->second.ranks.inPage(pages.front()).front().second);
        return;
    }
    // Keys in a bucket of level j are equal modulo 2^j; this takes the first one that is not stored, as far as events
    // have reported.
    std::set<std::uint64_t> used;
    for (const std::uint32_t page : bucket->second.ranks.pages())
        for (const auto& [rank, key] : bucket->second.ranks.inPage(page))
            used.insert(key);
    const std::uint64_t mask = (1ULL << bucket->second.level) - 1;
    const auto addressed = [&](std::uint64_t key) {
        return state.file.config.mix_keys() ? mix64(Key(key)).value : key;
    };
    std::uint64_t key = 1;
    while ((addressed(key) & mask) != object.a || used.contains(key))
        ++key;
    m_file.clients.insert(m_parts.client(), key);
}

} // namespace lhrs::gui
