// SPDX-License-Identifier: Apache-2.0
// Puts the page together and listens to keys.

const profile = await Profile.read(JSON.parse(document.getElementById("data").textContent));
const part = (id) => document.getElementById(id);

part("title").textContent = profile.title;
part("subject").textContent = profile.subject;
part("sentence").textContent = profile.sentence;
for (const note of profile.notes) part("notes").append(Object.assign(document.createElement("li"), { textContent: note }));
for (const { name, value } of profile.figures) {
  const pair = document.createElement("div");
  pair.append(Object.assign(document.createElement("dt"), { textContent: name }), Object.assign(document.createElement("dd"), { textContent: value }));
  part("figures").append(pair);
}

if (profile.comparison) {
  const { sentence, own, sides } = profile.comparison;
  const other = sides[1 - own];
  part("comparison").hidden = false;
  part("comparison-title").textContent = `${sides[own].scheduler} against ${other.scheduler}`;
  part("comparison-sentence").textContent = sentence;
  Object.assign(part("other"), { href: encodeURI(other.page), textContent: `The page of ${other.scheduler}` });
}

function choose(row, reveal = false) {
  gantt.select(row, reveal);
  showDetails(part("details"), profile, row, choose);
  history.replaceState(null, "", row >= 0 ? `#${row}` : " ");
}

async function drawCharts(theme) {
  const missing = profile.refusal;
  if (profile.comparison) await chart("sides", sidesChart(profile, theme), theme, "");
  const view = await chart("profile", profileChart(profile, theme), theme, "No operation ran.");
  view?.addSignalListener("part", (name, value) => {
    const range = value.start;
    if (range && range[1] > range[0]) gantt.show(range[0], range[1]);
  });
  await chart("chain-kinds", chainKindsChart(profile, theme), theme, missing ?? "The recording has no chain.");
  const waterfall = await chart("waterfall", waterfallChart(profile, theme), theme, "");
  waterfall?.addEventListener("click", (event, item) => {
    if (item?.datum?.operation >= 0) choose(item.datum.operation, true);
  });
  await chart("causes", causesChart(profile, theme), theme, missing ?? "No ready operation waited.");
  await chart("breakdown", breakdownChart(profile, theme), theme, "No operation finished.");
  await chart("workers", workersChart(profile, theme), theme, "No worker recorded anything.");
  await chart("projection", projectionChart(profile, theme), theme, missing ?? "Nothing to project from.");
  await chart("steals", stealsChart(profile, theme), theme,
    profile.steals.isKnown ? "Nothing was stolen." : "The scheduler does not tell where operations were found.");
}

const gantt = new Gantt(part("gantt"), profile, choose);
window.gantt = gantt;
await gantt.draw(presentTheme());
showDetails(part("details"), profile, -1, choose);
showChainTable(part("chain-table"), profile, choose);
await drawCharts(presentTheme());

/** Draws everything anew when the width or the colour scheme has changed. */
async function redraw() {
  const theme = presentTheme();
  await gantt.draw(theme);
  await drawCharts(theme);
}
let width = innerWidth;
let pending;
addEventListener("resize", () => {
  if (innerWidth === width) return;
  width = innerWidth;
  clearTimeout(pending);
  pending = setTimeout(redraw, 150);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

const acts = {
  all: () => gantt.show(0, profile.duration),
  in: () => gantt.zoom(0.5),
  out: () => gantt.zoom(2),
  chosen: () => choose(gantt.chosen, true),
};
for (const button of document.querySelectorAll("[data-act]")) button.addEventListener("click", () => acts[button.dataset.act]());
part("colour").addEventListener("change", (event) => {
  gantt.colour = event.target.value;
  gantt.draw(presentTheme());
});

/** The next or the one before on the thread of the chosen operation, or the first of all. */
function neighbour(step) {
  if (gantt.chosen < 0) {
    const lane = profile.lanes.find((operations) => operations.length > 0);
    return lane ? lane[0] : -1;
  }
  const lane = profile.lanes[profile.operations.thread[gantt.chosen]] ?? [];
  return lane[lane.indexOf(gantt.chosen) + step] ?? gantt.chosen;
}

/** What the chosen operation waited for last. */
function released() {
  const before = gantt.chosen >= 0 ? profile.operations.releasedBy[gantt.chosen] : NaN;
  return before >= 0 ? before : gantt.chosen;
}

const keys = {
  ArrowLeft: () => gantt.move(-0.2), ArrowRight: () => gantt.move(0.2), "+": acts.in, "=": acts.in, "-": acts.out, 0: acts.all,
  n: () => choose(neighbour(1), true), p: () => choose(neighbour(-1), true), w: () => choose(released(), true), Enter: acts.chosen,
  Escape: () => choose(-1),
};
part("gantt").addEventListener("keydown", (event) => {
  const act = keys[event.key] ?? keys[event.key.toLowerCase()];
  if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});

/** Finds by number, else the next operation after the chosen one whose name has the text. */
function find(text) {
  const wanted = text.trim().toLowerCase();
  const { count } = profile.operations;
  if (wanted === "") return;
  const number = /^#?\d+$/.test(wanted) ? Number(wanted.replace("#", "")) : -1;
  if (number >= 0 && number < count) {
    choose(number, true);
    part("found").textContent = "";
    return;
  }
  for (let step = 1; step <= count; step++) {
    const row = (Math.max(gantt.chosen, -1) + step + count) % count;
    if (!profile.label(row).toLowerCase().includes(wanted)) continue;
    choose(row, true);
    part("found").textContent = "Enter again for the next one.";
    return;
  }
  part("found").textContent = "No operation has that in its name.";
}
part("find").addEventListener("keydown", (event) => {
  if (event.key === "Enter") find(event.target.value);
});

const wanted = Number(location.hash.slice(1));
if (location.hash.length > 1 && wanted >= 0 && wanted < profile.operations.count) choose(wanted, true);
document.documentElement.dataset.drawn = "yes";
