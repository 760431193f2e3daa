// SPDX-License-Identifier: Apache-2.0
// The recording as the page holds it: columns of numbers, and who waits for whom.

/** Reads what PageColumns has written, column after column. */
class Columns {
  static async unpacked(text) {
    const packed = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Columns(new Uint8Array(await new Response(stream).arrayBuffer()));
  }

  constructor(bytes) {
    this.bytes = bytes;
    this.place = 0;
  }

  /** The next column, NaN where it has no value. */
  next(count) {
    const values = new Float64Array(count);
    let before = 0;
    for (let row = 0; row < count; row++) {
      const code = this.number();
      if (code === 0) {
        values[row] = NaN;
        continue;
      }
      const half = Math.floor((code - 1) / 2);
      before += (code - 1) % 2 === 0 ? half : -half - 1;
      values[row] = before;
    }
    return values;
  }

  /** One LEB128 number; beyond 32 bits shifts would lose digits. */
  number() {
    let value = 0;
    let unit = 1;
    for (;;) {
      const byte = this.bytes[this.place++];
      value += (byte & 127) * unit;
      if (byte < 128) return value;
      unit *= 128;
    }
  }
}

/** Everything that the charts are drawn from. */
class Profile {
  static async read(data) {
    const profile = new Profile();
    const columns = await Columns.unpacked(data.columns);
    Object.assign(profile, data);
    for (const [table, count] of [["operations", data.counts.operations], ["edges", data.counts.edges],
      ["pauses", data.counts.pauses], ["chain", data.counts.chain]]) {
      profile[table] = { count };
      for (const name of data.layout[table]) profile[table][name] = columns.next(count);
    }
    profile.makeLanes();
    return profile;
  }

  /** For each thread its operations by start, and how deep each lies inside others. */
  makeLanes() {
    const { started, finished, returned, thread, count } = this.operations;
    const end = this.operations.end = new Float64Array(count);
    this.depth = new Uint8Array(count);
    this.lanes = this.threads.map(() => []);
    for (let row = 0; row < count; row++) {
      end[row] = returned[row] >= 0 ? returned[row] : finished[row] >= 0 ? finished[row] : this.duration;
      if (started[row] >= 0 && thread[row] >= 0) this.lanes[thread[row]].push(row);
    }
    for (const lane of this.lanes) {
      lane.sort((one, other) => started[one] - started[other] || end[other] - end[one] || one - other);
      const open = [];
      for (const row of lane) {
        while (open.length > 0 && open[open.length - 1] <= started[row]) open.pop();
        this.depth[row] = Math.min(open.length, 3);
        open.push(end[row]);
      }
    }
    this.onChain = new Uint8Array(count);
    for (const row of this.chain.operation) if (row >= 0) this.onChain[row] = 1;
  }

  /** Rows of operations that this one waited for, or, with "successors", that waited for it. */
  neighbours(row, side) {
    if (!this.lists) {
      const { predecessor, successor, count } = this.edges;
      this.lists = {
        predecessors: Profile.lists(successor, predecessor, count, this.operations.count),
        successors: Profile.lists(predecessor, successor, count, this.operations.count),
      };
    }
    const { bounds, members } = this.lists[side];
    return members.subarray(bounds[row], bounds[row + 1]);
  }

  static lists(keys, values, count, rows) {
    const bounds = new Uint32Array(rows + 1);
    for (let edge = 0; edge < count; edge++) bounds[keys[edge] + 1]++;
    for (let row = 0; row < rows; row++) bounds[row + 1] += bounds[row];
    const next = bounds.slice();
    const members = new Uint32Array(count);
    for (let edge = 0; edge < count; edge++) members[next[keys[edge]]++] = values[edge];
    return { bounds, members };
  }

  label(row) {
    const { name, kind } = this.operations;
    const text = this.names[name[row] || kind[row]] || "operation";
    return name[row] ? text : `${text} #${row}`;
  }

  wait(row) {
    return this.operations.started[row] - this.operations.ready[row];
  }
}

/** Nanoseconds in the unit in which they are easiest to read. */
function duration(nanoseconds) {
  const size = Math.abs(nanoseconds);
  const [unit, name] = size >= 1e9 ? [1e9, "s"] : size >= 1e6 ? [1e6, "ms"] : size >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  const value = nanoseconds / unit;
  const decimals = unit === 1 || Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return `${value.toFixed(decimals)} ${name}`;
}

/** A time on an axis whose whole length is given: digits enough to tell its ticks apart. */
function axisTime(nanoseconds, length) {
  const [unit, name] = length >= 2e9 ? [1e9, "s"] : length >= 2e6 ? [1e6, "ms"] : length >= 2e3 ? [1e3, "µs"] : [1, "ns"];
  const decimals = Math.max(0, Math.min(6, Math.ceil(1 - Math.log10(length / unit))));
  return `${(nanoseconds / unit).toFixed(decimals)} ${name}`;
}

/** A time of the recording to the nanosecond, in the unit of the whole recording. */
function instant(nanoseconds, length) {
  const [digits, name] = length >= 1e9 ? [9, "s"] : length >= 1e6 ? [6, "ms"] : length >= 1e3 ? [3, "µs"] : [0, "ns"];
  return `${(nanoseconds / 10 ** digits).toFixed(digits)} ${name}`;
}
