// Evaluated in the page: what a reader sees of it. The value is the last expression.
(() => {
  const rgb = (text) => (text.match(/[\d.]+/g) || []).map(Number);
  const luminance = (color) => {
    const [r, g, b] = color.slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const back = rgb(getComputedStyle(document.body).backgroundColor);
  const mix = (front, opacity) => front.slice(0, 3).map((c, i) => c * opacity + back[i] * (1 - opacity));
  const shown = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 || box.height > 0;
  };
  // A mark is what stands for data: no grid, no axis.
  const marks = "rect, circle, polyline.curve, line.ceiling, line.level";
  const plots = [...document.querySelectorAll("svg")].map((svg) => ({
    label: svg.getAttribute("aria-label"),
    marks: [...svg.querySelectorAll(marks)].filter(shown).length,
    texts: [...svg.querySelectorAll("text")].filter(shown).length,
    smallest: Math.min(...[...svg.querySelectorAll("text")].map((text) => text.getBoundingClientRect().height)),
  }));
  const faint = [];
  const note = (text, ratio, least) => ratio < least && faint.push(`${text.trim().slice(0, 40)}: ${ratio.toFixed(2)}`);
  for (const element of document.querySelectorAll("h1, h2, h3, p, li, a, th, td, figcaption"))
    if (element.textContent.trim()) note(element.textContent, contrast(rgb(getComputedStyle(element).color), back), 4.5);
  for (const text of document.querySelectorAll("svg text")) {
    const color = rgb(getComputedStyle(text).fill);
    const cell = text.classList.contains("cell-value") ? text.previousElementSibling : null;
    const under = cell ? mix(rgb(getComputedStyle(cell).fill), Number(getComputedStyle(cell).fillOpacity)) : back;
    note(text.textContent, contrast(color, under), 4.5);
  }
  for (const mark of document.querySelectorAll("svg .best, svg .effect, svg .curve, svg .dot, svg .point, svg .level, svg .ceiling")) {
    const style = getComputedStyle(mark);
    const color = style.stroke === "none" ? style.fill : style.stroke;
    note(`${mark.tagName}.${mark.getAttribute("class")}`, contrast(rgb(color), back), 3);
  }
  return {
    plots,
    faint: [...new Set(faint)],
    needed: document.documentElement.scrollWidth,
    back: back.slice(0, 3),
    numbersLeft: [...document.querySelectorAll("td.number")].filter((td) => getComputedStyle(td).textAlign !== "right").length,
  };
})();
