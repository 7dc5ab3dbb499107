// The board: paints the scene that the server lays out, and keeps hover, keyboard, heat map and animation here. What is
// done with a cell hangs on its number and on what stands there, never on the game.

import { h } from "vue";

// The shapes of one item: each has a name, attributes and a text; without one it says the text of the item.
const Shapes = (props) => props.of.map(([name, attributes, text], key) => h(name, { key, ...attributes }, text || props.text));
Shapes.props = ["of", "text"];

export default {
  components: { Shapes },
  template: `
    <div class="board-frame" :class="{ busy: busy, playing: frames.length }">
      <svg class="board" :class="board.shape" :viewBox="board.box.join(' ')" :style="style" role="group" :aria-label="label"
           preserveAspectRatio="xMidYMid meet"
           @pointerleave="hover = -1" @keydown="key" ref="svg">
        <defs>
          <radialGradient v-for="tone in ['white', 'black']" :key="tone" :id="uid + tone" cx="0.36" cy="0.3" r="0.75">
            <stop offset="0" :class="'stone-light-' + tone" />
            <stop offset="1" :class="'stone-dark-' + tone" />
          </radialGradient>
        </defs>
        <g v-for="(item, k) in board.rims" :key="'rim' + k" :class="still(item).role"><shapes :of="still(item).of" /></g>
        <g v-for="(cell, i) in cells" :key="i" :class="[still(cell).role, cellClass(i)]" role="button" :transform="at(cell)"
           :data-cell="cell.name" :tabindex="i === cursor ? 0 : -1" :aria-label="cellLabel(i)"
           @click="click(i)" @pointerdown="lift(i, $event)" @pointerenter="enter(i, $event)" @focus="cursor = i">
          <shapes :of="still(cell).of" />
          <g v-if="heatAt[i]" class="heat" :style="heatAt[i].style"><shapes :of="board.tools.heat" /></g>
        </g>
        <g class="still">
          <g v-for="(item, k) in board.lines" :key="'l' + k" :class="still(item).role"><shapes :of="still(item).of" /></g>
          <g v-for="(item, k) in board.fixtures" :key="'f' + k" :class="still(item).role" :transform="at(item)"><shapes :of="still(item).of" /></g>
          <g v-for="(item, k) in board.names" v-show="!item.cells || !written.has(item.cells[0])" :key="'n' + k" :class="still(item).role"
             :transform="at(item)"><shapes :of="still(item).of" :text="item.text" /></g>
        </g>
        <g class="pieces">
          <g v-for="item in pos.pieces" :key="item.name || moving(item).role + item.cells"
             :class="[moving(item).role, { carried: carries(item), slides: slides(item), walks: item.name }]"
             :transform="item.name ? null : carries(item) ? at(drag) : at(item)" :style="item.name ? walk(item) : slides(item) ? slide : null">
            <shapes :of="moving(item).of" />
          </g>
        </g>
        <g v-if="pending.length" class="pending" :class="putOf(pos.toMove).role" :transform="at(middle(pending, pos.toMove))">
          <shapes :of="putOf(pos.toMove).of" />
        </g>
        <g class="marks">
          <g v-for="(item, k) in pos.marks" :key="k" :class="moving(item).role" :transform="at(item)">
            <shapes :of="moving(item).of" />
          </g>
        </g>
        <g v-if="heat && !ghosts.length && picked < 0" class="map-arrows">
          <path v-for="(arrow, k) in arrows" :key="k" class="map-arrow" :d="arrow.d" :style="arrow.style" />
        </g>
        <g class="over">
          <template v-for="(cell, i) in cells" :key="'t' + i">
            <g v-if="heatText(i)" class="told" :class="{ 'on-piece': held.has(i), word: heatText(i).length > 4 }" :transform="at(cell)">
              <shapes :of="board.tools['heat-text']" :text="heatText(i)" />
            </g>
          </template>
          <template v-for="ghost in ghosts" :key="'g' + ghost.n">
            <path v-if="ghost.arrow" class="arrow" :d="ghost.arrow" />
            <g class="ghost" :class="ghost.put.role" :transform="at(ghost)">
              <shapes :of="ghost.put.of" /><shapes :of="board.tools.number" :text="'' + ghost.n" />
            </g>
          </template>
          <g v-if="preview.length" class="preview" :class="putOf(pos.toMove).role" :transform="at(middle(preview, pos.toMove))">
            <shapes :of="putOf(pos.toMove).of" />
          </g>
          <path v-if="way" class="arrow way" :d="way" />
          <g v-for="i in pos.arrows.length ? [] : targets" :key="'d' + i" :class="{ danger: pos.danger.includes(i) }" :transform="at(cells[i])">
            <template v-if="note(i) && !held.has(i)"><shapes :of="board.tools['target note']" /><shapes :of="board.tools['note']" :text="note(i)" /></template>
            <shapes v-else :of="board.tools[holds(i) ? 'target around' : 'target']" />
          </g>
          <g v-for="arrow in pos.arrows" :key="'a' + arrow.name" class="direction" role="button" tabindex="0" :transform="at(arrow)"
             :aria-label="arrow.name" @click="$emit('move', { name: arrow.name, node: pos.node })"
             @keydown.enter.stop.prevent="$emit('move', { name: arrow.name, node: pos.node })"><shapes :of="arrow.of" /></g>
          <g v-if="picked >= 0" :transform="at(cells[picked])"><shapes :of="board.tools.picked" /></g>
        </g>
      </svg>
      <div class="board-tip" aria-hidden="true">{{ tip }}</div>
      <div v-if="caption" class="board-caption" role="status">{{ caption }}</div>
    </div>`,
  props: {
    board: Object, position: Object, coordinates: Boolean, flipped: Boolean, label: String,
  },
  data() {
    return {
      pos: this.position, heat: null, line: null, hover: -1, cursor: -1, picked: -1, pending: [], busy: false,
      setup: false, touch: false, drag: null, dragged: false, moved: null, frames: [], caption: "",
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
  mounted() {
    window.addEventListener("keydown", this.pageKey);
  },
  beforeUnmount() {
    window.removeEventListener("keydown", this.pageKey);
    this.drop();
    clearTimeout(this.timer);
  },
  computed: {
    cells() { return this.board.cells; },
    style() {
      const [, , width, height] = this.board.box;
      // What the stones of a side are filled with.
      const fills = Object.fromEntries(["white", "black"].map((tone) => ["--stone-" + tone, `url(#${this.uid}${tone})`]));
      return { aspectRatio: `${width} / ${height}`, ...fills };
    },
    // The cells on which a piece stands.
    held() { return new Set(this.pos.held); },
    // The cells whose names are covered.
    written() {
      const choices = this.pos.choose ? this.legalCells : [];
      const told = Object.keys(this.heatAt).map(Number).filter((i) => this.heatText(i));
      const gone = this.pos.pieces.filter((item) => this.moving(item).role.endsWith(" gone")).flatMap((item) => item.cells);
      return new Set([...this.held, ...told, ...choices, ...gone]);
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
        if (cells.length > 1 && !this.held.has(cells[0]) && !this.held.has(end)) (touching[end] ||= []).push({ name, cells });
      }
      for (const [cell, moves] of Object.entries(touching)) if (moves.length === 1) directs[cell] = moves[0];
      for (const [cell, moves] of Object.entries(this.movesFrom)) {
        if (this.held.has(Number(cell)) || moves.length > 1) delete directs[cell];
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
    // From the piece that was picked to the cell that is pointed at, if it can go there.
    way() {
      if (this.picked < 0 || !this.targets.includes(this.hover)) return null;
      const from = this.cells[this.picked], to = this.cells[this.hover];
      return `M${from.x} ${from.y}L${to.x} ${to.y}`;
    },
    // A piece that has just moved slides from where it stood.
    slide() {
      const [from, to] = this.moved.map((i) => this.cells[i]);
      return { "--dx": `${from.x - to.x}px`, "--dy": `${from.y - to.y}px` };
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
        const colour = hue === null ? {} : { "--heat": `hsl(${hue} 65% 45%)` };
        at[cell] = { text, told, style: { fillOpacity: strength / 100, ...colour } };
      }
      return at;
    },
    // Moves of pieces on the map: broader and stronger the more there is to tell of them.
    arrows() {
      return ((this.heat && this.heat.arrows) || []).map(([from, to, strength, hue]) => {
        const a = this.cells[from], b = this.cells[to], long = Math.hypot(b.x - a.x, b.y - a.y);
        const w = 0.03 + 0.07 * strength / 90, head = 0.1 + 1.2 * w;
        // Along the way from the middle of one cell to near that of the other, and across it.
        const at = (along, across) => {
          const x = a.x + (b.x - a.x) * along / long - (b.y - a.y) * across / long;
          const y = a.y + (b.y - a.y) * along / long + (b.x - a.x) * across / long;
          return `${x.toFixed(3)} ${y.toFixed(3)}`;
        };
        const end = long - 0.12, neck = end - head;
        const points = [at(0.22, w), at(neck, w), at(neck, head * 0.62), at(end, 0), at(neck, -head * 0.62), at(neck, -w), at(0.22, -w)];
        const colour = hue === null ? {} : { "--heat": `hsl(${hue} 65% 45%)` };
        return { d: `M${points.join("L")}Z`, style: { fillOpacity: 0.15 + 0.8 * strength / 90, ...colour } };
      });
    },
    shownLine() {
      if (this.line) return this.line;
      // Who holds a piece looks where it may go.
      if (!this.heat || this.hover < 0 || this.picked >= 0) return null;
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
        const { x, y } = this.cells[cell], put = this.putOf(side);
        // A piece that covers all cells of its move lies on them; other moves of several cells are journeys.
        const from = cells.length > put.span ? this.cells[cells[0]] : null;
        ghosts.push({
          n: k + 1, put, ...this.middle(cells, side), arrow: from ? `M${from.x} ${from.y}L${x} ${y}` : null,
        });
      });
      return ghosts;
    },
    tip() {
      if (this.hover < 0) return "";
      const cell = this.cells[this.hover], known = this.heatAt[this.hover];
      const said = this.says(this.hover) || (known && known.told);
      return said ? `${cell.name} · ${said}` : cell.name;
    },
  },
  methods: {
    // What an item of the board and one of the position look like.
    still(item) { return this.board.stamps[item.stamp]; },
    moving(item) { return this.pos.stamps[item.stamp]; },
    walk(item) { return { transform: `translate(${item.x}px, ${item.y}px)` }; },
    at(item) { return `translate(${item.x} ${item.y})`; },
    // What a move of this side puts down, and where: on the last cells that it touches, as many as it covers.
    putOf(side) { return this.board.puts[side]; },
    middle(cells, side) {
      const at = cells.slice(-this.putOf(side).span).map((i) => this.cells[i]);
      const mean = (k) => at.reduce((sum, cell) => sum + cell[k], 0) / at.length;
      return { x: mean("x"), y: mean("y") };
    },
    says(i) { return this.pos.says[i] || ""; },
    holds(i) { return !!this.says(i); },
    note(i) { return this.pos.notes[i] || ""; },
    heatText(i) { return this.heatAt[i] && !this.ghosts.length && this.picked < 0 ? this.heatAt[i].text : ""; },
    cellClass(i) {
      return {
        legal: this.setup || this.legalCells.has(i),
        hovered: i === this.hover,
        won: this.pos.won.includes(i),
        lit: this.pos.lit.includes(i),
      };
    },
    cellLabel(i) {
      const words = [this.cells[i].name, this.says(i) || "empty"];
      if (this.pos.last.includes(i)) words.push("last move");
      if (this.pos.winning.includes(i)) words.push("part of the win");
      if (this.note(i)) words.push(this.note(i) === "1" ? "1 step" : `${this.note(i)} steps`);
      if (this.pos.danger.includes(i)) words.push("accusation");
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
    // A piece that can go somewhere is picked up when it is pressed, and goes where it is let go.
    lift(i, event) {
      if (event.button !== 0 || this.setup || this.pos.choose || !(this.movesFrom[i] || []).some((m) => m.cells.length > 1)) return;
      this.dragged = false;
      this.drag = { cell: i, ...this.point(event), x0: event.clientX, y0: event.clientY, far: false };
      window.addEventListener("pointermove", this.carry);
      window.addEventListener("pointerup", this.letGo);
      window.addEventListener("pointercancel", this.drop);
    },
    carry(event) {
      const far = this.drag.far || Math.hypot(event.clientX - this.drag.x0, event.clientY - this.drag.y0) > 6;
      Object.assign(this.drag, this.point(event), { far });
      if (!far) return;
      this.picked = this.drag.cell;
      this.hover = this.cellAt(event);
    },
    letGo(event) {
      const { cell, far } = this.drag, goal = this.cellAt(event);
      this.drop();
      // A press that went nowhere is a click.
      if (!far) return;
      // The click that a browser sends after this one is part of it.
      this.dragged = true;
      setTimeout(() => { this.dragged = false; });
      this.picked = -1;
      const move = this.movesFrom[cell] && this.movesFrom[cell].find((m) => m.cells.length > 1 && m.cells.at(-1) === goal);
      if (move) this.play(move, goal);
    },
    drop() {
      this.drag = null;
      window.removeEventListener("pointermove", this.carry);
      window.removeEventListener("pointerup", this.letGo);
      window.removeEventListener("pointercancel", this.drop);
    },
    // Where the pointer is, in the board's own units.
    point(event) {
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.$refs.svg.getScreenCTM().inverse());
      return { x, y };
    },
    cellAt(event) {
      const { x, y } = this.point(event);
      const nearest = this.nearest((cell) => Math.hypot(cell.x - x, cell.y - y));
      const { x: cx, y: cy } = this.cells[nearest];
      return Math.hypot(cx - x, cy - y) < 0.75 ? nearest : -1;
    },
    carries(item) { return !!this.drag && this.drag.far && item.cells.includes(this.drag.cell); },
    slides(item) { return !!this.moved && item.cells.includes(this.moved[1]); },
    // Home, End and the arrows turn the pages of the game, unless something else has the keyboard.
    pageKey(event) {
      const where = { ArrowLeft: "back", ArrowRight: "on", Home: "start", End: "end" }[event.key];
      const free = document.activeElement === document.body || document.activeElement === null;
      if (!where || !free || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.$emit("step", where);
    },
    click(i) {
      if (this.dragged) return;
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
      this.pending = this.held.has(cell) || this.held.has(move.cells[0]) ? [] : move.cells;
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
      // What is played here goes on until somebody chooses or moves.
      if (this.frames.length && position.calm && position.node === this.rest.node) {
        this.rest = position;
        return;
      }
      this.stopFrames();
      const came = position.came || [];
      // Not when somebody looks back: then it did not stand there a moment ago.
      const stood = came.length && this.pos.held.includes(came[0]) && !position.held.includes(came[0]);
      if (position.node !== this.pos.node) this.moved = stood ? came : null;
      if (position.node !== this.pos.node) this.caption = "";
      this.place(position);
    },
    place(position) {
      this.pos = position;
      this.picked = -1;
      this.pending = [];
      this.line = null;
      if (this.heat && this.heat.node !== position.node) this.heat = null;
    },
    playFrames(frames, seconds) {
      this.stopFrames();
      this.rest = this.pos;
      this.frames = frames;
      const show = (k) => {
        if (k === frames.length) {
          this.frames = [];
          return this.place(this.rest);
        }
        this.place(frames[k].position);
        this.caption = frames[k].text;
        this.timer = setTimeout(() => show(k + 1), 1000 * seconds);
      };
      if (frames.length) show(0);
    },
    stopFrames() {
      clearTimeout(this.timer);
      this.frames = [];
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
