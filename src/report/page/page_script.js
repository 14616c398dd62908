"use strict";
// The page of a report: filters, tables that sort, and plots (Chart.js) of the data that src/report/page_data.h describes.
// All text from the data goes into text nodes or onto a canvas, never into markup.
(() => {
  const MOST_BARS = 60; // of one plot; the tables have all
  const FEW = 24; // values of a parameter that can be filtered by, and of a side of a heat map with its numbers written into it
  const WIDE = 20; // a longest bar so many times as long as the shortest would hide that one
  const ROW = 30; // pixels of a label and a bar
  const POINTS = ["circle", "triangle", "rect", "rectRot", "star", "cross"];
  const TIME = { name: "time of a step", unit: "s", higher: false };

  const plots = typeof Chart !== "undefined";
  const chosen = { workload: "", device: "", figure: "", parameters: {}, maps: {}, sorted: {} };
  let data = null;
  let charts = [];

  // ---- small helpers

  function node(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
    element.append(...children);
    return element;
  }

  const number = (value) => String(Number(value.toPrecision(4)));

  function seconds(value) {
    if (value === 0) return "0";
    const units = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
    const [size, name] = units.find(([least]) => value >= least * 0.9995) || units[3];
    return `${Number((value / size).toPrecision(3))} ${name}`;
  }

  const written = (figure, value) => (figure.unit === "s" ? seconds(value) : `${number(value)} ${figure.unit}`.trim());
  const distinct = (values) => [...new Set(values)];
  const better = (figure, a, b) => (figure.higher ? a > b : a < b);

  function colour(name) {
    return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  }
  const series = (index) => colour(`s${1 + (index % 7)}`);

  // ---- what the reader has chosen

  function shown(index) {
    const record = data.records[index];
    return (
      (!chosen.workload || record.workload === chosen.workload) &&
      (!chosen.device || record.device === chosen.device) &&
      Object.entries(chosen.parameters).every(([name, value]) => !value || record.parameters[name] === value)
    );
  }

  const records = () => data.records.filter((_, index) => shown(index));
  const devices = () => data.devices.filter((name) => !chosen.device || name === chosen.device);
  const measured = (record) => record.status === "ok" || record.status === "unchecked";
  const remark = (record) => (record.status === "unchecked" ? " (unchecked)" : "");

  /// {value, low, high} of a record, null where it has none.
  function valueOf(record, figure) {
    if (!measured(record)) return null;
    if (figure === TIME) return record.step && { value: record.step[0], low: record.step[1], high: record.step[2] };
    const found = record.metrics.find((metric) => metric.name === figure.name && metric.unit === figure.unit);
    return found ? { value: found.value } : null;
  }

  const figures = () => {
    const known = new Map();
    for (const record of data.records)
      for (const { name, unit, higher } of record.metrics) known.set(`${name}, ${unit}`, { name, unit, higher });
    return known;
  };
  const figureChosen = () => figures().get(chosen.figure) || TIME;

  function choice(label, options, value, take) {
    const select = node("select", {}, ...options.map(([key, text]) => node("option", { value: key }, text)));
    select.value = value;
    select.addEventListener("change", () => take(select.value));
    return node("label", {}, label, select);
  }

  function buildFilters() {
    const bar = document.getElementById("filters");
    const focused = document.activeElement && document.activeElement.closest("#filters label");
    const again = focused && focused.firstChild.textContent;
    const all = (values) => [["", "all"], ...values.map((value) => [value, value])];
    const refresh = (key) => (value) => {
      chosen[key] = value;
      draw();
    };
    const parts = [];
    const workloads = distinct([...data.records, ...data.studies].map((one) => one.workload));
    const names = distinct([...data.devices, ...data.studies.map((study) => study.device)]);
    if (workloads.length > 1) parts.push(choice("workload", all(workloads), chosen.workload, refresh("workload")));
    if (names.length > 1) parts.push(choice("device", all(names), chosen.device, refresh("device")));
    for (const name of distinct(data.records.flatMap((record) => Object.keys(record.parameters)))) {
      const values = distinct(data.records.map((record) => record.parameters[name]).filter((value) => value !== undefined));
      if (values.length < 2 || values.length > FEW) continue;
      values.sort((a, b) => a - b || a.localeCompare(b));
      const take = (value) => {
        chosen.parameters[name] = value;
        draw();
      };
      parts.push(choice(name, all(values), chosen.parameters[name] || "", take));
    }
    const metrics = [...figures().keys()];
    if (metrics.length > 0 && plots)
      parts.push(choice("plots show", [["", TIME.name], ...metrics.map((key) => [key, key])], chosen.figure, refresh("figure")));
    bar.replaceChildren(...parts, node("div", { id: "shown", role: "status" }));
    bar.hidden = parts.length === 0;
    for (const label of bar.querySelectorAll("label")) if (label.firstChild.textContent === again) label.lastChild.focus();
  }

  // ---- tables

  function keyOf(cell) {
    const text = cell.textContent.trim();
    const match = /^(-?\d[\d.]*(?:e[+-]?\d+)?)(?:\s*(ns|us|ms|s)\b)?/.exec(text);
    return match ? Number(match[1]) * ({ ns: 1e-9, us: 1e-6, ms: 1e-3 }[match[2]] || 1) : text;
  }

  function sortBy(table, column, order) {
    const heads = table.tHead.rows[0].cells;
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", order);
    const compare = (a, b) => {
      if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1; // words, as "wrong", behind numbers
      const sign = order === "descending" ? -1 : 1;
      return sign * (typeof a === "number" ? a - b : a.localeCompare(b));
    };
    const rows = [...table.tBodies[0].rows].map((row) => [keyOf(row.cells[column]), row]);
    rows.sort(([a], [b]) => compare(a, b));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }

  /// A table that comes again, in a live page, keeps its order.
  function makeSortable(table) {
    const name = table.parentElement.getAttribute("aria-label");
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = node("button", { type: "button", title: "sort" }, ...head.childNodes);
      button.addEventListener("click", () => {
        const order = head.getAttribute("aria-sort") === "ascending" ? "descending" : "ascending";
        chosen.sorted[name] = { column, order };
        sortBy(table, column, order);
      });
      head.append(button);
    });
    const kept = chosen.sorted[name];
    if (kept && kept.column < table.tHead.rows[0].cells.length) sortBy(table, kept.column, kept.order);
  }

  function filterTables() {
    for (const row of document.querySelectorAll("tr[data-records]"))
      row.hidden = !row.dataset.records.split(" ").filter(Boolean).some((index) => shown(Number(index)));
    for (const table of document.querySelectorAll("table")) {
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        if (!head.dataset.device) return;
        const hidden = chosen.device !== "" && head.dataset.device !== chosen.device;
        for (const row of table.rows) row.cells[column].hidden = hidden;
      });
      const rows = [...table.tBodies[0].rows];
      table.closest("section.block")?.toggleAttribute("hidden", rows.length > 0 && rows.every((row) => row.hidden));
    }
    for (const section of document.querySelectorAll("section[data-study]")) {
      const study = data.studies[Number(section.dataset.study)];
      section.hidden =
        (chosen.workload !== "" && study.workload !== chosen.workload) || (chosen.device !== "" && study.device !== chosen.device);
    }
    const status = document.getElementById("shown");
    if (status && data.records.length > 0) status.textContent = `${records().length} of ${data.records.length} records`;
  }

  // ---- plots: each point of a dataset is an object with its place and `text`, which is shown on hover, tap and arrow keys

  const drawn = {
    id: "drawn",
    afterDatasetsDraw(chart) {
      const { ctx, scales, chartArea } = chart;
      ctx.save();
      ctx.font = `11px ${Chart.defaults.font.family}`;
      ctx.textBaseline = "middle";
      chart.data.datasets.forEach((dataset, which) => {
        if (!chart.isDatasetVisible(which)) return;
        chart.getDatasetMeta(which).data.forEach((element, index) => {
          const point = dataset.data[index];
          if (!point) return;
          if (point.cell !== undefined) return drawNumber(ctx, element, point.cell);
          let end = element.x;
          ctx.strokeStyle = ctx.fillStyle = colour("text");
          if (point.low !== undefined) {
            const [low, high] = [point.low, point.high].map((value) =>
              Math.min(Math.max(scales.x.getPixelForValue(value), chartArea.left), chartArea.right));
            ctx.beginPath();
            ctx.moveTo(low, element.y);
            ctx.lineTo(high, element.y);
            const whole = [point.low >= scales.x.min, point.high <= scales.x.max];
            [low, high].filter((_, side) => whole[side]).forEach((x) => {
              ctx.moveTo(x, element.y - 3); // no cap where the interval leaves the plot
              ctx.lineTo(x, element.y + 3);
            });
            ctx.stroke();
            end = Math.max(end, high);
          }
          if (!point.short) return;
          const fits = end + 6 + ctx.measureText(point.short).width <= chart.width;
          ctx.textAlign = fits ? "left" : "right";
          ctx.fillText(point.short, fits ? end + 6 : chart.width - 2, fits ? element.y : element.y - 12);
        });
      });
      ctx.restore();
    },
  };

  function drawNumber(ctx, element, text) {
    if (ctx.measureText(text).width > element.width - 4) return;
    ctx.fillStyle = colour("text");
    ctx.textAlign = "center";
    ctx.fillText(text, element.x, element.y + element.height / 2);
  }

  /// Arrow keys go from point to point; what a point says is shown and read out.
  function reachByKeys(chart, canvas, output) {
    let at = -1;
    canvas.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!step && event.key !== "Escape") return;
      event.preventDefault();
      const points = chart.data.datasets.flatMap((dataset, datasetIndex) =>
        chart.isDatasetVisible(datasetIndex)
          ? dataset.data.map((point, index) => ({ datasetIndex, index, point })).filter(({ point }) => point && point.text)
          : []);
      at = step && points.length > 0 ? (at + step + points.length) % points.length : -1;
      const active = at < 0 ? [] : [{ datasetIndex: points[at].datasetIndex, index: points[at].index }];
      chart.setActiveElements(active);
      chart.tooltip.setActiveElements(active, { x: 0, y: 0 });
      chart.update("none");
      output.textContent = at < 0 ? "" : points[at].point.text;
    });
  }

  function addPlot(parent, caption, height, { type, datasets, labels, scales, options = {}, controls = [] }) {
    const canvas = node("canvas", { tabindex: "0", role: "img", "aria-label": `${caption}. Arrow keys go through its values.` });
    const frame = node("div", { class: "frame", style: `height: ${height}px` }, canvas);
    const output = node("output", { "aria-live": "polite" });
    parent.append(node("figure", {}, node("figcaption", {}, caption), ...controls, frame, output));
    const named = datasets.filter((dataset) => dataset.label);
    const chart = new Chart(canvas, {
      type,
      data: { labels, datasets },
      plugins: [drawn],
      options: {
        scales,
        interaction: { mode: "nearest", intersect: false, axis: "xy" },
        ...options,
        plugins: {
          legend: {
            display: named.length > 1,
            position: "bottom",
            labels: { boxWidth: 14, boxHeight: 6, usePointStyle: true, filter: (item) => Boolean(item.text) },
          },
          tooltip: {
            filter: (item) => Boolean(item.raw && item.raw.text),
            callbacks: { title: () => "", label: (item) => item.raw.text },
          },
        },
      },
    });
    reachByKeys(chart, canvas, output);
    charts.push(chart);
  }

  const axis = (title, more = {}) => ({
    title: { display: Boolean(title), text: title, color: colour("text") },
    grid: { color: colour("line"), borderColor: colour("axis") },
    ...more,
    ticks: { color: colour("dim"), ...more.ticks },
  });

  function logAxis(title, text, more = {}) {
    const callback = (value) => {
      const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
      return [1, 2, 5].includes(digit) ? text(value) : null;
    };
    return axis(title, { type: "logarithmic", ...more, ticks: { callback, maxRotation: 0, autoSkipPadding: 12, ...more.ticks } });
  }

  /// Bars, or dots over a logarithmic axis where bars would hide the shortest. `lines`: [{label, points: [point or null for each
  /// series]}], a point with value, low, high and text; `names`: of the series.
  function barPlot(parent, caption, lines, names, figure, controls) {
    const values = lines.flatMap((line) => line.points).filter((point) => point && point.value > 0).map((point) => point.value);
    if (values.length === 0) return;
    const span = Math.max(...values) / Math.min(...values);
    const dots = span > WIDE;
    const whole = dots
      ? `${caption}; dots on a logarithmic axis, because the longest is ${Number(span.toPrecision(3))} times the shortest`
      : caption;
    const best = values.reduce((a, b) => (better(figure, b, a) ? b : a));
    const band = ROW + 14 * (names.length - 1);
    const datasets = names.map((name, which) => ({
      label: names.length > 1 ? name : "",
      data: lines.map((line) => {
        const point = line.points[which];
        return point && point.value > 0 ? { ...point, x: point.value, y: line.label, short: written(figure, point.value) } : null;
      }),
      backgroundColor: lines.map((line) => {
        const faint = names.length === 1 && !(line.points[which] && line.points[which].value === best);
        return faint ? colour("axis") : series(which);
      }),
      borderColor: series(which),
      pointStyle: POINTS[which % POINTS.length],
      pointRadius: 4,
      showLine: false,
      barThickness: 12,
    }));
    const longest = Math.max(...values);
    const ends = lines.flatMap((line) => line.points).filter((point) => point && point.high !== undefined).map((point) => point.high);
    const room = 1.2 * Math.min(Math.max(longest, ...ends), 2 * longest); // for most brackets and the numbers behind them
    const text = (value) => (figure.unit === "s" ? seconds(value) : number(value));
    const x = dots
      ? logAxis(figure.unit === "s" ? "" : figure.unit, text, { min: Math.min(...values) / 1.5, max: Math.max(...values) * span ** 0.3 })
      : axis(figure.unit === "s" ? "" : figure.unit, { beginAtZero: true, suggestedMax: room, ticks: { callback: text, maxRotation: 0 } });
    addPlot(parent, whole, lines.length * (band + 14) + 60 + (names.length > 1 ? 30 : 0), {
      type: dots ? "line" : "bar",
      labels: lines.map((line) => line.label),
      datasets,
      controls,
      options: { indexAxis: "y", interaction: { mode: "nearest", intersect: false, axis: "y" } },
      scales: {
        x,
        y: axis("", {
          type: "category",
          offset: true,
          ticks: {
            mirror: true, // the label stands over its bar: there is no room beside it on a phone
            labelOffset: -(band / 2 - 1),
            autoSkip: false,
            z: 1,
            color: colour("text"),
            callback(value) {
              const label = this.getLabelForValue(value);
              const line = lines[value];
              const words = label.length > 56 ? `${label.slice(0, 55)}\u2026` : label;
              return line.failure ? `${words}: ${line.failure}` : words;
            },
          },
          grid: { display: false },
        }),
      },
    });
  }

  function drawTimes(parent) {
    const figure = figureChosen();
    const names = devices();
    for (const block of data.blocks) {
      let lines = [];
      for (const variant of block.variants) {
        const points = names.map((name) => {
          const index = variant.records[data.devices.indexOf(name)];
          if (index === null || !shown(index)) return null;
          const found = valueOf(data.records[index], figure);
          const state = remark(data.records[index]);
          return found && { ...found, state, text: `${variant.name}${state} on ${name}: ${written(figure, found.value)}` +
            (found.low === undefined ? "" : ` [${written(figure, found.low)}, ${written(figure, found.high)}]`) };
        });
        const states = distinct(points.filter(Boolean).map((point) => point.state));
        const failures = names.map((name) => variant.states[data.devices.indexOf(name)]);
        const failure = points.every((point) => !point) ? distinct(failures).join(", ") : "";
        if (failure && (Object.values(chosen.parameters).some(Boolean) || (chosen.workload && chosen.workload !== block.workload))) continue;
        lines.push({ label: variant.name + (states.length === 1 ? states[0] : ""), points, failure });
      }
      const count = lines.length;
      if (count > MOST_BARS) {
        const bestOf = (line) =>
          line.points.filter(Boolean).map((point) => point.value).reduce((a, b) => (a === null || better(figure, b, a) ? b : a), null);
        lines = lines.filter((line) => bestOf(line) !== null).sort((a, b) => (better(figure, bestOf(a), bestOf(b)) ? -1 : 1)).slice(0, MOST_BARS);
      }
      const used = names.filter((_, which) => lines.some((line) => line.points[which]));
      for (const line of lines) line.points = line.points.filter((_, which) => used.includes(names[which]));
      const what = figure === TIME ? "median time of a step, with its 95 % interval" : `${figure.name} in ${figure.unit}`;
      const part = count > MOST_BARS ? `; the best ${MOST_BARS} of ${count} variants` : "";
      barPlot(parent, `${block.title} on ${used.join(", ")}: ${what}${part}`, lines, used, figure);
    }
  }

  function numericParameters(samples) {
    const values = new Map();
    for (const record of samples)
      for (const [name, value] of Object.entries(record.swept)) {
        if (!values.has(name)) values.set(name, new Set());
        values.get(name).add(value);
      }
    const several = [...values].filter(([, set]) => set.size > 1);
    return several.sort(([, a], [, b]) => b.size - a.size).map(([name]) => name);
  }

  function drawMaps(parent) {
    const figure = figureChosen();
    data.blocks.forEach((block, which) => {
      for (const device of devices()) {
        const all = records().filter((record) => record.block === which && record.device === device && valueOf(record, figure));
        const ok = all.filter((record) => record.status === "ok");
        const samples = ok.length > 0 ? ok : all;
        const names = numericParameters(samples);
        if (names.length < 2) continue;
        const key = `${which} ${device}`;
        const kept = (chosen.maps[key] || []).filter((name) => names.includes(name));
        const [x, y] = kept.length === 2 && kept[0] !== kept[1] ? kept : names;
        const pick = (label, place) =>
          choice(label, names.map((name) => [name, name]), [x, y][place], (value) => {
            chosen.maps[key] = place === 0 ? [value, value === y ? x : y] : [value === x ? y : x, value];
            draw();
          });
        const controls = names.length > 2 ? [node("div", { class: "axes" }, pick("across", 0), pick("up", 1))] : [];
        mapPlot(parent, block, device, figure, samples, x, y, controls, ok.length === 0 ? "; the results are unchecked" : "");
      }
    });
  }

  function mapPlot(parent, block, device, figure, samples, x, y, controls, note) {
    const sorted = (name) => distinct(samples.map((record) => record.swept[name]).filter((value) => value !== undefined)).sort((a, b) => a - b);
    const [xs, ys] = [sorted(x), sorted(y)];
    const best = new Map();
    for (const record of samples) {
      const place = `${record.swept[x]} ${record.swept[y]}`;
      const { value } = valueOf(record, figure);
      if (!best.has(place) || better(figure, value, best.get(place))) best.set(place, value);
    }
    const values = [...best.values()];
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const depth = (value) => {
      const share = most > least ? (value - least) / (most - least) : 1;
      return 0.1 + 0.7 * (figure.higher ? share : 1 - share);
    };
    // One dataset for each line of cells: bars that float between two whole numbers.
    const datasets = ys.map((up, line) => ({
      grouped: false,
      barPercentage: 1,
      categoryPercentage: 1,
      borderWidth: 0.5,
      borderColor: colour("back"),
      borderSkipped: false,
      data: xs.map((across) => {
        const value = best.get(`${across} ${up}`);
        const place = `${x}=${across} ${y}=${up}`;
        const cell = value === undefined || xs.length > FEW ? "" : figure.unit === "s" ? seconds(value) : number(value);
        return { x: String(across), y: [line, line + 1], cell, depth: value === undefined ? null : depth(value),
          text: `${place}: ${value === undefined ? "not measured" : written(figure, value)}` };
      }),
      backgroundColor: (context) => {
        if (!context.raw || context.raw.depth === null) return colour("none");
        return colour("cell") + Math.round(context.raw.depth * 255).toString(16).padStart(2, "0");
      },
    }));
    const unit = figure.unit && figure !== TIME ? ` in ${figure.unit}` : "";
    const caption = `${block.title} on ${device}: ${figure.name}${unit}, the best for each ${x} and ${y}; the deeper the colour, the better${note}`;
    addPlot(parent, caption, Math.min(28 * ys.length, 700) + 70, {
      type: "bar",
      labels: xs.map(String),
      datasets,
      controls,
      options: { interaction: { mode: "nearest", intersect: true } },
      scales: {
        x: axis(x, { grid: { display: false } }),
        y: axis(y, {
          min: 0,
          max: ys.length,
          grid: { display: false },
          afterBuildTicks: (scale) => {
            scale.ticks = ys.map((_, line) => ({ value: line + 0.5 }));
          },
          ticks: { callback: (value) => String(ys[Math.floor(value)]) },
        }),
      },
    });
  }

  function drawRooflines(parent) {
    const known = data.ceilings.filter((one) => !chosen.device || one.device === chosen.device);
    if (known.length === 0) return;
    const rateIn = (record, unit) => {
      const found = record.metrics.find((metric) => metric.unit === unit && metric.value > 0);
      return found ? found.value : null;
    };
    const points = records().filter((record) => measured(record) && rateIn(record, "GFLOP/s") !== null && known.some((one) => one.device === record.device));
    const intensity = (record) => (rateIn(record, "GB/s") === null ? null : rateIn(record, "GFLOP/s") / rateIn(record, "GB/s"));
    const highest = (one, unit) => Math.max(0, ...one.ceilings.filter((ceiling) => ceiling.unit === unit).map((ceiling) => ceiling.value));
    const corners = known.map((one) => highest(one, "GFLOP/s") / highest(one, "GB/s")).filter((value) => value > 0 && Number.isFinite(value));
    const places = [...corners, ...points.map(intensity).filter((value) => value !== null)];
    const [from, to] = [Math.min(0.01, ...places) / 1.5, Math.max(100, ...places) * 3];
    const workloads = distinct(points.map((record) => record.workload));
    const datasets = [];
    known.forEach((one, which) => {
      const ink = known.length > 1 ? series(which) : colour("s0"); // one device: colours are for the workloads
      const [bandwidth, rate] = [highest(one, "GB/s"), highest(one, "GFLOP/s")];
      one.ceilings.forEach((ceiling, place) => {
        const text = `${one.device}: ${ceiling.name} ${number(ceiling.value)} ${ceiling.unit}`;
        const slope = ceiling.unit === "GB/s";
        const ends = slope
          ? [from, rate > 0 ? Math.min(to, rate / ceiling.value) : to]
          : [bandwidth > 0 ? Math.max(from, ceiling.value / bandwidth) : from, to];
        datasets.push({
          label: place === 0 ? `${one.device}: ceilings` : "",
          type: "line",
          showLine: true,
          borderColor: ink,
          backgroundColor: ink,
          borderWidth: 1.5,
          pointRadius: 0,
          pointStyle: "line",
          data: ends.map((x) => ({ x, y: slope ? x * ceiling.value : ceiling.value, text })),
        });
      });
      workloads.forEach((workload, shape) => {
        const own = points.filter((record) => record.device === one.device && record.workload === workload);
        const mark = known.length > 1 ? ink : series(shape);
        const say = (record) => `${workload} ${record.label}${remark(record)} on ${one.device}: ${number(rateIn(record, "GFLOP/s"))} GFLOP/s`;
        const placed = own.filter((record) => intensity(record) !== null);
        if (placed.length > 0)
          datasets.push({
            label: `${one.device}: ${workload}`,
            borderColor: mark,
            backgroundColor: mark,
            pointStyle: POINTS[shape % POINTS.length],
            pointRadius: 5,
            data: placed.map((record) => ({ x: intensity(record), y: rateIn(record, "GFLOP/s"), text: `${say(record)} at ${number(intensity(record))} FLOP per byte` })),
          });
        own.filter((record) => intensity(record) === null).forEach((record, line) =>
          datasets.push({
            label: line === 0 && placed.length === 0 ? `${one.device}: ${workload}` : "",
            type: "line",
            showLine: true,
            borderColor: mark,
            backgroundColor: mark,
            borderDash: [2 + 3 * shape, 3],
            borderWidth: 1.2,
            pointRadius: 0,
            pointStyle: "line",
            data: [from, to].map((x) => ({ x, y: rateIn(record, "GFLOP/s"), text: say(record) })),
          }));
      });
    });
    const caption = `${known.map((one) => one.device).join(", ")}: measured ceilings, and ${points.length} ${points.length === 1 ? "record" : "records"} (dashed: the bytes are not known)`;
    addPlot(parent, caption, 420, {
      type: "scatter",
      datasets,
      scales: {
        x: logAxis("FLOP per byte", number, { min: from, max: to }),
        y: logAxis("GFLOP/s", number),
      },
    });
  }

  function drawCurves(parent) {
    const figure = figureChosen();
    data.blocks.forEach((block, which) => {
      const own = records().filter((record) => record.block === which && valueOf(record, figure));
      const runs = distinct(own.map((record) => `${record.run} ${record.device}`));
      const datasets = [];
      runs.forEach((run) => {
        const tried = own.filter((record) => `${record.run} ${record.device}` === run).sort((a, b) => a.time.localeCompare(b.time));
        if (tried.length < 3) return;
        const device = tried[0].device;
        const ink = series(data.devices.indexOf(device));
        const points = tried.map((record, index) => {
          const { value } = valueOf(record, figure);
          return { x: index + 1, y: value, text: `${index + 1}: ${record.label}${remark(record)} on ${device}: ${written(figure, value)}` };
        });
        let best = points[0].y;
        const line = points.map(({ x, y }) => {
          if (better(figure, y, best)) best = y;
          return { x, y: best };
        });
        datasets.push({ label: `${device}, run ${tried[0].run.slice(0, 6)}`, type: "line", stepped: true, showLine: true, pointRadius: 0, pointStyle: "line",
          borderColor: ink, backgroundColor: ink, borderWidth: 2, borderDash: [[], [7, 3], [2, 2]][datasets.length % 3], data: line });
        datasets.push({ label: "", borderColor: ink, backgroundColor: ink, pointRadius: 2.5, data: points });
      });
      if (datasets.length === 0) return;
      const values = datasets.flatMap((dataset) => dataset.data.map((point) => point.y)).filter((value) => value > 0);
      const wide = Math.max(...values) > WIDE * Math.min(...values);
      const text = (value) => (figure.unit === "s" ? seconds(value) : number(value));
      const title = figure === TIME ? "" : figure.unit;
      addPlot(parent, `${block.title}: ${figure.name} of each variant in the order of the measurements, and the best so far (line)`, 320, {
        type: "scatter",
        datasets,
        scales: {
          x: axis("variants measured", { ticks: { precision: 0 } }),
          y: wide ? logAxis(title, text) : axis(title, { ticks: { callback: text } }),
        },
      });
    });
  }

  function drawTimelines(parent) {
    for (const line of data.timelines) {
      const lanes = line.lanes;
      const kinds = distinct(line.spans.map((span) => span.kind));
      addPlot(parent, line.caption, 26 * lanes.length + 110, {
        type: "bar",
        labels: lanes,
        datasets: kinds.map((kind, which) => ({
          label: kind,
          grouped: false,
          barPercentage: 1,
          categoryPercentage: 0.8,
          minBarLength: 1,
          backgroundColor: colour(`s${(which + 1) % 8}`),
          data: line.spans.filter((span) => span.kind === kind).map((span) => ({
            y: lanes[span.lane],
            x: [span.begin, span.begin + span.seconds],
            text: `${kind} ${span.name}: ${seconds(span.seconds)} from ${seconds(span.begin)} on`,
          })),
        })),
        options: { indexAxis: "y", interaction: { mode: "nearest", intersect: true } },
        scales: {
          x: axis("", { beginAtZero: true, ticks: { callback: (value) => seconds(value), maxRotation: 0 } }),
          y: axis("", { type: "category", grid: { display: false }, ticks: { autoSkip: false } }),
        },
      });
    }
  }

  function ratioPlot(parent, { caption, marks }) {
    const [least, most] = [1 / 8, 8];
    const clip = (value) => Math.min(Math.max(value, least), most);
    const ink = marks.map(({ value }) => (value[1] > 1 ? colour("s1") : value[2] < 1 ? colour("s2") : colour("back")));
    const edge = marks.map(({ value }) => (value[1] > 1 ? colour("s1") : value[2] < 1 ? colour("s2") : colour("dim")));
    const all = marks.flatMap(({ value }) => value.map(clip));
    const verdict = (value) => (value[1] > 1 ? "faster" : value[2] < 1 ? "slower" : "no measurable effect");
    addPlot(parent, caption, marks.length * 40 + 60, {
      type: "line",
      labels: marks.map((mark) => mark.label),
      datasets: [
        {
          label: "",
          showLine: false,
          pointRadius: 5,
          pointBorderWidth: 1.5,
          pointBackgroundColor: ink,
          pointBorderColor: edge,
          data: marks.map(({ label, value }) => ({
            y: label,
            x: clip(value[0]),
            low: clip(value[1]),
            high: clip(value[2]),
            short: `${value[0].toFixed(3)}${value[1] < least || value[2] > most ? " (beyond the axis)" : ""}`,
            text: `${label}: ${value[0].toFixed(3)} [${value[1].toFixed(3)}, ${value[2].toFixed(3)}], ${verdict(value)}`,
          })),
        },
      ],
      options: { indexAxis: "y", interaction: { mode: "nearest", intersect: false, axis: "y" } },
      scales: {
        x: axis("speed-up", {
          type: "logarithmic",
          min: Math.min(0.95, ...all) / 1.02,
          max: Math.max(1.05, ...all) * 1.1,
          afterBuildTicks: (scale) => {
            const gap = 0.09 * Math.log(scale.max / scale.min);
            const kept = [];
            for (const value of [1, 2, 0.5, 4, 0.25, 8, 0.125, 1.5, 0.7, 1.2, 0.8, 1.1, 0.9, 1.05, 0.95])
              if (value >= scale.min && value <= scale.max && kept.every((other) => Math.abs(Math.log(value / other)) >= gap)) kept.push(value);
            scale.ticks = kept.sort((a, b) => a - b).map((value) => ({ value }));
          },
          grid: { color: (context) => colour(context.tick && context.tick.value === 1 ? "axis" : "line"), borderColor: colour("axis") },
          ticks: { callback: number, maxRotation: 0 },
        }),
        y: axis("", { type: "category", offset: true, grid: { display: false }, ticks: { mirror: true, labelOffset: -14, autoSkip: false, z: 1, color: colour("text") } }),
      },
    });
  }

  function amortisationPlot(parent, { caption, axis: title, launches, curves }) {
    addPlot(parent, caption, 340, {
      type: "scatter",
      datasets: curves.map((curve, which) => ({
        label: curve.label,
        showLine: true,
        borderColor: which === 0 ? colour("s0") : series(which - 1),
        backgroundColor: which === 0 ? colour("s0") : series(which - 1),
        borderDash: [[4, 3], [], [7, 3], [2, 2], [9, 3, 2, 3]][which % 5],
        borderWidth: 1.8,
        pointRadius: 2.5,
        data: launches.map((x, at) => (curve.ratios[at] === null ? null : { x, y: curve.ratios[at], text: curve.texts[at] })).filter(Boolean),
      })),
      scales: {
        x: logAxis("launches", (value) => value.toLocaleString("en")),
        y: axis(title, {
          beginAtZero: true,
          grid: { color: (context) => colour(context.tick && context.tick.value === 1 ? "axis" : "line"), borderColor: colour("axis") },
        }),
      },
    });
  }

  function drawStudy(parent, study) {
    const lines = study.cases.map(({ name, failure, step }) => ({
      label: name,
      failure,
      points: [step && { value: step[0], low: step[1], high: step[2], text: `${name}: ${seconds(step[0])} [${seconds(step[1])}, ${seconds(step[2])}]` }],
    }));
    barPlot(parent, "Median time of a step of each case, with its 95 % interval", lines, ["case"], TIME);
    for (const ratio of study.ratios) ratioPlot(parent, ratio);
    for (const curves of study.amortisation) amortisationPlot(parent, curves);
  }

  // ---- the whole page

  const DRAW = { times: drawTimes, maps: drawMaps, rooflines: drawRooflines, curves: drawCurves, timelines: drawTimelines };

  function drawPlots() {
    for (const chart of charts) chart.destroy();
    charts = [];
    Object.assign(Chart.defaults, { animation: false, responsive: true, maintainAspectRatio: false, color: colour("text"), borderColor: colour("line") });
    Chart.defaults.devicePixelRatio = Math.max(2, window.devicePixelRatio);
    Chart.defaults.font.family = "system-ui, sans-serif";
    Chart.defaults.font.size = 11;
    for (const place of document.querySelectorAll("[data-plots]")) {
      place.replaceChildren();
      const section = place.closest("section");
      if (place.dataset.plots === "study") {
        if (!section.hidden) drawStudy(place, data.studies[Number(section.dataset.study)]);
        continue;
      }
      DRAW[place.dataset.plots](place);
      section.hidden = place.childElementCount === 0;
    }
    for (const link of document.querySelectorAll("nav a")) link.parentElement.hidden = document.querySelector(link.hash)?.hidden === true;
  }

  function draw() {
    filterTables();
    if (plots) drawPlots();
  }

  function show(found) {
    data = found;
    for (const table of document.querySelectorAll("table")) makeSortable(table);
    buildFilters();
    draw();
  }

  /// The page of `kiln report --serve`: asks every two seconds whether there is something new.
  async function follow(version) {
    const again = (next) => setTimeout(() => follow(next), 2000);
    const state = document.getElementById("live");
    try {
      const address = new URLSearchParams(location.search);
      address.set("seen", version);
      const answer = await fetch(`state?${address}`, { cache: "no-store" });
      if (answer.status === 204) {
        state.textContent = "live";
        return again(version);
      }
      const found = await answer.json();
      if (!answer.ok) throw new Error(found.error);
      document.getElementById("content").innerHTML = found.content; // made by the server, all text escaped
      show(found.data);
      state.textContent = "live";
      return again(found.version);
    } catch (error) {
      state.textContent = `not live: ${error.message}`;
      return again(version);
    }
  }

  show(JSON.parse(document.getElementById("data").textContent));
  if (document.getElementById("live")) follow("");
  if (!plots) return;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawPlots);
  const onPaper = (paper) => () => {
    document.documentElement.classList.toggle("paper", paper);
    drawPlots();
  };
  addEventListener("beforeprint", onPaper(true));
  addEventListener("afterprint", onPaper(false));
})();
