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
  "ui/page_header",
);

const decode = ({ report, values }) => source.decodeReport(JSON.stringify(report), encodeValues(values));
const near = (a, b, tolerance = 1e-6) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

test("a report comes back with its numbers", () => {
  const sample = makeSample({ rows: 11 });
  const decoded = decode(sample);
  assert.ok(decoded.ok, decoded.problem);
  const { report } = decoded;
  assert.deepEqual([...report.times], sample.values.times);
  assert.deepEqual([...report.columns[2].values], [...Float32Array.from(sample.values.columns[2])]);
  assert.deepEqual([...report.stepColumns[1].values], sample.values.steps[1]);
  assert.equal(report.summary.statistics.get("steps"), 50);
  assert.equal(report.scene.bodies.length, 3);
  assert.equal(report.scene.joints[4].i, null);
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

const column = (values) => ({ name: "", unit: "", group: "", description: "", min: null, max: null, values: Float32Array.from(values) });

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
