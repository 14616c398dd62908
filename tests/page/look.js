// Evaluated in the page: what a reader sees of it. The value is the last expression.
(() => {
  const rgb = (text) => {
    const hex = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})/i.exec(text);
    return hex ? hex.slice(1).map((digits) => parseInt(digits, 16)) : (text.match(/[\d.]+/g) || []).map(Number);
  };
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const back = rgb(getComputedStyle(document.body).backgroundColor);
  const faint = [];
  const note = (text, ratio, least) => ratio < least && faint.push(`${text.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  for (const element of document.querySelectorAll("h1, h2, h3, p, li, a, th, td, figcaption, label, select, button, output"))
    if (element.textContent.trim()) note(element.textContent, contrast(rgb(getComputedStyle(element).color), back), 4.5);

  // What Chart.js has laid out: marks with a place inside the plot and, of the colours of lines and points, the faintest.
  const asList = (value) => (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");
  const library = window.Chart;
  const plots = [...document.querySelectorAll("canvas")].map((canvas) => {
    const chart = library && library.getChart(canvas);
    const caption = canvas.closest("figure").querySelector("figcaption").textContent;
    if (!chart) return { caption, marks: 0, ink: 0, smallest: 0, label: canvas.getAttribute("aria-label") };
    let marks = 0;
    chart.data.datasets.forEach((dataset, index) => {
      const cells = typeof dataset.backgroundColor === "function"; // a heat map: its numbers stand on them
      for (const element of chart.getDatasetMeta(index).data)
        if (Number.isFinite(element.x) && Number.isFinite(element.y) && element.x >= 0 && element.x <= chart.width + 1) ++marks;
      if (cells) return;
      for (const color of [...asList(dataset.borderColor), ...asList(dataset.pointBorderColor)])
        if (dataset.showLine !== false || dataset.pointRadius > 0) note(`${caption}: ${color}`, contrast(rgb(color), back), 3);
    });
    for (const scale of Object.values(chart.scales)) note(`${caption}: ${scale.id}`, contrast(rgb(scale.options.ticks.color), back), 4.5);
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    let ink = 0;
    for (let at = 3; at < pixels.length; at += 4) ink += pixels[at] > 128;
    return { caption, marks, ink: ink / (pixels.length / 4), smallest: library.defaults.font.size, label: canvas.getAttribute("aria-label") };
  });
  // What a tool takes must be reachable by the Tab key.
  const unreachable = [...document.querySelectorAll("canvas, select, th button, .scroll, nav a")].filter((element) => element.tabIndex < 0);
  return {
    plots,
    faint: [...new Set(faint)],
    needed: document.documentElement.scrollWidth,
    back: back.slice(0, 3),
    unreachable: unreachable.length,
    numbersLeft: [...document.querySelectorAll("td.number")].filter((td) => getComputedStyle(td).textAlign !== "right").length,
  };
})();
