// SPDX-License-Identifier: GPL-3.0-or-later
// Limits for what is built into the engine. A built-in call cannot be interrupted, allocates its memory at once, and
// calls others without counting the depth: a few lines of a script could end the program. This file is evaluated before
// the script. Each method of a prototype then runs below a stack frame that the engine counts; calls that create large
// values have a limit; and loops that may be long are loops of this file, which an interrupt ends.
(function (global, textMax, elementsMax, patternMax, proxiesMax, lacking) {
    'use strict';
    const apply = Reflect.apply, construct = Reflect.construct, define = Object.defineProperty, ownKeys = Reflect.ownKeys;
    const describe = Object.getOwnPropertyDescriptor, prototypeOf = Object.getPrototypeOf;
    const isArray = Array.isArray, text = String, toNumber = Number, floor = Math.floor, least = Math.min, most = Math.max;
    const objectText = Object.prototype.toString;

    const watchFrom = 4096;

    const refuse = (what, count, max) => { throw new RangeError(what + ' of ' + count + ' is more than the ' + max + ' that a scenario may have'); };
    const letters = (count) => { if (count > textMax) refuse('A text', count, textMax); };
    const elements = (count) => {
        if (count > elementsMax)
            refuse('A list', count, elementsMax);
        if (count >= watchFrom && count % watchFrom === 0) {
            const sentence = lacking(); // about memory; an error here has a line number, an interrupt has none
            if (sentence !== '')
                throw new RangeError(sentence);
        }
    };
    const bytes = (count) => { if (count > 8 * elementsMax) refuse('A buffer', count, 8 * elementsMax); };
    const pattern = (count) => { if (count > patternMax) refuse('A regular expression', count, patternMax); };
    const whole = (value, otherwise) => {
        const number = value === undefined ? otherwise : toNumber(value);
        return number === number ? (number < 0 ? -floor(-number) : floor(number)) : 0;
    };
    const from = (value, length) => { const at = whole(value, 0); return at < 0 ? most(length + at, 0) : least(at, length); };

    const method = (object, name, value) => define(object, name, { value, writable: true, enumerable: false, configurable: true });
    // Defined as a method, so that it has no prototype of its own and cannot be called with `new`.
    const counted = (native) => ({ m() { return apply(native, this, arguments); } }).m;

    // ---- lists

    const nativeConcat = Array.prototype.concat, nativeFrom = Array.from, nativePush = Array.prototype.push;
    const open = []; // lists that are being converted to text, outermost first
    const joined = (list, between, one) => {
        for (let i = 0; i < open.length; ++i)
            if (open[i] === list)
                throw new TypeError('a list that contains itself has no text');
        const length = list.length;
        elements(length);
        open.push(list);
        try {
            let made = '';
            for (let i = 0; i < length; ++i) {
                if (i > 0)
                    made += between;
                const element = list[i];
                if (element !== undefined && element !== null)
                    made += one(element);
                letters(made.length);
            }
            return made;
        } finally {
            --open.length;
        }
    };
    // A stable sort; `before` is negative if its first argument comes first.
    const sorted = (values, before) => {
        const length = values.length;
        let source = values, target = [];
        for (let width = 1; width < length; width *= 2) {
            for (let begin = 0; begin < length; begin += 2 * width) {
                const middle = least(begin + width, length), end = least(begin + 2 * width, length);
                for (let at = begin, left = begin, right = middle; at < end; ++at)
                    target[at] = left < middle && (right >= end || !(before(source[right], source[left]) < 0)) ? source[left++] : source[right++];
            }
            const other = source;
            source = target;
            target = other;
        }
        return source;
    };
    const lists = {
        join(between) { return joined(this, between === undefined ? ',' : text(between), text); },
        toString() { return typeof this.join === 'function' ? this.join() : apply(objectText, this, []); },
        toLocaleString() { return joined(this, ',', (element) => text(element.toLocaleString())); },
        fill(value, begin, end) {
            elements(this.length);
            const last = end === undefined ? this.length : from(end, this.length);
            for (let i = from(begin, this.length); i < last; ++i)
                this[i] = value;
            return this;
        },
        concat(...more) {
            let sum = this.length;
            for (let i = 0; i < more.length; ++i)
                sum += isArray(more[i]) ? more[i].length : 1;
            elements(sum);
            return apply(nativeConcat, this, more);
        },
        push(value) {
            elements(this.length);
            if (arguments.length !== 1 || !isArray(this))
                return apply(nativePush, this, arguments);
            this[this.length] = value;
            return this.length;
        },
        sort(compare) {
            if (compare !== undefined && typeof compare !== 'function')
                throw new TypeError('The comparison of a sort is a function');
            const length = this.length;
            elements(length);
            const values = [];
            let undefineds = 0;
            for (let i = 0; i < length; ++i) {
                if (!(i in this))
                    continue;
                const value = this[i];
                if (value === undefined)
                    ++undefineds;
                else
                    values[values.length] = compare ? value : { value, shown: text(value) };
            }
            const made = sorted(values, compare || ((a, b) => (a.shown < b.shown ? -1 : 1)));
            for (let i = 0; i < length; ++i) {
                if (i < values.length)
                    this[i] = compare ? made[i] : made[i].value;
                else if (i < values.length + undefineds)
                    this[i] = undefined;
                else
                    delete this[i];
            }
            return this;
        }
    };
    // ---- texts

    const size = (subject) => (typeof subject === 'string' ? subject.length : 0);
    const isShort = { match: true, search: true }; // their argument becomes a regular expression
    const ofText = (name, native) => ({
        m(...args) {
            letters(size(this));
            if (isShort[name])
                pattern(size(args[0]));
            else if (name === 'repeat')
                letters(size(this) * whole(args[0], 0));
            else if (name === 'padStart' || name === 'padEnd')
                letters(whole(args[0], 0));
            else if (name === 'replace')
                letters(size(this) + size(this) * size(args[1]));
            else if (name === 'split')
                elements(size(this));
            else if (name === 'concat')
                for (let i = 0, sum = size(this); i < args.length; ++i)
                    letters(sum += size(args[i]));
            return apply(native, this, args);
        }
    }).m;
    const ofPattern = (name, native) => ({
        m(...args) {
            if (name === 'compile')
                pattern(size(args[0]));
            for (let i = 0; i < args.length; ++i)
                letters(size(args[i]));
            return apply(native, this, args);
        }
    }).m;
    const ofList = (name, native) => ({
        m() {
            elements(this.length);
            return apply(native, this, arguments);
        }
    }).m;

    const replaceMethods = (object, how) => {
        for (const name of ownKeys(object)) {
            const property = describe(object, name);
            // Skips the constructor, and what the engine itself calls for each element of a loop.
            if (name === 'constructor' || name === Symbol.iterator || name === Symbol.hasInstance || name === 'next' || !property.configurable)
                continue;
            if (typeof property.value === 'function')
                method(object, name, how(name, property.value));
            else if (property.get)
                define(object, name, { get: counted(property.get), set: property.set && counted(property.set), enumerable: false, configurable: true });
        }
    };
    const anyMethod = (name, native) => counted(native);
    replaceMethods(Array.prototype, ofList);
    for (const name of ownKeys(lists))
        method(Array.prototype, name, lists[name]);
    method(Array, 'from', {
        from(source, ...more) {
            if (source !== undefined && source !== null && typeof source !== 'function' && !source[Symbol.iterator])
                elements(source.length);
            return apply(nativeFrom, this, [source, ...more]);
        }
    }.from);
    replaceMethods(String.prototype, ofText);
    replaceMethods(RegExp.prototype, ofPattern);
    const typed = prototypeOf(Int8Array.prototype);
    replaceMethods(typed, ofList);
    for (const name of ['join', 'toString', 'toLocaleString'])
        method(typed, name, lists[name]);
    const functions = prototypeOf(() => 0); // found through a function, because a scenario has no global `Function`
    replaceMethods(functions, anyMethod);
    for (const one of [Object, Error, ArrayBuffer, DataView, Map, Set, WeakMap, WeakSet, Promise])
        replaceMethods(one.prototype, anyMethod);
    method(functions, 'bind', {
        bind(self, ...first) {
            const f = this;
            if (typeof f !== 'function')
                throw new TypeError('bind is of functions');
            return function (...more) { return new.target ? construct(f, [...first, ...more]) : apply(f, self, [...first, ...more]); };
        }
    }.bind);

    // ---- what makes an object of a given size

    const limited = (name, check) => {
        const native = global[name];
        const guard = function (...args) {
            check(args);
            return new.target ? construct(native, args, new.target === guard ? native : new.target) : apply(native, undefined, args);
        };
        Object.setPrototypeOf(guard, native); // static members
        method(global, name, guard);
        if (native.prototype) {
            guard.prototype = native.prototype;
            method(native.prototype, 'constructor', guard);
        }
    };
    limited('RegExp', (args) => pattern(size(args[0])));
    limited('ArrayBuffer', (args) => bytes(whole(args[0], 0)));
    for (const name of ['Int8Array', 'Uint8Array', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Uint8ClampedArray', 'Float32Array', 'Float64Array'])
        limited(name, (args) => elements(typeof args[0] === 'number' ? args[0] : isArray(args[0]) ? args[0].length : 0));
    // The engine follows nested proxies without counting their depth.
    let proxies = 0;
    limited('Proxy', () => { if (++proxies > proxiesMax) refuse('A number of proxies', proxies, proxiesMax); });
})
