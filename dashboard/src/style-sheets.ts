/**
 * Replaces inline styles, which the page's policy refuses.
 *
 * Xterm makes style elements and style attributes. Here a style element becomes a sheet, and a script
 * sets each attribute. The policy allows both, because our own script files do it.
 */

/** Changes how this page makes elements. Called once. */
export function replaceInlineStyles(): void {
  const make = document.createElement.bind(document)
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement =>
    name === "style" ? sheetElement(make("span")) : styledElement(make(name, options))
}

/** Stands in the place of a style element, and has its text as a sheet. */
function sheetElement(element: HTMLElement): HTMLElement {
  const sheet = new CSSStyleSheet()
  document.adoptedStyleSheets.push(sheet)
  element.hidden = true
  let text = ""
  Object.defineProperty(element, "textContent", {
    get: () => text,
    set: (css: string) => {
      text = css
      sheet.replaceSync(css)
    },
  })
  element.remove = () => {
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet)
    HTMLElement.prototype.remove.call(element)
  }
  return element
}

function styledElement(element: HTMLElement): HTMLElement {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value
    else Element.prototype.setAttribute.call(element, name, value)
  }
  return element
}
