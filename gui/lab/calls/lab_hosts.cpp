// SPDX-License-Identifier: GPL-3.0-or-later
#include "gui/lab/calls/lab_hosts.h"

#include "common/ip.h"
#include "gui/lab/control/control_client.h"
#include "gui/lab/local/local_cluster.h"

#include <QJSEngine>
#include <QJSValueIterator>

#include <algorithm>
#include <map>

namespace lhrs::gui {

namespace {

constexpr const char* kExample = "hosts: ['lab1', { name: 'lab2', address: '10.0.0.2' }]";

QString addressOf(const pb::ProcessInfo& process) { return QString::fromStdString(Ip::from(process.address()).text()); }

LabError wrongHosts(const QString& why)
{
    return LabError { LabCode::BadArgument, "hosts of lab.cluster: " + why + ".", kExample };
}

} // namespace

LabResult<std::vector<HostEntry>> hostsOf(const Arguments& o)
{
    const QJSValue list = o.option("hosts");
    std::vector<HostEntry> hosts;
    for (std::uint32_t i = 0; i < list.property("length").toUInt(); ++i) {
        const QJSValue value = list.property(i);
        HostEntry entry;
        if (value.isString()) {
            entry.name = value.toString().toStdString();
        } else if (value.isObject() && value.property("name").isString()) {
            entry.name = value.property("name").toString().toStdString();
            for (QJSValueIterator it(value); it.hasNext();) {
                it.next();
                if (it.name() == "name")
                    continue;
                if (const auto set = setHostWord(entry, it.name().toStdString(), it.value().toString().toStdString());
                    !set)
                    return wrongHosts(QString::fromStdString(entry.name + ": " + set.error().text));
            }
        } else {
            return wrongHosts(value.toString() + " is neither a name nor an object with a name");
        }
        hosts.push_back(std::move(entry));
    }
    if (!hosts.empty())
        if (const auto checked = checkHosts(hosts); !checked)
            return wrongHosts(QString::fromStdString(checked.error().text));
    return hosts;
}

QJSValue hostTarget(const LabContext& context, const QString& id)
{
    return makeTarget(context, "host " + id, { { "role", "host" }, { "id", id } });
}

LabResult<std::vector<FoundTarget>> findOnHost(LabContext& context, const QString& id)
{
    if (context.isSimulated())
        return LabError { LabCode::Unsupported, "The processes of a simulated cluster are on no host." };
    QString address = id;
    QStringList names;
    for (const auto& [name, where] : context.local.hosts()) {
        names << QString::fromStdString(name);
        if (names.back() == id)
            address = QString::fromStdString(where);
    }
    std::vector<FoundTarget> found;
    QStringList addresses;
    for (const KnownProcess& known : context.control.directory()) {
        addresses << addressOf(known.info);
        // A list may name a host otherwise than it names itself.
        const bool isThere = addresses.back() == address || QString::fromStdString(known.info.host()) == id;
        if (isThere && !known.hasEnded)
            found.push_back({ known.place, known.info.node(), QString::fromStdString(known.info.name()) });
    }
    if (!found.empty())
        return found;
    addresses.removeDuplicates();
    addresses.sort();
    const bool isKnown = names.contains(id) || addresses.contains(id);
    return LabError { LabCode::BadArgument,
        isKnown ? "The host " + id + " has no process of the cluster that runs."
                : "There is no host " + id + "; the cluster runs on " + (names.isEmpty() ? addresses : names).join(", ")
                + "." };
}

LabResult<QJSValue> hostsShown(LabContext& context)
{
    if (context.isSimulated())
        return context.engine.newArray();
    std::map<QString, QStringList> processes; // by address
    std::vector<std::pair<QString, QString>> order; // names and addresses
    for (const auto& [name, address] : context.local.hosts())
        order.emplace_back(QString::fromStdString(name), QString::fromStdString(address));
    const bool areNamed = !order.empty();
    for (const KnownProcess& known : context.control.directory()) {
        const QString address = addressOf(known.info);
        if (!areNamed && !processes.contains(address))
            order.emplace_back(address, address);
        if (QStringList& there = processes[address]; !known.hasEnded)
            there << QString::fromStdString(known.info.name());
    }
    QJSValue list = context.engine.newArray(std::uint32_t(order.size()));
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        QStringList& there = processes[order[i].second];
        there.sort();
        QJSValue one = context.engine.newObject();
        one.setProperty("name", order[i].first);
        one.setProperty("address", order[i].second);
        one.setProperty("processes", context.engine.toScriptValue(there));
        list.setProperty(i, one);
    }
    return list;
}

} // namespace lhrs::gui
