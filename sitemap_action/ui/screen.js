"use strict";
(() => {
  const $ = (id) => document.getElementById(id);
  const KEPT = 300; // lines of the log
  const SPOKEN = 10_000; // milliseconds between two sentences about progress for a screen reader
  const SHOWN = 200; // rows of one list of a comparison

  // Elements. Text becomes text nodes, and attributes have names of this file: nothing is parsed as markup.
  function el(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
      else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
    return element;
  }
  const number = (value) => value.toLocaleString("en-US");
  const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || `${one}s`}`;
  const show = (element, shown) => { element.hidden = !shown; };
  const set = (element, text) => { if (element.textContent !== text) element.textContent = text; };
  function duration(seconds) {
    if (seconds < 90) return `${Math.round(seconds)} s`;
    return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
  }

  async function ask(path, body) {
    const options = body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) };
    const answer = await fetch(path, options);
    if (answer.status === 422) throw Object.assign(new Error("problems"), { problems: (await answer.json()).problems });
    if (!answer.ok) throw new Error(answer.status === 403 ? "This page has lost its key: open the address that the program printed." : (await answer.text()).trim());
    return answer.json();
  }

  // The form: its fields come from the program, which has them from the options of the config file.
  const inputs = new Map();
  let forms = null;

  function field(one) {
    const id = `field-${one.key}`;
    const hint = `${id}-hint`;
    const attributes = { id, name: one.key, "aria-describedby": `${id}-problem ${hint}`, autocomplete: "off", spellcheck: "false" };
    let input;
    if (one.choices.length) {
      input = el("select", attributes, el("option", { value: "" }, `default (${one.default})`),
        one.choices.filter((choice) => choice !== one.default).map((choice) => el("option", { value: choice }, choice)));
    } else if (one.lines) {
      input = el("textarea", { ...attributes, rows: 2 });
    } else {
      const address = one.key === "source.url" || one.key === "site-url"; // which may lack its scheme
      input = el("input", { ...attributes, type: "text", inputmode: one.numeric ? "numeric" : address ? "url" : null, list: one.key === "source.path" ? "folders" : null });
    }
    input.value = one.value;
    inputs.set(one.key, input);
    const more = one.lines ? " One a line." : "";
    const usual = one.choices.length || !one.default ? "" : ` Default: ${one.default}.`;
    return el("div", { class: "field", id: `${id}-field` },
      el("label", { for: id }, one.label, el("code", {}, one.key)), input,
      el("p", { class: "problem", id: `${id}-problem`, hidden: true }),
      el("p", { class: "hint", id: hint }, `${one.help}${more}${usual}`));
  }

  function drawForm(groups) {
    const kept = new Map([...inputs].map(([key, input]) => [key, input.value]));
    const open = [...$("groups").querySelectorAll("details")].map((one) => one.open);
    inputs.clear();
    const [first, ...rest] = groups;
    $("fields").classList.add("two");
    $("fields").replaceChildren(...first.fields.map(field), el("datalist", { id: "folders" }));
    $("groups").replaceChildren(...rest.map((group, place) => el("details", { open: open[place] || false },
      el("summary", {}, group.title), el("div", { class: "fields" }, group.fields.map(field)))));
    inputs.get("source.path").addEventListener("input", (event) => suggest(event.target.value));
    for (const key of ["source.url", "source.path"]) if (kept.get(key) && !inputs.get(key).value) inputs.get(key).value = kept.get(key);
    chooseKind();
  }
  function kind() { return document.querySelector("[name=kind]:checked").value; }
  function chooseKind() {
    for (const key of ["source.url", "source.path"]) show($(`field-${key}-field`), key === kind());
    if (kind() === "source.path") suggest(inputs.get("source.path").value);
  }
  let asked = 0;
  async function suggest(typed) {
    const inside = typed.includes("/") ? typed.slice(0, typed.lastIndexOf("/")) : "";
    const turn = ++asked;
    let found = [];
    try { found = await ask(`folders?in=${encodeURIComponent(inside)}`); } catch { /* no such folder yet */ }
    if (turn === asked) $("folders").replaceChildren(...found.map((name) => el("option", { value: name })));
  }
  // What is filled in stays in this tab, so that a reload empties nothing.
  const KEPT_FORM = "sitemap-form";
  function remember() {
    try { sessionStorage.setItem(KEPT_FORM, JSON.stringify({ kind: kind(), based: $("based").checked, values: Object.fromEntries([...inputs].map(([key, input]) => [key, input.value])) })); } catch { /* storage may be closed */ }
  }
  function keptForm() {
    try { return JSON.parse(sessionStorage.getItem(KEPT_FORM)); } catch { return null; }
  }
  function recall() {
    const known = keptForm();
    if (!known) return;
    for (const [key, value] of Object.entries(known.values || {})) if (inputs.has(key)) inputs.get(key).value = String(value);
    for (const details of $("groups").querySelectorAll("details")) details.open = [...details.querySelectorAll("input, textarea, select")].some((input) => input.value);
    const radio = [...document.querySelectorAll("[name=kind]")].find((one) => one.value === known.kind);
    if (radio) { radio.checked = true; chooseKind(); }
  }
  function problems(answered) {
    // What is wrong with the address is of the folder, where that is what is asked for.
    const found = Object.fromEntries(Object.entries(answered).map(([key, text]) => [key === "source.url" ? kind() : key, text]));
    let first = null;
    for (const [key, input] of inputs) {
      problem(key, found[key] || "");
      if (!found[key]) continue;
      const folded = input.closest("details");
      if (folded) folded.open = true;
      first ||= input;
    }
    const others = Object.entries(found).filter(([key]) => !inputs.has(key)).map(([, text]) => text);
    set($("form-problem"), others.join("\n"));
    show($("form-problem"), others.length > 0);
    if (first) first.focus();
  }
  function problem(key, text) {
    const line = $(`field-${key}-problem`);
    set(line, text);
    show(line, text !== "");
    if (text) inputs.get(key).setAttribute("aria-invalid", "true");
    else inputs.get(key).removeAttribute("aria-invalid");
  }
  function values() {
    const other = kind() === "source.url" ? "source.path" : "source.url";
    return Object.fromEntries([...inputs].filter(([key, input]) => key !== other && input.value.trim()).map(([key, input]) => [key, input.value]));
  }

  const off = (button) => button.getAttribute("aria-disabled") === "true";
  const turn = (button, on) => (on ? button.removeAttribute("aria-disabled") : button.setAttribute("aria-disabled", "true"));
  async function start(event) {
    event.preventDefault();
    if (off($("start"))) return;
    turn($("start"), false);
    remember();
    try {
      await ask("start", { values: values(), based: !$("based-line").hidden && $("based").checked, fresh: $("fresh").checked });
      problems({});
      $("fresh").checked = false;
      $("progress").scrollIntoView({ behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    } catch (error) {
      problems(error.problems || { "": error.message });
    }
    turn($("start"), !running);
  }
  async function stop() {
    if (off($("stop"))) return;
    turn($("stop"), false);
    try { await ask("stop", {}); } catch (error) { problems({ "": error.message }); }
  }

  // Progress
  let running = false;
  let runs = [];
  let lines = []; // of the log, not drawn yet
  let missed = 0;
  let drawn = 0; // number of the run that the log is of
  let spoken = 0;
  const MARKS = { read: ["✓", "is-good", "read"], problem: ["✗", "is-bad", "problem"], skipped: ["○", "is-plain", "skipped"], sitemap: ["≡", "is-info", "sitemap"], note: ["·", "is-plain", "note"] };
  const STATES = { running: ["Running", "is-info"], stopping: ["Stopping: the report of what was read is being written", "is-warn"], stopped: ["Stopped", "is-warn"], finished: ["Finished", "is-good"], failed: ["Failed", "is-bad"] };

  // A run that has ended is as good as its result.
  function stateOf(run) {
    const result = run.status === "finished" ? RESULTS[run.result] : null;
    return result ? [`Finished: ${result[0].toLowerCase()}`, result[1]] : STATES[run.status];
  }
  function say(text) { set($("said"), text); spoken = Date.now(); }

  function update(message) {
    const current = message.runs ? message.runs.at(-1) : runs.at(-1);
    if (current && current.number !== drawn) {
      drawn = current.number;
      lines = [];
      missed = 0;
      $("log").replaceChildren();
      $("unread").replaceChildren();
      say("Started.");
    }
    const ended = running && !message.running;
    running = message.running;
    if (message.runs) { runs = message.runs; drawRuns(); }
    turn($("start"), !running);
    turn($("stop"), running && current.status === "running");
    show($("idle"), !current);
    show($("live"), Boolean(current));
    if (!current) return;
    const [state, look] = stateOf(current);
    set($("state"), state);
    $("state").className = `badge ${look}`;
    set($("target"), current.target);
    if (message.counts) drawCounts(message.counts);
    if (message.unread) drawUnread(message.unread);
    lines.push(...message.rows);
    missed += message.missed;
    drawLog();
    const last = runs.at(-1);
    if (last.status !== "running" && last.status !== "stopping" && shown !== last.number && (ended || shown === 0)) drawResult(last);
    if (ended) say(`${stateOf(last)[0]}. ${last.headline}`);
    else if (running && Date.now() - spoken > SPOKEN) say(sentence(message.counts));
  }
  function sentence(counts) {
    const left = counts.remaining === undefined || counts.remaining === null ? "" : `, about ${duration(counts.remaining)} left for these`;
    return `${plural(counts.read, "page")} read, ${number(counts.queued)} waiting${left}.`;
  }
  const TILES = [["read", "addresses read", "is-good"], ["queued", "known and waiting", "is-info"], ["skipped", "not requested", "is-plain"],
    ["problems", "could not be read", "is-bad"], ["sitemaps", "sitemaps read", "is-plain"], ["remaining", "left for these, about", "is-info"], ["seconds", "so far", "is-plain"]];
  function drawCounts(counts) {
    if (!$("tiles").children.length) {
      $("tiles").append(...TILES.map(([key, label, look]) => el("div", { class: `tile ${look}` }, el("span", { class: "n", id: `count-${key}` }), el("span", { class: "label" }, label))));
    }
    for (const [key] of TILES) {
      const value = counts[key];
      const text = key === "remaining" ? (value === null || value === undefined ? "–" : duration(value)) : key === "seconds" ? duration(value) : number(value);
      set($(`count-${key}`), text);
      $(`count-${key}`).parentElement.classList.toggle("none", !value);
    }
    const last = runs.at(-1);
    show($("bar"), running || last?.status === "finished" && counts.read > 0); // where a run was stopped, or nothing answered, there is no whole
    const known = counts.read + counts.queued;
    if (known) { $("bar").max = known; $("bar").value = counts.read; } else if (running) $("bar").removeAttribute("value"); else $("bar").value = 0;
  }
  function drawUnread(groups) {
    show($("all-read"), !groups.length);
    const open = new Set([...$("unread").querySelectorAll("details[open]")].map((one) => one.dataset.key));
    $("unread").replaceChildren(...groups.map((group) => {
      const key = `${group.kind} ${group.reason}`;
      const [, look, word] = MARKS[group.kind];
      const more = group.count - group.examples.length;
      return el("details", { "data-key": key, open: open.has(key) },
        el("summary", {}, el("span", { class: "count" }, number(group.count)), el("span", { class: `badge ${look}` }, word), " ", el("bdi", {}, group.reason)),
        el("ul", {}, group.examples.map((example) => el("li", {}, el("bdi", { dir: "ltr" }, example))), more > 0 ? el("li", {}, `and ${number(more)} more`) : null));
    }));
  }
  let waiting = false;
  function drawLog() {
    if (waiting || !(lines.length || missed)) return;
    waiting = true;
    requestAnimationFrame(() => {
      waiting = false;
      const list = $("log");
      const frame = list.parentElement;
      const atEnd = frame.scrollHeight - frame.scrollTop - frame.clientHeight < 40;
      if (missed) { list.append(line({ kind: "note", text: `${number(missed)} lines are left out here` })); missed = 0; }
      list.append(...lines.slice(-KEPT).map(line));
      lines = [];
      while (list.children.length > KEPT) list.firstChild.remove();
      if (atEnd) frame.scrollTop = frame.scrollHeight;
    });
  }
  function line(row) {
    const [sign, look, word] = MARKS[row.kind] || MARKS.note;
    const why = row.reason || (row.kind !== "read" && row.status ? `status ${row.status}` : "");
    return el("li", { class: look }, el("span", { class: "mark", "aria-hidden": "true" }, sign), el("span", { class: "hidden" }, `${word}: `),
      el("bdi", { dir: row.kind === "note" ? "auto" : "ltr" }, row.text), why ? el("span", { class: "why" }, " ", el("bdi", {}, why)) : null);
  }

  // Results
  let shown = 0; // number of the run whose result is shown
  const RESULTS = { invalid: ["Invalid", "is-bad"], drift: ["Drift", "is-bad"], inconclusive: ["Inconclusive", "is-warn"], "in-sync": ["In sync", "is-good"] };
  const NAMES = { "sitemap.yml": "sitemap.yml (these options)", "report.html": "report.html", "report.json": "report.json" };

  function drawResult(run) {
    shown = run.number;
    show($("no-result"), false);
    const [label, look] = RESULTS[run.result] || STATES[run.status];
    const view = `runs/${run.number}/view`;
    const kept = [run.resumed ? `${plural(run.resumed, "page")} came from the run before, which was stopped` : "", run.unchanged ? `${plural(run.unchanged, "page")} had not changed since the run before` : "", run.complete ? "" : "Incomplete: not everything was seen"].filter(Boolean);
    const numbers = [["urls", "belong in the sitemap", "is-good"], ["stale", "missing or extra in it", "is-stale"], ["added", "added", "is-good"], ["removed", "removed", "is-bad"], ["errors", "errors", "is-bad"], ["warnings", "warnings", "is-warn"]];
    const hasReport = run.files.includes("report.html");
    $("outcome").replaceChildren(el("div", { class: `box verdict ${look}` },
      el("p", { class: "result" }, el("span", { class: "pill" }, label), el("span", { class: "muted" }, `Run ${run.number}, `, el("bdi", { dir: "ltr" }, run.target), `, exit code ${run.code}`)),
      el("h3", {}, ...run.headline.split("\n").flatMap((part, place) => (place ? [el("br"), part] : [part]))),
      kept.map((text) => el("p", { class: "muted" }, `${text}.`)),
      run.result ? el("div", { class: "tiles" }, numbers.map(([key, text, colour]) => el("div", { class: `tile ${colour} ${run.counts[key] ? "" : "none"}` },
        el("span", { class: "n" }, number(run.counts[key] || 0)), el("span", { class: "label" }, text)))) : null,
      el("div", { class: "downloads" },
        run.files.map((name) => el("a", { class: "button", download: true, href: `runs/${run.number}/files/${name.split("/").map(encodeURIComponent).join("/")}` }, "↓ ", NAMES[name] || name.split("/").at(-1))),
        hasReport ? el("a", { class: "button", href: view, target: "_blank", rel: "noopener noreferrer" }, "Report in a tab of its own") : null)),
      hasReport ? el("iframe", { class: "report", src: view, title: `Report of run ${run.number}`, sandbox: "allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox", allow: "clipboard-write" }) : "");
  }

  let drawnRuns = "";
  function drawRuns() {
    show($("no-runs"), !runs.length);
    const state = JSON.stringify(runs.map((run) => [run.number, run.status]));
    if (!runs.length || state === drawnRuns) return;
    drawnRuns = state;
    const rows = runs.toReversed().map((run) => el("tr", {}, el("td", { class: "n" }, String(run.number)), el("td", {}, el("bdi", { dir: "ltr" }, run.target)),
      el("td", {}, new Date(run.started).toLocaleTimeString()), el("td", {}, run.result ? `${RESULTS[run.result][0]}${run.status === "stopped" ? ", stopped" : ""}` : stateOf(run)[0].split(":")[0]),
      ...["urls", "stale", "added", "removed", "errors", "warnings"].map((key) => el("td", { class: "n" }, run.result ? number(run.counts[key] || 0) : "–")),
      el("td", {}, run.code === null ? "" : el("button", { type: "button", class: "more", "aria-label": `Show run ${run.number}`, onclick: () => { drawResult(run); $("result-title").focus(); } }, "Show"))));
    const table = el("div", { class: "box scroll", tabindex: 0, role: "region", "aria-label": "Runs" }, el("table", { class: "runs-table" },
      el("thead", {}, el("tr", {}, ["Run", "Site", "Started", "Result", "Listed", "Missing or extra", "Added", "Removed", "Errors", "Warnings", "Report"].map((text) => el("th", { scope: "col" }, text)))), el("tbody", {}, rows)));
    $("history").replaceChildren(table, ...comparison(runs.filter((run) => run.sitemap)));
  }
  function comparison(usable) {
    if (usable.length < 2) return [];
    const select = (id, label, chosen) => el("div", { class: "field" }, el("label", { for: id }, label),
      el("select", { id }, usable.map((run) => el("option", { value: run.number, selected: run.number === chosen }, `Run ${run.number}`))));
    const answer = el("div", { class: "differences", role: "status", id: "differences" });
    return [el("form", { class: "compare", onsubmit: async (event) => {
      event.preventDefault();
      const [old, recent] = [$("old").value, $("new").value];
      answer.replaceChildren("Comparing …");
      try { answer.replaceChildren(...differences(await ask(`compare/${old}/${recent}`), old, recent)); } catch (error) {
        answer.replaceChildren(el("p", { class: "problem" }, Object.values(error.problems || { "": error.message }).join("\n")));
      }
    } }, select("old", "From", usable.at(-2).number), select("new", "To", usable.at(-1).number), el("button", { class: "button" }, "Compare sitemaps")), answer];
  }
  function differences(found, old, recent) {
    const kinds = [["added", "Added", "+", "is-good"], ["removed", "Removed", "−", "is-bad"], ["changed", "Changed", "~", "is-info"]];
    const total = kinds.reduce((sum, [key]) => sum + found[key].length, 0);
    const head = el("p", {}, total ? `Run ${old} and run ${recent}: ${kinds.map(([key, label]) => `${number(found[key].length)} ${label.toLowerCase()}`).join(", ")}.` : `Run ${old} and run ${recent} list the same.`);
    return [head, ...kinds.filter(([key]) => found[key].length).map(([key, label, sign, look]) => el("div", { class: "box group" },
      el("h3", {}, `${label} `, el("span", { class: "muted count" }, number(found[key].length))),
      el("div", { class: "listed", tabindex: 0, role: "region", "aria-label": label }, el("ul", { class: "rows" }, found[key].slice(0, SHOWN).map((row) => el("li", { class: look }, el("span", { class: "mark", "aria-hidden": "true" }, sign), el("bdi", { dir: "ltr" }, row.url),
        row.fields ? el("span", { class: "detail" }, " ", Object.entries(row.fields).map(([name, [before, after]]) => `${name}: ${before ?? "none"} → ${after ?? "none"}`).join(", ")) : null)))),
      found[key].length > SHOWN ? el("p", { class: "muted small" }, `The first ${SHOWN}; sitemap-action diff lists all.`) : null))];
  }

  // The stream. A browser connects again by itself; where it gives up, or nothing comes for long, this does.
  let source = null;
  let heard = Date.now();
  let last = "";
  let lost = false;
  function connect() {
    if (source) source.close();
    source = new EventSource(last ? `events?after=${last}` : "events");
    source.onopen = () => { heard = Date.now(); gone(""); };
    source.onmessage = (event) => {
      heard = Date.now();
      last = event.lastEventId;
      gone("");
      update(JSON.parse(event.data));
    };
    source.onerror = () => { gone("The program does not answer. This page tries again every few seconds; what the program has read is kept as long as it runs."); };
  }
  function gone(text) {
    if (lost && !text) say("Connected again.");
    lost = text !== "";
    set($("gone"), text);
    show($("gone"), lost);
  }
  setInterval(() => {
    if (source && (source.readyState === EventSource.CLOSED || Date.now() - heard > 20_000)) {
      heard = Date.now();
      gone("The program does not answer. It may have been ended: then start sitemap-action ui again, and open the address that it prints.");
      connect();
    }
  }, 2_000);

  function useTheme() {
    let kept = "auto";
    try { kept = localStorage.getItem("sitemap-report-theme") || "auto"; } catch { /* storage may be closed */ }
    const apply = (theme) => { if (theme === "auto") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme; };
    for (const radio of document.querySelectorAll("[name=theme]")) {
      radio.checked = radio.value === kept;
      radio.addEventListener("change", () => {
        apply(radio.value);
        try { localStorage.setItem("sitemap-report-theme", radio.value); } catch { /* as above */ }
      });
    }
    apply(kept);
  }

  async function begin() {
    useTheme();
    for (const radio of document.querySelectorAll("[name=kind]")) radio.addEventListener("change", chooseKind);
    $("form").addEventListener("submit", start);
    $("stop").addEventListener("click", stop);
    forms = await ask("form");
    set($("folder"), forms.folder);
    set($("made"), `sitemap-action ${forms.version}. A run here is sitemap-action check --config sitemap.yml, with the sitemap.yml that each result offers.`);
    set($("config-path"), forms.config.path);
    show($("based-line"), forms.config.found);
    set($("config-problem"), forms.config.problem);
    show($("config-problem"), forms.config.problem !== "");
    $("based").checked = forms.config.found && keptForm()?.based !== false;
    const draw = () => drawForm($("based").checked && forms.based ? forms.based : forms.groups);
    $("based").addEventListener("change", draw);
    draw();
    const path = inputs.get("source.path").value;
    if (path) { document.querySelector("[value='source.path']").checked = true; chooseKind(); }
    recall();
    $("form").addEventListener("input", remember);
    $("form").addEventListener("change", remember);
    connect();
  }
  begin().catch((error) => { set($("gone"), error.message); show($("gone"), true); });
})();
