// SPDX-License-Identifier: Apache-2.0
// Words about one operation, and the small window that follows the pointer.

const tip = {
  element: Object.assign(document.createElement("div"), { id: "tip", hidden: true }),
  show(event, text) {
    if (!this.element.isConnected) document.body.append(this.element);
    this.element.textContent = text;
    this.element.hidden = false;
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.left = `${Math.min(event.clientX + 14, innerWidth - offsetWidth - 8)}px`;
    this.element.style.top = `${event.clientY + 18 + offsetHeight > innerHeight ? event.clientY - offsetHeight - 10 : event.clientY + 18}px`;
  },
  hide() {
    this.element.hidden = true;
  },
};

/** What the pointer is told of an operation. */
function describe(profile, row) {
  const { started, end } = profile.operations;
  const lines = [profile.label(row), `ran ${duration(end[row] - started[row])}`];
  const wait = profile.wait(row);
  if (wait > 0) lines.push(`was ready ${duration(wait)} before${causeOf(profile, row)}`);
  if (profile.onChain[row]) lines.push("on the slowest chain");
  return lines.join("\n");
}

function causeOf(profile, row) {
  const cause = profile.operations.cause[row];
  return cause >= 0 ? `: ${profile.causeWords[cause]}` : "";
}

/** The panel about the chosen operation: its times, what it waited for and what waited for it. */
function showDetails(element, profile, row, choose) {
  element.replaceChildren();
  const add = (name, text, parent = element) => {
    const part = document.createElement(name);
    part.textContent = text;
    parent.append(part);
    return part;
  };
  if (row < 0) {
    add("h3", "No operation chosen");
    add("p", "Click one in the timeline or in the slowest chain, or find one by its name.");
    return;
  }
  const { operations } = profile;
  add("h3", profile.label(row));
  if (profile.onChain[row]) add("p", "on the slowest chain").className = "chain-word";
  const table = add("table", "");
  const line = (name, text) => {
    if (text === undefined || text === "") return;
    const entry = add("tr", "", table);
    add("th", name, entry).scope = "row";
    add("td", text, entry).className = "number";
  };
  line("operation", `#${row}`);
  line("class", profile.names[operations.kind[row]]);
  line("thread", profile.threads[operations.thread[row]]);
  line("found in", profile.sources[operations.source[row]] + (operations.victim[row] >= 0 ? ` of worker ${operations.victim[row]}` : ""));
  line("outcome", profile.outcomes[operations.outcome[row]]);
  if (operations.priority[row] !== 0) line("priority", String(operations.priority[row]));
  for (const [name, column] of [["made", "created"], ["added", "enqueued"], ["ready", "ready"], ["let through", "admitted"],
    ["began", "started"], ["returned", "returned"], ["finished", "finished"]]) {
    const time = operations[column][row];
    if (!Number.isNaN(time)) line(name, instant(time, profile.duration));
  }
  const differences = [["waited for dependencies", operations.ready[row] - operations.enqueued[row]],
    ["was ready", profile.wait(row)], ["ran", operations.end[row] - operations.started[row]]];
  for (const [name, length] of differences) if (!Number.isNaN(length)) line(name, duration(length));
  if (profile.wait(row) > 0 && operations.cause[row] >= 0) line("mostly since", profile.causeWords[operations.cause[row]]);
  neighbourTable("Waited for", "predecessors", (one, other) => operations.end[other] - operations.end[one]);
  neighbourTable("Waited for it", "successors", (one, other) => operations.started[one] - operations.started[other]);

  function neighbourTable(title, side, order) {
    const rows = [...profile.neighbours(row, side)].sort(order);
    add("h3", rows.length === 0 ? `${title}: nothing` : `${title} (${rows.length})`);
    const list = add("table", "");
    for (const other of rows.slice(0, 40)) {
      const entry = add("tr", "", list);
      const button = add("button", profile.label(other), add("td", "", entry));
      button.type = "button";
      button.addEventListener("click", () => choose(other, true));
      const isLast = side === "predecessors" ? other === operations.releasedBy[row] : row === operations.releasedBy[other];
      add("td", isLast ? "the last one" : "", entry);
      add("td", duration(operations.end[other] - operations.started[other]), entry).className = "number";
    }
    if (rows.length > 40) add("p", `and ${rows.length - 40} more`);
  }
}

/** The steps of the slowest chain that take longest, and the longest chain of dependencies from its first operation on. */
function showChainTable(element, profile, choose) {
  const { operation, part, start, end, count } = profile.chain;
  const operations = profile.operations;
  element.replaceChildren();
  const table = document.createElement("table");
  const addName = (row, chosen) => {
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: profile.label(chosen) });
    button.addEventListener("click", () => choose(chosen, true));
    row.insertCell().append(button);
  };
  const addRest = (row, words, length) => {
    row.insertCell().textContent = words;
    const time = row.insertCell();
    time.className = "number";
    time.textContent = duration(length);
  };
  const addTable = (title, table) => {
    element.append(Object.assign(document.createElement("h3"), { textContent: title }), table);
  };
  const steps = Array.from({ length: count }, (_, place) => place)
    .sort((one, other) => end[other] - start[other] - end[one] + start[one]).slice(0, 25);
  for (const step of steps) {
    const row = table.insertRow();
    if (operation[step] >= 0) addName(row, operation[step]);
    else row.insertCell();
    addRest(row, profile.partWords[profile.parts[part[step]]], end[step] - start[step]);
  }
  if (count > 0) addTable("Its longest steps", table);
  const span = profile.spanChain;
  if (span.count < 2) return;
  const chain = document.createElement("table");
  for (const chosen of span.operations) {
    const row = chain.insertRow();
    addName(row, chosen);
    addRest(row, profile.partWords.run, operations.end[chosen] - operations.started[chosen]);
  }
  const shown = span.count > span.operations.length ? `, the first ${span.operations.length} of ${span.count}` : ` (${span.count})`;
  addTable(`The longest chain of dependencies${shown}`, chain);
}
