// Paper: canvases do not follow its width by themselves, and must have been drawn in light colours before it is laid out.

/** Width of plots and animation, height of the animation [px]; style.css has the same numbers. Letter and A4 leave at least 700 px. */
export const PAPER_SIZE: readonly [number, number] = [640, 400];

export function listenForPrinting(onChange: (isPrinting: boolean) => void): void {
  let wasPrinting = false;
  const note = (isPrinting: boolean): void => {
    if (isPrinting === wasPrinting) return;
    wasPrinting = isPrinting;
    onChange(isPrinting);
  };
  window.addEventListener("beforeprint", () => note(true));
  window.addEventListener("afterprint", () => note(false));
  const paper = window.matchMedia("print");
  paper.addEventListener("change", () => note(paper.matches));
}
