# SPDX-License-Identifier: GPL-3.0-or-later
# %% [markdown]
# # Two buckets fail: the recovery, slice by slice
# A file with four data buckets in a group and two parity buckets. Two data buckets are killed; the recovery manager asks the
# survivors for slices, decodes them, and fills two spares. When did each slice's records arrive, when was it decoded, when
# was it stored?

# %%
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
    recovered = lab.events("SliceRecovered", since=since).to_pandas()
    stored = lab.events("SliceStored", since=since).to_pandas()
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
    print(table.summary().to_pandas(["slice", "n", "total_s_median", "process_s_median"]))
    print("written:", table.write_csv(out))
    table.figure(["total_s", "process_s"]).savefig(out / "recovery_by_slice.svg")

# %% [markdown]
# ## Slices over time
# A moment of the manager's clock, counted from its order: records asked for, all there, decoded.

# %%
order_s = (recovered.t_s - recovered.computed_s).min()                # the manager's order, on the run's clock
slices = recovered.set_index("number")[["rank_from", "rank_to", "requested_s", "arrived_s", "computed_s"]]
slices["stored_s"] = stored.groupby("number").t_s.max() - order_s     # the later of the two spares
slices.to_csv(out / "slices_over_time.csv")
print(f"written: {out / 'slices_over_time.csv'}, {len(slices)} slices")

# %%
from matplotlib.figure import Figure

figure = Figure(figsize=(8, 5), layout="constrained")
axes = figure.subplots()
axes.barh(slices.index, slices.arrived_s - slices.requested_s, left=slices.requested_s, label="on its way")
axes.barh(slices.index, slices.computed_s - slices.arrived_s, left=slices.arrived_s, label="there, until decoded")
axes.plot(slices.stored_s, slices.index, "k|", label="stored")
axes.set(xlabel="s after the order", ylabel="slice", title=f"Buckets 1 and 2 back after {1000 * timing.total_s:.1f} ms")
axes.legend()
figure.savefig(out / "slices_over_time.svg")
print(f"written: {out / 'slices_over_time.svg'}")
