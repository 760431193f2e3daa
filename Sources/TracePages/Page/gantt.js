// SPDX-License-Identifier: Apache-2.0
// The timeline of all threads. Vega draws it; this file chooses what is large enough to be seen.

const waitClasses = [["up to 1 µs", 1e3], ["up to 10 µs", 1e4], ["up to 100 µs", 1e5], ["up to 1 ms", 1e6], ["longer", Infinity]];

class Gantt {
  constructor(element, profile, choose) {
    Object.assign(this, { element, profile, choose });
    this.domain = [0, profile.duration];
    this.chosen = -1;
    this.colour = "kind";
    this.listen();
  }

  /** Builds the chart anew, for a theme or a width. */
  async draw(theme) {
    this.theme = theme;
    this.drawn?.finalize();
    const { profile } = this;
    const shown = profile.threads.filter((name, thread) => profile.lanes[thread].length > 0 || profile.pauses.thread.includes(thread));
    const rows = Math.max(1, shown.length);
    const row = Math.max(16, Math.min(46, Math.round(520 / rows))) * theme.scale;
    this.width = this.element.clientWidth;
    const categories = this.categories();
    const inRow = { scale: "y", field: "thread" };
    const specification = {
      $schema: "https://vega.github.io/schema/vega/v6.json", width: this.width, height: rows * row + 46 * theme.scale, autosize: { type: "fit", contains: "padding" }, padding: 2,
      signals: [{ name: "domain", value: this.domain }],
      data: ["pauses", "slices", "chain", "arrows"].map((name) => ({ name })),
      scales: [
        { name: "x", type: "linear", domain: { signal: "domain" }, range: "width", zero: false },
        { name: "y", type: "band", domain: shown, range: "height", paddingInner: 0.18 },
        { name: "fill", type: "ordinal", domain: categories, range: this.colours(categories.length) },
      ],
      axes: [
        { orient: "bottom", scale: "x", grid: true, labelOverlap: true, tickCount: Math.max(2, Math.round(this.width / (150 * theme.scale))),
          encode: { labels: { update: { text: { signal: "axisTime(datum.value, domain[1] - domain[0])" } } } } },
        { orient: "left", scale: "y", ticks: false, domain: false, labelLimit: 160 * theme.scale },
      ],
      legends: [{ fill: "fill", orient: "top", direction: "horizontal", columns: 6, symbolType: "square", labelLimit: 240 }],
      marks: [{
        type: "group", clip: true, interactive: true,
        encode: { update: { width: { signal: "width" }, height: { signal: "height" } } },
        marks: [
          this.rectangles("pauses", inRow, { fill: { signal: `datum.kind === 'parked' ? '${theme.parked}' : '${theme.searching}'` } }),
          this.rectangles("slices", inRow, {
            fill: { scale: "fill", field: "category" }, fillOpacity: { signal: "datum.operation < 0 ? 0.6 : 1" },
            stroke: { signal: `datum.isChosen ? '${theme.text}' : null` }, strokeWidth: { value: 2.5 },
            y: { ...inRow, offset: { signal: "datum.depth * bandwidth('y') * 0.2" } },
            height: { signal: "bandwidth('y') * (0.82 - 0.2 * datum.depth)" },
          }),
          this.rectangles("chain", inRow, {
            fill: { value: theme.accent }, y: { ...inRow, offset: { signal: "bandwidth('y') * 0.86" } },
            height: { signal: "bandwidth('y') * 0.14" },
          }),
          { type: "rule", from: { data: "arrows" }, interactive: false, encode: { update: {
            x: { scale: "x", field: "start" }, x2: { scale: "x", field: "end" },
            y: { scale: "y", field: "from", band: 0.4 }, y2: { scale: "y", field: "to", band: 0.4 },
            stroke: { value: theme.text }, strokeWidth: { signal: "datum.isLast ? 2.5 : 1" },
            strokeDash: { signal: "datum.isSteal ? [5, 3] : []" },
          } } },
        ],
      }],
    };
    this.drawn = await embed(this.element, specification, theme, { mode: "vega", renderer: "canvas", hover: false, tooltip: false });
    this.view = this.drawn.view;
    this.view.addEventListener("click", (event, item) => this.click(item));
    this.view.addEventListener("pointermove", (event, item) => this.point(event, item));
    this.view.addEventListener("pointerout", () => tip.hide());
    this.showVisible();
  }

  /** Rectangles from start to end in the row of their thread, at least two thirds of a pixel wide. */
  rectangles(data, inRow, encode) {
    return { type: "rect", from: { data }, encode: { update: {
      x: { scale: "x", field: "start" },
      x2: { signal: "max(scale('x', datum.end), scale('x', datum.start) + 0.7)" },
      y: { ...inRow, offset: { signal: "bandwidth('y') * 0.3" } }, height: { signal: "bandwidth('y') * 0.22" }, ...encode,
    } } };
  }

  categories() {
    if (this.colour === "source") return this.profile.sources;
    if (this.colour === "wait") return ["unknown", ...waitClasses.map(([name]) => name)];
    return [...new Set(this.profile.operations.kind)].map((kind) => this.profile.names[kind] || "operation");
  }

  colours(count) {
    if (this.colour !== "wait") return { scheme: count > 10 ? "tableau20" : "tableau10" };
    return [this.theme.parked, "#4e79a7", "#76b7b2", "#edc948", "#f28e2b", "#e15759"];
  }

  category(row) {
    const { kind, source } = this.profile.operations;
    if (this.colour === "source") return this.profile.sources[source[row]];
    if (this.colour === "kind") return this.profile.names[kind[row]] || "operation";
    const wait = this.profile.wait(row);
    return Number.isNaN(wait) ? "unknown" : waitClasses.find(([, limit]) => wait <= limit)[0];
  }

  /** Shows the present part of the recording with the next frame, however often it was changed until then. */
  refresh() {
    this.isStale = true;
    requestAnimationFrame(() => {
      if (this.isStale) this.showVisible();
    });
  }

  /** Gives the chart what of the recording can be seen. */
  showVisible() {
    this.isStale = false;
    this.visible = { slices: this.slices(), pauses: this.pauses(), chain: this.chainSteps(), arrows: this.arrows() };
    this.view.signal("domain", this.domain);
    for (const [name, rows] of Object.entries(this.visible)) this.view.data(name, rows);
    this.view.runAsync();
  }

  /** Nanoseconds that are too narrow to be told apart. */
  get grain() {
    return (this.domain[1] - this.domain[0]) / Math.max(200, this.width) * (this.profile.threads.length > 16 ? 2 : 1);
  }

  /** Operations by themselves where they are wide enough; neighbours in a crowd where they are not. */
  slices() {
    const { profile, grain } = this;
    const { started, end } = profile.operations;
    const rows = [];
    profile.lanes.forEach((lane, thread) => {
      let crowd = null;
      const flush = () => {
        if (crowd) rows.push(crowd.count === 1 ? this.slice(crowd.first, thread) : crowd);
        crowd = null;
      };
      for (let place = this.firstVisible(lane); place < lane.length && started[lane[place]] < this.domain[1]; place++) {
        const row = lane[place];
        if (end[row] < this.domain[0]) continue;
        if (end[row] - started[row] >= grain || row === this.chosen) {
          flush();
          rows.push(this.slice(row, thread));
          continue;
        }
        if (crowd && started[row] - crowd.end > grain) flush();
        crowd ??= { start: started[row], end: end[row], thread: profile.threads[thread], operation: -1, depth: 0, count: 0,
          category: this.category(row), first: row };
        crowd.count++;
        crowd.end = Math.max(crowd.end, end[row]);
        if (crowd.end - crowd.start > 3 * grain) flush();
      }
      flush();
    });
    return rows;
  }

  slice(row, thread) {
    const { started, end } = this.profile.operations;
    return { start: started[row], end: end[row], thread: this.profile.threads[thread], operation: row,
      depth: this.profile.depth[row], category: this.category(row), isChosen: row === this.chosen };
  }

  /** The place in a lane from which on operations may reach into what is shown. */
  firstVisible(lane) {
    const { started, end } = this.profile.operations;
    let low = 0;
    let high = lane.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (started[lane[middle]] < this.domain[0]) low = middle + 1;
      else high = middle;
    }
    let place = low;
    // One that encloses many others may lie further back.
    for (let back = low - 1; back >= 0 && low - back < 2000; back--) if (end[lane[back]] >= this.domain[0]) place = back;
    return place;
  }

  pauses() {
    const { thread, kind, start, end, count } = this.profile.pauses;
    const rows = [];
    for (let row = 0; row < count; row++) {
      if (end[row] < this.domain[0] || start[row] > this.domain[1] || end[row] - start[row] < this.grain) continue;
      rows.push({ start: start[row], end: end[row], thread: this.profile.threads[thread[row]], operation: -1,
        kind: kind[row] ? "searching" : "parked" });
    }
    return rows;
  }

  chainSteps() {
    const { operation, start, end, count } = this.profile.chain;
    const { thread } = this.profile.operations;
    const rows = [];
    for (let step = 0; step < count; step++) {
      const row = operation[step];
      if (!(row >= 0) || !(thread[row] >= 0) || end[step] < this.domain[0] || start[step] > this.domain[1]) continue;
      const last = rows[rows.length - 1];
      const name = this.profile.threads[thread[row]];
      if (last && last.thread === name && start[step] - last.end < this.grain) last.end = end[step];
      else rows.push({ start: start[step], end: end[step], thread: name, operation: row });
    }
    return rows;
  }

  /** From what the chosen operation waited for, and from the worker that it was taken from. */
  arrows() {
    const { profile, chosen } = this;
    const { thread, end, started, releasedBy, victim } = profile.operations;
    if (chosen < 0 || !(thread[chosen] >= 0)) return [];
    const to = profile.threads[thread[chosen]];
    const rows = [...profile.neighbours(chosen, "predecessors")].filter((row) => thread[row] >= 0).slice(0, 300).map((row) => (
      { start: end[row], end: started[chosen], from: profile.threads[thread[row]], to, isLast: row === releasedBy[chosen] }));
    const robbed = victim[chosen] >= 0 ? profile.threadOfWorker[victim[chosen]] : undefined;
    if (robbed !== undefined) {
      rows.push({ start: started[chosen], end: started[chosen], from: profile.threads[robbed], to, isSteal: true });
    }
    return rows;
  }

  // What the user does.

  select(row, reveal) {
    this.chosen = row;
    const { started, end } = this.profile.operations;
    if (reveal && row >= 0 && started[row] >= 0) {
      const length = Math.max(end[row] - started[row], 200) * 12;
      const isInside = started[row] >= this.domain[0] && end[row] <= this.domain[1];
      const isWide = (end[row] - started[row]) / this.grain > 6;
      if (!isInside || !isWide) {
        const middle = (started[row] + end[row]) / 2;
        this.show(middle - length / 2, middle + length / 2);
        return;
      }
    }
    this.refresh();
  }

  show(start, end) {
    const length = Math.min(Math.max(end - start, 20), this.profile.duration);
    const first = Math.max(0, Math.min(start, this.profile.duration - length));
    this.domain = [first, first + length];
    this.refresh();
  }

  zoom(factor, at = (this.domain[0] + this.domain[1]) / 2) {
    this.show(at - (at - this.domain[0]) * factor, at + (this.domain[1] - at) * factor);
  }

  move(share) {
    const step = (this.domain[1] - this.domain[0]) * share;
    this.show(this.domain[0] + step, this.domain[1] + step);
  }

  click(item) {
    if (this.wasDragged) return;
    const datum = item?.datum;
    if (datum?.operation >= 0) this.choose(datum.operation);
    else if (datum?.count > 1) this.show(datum.start - this.grain, datum.end + this.grain);
  }

  point(event, item) {
    const datum = item?.datum;
    if (datum?.operation >= 0) tip.show(event, describe(this.profile, datum.operation));
    else if (datum?.count > 1) tip.show(event, `${datum.count} operations in ${duration(datum.end - datum.start)}\nClick to zoom in.`);
    else if (datum?.kind) tip.show(event, `${datum.kind} for ${duration(datum.end - datum.start)}`);
    else tip.hide();
  }

  /** The time below the pointer. */
  timeAt(event) {
    const [left] = this.view.origin();
    const x = event.clientX - this.element.getBoundingClientRect().left - left;
    return this.domain[0] + x / this.plotWidth * (this.domain[1] - this.domain[0]);
  }

  get plotWidth() {
    return this.view.signal("width");
  }

  listen() {
    const { element } = this;
    let from = null;
    element.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, domain: this.domain };
      this.wasDragged = false;
    });
    window.addEventListener("pointermove", (event) => {
      if (!from || Math.abs(event.clientX - from.x) < 4 && !this.wasDragged) return;
      this.wasDragged = true;
      element.classList.add("dragged");
      const step = (from.x - event.clientX) / this.plotWidth * (from.domain[1] - from.domain[0]);
      this.show(from.domain[0] + step, from.domain[1] + step);
    });
    window.addEventListener("pointerup", () => {
      from = null;
      element.classList.remove("dragged");
    });
    element.addEventListener("wheel", (event) => {
      // Without one of both the wheel scrolls the page.
      if (!event.ctrlKey && document.activeElement !== element) return;
      event.preventDefault();
      this.zoom(Math.exp(event.deltaY * 0.002), this.timeAt(event));
    }, { passive: false });
    element.addEventListener("dblclick", (event) => this.zoom(0.25, this.timeAt(event)));
  }
}
