// Camera images and images of modules, with the drawings of modules over them.

import { fill, h, setText } from "./dom.js";
import { Drawings, Layers, paintDrawings } from "./drawings.js";
import { Camera, movable, notice } from "./gestures.js";
import { pictureOf, toRgba } from "./pixels.js";
import { list } from "./statistics.js";
import { colours, fit } from "./theme.js";
import { View, register } from "./view.js";

const RATES = [1, 5, 10, 15, 30];
/** The time for which an image waits for the drawings over it, in milliseconds. */
const PATIENCE = 200;
const MOST_WAITING = 8;

/** @typedef {{encoding: string, time: number, bytes?: Uint8Array, value(): any}} Message */

export class Images extends View {
  /** @override */
  static id = "images";
  /** @override */
  static title = "Images";
  /** @override */
  static icon = "M2 3h12v10h-12zM2 11l4-4l3 3l2-2l3 3";
  /** @override */
  static single = false;

  #name = "";
  /** The source of the image: a representation, a topic, or a module. @type {"value" | "topic" | "image"} */
  #kind = "value";
  #camera = new Camera({ smallest: 0.05, largest: 64 });
  #drawings = new Drawings();
  #layers = new Layers(this.initial.hidden, () => this.#changed());
  /** @type {{close(): void} | null} */
  #stream = null;
  /** @type {ReturnType<import("./robot.js").Robot["watch"]> | null} */
  #watch = null;
  /** The images that are not shown yet. @type {{message: Message, since: number}[]} */
  #waiting = [];
  /** The shown image, in its own pixels. */
  #image = h("canvas");
  #isDecoding = false;
  #error = "";
  /** @type {{x: number, y: number} | null} */
  #cursor = null;

  #canvas = h("canvas", { role: "img" });
  #status = h("div.status");
  #choice = h("select", { title: "Image", onchange: () => this.#choose(this.#choice.value) });
  #rate = h("select", { title: "Maximum rate", onchange: () => this.#changed(true) }, h("option", { value: "" }, "all"), ...RATES.map((rate) => h("option", { value: rate }, `${rate} Hz`)));
  #form = h("select", { title: "JPEG: less bandwidth, more processor time", onchange: () => this.#changed(true) }, h("option", { value: "cdr" }, "raw"), h("option", { value: "jpeg" }, "JPEG"));

  /** @param {ConstructorParameters<typeof View>} given */
  constructor(...given) {
    super(...given);
    const { robot } = this;
    const { value, topic, image, rate, as } = this.initial;
    this.#kind = topic ? "topic" : image ? "image" : "value";
    this.#name = String(topic ?? image ?? value ?? "");
    this.#rate.value = String(RATES.includes(rate) ? rate : rate === null ? "" : 15);
    this.#form.value = as === "jpeg" ? "jpeg" : "cdr";
    fill(this.bar, this.#choice, this.#rate, this.#form);
    fill(this.body, this.#canvas, this.#layers.element, this.#status);
    this.#layers.element.hidden = true;
    movable(this, this.#canvas, this.#camera, {
      double: () => { this.#camera.isFree = true; this.invalidate(); },
      hover: (place) => { this.#cursor = place; this.#say(); },
    });
    this.keep(robot.on("description", () => this.#offer()));
    this.keep({ close: () => this.shown(false) });
    this.#offer();
  }

  /** @override */
  settings() {
    return { [this.#kind]: this.#name, rate: Number(this.#rate.value) || null, as: this.#form.value, hidden: [...this.#layers.hidden] };
  }

  /**
   * @override
   * @param {any} settings
   */
  accept({ value, topic, image } = /** @type {any} */ ({})) {
    return (topic ?? image ?? value ?? this.#name) === this.#name;
  }

  /**
   * @override
   * @param {boolean} visible
   */
  shown(visible) {
    this.#stream?.close();
    this.#watch?.close();
    this.#stream = this.#watch = null;
    if (!visible) return;
    this.#watch = this.robot.watch("debug", null, (event) => this.#absorb(event), [this.#name]);
    this.#open();
  }

  /** @param {any} event */
  #absorb(event) {
    if (event.names) this.#offer();
    this.#drawings.absorb(event);
    const shown = this.#kind === "image" && list(event.records).findLast(({ name, pixels }) => name === this.#name && pixels);
    if (shown) this.#take({ encoding: "cdr", time: Number(shown.time), value: () => ({ ...shown.image, data: shown.pixels }) });
    this.invalidate();
  }

  /** @param {Message} message */
  #take(message) {
    this.#waiting.push({ message, since: performance.now() });
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift();
    this.invalidate();
    setTimeout(() => this.invalidate(), PATIENCE);
  }

  /** Lists everything that is an image or may contain one. */
  #offer() {
    const { representations, topics } = this.robot.description;
    const isImage = (/** @type {any} */ { schema_name: schema }) => /(^|\/)(Compressed)?Image$/.test(schema ?? "");
    const may = (/** @type {any} */ one) => /image$/i.test(one.schema_name ?? "");
    const shown = [...this.robot.debugNames.values()].filter(({ kind }) => kind === "image");
    const all = [...[...representations.filter(may).map((one) => ({ ...one, key: `value:${one.name}` })), ...topics.filter(may).map((one) => ({ ...one, key: `topic:${one.name}` }))]
      .sort((a, b) => Number(isImage(b)) - Number(isImage(a))), ...shown.map(({ name }) => ({ key: `image:${name}` }))];
    const own = `${this.#kind}:${this.#name}`;
    if (this.#name && !all.some(({ key }) => key === own)) all.push({ key: own });
    fill(this.#choice, ...all.map(({ key }) => h("option", { value: key }, key.replace("value:", "").replace(":", " "))));
    if (this.#name) this.#choice.value = own;
    else if (all[0]) this.#choose(all[0].key);
    else this.#error = this.robot.description.cycles.length ? "This robot has no images" : "";
    this.invalidate();
  }

  /** @param {string} key */
  #choose(key) {
    const cut = key.indexOf(":");
    this.#kind = /** @type {"value" | "topic" | "image"} */ (key.slice(0, cut));
    this.#name = key.slice(cut + 1);
    this.#watch?.want([this.#name]);
    this.#changed(true);
  }

  #changed(isOther = false) {
    if (isOther) {
      this.#waiting = [];
      this.#image.width = this.#image.height = 0;
      this.#camera.isFree = true;
      if (this.visible) this.#open();
    }
    this.host.changed();
    this.invalidate();
  }

  #open() {
    this.#stream?.close();
    this.#stream = null;
    this.#error = "";
    if (!this.#name) return;
    this.host.title(this.#name);
    if (this.#kind === "image") return;
    const wish = { [this.#kind]: this.#name, rate: Number(this.#rate.value) || undefined, as: /** @type {"cdr" | "jpeg"} */ (this.#form.value) };
    this.#stream = this.robot.subscribe(wish, (message) => this.#take(message), (error) => { this.#error = error.message; this.invalidate(); });
  }

  /** Decodes the newest image whose drawings have arrived, if it is a new one. */
  #decode() {
    const past = performance.now() - PATIENCE;
    const ready = this.#waiting.findLastIndex(({ message, since }) => since <= past || this.#drawings.reaches(this.#name, message.time));
    if (ready < 0 || this.#isDecoding) return;
    const { message } = this.#waiting.splice(0, ready + 1)[ready];
    this.#error = "";
    try {
      const picture = message.encoding === "jpeg" && message.bytes ? { packed: message.bytes } : pictureOf(message.value());
      if (!picture) throw new Error(`${this.#name} has no image`);
      if ("packed" in picture) this.#unpack(picture.packed, message.time);
      else {
        const { width, height } = picture.raw;
        const pixels = new ImageData(toRgba(picture.raw), width, height);
        this.#show(message.time, width, height, (context) => context.putImageData(pixels, 0, 0));
      }
    } catch (error) { this.#error = /** @type {Error} */ (error).message; }
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} time
   */
  async #unpack(bytes, time) {
    this.#isDecoding = true;
    try {
      const bitmap = await createImageBitmap(new Blob([/** @type {Uint8Array<ArrayBuffer>} */ (bytes)]));
      this.#show(time, bitmap.width, bitmap.height, (context) => context.drawImage(bitmap, 0, 0));
      bitmap.close();
    } catch { this.#error = "the image cannot be decoded"; }
    this.#isDecoding = false;
    this.invalidate();
  }

  /**
   * @param {number} time
   * @param {number} width
   * @param {number} height
   * @param {(context: CanvasRenderingContext2D) => void} put
   */
  #show(time, width, height, put) {
    const image = this.#image;
    this.#drawings.at = time;
    if (image.width !== width || image.height !== height) {
      image.width = width;
      image.height = height;
      this.#camera.isFree = true;
    }
    const context = image.getContext("2d", { willReadFrequently: true });
    if (context) put(context);
    this.#say();
  }

  /** @override */
  draw() {
    this.#decode();
    const shown = this.#layers.pick(this.#drawings.of(this.#name));
    const [context, width, height] = fit(this.#canvas);
    const image = this.#image, camera = this.#camera, look = colours();
    if (image.width === 0 || this.#error) return notice(context, this.#error || "Waiting for an image …", look.muted);
    if (camera.isFree) camera.frame({ left: 0, top: 0, right: image.width, bottom: image.height }, width, height, 0);
    context.imageSmoothingEnabled = camera.scale < 2;
    context.drawImage(image, camera.x, camera.y, image.width * camera.scale, image.height * camera.scale);
    // The middle of the first pixel is (0, 0).
    paintDrawings(context, shown, ([x, y]) => [camera.x + (x + 0.5) * camera.scale, camera.y + (y + 0.5) * camera.scale], camera.scale, look.font);
  }

  /** Shows the position and colour under the cursor. */
  #say() {
    const { width, height } = this.#image;
    let text = width ? `${width} × ${height}` : "";
    if (this.#cursor) {
      const [x, y] = this.#camera.place(this.#cursor.x, this.#cursor.y).map(Math.floor);
      if (x >= 0 && y >= 0 && x < width && y < height) {
        const [red, green, blue] = this.#image.getContext("2d")?.getImageData(x, y, 1, 1).data ?? [];
        text = `(${x}, ${y})  ${red} ${green} ${blue}  #${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
      }
    }
    setText(this.#status, text);
  }
}

register(Images);
