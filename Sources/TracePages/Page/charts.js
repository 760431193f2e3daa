// SPDX-License-Identifier: Apache-2.0
// Every chart but the timeline, as Vega-Lite takes them.

/** Draws a specification of Vega or Vega-Lite into an element. */
function embed(element, specification, theme, options) {
  return vegaEmbed(element, specification, { actions: false, defaultStyle: false, config: theme.config,
    expressionFunctions: { duration, axisTime }, ...options });
}

/** What the present colour scheme and the width of the window make of a chart. */
function presentTheme() {
  const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
  const style = getComputedStyle(document.documentElement);
  const variable = (name) => style.getPropertyValue(name).trim();
  const scale = parseFloat(style.fontSize) / 15;
  const [text, dim, line] = [variable("--text"), variable("--dim"), variable("--line")];
  const axis = { labelColor: dim, titleColor: dim, gridColor: line, domainColor: line, tickColor: line,
    labelFontSize: 12 * scale, titleFontSize: 12 * scale, titleFontWeight: "normal" };
  return {
    scale, text, dim, accent: variable("--accent"), parked: isDark ? "#3a3f46" : "#d5d7da", searching: isDark ? "#7a6a3a" : "#e9d9a6",
    parts: { run: "#4e79a7", suspended: "#86bcb6", overhead: "#e15759", idle: "#f28e2b", system: "#b07aa1", policy: "#edc948",
      outside: "#9c755f", unknown: isDark ? "#6c7178" : "#bab0ac" },
    config: { background: "transparent", font: "system-ui, sans-serif", view: { stroke: null }, axis, text: { color: text },
      legend: { labelColor: text, titleColor: dim, labelFontSize: 12 * scale, titleFontSize: 12 * scale, symbolSize: 110 * scale, labelLimit: 420 * scale },
      title: { color: text } },
  };
}

/** Draws a chart; says what is missing where there is nothing to draw. */
async function chart(id, specification, theme, nothing) {
  const element = document.getElementById(id);
  element.drawn?.finalize();
  element.drawn = null;
  if (!specification) {
    element.innerHTML = "";
    const paragraph = document.createElement("p");
    paragraph.className = "nothing";
    paragraph.textContent = nothing;
    element.append(paragraph);
    return null;
  }
  const whole = { $schema: "https://vega.github.io/schema/vega-lite/v6.json", width: element.clientWidth,
    autosize: { type: "fit-x", contains: "padding" }, padding: 4, ...specification };
  element.drawn = await embed(element, whole, theme, { mode: "vega-lite", renderer: "svg",
    tooltip: (handler, event, item, value) => value ? tip.show(event, tooltipText(value)) : tip.hide() });
  return element.drawn.view;
}

function tooltipText(value) {
  if (typeof value !== "object") return String(value);
  return Object.entries(value).map(([name, text]) => name === "title" ? text : `${name}: ${text}`).join("\n");
}

const timeAxis = (title, length) => ({ title, labelExpr: length ? `axisTime(datum.value, ${length})` : "duration(datum.value)",
  tickCount: 6, labelOverlap: true });

/** How long each of two schedulers took, and on what its recorded run hung. */
function sidesChart(profile, theme) {
  const { sides } = profile.comparison;
  const parts = profile.parts.filter((part) => sides.some((side) => side.parts.some((stretch) => stretch.part === part && stretch.nanoseconds > 0)));
  const words = parts.map((part) => profile.partWords[part]);
  const values = sides.flatMap(({ scheduler, parts }) => {
    let start = 0;
    return parts.map(({ part, nanoseconds }) => ({ scheduler, part: profile.partWords[part], start, end: start += nanoseconds, lasts: duration(nanoseconds) }));
  });
  const times = sides.map((side) => ({ ...side, range: `${duration(side.median)} (${duration(side.least)} to ${duration(side.most)})` }));
  const longest = Math.max(...values.map((value) => value.end), ...times.map((side) => side.most));
  // Behind the longest there is room for the words of its line.
  const x = { type: "quantitative", title: null, axis: { ...timeAxis(null), values: ticks(longest) }, scale: { domain: [0, 1.5 * longest], nice: false } };
  const y = { field: "scheduler", type: "nominal", sort: null, title: null, axis: { labelLimit: 200 * theme.scale } };
  const tooltip = [{ field: "scheduler", title: "title" }, { field: "range", title: "without a recording" }];
  return {
    height: 88 * theme.scale,
    layer: [
      { data: { values }, mark: { type: "bar", size: 26 * theme.scale, yOffset: -5 * theme.scale }, encoding: { y, x: { field: "start", ...x }, x2: { field: "end" },
        color: { field: "part", type: "nominal", legend: { orient: "top", title: null, columns: 4 },
          scale: { domain: words, range: parts.map((part) => theme.parts[part]) } },
        tooltip: [{ field: "scheduler", title: "title" }, { field: "part" }, { field: "lasts" }] } },
      { data: { values: times }, mark: { type: "rule", strokeWidth: 2 * theme.scale, color: theme.text, yOffset: 14 * theme.scale },
        encoding: { y, x: { field: "least", ...x }, x2: { field: "most" }, tooltip } },
      { data: { values: times }, mark: { type: "point", filled: true, opacity: 1, size: 60 * theme.scale, color: theme.text, yOffset: 14 * theme.scale },
        encoding: { y, x: { field: "median", ...x }, tooltip } },
      { data: { values: times }, mark: { type: "text", align: "left", dx: 8, fontSize: 12 * theme.scale, color: theme.dim, yOffset: 14 * theme.scale },
        encoding: { y, x: { field: "most", ...x }, text: { field: "range" } } },
    ],
  };
}

/** How many ran at each time; of those that did not, how many had something to run. */
function profileChart(profile, theme) {
  const { time, running, waiting, idle, step } = profile.parallelism;
  if (time.length === 0) return null;
  const kinds = ["running", "idle although work was ready", "idle, nothing was ready"];
  const values = [];
  time.forEach((start, place) => {
    let low = 0;
    [running, waiting, idle].forEach((counts, kind) => {
      values.push({ start, end: start + step, low, high: low + counts[place], kind: kinds[kind] });
      low += counts[place];
    });
  });
  return {
    height: 110 * theme.scale, data: { values },
    params: [{ name: "part", select: { type: "interval", encodings: ["x"] } }],
    mark: { type: "rect", strokeWidth: 0, cursor: "col-resize" },
    encoding: {
      x: { field: "start", type: "quantitative", axis: timeAxis(null, profile.duration), scale: { domain: [0, profile.duration], nice: false } },
      x2: { field: "end" },
      y: { field: "low", type: "quantitative", title: "workers", axis: { tickMinStep: 1 } },
      y2: { field: "high" },
      color: { field: "kind", type: "nominal", sort: kinds, legend: { orient: "top", title: null },
        scale: { domain: kinds, range: [theme.parts.run, theme.parts.overhead, theme.parked] } },
    },
  };
}

/** The steps of the slowest chain against time, each a row below the one that it waited for. */
function waterfallChart(profile, theme) {
  const steps = chainForDrawing(profile);
  if (steps.length === 0) return null;
  const parts = profile.parts.filter((part) => steps.some((step) => step.part === part));
  const ofPart = { field: "part", type: "nominal", sort: parts, legend: null,
    scale: { domain: parts, range: parts.map((part) => theme.parts[part]) } };
  return {
    height: Math.max(150, Math.min(340, 12 * steps.length)) * theme.scale, data: { values: steps },
    params: [{ name: "step", select: { type: "point", on: "click", clear: false } }],
    mark: { type: "rect", cursor: "pointer" },
    encoding: {
      x: { field: "start", type: "quantitative", axis: timeAxis(null, profile.duration), scale: { domain: [0, profile.duration], nice: false } },
      x2: { field: "end" },
      y: { field: "row", type: "quantitative", scale: { reverse: true, domain: [0, steps.length], nice: false }, axis: { title: "steps", labels: false, ticks: false, grid: false } },
      y2: { field: "below" },
      // A stroke in the same colour keeps steps visible that are lower or shorter than a pixel.
      color: ofPart, stroke: ofPart,
      tooltip: [{ field: "title" }, { field: "what" }, { field: "lasts" }],
    },
  };
}

/** The chain's steps; those too short to be seen join the one before them. */
function chainForDrawing(profile) {
  const { operation, part, start, end, count } = profile.chain;
  const grain = profile.duration / 700;
  const steps = [];
  for (let place = 0; place < count; place++) {
    const last = steps[steps.length - 1];
    const length = end[place] - start[place];
    if (last && (length < grain && last.end - last.start < grain || length < grain / 20)) {
      if (length > last.longest) Object.assign(last, { part: profile.parts[part[place]], operation: operation[place], longest: length });
      last.end = end[place];
      last.joined++;
      continue;
    }
    steps.push({ start: start[place], end: end[place], part: profile.parts[part[place]], operation: operation[place], longest: length, joined: 1 });
  }
  return steps.map((step, row) => ({ ...step, row, below: row + 1, lasts: duration(step.end - step.start),
    title: step.operation >= 0 ? profile.label(step.operation) : "no operation",
    what: step.joined > 1 ? `${step.joined} steps, mostly ${profile.partWords[step.part]}` : profile.partWords[step.part] }));
}

/** Nanoseconds by kind, a bar each, with its share written behind it; the longest has `room` times its length. */
function sharesChart(entries, theme, colour, legend = null, room = 1.25) {
  const total = entries.reduce((sum, entry) => sum + entry.nanoseconds, 0);
  if (total <= 0) return null;
  const values = entries.filter((entry) => entry.nanoseconds > 0).sort((one, other) => other.nanoseconds - one.nanoseconds)
    .map((entry) => ({ ...entry, share: entry.nanoseconds / total,
      words: `${(100 * entry.nanoseconds / total).toFixed(1)} %  ${duration(entry.nanoseconds)}` }));
  const names = values.map((entry) => entry.name);
  const y = { field: "name", type: "nominal", sort: names, title: null, axis: { labelLimit: 330 * theme.scale, ticks: false, domain: false } };
  return {
    height: 24 * theme.scale * values.length, data: { values },
    layer: [
      { mark: { type: "bar", tooltip: true }, encoding: { y, x: { field: "share", type: "quantitative", scale: { domain: [0, room] }, axis: null },
        color: { field: "group", type: "nominal", legend, scale: colour },
        tooltip: [{ field: "name", title: "title" }, { field: "words", title: "share" }] } },
      { mark: { type: "text", align: "left", dx: 5, fontSize: 12 * theme.scale }, encoding: { y, x: { field: "share", type: "quantitative" }, text: { field: "words" } } },
    ],
  };
}

function chainKindsChart(profile, theme) {
  const { part, start, end, count } = profile.chain;
  const sums = {};
  for (let place = 0; place < count; place++) sums[profile.parts[part[place]]] = (sums[profile.parts[part[place]]] ?? 0) + end[place] - start[place];
  const entries = Object.entries(sums).map(([group, nanoseconds]) => ({ name: profile.partWords[group], group, nanoseconds }));
  return sharesChart(entries, theme, { domain: profile.parts, range: profile.parts.map((name) => theme.parts[name]) });
}

function causesChart(profile, theme) {
  const origins = ["the graph's", "the scheduler's", "the operating system's", "the program's own limits", "unknown"];
  const places = ["graph", "scheduler", "system", "policy", "unknown"];
  const entries = profile.causes.map((cause) => ({ ...cause, group: origins[places.indexOf(cause.group)] }));
  const colours = [theme.parts.run, theme.parts.overhead, theme.parts.system, theme.parts.policy, theme.parts.unknown];
  // The legend is as narrow as the bars: one line each, of those that occur.
  const used = origins.filter((origin) => entries.some((entry) => entry.group === origin && entry.nanoseconds > 0));
  return sharesChart(entries, theme, { domain: used, range: used.map((origin) => colours[origins.indexOf(origin)]) },
    { orient: "top", title: "whose doing", columns: 1 }, 1.7);
}

/** The mean time of an operation after its dependencies, by class; the wait for those is written beside it. */
function breakdownChart(profile, theme) {
  if (profile.breakdown.length === 0) return null;
  const phases = ["ready, not begun", "runs", "goes on without a thread"];
  const groups = profile.breakdown.map((group) => ({ name: `${group.name} (${group.count})`, means: group.means,
    end: group.means[1] + group.means[2] + group.means[3], before: `after ${duration(group.means[0])}` }));
  const values = groups.flatMap((group) => phases.map((phase, order) => ({
    phase, order, name: group.name, mean: group.means[order + 1], lasts: duration(group.means[order + 1]) })));
  const longest = Math.max(...groups.map((group) => group.end));
  const y = { field: "name", type: "nominal", sort: null, title: null, axis: { labelLimit: 200 * theme.scale } };
  const title = "mean of an operation, after its wait for dependencies";
  const x = { type: "quantitative", title, axis: { ...timeAxis(title), values: ticks(longest) },
    scale: { domain: [0, 2 * longest], nice: false } };
  return {
    height: 26 * theme.scale * groups.length,
    layer: [
      { data: { values }, mark: "bar", encoding: { y, x: { field: "mean", ...x }, order: { field: "order" },
        color: { field: "phase", type: "nominal", sort: phases, legend: { orient: "top", title: null, columns: 2 },
          scale: { domain: phases, range: [theme.parts.idle, theme.parts.run, theme.parts.suspended] } },
        tooltip: [{ field: "name", title: "title" }, { field: "phase" }, { field: "lasts" }] } },
      { data: { values: groups }, mark: { type: "text", align: "left", dx: 5, fontSize: 12 * theme.scale, color: theme.dim },
        encoding: { y, x: { field: "end", ...x }, text: { field: "before" } } },
    ],
  };
}

/** Round figures from 0 to a length. */
function ticks(length) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, length)));
  const step = [0.2, 0.5, 1, 2].map((factor) => factor * power).find((size) => length / size <= 5);
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, place) => place * step);
}

function workersChart(profile, theme) {
  if (profile.utilisation.length === 0) return null;
  const states = ["runs", "searches", "parked", "blocked", "no processor", "other"];
  const values = profile.utilisation.flatMap((worker) => states.map((state, order) => ({
    worker: profile.threads[worker.thread], state, order, time: worker.nanoseconds[order], share: worker.nanoseconds[order] / profile.makespan,
    words: `${duration(worker.nanoseconds[order])}, ${(100 * worker.nanoseconds[order] / profile.makespan).toFixed(1)} %` })));
  return {
    height: Math.max(12 * profile.utilisation.length, Math.min(26 * profile.utilisation.length, 500)) * theme.scale, data: { values }, mark: "bar",
    encoding: {
      y: { field: "worker", type: "nominal", sort: null, title: null },
      x: { field: "share", type: "quantitative", title: "of the run", axis: { format: ".0%" }, scale: { domain: [0, 1] } },
      order: { field: "order" },
      color: { field: "state", type: "nominal", sort: states, legend: { orient: "top", title: null },
        scale: { domain: states, range: [theme.parts.run, theme.searching, theme.parked, theme.parts.policy, theme.parts.system, theme.parts.unknown] } },
      tooltip: [{ field: "worker", title: "title" }, { field: "state" }, { field: "words", title: "time" }],
    },
  };
}

/** Thief against victim; shade and figure say how many operations were taken. */
function stealsChart(profile, theme) {
  const { pairs } = profile.steals;
  const most = Math.max(0, ...pairs.map((pair) => pair.count));
  if (most === 0) return null;
  const values = pairs.map((pair) => ({ ...pair, moved: duration(pair.work) }));
  const count = new Set(pairs.flatMap((pair) => [pair.thief, pair.victim])).size;
  const size = Math.max(10, Math.min(44, 420 / count)) * theme.scale;
  const layers = [{ mark: "rect", encoding: { color: { field: "count", type: "quantitative", scale: { scheme: "blues" }, legend: { title: "operations" } } } }];
  if (count <= 16) layers.push({ mark: { type: "text", fontSize: 12 * theme.scale, fontWeight: 600 }, encoding: { text: { field: "count" },
    color: { condition: { test: `datum.count > ${0.6 * most}`, value: "white" }, value: "black" } } });
  return {
    width: { step: size }, height: { step: size }, autosize: { type: "pad" }, data: { values },
    encoding: {
      x: { field: "victim", type: "ordinal", title: "victim", axis: { orient: "top", labelAngle: 0 } },
      y: { field: "thief", type: "ordinal", title: "thief" },
      tooltip: [{ field: "thief" }, { field: "victim" }, { field: "count", title: "taken" }, { field: "failures", title: "in vain" },
        { field: "moved", title: "work moved" }],
    },
    layer: layers,
  };
}

/** What the run would take on other numbers of workers, and what it took. */
function projectionChart(profile, theme) {
  if (profile.projection.length === 0) return null;
  const kinds = ["by formula", "by list schedule", "measured"];
  const values = profile.projection.flatMap(({ workers, bound, scheduled }) => [
    { workers, time: bound, kind: kinds[0] }, ...(scheduled === null ? [] : [{ workers, time: scheduled, kind: kinds[1] }])])
    .concat({ workers: profile.workers, time: profile.makespan, kind: kinds[2] })
    .map((value) => ({ ...value, lasts: duration(value.time) }));
  const color = { field: "kind", type: "nominal", sort: kinds, legend: { orient: "top", title: null },
    scale: { domain: kinds, range: [theme.parts.run, theme.parts.policy, theme.accent] } };
  const x = { field: "workers", type: "quantitative", title: "workers", scale: { type: "log", base: 2, nice: false },
    axis: { values: profile.projection.map((point) => point.workers), grid: false, format: "d" } };
  const y = { field: "time", type: "quantitative", title: "run", scale: { zero: true }, axis: timeAxis("run") };
  const tooltip = [{ field: "kind", title: "title" }, { field: "workers" }, { field: "lasts", title: "run" }];
  return {
    height: 200 * theme.scale, data: { values }, encoding: { x, y, color, tooltip },
    layer: [
      { transform: [{ filter: "datum.kind !== 'measured'" }], mark: { type: "line", strokeWidth: 2 * theme.scale } },
      { mark: { type: "point", filled: true, size: 70 * theme.scale } },
    ],
  };
}
