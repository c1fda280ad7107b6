/** The style sheet of an exported rollout: light and dark, from system fonts. */
export const HTML_STYLE = `
:root{color-scheme:light dark;--bg:#f4f6f8;--panel:#fff;--line:#dfe3e8;--text:#171b20;--dim:#57606b;--bad:#a82018;--bad-tint:#fbe7e5;--prompt:#eceff2;--policy:#e4eef9;--environment:#e2f2e9;--mark:#ffe08a}
@media (prefers-color-scheme:dark){:root{--bg:#121518;--panel:#191d21;--line:#2b3138;--text:#e7eaed;--dim:#9da7b2;--bad:#f59a92;--bad-tint:#43211f;--prompt:#262b31;--policy:#1b2c40;--environment:#193226;--mark:#6b5510}}
body{margin:0;background:var(--bg);color:var(--text);font:14px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}
h1{margin:0 0 .5rem;font-size:1.35rem;overflow-wrap:anywhere;unicode-bidi:isolate}
h2{margin:2rem 0 .5rem;font-size:1.1rem}
h3{margin:0 0 .25rem;font-size:.85rem}
p{margin:.25rem 0}
small,.fine{color:var(--dim);font-size:.8rem;font-weight:400}
b,.text,td{overflow-wrap:anywhere;unicode-bidi:isolate}
.figures{display:flex;flex-wrap:wrap;gap:.25rem 1rem}
details{margin:.5rem 0;border:1px solid var(--line);border-radius:6px;padding:.5rem .75rem;background:var(--panel)}
summary{cursor:pointer;font-weight:600}
.segment{margin:.5rem 0;border-left:4px solid var(--line);padding:.25rem .75rem}
.segment.policy{background:var(--policy)}
.segment.environment{background:var(--environment)}
.segment.prompt{background:var(--prompt)}
.text{white-space:pre-wrap}
.badge{border:1px solid var(--line);border-radius:9px;padding:0 6px;background:var(--panel);font-size:.75rem}
.supports{border-bottom:2px solid #3f9a70}
mark{background:var(--mark);color:inherit}
u{text-decoration:underline wavy var(--bad);text-decoration-skip-ink:none}
.note{border-radius:4px;padding:.25rem .5rem;background:var(--bad-tint);color:var(--bad)}
ol{margin:.25rem 0;padding-left:1.5rem}
.wide{overflow-x:auto}
table{border-collapse:collapse;font-size:.85rem}
th,td{border-bottom:1px solid var(--line);padding:.25rem .75rem .25rem 0;text-align:left;vertical-align:top}
.number{text-align:right;font-variant-numeric:tabular-nums}
.tokens{border:1px solid var(--line);border-radius:6px;padding:.5rem;background:var(--panel);font:12px/1.9 ui-monospace,monospace;white-space:pre-wrap;overflow-wrap:anywhere}
.t{border-radius:2px;unicode-bidi:isolate;box-shadow:inset 0 0 0 1px var(--line)}
.t.policy{background:var(--policy)}
.t.environment{background:var(--environment)}
.t.prompt{background:var(--prompt)}
.t.m0{opacity:.8;text-decoration:underline dotted}
`;
