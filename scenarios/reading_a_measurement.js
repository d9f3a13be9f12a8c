// scenarios/reading_a_measurement.js   @title Reading a measurement   @minutes 8   @needs 12 processes   @lecture 9
// SPDX-License-Identifier: GPL-3.0-or-later
// What a figure says and what it does not: one number is no measurement, a mean hides, watching may cost, one client that waits
// measures the way and many at once the work; and other people's seconds are of other machines.
const p = lab.params({ records: 4000, searches: 4000, repetitions: 5 });
lab.cluster({ m: 4, k: 1, b: p.records, recordBytes: 100, spares: { data: 4, parity: 2 } });
const client = lab.client('reader');

// What a client has done in all is counted; a count comes a little later. It may be lost: then the picture lags, and nothing else.
function showOperations(since, name, operations) {
    try {
        lab.waitFor('Gauges', { where: e => e.process === name && e.operations === operations, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}
let made = 0; // operations of the reader so far
const run = o => {
    const done = client.run(o);
    made += done.operations;
    return done;
};
const shown = value => value.toPrecision(4);
const ms = figure => figure.median.toFixed(4) + ' ms (' + figure.q1.toFixed(4) + ' to ' + figure.q3.toFixed(4) + ')';

lab.step('a', 'One number is no measurement');
lab.camera({ fit: 'file' });
lab.say('First a file: the reader inserts ' + p.records + ' records into bucket 0.');
run({ do: 'insert', count: p.records, window: 16 });
lab.settle();
// What is measured is only counted: the count is seen before the result is told.
function measure(name, cases, one) {
    const since = lab.here();
    const table = lab.measure({ name: name, cases: cases, order: 'given', repetitions: p.repetitions, run: one });
    showOperations(since, 'reader', made);
    return table;
}
const search = window => {
    const done = run({ do: 'search', keys: 'present', count: p.searches, window: window });
    lab.expectEqual(done.results.ok, p.searches, 'every search finds its record');
    return { per_op_ms: done.per_op_ms, p50_ms: done.p50_ms, p99_ms: done.p99_ms };
};
lab.camera({ speed: 0.4 });
lab.say('The reader makes 8 searches, one after the other.');
run({ do: 'search', keys: 'present', count: 8, window: 1 });
lab.settle();
lab.camera({ speed: 1 });
lab.say('Now only counted: ' + p.searches + ' searches, ' + p.repetitions + ' times, after a warm-up.');
const repeated = measure('repeated', [{ window: 1 }], c => search(c.window));
const values = repeated.rows.filter(row => !row.warm_up).map(row => row.per_op_ms);
lab.print('one search after the other:', values.map(v => v.toFixed(4)).join(', '), 'ms each');
lab.expectEqual(values.length, p.repetitions, 'each repetition is a row of the table');
lab.expect(new Set(values).size > 1, 'no two of them need be the same');
lab.say('All repetitions together give a median and two quartiles: ' + ms(repeated.summary()[0].per_op_ms) + '.');
lab.chart({ table: 'repeated', x: 'repetition', y: 'per_op_ms', title: 'One search after the other: the time of each, by repetition' });
lab.say('A single run would be an anecdote. And the first is left out: in a real machine its caches are cold.');

lab.step('b', 'A mean hides');
const spread = repeated.summary()[0];
lab.print('median search', spread.p50_ms.median.toFixed(4), 'ms, one in a hundred takes more than', spread.p99_ms.median.toFixed(4), 'ms');
lab.expect(spread.p99_ms.median >= spread.p50_ms.median, 'the slow ones are slower than the usual ones');
lab.say('Half of the searches of the reader take less than ' + spread.p50_ms.median.toFixed(4) + ' ms: that is p50, the median.');
lab.chart({ table: 'repeated', x: 'repetition', y: ['per_op_ms', 'p50_ms', 'p99_ms'], title: 'The same searches: mean, median, and the slowest of a hundred' });
lab.say('One search in a hundred takes the reader more than ' + spread.p99_ms.median.toFixed(4) + ' ms, p99. A mean hides that.');

lab.step('c', 'Waiting, or working?');
lab.camera({ speed: 0.4 });
lab.say('Now the reader sends 8 searches at once. All eight are drawn.');
run({ do: 'search', keys: 'present', count: 8, window: 8 });
lab.settle();
lab.camera({ speed: 1 });
const q = lab.predict({ text: 'Now 64 at a time are measured, and only counted. What is the whole time divided by the searches?', choices: ['the same', 'about half', 'far less'] });
const both = measure('window', [1, 64].map(window => ({ window: window, under_way: window + ' at a time' })), c => search(c.window)).summary();
const alone = both.find(row => row.window === 1).per_op_ms.median, many = both.find(row => row.window === 64).per_op_ms.median;
q.reveal(alone / many > 4 ? 2 : alone / many > 1.5 ? 1 : 0, lab.simulated ? 'One at a time measures the round trip. Many share that trip, and wait in a queue for their work.'
    : 'One at a time measures the round trip. Many at once measure the work.');
lab.print('one at a time', alone.toFixed(4), 'ms, 64 at a time', many.toFixed(4), 'ms: ratio', (alone / many).toFixed(1));
const ratio = (shown(alone) / shown(many)).toFixed(1); // of what is shown
lab.say('The whole divided by the searches: ' + shown(alone) + ' ms one at a time, ' + shown(many) + ' ms in parallel, ' + ratio + ' times less.');
lab.chart({ table: 'window', x: 'under_way', y: 'per_op_ms', title: 'The whole time divided by the searches, by how many are under way' });
const waits = both.map(row => shown(row.p50_ms.median));
lab.say('No search in parallel is that quick. From request to answer the median was ' + waits[0] + ' ms one at a time, ' + waits[1] + ' ms in parallel.');
lab.expect(alone > many, 'in parallel all searches together take less time');

lab.step('d', 'Does watching cost?');
const told = {};
let apart = 0; // per cent of the median, between the quartiles of one level
for (const level of ['counts', 'full']) {
    lab.say(level === 'counts' ? 'The reader searches again, and processes report only counts.' : 'Now the same, and each message is reported as an event.');
    const since = lab.here();
    const row = lab.measure({ name: 'watched', constants: { told: level }, factors: { window: [64] }, repetitions: p.repetitions, detail: level,
                              run: c => search(c.window) }).summary().find(one => one.told === level);
    showOperations(since, 'reader', made);
    told[level] = row.per_op_ms.median;
    apart = Math.max(apart, 100 * (row.per_op_ms.q3 - row.per_op_ms.q1) / told[level] || 0);
    lab.print('detail', level + ':', ms(row.per_op_ms));
}
const counted = shown(told.counts), watched = shown(told.full), more = 100 * (watched / counted - 1); // of what is shown
lab.say('Again the whole divided by the searches: ' + counted + ' ms with counts, ' + watched + ' ms watched, ' + Math.abs(more).toFixed(1) + ' % ' + (more < 0 ? 'less.' : 'more.'));
lab.chart({ table: 'watched', x: 'told', y: 'per_op_ms', title: 'The same searches, by what is told of them' });
if (!lab.simulated)
    lab.say('The quartiles of the repetitions are up to ' + apart.toFixed(1) + ' % apart. '
        + (more > apart ? 'The difference is larger: watching costs.' : more < -apart ? 'But watching saves no time: these are too few repetitions.' : 'A smaller difference means nothing.'));
else
    lab.say('This run is simulated: its clock does not count the work of reporting events. Real processes pay for each.');
lab.say('Watching may cost time. So all measurements here but this one are made with counts.');

lab.step('e', 'Other people\'s seconds');
const then = lab.paper('demo_2004', { item: 'search_individual' })[0].value, bulk = lab.paper('demo_2004', { item: 'search_bulk' })[0].value;
lab.print('2004:', then, 'ms one at a time,', bulk, 'ms in parallel, on six computers of 1.8 GHz with 1 Gb/s');
lab.say('The reader stayed in one ' + (lab.simulated ? 'simulated ' : '') + 'machine: ' + shown(alone) + ' ms alone and ' + shown(many) + ' ms in parallel, ratio ' + ratio + '.');
lab.chart({ table: 'window', x: 'under_way', y: 'per_op_ms', title: 'Here: the whole time divided by the searches, by how many are under way' });
lab.say('In 2004, likewise divided, it was ' + then.toFixed(3) + ' ms alone and ' + bulk.toFixed(3) + ' ms in parallel, over a network: ratio ' + (then / bulk).toFixed(1) + '.');
const factor = (x, y) => Math.max(x / y, y / x), times = [factor(alone, then), factor(many, bulk)], ratios = factor(alone / many, then / bulk);
lab.say(lab.simulated ? 'This run is simulated: its times and their ratio come from simulated delays alone. Neither compares with 2004.'
    : 'Times of 2004 and ours are ' + times[0].toFixed(1) + ' and ' + times[1].toFixed(1) + ' times apart, ratios ' + ratios.toFixed(1) + ' times. '
    + (ratios < Math.min(...times) ? 'Ratios compare better than seconds.' : 'Here ratios compare no better than seconds.'));
lab.expectEqual(lab.audit().unequal, 0, 'and after all that, the parity encodes the data');
