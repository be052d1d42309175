"""`bunraku reproduce`: the five documents that Bunraku unites, experiment by experiment, printed value beside ours.

A package beside the product, like the benchmarks: it uses Bunraku as any user does, and the product never imports it.

```
documents.py              the five documents: how they are cited, their packages
experiment.py             a part of a document and what it writes: rows and pictures
run.py                    runs parts one after another; a part that fails is shown as failed
page.py, style.py         one self-contained HTML page a document, and an index over all
reproduce_command.py      the command
nakamura_yamane_2000/ …   one package a document: `PARTS`, in the order of the document
```

A part is a function with `@part`. It does one experiment, figure, table or group of claims, and says what it found:

```python
@part("Masses and inertias of the figure", section="5", table="3", how="bk.human(body='2000')", printed="A table of …")
def masses(e: Experiment) -> None:
    e.equal("table-3/total", "Table 3", "total mass", 69.0, model.mass, tolerance=0.05, unit="kg")
    e.at_most("solves", "4.4", "solves of a contact's forces", 3, counted, unit="solves")
    e.holds("released", "(24)", "a contact that would pull is released", "released at 0.31 s", released)
    e.table("table-3/inertias", "Table 3", "inertias of all links", printed, ours, tolerance=0.05, unit="kg m2")
    e.waits("grips", "3.2", "grips in motion generation", "grips that carry force in every tool")
    e.picture(png, "What the printed one shows; what is to be seen in ours.")
```

- A tolerance comes from the document's own digits: half a unit of the last printed one, or what its text says.
- A row that is not as printed needs a `reason`, which makes its verdict "differs"; without one the part has failed.
- Keys are unique in a document. Each good row is asserted by a test of its own, which computes the thing itself, or is
  a test of the product that does, and which says so by `@asserts("2000/table-3/*")` (tests/asserts.py: the document's
  short name, then a key or a pattern). tests/reproduce/test_every_row.py finds rows that no test names.
- A part takes seconds, all of them ten minutes at the most. What is slow or fails to import is imported inside parts.
"""
