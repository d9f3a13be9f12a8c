// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the object `lab` from the list of calls. It is evaluated before the script, which sees only `lab` and what its
// calls return. Each call is passed to `bridge`, with the stack that gives the line of the script.
(function (bridge, calls, textMax, elementsMax, depthMax) {
    'use strict';
    const own = Symbol('lab');
    const keysOf = Object.keys, apply = Reflect.apply, isView = ArrayBuffer.isView, text = String;

    class LabError extends Error {
        constructor(code, message, hint, line, call) {
            super(message);
            this.name = 'LabError';
            this.code = code;
            this.hint = hint;
            this.line = line;
            this.call = call;
        }
    }
    class Target {
        constructor(fields) {
            Object.assign(this, fields);
            Object.freeze(this);
        }
        toString() { return this.labTarget; }
    }

    // Why a value may not be passed out of the script, as a sentence; '' if it may, and the receiver can traverse it
    // safely. A list argument that is too long is left to the check of the argument, which names it.
    const problemOf = (value, isList) => {
        const path = [];
        let values = 0, letters = 0;
        const walk = (v) => {
            if (typeof v === 'string')
                return (letters += v.length) > textMax ? 'it has more than ' + textMax + ' letters of text' : '';
            if (v === null || typeof v !== 'object' || v instanceof Target || v[own] !== undefined || isView(v))
                return '';
            for (let i = 0; i < path.length; ++i)
                if (path[i] === v)
                    return 'it contains itself';
            if (path.length >= depthMax)
                return 'it is deeper than ' + depthMax + ' levels';
            const names = Array.isArray(v) ? null : keysOf(v);
            const count = names === null ? v.length : names.length;
            if (isList && path.length === 1 && names === null && count > elementsMax)
                return '';
            if ((values += count) > elementsMax)
                return 'it has more than ' + elementsMax + ' values';
            path[path.length] = v;
            for (let i = 0; i < count; ++i) {
                const problem = walk(v[names === null ? i : names[i]]);
                if (problem !== '')
                    return problem;
            }
            --path.length;
            return '';
        };
        return walk(value);
    };
    const call = (name, self, args) => {
        const problem = problemOf(args, true);
        return bridge.call(name, self, problem === '' ? args : [], new Error().stack, problem);
    };
    // Calls a function of the script: [true, value] or [false, the thrown value].
    const guard = (f, args) => {
        try {
            const value = apply(f, undefined, args), problem = problemOf(value, false);
            if (problem !== '')
                throw new LabError('BadArgument', 'What the function returned cannot be taken: ' + problem + '.', '', undefined, '');
            return [true, value];
        } catch (e) {
            return [false, e];
        }
    };
    // A thrown value in words.
    const shown = (value) => {
        try {
            const words = typeof value === 'string' ? value : text(value);
            return words.length <= 2000 ? words : words.length <= textMax ? words.slice(0, 2000) + ' …' : 'a text of ' + words.length + ' letters';
        } catch (e) {
            return 'a value that has no text';
        }
    };

    // Defines the calls of one kind of object as its members. An unknown name is an error with the nearest known name.
    const members = (object) => calls.filter((c) => c.object === object);
    const define = (target, object, selfOf) => {
        for (const c of members(object)) {
            if (c.isProperty)
                Object.defineProperty(target, c.member, { enumerable: true, get() { return call(c.name, selfOf(this), []); } });
            else
                Object.defineProperty(target, c.member, { enumerable: true, value(...args) { return call(c.name, selfOf(this), args); } });
        }
    };
    const strict = (target, object) => new Proxy(Object.freeze(target), {
        get(t, name) {
            if (typeof name === 'symbol' || name in t || name === 'toJSON' || name === 'then' || name === 'labTarget')
                return t[name];
            return () => call('lab.unknownMember', object + '.' + name, []); // the engine hides what a trap throws
        },
        set(t, name) { return call('lab.unknownMember', object + '.' + String(name), []); },
        defineProperty() { return false; },
        deleteProperty() { return false; },
        setPrototypeOf() { return false; }
    });
    const kind = (object, show) => {
        const prototype = { toString() { return show(this[own]); } };
        Object.defineProperty(prototype, 'constructor', { value: undefined }); // so it is no plain object of options
        define(prototype, object, (self) => self[own]);
        Object.freeze(prototype);
        return (self) => {
            const made = Object.create(prototype);
            Object.defineProperty(made, own, { value: Object.freeze(self) });
            return strict(made, object);
        };
    };
    const makeClient = kind('client', (self) => self.name);
    const makeHandle = kind('handle', (self) => 'workload ' + self.id);
    const makeTable = kind('table', (self) => 'table ' + self.name);
    const makeQuestion = kind('question', (self) => 'question ' + self.id);
    const makeWitness = kind('witness', (self) => 'witness of ' + self.shown);

    const lab = {};
    define(lab, 'lab', () => undefined);
    return {
        lab: strict(lab, 'lab'),
        guard, problemOf, shown,
        error: (code, message, hint, line, name) => new LabError(code, message, hint, line, name),
        target: (fields) => new Target(fields),
        client: makeClient, handle: makeHandle, table: makeTable, question: makeQuestion, witness: makeWitness,
        selfOf: (object) => object === null || typeof object !== 'object' ? undefined : object[own]
    };
})
