/** Shows text between backticks as code. */
import { createElement, Fragment } from "react"
import { clean } from "../../src/base/text/shown.ts"

export function Prose({ text }: { readonly text: string }) {
  const parts = clean(text)
    .split("`")
    .map((part, at) => (at % 2 === 1 ? createElement("code", null, part) : part))
  return createElement(Fragment, null, ...parts)
}
