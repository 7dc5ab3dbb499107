// The candidates of a search: rows with bars; pointing at one shows its line on the board, clicking plays it, and the pin
// keeps the line to step through.

export default {
  template: `
    <div class="candidates" :class="{ settled: settled }" @pointerleave="leave">
      <div class="candidate" v-for="(row, i) in rows" :key="row.name" tabindex="0" role="button"
           :class="{ best: i === 0, frozen: frozen && frozen.name === row.name }"
           :aria-label="row.name + ', ' + row.told"
           @pointerenter="enter($event, row)" @focus="show(row)" @click="play(row)" @keydown="key($event, row)">
        <span class="rank">{{ i + 1 }}</span>
        <span class="move">{{ row.name }}</span>
        <span class="bar"><span class="fill" :style="{ width: row.bar + '%' }"></span></span>
        <span class="rate" :class="row.proof">{{ row.rate }}</span>
        <span class="visits">{{ row.visits || "" }}</span>
        <button class="pin" :aria-label="'keep the line of ' + row.name" :aria-pressed="frozen && frozen.name === row.name ? 'true' : 'false'"
                tabindex="-1" @click.stop="freeze(row)"><i class="q-icon material-icons" aria-hidden="true">push_pin</i></button>
      </div>
      <div v-if="shown" class="line-steps">
        <button class="step" aria-label="one move less" @click="step(-1)">‹</button>
        <span class="line-text"><span v-for="(name, k) in shown.names" :key="k" :class="{ past: k >= steps }"
              @click="steps = k + 1; push()">{{ name }}</span></span>
        <button class="step" aria-label="one move more" @click="step(1)">›</button>
      </div>
      <div v-else-if="!rows.length" class="hint">{{ empty }}</div>
      <div v-else class="hint">Point at a move to see its line, click to play it, pin it to keep the line.</div>
    </div>`,
  props: { board: Number },
  data() { return { rows: [], empty: "", settled: false, shown: null, frozen: null, steps: 0, node: null, touched: "" }; },
  methods: {
    setRows(frame) {
      if (frame.node !== this.node) { this.frozen = null; this.shown = null; this.push(); }
      this.node = frame.node;
      this.rows = frame.rows;
      this.empty = frame.empty;
      this.settled = frame.settled;
      if (this.shown && !this.frozen) {
        const now = frame.rows.find((row) => row.name === this.shown.name);
        if (now) { this.shown = now; this.steps = Math.min(Math.max(this.steps, 1), now.line.length); this.push(); }
      }
    },
    enter(event, row) {
      // A finger cannot point: its first tap shows the line, the second one plays.
      if (event.pointerType === "touch") this.touched = this.shown && this.shown.name === row.name ? "" : row.name;
      this.show(row);
    },
    play(row) {
      if (this.touched === row.name) { this.touched = ""; return; }
      this.$emit("play", { name: row.name, node: this.node });
    },
    show(row) {
      if (this.frozen) return;
      this.shown = row;
      this.steps = row.line.length;
      this.push();
    },
    freeze(row) {
      const same = this.frozen && this.frozen.name === row.name;
      this.frozen = null;
      this.show(row);
      this.frozen = same ? null : row;
    },
    leave() {
      if (this.frozen) return;
      this.shown = null;
      this.push();
    },
    step(by) {
      if (!this.shown) return;
      this.steps = Math.min(Math.max(this.steps + by, 1), this.shown.line.length);
      this.push();
    },
    key(event, row) {
      if (event.key === "Enter" || event.key === " ") { event.preventDefault(); this.play(row); }
      if (event.key === "p") this.freeze(row);
      if (event.key === "ArrowRight") this.step(1);
      if (event.key === "ArrowLeft") this.step(-1);
      if (event.key === "Escape") { this.frozen = null; this.leave(); }
    },
    push() {
      const board = getElement(this.board);
      if (board) board.setLine(this.shown ? this.shown.line.slice(0, this.steps) : null);
    },
  },
};
