// scenarios/parity_tables.js   @title Making a parity bucket (2003, section 3.1 and tables 1 to 10)   @minutes 8   @needs 14 processes   @experiment E1 E2 E3 E16
// SPDX-License-Identifier: GPL-3.0-or-later
// A parity bucket is made from the contents of four data buckets: column 0 by XOR, column 1 with the row of ones, in both
// fields and four sizes. Then, with tables of logarithms as in 2003: what the row of ones and the logarithms taken
// beforehand are worth. Bucket sizes are capacities, and buckets hold 0.625 of it, as in the report.
const p = lab.params({ sizes: '5000 10000 25000 50000', repetitions: 5, fields: '8 16', parts: 'columns options' });
const sizes = p.sizes.split(' ').map(Number), fields = p.fields.split(' ').map(Number);

let isFirst = true; // of all files
let field = null; // of the newest file

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
function fill(options, size, k, isTold, words) {
    const bucket = Math.floor(0.625 * size);
    lab.cluster(Object.assign({ m: 4, k: k, b: size, recordBytes: 100, recovery: 'manual', spares: { data: 4, parity: k + 1 } }, options));
    lab.detail('counts');
    const filler = lab.client('filler');
    lab.camera({ fit: 'file', speed: isFirst ? 2 : 4 });
    if (words)
        lab.say(words);
    else if (isTold)
        lab.say(isFirst ? 'Records are inserted, and the file is split into four buckets. The inserts are only counted.'
            : (options.field === field ? 'A new file' : 'Now in GF(2^' + options.field + '). A new file') + (k > 0 ? ', with column 0 (Parity 0.0) from the start,' : '')
                + ' is filled and split in the same way.');
    isFirst = false;
    field = options.field;
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
    if (words || isTold)
        lab.dwell(1.5); // what is said of the last split fades
    return bucket;
}

const kWhyAnew = 'A column is made only once in a file. So each repetition begins with a new file.';

// A column is made once in a file, and K grows by one at a time: each column of each repetition has a file of its own.
// What is seen is told once, the first time: `told` has words for each column. Then it is said why the file is
// thrown away. Gives what was measured, by column.
function series(name, options, constants, size, columns, told) {
    const taken = {};
    for (const column of columns)
        // The first is to warm up, which a simulated cluster does not. (lab.simulated is known when the first cluster is there.)
        for (let repetition = 0; repetition < p.repetitions + (lab.simulated ? 0 : 1); ++repetition) {
            const words = told[column];
            const records = fill(options, size, column, words, words === kWhyAnew && kWhyAnew);
            told[column] = words === kWhyAnew ? null : words && kWhyAnew;
            lab.camera({ speed: 1 });
            if (words && words !== kWhyAnew)
                lab.say(words);
            lab.raiseAvailability(column + 1);
            const made = lab.addParity(0);
            lab.expectEqual(made.column, column, 'column ' + column + ' was made');
            if (repetition > 0 || lab.simulated) {
                (taken[column] = taken[column] || []).push(made);
                lab.row(name, Object.assign({ scheme: column === 0 ? 'xor' : 'rs', bucket_size: size, records_per_bucket: records }, constants, made));
            }
            lab.settle();
            lab.expectEqual(lab.audit(0).unequal, 0, 'the parity encodes the data');
            if (words)
                lab.dwell(2); // the parity bucket is seen
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
            0: 'The four buckets send their contents to the parity bucket of column 0 (Parity 0.0), which adds them: plain XOR.',
            1: 'Now for column 1 of the parity (Parity 0.1): the first bucket is only added, the other three are multiplied.'
        };
        let last = null;
        for (const size of sizes)
            last = series('parity_creation', { field: field }, { gf: field }, size, [0, 1], told);
        const total = column => median(last[column], 'total_s');
        lab.say('A parity bucket of ' + last[0][0].records + ' groups: ' + ms(total(0)) + ' by XOR, ' + ms(total(1)) + ' by Reed-Solomon coding.'
            + (lab.simulated ? ' Simulated computing takes no time.' : ''));
        lab.chart({ table: 'parity_creation', x: 'scheme', y: 'total_s', by: sizes.length > 1 ? ['bucket_size'] : [], where: { gf: field }, title: 'Making a parity bucket in GF(2^' + field + ')' });
        if (!lab.simulated)
            lab.say('Of that, ' + ms(median(last[0], 'process_s')) + ' and ' + ms(median(last[1], 'process_s')) + ' were work; the rest was waiting for records.');
    }

const saved = field => Number(lab.paper('process_time_options', { gf: field, option: 'rs_row_of_ones', bucket_size: 50000 })[0].printed_improvement_percent).toFixed(1) + ' %';
if (p.parts.includes('options') && lab.simulated) { // all of these differ in what is computed, which takes no time
    lab.step(steps.shift(), 'What ones and logarithms are worth');
    const how = { rs_row_of_ones: 'a row of ones', rs_pure: 'no ones', log_precalculus_off: 'no ones, logarithms anew' };
    for (const option in how) // buckets of 50000, which held 31250 records
        for (const row of lab.paper('process_time_options', { config: 1, option: option }).filter(one => one.bucket_size === 50000 || one.records === 31250))
            lab.row('process_time_options_2003', { source: row.source, gf: row.gf, how: how[row.option], process_s: row.process_s });
    lab.say('In a simulated run computing takes no time. So here is the work that was measured in 2003.');
    lab.chart({ table: 'process_time_options_2003', x: 'how', y: 'process_s', by: ['gf'], title: 'What ones and logarithms were worth in 2003' });
    lab.say('With a row of ones in the matrix, the first bucket is only added. That saved ' + saved(8) + ' of the work in GF(2^8), ' + saved(16) + ' in GF(2^16).');
    lab.say('Logarithms taken beforehand saved 3.4 % in GF(2^8).');
} else if (p.parts.includes('options'))
    for (const field of fields) {
        lab.step(steps.shift(), 'What ones and logarithms are worth in GF(2^' + field + ')');
        const work = {};
        for (const option of [{ option: 'rs_row_of_ones', how: 'a row of ones', words: 'As in 2003, its parity is multiplied by tables of logarithms.' },
            { option: 'rs_pure', how: 'no ones', pureRs: true, words: 'Now a matrix without ones: all four buckets are multiplied.' },
            { option: 'log_precalculus_off', how: 'no ones, logarithms anew', pureRs: true, logPrecalculus: false, words: 'Now the logarithm of each factor is looked up anew for every symbol.' }]) {
            const options = Object.assign({ field: field, galois: 'log' }, option);
            delete options.option;
            delete options.how;
            delete options.words;
            const told = { 1: option.words };
            for (const size of sizes)
                work[option.option] = median(series('process_time_options', options, { gf: field, option: option.option, how: option.how }, size, [1], told)[1], 'process_s');
        }
        const times = [work.rs_row_of_ones, work.rs_pure, work.log_precalculus_off].map(ms);
        lab.say('Work: ' + times[0] + ' with a row of ones, ' + times[1] + ' without, ' + times[2] + ' also without logarithms taken beforehand.');
        lab.chart({ table: 'process_time_options', x: 'how', y: 'process_s', by: sizes.length > 1 ? ['bucket_size'] : [], where: { gf: field }, title: 'What ones and logarithms are worth in GF(2^' + field + ')' });
        lab.say('In 2003, with buckets of 50000, the row of ones saved ' + saved(field) + ' of the work' + (field === 8 ? ', and logarithms taken beforehand saved 3.4 %.' : '.'));
    }

lab.step(steps.shift() || 'e', lab.simulated ? 'What the papers measured' : 'Ours, and those of the papers');
for (const scheme of ['xor', 'rs'])
    for (const published of lab.paper('demo_2004', { item: 'parity_creation', scheme: scheme }))
        lab.print('2004:', scheme + ', ' + published.quantity + ':', published.value, 's (1.8 GHz, 1 Gb/s)');
const then = (field, scheme) => lab.paper('parity_creation', { config: 2, gf: field, scheme: scheme, bucket_size: 50000 })[0].total_s;
const dearer = field => (then(field, 'rs') / then(field, 'xor')).toFixed(2) + ' times';
const lines = { x: 'bucket_size', y: 'total_s', by: ['gf', 'scheme'] };
if (lab.simulated) {
    for (const row of lab.paper('parity_creation', { config: 2 }))
        lab.row('parity_creation_2003', { source: row.source, gf: row.gf, scheme: row.scheme, bucket_size: row.bucket_size, total_s: row.total_s });
    lab.say('Our run is simulated: neither its times nor their ratios tell what computing costs. So here is 2003 alone.');
    lab.chart(Object.assign({ table: 'parity_creation_2003', title: 'Making a parity bucket in 2003, by the size of the buckets' }, lines));
} else if (p.parts.includes('columns')) {
    lab.say('The whole time, ours and that of 2003, dashed. Compare ratios, not seconds: XOR against multiplication, small against large.');
    lab.chart(Object.assign({ table: 'parity_creation', log: true, paper: 'parity_creation', where: { config: 2 }, title: 'Making a parity bucket, ours and 2003' }, lines));
}
lab.say('In 2003, making it with multiplication took ' + dearer(8) + ' as long as by XOR in GF(2^8), ' + dearer(16) + ' in GF(2^16).');
