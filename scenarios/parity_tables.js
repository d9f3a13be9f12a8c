// scenarios/parity_tables.js   @title Making a parity bucket (2003, section 3.1 and tables 1 to 10)   @minutes 8   @needs 14 processes   @experiment E1 E2 E3 E16
// SPDX-License-Identifier: GPL-3.0-or-later
// A parity bucket is made from the contents of four data buckets: column 0 by XOR, column 1 with the row of ones, in both
// fields and four sizes. Then, with tables of logarithms as in 2003: what the row of ones and the logarithms taken
// beforehand are worth. Bucket sizes are capacities, and buckets hold 0.625 of it, as in the report.
const p = lab.params({ sizes: '5000 10000 25000 50000', repetitions: 5, fields: '8 16', parts: 'columns options' });
const sizes = p.sizes.split(' ').map(Number), fields = p.fields.split(' ').map(Number);

// What counts say comes a little later. An event may be lost: then the picture lags, and nothing else.
function showCounts(since, buckets, records) {
    try {
        for (const a of buckets)
            lab.waitFor('Gauges', { where: e => e.place === 'data ' + a && e.records === records, since: since });
    } catch (late) {
        lab.print('the picture lags:', late.message);
    }
}

// Four data buckets of 0.625 of their capacity each, and k parity buckets.
function fill(options, size, k, words) {
    const bucket = Math.floor(0.625 * size);
    lab.cluster(Object.assign({ m: 4, k: k, b: size, recordBytes: 100, recovery: 'manual', spares: { data: 4, parity: k + 1 } }, options));
    lab.detail('counts');
    const filler = lab.client('filler');
    lab.camera({ fit: 'file', speed: words ? 1 : 4 });
    if (words)
        lab.say(words);
    const begun = lab.here();
    filler.run({ do: 'insert', count: bucket, window: 64 });
    lab.settle();
    showCounts(begun, [0], bucket);
    while (lab.file().M < 4)
        lab.split();
    const before = lab.here();
    filler.run({ do: 'insert', count: bucket * 3, window: 64 });
    lab.settle();
    lab.expectEqual([lab.file().M, lab.file().records], [4, bucket * 4], 'four data buckets hold the records');
    showCounts(before, [0, 1, 2, 3], bucket);
    return bucket;
}

const kWhyAnew = 'A column is made only once in a file. So each repetition begins with a new file.';

// A column is made once in a file, and K grows by one at a time: each column of each repetition has a file of its own.
// What is seen is told once, the first time: `told` has words for each column. Then it is said why the file is
// thrown away. Gives what was measured, by column.
function series(name, options, constants, size, columns, told) {
    const taken = {};
    for (const column of columns)
        for (let repetition = 0; repetition <= p.repetitions; ++repetition) { // the first is to warm up
            const records = fill(options, size, column, told[column]);
            told[column] = told[column] === kWhyAnew ? null : told[column] && kWhyAnew;
            lab.raiseAvailability(column + 1);
            const made = lab.addParity(0);
            lab.expectEqual(made.column, column, 'column ' + column + ' was made');
            if (repetition > 0) {
                (taken[column] = taken[column] || []).push(made);
                lab.row(name, Object.assign({ scheme: column === 0 ? 'xor' : 'rs', bucket_size: size, records_per_bucket: records }, constants, made));
            }
            lab.settle();
            lab.expectEqual(lab.audit(0).unequal, 0, 'the parity encodes the data');
        }
    return taken;
}

const median = (made, column) => made.map(one => one[column]).sort((a, b) => a - b)[Math.floor(made.length / 2)];
const ms = seconds => (1000 * seconds).toFixed(2) + ' ms';
const steps = ['a', 'b', 'c', 'd'];

if (p.parts.includes('columns'))
    for (const field of fields) {
        lab.step(steps.shift(), 'XOR and Reed-Solomon columns in GF(2^' + field + ')');
        const told = {
            0: 'A file is filled and split. Then its four buckets send their contents to a parity bucket: plain XOR.',
            1: 'Now for column 1 of the parity: the first bucket is only added, the other three are multiplied.'
        };
        let last = null;
        for (const size of sizes)
            last = series('parity_creation', { field: field }, { gf: field }, size, [0, 1], told);
        const total = column => median(last[column], 'total_s');
        lab.say('A parity bucket of ' + last[0][0].records + ' records took ' + ms(total(0)) + ' by XOR, and ' + ms(total(1)) + ' by Reed-Solomon coding.');
        lab.chart({ table: 'parity_creation', x: 'scheme', y: 'total_s', by: ['gf', 'bucket_size'], where: { gf: field }, title: 'Making a parity bucket in GF(2^' + field + ')' });
        lab.say(lab.simulated ? 'This run is simulated: computing takes no time, so multiplications cost nothing.'
            : 'Of that, ' + ms(median(last[0], 'process_s')) + ' and ' + ms(median(last[1], 'process_s')) + ' were work; the rest was waiting for records.');
    }

if (p.parts.includes('options'))
    for (const field of fields) {
        lab.step(steps.shift(), 'What ones and logarithms are worth in GF(2^' + field + ')');
        const work = {};
        for (const option of [{ option: 'rs_row_of_ones', words: 'The file is split again. As in 2003, its parity is multiplied by tables of logarithms.' },
            { option: 'rs_pure', pureRs: true, words: 'Now a matrix without ones: all four buckets are multiplied.' },
            { option: 'log_precalculus_off', pureRs: true, logPrecalculus: false, words: 'Now the logarithm of each factor is looked up anew for every symbol.' }]) {
            const options = Object.assign({ field: field, galois: 'log' }, option);
            delete options.option;
            delete options.words;
            const told = { 1: option.words };
            for (const size of sizes)
                work[option.option] = median(series('process_time_options', options, { gf: field, option: option.option }, size, [1], told)[1], lab.simulated ? 'total_s' : 'process_s');
        }
        const times = [work.rs_row_of_ones, work.rs_pure, work.log_precalculus_off].map(ms);
        lab.say(lab.simulated ? 'This run is simulated, and computing takes no time: ' + times[0] + ', ' + times[1] + ' and ' + times[2] + '.'
            : 'Work: ' + times[0] + ' with a row of ones, ' + times[1] + ' without, ' + times[2] + ' also without logarithms taken beforehand.');
        lab.chart({ table: 'process_time_options', x: 'option', y: lab.simulated ? 'total_s' : 'process_s', by: ['gf', 'bucket_size'], where: { gf: field }, title: 'What ones and logarithms are worth in GF(2^' + field + ')' });
        const ones = lab.paper('process_time_options', { gf: field, option: 'rs_row_of_ones', bucket_size: 50000 })[0].printed_improvement_percent;
        lab.say('In 2003, with buckets of 50000, the row of ones saved ' + Number(ones).toFixed(1) + ' % of the work' + (field === 8 ? ', and logarithms taken beforehand saved 3.4 %.' : '.'));
    }

lab.step('result', 'Ours, and those of the papers');
for (const scheme of ['xor', 'rs'])
    for (const published of lab.paper('demo_2004', { item: 'parity_creation', scheme: scheme }))
        lab.print('2004:', scheme + ', ' + published.quantity + ':', published.value, 's (1.8 GHz, 1 Gb/s)');
lab.say('The whole time, ours and that of 2003, dashed. Compare ratios, not seconds: XOR against multiplication, small against large.');
if (p.parts.includes('columns'))
    lab.chart({ table: 'parity_creation', x: 'bucket_size', y: 'total_s', by: ['gf', 'scheme'],
                paper: 'parity_creation', where: { config: 2 }, title: 'Making a parity bucket, ours and 2003' });
