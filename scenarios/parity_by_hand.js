// scenarios/parity_by_hand.js   @title Parity by hand   @minutes 3   @needs 9 processes   @lecture 8
// SPDX-License-Identifier: GPL-3.0-or-later
// Four records of two bytes each are one symbol each in GF(2^16). What the parity buckets hold is computed here with pencil and
// paper (in this script, not by the cluster), and compared: by XOR in column 0, with multiplications in column 1; then a lost record is
// computed back. The symbols are those of the test vector 0001 0203 abcd ffff, whose parity is known.
lab.cluster({ m: 4, k: 2, b: 10, recordBytes: 2, recovery: 'onAlarm', spares: { data: 4, parity: 3 } }); // no spare for data: what is lost stays lost
const alice = lab.client('alice');

// The field: polynomials over {0, 1} of degree below 16, multiplied modulo x^16 + x^12 + x^3 + x + 1.
function mul(a, b) {
    let product = 0;
    for (let bit = 0; bit < 16; ++bit) {
        if (b >> bit & 1)
            product ^= a;
        a = a << 1 ^ (a & 0x8000 ? 0x1100b : 0);
    }
    return product;
}
const hex = x => ('000' + x.toString(16)).slice(-4);
// A record's two bytes as a symbol: the low byte comes first.
const symbol = bytes => parseInt(bytes.slice(2, 4) + bytes.slice(0, 2), 16);
const text = x => String.fromCharCode(x & 0xff, x >> 8);

lab.step('a', 'Four buckets, four records of one symbol');
lab.camera({ fit: 'file', layers: { deltas: true, ranks: true, spares: true }, speed: 2 });
lab.say('The file is split into four buckets, while nothing is in it.');
while (lab.file().M < 4)
    lab.split();
lab.settle();
lab.camera({ speed: 1 });
lab.say('Parity bucket 0.0 will hold one sum of all four, column 0. Parity bucket 0.1 holds another, column 1.');
const symbols = [0x4241, 0x4443, 0x4645, 0x4847]; // "AB", "CD", "EF", "GH"
const keys = [0, 1, 2, 3]; // each of the bucket of its number
lab.say('Alice stores "AB" in bucket 0. Two letters are one symbol of GF(2^16): ' + hex(symbols[0]) + ', low byte first.');
const rank = alice.insert(keys[0], text(symbols[0])).rank;
let group = lab.recordGroup(0, rank);
lab.expectEqual(symbol(group.data[0].hex), symbols[0], 'bucket 0 holds the symbol ' + hex(symbols[0]));
lab.expectEqual(group.parity.map(record => symbol(record.hex)), [symbols[0], symbols[0]], 'both parity records are a copy of it: the first row of the matrix is all ones');
const record = { group: 0, rank: rank };
lab.say('Nothing else has this rank: parity bucket 0.0 and parity bucket 0.1 both hold a copy, ' + hex(symbols[0]) + '.');
lab.camera({ view: 'update', record: record, fit: lab.data(0), stage: 'column 0' });

lab.step('b', 'Column 0 is XOR');
lab.say('Now "CD", "EF" and "GH" come to buckets 1, 2 and 3, with the same rank: one record group. Some are passed on.');
for (let a = 1; a < 4; ++a)
    alice.insert(keys[a], text(symbols[a]));
group = lab.recordGroup(0, rank);
lab.expectEqual(group.data.map(record => symbol(record.hex)), symbols, 'four records of rank ' + rank + ' are one record group');
const xor = symbols.reduce((sum, x) => sum ^ x, 0);
const ask = lab.predict({ text: hex(symbols[0]) + ' XOR ' + hex(symbols[1]) + ' XOR ' + hex(symbols[2]) + ' XOR ' + hex(symbols[3]) + ' is?', choices: [hex(xor), hex(symbols[0] + symbols[3] & 0xffff), 'ffff'] });
lab.camera({ view: 'update', record: record, fit: lab.data(3), stage: 'column 0' });
ask.reveal(0, 'Bit by bit: a one where an odd number of them has a one. Parity bucket 0.0 holds it.');
lab.say('Record by record: when "GH" came, parity bucket 0.0 added ' + hex(symbols[3]) + ' to what it held.');
lab.expectEqual(symbol(group.parity[0].hex), xor, 'parity bucket 0 holds ' + hex(xor) + ', the XOR of all four');

lab.step('c', 'Column 1 multiplies');
const column = [0x0001, 0xeb9b, 0x2284, 0x9e44]; // of the paper's matrix P
const terms = symbols.map((x, q) => mul(column[q], x));
lab.say('Parity bucket 0.1 multiplies each symbol by a number of its own; that of bucket 0 by 1, so ' + hex(terms[0]) + ' stays.');
lab.camera({ view: 'update', record: record, fit: lab.data(0), stage: 'column 1' });
for (let q = 1; q < 4; ++q) {
    lab.say('Bucket ' + q + ': ' + hex(column[q]) + ' times ' + hex(symbols[q]) + ' is ' + hex(terms[q]) + '.');
    lab.camera({ view: 'update', record: record, fit: lab.data(q), stage: 'column 1' });
    lab.print(hex(column[q]), '*', hex(symbols[q]), '=', hex(terms[q]));
}
const sum = terms.reduce((all, x) => all ^ x, 0);
lab.print('sum:', hex(sum), '- parity bucket 1 holds', hex(symbol(group.parity[1].hex)));
lab.say(terms.map(hex).join(' XOR ') + ' is ' + hex(sum) + '. Parity bucket 0.1 holds it.');
lab.expectEqual(symbol(group.parity[1].hex), sum, 'parity bucket 1 holds what was computed by hand');

lab.step('d', 'An update needs only the difference');
const now = 0x5a59; // "YZ"
const delta = symbols[2] ^ now;
lab.witness(lab.data(2), { pin: [rank] }); // what it was, for the difference
lab.say('Alice changes "EF" to "YZ" in bucket 2. Only the difference, ' + hex(delta) + ', goes to the parity.');
alice.update(keys[2], text(now));
lab.camera({ view: 'update', record: record, fit: lab.data(2), stage: 'delta' });
group = lab.recordGroup(0, rank);
lab.say('Parity bucket 0.0 added ' + hex(delta) + '.');
lab.camera({ view: 'update', record: record, fit: lab.data(2), stage: 'column 0' });
lab.say('Parity bucket 0.1 added 2284 times ' + hex(delta) + '. The records of buckets 0, 1 and 3 were not read.');
lab.camera({ view: 'update', record: record, fit: lab.data(2), stage: 'column 1' });
lab.expectEqual(symbol(group.parity[0].hex), xor ^ delta, 'parity 0 is ' + hex(xor) + ' XOR ' + hex(delta));
lab.expectEqual(symbol(group.parity[1].hex), sum ^ mul(column[2], delta), 'parity 1 is ' + hex(sum) + ' XOR 2284 * ' + hex(delta));

lab.step('e', 'Two records are lost, and computed');
lab.camera({ view: 'decode', record: record, stage: 'members' });
const held = group.data.map(record => symbol(record.hex)), parity = group.parity.map(record => symbol(record.hex));
lab.say('Now buckets 1 and 3 are ended, and their records x and y are lost.');
lab.kill(lab.data([1, 3]));
const left = parity[0] ^ held[0] ^ held[2], right = parity[1] ^ mul(column[0], held[0]) ^ mul(column[2], held[2]);
lab.print('x + y =', hex(left) + ',', hex(column[1]), '* x +', hex(column[3]), '* y =', hex(right));
lab.say('Parity bucket 0.0 holds ' + hex(parity[0]) + '. Less ' + hex(held[0]) + ' and ' + hex(held[2]) + ' of buckets 0 and 2: x\u00a0+\u00a0y\u00a0=\u00a0' + hex(left) + '.');
lab.camera({ view: 'decode', record: record, stage: 'columns' });
lab.say('Parity bucket 0.1 holds ' + hex(parity[1]) + '. Less the parts of buckets 0 and 2: ' + hex(column[1]) + ' * x + ' + hex(column[3]) + ' * y = ' + hex(right) + '.');
// Cramer: y = (right + c1 * left) / (c1 + c3); a reciprocal is the power 2^16 - 2.
let inverse = 1, power = column[1] ^ column[3];
for (let bit = 1; bit < 16; ++bit) {
    power = mul(power, power);
    inverse = mul(inverse, power);
}
const y = mul(right ^ mul(column[1], left), inverse), x = left ^ y;
lab.say('Bucket 3 held y = (' + hex(right) + ' + ' + hex(column[1]) + ' * ' + hex(left) + ') / (' + hex(column[1]) + ' + ' + hex(column[3]) + ') = ' + hex(y) + '.');
lab.say('Bucket 1 held x = ' + hex(left) + ' + ' + hex(y) + ' = ' + hex(x) + '.');
lab.expectEqual([x, y], [held[1], held[3]], 'by hand: x is what bucket 1 held, y what bucket 3 held');
lab.say('Alice searches for both. After an alarm, the cluster computes them with a matrix and its inverse.');
lab.camera({ view: 'decode', record: record, stage: 'inverse' });
const one = alice.search(keys[1], { timeout: 20 }), three = alice.search(keys[3], { timeout: 20 });
lab.expectEqual([one.path, three.path], ['record recovery', 'record recovery'], 'the cluster computes both, too');
lab.expectEqual([one.value, three.value], [text(x), text(y)], 'and comes to the same letters');
lab.say('It comes to the same letters: "' + one.value + '" of bucket 1, as computed here, and "' + three.value + '" of bucket 3.');
lab.camera({ view: 'decode', record: record, stage: 'bytes' });
