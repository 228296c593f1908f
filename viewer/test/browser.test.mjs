import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { buildTemplate, launch, openPage, savePage, settle, SKIP } from "./browser.mjs";
import { makePage } from "./make_page.mjs";
import { makeScene, makeSample } from "./sample_report.mjs";

const HOSTILE = '<img src=x onerror="window.injected = 1"></script><script>window.injected = 2</script>';

describe("the page in Chromium", { skip: SKIP }, () => {
  let browser;
  let template;
  let count = 0;

  before(async () => {
    template = buildTemplate();
    browser = await launch();
  });

  after(() => browser?.close());

  /** Opens a page with the sample, runs the body, and demands that the page made no complaint. */
  async function withPage({ hash = "", view = {}, ...sample }, body) {
    const { report, values } = makeSample(sample);
    const address = savePage(`page-${++count}`, makePage(template, report, values));
    const opened = await openPage(browser, address + hash, view);
    try {
      await body(opened.page, report, values);
      assert.deepEqual(opened.complaints, []);
    } finally {
      await opened.close();
    }
  }

  const call = (page, name, ...words) => page.evaluate(([method, args]) => window.trammel[method](...args), [name, words]);
  const picture = (page) => page.locator(".stage canvas").screenshot();
  const seek = async (page, time) => {
    await call(page, "seek", time);
    await settle(page);
  };

  test("shows head, animation, plots and tables", async () => {
    await withPage({}, async (page) => {
      assert.equal(await page.title(), "slider-crank");
      assert.equal(await page.textContent("h1"), "slider-crank");
      assert.equal(await page.textContent("#status"), "completed");
      assert.match(await page.textContent(".facts"), /projection.*1e−8.*2 s.*50.*12\.3 ms/s);
      assert.equal(await page.locator(".stage canvas").count(), 1);
      assert.equal(await page.locator(".plot-panel").count(), 6);
      assert.match(await page.textContent(".tables"), /Accepted steps.*Newton iterations/s);
      assert.equal(await page.textContent("#source"), "model: slider-crank\nspace: planar");
      assert.equal(await page.locator(".notice").count(), 0);
    });
  });

  test("plays: time goes on and the picture changes", async () => {
    await withPage({}, async (page) => {
      const first = await picture(page);
      const frames = await call(page, "renderedFrames");
      await page.click(".play");
      await page.waitForFunction(() => window.trammel.time() > 0.1);
      await page.click(".play");
      await settle(page);
      assert.ok((await call(page, "renderedFrames")) > frames + 2);
      assert.ok(!first.equals(await picture(page)));
      const time = await call(page, "time");
      await page.waitForTimeout(120);
      assert.equal(await call(page, "time"), time, "it stands after pause");
    });
  });

  test("draws nothing while nothing changes", async () => {
    await withPage({}, async (page) => {
      await page.waitForTimeout(100);
      const frames = await call(page, "renderedFrames");
      await page.waitForTimeout(300);
      assert.equal(await call(page, "renderedFrames"), frames);
    });
  });

  test("the slider and the keys move bodies to where the results have them", async () => {
    await withPage({ rows: 21 }, async (page, _, values) => {
      await page.locator(".scrub").fill("5000");
      await settle(page);
      const positions = await call(page, "bodyPositions");
      assert.ok(Math.abs(positions[6] - values.columns[6][10]) < 1e-6, "the slider's x at half time");
      await page.locator("body").press("End");
      assert.equal(await call(page, "time"), 2);
      await page.keyboard.press("ArrowLeft");
      assert.ok(Math.abs((await call(page, "time")) - 1.98) < 1e-9);
      await page.keyboard.press("Home");
      await page.keyboard.press("Shift+ArrowRight");
      assert.ok(Math.abs((await call(page, "time")) - 0.1) < 1e-9, "a row");
      await page.keyboard.press(" ");
      await page.waitForFunction(() => window.trammel.time() > 0.12);
      await page.keyboard.press(" ");
      const time = await call(page, "time");
      await page.waitForTimeout(100);
      assert.equal(await call(page, "time"), time);
    });
  });

  test("Shift and an arrow go from row to row, also at the end and at equal times", async () => {
    const edit = (_, values) => (values.times[7] = values.times[6]);
    await withPage({ rows: 11, edit }, async (page, _, values) => {
      await page.locator("body").press("End");
      const seen = [];
      for (let k = 0; k < 10; ++k) {
        await page.keyboard.press("Shift+ArrowLeft");
        seen.push(await call(page, "time"));
      }
      assert.deepEqual(seen, [9, 8, 6, 5, 4, 3, 2, 1, 0, 0].map((row) => values.times[row]));
      for (let k = 0; k < 6; ++k) await page.keyboard.press("Shift+ArrowRight");
      assert.equal(await call(page, "time"), values.times[6]);
      await page.keyboard.press("Shift+ArrowRight");
      assert.equal(await call(page, "time"), values.times[8]);
    });
  });

  test("far from the origin bodies, trails, arrows and the grid look the same", async () => {
    const shifted = (distance) => (report, values) => {
      report.scene.ground.points = [];
      report.scene.joints = report.scene.joints.slice(1, 3);
      report.scene.forces = [];
      report.columns.forEach((column, k) => {
        if (!/^(crank|rod|slider)\.x$/.test(column.name)) return;
        Object.assign(column, { offset: column.offset + distance, min: column.min + distance, max: column.max + distance });
        values.columns[k] = values.columns[k].map((x) => x + distance);
      });
    };
    const pictures = [];
    for (const distance of [0, 1e7]) {
      // The axes stay at the origin, and would be missed.
      await withPage({ hash: "#t=0.3&reactions=1&trails=all&grid=0", edit: shifted(distance) }, async (page) => {
        pictures.push(await picture(page));
        await seek(page, 0.3001);
        const positions = await call(page, "bodyPositions");
        assert.ok(Math.abs(positions[3] - distance - 0.3 * Math.cos(0.3001 * Math.PI)) < 1e-4);
      });
    }
    const different = await compare(pictures);
    assert.ok(different < 0.002, `${different} of the pixels differ`);
  });

  /** The part of the pixels in which two pictures differ to the eye. */
  async function compare(pictures) {
    const page = await browser.newPage();
    const part = await page.evaluate(async (sources) => {
      const [a, b] = await Promise.all(
        sources.map(async (source) => {
          const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${source}`)).blob());
          const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
          context.drawImage(image, 0, 0);
          return context.getImageData(0, 0, image.width, image.height).data;
        }),
      );
      if (a.length !== b.length) return 1;
      let count = 0;
      for (let k = 0; k < a.length; k += 4) if (Math.abs(a[k] - b[k]) + Math.abs(a[k + 1] - b[k + 1]) + Math.abs(a[k + 2] - b[k + 2]) > 60) ++count;
      return (4 * count) / a.length;
    }, pictures.map((data) => data.toString("base64")));
    await page.close();
    return part;
  }

  test("a body that is followed while another one falls far away", async () => {
    const edit = (report, values) => {
      values.columns[7] = values.times.map((t) => -1000 * t * t);
      Object.assign(report.columns[7], { min: -4000, max: 0, offset: -2000 });
      report.scene.joints = report.scene.joints.slice(0, 2);
      report.scene.forces = [];
    };
    await withPage({ edit, hash: "#t=1.5&follow=crank&labels=1" }, async (page) => {
      const box = await page.locator(".stage canvas").boundingBox();
      const label = await page.locator(".label", { hasText: "crank" }).boundingBox();
      assert.ok(Math.abs(label.x - box.x - box.width / 2) < 0.3 * box.width && Math.abs(label.y - box.y - box.height / 2) < 0.3 * box.height);
      await call(page, "setView", { mode: "3d" });
      await settle(page);
    });
  });

  test("later shapes of planar bodies lie on top of earlier ones, from above and in space", async () => {
    const common = { position: [0, 0, 0], orientation: [1, 0, 0, 0] };
    const colors = ["#ff0000", "#00ff00", "#0000ff"];
    const shapes = [
      { ...common, type: "box", size: [1, 1, 0.1], color: colors[0] },
      { ...common, type: "sphere", radius: 0.35, color: colors[1] },
      { ...common, type: "cylinder", radius: 0.15, length: 0.1, color: colors[2] },
    ];
    const edit = (report) => {
      report.scene.joints = [];
      report.scene.forces = [];
      report.scene.bodies = report.scene.bodies.slice(0, 1);
      Object.assign(report.scene.bodies[0], { shapes, points: [], centre: [0, 0, 0] });
      report.scene.ground.points = [];
      report.scene.trails = [];
    };
    for (const mode of ["2d", "3d"]) {
      await withPage({ edit, hash: `#view=${mode}&labels=0&joints=0&grid=0&trails=0` }, async (page) => {
        const source = (await picture(page)).toString("base64");
        const shares = await page.evaluate(async (text) => {
          const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
          const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
          context.drawImage(image, 0, 0);
          const { data } = context.getImageData(0, 0, image.width, image.height);
          const counts = [0, 0, 0];
          for (let k = 0; k < data.length; k += 4) {
            const largest = Math.max(data[k], data[k + 1], data[k + 2]);
            const others = data[k] + data[k + 1] + data[k + 2] - largest;
            if (largest > 2 * others && largest > 60) ++counts[[data[k], data[k + 1], data[k + 2]].indexOf(largest)];
          }
          const sum = counts[0] + counts[1] + counts[2];
          return counts.map((count) => count / sum);
        }, source);
        const disc = (radius) => Math.PI * radius * radius;
        const expected = [1 - disc(0.35), disc(0.35) - disc(0.15), disc(0.15)];
        shares.forEach((share, k) => assert.ok(Math.abs(share - expected[k]) < 0.04, `${mode}: ${shares} instead of ${expected}`));
      });
    }
  });

  test("units of any name, and events whose names do not fit", async () => {
    const edit = (report) => {
      ["x", "__proto__", "constructor", ""].forEach((unit, k) => Object.assign(report.columns[report.columns.length - 5 + k], { unit, group: "outputs" }));
      report.events = [1, 1.001, 1.002, 1.003].map((t, k) => ({ name: `front_right_meets_a_bump_that_is_far_too_long_for_a_line_${k}`, t }));
    };
    await withPage({ edit }, async (page) => {
      const outputs = (await call(page, "plots")).find((plot) => plot.title === "Outputs");
      assert.equal(outputs.series.length, 4);
      const [low, high] = outputs.window;
      assert.deepEqual([low, high], [0, 2], "the axis of time is still its own");
      const over = await page.locator(".u-over").first().boundingBox();
      await page.mouse.move(over.x + over.width / 2 + 1, over.y + 90);
      await settle(page);
      assert.match(await page.locator(".event-tip:visible").textContent(), /line_0 · 1 s\n.*line_1 · 1\.001 s\n.*line_2.*\n.*line_3/);
      await page.mouse.move(over.x + over.width / 4, over.y + 90);
      await settle(page);
      assert.equal(await page.locator(".event-tip:visible").count(), 0);
    });
  });

  test("on paper: light, all plots, wrapped text; afterwards as before", async () => {
    const edit = (report) => (report.source = "a: very long line ".repeat(60));
    await withPage({ edit, view: { colorScheme: "dark", width: 1280 } }, async (page) => {
      const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
      const before = await page.locator(".u-over").first().boundingBox();
      await page.setViewportSize({ width: 718, height: 900 });
      await page.emulateMedia({ media: "print" });
      await settle(page);
      assert.equal(await theme(), "light");
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 718);
      for (const host of await page.locator(".plot-host canvas").all()) assert.equal((await host.boundingBox()).width, 640);
      const [pre, card] = [await page.locator("#source").boundingBox(), await page.locator(".table-card.wide").boundingBox()];
      assert.ok(pre.width <= card.width && pre.height > 100, "the model file is wrapped");
      assert.ok(await page.locator(".stage .paper").isVisible());
      assert.equal(await page.locator(".transport:visible").count(), 0);
      await page.emulateMedia({ media: "screen" });
      await page.setViewportSize({ width: 1280, height: 900 });
      await settle(page);
      assert.equal(await theme(), "dark");
      assert.deepEqual(await page.locator(".u-over").first().boundingBox(), before);
    });
  });

  test("a mesh that is not finite, and poses that are not, do not blank the picture", async () => {
    const vertices = Buffer.from(Float32Array.from([0, 0, 0, NaN, 0, 0, 0, 1, 0]).buffer).toString("base64");
    const triangles = Buffer.from(Uint32Array.from([0, 1, 2]).buffer).toString("base64");
    const edit = (report, values) => {
      report.scene.bodies[1].shapes = [{ type: "mesh", vertices, triangles, position: [0, 0, 0], orientation: [1, 0, 0, 0], color: null }];
      values.columns[6].fill(NaN, 0, 20);
      values.columns[6].fill(Infinity, 150);
    };
    await withPage({ edit, hash: "#follow=slider&trails=all&labels=0" }, async (page) => {
      assert.match(await page.textContent(".notice"), /Shape 1 of the body rod is not drawn/);
      const pictures = new Set();
      for (const time of [0, 0.5, 1, 1.8, 1.2]) {
        await seek(page, time);
        pictures.add((await picture(page)).toString("base64"));
      }
      assert.ok(pictures.size >= 4, "the camera is not lost");
    });
  });

  test("bodies move smoothly between rows", async () => {
    await withPage({ rows: 21 }, async (page, _, values) => {
      await seek(page, 0.025);
      const [a, b] = values.columns[3];
      assert.ok(Math.abs((await call(page, "bodyPositions"))[3] - (0.75 * a + 0.25 * b)) < 1e-6);
    });
  });

  test("the line in the plots follows the animation, and a click in a plot moves it", async () => {
    await withPage({}, async (page) => {
      const left = () => page.evaluate(() => document.querySelector(".playhead").getBoundingClientRect().left);
      await seek(page, 0.5);
      const before = await left();
      await seek(page, 1.5);
      const width = await page.evaluate(() => document.querySelector(".u-over").clientWidth);
      assert.ok(Math.abs((await left()) - before - width / 2) < 2);
      const value = () => page.textContent(".plot-panel .value >> nth=0");
      const shown = await value();
      await page.locator(".u-over").first().click({ position: { x: width / 4, y: 60 } });
      assert.ok(Math.abs((await call(page, "time")) - 0.5) < 0.01);
      await page.mouse.move(5, 5);
      await settle(page);
      assert.notEqual(await value(), shown, "the legend follows");
    });
  });

  test("hovering shows values there, in all plots", async () => {
    await withPage({}, async (page) => {
      await seek(page, 0);
      const box = await page.locator(".u-over").first().boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + 50);
      await settle(page);
      const values = await page.locator(".plot-panel .value").allTextContents();
      assert.equal(values[0], "−0.3", "crank.tip.x at half time");
      assert.equal(values[3], "3", "kinetic energy, in the second plot");
    });
  });

  test("adding and removing columns changes the curves", async () => {
    await withPage({}, async (page) => {
      const names = async (k) => (await call(page, "plots"))[k].series;
      const before = await names(1);
      await page.locator(".plot-panel").nth(1).getByRole("button", { name: "Columns" }).click();
      await page.getByPlaceholder("Search names").fill("motor");
      await page.locator(".picker .picker-list input").first().check();
      await page.getByRole("button", { name: "Done" }).click();
      assert.deepEqual(await names(1), [...before, "motor.tz"]);
      assert.equal(await page.locator(".plot-panel").nth(1).locator(".legend li").count(), before.length + 1);
      await page.getByRole("button", { name: "Remove motor.tz" }).click();
      assert.deepEqual(await names(1), before);
      await page.getByRole("button", { name: "New plot" }).click();
      await page.locator(".picker details").last().locator("summary").first().click();
      await page.locator(".picker .picker-list input:visible").first().check();
      await page.keyboard.press("Escape");
      assert.deepEqual((await call(page, "plots")).at(-1).series, ["h"]);
      await page.locator(".plot-panel").last().getByRole("button", { name: /Remove the plot/ }).click();
      assert.equal((await call(page, "plots")).length, 6);
    });
  });

  test("zoom is linked over all plots, and a double click shows everything", async () => {
    await withPage({}, async (page) => {
      const box = await page.locator(".u-over").first().boundingBox();
      await page.mouse.move(box.x + 0.25 * box.width, box.y + 50);
      await page.mouse.down();
      await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 4 });
      await page.mouse.up();
      await settle(page);
      for (const { window, title } of await call(page, "plots")) {
        assert.ok(Math.abs(window[0] - 0.5) < 0.02 && Math.abs(window[1] - 1) < 0.02, `${title} shows ${window}`);
      }
      assert.equal(await call(page, "time"), 0, "dragging is no click");
      await page.locator(".u-over").nth(1).dblclick({ position: { x: 50, y: 50 } });
      await settle(page);
      for (const { window } of await call(page, "plots")) assert.deepEqual(window, [0, 2]);
    });
  });

  test("a logarithmic axis can be switched on and off", async () => {
    await withPage({}, async (page) => {
      for (const panel of await page.locator(".plot-panel").all()) {
        await panel.locator(".check input").click();
        await settle(page);
      }
      assert.deepEqual((await call(page, "plots")).map((plot) => plot.isLog), [true, true, true, false, false, true]);
    });
  });

  test("an event in the table moves the animation there", async () => {
    await withPage({}, async (page) => {
      assert.equal(await page.locator("#events tbody tr").count(), 2);
      await page.locator("#events tbody button").nth(1).click();
      assert.equal(await call(page, "time"), 1.5);
    });
  });

  test("every choice of what is shown changes the picture", async () => {
    await withPage({ hash: "#labels=0" }, async (page) => {
      await seek(page, 0.3);
      for (const key of ["joints", "reactions", "forces", "trails", "points", "grid"]) {
        const before = await picture(page);
        await page.locator(".choices label", { hasText: new RegExp(key, "i") }).click();
        await settle(page);
        assert.ok(!before.equals(await picture(page)), key);
      }
      await call(page, "setView", { labels: true });
      assert.equal(await page.locator(".label:visible").count() > 0, true);
    });
  });

  test("planar models can be turned in space, and the view fitted again", async () => {
    await withPage({ hash: "#labels=0" }, async (page) => {
      const flat = await picture(page);
      await page.getByRole("button", { name: "3D" }).click();
      await settle(page);
      assert.ok(!flat.equals(await picture(page)));
      await page.getByRole("button", { name: "3D" }).click();
      await settle(page);
      const box = await page.locator(".stage canvas").boundingBox();
      await page.mouse.move(box.x + 40, box.y + 40);
      await page.mouse.down();
      await page.mouse.move(box.x + 140, box.y + 90, { steps: 3 });
      await page.mouse.up();
      await page.mouse.wheel(0, -300);
      await settle(page);
      assert.ok(!flat.equals(await picture(page)), "moved and enlarged");
      await page.getByRole("button", { name: "Fit view" }).click();
      await page.mouse.move(5, 5);
      await settle(page);
      assert.ok(flat.equals(await picture(page)), "as it was");
    });
  });

  test("trails can be chosen, a body under the mouse says its name", async () => {
    await withPage({ hash: "#labels=0" }, async (page) => {
      const before = await picture(page);
      await page.locator(".popover summary").click();
      await page.getByPlaceholder("Search bodies").fill("rod");
      await page.locator(".trail-list input[type=checkbox]").first().check();
      await page.keyboard.press("Escape");
      await settle(page);
      assert.ok(!before.equals(await picture(page)));
      await page.locator(".stage canvas").evaluate((canvas) => {
        // Across the middle, where the mechanism lies at the start.
        const { left, top, width, height } = canvas.getBoundingClientRect();
        window.found = new Set();
        window.sweep = (k) => canvas.dispatchEvent(new PointerEvent("pointermove", { clientX: left + (k / 60) * width, clientY: top + height / 2, bubbles: true }));
      });
      const names = new Set();
      for (let k = 5; k < 60; k += 3) {
        await page.evaluate((place) => window.sweep(place), k);
        await settle(page);
        if (await page.locator(".tip").isVisible()) names.add(await page.textContent(".tip"));
      }
      assert.ok([...names].some((name) => /^(crank|rod) · 1 kg$/.test(name)), [...names].join(", "));
    });
  });

  test("markup in names, sources and events is text", async () => {
    const edit = (report) => {
      report.title = HOSTILE;
      report.source = HOSTILE;
      report.method = HOSTILE;
      report.summary.status = "failed";
      report.summary.reason = HOSTILE;
      report.notes = [HOSTILE];
      report.events[0].name = HOSTILE;
      report.parameters[0][0] = HOSTILE;
      report.attributes[0] = [HOSTILE, HOSTILE];
      report.scene.bodies[1].name = HOSTILE;
      report.scene.bodies[0].points[0].name = HOSTILE;
      report.scene.joints[0].name = HOSTILE;
      for (const column of report.columns.slice(-6)) Object.assign(column, { unit: HOSTILE, description: HOSTILE, group: HOSTILE });
    };
    await withPage({ edit }, async (page) => {
      await page.locator(".plot-panel").first().getByRole("button", { name: "Columns" }).click();
      await page.getByPlaceholder("Search names").fill("img");
      assert.ok((await page.locator(".picker .picker-list li").count()) > 0);
      await page.getByRole("button", { name: "Done" }).click();
      await page.locator(".popover summary").click();
      assert.match(await page.textContent(".trail-list"), /<img src=x/);
      assert.equal(await page.textContent("h1"), HOSTILE);
      assert.equal(await page.textContent("#source"), HOSTILE);
      assert.equal(await page.evaluate(() => window.injected), undefined);
      assert.equal(await page.locator("img").count(), 0);
    });
  });

  test("no other script may run in the page", async () => {
    const { report, values } = makeSample();
    const text = makePage(template, report, values).replace("</body>", '<script>window.injected = 3</script><img src="data:," onerror="window.injected = 4"></body>');
    const { page, complaints, close } = await openPage(browser, savePage("policy", text));
    await page.waitForTimeout(100);
    assert.equal(await page.evaluate(() => window.injected), undefined);
    assert.ok(complaints.every((complaint) => /Content Security Policy/.test(complaint)) && complaints.length > 0);
    await close();
  });

  test("without a scene the plots have the page, and a sentence says why", async () => {
    await withPage({ edit: (report) => (report.scene = null) }, async (page) => {
      assert.equal(await page.locator("canvas").count(), await page.locator(".plot-panel canvas").count());
      assert.match(await page.textContent(".no-scene"), /There is no animation.*\.csv files hold none/);
      await page.click(".play");
      await page.waitForFunction(() => window.trammel.time() > 0.05);
    });
  });

  test("without WebGL the plots still work", async () => {
    const other = await launch({ webgl: false });
    try {
      const { report, values } = makeSample();
      const { page, close } = await openPage(other, savePage("no-webgl", makePage(template, report, values)));
      assert.match(await page.textContent(".no-scene"), /no WebGL/);
      assert.equal(await page.locator(".plot-panel").count(), 6);
      await close();
    } finally {
      await other.close();
    }
  });

  test("a failed run says so, an unfinished one, too", async () => {
    const failed = (report) => Object.assign(report.summary, { status: "failed", reason: "the step size became too small", notes: ["a note"] });
    await withPage({ edit: failed }, async (page) => {
      assert.equal(await page.textContent("#status"), "failed");
      assert.match(await page.textContent(".notice.error"), /step size became too small/);
      assert.match(await page.textContent(".notice.note"), /a note/);
    });
    const killed = (report) => Object.assign(report, { summary: null, is_finished: false, steps: 0, steps_total: 0, step_columns: [] });
    const withoutSteps = (report, values) => {
      killed(report);
      values.steps = [];
    };
    await withPage({ edit: withoutSteps }, async (page) => {
      assert.equal(await page.textContent("#status"), "unfinished");
      assert.equal(await page.locator(".notice.warning").count(), 1);
    });
  });

  test("wrong data is told in a sentence", async () => {
    const edits = [
      [(report) => (report.schema = "trammel.report/2"), /trammel\.report\/2/],
      [(_, values) => values.times.pop(), /bytes/],
    ];
    for (const [edit, expected] of edits) {
      await withPage({ edit }, async (page) => {
        assert.match(await page.textContent(".problem"), expected);
        assert.equal(await page.locator("canvas").count(), 0);
      });
    }
    const { page, complaints, close } = await openPage(browser, savePage("empty", template));
    assert.match(await page.textContent(".problem"), /no results/);
    assert.deepEqual(complaints, []);
    await close();
  });

  test("columns without numbers, and poses that end, are gaps", async () => {
    const edit = (report, values) => {
      const k = report.columns.findIndex((column) => column.name === "energy.kinetic");
      values.columns[k].fill(NaN);
      Object.assign(report.columns[k], { min: null, max: null });
      values.columns[6].fill(NaN, 100);
      values.columns[report.columns.findIndex((column) => column.name === "crankpin.reaction.fx")].fill(NaN, 50);
    };
    await withPage({ edit, hash: "#reactions=1&forces=1&trails=all" }, async (page) => {
      await seek(page, 0.4);
      await seek(page, 1.7);
      const energy = (await call(page, "plots"))[1];
      assert.deepEqual(energy.series, ["energy.potential", "energy.total"]);
    });
  });

  test("a single row, and none at all", async () => {
    await withPage({ rows: 1, duration: 0 }, async (page) => {
      assert.equal(await page.locator(".stage canvas").count(), 1);
      assert.ok(await page.locator(".play").isDisabled());
      const [motion] = await call(page, "plots");
      assert.equal(motion.title, "Motion");
      assert.ok(motion.window[0] < 0 && motion.window[1] > 0, "its point is not at the edge");
      assert.equal(await page.textContent(".plot-panel .value >> nth=0"), "0.3");
    });
    const edit = (report, values) => {
      Object.assign(report, { rows: 0, rows_total: 0 });
      values.times = [];
      values.columns = values.columns.map(() => []);
    };
    await withPage({ edit }, async (page) => assert.match(await page.textContent(".no-scene"), /no rows/));
  });

  test("shapes, joints and loads of spatial models", async () => {
    const edit = (report) => {
      report.scene = makeSpatialScene();
    };
    await withPage({ edit, hash: "#reactions=1&forces=1&points=1&trails=all" }, async (page) => {
      const before = await picture(page);
      await seek(page, 0.6);
      assert.ok(!before.equals(await picture(page)));
    });
  });

  test("ten thousand rows cost no more per frame than a hundred", async () => {
    const costs = {};
    for (const rows of [100, 10000]) {
      await withPage({ rows, hash: "#trails=all&reactions=1" }, async (page) => {
        const started = Date.now();
        const frames = await call(page, "renderedFrames");
        await call(page, "play");
        await page.waitForTimeout(1500);
        const shown = ((await call(page, "renderedFrames")) - frames) / ((Date.now() - started) / 1000);
        costs[rows] = await call(page, "updateCost");
        const milliseconds = (seconds) => (1000 * seconds).toFixed(2);
        console.log(`# ${rows} rows: ${shown.toFixed(0)} frames/s, ${milliseconds(await call(page, "frameCost"))} ms a frame on the main thread, of which moving ${milliseconds(costs[rows])} ms`);
      });
    }
    assert.ok(costs[10000] < 4 * costs[100] + 1e-3, "moving things does not depend on the rows");
  });

  test("fits into 400 and 360 pixels, and fills 2560", async () => {
    for (const width of [360, 400, 1100, 2560]) {
      await withPage({ view: { width, height: 800 } }, async (page) => {
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
        assert.ok(overflow <= 0, `${overflow} px too wide at ${width}`);
        const outside = await page.evaluate(() =>
          [...document.querySelectorAll("button, select, .scrub, .clock, .u-over")].filter((node) => {
            const { left, right, width: own } = node.getBoundingClientRect();
            return own > 0 && (left < 0 || right > window.innerWidth + 1);
          }).length,
        );
        assert.equal(outside, 0);
      });
    }
  });

  test("light and dark: after the system, by the button, and by the address", async () => {
    const theme = (page) => page.evaluate(() => document.documentElement.dataset.theme);
    await withPage({ view: { colorScheme: "dark" } }, async (page) => {
      assert.equal(await theme(page), "dark");
      await page.getByRole("button", { name: "Switch between light and dark" }).click();
      assert.equal(await theme(page), "light");
      await settle(page);
    });
    await withPage({ view: { colorScheme: "dark" }, hash: "#theme=light" }, async (page) => assert.equal(await theme(page), "light"));
  });

  test("the address can ask for the animation alone, at a time", async () => {
    await withPage({ hash: "#t=0.5&only=animation&controls=0" }, async (page) => {
      assert.equal(await call(page, "time"), 0.5);
      const box = await page.locator(".stage canvas").boundingBox();
      assert.ok(box.width >= 1278 && box.height >= 898, `${box.width} x ${box.height}`);
      assert.equal(await page.locator(".plot-panel:visible").count(), 0);
    });
  });
});

/** Every kind of shape and joint, on the sample's columns. */
function makeSpatialScene() {
  const scene = makeScene();
  const common = { position: [0, 0, 0.1], orientation: [1, 0, 0, 0], color: "#336699" };
  const floats = Buffer.from(Float32Array.from([0, 0, 0, 0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.2]).buffer).toString("base64");
  const indices = Buffer.from(Uint32Array.from([0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]).buffer).toString("base64");
  scene.planar = false;
  scene.gravity = [0, 0, -9.81];
  scene.bodies[1].shapes = [
    { ...common, type: "box", size: [0.1, 0.2, 0.3] },
    { ...common, type: "cylinder", radius: 0.1, length: 0.2 },
    { ...common, type: "sphere", radius: 0.1, color: null },
    { ...common, type: "mesh", vertices: floats, triangles: indices },
    { ...common, type: "line", points: [[0, 0, 0], [1, 0, 0], [1, 1, 0]], closed: true },
  ];
  scene.bodies[0].points.push({ name: "p", position: [0.1, 0.2, 0.3] }, { name: "q", position: [0.3, -0.1, 0.1] }, { name: "r", position: [0, 0, -0.2] });
  scene.bodies[2].points.push({ name: "flat", position: [0.2, 0.1, 0] }, { name: "plate", position: [-0.2, 0.1, 0] });
  const types = ["revolute", "translational", "cylindrical", "spherical", "universal", "fixed", "planar", "in-line", "in-plane", "parallel", "distance", "revolute-spherical", "screw", "constant-velocity", "rolling", "point-on-curve", "a joint of the future"];
  const end = (body, z) => ({ body, position: [0.1, 0, z], x: [1, 0, 0], z: [0, 0, 1] });
  scene.joints = types.map((type, k) => ({ name: `j${k}`, type, i: end(k % 2 ? -1 : 0, 0.02 * k), j: end(1 + (k % 2), 0.3), force: ["bearing.reaction.fx", "bearing.reaction.fy", null], torque: null }));
  scene.forces.push({ name: "actuator", type: "line-force", i: end(-1, 0.5), j: end(0, 0), line: true, value: "spring.value", force: null, torque: null });
  scene.forces.push({ name: "bush", type: "bushing", i: end(-1, 0), j: end(0, 0), line: false, value: null, force: ["crankpin.reaction.fx", null, null], torque: ["motor.tz", null, null] });
  return scene;
}
