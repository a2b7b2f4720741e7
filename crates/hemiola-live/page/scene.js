// The view of a space in three dimensions, with a camera that goes anywhere.

import { Captions } from "./captions.js";
import { button, fill, h, setText, space } from "./dom.js";
import { Drawings, Layers, reachOf, spacesOf } from "./drawings.js";
import { gestures, notice } from "./gestures.js";
import { isSolid, layerAt, middleOf, Orbit, paintScene } from "./solids.js";
import { list } from "./statistics.js";
import { colours, fit } from "./theme.js";
import { View, register } from "./view.js";

const SKY = "#0e1512";
const GROUND = "#1f4a30";
/** The step of a key, in pixels. */
const STEP = 24;
const KEYS = /** @type {Record<string, [number, number]>} */ ({ ArrowLeft: [STEP, 0], ArrowRight: [-STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP], a: [STEP, 0], d: [-STEP, 0], w: [0, STEP], s: [0, -STEP] });

export class Scene extends View {
  /** @override */
  static id = "scene";
  /** @override */
  static title = "Scene";
  /** @override */
  static icon = "M8 1.5l6 3.2v6.6l-6 3.2l-6 -3.2v-6.6zM2 4.7l6 3.3l6 -3.3M8 8v6.5";
  /** @override */
  static single = false;

  #drawings = new Drawings();
  #captions = new Captions();
  #layers = new Layers(this.initial.hidden, () => { this.host.changed(); this.invalidate(); });
  #camera = new Orbit();
  #space = typeof this.initial.space === "string" ? this.initial.space : "";
  #isChosen = this.#space !== "";
  /** @type {Set<string>} */
  #wanted = new Set(this.#space ? [this.#space] : []);
  /** Set until a person moves the camera. */
  #isFree = true;
  #isSliding = false;
  #picked = String(this.initial.picked ?? "");
  /** @type {import("./solids.js").Part[]} */
  #parts = [];
  /** @type {ReturnType<import("./robot.js").Robot["watch"]> | null} */
  #watch = null;
  #canvas = h("canvas", { role: "img", tabIndex: 0 });
  #status = h("div.status");
  #spaces = h("select", { title: "Space", onchange: () => this.#choose(this.#spaces.value) });
  #follow = button({ text: "Follow", title: "Keep what was clicked in the middle (f)" }, () => this.#toggleFollow());

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { camera } = this.initial, all = list(camera);
    if (all.length === 6 && all.every(Number.isFinite)) {
      const [x, y, z, distance, azimuth, elevation] = all;
      Object.assign(this.#camera, { target: [x, y, z], distance, azimuth, elevation });
      this.#isFree = false;
    }
    this.#follow.classList.toggle("active", this.initial.follow === true);
    fill(this.bar, this.#spaces, space(), this.#follow, button({ text: "Fit", title: "Show everything (double click)" }, () => this.#fit()));
    fill(this.body, this.#canvas, this.#captions.element, this.#layers.element, this.#status);
    this.#layers.element.hidden = true;
    this.#canvas.title = "Drag: turn. Shift and drag, or arrows: move. Wheel: nearer, farther. Click: pick. f: follow. q, e: down, up";
    this.#canvas.addEventListener("pointerdown", (event) => { this.#isSliding = event.shiftKey || event.button === 1; this.#canvas.focus({ preventScroll: true }); });
    this.#canvas.addEventListener("keydown", (event) => this.#key(event));
    gestures(this.#canvas, {
      pan: (dx, dy) => this.#move(() => (this.#isSliding ? this.#camera.slide(dx, dy) : this.#camera.turn(dx, dy))),
      zoom: (factor) => this.#move(() => this.#camera.zoom(factor)),
      click: (x, y) => { this.#picked = layerAt(this.#parts, x, y); this.host.changed(); this.invalidate(); },
      double: () => this.#fit(),
      hover: (place) => setText(this.#status, place ? layerAt(this.#parts, place.x, place.y) || this.#picked : this.#picked),
    });
    this.keep({ close: () => this.#watch?.close() });
  }

  /** @override */
  settings() {
    const { target, distance, azimuth, elevation } = this.#camera;
    const camera = this.#isFree ? undefined : [...target, distance, azimuth, elevation].map((part) => Number(part.toFixed(3)));
    return { space: this.#isChosen ? this.#space : undefined, hidden: [...this.#layers.hidden], camera, picked: this.#picked || undefined, follow: this.#isFollowing || undefined };
  }

  /** @override @param {boolean} visible */
  shown(visible) {
    this.#watch?.close();
    this.#watch = visible ? this.robot.watch("debug", null, (event) => { this.#drawings.absorb(event); this.#captions.absorb(event); this.invalidate(); }, [...this.#wanted]) : null;
  }

  get #isFollowing() { return this.#follow.classList.contains("active"); }

  #toggleFollow() {
    this.#follow.classList.toggle("active");
    this.host.changed();
    this.invalidate();
  }

  /** @param {() => void} change of the camera by a person */
  #move(change) {
    this.#isFree = false;
    change();
    this.host.changed();
    this.invalidate();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = KEYS[event.key], lift = { q: -1, e: 1 }[event.key], zoom = { "+": 1.15, "-": 1 / 1.15 }[event.key];
    if (step) this.#move(() => (event.shiftKey ? this.#camera.turn(...step) : this.#camera.slide(...step)));
    else if (lift) this.#move(() => { this.#camera.target[2] += lift * this.#camera.distance * 0.03; });
    else if (zoom) this.#move(() => this.#camera.zoom(zoom));
    else if (event.key === "f") this.#toggleFollow();
    else return;
    event.preventDefault();
  }

  /** @param {string} space */
  #choose(space) {
    this.#space = space;
    this.#isChosen = true;
    this.#want([space]);
    this.#isFree = true;
    this.host.title(space);
    this.host.changed();
    this.invalidate();
  }

  /** @param {string[]} spaces that are seen */
  #want(spaces) {
    if (spaces.length === this.#wanted.size && spaces.every((one) => this.#wanted.has(one))) return;
    this.#wanted = new Set(spaces);
    this.#watch?.want(spaces);
  }

  /** Lists the spaces in which something is drawn; the first choice is one with solids or in three dimensions. */
  #offer() {
    const names = [...this.robot.debugNames.values()], spaces = spacesOf(names);
    if (this.#space && !spaces.includes(this.#space)) spaces.push(this.#space);
    if (spaces.join("\n") !== [...this.#spaces.options].map(({ value }) => value).join("\n")) fill(this.#spaces, ...spaces.map((space) => h("option", { value: space }, space)));
    if (!this.#isChosen) {
      const deep = spacesOf(names.filter(({ kind }) => kind === "drawing 3d")), best = ["scene", "field"].find((one) => spaces.includes(one)) ?? deep[0] ?? spaces[0] ?? "";
      if (best !== this.#space) { this.#space = best; this.#want([best]); this.#isFree = true; }
    }
    this.#spaces.value = this.#space;
  }

  #fit() {
    this.#isFree = true;
    this.host.changed();
    this.invalidate();
  }

  /** @override */
  draw() {
    this.#offer();
    const { drawings, spaces } = this.#drawings.seenIn(this.#space), shown = this.#layers.pick(drawings), camera = this.#camera;
    this.#want([...new Set([this.#space, ...spaces])]);
    this.#captions.show(spaces);
    const [context, width, height] = fit(this.#canvas);
    [camera.width, camera.height] = [width, height];
    context.fillStyle = SKY;
    context.fillRect(0, 0, width, height);
    if (drawings.length === 0) return notice(context, "Nothing is drawn yet: modules draw through &Debug", "#ffffff80");
    const picked = this.#isFollowing ? shown.find(({ layer, shapes }) => layer === this.#picked && shapes.some(({ draw }) => isSolid(draw))) : undefined;
    const middle = picked && middleOf(picked);
    if (this.#isFree) {
      const fixed = shown.filter(({ background }) => background);
      camera.frame((fixed.length ? fixed : shown).flatMap(reachOf));
    }
    if (middle) {
      camera.target = middle;
      if (this.#isFree) camera.distance = 2.2;
    }
    this.#parts = paintScene(context, shown, camera, { font: colours().font, ground: GROUND, picked: this.#picked });
    this.#canvas.ariaLabel = `${shown.length} drawings in ${this.#space}`;
  }
}

register(Scene);
