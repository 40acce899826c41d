/**
 * Styles that pass the page's policy, which refuses inline ones, wherever they come from.
 *
 * Xterm makes style elements and style attributes. Here the former become sheets, and the latter are
 * set by script: both are the work of our own script files, so the policy lets them pass.
 */

/** Changes how this page makes elements, once. */
export function passStyles(): void {
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
