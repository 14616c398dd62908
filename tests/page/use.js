// Evaluated in the page: a reader who filters, sorts and goes through a plot by keys. The value is a list of what went wrong.
(() => {
  const faults = [];
  const expect = (holds, text) => holds || faults.push(text);
  const rows = (selector) => [...document.querySelectorAll(selector)].filter((row) => !row.hidden);
  const select = (name) => [...document.querySelectorAll("#filters label")].find((label) => label.firstChild.textContent === name)?.querySelector("select");
  const set = (name, value) => {
    const box = select(name);
    if (!box) return expect(false, `no filter '${name}'`);
    box.value = value;
    box.dispatchEvent(new Event("change"));
  };
  const records = "#records tbody tr";
  const all = rows(records).length;
  const marks = () => {
    const canvas = document.querySelector("#times canvas");
    return canvas ? Chart.getChart(canvas).data.datasets.flatMap((dataset) => dataset.data.filter(Boolean)).length : 0;
  };
  const before = marks();
  expect(all === 8, `${all} records in place of 8`);
  expect(before === 8, `${before} bars in place of 8`);

  set("ppwi", "2");
  expect(rows(records).length === all / 2, "ppwi=2 does not halve the records");
  expect(rows(records).every((row) => row.textContent.includes("ppwi=2")), "another ppwi is shown");
  expect(marks() === before / 2, "ppwi=2 does not halve the bars");
  expect(document.querySelector("#maps").hidden, "a heat map of one value of ppwi");
  expect(document.getElementById("shown").textContent === `${all / 2} of ${all} records`, document.getElementById("shown").textContent);
  set("ppwi", "");
  const other = select("device").options[2].value;
  set("device", other);
  expect(rows(records).length === all / 2 && rows(records).every((row) => row.textContent.includes(other)), "the filter by device");
  const heads = rows("#devices th").filter((head) => head.dataset.device);
  expect(heads.length > 0 && heads.every((head) => head.dataset.device === other), "columns of another device");
  expect(!document.querySelector("#study-1") || document.querySelector("#study-1").hidden, "a study of another device");
  set("device", "");
  expect(rows(records).length === all && marks() === before, "the filters cannot be taken back");
  set("plots show", "arithmetic, GFLOP/s");
  expect(document.querySelector("#times figcaption").textContent.includes("arithmetic in GFLOP/s"), "the metric is not shown");
  set("plots show", "");

  const table = document.querySelector("#records table");
  const column = [...table.tHead.rows[0].cells].findIndex((head) => head.textContent === "median");
  const button = table.tHead.rows[0].cells[column].querySelector("button");
  const seconds = (text) => parseFloat(text) * { ns: 1e-9, us: 1e-6, ms: 1e-3, s: 1 }[text.split(" ")[1]];
  for (const sign of [1, -1]) {
    button.click();
    const values = [...table.tBodies[0].rows].map((row) => seconds(row.cells[column].textContent) * sign);
    expect(values.every((value, index) => index === 0 || values[index - 1] <= value), `not sorted by ${button.textContent}, ${sign}`);
  }
  expect(table.tHead.rows[0].cells[column].getAttribute("aria-sort") === "descending", "aria-sort");

  const canvas = document.querySelector("#times canvas");
  const press = (key) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
  const said = () => canvas.closest("figure").querySelector("output").textContent;
  press("ArrowRight");
  const first = said();
  press("ArrowRight");
  expect(first.includes("ppwi=") && said() !== first, `arrow keys say '${first}', then '${said()}'`);
  expect(Chart.getChart(canvas).tooltip.opacity > 0, "no tooltip by keys");
  press("Escape");
  expect(said() === "", "Escape");
  return faults;
})();
