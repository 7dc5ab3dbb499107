// The board: draws any game from its cells and pieces, and keeps hover, keyboard, heat map and animation here.

const HEX = Math.sqrt(3) / 3;
const SIDES = ["first", "second"];

function hexPoints(x, y, turn, radius) {
  const points = [];
  for (let k = 0; k < 6; k++) {
    const angle = turn + (k * Math.PI) / 3;
    points.push(`${(x + radius * Math.cos(angle)).toFixed(3)},${(y + radius * Math.sin(angle)).toFixed(3)}`);
  }
  return points.join(" ");
}

// One piece of a kind that lies on a board: what is played, what is about to be, and what a line expects.
const PieceBody = {
  template: `
    <path v-if="kind === 'cross'" class="mark-cross" :d="'M' + (x - 0.26) + ' ' + (y - 0.26) + 'l0.52 0.52m0 -0.52l-0.52 0.52'" />
    <circle v-else-if="kind === 'nought'" class="mark-circle" :cx="x" :cy="y" r="0.28" />
    <rect v-else-if="kind.startsWith('domino')" class="domino" :x="x - 0.38" :y="y - 0.38"
          :width="0.76 + wide" :height="0.76 + tall" rx="0.16" />
    <template v-else>
      <circle class="shade" :cx="x + 0.03" :cy="y + 0.06" :r="radius" />
      <circle class="stone" :cx="x" :cy="y" :r="radius" :fill="fill" />
      <path v-if="figure && !plain" class="figure" :d="figure" :transform="'translate(' + x + ' ' + y + ')'" />
      <text v-else-if="kind !== 'stone' && !plain" class="figure-text" :x="x" :y="y + 0.1">{{ kind.slice(0, 2) }}</text>
    </template>`,
  inheritAttrs: false,
  // `plain` leaves a figure away, so that a number has room.
  props: {
    kind: String, x: Number, y: Number, wide: { type: Number, default: 0 }, tall: { type: Number, default: 0 },
    radius: Number, fill: String, figure: String, plain: Boolean,
  },
};

export default {
  components: { PieceBody },
  template: `
    <div class="board-frame" :class="{ busy: busy }">
      <svg class="board" :class="shape" :viewBox="viewBox" :style="ratio" role="group" :aria-label="label"
           preserveAspectRatio="xMidYMid meet"
           @pointerleave="hover = -1" @keydown="key" ref="svg">
        <defs>
          <radialGradient v-for="side in ['first', 'second']" :key="side" :id="uid + side" cx="0.36" cy="0.3" r="0.75">
            <stop offset="0" :class="'stone-light-' + side" />
            <stop offset="1" :class="'stone-dark-' + side" />
          </radialGradient>
        </defs>
        <g v-for="(rim, k) in rims" :key="'rim' + k" class="rim" :class="tone(rim.side)">
          <polyline class="rim-line" :points="rim.points" /><polyline class="rim-body" :points="rim.points" />
        </g>
        <g v-for="(cell, i) in cells" :key="i" class="cell" :class="cellClass(i)" role="button"
           :data-cell="cell.name" :tabindex="i === cursor ? 0 : -1" :aria-label="cellLabel(i)"
           @click="click(i)" @pointerenter="enter(i, $event)" @focus="cursor = i">
          <polygon v-if="cell.points" class="ground" :points="cell.points" />
          <rect v-else class="ground" :x="cell.x - 0.5" :y="cell.y - 0.5" width="1" height="1" />
          <template v-if="heatAt[i]">
            <polygon v-if="cell.points" class="heat" :points="cell.points" :style="heatAt[i].style" />
            <circle v-else class="heat" :cx="cell.x" :cy="cell.y" r="0.42" :style="heatAt[i].style" />
          </template>
          <text v-if="cell.inner && coordinates && !holds(i) && !heatText(i) && !(pos.choose && legalCells.has(i))" class="name"
                :x="cell.x" :y="cell.y + 0.07">{{ cell.name }}</text>
        </g>
        <path v-if="grid" class="grid" :d="grid" />
        <template v-if="edgeNames && coordinates">
          <text v-for="name in edgeNames" :key="name.key" class="edge-name" :x="name.x" :y="name.y">{{ name.text }}</text>
        </template>
        <g v-if="pos.drawn" class="pieces" v-html="pos.drawn"></g>
        <g class="pieces">
          <g v-for="piece in pieces" :key="piece.key" class="piece" :class="[tone(piece.side), piece.kind]">
            <piece-body v-bind="piece" :radius="radius" :fill="fill(piece.side)" />
          </g>
          <g v-if="pending.length" class="pending" :class="tone(pos.toMove)">
            <piece-body v-bind="put(pending, pos.toMove)" :radius="radius" :fill="fill(pos.toMove)" />
          </g>
        </g>
        <path v-if="chain" class="chain" :d="chain" />
        <circle v-for="i in pos.winning.filter((i) => !isFlat(i))" :key="'w' + i" class="winning" :cx="cells[i].x" :cy="cells[i].y" :r="radius + 0.04" />
        <rect v-if="lastFrame" class="last around" v-bind="lastFrame" rx="0.2" />
        <circle v-else v-for="i in pos.last.filter((i) => !pos.winning.includes(i) || !around(i))" :key="'l' + i" class="last" :class="{ around: around(i) }"
                :cx="cells[i].x" :cy="cells[i].y" :r="around(i) ? radius + 0.04 : 0.11" />
        <g class="over">
          <template v-for="(cell, i) in cells" :key="'t' + i">
            <text v-if="heatText(i)" class="heat-text" :class="{ 'on-piece': pieceAt[i], word: heatText(i).length > 4 }" :x="cell.x" :y="cell.y + 0.1">{{ heatText(i) }}</text>
          </template>
          <path v-for="mark in threats" :key="mark.key" class="threat" :class="tone(mark.side)" :d="mark.path" />
          <g v-for="ghost in ghosts" :key="'g' + ghost.n" class="ghost" :class="tone(ghost.side)">
            <path v-if="ghost.arrow" class="arrow" :d="ghost.arrow" />
            <piece-body v-bind="ghost.body" plain :radius="radius" :fill="fill(ghost.side)" />
            <text :class="{ open: isOpen(ghost.body.kind) }" :x="ghost.x" :y="ghost.y + 0.12">{{ ghost.n }}</text>
          </g>
          <g v-if="preview.length" class="preview" :class="tone(pos.toMove)">
            <piece-body v-bind="put(preview, pos.toMove)" :radius="radius" :fill="fill(pos.toMove)" />
          </g>
          <template v-for="i in targets" :key="'d' + i">
            <circle class="target" :class="{ around: holds(i), danger: (pos.danger || []).includes(i) }"
                    :cx="cells[i].x" :cy="cells[i].y" :r="says(i) ? 0.5 : pieceAt[i] ? 0.46 : 0.13" />
          </template>
          <circle v-if="picked >= 0" class="picked" :cx="cells[picked].x" :cy="cells[picked].y" r="0.46" />
        </g>
      </svg>
      <div class="board-tip" aria-hidden="true">{{ tip }}</div>
    </div>`,
  props: {
    board: Object, position: Object, coordinates: { type: Boolean, default: true }, flipped: Boolean, label: String,
  },
  data() {
    return {
      pos: this.position, heat: null, line: null, hover: -1, cursor: -1, picked: -1, pending: [], busy: false,
      setup: false, touch: false,
    };
  },
  watch: {
    position(value) { this.setPosition(value); },
  },
  created() {
    this.uid = "b" + Math.random().toString(36).slice(2, 8);
    // The keyboard starts in the middle of the board.
    const xs = this.cells.map((c) => c.x), ys = this.cells.map((c) => c.y);
    const cx = (Math.min(...xs) + Math.max(...xs)) / 2, cy = (Math.min(...ys) + Math.max(...ys)) / 2;
    this.cursor = this.nearest((c) => Math.hypot(c.x - cx, c.y - cy));
  },
  computed: {
    shape() { return this.board.shape; },
    isHex() { return this.shape.startsWith("hex"); },
    radius() { return this.isHex ? 0.4 : 0.42; },
    // Where a place of the board is drawn. A flipped board is turned by half a turn: its middle stays where it is.
    place() {
      if (!this.flipped) return (left, top) => [left, top];
      const sum = (k) => Math.min(...this.board.cells.map((c) => c[k])) + Math.max(...this.board.cells.map((c) => c[k]));
      const [width, height] = [sum(1), sum(2)];
      return (left, top) => [width - left, height - top];
    },
    rims() {
      // The cells cover the inner half of a rim.
      return this.board.rims.map(([side, line]) => ({ side, points: line.map(([x, y]) => this.place(x, y).join(",")).join(" ") }));
    },
    cells() {
      const turn = this.shape === "hex_pointy" ? Math.PI / 6 : 0;
      return this.board.cells.map(([name, left, top, kind]) => {
        const [x, y] = this.place(left, top);
        return { name, x, y, kind, inner: this.isHex, points: this.isHex ? hexPoints(x, y, turn, HEX * 0.97) : null };
      });
    },
    bounds() {
      const xs = this.cells.map((c) => c.x), ys = this.cells.map((c) => c.y);
      const margin = (this.isHex ? 0.68 : 0.95) + (this.rims.length ? 0.2 : 0);
      return [Math.min(...xs) - margin, Math.min(...ys) - margin, Math.max(...xs) + margin, Math.max(...ys) + margin];
    },
    viewBox() {
      const [left, top, right, bottom] = this.bounds;
      return `${left} ${top} ${right - left} ${bottom - top}`;
    },
    ratio() {
      const [left, top, right, bottom] = this.bounds;
      return { aspectRatio: `${right - left} / ${bottom - top}` };
    },
    grid() {
      if (this.shape !== "point") return null;
      const xs = [...new Set(this.cells.map((c) => c.x))], ys = [...new Set(this.cells.map((c) => c.y))];
      const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
      return ys.map((y) => `M${x0} ${y}H${x1}`).join("") + xs.map((x) => `M${x} ${y0}V${y1}`).join("");
    },
    edgeNames() {
      if (this.isHex) return null;
      const left = Math.min(...this.cells.map((c) => c.x)), low = Math.max(...this.cells.map((c) => c.y));
      const names = [];
      for (const cell of this.cells) {
        const parts = /^([a-z]+)(\d+)$/i.exec(cell.name);
        if (!parts) continue;
        if (cell.x === left) names.push({ key: "r" + cell.name, x: cell.x - 0.74, y: cell.y + 0.1, text: parts[2] });
        if (cell.y === low) names.push({ key: "c" + cell.name, x: cell.x, y: cell.y + 0.86, text: parts[1] });
      }
      return names;
    },
    pieceAt() {
      const at = {};
      for (const [cell, side, kind] of this.pos.pieces) at[cell] = { side, kind };
      return at;
    },
    pieces() {
      // A map that comes drawn shows its pieces itself.
      if (this.pos.drawn) return [];
      const dominoes = [], others = [];
      for (const [cell, side, kind] of this.pos.pieces) {
        const { x, y } = this.cells[cell];
        const entry = {
          key: `${cell}${side}${kind}`, side, kind, x, y, figure: this.board.figures[kind],
        };
        (kind.startsWith("domino") ? dominoes : others).push(entry);
      }
      return [...this.joined(dominoes), ...others];
    },
    movesFrom() {
      const from = {};
      for (const [name, cells] of this.pos.moves) {
        if (!cells.length) continue;
        (from[cells[0]] ||= []).push({ name, cells });
      }
      return from;
    },
    directs() {
      // The one move that a click on an empty cell means; all at once, as every cell asks at every change.
      const directs = {}, touching = {};
      for (const [name, cells] of this.pos.moves) {
        const end = cells.at(-1);
        if (cells.length > 1 && !this.pieceAt[cells[0]] && !this.pieceAt[end]) (touching[end] ||= []).push({ name, cells });
      }
      for (const [cell, moves] of Object.entries(touching)) if (moves.length === 1) directs[cell] = moves[0];
      for (const [cell, moves] of Object.entries(this.movesFrom)) {
        if (this.pieceAt[cell] || moves.length > 1) delete directs[cell];
        else directs[cell] = moves[0];
      }
      return directs;
    },
    legalCells() {
      return new Set([...Object.keys(this.movesFrom), ...Object.keys(this.directs), ...this.targets].map(Number));
    },
    targets() {
      if (this.pos.choose) return this.pos.moves.map(([, cells]) => cells[0]);
      if (this.picked < 0) return [];
      return (this.movesFrom[this.picked] || []).filter((m) => m.cells.length > 1).map((m) => m.cells[1]);
    },
    preview() {
      if (this.setup || this.pos.choose || this.touch || this.picked >= 0 || this.ghosts.length || this.hover < 0) return [];
      const move = this.direct(this.hover);
      return move ? move.cells : [];
    },
    heatAt() {
      const at = {};
      if (!this.heat) return at;
      for (const [cell, strength, text, hue, told] of this.heat.cells) {
        const fill = hue === null ? null : `hsl(${hue} 65% 45%)`;
        at[cell] = { text, told, style: { fillOpacity: strength / 100, fill } };
      }
      return at;
    },
    shownLine() {
      if (this.line) return this.line;
      if (!this.heat || this.hover < 0) return null;
      const found = (this.heat.lines || []).find((line) => line[0] && line[0][0].at(-1) === this.hover);
      return found && found.length > 1 ? found : null;
    },
    ghosts() {
      if (!this.shownLine) return [];
      // A later move on the same cell covers an earlier one; the number of the first stays readable.
      const seen = new Set(), ghosts = [];
      this.shownLine.forEach(([cells, side], k) => {
        const cell = cells.at(-1);
        if (cell === undefined || seen.has(cell)) return;
        seen.add(cell);
        const { x, y } = this.cells[cell];
        const body = this.put(cells, side);
        // A domino lies on both its cells; other moves of two cells are journeys.
        const from = cells.length > 1 && !body.wide && !body.tall ? this.cells[cells[0]] : null;
        ghosts.push({
          n: k + 1, side, body, x: body.x + body.wide / 2, y: body.y + body.tall / 2,
          arrow: from ? `M${from.x} ${from.y}L${x} ${y}` : null,
        });
      });
      return ghosts;
    },
    threats() {
      return (this.pos.threats || []).map(([cell, side]) => {
        const { x, y } = this.cells[cell], d = side === "first" ? -0.17 : 0.17;
        return { key: side + cell, side, path: `M${x + d} ${y - 0.15}l0.15 0.15l-0.15 0.15l-0.15 -0.15z` };
      });
    },
    chain() {
      // Links between neighbouring stones of the figure that won.
      const won = this.pos.winning || [], parts = [];
      for (let a = 0; a < won.length; a++) {
        for (let b = a + 1; b < won.length; b++) {
          const p = this.cells[won[a]], q = this.cells[won[b]];
          // A line of crosses may be a diagonal; stones are linked along the lines of their board.
          if (Math.hypot(p.x - q.x, p.y - q.y) < (this.isFlat(won[a]) ? 1.5 : 1.1)) parts.push(`M${p.x} ${p.y}L${q.x} ${q.y}`);
        }
      }
      return parts.join("");
    },
    lastFrame() {
      // A ring around a cross would look like a nought, and a domino is not round: these get a frame.
      const cells = this.pos.last.map((i) => this.cells[i]);
      if (!cells.length || !this.pos.last.every((i) => this.isFlat(i))) return null;
      const xs = cells.map((c) => c.x), ys = cells.map((c) => c.y), [x, y] = [Math.min(...xs), Math.min(...ys)];
      return { x: x - 0.43, y: y - 0.43, width: Math.max(...xs) - x + 0.86, height: Math.max(...ys) - y + 0.86 };
    },
    tip() {
      if (this.hover < 0) return "";
      const cell = this.cells[this.hover], known = this.heatAt[this.hover];
      const said = this.says(this.hover) || (known && known.told);
      return said ? `${cell.name} · ${said}` : cell.name;
    },
  },
  methods: {
    // Where the first side is called Black, it has the dark stones.
    tone(side) {
      if (!SIDES.includes(side)) return side || "neutral";
      return this.pos.names[0] === "Black" ? SIDES[1 - SIDES.indexOf(side)] : side;
    },
    fill(side) { return SIDES.includes(side) ? `url(#${this.uid}${this.tone(side)})` : "var(--neutral)"; },
    put(cells, side) {
      // What a move of this side puts down: a domino on both its cells, anything else on the last one.
      const kind = this.board.kinds[side] || "stone", at = cells.map((i) => this.cells[i]);
      if (!kind.startsWith("domino")) {
        return { kind, x: at.at(-1).x, y: at.at(-1).y, wide: 0, tall: 0, figure: this.board.figures[kind] };
      }
      const xs = at.map((c) => c.x), ys = at.map((c) => c.y), [x, y] = [Math.min(...xs), Math.min(...ys)];
      return { kind, x, y, wide: Math.max(...xs) - x, tall: Math.max(...ys) - y };
    },
    isOpen(kind) { return kind === "cross" || kind === "nought"; },
    isFlat(i) {
      const kind = (this.pieceAt[i] || { kind: "" }).kind;
      return this.isOpen(kind) || kind.startsWith("domino");
    },
    says(i) { return (this.pos.says || {})[i] || ""; },
    holds(i) { return !!this.pieceAt[i] || !!this.says(i); },
    around(i) { return !!this.pieceAt[i] && this.pieceAt[i].kind !== "stone"; },
    heatText(i) { return this.heatAt[i] && !this.ghosts.length && this.picked < 0 ? this.heatAt[i].text : ""; },
    joined(halves) {
      // Two halves make one domino; in a row of equal halves the pairing from its start is the only one.
      const result = [], used = new Set(), at = new Map(halves.map((h) => [`${h.x},${h.y}`, h]));
      for (const half of [...halves].sort((a, b) => a.y - b.y || a.x - b.x)) {
        if (used.has(half)) continue;
        const tall = half.kind === "domino_vertical";
        const other = at.get(tall ? `${half.x},${half.y + 1}` : `${half.x + 1},${half.y}`);
        used.add(half).add(other);
        const two = other && other.kind === half.kind;
        result.push({ ...half, wide: two && !tall ? 1 : 0, tall: two && tall ? 1 : 0 });
      }
      return result;
    },
    cellClass(i) {
      return {
        [this.cells[i].kind]: true,
        legal: this.setup || this.legalCells.has(i),
        hovered: i === this.hover,
        won: this.isFlat(i) && this.pos.winning.includes(i),
      };
    },
    cellLabel(i) {
      const piece = this.pieceAt[i], cell = this.cells[i], words = [cell.name];
      if (this.says(i)) words.push(this.says(i));
      else if (piece) words.push(`${piece.side ? this.pos.names[SIDES.indexOf(piece.side)] + " " : ""}${piece.kind.replace("_", " ")}`);
      else words.push("empty");
      if (this.pos.last.includes(i)) words.push("last move");
      if (this.pos.winning.includes(i)) words.push("part of the win");
      if ((this.pos.danger || []).includes(i)) words.push("accusation");
      else if (this.targets.includes(i)) words.push("possible destination");
      return words.join(", ");
    },
    nearest(distance) {
      let best = -1, least = Infinity;
      this.cells.forEach((cell, i) => {
        const d = distance(cell);
        if (d < least - 1e-6) { least = d; best = i; }
      });
      return best;
    },
    direct(i) { return this.directs[i] || null; },
    enter(i, event) {
      this.touch = event.pointerType === "touch";
      this.hover = i;
    },
    click(i) {
      this.cursor = i;
      if (this.setup) return this.$emit("cell", i);
      if (this.pos.choose) {
        const found = (this.movesFrom[i] || [])[0];
        return found && this.$emit("move", { name: found.name, node: this.pos.node });
      }
      if (this.picked >= 0) {
        const move = (this.movesFrom[this.picked] || []).find((m) => m.cells.at(-1) === i && m.cells.length > 1);
        const again = this.picked === i;
        this.picked = -1;
        if (move) return this.play(move, i);
        if (again) return;
      }
      const move = this.direct(i);
      if (move) return this.play(move, i);
      if (this.movesFrom[i]) this.picked = i;
    },
    play(move, cell) {
      // A journey is shown when it is made: until then its piece stands where it was.
      this.pending = this.pieceAt[cell] || this.pieceAt[move.cells[0]] ? [] : move.cells;
      this.hover = -1;
      this.$emit("move", { name: move.name, node: this.pos.node });
    },
    key(event) {
      const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (step) {
        event.preventDefault();
        const here = this.cells[this.cursor];
        const next = this.nearest((cell) => {
          const along = (cell.x - here.x) * step[0] + (cell.y - here.y) * step[1];
          const aside = Math.abs((cell.x - here.x) * step[1]) + Math.abs((cell.y - here.y) * step[0]);
          return along > 0.1 ? along + 2 * aside : Infinity;
        });
        if (next >= 0) this.focusCell(next);
      } else if (event.key === "Enter" || event.key === " ") {
        event.preventDefault();
        this.click(this.cursor);
      } else if (event.key === "Escape") {
        this.picked = -1;
      }
    },
    focusCell(i) {
      this.cursor = i;
      this.hover = i;
      this.$refs.svg.querySelectorAll(".cell")[i].focus();
    },
    // Called by the server.
    setPosition(position) {
      this.pos = position;
      this.picked = -1;
      this.pending = [];
      this.line = null;
      if (this.heat && this.heat.node !== position.node) this.heat = null;
    },
    setHeat(heat) {
      // A frame of another position comes too late.
      if (heat && heat.node !== this.pos.node) return;
      this.heat = heat;
    },
    setLine(line) { this.line = line; },
    setBusy(busy) { this.busy = busy; },
    setSetup(setup) { this.setup = setup; },
    refuse() { this.pending = []; this.picked = -1; },
  },
};
