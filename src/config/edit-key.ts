/**
 * Changes one key in the text of coppice.yml. Comments and the layout of all other lines stay.
 *
 * A value in the file is replaced in its place, and a new key becomes a line below its neighbours. If
 * the result does not read as meant, the yaml library writes the whole file, with its comments.
 */
import { type Document, isMap, isScalar, parseDocument, stringify, type YAMLMap } from "yaml"
import { readYaml } from "../base/text/yaml.ts"
import { keyPattern } from "./key-names.ts"

/**
 * The steps of a key: names of repositories and agents may hold dots.
 *
 * @param patterns of the known keys. @returns undefined if there is no such key.
 */
export function splitKey(key: string, patterns: readonly string[]): readonly string[] | undefined {
  const parts = key.split(".")
  const candidates = parts.slice(1).map((_, at) => {
    const name = parts.slice(1, at + 2).join(".")
    return [parts[0] ?? "", name, ...parts.slice(at + 2)]
  })
  return [parts, ...candidates].find((path) => isKnown(path, patterns))
}

const isKnown = (path: readonly string[], patterns: readonly string[]): boolean => {
  const pattern = keyPattern(path)
  return patterns.includes(pattern) || patterns.includes(pattern.replace(/(\.env)\.[^.]+$/, "$1.*"))
}

export function setKey(text: string, path: readonly string[], value: unknown): string {
  const whole = parseDocument(text)
  whole.setIn(path, whole.createNode(value))
  const wanted = JSON.stringify(whole.toJS())
  const short = replaceScalar(text, path, value) ?? addLines(text, path, value)
  if (short !== undefined) {
    const read = readYaml(short)
    if (read.kind === "ok" && JSON.stringify(read.value) === wanted) return short
  }
  return whole.toString({ lineWidth: 0 })
}

function replaceScalar(text: string, path: readonly string[], value: unknown): string | undefined {
  const node = parseDocument(text).getIn(path, true)
  if (!isScalar(node) || !node.range || typeof value === "object") return undefined
  const [start, end] = node.range
  return text.slice(0, start) + stringify(value, { lineWidth: 0 }).trimEnd() + text.slice(end)
}

/** Below the last line of the innermost section that exists. */
function addLines(text: string, path: readonly string[], value: unknown): string | undefined {
  const { section, rest } = innermost(parseDocument(text), path)
  const last = section?.items.at(-1)
  const [first, end] = [rangeOf(section?.items[0]?.key), rangeOf(last?.value) ?? rangeOf(last?.key)]
  if (!first || !end || section?.flow) return undefined
  const indent = " ".repeat(first[0] - (text.lastIndexOf("\n", first[0] - 1) + 1))
  const inner = rest.reduceRight<unknown>((at, step) => ({ [step]: at }), value)
  const lines = stringify(inner, { lineWidth: 0 }).trimEnd().split("\n")
  const lineEnd = text[end[1] - 1] === "\n" ? end[1] - 1 : text.indexOf("\n", end[1])
  const at = lineEnd < 0 ? text.length : lineEnd
  return `${text.slice(0, at)}\n${lines.map((line) => indent + line).join("\n")}${text.slice(at)}`
}

function innermost(document: Document, path: readonly string[]) {
  let section: YAMLMap | undefined
  let rest: readonly string[] = path
  for (let depth = 0; depth < path.length; depth++) {
    const node = depth === 0 ? document.contents : document.getIn(path.slice(0, depth), true)
    if (!isMap(node)) break
    section = node
    rest = path.slice(depth)
  }
  return { section, rest }
}

const rangeOf = (node: unknown) =>
  (node as { readonly range?: readonly [number, number, number] } | null | undefined)?.range
