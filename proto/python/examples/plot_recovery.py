# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Two buckets fail: the recovery, slice by slice
# A file with four data buckets in a group and two parity buckets. Two data buckets are killed; the recovery manager asks the
# survivors for slices, decodes them, and fills two spares. When did each slice's records arrive, when was it decoded, when
# was it stored?

# %%
import csv
import pathlib
import sys

try:
    from lhrs_lab import Lab
except ModuleNotFoundError:  # from the tree, without installing
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
    from lhrs_lab import Lab

out = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else "out")
RECORDS, SLICE = 4000, 50  # of the file; ranks of a slice

# %% [markdown]
# ## Fill
# b is so large that no bucket overflows; three splits by hand make four buckets of about the same size.

# %%
with Lab.start(m=4, k=2, b=100_000, slice=SLICE, spares={"data": 7, "parity": 2}, recovery="manual") as lab:
    alice = lab.client("alice")
    alice.insert()
    for _ in range(3):
        lab.split()
    print(f"{alice.run('insert', count=RECORDS, window=64).per_op_ms:.3f} ms an insert")
    print(lab.settle())

    # ## Kill two, and recover
    since = lab.here()
    lab.kill(lab.data([1, 2]))
    timing = lab.recover(0)
    print(timing)
    recovered = lab.events("SliceRecovered", since=since)
    stored = lab.events("SliceStored", since=since)
    lab.settle()
    assert alice.verify().wrong == 0 and lab.audit().unequal == 0
    print("events that are missing:", lab.lost_events())

    # ## And measured: one slice size against another
    def once(case):
        lab.kill(lab.data([1, 2]))
        return lab.recover(0, slice=case["slice"])

    def whole(_):
        lab.settle()
        spares = lab.spares()
        lab.add_spares(data=max(0, 2 - spares["data"]))

    table = lab.measure("recovery_by_slice", once, factors={"slice": [25, 100, 1000]}, repetitions=3, before=whole, after=whole)
    for row in table.summary():
        print(f"slice {row['slice']}: {1000 * row['total_s_median']:.1f} ms, of it {1000 * row['process_s_median']:.1f} ms computing")
    print("written:", table.write_csv(out))

# %% [markdown]
# ## Slices over time
# A moment of the manager's clock, counted from its order: records asked for, all there, decoded.

# %%
last = {event.number: event.t_s for event in stored}  # the later of the two spares
origin = min((event.t_s - event.computed_s for event in recovered), default=0.0)  # the manager's order, on the run's clock
slices = [{"slice": event.number, "ranks": event.rank_to - event.rank_from + 1, "requested_ms": 1000 * event.requested_s,
           "arrived_ms": 1000 * event.arrived_s, "decoded_ms": 1000 * event.computed_s,
           "stored_ms": 1000 * (last[event.number] - origin) if event.number in last else None} for event in recovered]
path = out / "slices_over_time.csv"
with path.open("w", newline="", encoding="utf-8") as file:
    writer = csv.DictWriter(file, fieldnames=list(slices[0]))
    writer.writeheader()
    writer.writerows(slices)
print(f"written: {path}, {len(slices)} slices")

# %%
try:
    from matplotlib import pyplot
except ModuleNotFoundError:
    print("matplotlib is not installed (Debian: python3-matplotlib), so there is no picture; the CSV file has all of it")
else:
    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    for row in slices:
        axes.barh(row["slice"], row["arrived_ms"] - row["requested_ms"], left=row["requested_ms"], color="#56b4e9")
        axes.barh(row["slice"], row["decoded_ms"] - row["arrived_ms"], left=row["arrived_ms"], color="#d55e00")
        if row["stored_ms"] is not None:
            axes.plot(row["stored_ms"], row["slice"], "k|")
    axes.set(xlabel="ms after the order", ylabel="slice", title=f"Buckets 1 and 2 back after {1000 * timing.total_s:.1f} ms\n"
             "blue: on its way; red: there, until decoded; bar: stored")
    axes.yaxis.get_major_locator().set_params(integer=True)
    figure.savefig(out / "slices_over_time.svg")
    print(f"written: {out / 'slices_over_time.svg'}")
