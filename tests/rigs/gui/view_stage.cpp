// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/rigs/gui/view_stage.h"

namespace lhrs::gui {

ProcessState processOf(ProcessId id, pb::ProcessKind kind, const std::string& name)
{
    ProcessState process;
    process.id = id;
    process.kind = kind;
    process.name = name;
    process.pid = std::uint32_t(id % 30'000) + 1'000;
    process.address = "127.0.0.1:" + std::to_string(20'000 + id % 40'000);
    process.isIncomplete = false;
    return process;
}

ClusterState fileOf(const FileShape& shape)
{
    ClusterState s;
    s.file.exists = shape.buckets > 0;
    s.file.config.set_m(shape.m);
    s.file.config.set_b(shape.b);
    s.file.config.set_availability(shape.k);
    s.file.buckets = shape.buckets;
    s.file.availability = shape.k;
    while (shape.buckets >= 2u << s.file.i)
        ++s.file.i;
    s.file.n = shape.buckets > 0 ? shape.buckets - (1u << s.file.i) : 0;
    s.processes[kFileCoordinator] = processOf(kFileCoordinator, pb::COORDINATOR, "coordinator");
    static const char* const kNames[] = { "alice", "bob", "carol", "dave" };
    for (std::uint32_t c = 0; c < shape.clients; ++c) {
        const ProcessId id = kFileClients + c;
        const std::string name = c < 4 ? kNames[c] : "client-" + std::to_string(c);
        s.processes[id] = processOf(id, pb::CLIENT, name);
        ClientState client;
        client.process = id;
        client.name = name;
        client.done = client.operations = 12'345;
        client.forwards = 17;
        s.clients[id] = client;
        s.fileClients[id].image.set_i(s.file.i);
        s.fileClients[id].image.set_n(c == 0 ? s.file.n : 0);
    }
    for (std::uint32_t a = 0; a < shape.buckets; ++a) {
        const ProcessId id = kFileData + a;
        ProcessState process = processOf(id, pb::NODE, "node-" + std::to_string(a + 1));
        process.place.set_role(pb::DATA);
        process.place.set_number(a);
        process.incarnation = a + 1;
        s.processes[id] = process;
        DataBucketState bucket;
        bucket.number = a;
        bucket.level = s.file.i + (a < s.file.n || a >= 1u << s.file.i ? 1 : 0);
        bucket.process = id;
        bucket.incarnation = a + 1;
        bucket.count = shape.records;
        bucket.sequence = shape.records;
        bucket.state = pb::UP;
        bucket.b = shape.b;
        for (std::uint32_t rank = 1; rank <= shape.records; ++rank)
            bucket.ranks.set(rank, std::uint64_t(rank) * 100 + a);
        s.data[a] = bucket;
        GroupState& group = s.groups[a / shape.m];
        group.number = a / shape.m;
        group.k = shape.k;
        group.epoch = 3;
    }
    for (const auto& [number, group] : s.groups) {
        for (std::uint32_t column = 0; column < shape.k; ++column) {
            const ProcessId id = parityProcess(number, column);
            ProcessState process = processOf(
                id, pb::NODE, "parity-" + std::to_string(number) + "-" + std::to_string(column));
            process.place.set_role(pb::PARITY);
            process.place.set_number(number);
            process.place.set_column(column);
            s.processes[id] = process;
            ParityBucketState bucket;
            bucket.group = number;
            bucket.column = column;
            bucket.process = id;
            bucket.recordGroups = shape.records;
            bucket.state = pb::UP;
            bucket.applied.assign(shape.m, shape.records);
            bucket.held.assign(shape.m, 0);
            for (std::uint32_t rank = 1; rank <= shape.records; ++rank)
                bucket.ranks.set(rank, shape.m);
            s.parity[{ number, column }] = bucket;
        }
    }
    for (std::uint32_t spare = 0; spare < shape.dataSpares + shape.paritySpares; ++spare) {
        const ProcessId id = kFileSpares + spare;
        s.processes[id] = processOf(id, pb::NODE, "spare-" + std::to_string(spare + 1));
        s.processes[id].pool = spare < shape.dataSpares ? pb::DATA : pb::PARITY;
    }
    return s;
}

Drawn drawn(
    const ClusterState& state, QSizeF view, const Theme& theme, Layers layers, const std::set<ProcessId>* silent)
{
    LayoutOptions options;
    options.viewport = view;
    options.showSpares = layers.waiting;
    options.showLegend = layers.legend;
    Drawn result { layoutCluster(state, theme, options), DisplayList(theme) };
    CellReader cells;
    cells.beginFrame();
    PictureInput input { state, result.layout, theme, cells };
    input.layers = layers;
    input.silent = silent;
    input.plan = cellPlanOf(state);
    input.footNote = QStringLiteral("messages drawn 4 000 × slower than they are");
    drawCluster(input, result.list);
    return result;
}

std::uint64_t ListFeed::tell(ProcessId process, pb::Event event, std::int64_t afterNs)
{
    m_nowNs += afterNs;
    std::uint64_t& last = m_last[process];
    if (event.sequence() == 0)
        event.set_sequence(last + 1);
    last = event.sequence();
    m_state.apply(process, event, m_nowNs);
    m_ring.push(process, m_nowNs, std::make_shared<const pb::Event>(std::move(event)), 100);
    return last;
}

void HeldContents::readContents(
    ProcessId process, std::uint32_t rankFrom, std::uint32_t count, QObject*, std::function<void(ContentsAnswer)> done)
{
    requests.push_back({ process, rankFrom, count, std::move(done) });
}

} // namespace lhrs::gui
