// The type of the sheets that a page shows: as large as all of a slide's text lets it be.

// Shares of the usual size, 2.5 % of a sheet's width. The largest is what a slide of few words has, 36 pt of 960;
// the smallest is 11 px where a sheet is 1100 px wide: below that nobody reads, and the sheet says that there is more.
const MAX = 1.5;
const MIN = 0.4;
const ONE_COLUMN = 0.8; // type that is smaller than this is set in two columns, where they let it be larger
const STEPS = 7; // each halves what is not known yet; after seven it is less than a hundredth

/** Fit the type of every sheet in `root` to it, again when a sheet is shown or becomes larger or smaller. */
export function fitSheets(root) {
  for (const sheet of root.querySelectorAll(".sheet")) sizes.observe(sheet);
}

const sizes = new ResizeObserver((entries) => {
  for (const { target, contentRect } of entries) if (contentRect.width > 0) fit(target);
});

function fit(sheet) {
  const one = largest(sheet, false);
  const two = one < ONE_COLUMN ? largest(sheet, true) : 0;
  lay(sheet, two > one, Math.max(one, two, MIN));
  sheet.querySelector(".sheet-more").hidden = Math.max(one, two) > 0;
}

/** The largest type with which all text is seen; 0 where none is. */
function largest(sheet, isInColumns) {
  if (fits(sheet, isInColumns, MAX)) return MAX;
  let [size, over] = [MIN, MAX];
  if (!fits(sheet, isInColumns, size)) return 0;
  for (let step = 0; step < STEPS; step += 1) {
    const middle = (size + over) / 2;
    if (fits(sheet, isInColumns, middle)) size = middle;
    else over = middle;
  }
  return size;
}

function fits(sheet, isInColumns, size) {
  lay(sheet, isInColumns, size);
  const { scrollHeight, clientHeight, scrollWidth, clientWidth } = sheet.firstElementChild;
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
}

function lay(sheet, isInColumns, size) {
  sheet.classList.toggle("is-in-columns", isInColumns);
  sheet.style.setProperty("--size", size);
}
