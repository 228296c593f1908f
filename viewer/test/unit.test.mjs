import assert from "node:assert/strict";
import { test } from "node:test";
import { loadSource } from "./load_source.mjs";
import { encodeValues } from "./make_page.mjs";
import { makeSample } from "./sample_report.mjs";

const source = await loadSource(
  "data/report_data",
  "data/time_rows",
  "data/pose_table",
  "playback",
  "page_options",
  "number_text",
  "plots/axis_ticks",
  "plots/series",
  "plots/initial_panels",
  "scene/rounded_hull",
  "scene/view_frame",
  "scene/load_arrows",
  "scene/motion_extent",
  "plots/event_lines",
  "ui/page_header",
);

const decode = ({ report, values }) => source.decodeReport(JSON.stringify(report), encodeValues(values, report.columns));
const near = (a, b, tolerance = 1e-6) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("a report comes back with its numbers", () => {
  const sample = makeSample({ rows: 11 });
  const decoded = decode(sample);
  assert.ok(decoded.ok, decoded.problem);
  const { report } = decoded;
  assert.deepEqual([...report.times], sample.values.times);
  sample.values.columns[2].forEach((value, k) => near(report.columns[2].values[k], value));
  assert.deepEqual([...report.stepColumns[1].values], sample.values.steps[1]);
  assert.equal(report.summary.statistics.get("steps"), 50);
  assert.equal(report.scene.bodies.length, 3);
  assert.equal(report.scene.joints[4].i, null);
});

test("small motions far away keep their digits", () => {
  const edit = (report, values) => {
    report.columns[0] = { ...report.columns[0], offset: 1e7, scale: 1e-3 };
    values.columns[0] = values.times.map((t) => 1e7 + 1e-3 * Math.sin(t));
    delete report.columns[1].offset;
    delete report.columns[1].scale;
    values.columns[1] = values.times.map(() => 0.5);
  };
  const { report } = decode(makeSample({ rows: 11, edit }));
  assert.ok(report.columns[0].values instanceof Float64Array);
  report.times.forEach((t, k) => near(report.columns[0].values[k], 1e7 + 1e-3 * Math.sin(t), 4e-9));
  assert.equal(report.columns[1].values[3], 0.5, "without offset and scale the stored number");
});

test("a report without a title has that of its file", () => {
  const title = (edit) => decode(makeSample({ rows: 3, edit })).report.title;
  assert.equal(title((report) => (report.title = "")), "slider.h5");
  assert.equal(title((report) => Object.assign(report, { title: "", file: "" })), "Results");
});

test("shapes that are not finite are left out with a note", () => {
  const common = { position: [0, 0, 0], orientation: [1, 0, 0, 0], color: null };
  const mesh = (x) => ({
    ...common,
    type: "mesh",
    vertices: Buffer.from(Float32Array.from([0, 0, 0, x, 0, 0, 0, 1, 0]).buffer).toString("base64"),
    triangles: Buffer.from(Uint32Array.from([0, 1, 2]).buffer).toString("base64"),
  });
  const shapes = [
    mesh(1),
    mesh(NaN),
    mesh(Infinity),
    { ...common, type: "sphere", radius: null },
    { ...common, type: "box", size: [1, null, 1] },
    { ...common, type: "box", size: [1, 1, 1], position: [null, 0, 0] },
    { ...common, type: "line", points: [[0, 0, 0]], closed: true },
    { ...common, type: "sphere", radius: 1 },
  ];
  const { report } = decode(makeSample({ rows: 3, edit: (report) => (report.scene.bodies[0].shapes = shapes) }));
  assert.deepEqual(report.scene.bodies[0].shapes.map((shape) => shape.type), ["mesh", "sphere"]);
  assert.equal(report.notes.length, 6);
  assert.match(report.notes[0], /^Shape 2 of the body crank is not drawn: its mesh is not finite/);
});

test("steps are read where an odd number of floats stands before them", () => {
  const sample = makeSample({
    rows: 3,
    edit(report, values) {
      report.scene = null;
      report.columns = report.columns.slice(0, 1);
      values.columns = values.columns.slice(0, 1);
    },
  });
  const decoded = decode(sample);
  assert.ok(decoded.ok, decoded.problem);
  assert.deepEqual([...decoded.report.stepColumns[0].values], sample.values.steps[0]);
});

test("wrong data is answered with a sentence", () => {
  const cases = [
    [(report) => (report.schema = "trammel.report/9"), /schema trammel\.report\/9/],
    [(report) => (report.rows = 12), /values have \d+ bytes where the report announces \d+/],
    [(_, values) => (values.times[3] = -1), /time decreases/],
    [(report) => (report.columns[0].name = 7), /columns\[0\]\.name is not a text/],
    [(report) => (report.columns = null), /values have/],
    [(report) => delete report.rows, /rows is not a number/],
  ];
  for (const [edit, expected] of cases) {
    const decoded = decode(makeSample({ rows: 11, edit }));
    assert.equal(decoded.ok, false);
    assert.match(decoded.problem, expected);
  }
  assert.match(source.decodeReport("{}", "").problem, /no results/);
  assert.match(source.decodeReport("{", "").problem, /not JSON/);
  const { report } = makeSample({ rows: 11 });
  assert.match(source.decodeReport(JSON.stringify(report), "*").problem, /not base64/);
});

test("a wrong scene costs the animation, not the page", () => {
  const edits = [
    (report) => (report.scene.bodies[0].pose.angle = "nowhere"),
    (report) => (report.scene.joints[0].i.body = 17),
    (report) => (report.scene.bodies[0].shapes = [{ type: "blob", position: [0, 0, 0], orientation: [1, 0, 0, 0], color: null }]),
    (report) => (report.scene.bodies[0].shapes = [{ type: "sphere", radius: 1, position: [0, 0], orientation: [1, 0, 0, 0], color: null }]),
    (report) => (report.scene.bodies[0].shapes = [{ type: "mesh", vertices: "AAAA", triangles: "", position: [0, 0, 0], orientation: [1, 0, 0, 0], color: null }]),
  ];
  for (const edit of edits) {
    const decoded = decode(makeSample({ rows: 11, edit }));
    assert.ok(decoded.ok, decoded.problem);
    assert.equal(decoded.report.scene, null);
    assert.match(decoded.report.notes[0], /no animation/);
  }
});

test("the row of a time is found, at ends and at equal times, too", () => {
  const times = Float64Array.from([0, 1, 1, 2, 4]);
  for (const hint of [-3, 0, 1, 2, 3, 99]) {
    assert.equal(source.findRow(times, -1, hint), 0);
    assert.equal(source.findRow(times, 0.5, hint), 0);
    assert.equal(source.findRow(times, 1, hint), 2);
    assert.equal(source.findRow(times, 3.9, hint), 3);
    assert.equal(source.findRow(times, 4, hint), 3);
    assert.equal(source.findRow(times, 9, hint), 3);
  }
  assert.equal(source.findRow(Float64Array.from([5]), 5, 0), 0);
  assert.equal(source.rowFraction(times, 3, 3), 0.5);
  assert.equal(source.rowFraction(times, 3, 9), 1);
  assert.equal(source.rowFraction(Float64Array.from([5]), 0, 5), 0);
});

test("rows before and after a time, also at the end and at equal times", () => {
  const times = Float64Array.from([0, 1, 1, 2, 4]);
  const walk = (from, step) => {
    const way = [from];
    for (let k = 0; k < 5; ++k) way.push(step(times, way.at(-1)));
    return way;
  };
  assert.deepEqual(walk(4, source.rowTimeBefore), [4, 2, 1, 0, 0, 0]);
  assert.deepEqual(walk(0, source.rowTimeAfter), [0, 1, 2, 4, 4, 4]);
  assert.equal(source.rowTimeBefore(times, 3.9), 2);
  assert.equal(source.rowTimeAfter(times, 3.9), 4);
});

test("the search reads few times, however many rows there are", () => {
  const reads = (rows, ask) => {
    let count = 0;
    const times = new Proxy(Float64Array.from({ length: rows }, (_, k) => k), {
      get: (target, key) => {
        if (typeof key === "string" && /^\d+$/.test(key)) ++count;
        return target[key];
      },
    });
    ask(times);
    return count;
  };
  const playing = (times) => {
    let row = 0;
    for (let t = 0; t < 50; t += 0.3) row = source.findRow(times, t, row);
  };
  assert.equal(reads(100, playing), reads(100000, playing));
  assert.ok(reads(100000, (times) => source.findRow(times, 77777.5, 3)) < 25);
});

const column = (values) => ({ name: "", unit: "", group: "", description: "", min: null, max: null, values: Float64Array.from(values) });

test("planar poses lie on straight lines between rows", () => {
  const table = new source.PoseTable([{ pose: { position: [column([0, 2]), column([1, 1])], angle: column([0, Math.PI]), orientation: null } }]);
  table.eval(0, 0.5);
  const point = new Float64Array(3);
  table.calcPoint(0, [1, 0, 0], point);
  near(point[0], 1);
  near(point[1], 2);
  table.calcPoint(-1, [3, 4, 5], point);
  assert.deepEqual([...point], [3, 4, 5]);
});

test("Euler parameters take the short way whatever their sign, and stay of unit length", () => {
  const half = Math.SQRT1_2;
  for (const sign of [1, -1]) {
    const orientation = [[1, sign * half], [0, 0], [0, 0], [0, sign * half]].map(column);
    const table = new source.PoseTable([{ pose: { position: [column([0, 0]), column([0, 0]), column([0, 0])], angle: null, orientation } }]);
    table.eval(0, 0.5);
    const point = new Float64Array(3);
    table.calcPoint(0, [1, 0, 0], point);
    near(point[0], Math.SQRT1_2);
    near(point[1], Math.SQRT1_2);
    near(Math.hypot(...table.poses.slice(3, 7)), 1);
  }
});

test("a pose that is not a number is known as such", () => {
  const table = new source.PoseTable([{ pose: { position: [column([0, NaN]), column([0, 0])], angle: null, orientation: null } }]);
  table.eval(0, 0);
  assert.equal(table.isKnown[0], 1);
  table.eval(0, 0.5);
  assert.equal(table.isKnown[0], 0);
  const far = new source.PoseTable([{ pose: { position: [column([0, 1e300]), column([0, 0])], angle: null, orientation: null } }]);
  far.eval(1, 0);
  assert.equal(far.isKnown[0], 0, "too far to be drawn");
});

test("the clock runs, loops, and stops at the end", () => {
  const playback = new source.Playback(1, 3);
  near(playback.fitSpeed(), 0.25);
  playback.advance(1);
  assert.equal(playback.time(), 1);
  playback.play();
  playback.advance(4);
  near(playback.time(), 2);
  playback.advance(6);
  near(playback.time(), 1.5);
  playback.setLoop(false);
  playback.setSpeed(10);
  playback.advance(6);
  assert.equal(playback.time(), 3);
  assert.equal(playback.isPlaying(), false);
  playback.play();
  assert.equal(playback.time(), 1);
  playback.seek(99);
  assert.equal(playback.time(), 3);
  playback.seek(NaN);
  assert.equal(playback.time(), 3);
});

test("options of the address", () => {
  const options = source.readPageOptions("#t=0.5&only=animation&theme=dark&trails=all&labels=0&joints=2&speed=x");
  assert.equal(options.time, 0.5);
  assert.equal(options.only, "animation");
  assert.equal(options.theme, "dark");
  assert.equal(options.trails, "all");
  assert.deepEqual(options.display, { labels: false });
  assert.equal(options.speed, null);
  assert.deepEqual(source.readPageOptions("#trails=a,b").trails, ["a", "b"]);
  assert.equal(source.readPageOptions("").theme, null);
});

test("numbers as text", () => {
  assert.equal(source.formatNumber(0.1), "0.1");
  assert.equal(source.formatNumber(1e-8), "1e−8");
  assert.equal(source.formatNumber(-1.25e-7), "−1.25e−7");
  assert.equal(source.formatNumber(-12.5), "−12.5");
  assert.equal(source.formatNumber(100), "100");
  assert.equal(source.formatNumber(2e6), "2e6");
  assert.equal(source.formatNumber(NaN), "–");
  assert.equal(source.formatNumber(null), "–");
  assert.equal(source.formatCount(1234567), "1\u2009234\u2009567");
  assert.equal(source.formatDuration(0.0123), "12.3 ms");
  assert.equal(source.formatDuration(200), "3 min 20 s");
  assert.equal(source.formatTick(1e-16), "10⁻¹⁶");
  assert.equal(source.formatTick(-5e-4), "−5·10⁻⁴");
  assert.equal(source.formatTick(0.25), "0.25");
});

test("ticks of axes, far from one, too", () => {
  assert.deepEqual(source.linearTicks(0, 1, 5), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  assert.deepEqual(source.linearTicks(-3e-17, 3e-17, 4), [-2e-17, 0, 2e-17]);
  assert.ok(source.logTicks(1e-33, 1e-17, 5).length <= 6);
  assert.deepEqual(source.logTicks(0.01, 1, 5), [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]);
  for (const [min, max] of [[4e-3, 9e-3], [1e-3, 1e-3], [3e-20, 2], [1, 10]]) {
    const [low, high] = source.logRange(min, max);
    assert.ok(low <= Math.max(min, max * 1e-18) * (1 + 1e-9) && high >= max && low < high, `${min}..${max} gives ${low}..${high}`);
  }
  assert.deepEqual(source.linearRange(0, 0), [-1, 1]);
  const [low, high] = source.linearRange(5, 5);
  assert.ok(low < 5 && high > 5);
});

test("small changes of large values are seen", () => {
  const [low, high] = source.linearRange(4e4, 4e4 + 1e-4);
  assert.ok(low > 4e4 - 1e-4 && high < 4e4 + 2e-4, `${low} to ${high}`);
  assert.ok(source.linearRange(4e4, 4e4 + 1e-9)[0] <= 0, "rounding is a constant");
  assert.deepEqual(source.linearTicks(1, 1 + 1e-16, 5), [1], "comes to an end");
  assert.equal(source.formatValue(40000.12345, 1e-3), "40000.12345");
  assert.equal(source.formatValue(0.5, 1), "0.5");
  assert.equal(source.formatValue(-1e7 - 0.25, 1), "−10000000.25");
});

test("texts of ticks are never alike; what they share is told beside them", () => {
  const check = (min, max, longest = 8) => {
    const ticks = source.linearTicks(min, max, 5);
    const { texts, offset } = source.formatTicks(ticks, longest);
    assert.equal(new Set(texts).size, ticks.length, `${texts} of ${ticks}`);
    return { texts, offset };
  };
  assert.deepEqual(check(0, 1), { texts: ["0", "0.2", "0.4", "0.6", "0.8", "1"], offset: "" });
  assert.deepEqual(check(1e9, 1e9 + 1), { texts: ["0", "0.2", "0.4", "0.6", "0.8", "1"], offset: "+10⁹" });
  assert.deepEqual(check(0.245098041, 0.245098046), { texts: ["2·10⁻⁹", "4·10⁻⁹", "6·10⁻⁹"], offset: "+0.24509804" });
  assert.equal(check(4e4, 4e4 + 1e-4).offset, "+40000");
  assert.equal(check(-1e7 - 0.5, -1e7).offset, "−1.0000001·10⁷");
  assert.equal(check(-1e-17, 3e-17).offset, "");
  assert.equal(check(0, 5e7).offset, "");
  assert.deepEqual(source.formatTicks([], 8), { texts: [], offset: "" });
  for (let k = 0; k < 200; ++k) {
    const middle = 10 ** (12 * Math.sin(k));
    const span = middle * 10 ** (-10 * ((k * 0.618) % 1));
    check(middle, middle + span);
    check(-middle, -middle + span, 11);
  }
});

test("names of events keep apart and inside", () => {
  const overlaps = (a, b) => a.row === b.row && a.left < b.left + b.width && b.left < a.left + a.width;
  const check = (names) => {
    const places = source.placeNames(names, 60, 560);
    const shown = places.filter((place) => place !== null);
    for (const place of shown) assert.ok(place.left >= 60 && place.left + place.width <= 560, JSON.stringify(place));
    shown.forEach((a, k) => shown.slice(k + 1).forEach((b) => assert.ok(!overlaps(a, b), JSON.stringify([a, b]))));
    return places;
  };
  assert.deepEqual(check([{ x: 100, width: 130 }, { x: 101, width: 130 }]).map(({ row, width }) => [row, width]), [[0, 130], [1, 130]]);
  assert.equal(check([{ x: 100, width: 130 }, { x: 300, width: 130 }])[1].row, 0);
  assert.ok(check([{ x: 550, width: 130 }])[0].left < 550, "to the left of the line at the end");
  assert.equal(check([{ x: 300, width: 900 }])[0].width, 125, "too long: cut");
  assert.ok(check(Array.from({ length: 20 }, (_, k) => ({ x: 61 + k, width: 200 }))).includes(null));
});

test("a body that goes far away does not blow up the signs", () => {
  const extent = (edit) => {
    const { report } = decode(makeSample({ rows: 101, edit }));
    return new source.MotionExtent(report.scene, new source.PoseTable(report.scene.bodies), report.rows);
  };
  const addStone = (report, values) => {
    for (const [name, value] of [["stone.x", () => 1], ["stone.y", (t) => -1000 * t * t]]) {
      report.columns.push({ name, unit: "m", group: "bodies", description: "", min: null, max: null });
      values.columns.push(values.times.map(value));
    }
    report.scene.bodies.push({ name: "stone", pose: { position: ["stone.x", "stone.y"] }, centre: [0, 0, 0], mass: 1, points: [], shapes: [{ type: "sphere", radius: 0.1, position: [0, 0, 0], orientation: [1, 0, 0, 0], color: null }] });
  };
  const alone = extent(() => {});
  const withStone = extent(addStone);
  assert.ok(withStone.unit <= 2 * alone.unit && withStone.unit >= alone.unit / 2, `${withStone.unit} and ${alone.unit}`);
  assert.ok(withStone.size <= 2.5 * alone.size);
});

test("shapes of the ground belong to the picture unless they are huge", () => {
  const corners = (width) => {
    const edit = (report) => (report.scene.ground.shapes = [{ type: "box", size: [width, 0.1, 0.1], position: [0, -1, 0], orientation: [1, 0, 0, 0], color: null }]);
    const { report } = decode(makeSample({ rows: 11, edit }));
    return new source.MotionExtent(report.scene, new source.PoseTable(report.scene.bodies), report.rows).groundCorners.length;
  };
  assert.equal(corners(3), 8);
  assert.equal(corners(300), 0);
});

test("reactions are drawn on the body that the ground holds", () => {
  const at = (body) => ({ body, position: [0, 0, 0], x: [1, 0, 0], z: [0, 0, 1] });
  const force = [column([1]), null, null];
  const reaction = (i, j) => {
    const load = source.reactionOf({ name: "", type: "fixed", i: at(i), j: at(j), force, torque: null });
    return [load.at.body, load.sign];
  };
  assert.deepEqual(reaction(-1, 0), [0, 1]);
  assert.deepEqual(reaction(0, -1), [0, -1]);
  assert.deepEqual(reaction(0, 1), [1, 1]);
  assert.equal(source.reactionOf({ name: "", type: "gear", i: null, j: null, force: null, torque: null }), null);
});

test("a single row has plots, too", () => {
  const { report } = decode(makeSample({ rows: 1, duration: 0 }));
  const panels = source.chooseInitialPanels(report, source.makeCatalogue(report));
  assert.equal(panels[0].title, "Motion");
  assert.ok(panels[0].series.length > 0);
});

test("gaps and logarithms of plotted values", () => {
  assert.deepEqual(source.plottedValues(Float32Array.from([1, NaN, -2]), false), [1, null, -2]);
  assert.deepEqual(source.plottedValues(Float32Array.from([1, 0, -2, NaN]), true), [1, null, 2, null]);
  const plain = Float32Array.from([1, 2]);
  assert.equal(source.plottedValues(plain, false), plain);
  assert.deepEqual(source.valueRange(Float32Array.from([NaN, 3, Infinity, -1])), [-1, 3]);
  assert.equal(source.valueRange(Float32Array.from([NaN])), null);
});

test("the first plots show motion, energy, drift and steps", () => {
  const { report } = decode(makeSample({ rows: 51 }));
  const panels = source.chooseInitialPanels(report, source.makeCatalogue(report));
  const titles = panels.map((panel) => panel.title);
  assert.deepEqual(titles, ["Motion", "Energy", "Energy balance", "Constraint drift", "Step size", "Newton iterations"]);
  assert.ok(panels[0].series.some((series) => series.name === "crank.tip.x"));
  assert.ok(panels[0].series.some((series) => series.name === "bearing.angle"));
  assert.equal(panels[3].isLog, true);
});

test("hulls of links", () => {
  const square = source.convexHull([[0, 0], [1, 0], [0.5, 0.5], [1, 1], [0, 1], [0.5, 0]]);
  assert.equal(square.length, 4);
  near(source.outlineArea(square), 1);
  near(source.outlineArea(source.growHull([[0, 0]], 1, 0.01)), Math.PI, 1e-3);
  near(source.outlineArea(source.growHull(source.convexHull([[0, 0], [2, 0], [1, 0]]), 1, 0.01)), 4 + Math.PI, 1e-3);
  near(source.outlineArea(source.growHull(square, 0.5, 0.01)), 1 + 2 + Math.PI / 4, 1e-3);
});

test("squares of the grid, and the size of arrows", () => {
  assert.equal(source.niceLength(0.7), 0.5);
  near(source.niceLength(0.025), 0.02, 1e-12);
  near(source.niceLength(1234), 1000, 1e-9);
  near(source.largest([{ min: -3, max: 2 }, { min: 0, max: 4 }, null]), 5);
  assert.equal(source.largest([{ min: null, max: null }]), 0);
});

test("how a run ended", () => {
  const status = (edit) => source.calcStatus(decode(makeSample({ rows: 3, edit })).report);
  assert.equal(status(() => {}), "completed");
  assert.equal(status((report) => (report.summary.status = "failed")), "failed");
  assert.equal(status((report) => { report.is_finished = false; report.summary = null; }), "unfinished");
  assert.equal(status((report) => (report.summary = null)), "unknown");
});
