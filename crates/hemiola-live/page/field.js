// The view of drawings in spaces: the field, the surroundings of the robot, points and frames.

import { Captions } from "./captions.js";
import { button, fill, h, setText, space } from "./dom.js";
import { Drawings, Layers, paintDrawings, reachOf, spacesOf } from "./drawings.js";
import { plain } from "./format.js";
import { Camera, movable, notice } from "./gestures.js";
import { colours, fit } from "./theme.js";
import { View, register } from "./view.js";

/** The drawings of modules are meant for a dark background, such as grass. */
const GROUND = "#16211b";
const GRID = ["#ffffff14", "#ffffff50", "#ffffff80"];

export class Field extends View {
  /** @override */
  static id = "field";
  /** @override */
  static title = "Field";
  /** @override */
  static icon = "M1.5 3h13v10h-13zM8 3v10M6 8a2 2 0 1 0 4 0a2 2 0 1 0-4 0";
  /** @override */
  static single = false;

  #drawings = new Drawings();
  #captions = new Captions();
  #layers = new Layers(this.initial.hidden, () => { this.host.changed(); this.invalidate(); });
  #camera = new Camera({ smallest: 0.1, largest: 1e5 });
  #space = "";
  /** The space, and those known to lie in it: the names that the view subscribes to. @type {Set<string>} */
  #wanted = new Set();
  /** Set if a person has chosen the space. */
  #isChosen = false;
  /** @type {ReturnType<import("./robot.js").Robot["watch"]> | null} */
  #watch = null;
  #canvas = h("canvas", { role: "img" });
  #status = h("div.status");
  #spaces = h("select", { title: "Space", onchange: () => { this.#isChosen = true; this.#choose(this.#spaces.value); } });
  #turn = h("input", { type: "range", min: -180, max: 180, value: 0, title: "Turn", oninput: () => this.invalidate() });
  #tilt = h("input", { type: "range", min: 0, max: 90, value: 0, title: "Tilt", oninput: () => this.invalidate() });

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    this.#isChosen = typeof this.initial.space === "string";
    if (this.#isChosen) this.#wanted.add(this.#space = this.initial.space);
    this.#tilt.value = String(Number(this.initial.tilt) || 0);
    this.#turn.value = String(Number(this.initial.turn) || 0);
    fill(this.bar, this.#spaces, this.#turn, this.#tilt, space(), button({ text: "Fit", title: "Show everything (double click)" }, () => this.#fit()));
    fill(this.body, this.#canvas, this.#captions.element, this.#layers.element, this.#status);
    this.#layers.element.hidden = true;
    movable(this, this.#canvas, this.#camera, {
      double: () => this.#fit(),
      hover: (place) => {
        const [x, y] = place ? this.#camera.place(place.x, place.y) : [];
        setText(this.#status, x === undefined || y === undefined || this.#isTilted ? "" : `${plain(Number(x.toFixed(3)))}, ${plain(Number((-y).toFixed(3)))}`);
      },
    });
    this.keep({ close: () => this.#watch?.close() });
  }

  /** @override */
  settings() {
    return { space: this.#isChosen ? this.#space : undefined, hidden: [...this.#layers.hidden], turn: Number(this.#turn.value), tilt: Number(this.#tilt.value) };
  }

  /**
   * @override
   * @param {boolean} visible
   */
  shown(visible) {
    this.#watch?.close();
    this.#watch = visible ? this.robot.watch("debug", null, (event) => { this.#drawings.absorb(event); this.#captions.absorb(event); this.invalidate(); }, [...this.#wanted]) : null;
  }

  /** @override */
  resized() { if (this.#camera.isFree) this.#fit(); }

  get #isTilted() { return Number(this.#tilt.value) !== 0 || Number(this.#turn.value) !== 0; }

  /** @param {string} space */
  #choose(space) {
    this.#space = space;
    this.#wanted = new Set([space]);
    this.#watch?.want([space]);
    this.#camera.isFree = true;
    this.host.title(space);
    this.host.changed();
    this.invalidate();
  }

  /** Has modules draw in these spaces, too. @param {string[]} spaces */
  #want(spaces) {
    const known = this.#wanted.size;
    spaces.forEach((space) => this.#wanted.add(space));
    if (this.#wanted.size > known) this.#watch?.want([...this.#wanted]);
  }

  /** Lists the spaces that are not images. */
  #offer() {
    const shown = [...this.robot.debugNames.values()];
    const images = new Set([...this.robot.description.representations.filter(({ name, schema_name: schema }) => /image/i.test(`${schema} ${name}`)), ...shown.filter(({ kind }) => kind === "image")].map(({ name }) => name));
    const spaces = spacesOf(shown).filter((space) => !images.has(space));
    if (this.#space && !spaces.includes(this.#space)) spaces.push(this.#space);
    if (spaces.join("\n") !== [...this.#spaces.options].map(({ value }) => value).join("\n")) {
      fill(this.#spaces, ...spaces.map((space) => h("option", { value: space }, space)));
      const best = spaces.includes("field") ? "field" : spaces[0];
      if (!this.#isChosen && best && best !== this.#space) this.#choose(best);
      this.#spaces.value = this.#space;
    }
  }

  /** Converts metres to a plane whose y axis points down, as on screens. */
  #projection() {
    const turn = (Number(this.#turn.value) / 180) * Math.PI, tilt = (Number(this.#tilt.value) / 180) * Math.PI;
    const [cos, sin, flat, high] = [Math.cos(turn), Math.sin(turn), Math.cos(tilt), Math.sin(tilt)];
    return (/** @type {number[]} */ [x, y, z = 0]) => [cos * x - sin * y, -(sin * x + cos * y) * flat - z * high];
  }

  #fit() {
    const project = this.#projection();
    const { clientWidth, clientHeight } = this.#canvas;
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (const drawing of this.#drawings.seenIn(this.#space).drawings) {
      for (const [x, y] of reachOf(drawing).map(project)) [left, right, top, bottom] = [Math.min(left, x), Math.max(right, x), Math.min(top, y), Math.max(bottom, y)];
    }
    if (left > right) [left, right, top, bottom] = [-3, 3, -2, 2];
    if (clientWidth > 0) this.#camera.frame({ left, right, top, bottom }, clientWidth, clientHeight, 24, 400);
    this.#camera.isFree = true;
    this.invalidate();
  }

  /** @override */
  draw() {
    this.#offer();
    const { drawings, spaces } = this.#drawings.seenIn(this.#space), shown = this.#layers.pick(drawings);
    this.#want(spaces);
    this.#captions.show(spaces);
    const isDeep = drawings.some((drawing) => drawing.shapes.some(({ draw }) => draw.frame) || reachOf(drawing).some(([, , z]) => z));
    this.#turn.hidden = this.#tilt.hidden = !isDeep && !this.#isTilted;
    const [context, width, height] = fit(this.#canvas);
    const { font } = colours(), camera = this.#camera, project = this.#projection();
    context.fillStyle = GROUND;
    context.fillRect(0, 0, width, height);
    if (drawings.length === 0) return notice(context, "Nothing is drawn yet: modules draw through &Debug", GRID[2]);
    if (camera.isFree) {
      // The visible part grows with the drawings, but does not follow moving ones.
      const [left, top] = camera.place(-8, -8), [right, bottom] = camera.place(width + 8, height + 8);
      const isInside = drawings.every((drawing) => reachOf(drawing).map(project).every(([x, y]) => x > left && y > top && x < right && y < bottom));
      if (!isInside || camera.scale === 1) this.#fit();
    }
    if (!this.#isTilted) this.#grid(context, font, width, height);
    paintDrawings(context, shown, (point) => {
      const [x, y] = project(point);
      return [camera.x + x * camera.scale, camera.y + y * camera.scale];
    }, camera.scale, font);
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {string} font
   * @param {number} width
   * @param {number} height
   */
  #grid(context, font, width, height) {
    const { x, y, scale } = this.#camera;
    const step = 10 ** Math.ceil(Math.log10(40 / scale));
    context.font = `10px ${font}`;
    context.textAlign = "left";
    context.textBaseline = "alphabetic";
    for (const [origin, length, isAcross] of /** @type {[number, number, boolean][]} */ ([[x, width, true], [y, height, false]])) {
      for (let number = Math.ceil(-origin / scale / step); number * step * scale + origin < length; number++) {
        const at = Math.round(origin + number * step * scale);
        context.fillStyle = GRID[number === 0 ? 1 : 0];
        context.fillRect(isAcross ? at : 0, isAcross ? 0 : at, isAcross ? 1 : width, isAcross ? height : 1);
        context.fillStyle = GRID[2];
        context.fillText(plain(Number(((isAcross ? 1 : -1) * number * step).toPrecision(6))), isAcross ? at + 3 : 3, isAcross ? 11 : at - 3);
      }
    }
  }
}

register(Field);
