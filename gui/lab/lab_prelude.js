// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the object `lab` from the list of calls. Evaluated before the script, in which nothing of this is visible but
// `lab` and what its calls return. Each call goes to `bridge`, with the stack that tells the script's line.
(function (bridge, calls) {
    'use strict';
    const own = Symbol('lab');

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
    const call = (name, self, args) => bridge.call(name, self, args, new Error().stack);
    // What a script's function gives: [true, value] or [false, what it threw].
    const guard = (f, args) => {
        try {
            return [true, f.apply(undefined, args)];
        } catch (e) {
            return [false, e];
        }
    };

    // Puts the calls of one kind of object on it; a name that does not exist is an error that names the nearest one.
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
            return () => call('lab.unknownMember', object + '.' + name, []); // the engine hides what a trap throws itself
        },
        set(t, name) { return call('lab.unknownMember', object + '.' + String(name), []); },
        defineProperty() { return false; },
        deleteProperty() { return false; },
        setPrototypeOf() { return false; }
    });
    const kind = (object, show) => {
        const prototype = { toString() { return show(this[own]); } };
        Object.defineProperty(prototype, 'constructor', { value: undefined }); // it is no plain object of options
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

    class Target {
        constructor(fields) {
            Object.assign(this, fields);
            Object.freeze(this);
        }
        toString() { return this.labTarget; }
    }

    const lab = {};
    define(lab, 'lab', () => undefined);
    return {
        lab: strict(lab, 'lab'),
        guard,
        error: (code, message, hint, line, name) => new LabError(code, message, hint, line, name),
        target: (fields) => new Target(fields),
        client: makeClient, handle: makeHandle, table: makeTable, question: makeQuestion, witness: makeWitness,
        selfOf: (object) => object === null || typeof object !== 'object' ? undefined : object[own]
    };
})
