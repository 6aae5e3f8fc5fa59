
"use strict";
for (const table of document.querySelectorAll("table.sorts")) {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  const key = (row, column) => {
    const cell = row.cells[column], value = cell.dataset.value;
    return value === undefined ? cell.textContent : Number(value);
  };
  const order = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
    : typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1;
  heads.forEach((head, column) => {
    const name = head.textContent;
    if (!name || body.rows.length < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = name;
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const first = head.classList.contains("n") ? "descending" : "ascending";
      const other = first === "ascending" ? "descending" : "ascending";
      const way = head.getAttribute("aria-sort") === first ? other : first;
      const sign = way === "ascending" ? 1 : -1;
      for (const each of heads) each.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", way);
      const rows = [...body.rows].sort((a, b) => sign * order(key(a, column), key(b, column)));
      body.append(...rows);
    });
  });
}
