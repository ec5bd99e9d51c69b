"use strict";

const byKey = (key, kind) => (a, b) =>
  kind === "number" ? Number(a.dataset[key]) - Number(b.dataset[key]) : a.dataset[key].localeCompare(b.dataset[key]);

for (const button of document.querySelectorAll("table.sortable th button")) {
  button.addEventListener("click", () => {
    const heading = button.closest("th");
    const table = button.closest("table");
    const { key, kind } = button.dataset;
    const was = heading.getAttribute("aria-sort");
    const isDown = was === "none" ? kind === "number" && key !== "similarity" : was === "ascending";
    for (const other of table.querySelectorAll("th[aria-sort]")) other.setAttribute("aria-sort", "none");
    heading.setAttribute("aria-sort", isDown ? "descending" : "ascending");
    const rows = [...table.tBodies].sort(byKey(key, kind));
    table.append(...(isDown ? rows.reverse() : rows));
  });
}

const search = document.getElementById("search");
if (search) {
  const groups = [...document.getElementById(search.dataset.table).tBodies];
  const texts = groups.map((group) => group.textContent.toLowerCase());
  const found = document.getElementById("found");
  search.addEventListener("input", () => {
    const wanted = search.value.trim().toLowerCase();
    let shown = 0;
    groups.forEach((group, at) => {
      group.hidden = !texts[at].includes(wanted);
      shown += group.hidden ? 0 : 1;
    });
    found.textContent = wanted ? `${shown} of ${groups.length} groups` : `${groups.length} groups`;
  });
}
