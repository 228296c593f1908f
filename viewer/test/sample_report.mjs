// A slider-crank, computed here, as a report: what most tests look at.

import { extremes } from "./make_page.mjs";

const R = 0.3;
const L = 0.9;
const OMEGA = Math.PI;

const at = (body, position) => ({ body, position, x: [1, 0, 0], z: [0, 0, 1] });

export function makeScene() {
  const body = (name, centre, points = []) => ({
    name,
    pose: { position: [`${name}.x`, `${name}.y`], angle: `${name}.angle` },
    centre,
    mass: 1,
    points,
    shapes: [],
  });
  const pin = (name, i, j) => ({ name, type: "revolute", i, j, force: [`${name}.reaction.fx`, `${name}.reaction.fy`, null], torque: null });
  return {
    schema: "trammel.scene/1",
    planar: true,
    gravity: [0, -9.81, 0],
    bodies: [
      body("crank", [R / 2, 0, 0], [{ name: "crank.tip", position: [R, 0, 0] }]),
      body("rod", [L / 2, 0, 0]),
      body("slider", [0, 0, 0]),
    ],
    ground: { points: [{ name: "wall", position: [2, 0, 0] }], shapes: [] },
    joints: [
      pin("bearing", at(-1, [0, 0, 0]), at(0, [0, 0, 0])),
      pin("crankpin", at(0, [R, 0, 0]), at(1, [0, 0, 0])),
      pin("wristpin", at(1, [L, 0, 0]), at(2, [0, 0, 0])),
      { name: "guide", type: "translational", i: at(-1, [0, 0, 0]), j: at(2, [0, 0, 0]), force: null, torque: null },
      { name: "ratio", type: "gear", i: null, j: null, force: null, torque: null },
    ],
    forces: [
      { name: "spring", type: "spring-damper", i: at(-1, [2, 0, 0]), j: at(2, [0, 0, 0]), line: true, value: "spring.value", force: null, torque: null },
      { name: "motor", type: "torque", i: at(0, [0, 0, 0]), j: null, line: false, value: null, force: null, torque: [null, null, "motor.tz"] },
    ],
    trails: ["crank.tip"],
  };
}

/** { report, values } for makePage; `edit(report, values)` may change either. */
export function makeSample({ rows = 201, duration = 2, edit = () => {} } = {}) {
  const times = Array.from({ length: rows }, (_, k) => (rows > 1 ? (duration * k) / (rows - 1) : 0));
  const columns = [];
  const add = (name, unit, group, description, value) => {
    const values = times.map(value);
    const { min, max } = extremes(values);
    columns.push({ field: { name, unit, group, description, min, max, offset: min === null ? 0 : min / 2 + max / 2, scale: 1 }, values });
  };
  const crank = (t) => OMEGA * t;
  const rod = (t) => -Math.asin((R / L) * Math.sin(crank(t)));
  const addBody = (name, x, y, angle) => {
    add(`${name}.x`, "m", "bodies", "position of the body frame's origin", x);
    add(`${name}.y`, "m", "bodies", "position of the body frame's origin", y);
    add(`${name}.angle`, "rad", "bodies", "rotation of the body frame about z", angle);
  };
  addBody("crank", () => 0, () => 0, crank);
  addBody("rod", (t) => R * Math.cos(crank(t)), (t) => R * Math.sin(crank(t)), rod);
  addBody("slider", (t) => R * Math.cos(crank(t)) + L * Math.cos(rod(t)), () => 0, () => 0);
  add("crank.tip.x", "m", "markers", "position", (t) => R * Math.cos(crank(t)));
  add("crank.tip.y", "m", "markers", "position", (t) => R * Math.sin(crank(t)));
  add("bearing.angle", "rad", "joints", "coordinate of the second marker seen from the first", crank);
  for (const [k, name] of ["bearing", "crankpin", "wristpin"].entries()) {
    add(`${name}.reaction.fx`, "N", "reactions", "force", (t) => (k + 1) * Math.cos(crank(t)));
    add(`${name}.reaction.fy`, "N", "reactions", "force", (t) => (k + 1) * Math.sin(crank(t)));
  }
  add("spring.value", "N", "forces", "force", (t) => -10 * Math.cos(crank(t)));
  add("motor.tz", "N m", "forces", "torque", (t) => Math.cos(2 * crank(t)));
  add("energy.kinetic", "J", "energies", "kinetic energy", (t) => 2 + Math.cos(2 * crank(t)));
  add("energy.potential", "J", "energies", "potential energy", (t) => 1 - Math.cos(2 * crank(t)));
  add("energy.total", "J", "energies", "sum", () => 3);
  add("energy.balance", "J", "energies", "zero but for errors", (t) => 1e-9 * Math.sin(9 * t));
  add("drift.position", "", "constraints", "largest residual", (t) => 1e-16 * Math.abs(Math.sin(20 * t)));

  const steps = 50;
  const h = Array.from({ length: steps }, (_, k) => (duration / steps) * (1 + 0.5 * Math.sin(k)));
  const ends = h.map((_, k) => (duration * (k + 1)) / steps);
  const stepNames = [
    ["t", "s", ends],
    ["h", "s", h],
    ["error", "", h.map(() => 0.5)],
    ["order", "", h.map(() => 5)],
    ["iterations", "", h.map((_, k) => 1 + (k % 3))],
    ["rejected", "", h.map(() => 0)],
  ];
  const report = {
    schema: "trammel.report/1",
    title: "slider-crank",
    file: "slider.h5",
    method: "projection",
    tolerance: 1e-8,
    version: "0.1.0",
    created: "2026-01-01T00:00:00Z",
    parameters: [["r", R], ["l", L]],
    attributes: [["atol", "1e-08"]],
    summary: {
      schema: "trammel.run/1",
      status: "completed",
      reason: "reached the end time",
      t: duration,
      notes: [],
      drift: { position: 1e-17, velocity: 1e-16 },
      energy: { initial: 3, final: 3 },
      statistics: { steps, rejected_error: 2, newton_iterations: 90, smallest_step: 0.01, wall_seconds: 0.0123 },
    },
    is_finished: true,
    rows,
    rows_total: rows,
    steps,
    steps_total: steps,
    columns: columns.map(({ field }) => field),
    step_columns: stepNames.map(([name, unit]) => ({ name, unit, description: "" })),
    events: [{ name: "top dead centre", t: 0.5 * duration }, { name: "second event", t: 0.75 * duration }],
    notes: [],
    source: "model: slider-crank\nspace: planar\n",
    scene: makeScene(),
  };
  const values = { times, columns: columns.map((column) => column.values), steps: stepNames.map(([, , list]) => list) };
  edit(report, values);
  return { report, values };
}
