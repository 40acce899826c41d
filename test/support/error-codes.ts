/**
 * Reads every error code out of the program's source: its blame and its meaning.
 *
 * A code is a class's own (`super("git.failed", "world", …)`) or an entry of a table (`"task.refused": "user"`);
 * what it means stands above the class, in the table's message, or where it is thrown.
 */
import { relative } from "node:path"
import {
  type ClassDeclaration,
  isCallExpression,
  isClassDeclaration,
  isNewExpression,
  isObjectLiteralExpression,
  isPropertyAssignment,
  isStringLiteralLikeNode,
  isTemplateExpression,
  isVariableDeclaration,
  type Node,
  type SourceFile,
  SyntaxKind,
} from "typescript/unstable/ast"
import { type Blame, exitCodeFor } from "../../src/base/errors.ts"
import { descendants, ROOT, visitSources } from "./source.ts"

export type ErrorCode = {
  readonly code: string
  readonly blame: Blame
  readonly exitCode: number
  /** Files that throw it; where it has a class of its own, the file that defines that. */
  readonly from: readonly string[]
  /** A line; `…` stands for what is filled in. */
  readonly meaning: string
}

type Defined = {
  readonly code: string
  readonly blame: Blame
  readonly meaning: string
  /** Rather than an entry of a table, which others throw. */
  readonly isClass: boolean
}
type Said = { readonly code: string; readonly text: string }
type Found = {
  readonly path: string
  readonly defined: readonly Defined[]
  readonly said: readonly Said[]
}

const CODE = /^([a-z_]+\.)+[a-z_]+$/
const BLAMES: readonly string[] = ["user", "world", "bug"] satisfies Blame[]

/** All codes, in the order of the alphabet. */
export function readErrorCodes(): ErrorCode[] {
  const files = visitSources(find)
  const defined = files.flatMap((file) => file.defined.map((one) => ({ ...one, path: file.path })))
  const said = files.flatMap((file) => file.said.map((one) => ({ ...one, path: file.path })))
  return [...Map.groupBy(defined, ({ code }) => code)]
    .map(([code, ofCode]) => {
      const { blame } = ofCode[0]!
      const thrown = said.filter((one) => one.code === code)
      const places = [...ofCode.filter(({ isClass }) => isClass), ...thrown]
      const from = (places.length > 0 ? places : ofCode).map(({ path }) => path)
      const written = ofCode.map(({ meaning }) => meaning).filter(isText)
      const texts = written.length > 0 ? written : thrown.map(({ text }) => text).filter(isText)
      const meaning = [...new Set(texts)].join(" Or: ") || "Told in the words of its cause."
      return { code, blame, exitCode: exitCodeFor(blame), from: [...new Set(from)].sort(), meaning }
    })
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
}

const isText = (text: string) => /\p{L}/u.test(text)

function find(path: string, file: SourceFile): Found {
  const nodes = descendants(file)
  const isOfErrors = path.endsWith("/errors.ts")
  const classes = nodes.filter(isClassDeclaration)
  return {
    path: relative(ROOT, path),
    defined: [
      ...classes.flatMap((node) =>
        descendants(node).flatMap((one) => passed(one, meaningOf(node, file))),
      ),
      ...(isOfErrors ? nodes.flatMap(tabled) : []),
    ],
    said: nodes.flatMap((node) => saidIn(node, nodes)),
  }
}

/** The comment on the class, else on its file if it is alone there. */
function meaningOf(node: ClassDeclaration, file: SourceFile): string {
  return docOf(file.text.slice(node.pos, node.getStart())) || docOf(file.text)
}

/** `super("code", "user", …)`. A class that keeps its code in a table has no literal here. */
function passed(node: Node, meaning: string): Defined[] {
  if (!isCallExpression(node) || node.expression.kind !== SyntaxKind.SuperKeyword) return []
  const [code, blame] = [...node.arguments].map(textOf)
  return code !== undefined && isBlame(blame) ? [{ code, blame, meaning, isClass: true }] : []
}

/** `"code": "user"`, or `"code": { blame: "user", message: … }`. */
function tabled(node: Node): Defined[] {
  if (!isPropertyAssignment(node) || !isStringLiteralLikeNode(node.name)) return []
  const { text: code } = node.name
  const { initializer } = node
  if (!CODE.test(code)) return []
  if (isStringLiteralLikeNode(initializer))
    return isBlame(initializer.text) ? [entry(code, initializer.text, "")] : []
  if (!isObjectLiteralExpression(initializer)) return []
  const [blame, message] = ["blame", "message"].map((name) => textOf(property(initializer, name)))
  return isBlame(blame) ? [entry(code, blame, message ?? "")] : []
}

function entry(code: string, blame: Blame, meaning: string): Defined {
  return { code, blame, meaning, isClass: false }
}

function property(node: Node, name: string): Node | undefined {
  return descendants(node).find((one) => isPropertyAssignment(one) && one.name.getText() === name)
}

/** Calls whose first argument is a code and whose second says what happened. */
function saidIn(node: Node, nodes: readonly Node[]): Said[] {
  if (!isNewExpression(node) && !isCallExpression(node)) return []
  const [code, message] = node.arguments ?? []
  if (!code || !isStringLiteralLikeNode(code) || !CODE.test(code.text)) return []
  const text = textOf(message) ?? textOf(variable(message, nodes)) ?? ""
  return [{ code: code.text, text }]
}

/** Where the variable that `message` begins with is declared. */
function variable(message: Node | undefined, nodes: readonly Node[]): Node | undefined {
  const name = /^\w+/.exec(message?.getText() ?? "")?.[0]
  return nodes.find((one) => isVariableDeclaration(one) && one.name.getText() === name)
}

/** The first text in `node`, with `…` for what is filled in. */
function textOf(node: Node | undefined): string | undefined {
  if (!node) return undefined
  const text = [node, ...descendants(node)].find(
    (one) => isTemplateExpression(one) || isStringLiteralLikeNode(one),
  )
  if (text && isStringLiteralLikeNode(text)) return text.text
  if (!text || !isTemplateExpression(text)) return undefined
  const spans = text.templateSpans.map(({ literal }) => `…${literal.text}`)
  return [text.head.text, ...spans].join("").trim()
}

/** The first sentence of the first doc comment in `text`. */
function docOf(text: string): string {
  const doc = /\/\*\*([^]*?)\*\//.exec(text)?.[1] ?? ""
  const words = doc
    .replaceAll(/^\s*\*/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
  return /^.*?\.(?= |$)/.exec(words)?.[0] ?? words
}

const isBlame = (text: string | undefined): text is Blame => BLAMES.includes(text ?? "")
