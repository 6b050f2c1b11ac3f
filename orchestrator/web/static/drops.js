// A file that is dropped on a page, and not where one is wanted, is not opened in the page's place.

for (const type of ["dragover", "drop"]) {
  addEventListener(type, (event) => {
    if (event.dataTransfer?.types.includes("Files")) event.preventDefault();
  });
}
