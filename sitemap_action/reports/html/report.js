
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const main = document.getElementById("main");
  const PAGE = 100;
  const [MISSING, EXTRA, ADDED, REMOVED, CHANGED, UNKNOWN] = [1, 2, 4, 8, 16, 32];
  const MARKS = [
    [MISSING, "missing", "+", "is-stale"], [EXTRA, "extra", "−", "is-stale"], [ADDED, "added", "+", "is-good"],
    [REMOVED, "removed", "−", "is-bad"], [CHANGED, "changed", "~", "is-info"], [UNKNOWN, "no answer", "?", "is-warn"],
  ].filter(([bit]) => data.counts.added !== undefined || (bit !== ADDED && bit !== REMOVED));
  const order = new Intl.Collator("en", { numeric: true }).compare;
  const narrow = matchMedia("(max-width: 44rem)");

  // Elements. Text becomes text nodes, and attributes have names of this file: nothing is parsed as markup.
  function el(tag, attributes, ...children) {
    return fill(document.createElement(tag), attributes, children);
  }
  function svg(tag, attributes, ...children) {
    return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
  }
  function fill(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }
  const number = (value) => value.toLocaleString("en-US");
  const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || `${one}s`}`;
  const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
  const web = (text) => /^https?:\/\/[^\s\\]+$/i.test(text);
  const url = (text) => web(text)
    ? el("a", { href: text, rel: "noopener noreferrer", target: "_blank", dir: "ltr" }, readable(text))
    : el("bdi", { dir: "ltr" }, readable(text));
  // An address as people write it: letters of any script decoded, what is invisible or misleading as it is.
  const readable = (text) => text.includes("%") ? text.replace(/(?:%[89a-f][0-9a-f])+/gi, (run) => {
    try { return [...decodeURIComponent(run)].map((one) => /[\p{L}\p{N}\p{M}]/u.test(one) && !/\p{Default_Ignorable_Code_Point}/u.test(one) ? one : encodeURIComponent(one)).join(""); }
    catch { return run; }
  }) : text;
  const fold = (text) => text.normalize("NFC").toLowerCase();
  const badge = (text, state) => el("span", { class: `badge ${state}` }, text);

  // Pages, as the data has them: short rows, a slash in the place of site-url, shared texts by number.
  const texts = data.table.texts;
  const pages = data.table.rows.map(([short, marks = 0, status = 0, depth = 0, title = "", reason = 0, detail = 0, found = 0, target = 0]) => ({
    short, marks, status, depth, title, reason: texts[reason], detail: texts[detail], found: texts[found], target: texts[target],
    url: short.startsWith("/") ? data.table.base + short.slice(1) : short, words: "",
  }));
  const state = (page) => page.marks & UNKNOWN || page.reason === "undetermined" ? "No answer" : page.reason ? "Not listed" : "Listed";
  const stateClass = { "No answer": "is-warn", "Not listed": "is-plain", Listed: "is-good" };
  const stateSign = { "No answer": "?", "Not listed": "○", Listed: "✓" };
  const searched = (page) => (page.words ||= fold([page.url, page.url.includes("%") ? readable(page.url) : "", page.title, page.reason, page.detail].join("\n")));
  const word = (page) => page.marks & MISSING && state(page) === "Listed" ? "Belongs in it" : page.marks & EXTRA && state(page) === "Not listed" ? "Does not belong" : state(page);
  const verdict = (page) => `${word(page)}${page.reason && page.reason !== "undetermined" ? `: ${page.reason}` : ""}`;

  function badges(page) {
    const known = state(page);
    return el("span", { class: "badges" }, badge(`${stateSign[known]} ${verdict(page)}`, stateClass[known]),
      MARKS.filter(([bit]) => bit !== UNKNOWN && page.marks & bit).map(([, label, sign, look]) => badge(`${sign} ${label}`, look)));
  }

  function part(id, title, lead, ...children) {
    const heading = `${id}-title`;
    document.getElementById("nav").append(el("li", {}, el("a", { href: `#${id}` }, title)));
    const section = el("section", { class: "part", id, "aria-labelledby": heading },
      el("h2", { id: heading, tabindex: "-1" }, title), lead ? el("p", { class: "lead" }, lead) : null, children);
    main.append(section);
    return section;
  }

  // A list that shows its first rows, and the others on request.
  function folded(tag, attributes, rows, make, first, rest) {
    const list = el(tag, attributes, rows.slice(0, first).map(make));
    const hidden = rows.length - first;
    if (hidden <= 0) return [list, rest];
    const button = el("button", { class: "more", type: "button", onclick: () => {
      const added = rows.slice(first).map(make);
      list.append(...added);
      added[0].tabIndex = -1;
      added[0].focus();
      button.remove();
    } }, `Show ${number(hidden)} more`);
    return [list, button, rest];
  }

  function showVerdict() {
    const look = { invalid: "is-bad", drift: data.exit ? "is-bad" : "is-warn", inconclusive: "is-warn", "in-sync": "is-good" }[data.result];
    document.title = `${data.label}: ${data.site}`;
    document.getElementById("site").append(data.site);
    document.getElementById("made").append(`${data.run.at(-1)[1]}. This file holds everything that it shows and loads nothing${(data.rendered || []).some(([, , shot]) => shot) ? " but the screenshots beside it" : ""}.`);
    main.append(el("section", { class: `box verdict ${look}`, "aria-label": "Verdict" },
      el("p", { class: "result" }, el("span", { class: "pill" }, data.label),
        el("span", { class: "muted" }, data.exit ? `The check fails, exit code ${data.exit}` : "The check passes, exit code 0")),
      el("h1", {}, data.headline),
      data.causes.length ? el("ul", { class: "causes" }, data.causes.map((cause) => el("li", {}, capital(cause)))) : null,
      data.advice ? el("div", { class: "todo" }, el("b", {}, "What to do"), prose(data.advice)) : null,
      el("dl", { class: "facts" }, [...data.facts, ...data.run].map(([name, value]) => [el("dt", {}, capital(name)), el("dd", {}, name === "log" ? url(value) : value)])),
      data.notes.length ? el("details", {}, el("summary", {}, plural(data.notes.length, "note")),
        el("ul", { class: "causes small" }, data.notes.map((note) => el("li", {}, note)))) : null));
    showTiles();
  }
  const prose = (text) => text.split("`").map((piece, place) => place % 2 ? el("code", {}, piece) : piece);

  function showTiles() {
    const tiles = [
      ["listed", "belong in the sitemap", "listed", "is-good"], ["missing", "missing from it", "missing", "is-stale"],
      ["extra", "extra in it", "extra", "is-stale"], ["added", "added", "added", "is-good"], ["removed", "removed", "removed", "is-bad"],
      ["changed", "changed", "changed", "is-info"], ["absent", "found, not listed", "absent", "is-plain"], ["unknown", "without an answer", "no answer", "is-warn"],
    ].filter(([key]) => data.counts[key] !== undefined && (data.counts[key] || !["unknown", "changed"].includes(key)));
    const problems = [["errors", "error", "is-bad"], ["warnings", "warning", "is-warn"]];
    main.append(el("section", { "aria-label": "Counts" }, el("div", { class: "tiles" },
      tiles.map(([key, label, filter, look]) => el("button", { type: "button", class: `tile ${look} ${data.counts[key] ? "" : "none"}`, onclick: () => showOnly(filter) },
        el("span", { class: "n" }, number(data.counts[key])), " ", el("span", { class: "label" }, label))),
      problems.map(([key, label, look]) => el(data.findings.length ? "a" : "div", { href: data.findings.length ? "#findings" : null, class: `tile ${look} ${data.counts[key] ? "" : "none"}` },
        el("span", { class: "n" }, number(data.counts[key])), " ", el("span", { class: "label" }, `${label}${data.counts[key] === 1 ? "" : "s"}`))))));
  }

  const signs = { "+": ["+", "is-good", "added"], "-": ["−", "is-bad", "removed"], "~": ["~", "is-info", "changed"], "?": ["?", "is-warn", "unknown"], "!": ["!", "is-bad", "problem"] };

  function showSections() {
    const rows = (section, most, whole) => [
      section.tip ? el("p", { class: "tip" }, prose(section.tip)) : null,
      folded("ul", { class: "rows" }, section.rows, sectionRow, most,
        section.count > section.rows.length ? el("p", { class: "muted small" }, `The first ${number(section.rows.length)} of ${number(section.count)}; the ${whole} has all of them.`) : null)];
    const accepted = (data.accepted || []).map((section) =>
      el("details", { class: "box" }, el("summary", {}, `${section.title} (${number(section.count)})`), rows(section, 50, "JSON report")));
    if (!data.sections.length && !accepted.length) return;
    part("differences", "Differences", "", el("div", { class: "cards" }, data.sections.map((section) =>
      el("div", { class: "box group" },
        el("div", { class: "head" }, el("h3", {}, section.title), el("span", { class: "muted count" }, number(section.count))),
        rows(section, 10, "table of pages")))), accepted);
  }
  function sectionRow([mark, subject, detail, place, tip]) {
    const [sign, look, label] = signs[mark] || ["", "is-plain", ""];
    return el("li", { class: look }, sign ? [el("span", { class: "mark", "aria-hidden": "true" }, sign), el("span", { class: "hidden" }, `${label}: `)] : null,
      known(subject), detail ? el("span", { class: "detail" }, " ", el("bdi", {}, detail)) : null,
      place ? el("span", { class: "detail" }, " · ", el("bdi", { dir: "ltr" }, place)) : null, tip ? el("p", { class: "tip small" }, prose(tip)) : null);
  }
  // A page of the table is a link to its row; anything else is text.
  const byUrl = new Map(pages.map((page) => [page.url, page]));
  const anchor = (address) => `#url=${encodeURIComponent(address)}`;
  const known = (text) => byUrl.has(text) ? el("a", { href: anchor(text), dir: "ltr" }, readable(text)) : el("bdi", {}, web(text) ? readable(text) : text);

  function showFindings() {
    if (!data.findings.length && !data.unchecked.length) return;
    const looks = { error: ["Error", "is-bad"], warning: ["Warning", "is-warn"], info: ["Note", "is-info"] };
    const section = part("findings", "Findings", "");
    const rest = data.findingCount - data.findings.length;
    section.append(...[folded("div", { class: "cards" }, data.findings, (found) => {
      const [label, look] = looks[found.severity];
      return el("article", { class: "box card" },
        el("div", { class: "head" }, badge(label, look), el("h3", {}, capital(found.message)), el("span", { class: "muted small" }, found.rule)),
        found.count > 1 ? el("p", { class: "muted" }, `On ${number(found.count)} pages${!found.subjects.length ? "." : found.subjects.length < found.count ? ", such as:" : ":"}`) : null,
        found.subjects.length ? el("ul", { class: "subjects" }, found.subjects.map((subject) => el("li", {}, known(subject)))) : null,
        found.place ? el("p", { class: "muted" }, "In ", el("bdi", { dir: "ltr" }, found.place)) : null,
        found.tip ? el("p", { class: "tip" }, prose(found.tip)) : null,
        el("p", { class: "small muted" }, "Rule: ", prose(found.summary), el("br"), source(found.source)));
    }, 30, rest > 0 ? el("p", { class: "muted" }, `${number(rest)} more findings are in the JSON report.`) : null)].flat().filter(Boolean));
    if (data.unchecked.length) section.append(el("details", { class: "box" }, el("summary", {}, `${plural(data.unchecked.length, "rule")} not checked`),
      el("ul", { class: "rows" }, data.unchecked.map(([rule, why]) => el("li", {}, rule, el("span", { class: "detail" }, ` ${why}`))))));
  }
  const source = (text) => ["Source: ", ...text.split(/(https?:\/\/[^\s,;)]+)/).map((piece, place) => place % 2 ? url(piece) : piece)];

  // The site before and after: a bar for each section, in which each kind has a colour, a pattern and a sign.
  const KINDS = [["kept", "", "is-plain"], ["moved away", "~", "is-stale"], ["removed", "−", "is-bad"], ["no answer", "?", "is-warn"], ["moved here", "~", "is-info"], ["added", "+", "is-good"]];
  const PATTERNS = [null, "M0 8 8 0", "M0 0 8 8M0 8 8 0", "M2 4h4", "M0 0 8 8", "M4 0v8"];
  function showPicture() {
    const rows = data.picture;
    if (!rows.length && !data.history) return;
    if (!rows.length) return void part("picture", "The site over time", "", el("div", { class: "box picture" }, pastCounts()));
    const sections = rows.filter(([, level]) => level), most = Math.max(1, ...sections.map(([, , , before, after, kept, ...rest]) => kept + rest.reduce((sum, one) => sum + one)));
    const [, , , before, after] = rows[0], used = KINDS.map((_, kind) => rows[0][5 + kind] > 0);
    const defs = svg("svg", { class: "hidden", "aria-hidden": "true" }, svg("defs", {}, PATTERNS.map((path, kind) => path === null ? null
      : svg("pattern", { id: `kind${kind}`, class: KINDS[kind][2], width: 8, height: 8, patternUnits: "userSpaceOnUse" }, svg("rect", { width: 8, height: 8, class: "ground" }), svg("path", { d: path, class: "stroke" })))));
    const label = (path, sections_) => path ? readable(path) : plural(sections_, "other section");
    const words = (counts) => counts.map((count, kind) => count && kind ? badge(`${KINDS[kind][1]} ${number(count)} ${KINDS[kind][0]}`, KINDS[kind][2]) : null).filter(Boolean);
    part("picture", "The site, before and after", before === after && used.slice(1).every((one) => !one) ? `All ${plural(after, "page")} stay.` : `${plural(before, "page")} before, ${number(after)} after: ${KINDS.map(([name], kind) => kind && used[kind] ? `${number(rows[0][5 + kind])} ${name}` : "").filter(Boolean).join(", ")}.`,
      el("div", { class: "box picture" }, defs,
        el("ul", {}, sections.map(([path, level, many, was, is, ...counts]) => el("li", { class: level === 2 ? "inner" : null },
          el("span", { class: "name", title: path }, el("bdi", { dir: "ltr" }, label(path, many))),
          areas(counts, most),
          el("span", { class: "count" }, was === is ? number(is) : `${number(was)} → ${number(is)}`),
          el("span", { class: "badges" }, words(counts))))),
        el("p", { class: "key" }, KINDS.map(([name, sign], kind) => used[kind] ? el("span", {}, area(kind, "0", "100%", "swatch"), `${sign} ${name}`.trim()) : null)), pastCounts()));
  }
  function pastCounts() {
    if (!data.history) return null;
    const { text, days } = data.history, counts = days.map(([, count]) => count);
    const times = days.map(([day]) => Date.parse(day)), span = times.at(-1) - times[0] || 1, low = Math.min(...counts), range = Math.max(...counts) - low;
    const points = counts.map((count, place) => `${100 * (times[place] - times[0]) / span},${range ? 19 - 18 * (count - low) / range : 10}`).join(" ");
    return el("div", { class: "past" }, days.length > 1 ? svg("svg", { viewBox: "0 0 100 20", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
      svg("polyline", { points, "vector-effect": "non-scaling-stroke" })) : null, el("p", { class: "muted small" }, text));
  }
  function areas(counts, most) {
    const shares = counts.map((count) => count ? Math.max(1.5, 100 * count / most) : 0), scale = Math.min(1, 100 / shares.reduce((sum, one) => sum + one, 0));
    let at = 0;
    return svg("svg", { class: "areas", "aria-hidden": "true", focusable: "false" }, shares.map((share, kind) => {
      const x = at;
      at += share * scale;
      return share ? box(kind, `${x}%`, `${share * scale}%`) : null;
    }));
  }
  const box = (kind, x, width_) => svg("rect", { class: `kind ${KINDS[kind][2]}`, x, width: width_, height: "100%", fill: PATTERNS[kind] === null ? "var(--kept)" : `url(#kind${kind})` });
  const area = (kind, x, width_, look) => svg("svg", { class: look, "aria-hidden": "true" }, box(kind, x, width_));

  // Charts: a table whose middle column is drawn, so that the numbers are text.
  function chart(caption, rows, keys) {
    const most = Math.max(1, ...rows.map(([, one, two = 0]) => one + two));
    return el("div", { class: "box chart" },
      el("table", {}, el("caption", {}, caption), el("tbody", {}, rows.map(([label, one, two = 0, look = ""]) => el("tr", { class: look },
        el("th", { scope: "row", title: label }, el("bdi", {}, readable(label))),
        el("td", { "aria-hidden": "true" }, svg("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", focusable: "false" },
          svg("rect", { class: "track", width: 100, height: 10 }), svg("rect", { class: "bar1", width: width(one, most), height: 10 }),
          two ? svg("rect", { class: "bar2", x: width(one, most), width: width(two, most), height: 10 }) : null)),
        el("td", { class: "n" }, two ? `${number(one)} + ${number(two)}` : number(one)))))),
      keys ? el("p", { class: "key" }, keys.map((key, place) => el("span", {}, svg("svg", { viewBox: "0 0 10 10", "aria-hidden": "true" },
        svg("rect", { class: `bar${place + 1}`, width: 10, height: 10 })), key))) : null);
  }
  const width = (count, most) => count ? Math.max(1, Math.round(1000 * count / most) / 10) : 0;

  function showCharts() {
    const { statuses, depths, sections, clicks } = data.table;
    const charts = [];
    const parts = largest(sections);
    if (parts.length > 1) charts.push(chart("Pages by section", parts, ["listed", "not listed"]));
    if (depths.length > 1) {
      const far = depths.filter(([depth]) => depth >= 10).reduce((sum, [, count]) => sum + count, 0);
      charts.push(chart(clicks ? "Listed pages by clicks from the start page" : "Listed pages by depth of the address",
        [...depths.filter(([depth]) => depth < 10).map(([depth, count]) => [depthLabel(depth), count]), ...(far ? [["10 and more", far]] : [])]));
    }
    if (statuses.length) charts.push(chart("Addresses by status", statuses.map(([status, count]) => [status ? statusLabel(status) : "no answer", count, 0, statusLook(status)])));
    if (charts.length) part("charts", "Charts", "", el("div", { class: "charts" }, charts));
  }
  const depthLabel = (depth) => depth === 0 ? "start page" : data.table.clicks ? plural(depth, "click") : plural(depth, "level");
  const NAMES = { 0: "none", 200: "200 found", 301: "301 moved", 302: "302 moved", 307: "307 moved", 308: "308 moved", 401: "401 login", 403: "403 forbidden", 404: "404 missing", 410: "410 gone", 500: "500 error", 503: "503 unavailable" };
  const statusLabel = (status) => NAMES[status] || String(status);
  const statusLook = (status) => status >= 400 ? "is-bad" : status >= 300 ? "is-stale" : status ? "is-good" : "is-warn";
  function largest(sections) {
    const top = sections.filter(([path]) => !path.includes("/"));
    const all = top.reduce((sum, [, listed, absent]) => sum + listed + absent, 0);
    const home = top.find(([path, listed, absent]) => path && listed + absent > 0.8 * all);
    const inner = home ? sections.filter(([path]) => path.startsWith(`${home[0]}/`)) : [];
    const rows = (inner.length > 1 ? inner : top).map(([path, listed, absent]) => [path ? `/${path}/` : "/", listed, absent]);
    rows.sort((one, other) => other[1] + other[2] - one[1] - one[2] || order(one[0], other[0]));
    const rest = rows.slice(12).reduce((sum, [, listed, absent]) => [sum[0] + listed, sum[1] + absent], [0, 0]);
    return rows.length > 13 ? [...rows.slice(0, 12), [`${number(rows.length - 12)} others`, ...rest]] : rows;
  }

  // The site as a tree by path. Its nodes are counted at once, and their elements made when they are opened.
  function plant() {
    const root = node("", "");
    for (const page of pages) {
      const inside = page.short.startsWith("/");
      const names = inside ? page.short.slice(1).split(/[?#]/)[0].split("/").filter(Boolean) : [];
      let at = inside ? root : child(root, "other addresses", "");
      at.count(page);
      for (const name of names) {
        at = child(at, name, at.path ? `${at.path}/${name}` : name);
        at.count(page);
      }
      at.pages.push(page);
    }
    return root;
  }
  function node(name, path) {
    return { name, path, kids: new Map(), pages: [], total: 0, marks: MARKS.map(() => 0),
      count(page) { this.total++; if (page.marks) MARKS.forEach(([bit], place) => { if (page.marks & bit) this.marks[place]++; }); } };
  }
  const child = (parent, name, path) => parent.kids.get(name) || parent.kids.set(name, node(name, path)).get(name);

  function showTree() {
    if (!pages.length) return;
    const whole = new Map(data.table.sections.map(([path, listed, absent]) => [path, listed + absent]));
    const root = plant();
    const list = branch(root, whole);
    part("site-tree", "Site", "Every section with what is different in it. Open a section to see its pages.", el("div", { class: "box tree" }, list));
  }
  function branch(at, whole) {
    const kids = [...at.kids.values()].sort((one, other) => (other.kids.size > 0) - (one.kids.size > 0) || (one.path === "") - (other.path === "") || order(one.name, other.name));
    const items = [...at.pages.map((page) => () => leaf(page)), ...kids.map((kid) => () => kid.kids.size || kid.pages.length > 1 ? directory(kid, whole) : kid.pages.map(leaf))];
    const list = el("ul", {});
    let next = 0;
    const grow = () => {
      const end = Math.min(items.length, next + 100);
      const made = items.slice(next, end).map((make) => make()).flat();
      list.append(...made);
      next = end;
      if (next < items.length) {
        const item = el("li", {}, el("button", { class: "more", type: "button", onclick: () => { item.remove(); grow()?.querySelector("a, summary")?.focus(); } }, `Show ${number(Math.min(100, items.length - next))} more of ${number(items.length - next)}`));
        list.append(item);
      }
      return made[0];
    };
    grow();
    return list;
  }
  function directory(at, whole) {
    const total = data.table.every > 1 && whole.get(at.path) || at.total;
    const details = el("details", { ontoggle: () => { if (details.open && details.children.length === 1) details.append(branch(at, whole)); } },
      el("summary", {}, el("bdi", { class: "name", dir: "ltr" }, `${readable(at.name)}${at.path ? "/" : ""}`), el("span", { class: "muted" }, ` ${plural(total, "page")}`),
        el("span", { class: "badges" }, MARKS.map(([, label, sign, look], place) => at.marks[place] ? badge(`${sign} ${number(at.marks[place])} ${label}`, look) : null))));
    return el("li", {}, details);
  }
  function leaf(page) {
    return el("li", {}, el("div", { class: "leaf" }, el("a", { href: anchor(page.url), dir: "ltr" }, readable(tail(page))), badges(page)));
  }
  const tail = (page) => page.short === "/" ? "/ (start page)" : page.short.startsWith("/") ? page.short.replace(/^.*\/(?=[^/?#])/, "") : page.short;

  // The table of pages.
  const COLUMNS = [
    ["page", "Page", (page) => page.short], ["verdict", "Verdict", (page) => `${verdict(page)} ${page.marks}`], ["detail", "Reason", (page) => page.detail],
    ["status", "Status", (page) => page.status], ["depth", "Depth", (page) => page.depth],
  ];
  const FILTERS = [
    ["all", "All pages", () => true], ["differences", "Every difference", (page) => page.marks !== 0],
    ...MARKS.map(([bit, label, sign]) => [label, `${sign} ${capital(label)}`, bit === UNKNOWN ? (page) => state(page) === "No answer" : (page) => (page.marks & bit) !== 0]),
    ["listed", "✓ Listed", (page) => !page.reason], ["absent", "○ Not listed", (page) => state(page) === "Not listed"],
  ];
  // What the fragment of the address holds, so that a link, a reload and the back button show the same rows.
  const START = { filter: "all", status: "", text: "", sort: "page", down: false, first: 0 };
  const NAMED = { filter: "show", status: "status", text: "text", sort: "sort", down: "down", first: "from" };
  const view = { ...START, open: new Set(), rows: pages };
  const table = {};

  function showTable() {
    const { total, every, complete } = data.table;
    const lead = !complete ? "The pages that are new, gone, changed or not listed. This report was made without a row for each page that stays listed."
      : every > 1 ? `${number(pages.length)} of ${number(total)} addresses: every one with a difference or a problem, and one in ${number(every)} of the others. Counts and charts are of all of them; the JSON report has every row that is not listed.`
      : `All ${plural(total, "address", "addresses")} that are known, with the verdict on each. Select one for everything that is known about it.`;
    const statuses = [...new Set(pages.map((page) => page.status))].sort((one, other) => one - other);
    table.text = el("input", { type: "search", id: "filter", autocomplete: "off", spellcheck: "false", oninput: () => change({ text: table.text.value.trim() }, "later") });
    table.filter = el("select", { id: "show", onchange: () => change({ filter: table.filter.value }, "push") },
      FILTERS.map(([name, label, test]) => [name, label, pages.reduce((sum, page) => sum + test(page), 0)]).filter(([name, , count]) => count || name === "all")
        .map(([name, label, count]) => el("option", { value: name }, `${label} (${number(count)})`)));
    table.status = el("select", { id: "status", onchange: () => change({ status: table.status.value }, "push") },
      el("option", { value: "" }, "Any status"), statuses.map((status) => el("option", { value: String(status) }, statusLabel(status))));
    table.body = el("tbody", {});
    table.heads = COLUMNS.map(([name, label]) => el("th", { scope: "col", class: `c-${name}`, "aria-sort": "none" },
      el("button", { type: "button", onclick: () => change({ sort: name, down: view.sort === name && !view.down }, "push") }, label)));
    table.said = el("p", { class: "muted count", role: "status" });
    table.back = el("button", { type: "button", class: "more", onclick: () => turn(-PAGE) }, "Previous");
    table.next = el("button", { type: "button", class: "more", onclick: () => turn(PAGE) }, "Next");
    part("pages", "Pages", lead,
      el("form", { class: "tools", role: "search", "aria-label": "Filter the pages", onsubmit: (event) => event.preventDefault() },
        el("label", {}, "Text in address, title or reason", table.text), el("label", {}, "Show", table.filter), el("label", {}, "Status", table.status)),
      el("div", { class: "pager" }, table.said, tool("Copy addresses", () => copy(view.rows.map((page) => page.url).join("\n"))),
        tool("Download CSV", download), tool("Copy link", () => copy(location.href))),
      el("div", { class: "box tablewrap" }, el("table", { class: "pages" }, el("caption", { class: "hidden" }, "Pages with their verdicts"), el("thead", {}, el("tr", {}, table.heads)), table.body)),
      el("div", { class: "pager" }, table.back, table.next));
    change({});
    narrow.addEventListener("change", draw);
  }

  // `how` the address follows: "push" makes an entry for the back button, "later" is for each key, "" for none.
  function change(wanted, how = "") {
    Object.assign(view, { first: 0 }, wanted);
    table.filter.value = view.filter; table.status.value = view.status;
    if (table.text.value.trim() !== view.text) table.text.value = view.text;
    const typed = [fold(view.text), fold(readable(view.text))];
    const test = FILTERS.find(([name]) => name === view.filter)[2];
    const key = COLUMNS.find(([name]) => name === view.sort)[2];
    view.rows = pages.filter((page) => test(page) && (view.status === "" || page.status === Number(view.status)) && (!view.text || typed.some((text) => searched(page).includes(text))));
    if (view.sort !== "page") {
      const compare = typeof key(pages[0] || { marks: 0 }) === "number" ? (one, other) => one - other : (one, other) => one < other ? -1 : one > other ? 1 : 0;
      view.rows = view.rows.map((page) => [key(page), page]).sort((one, other) => compare(one[0], other[0])).map(([, page]) => page);
    }
    if (view.down) view.rows.reverse();
    view.first = Math.max(0, Math.min(view.first, Math.floor((view.rows.length - 1) / PAGE) * PAGE));
    draw();
    record(how);
  }
  let waiting = 0;
  function record(how) {
    clearTimeout(waiting);
    if (how === "later") waiting = setTimeout(() => record("replace"), 300);
    if (how !== "push" && how !== "replace") return;
    const state = new URLSearchParams(Object.keys(START).filter((name) => view[name] !== START[name]).map((name) => [NAMED[name], view[name] === true ? "1" : String(view[name])]));
    const there = `#${state}`;
    if (there !== (location.hash || "#")) history[`${how}State`](null, "", there);
  }
  function follow() {
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has("url")) return openLinked(wanted.get("url"));
    const names = Object.values(NAMED);
    if (location.hash.length > 1 && ![...wanted.keys()].some((name) => names.includes(name))) return; // a part of the report
    const [filter, status, sort] = [wanted.get("show") || "all", wanted.get("status") || "", wanted.get("sort") || "page"];
    change({ filter: has(table.filter, filter) ? filter : "all", status: has(table.status, status) ? status : "", text: wanted.get("text") || "",
      sort: COLUMNS.some(([name]) => name === sort) ? sort : "page", down: wanted.get("down") === "1", first: Math.floor((Number(wanted.get("from")) || 0) / PAGE) * PAGE });
    if (location.hash.length > 1) document.getElementById("pages").scrollIntoView();
  }
  const has = (select, value) => [...select.options].some((option) => option.value === value);

  function tool(label, act) {
    const button = el("button", { type: "button", class: "more", onclick: async () => {
      const done = await act();
      button.textContent = done;
      setTimeout(() => { button.textContent = label; }, 2000);
    } }, label);
    return button;
  }
  async function copy(text) {
    try { await navigator.clipboard.writeText(text); } catch { // as in a file that some browsers trust less
      const field = el("textarea", { class: "hidden", "aria-hidden": "true" });
      field.value = text;
      document.body.append(field);
      field.select();
      const done = document.execCommand("copy");
      field.remove();
      if (!done) return "Not copied";
    }
    return "Copied";
  }
  function download() {
    const words = (page) => MARKS.filter(([bit]) => page.marks & bit).map(([, label]) => label).join(" ");
    const rows = view.rows.map((page) => [page.url, state(page).toLowerCase(), page.reason, page.status || "", words(page), page.found, page.depth, page.title, page.target, page.detail]);
    const lines = [["url", "verdict", "reason", "status", "change", "found_on", "depth", "title", "target", "detail"], ...rows].map((row) => row.map(cell).join(","));
    const address = URL.createObjectURL(new Blob(["\ufeff", lines.join("\n"), "\n"], { type: "text/csv" }));
    el("a", { href: address, download: "pages.csv" }).click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
    return plural(rows.length, "row");
  }
  // As in the report csv: no spreadsheet computes a cell.
  function cell(value) {
    const inner = String(value).replace(/(;[ "']*)(?=[=+@\uff1d\uff0b\uff0d\uff20-])/g, "$1'");
    const text = /^[ "']*[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(inner) ? `'${inner}` : inner;
    return /[",\n\r;]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }
  function turn(by) {
    view.first += by;
    draw();
    record("push");
    document.getElementById("pages").scrollIntoView();
    document.getElementById("pages-title").focus({ preventScroll: true });
  }
  function draw() {
    const shown = view.rows.slice(view.first, view.first + PAGE);
    table.heads.forEach((head, place) => head.setAttribute("aria-sort", COLUMNS[place][0] !== view.sort ? "none" : view.down ? "descending" : "ascending"));
    table.body.replaceChildren(...shown.flatMap(tableRow));
    if (!shown.length) table.body.append(el("tr", {}, el("td", { colspan: columns() }, data.table.every > 1 ? `No page fits among the rows of this report, which has one in ${number(data.table.every)} of the pages without a difference.` : "No page fits: change the text, or show all pages.")));
    table.said.textContent = view.rows.length ? `${number(view.first + 1)} to ${number(view.first + shown.length)} of ${plural(view.rows.length, "page")}` : "No page fits";
    table.back.disabled = view.first === 0;
    table.next.disabled = view.first + PAGE >= view.rows.length;
    table.back.parentElement.hidden = view.rows.length <= PAGE;
  }
  const columns = () => narrow.matches ? 2 : COLUMNS.length;

  function tableRow(page) {
    const open = view.open.has(page);
    const button = el("button", { type: "button", class: "open", "aria-expanded": String(open), dir: "ltr", title: readable(page.short), onclick: () => toggle(page, row, button) }, readable(page.short));
    const row = el("tr", { class: open ? "found" : null },
      el("td", { class: "c-page" }, el("div", { class: "line" }, button, page.title ? el("span", { class: "title muted", dir: "auto" }, page.title) : null)),
      el("td", { class: "c-verdict" }, badges(page)), el("td", { class: "c-detail", title: page.detail }, el("bdi", {}, page.detail)),
      el("td", { class: "c-status n" }, page.status ? String(page.status) : "none"), el("td", { class: "c-depth n" }, String(page.depth)));
    return open ? [row, detailRow(page)] : [row];
  }
  function toggle(page, row, button) {
    const open = !view.open.has(page);
    button.setAttribute("aria-expanded", String(open));
    row.classList.toggle("found", open);
    if (open) { view.open.add(page); row.after(detailRow(page)); }
    else { view.open.delete(page); row.nextElementSibling.remove(); }
  }
  function detailRow(page) {
    const trail = trailOf(page.url);
    const facts = [
      ["Address", url(page.url)], ["Title", page.title ? el("bdi", {}, page.title) : null], ["Verdict", badges(page)], ["Reason", page.detail ? el("bdi", {}, page.detail) : null],
      ["What to do", page.reason && data.reasons[page.reason] && (page.marks || page.reason !== "excluded") ? prose(data.reasons[page.reason]) : null],
      ["Status", statusLabel(page.status)], [data.table.clicks ? "Clicks from the start page" : "Depth of the address", String(page.depth)],
      ["Found in", page.found ? known(page.found) : null], ["Redirects", trail ? trailList(trail) : null], ["Scripts change", rendered.has(page.url) ? twoDocuments(rendered.get(page.url)) : null], [trail ? "" : "Leads to", !trail && page.target ? known(page.target) : null],
      ["Link to this row", el("a", { href: anchor(page.url) }, "in this report")],
    ].filter(([, value]) => value);
    return el("tr", { class: "detail-row" }, el("td", { colspan: columns() }, el("dl", { class: "facts" }, facts.map(([name, value]) => [el("dt", {}, name), el("dd", {}, value)]))));
  }

  const trailStarts = new Map(data.table.trails.map((trail) => [trail[0][0][0], trail]));
  const trailOf = (address) => trailStarts.get(address);
  const trailList = ([hops, end]) => el("ol", { class: "trail" }, hops.map(([address, status], place) => el("li", {}, known(address), el("span", { class: "muted" },
    place < hops.length - 1 ? ` ${status === 200 ? "200 refresh" : statusLabel(status)}` : ` ${end || statusLabel(status)}`))));

  // What is served beside what a browser makes of it.
  const rendered = new Map((data.rendered || []).map(([address, ...found]) => [address, found]));
  function showRendered() {
    if (!rendered.size) return;
    part("rendered", "Rendered pages", "Pages that scripts change: what is served, and what is there once they have run. ≠ marks what differs; words are those of the first KiB of text.",
      folded("div", { class: "cards" }, [...rendered], ([address, found]) =>
        el("article", { class: "box card" }, el("h3", {}, known(address)), twoDocuments(found)), 5, null));
  }
  function twoDocuments([values, screenshot]) {
    return el("div", { class: "documents" }, screenshot ? el("a", { href: screenshot, target: "_blank" }, el("img", { src: screenshot, alt: "Screenshot of the rendered page", width: 320, height: 240, loading: "lazy" })) : null, el("table", {}, el("caption", { class: "hidden" }, "The page as served and as rendered"),
      el("thead", {}, el("tr", {}, el("td", {}), el("th", { scope: "col" }, "As served"), el("th", { scope: "col" }, "Rendered"))),
      el("tbody", {}, values.map(([name, before, after]) => el("tr", { class: before === after ? null : "differs" },
        el("th", { scope: "row" }, capital(name), before === after ? null : [el("span", { "aria-hidden": "true" }, " ≠"), el("span", { class: "hidden" }, " (differs)")]),
        [before, after].map((value) => el("td", {}, value ? el("bdi", {}, web(value) ? readable(value) : value) : el("span", { class: "muted" }, "none"))))))));
  }

  function showRedirects() {
    const { trails, redirects } = data.table;
    if (!trails.length) return;
    const long = [...trails].sort((one, other) => (other[1] !== "") - (one[1] !== "") || other[0].length - one[0].length);
    part("redirects", "Redirects", "Each address that redirects, with every hop and what it answers; those that do not end, and the longest, are first.",
      el("div", { class: "box group" }, folded("ul", { class: "trails" }, long, (trail) => el("li", {}, trailList(trail)), 20,
        redirects > trails.length ? el("p", { class: "muted small" }, `The first ${number(trails.length)} of ${number(redirects)}.`) : null)));
  }

  // From elsewhere in the report, or from a link to it.
  function showOnly(filter) {
    change({ filter: has(table.filter, filter) ? filter : "all", text: "", status: "" }, "push");
    document.getElementById("pages").scrollIntoView();
    table.filter.focus({ preventScroll: true });
  }
  function openLinked(wanted) {
    const page = byUrl.get(wanted);
    if (!page) {
      change({ ...START });
      table.said.textContent = "This report has no row for the address of the link.";
      document.getElementById("pages").scrollIntoView();
      return;
    }
    view.open.add(page);
    change({ ...START, first: Math.floor(pages.indexOf(page) / PAGE) * PAGE });
    const button = table.body.querySelectorAll(".open")[view.rows.indexOf(page) - view.first];
    button.scrollIntoView({ block: "center" });
    button.focus({ preventScroll: true });
  }

  function theme() {
    const root = document.documentElement;
    const set = (wanted) => {
      if (wanted === "auto") delete root.dataset.theme; else root.dataset.theme = wanted;
      for (const radio of document.getElementsByName("theme")) radio.checked = radio.value === wanted;
    };
    let kept = "auto";
    try { kept = localStorage.getItem("sitemap-report-theme") || "auto"; } catch { /* storage is closed to files */ }
    set(["light", "dark"].includes(kept) ? kept : "auto");
    for (const radio of document.getElementsByName("theme")) radio.addEventListener("change", () => {
      set(radio.value);
      try { localStorage.setItem("sitemap-report-theme", radio.value); } catch { /* as above */ }
    });
  }
  function forPrint() {
    let opened = [];
    addEventListener("beforeprint", () => { opened = [...document.querySelectorAll("details:not([open])")].slice(0, 200); opened.forEach((one) => { one.open = true; }); });
    addEventListener("afterprint", () => { opened.forEach((one) => { one.open = false; }); });
  }

  theme();
  showVerdict();
  showPicture();
  showSections();
  showFindings();
  showCharts();
  showTree();
  showTable();
  showRendered();
  showRedirects();
  forPrint();
  if (location.hash) follow();
  addEventListener("popstate", follow); // which comes with a click on a link of this report, too
})();
