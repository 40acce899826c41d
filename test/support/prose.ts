/**
 * Reads the English of this repository: comments, strings that are sentences, and documents.
 *
 * A text is one paragraph, list item, table cell or string. Code in it counts as one word, `X`.
 * Lines of diagrams are left out.
 */
import { readFileSync } from "node:fs"
import { join, relative } from "node:path"
import {
  isRegularExpressionLiteral,
  isStringLiteralLikeNode,
  isTemplateExpression,
  isTemplateLiteralToken,
  type Node,
  type SourceFile,
} from "typescript/unstable/ast"
import { descendants, ROOT, visitFiles } from "./source.ts"

export type Text = {
  /** From the root of the repository. */
  readonly path: string
  readonly line: number
  readonly text: string
  /** Part of running text: no heading, table cell or string. */
  readonly isProse: boolean
  /** The first words of a comment. */
  readonly isOpening: boolean
}

type Paragraph = Omit<Text, "path" | "line"> & { readonly offset: number }

const COMMENT = /\/\*[^]*?\*\/|\/\/[^\n]*(?:\n[ \t]*\/\/[^\n]*)*/g
/** Fewer words than this in a string literal are a word, a name or a fragment. */
const STRING_WORDS_MIN = 3

/** Comments and sentences of all code, tests and scripts included. */
export function readCodeTexts(): Text[] {
  return visitFiles((path) => !path.startsWith("node_modules/"), textsOfCode).flat()
}

/** A Markdown file without its code, its links' targets and its lists of tests. */
export function readDocument(path: string): Text[] {
  const text = readFileSync(join(ROOT, path), "utf8")
    .replaceAll(/<!-- transcript -->[^]*?<!-- \/transcript -->|^```[^]*?^```/gm, blank)
    .replaceAll(/^[-|].*`[\w./-]+\.ts`.*(\n {2}\S.*)*$/gm, blank)
    .replaceAll(/<!--[^]*?-->/g, blank)
  return paragraphs(text).map((one) => at(path, text, one))
}

/** The sentences of a text. A colon or a semicolon does not end one. */
export function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?]["')*]*)\s+(?=["'(*]*[\p{Lu}\d])/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => /\p{L}/u.test(sentence))
}

export const wordCount = (text: string): number => text.match(/[\p{L}\d][^\s]*/gu)?.length ?? 0

function textsOfCode(absolute: string, file: SourceFile): Text[] {
  const path = relative(ROOT, absolute)
  const nodes = descendants(file)
  const texts = [...commentsOf(file.text, nodes), ...nodes.flatMap(stringsOf)]
  return texts.map((one) => at(path, file.text, one))
}

function commentsOf(source: string, nodes: readonly Node[]): Paragraph[] {
  const pieces: string[] = []
  let end = 0
  for (const node of nodes.filter(isQuoted)) {
    pieces.push(source.slice(end, node.getStart()))
    end = node.getEnd()
    pieces.push(blank(source.slice(node.getStart(), end)))
  }
  const code = [...pieces, source.slice(end)].join("")
  return [...code.matchAll(COMMENT)].flatMap(({ index, 0: comment }) => {
    const text = comment
      .replaceAll(/^[ \t]*(\/\*\*?|\*\/|\*|\/\/)|\*\/$/gm, blank)
      .replaceAll(/^.*[─►│].*$/gm, blank)
    return paragraphs(text).map((one, n) => ({
      ...one,
      offset: index + one.offset,
      isOpening: n === 0,
    }))
  })
}

const isQuoted = (node: Node): boolean =>
  isStringLiteralLikeNode(node) || isTemplateLiteralToken(node) || isRegularExpressionLiteral(node)

/** Each line of a string or template. Filled-in values are `X`. */
function stringsOf(node: Node): Paragraph[] {
  const whole = isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join("X")
    : isStringLiteralLikeNode(node)
      ? node.text
      : ""
  return whole
    .split("\n")
    .filter((line) => wordCount(line) >= STRING_WORDS_MIN)
    .map((line) => ({
      offset: node.getStart(),
      text: plain(line),
      isProse: false,
      isOpening: false,
    }))
}

function paragraphs(text: string): Paragraph[] {
  const starts = /^[ \t]*(?:[-*#>]+|\d+\.|@param \w+|@\w+|\{@\w+)[ \t]|\n[ \t]*\n|\|/gm
  const marks = [...text.matchAll(starts)].map(({ index, 0: mark }) => ({ index, mark }))
  return [{ index: 0, mark: "" }, ...marks]
    .map(({ index, mark }, n) => {
      const offset = index + mark.length
      const raw = text.slice(offset, marks[n]?.index ?? text.length)
      const lead = raw.length - raw.trimStart().length
      const isProse = !/[|#]/.test(mark)
      return { offset: offset + lead, text: plain(raw), isProse, isOpening: false }
    })
    .filter((one) => wordCount(one.text) > 0)
}

function plain(text: string): string {
  return text
    .replaceAll(/`[^`]*`/g, "X")
    .replaceAll(/\]\([^)]*\)/g, "]")
    .replaceAll(/[[\]]/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
}

const blank = (text: string): string => text.replaceAll(/[^\n]/g, " ")

function at(path: string, source: string, { offset, ...text }: Paragraph): Text {
  return { path, line: source.slice(0, offset).split("\n").length, ...text }
}
