"""How the pages look: one style sheet, light and dark, wide and narrow; no script, nothing fetched."""

STYLE = """
:root { color-scheme: light dark; --ink: #1d2327; --soft: #5b666d; --page: #fbfaf7; --card: #fff; --line: #dcd8cf;
  --good: #1f6b3b; --differs: #8a5300; --open: #2b5fa8; --failed: #a3262a; --tint: #f2efe8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e9e6df; --soft: #a7aeb3; --page: #17191b; --card: #1f2225;
  --line: #383d41; --good: #7ed39b; --differs: #f0b35a; --open: #8fb8f5; --failed: #ff9a94; --tint: #282c30; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header, footer { max-width: 1180px; margin: 0 auto; padding: 0 20px; }
header { padding-top: 34px; }
h1 { font: 600 30px/1.2 Georgia, "Times New Roman", serif; margin: 0 0 4px; }
h2 { font: 600 21px/1.3 Georgia, "Times New Roman", serif; margin: 0 0 2px; }
p { margin: 6px 0; max-width: 76ch; }
a { color: var(--open); }
.soft { color: var(--soft); }
nav { margin: 14px 0 0; }
nav ol { columns: 3 260px; padding-left: 22px; margin: 8px 0; font-size: 15px; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 18px 20px; margin: 22px 0; }
pre { background: var(--tint); border-radius: 6px; padding: 9px 12px; overflow-x: auto; font-size: 14px; margin: 10px 0; }
table { border-collapse: collapse; width: 100%; margin: 12px 0 4px; font-size: 15px; font-variant-numeric: tabular-nums; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 13px; }
th, td { padding: 6px 10px 6px 0; border-top: 1px solid var(--line); vertical-align: top; }
td.number { white-space: nowrap; }
td.words { overflow-wrap: anywhere; }
td.reason { color: var(--soft); }
tr.why td { border-top: 0; padding-top: 0; }
.verdict { font-weight: 600; white-space: nowrap; }
.good { color: var(--good); } .differs { color: var(--differs); } .open { color: var(--open); } .failed { color: var(--failed); }
.error { border-left: 4px solid var(--failed); padding-left: 12px; overflow-wrap: anywhere; }
figure { margin: 16px 0 4px; }
img { max-width: 100%; height: auto; border-radius: 4px; background: #fff; }
figcaption { color: var(--soft); font-size: 14px; max-width: 76ch; margin-top: 4px; }
.counts { display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 10px 0; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(330px, 1fr)); gap: 18px; margin: 20px 0; }
.cards section { margin: 0; }
footer { color: var(--soft); font-size: 14px; padding-top: 8px; padding-bottom: 40px; }
@media (max-width: 700px) {
  main, header, footer { padding-left: 12px; padding-right: 12px; }
  .cards { grid-template-columns: 1fr; }
  section { padding: 14px 12px; }
  thead { display: none; }
  tr { display: block; border-top: 1px solid var(--line); padding: 7px 0; }
  tr.why { border-top: 0; padding-top: 0; }
  td, td.number { display: block; border: 0; padding: 1px 0; white-space: normal; }
  td[data-name]::before { content: attr(data-name) ": "; color: var(--soft); }
}
"""
