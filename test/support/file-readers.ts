/** Finds what reads the text of files that agents can write, by its type: src/base/text/file-text.ts. */
import { join, relative } from "node:path"
import {
  type CallExpression,
  isArrowFunction,
  isBlock,
  isCallExpression,
  isIdentifier,
  isNewExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isReturnStatement,
  isTemplateExpression,
  isVariableDeclaration,
  type NewExpression,
  type Node,
  SyntaxKind,
  type TemplateExpression,
} from "typescript/unstable/ast"
import { API, type Checker, type Project } from "typescript/unstable/sync"
import { descendants, ROOT } from "./source.ts"

type FileReaders = {
  /** Functions of ours that take such a text, as `src/a.ts: name`. */
  readonly functions: ReadonlySet<string>
  /** The patterns that it is compared with, as they are written, by their places. */
  readonly patterns: ReadonlyMap<string, string>
  /** Where such a text becomes one of any file, so that its further readers are not found. */
  readonly lost: readonly string[]
}

const IS_TEXT = /^(?:FileText|null|undefined|".*"| \| )+$/
const HAS_TEXT = /\bFile(?:Text|Bytes)\b/
/** Methods that take a pattern, or that a pattern has. */
const MATCHES = /^(?:exec|test|match|matchAll|replace|replaceAll|search|split)$/
/** The compiler of today fails for some types, which no text has. */
const ASKED =
  /^(?:Identifier|(?:Call|New|PropertyAccess|ElementAccess|Await|Binary|Conditional|Parenthesized|NonNull)Expression)$/

export function findFileReaders(): FileReaders {
  const api = new API({ cwd: ROOT })
  try {
    const config = join(ROOT, "tsconfig.json")
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects()
    if (project === undefined) throw new Error("the compiler misses the project")
    return new Search(project).run()
  } finally {
    api.close()
  }
}

class Search {
  readonly #project: Project
  readonly #checker: Checker
  readonly #names = new Map<unknown, string>()
  readonly #types = new Map<Node, string>()
  readonly #found = { functions: new Set<string>(), patterns: new Map<string, string>() }
  readonly #lost: string[] = []

  constructor(project: Project) {
    this.#project = project
    this.#checker = project.checker
  }

  run(): FileReaders {
    for (const path of this.#project.rootFiles) {
      const place = relative(ROOT, path)
      if (!place.startsWith("src/") || /\.test\.ts$|\/contract\.ts$/.test(place)) continue
      const nodes = descendants(this.#project.program.getSourceFile(path)!)
      const calls = nodes.filter((node) => isCallExpression(node) || isNewExpression(node))
      const kept = nodes.flatMap(keptIn)
      const templates = nodes.filter(isTemplateExpression)
      this.#read([...calls.flatMap(partsOf), ...kept, ...templates.flatMap(partsOf)])
      for (const one of templates)
        if (partsOf(one).some((part) => this.#has(part))) this.#types.set(one, "FileText")
      for (const call of calls) this.#look(place, call)
      for (const node of kept) if (this.#loses(node)) this.#lost.push(`${place}: ${node.getText()}`)
    }
    return { ...this.#found, lost: this.#lost }
  }

  /** Asks for all types of a file at once. */
  #read(nodes: readonly (Node | undefined)[]): void {
    const asked = nodes.filter((node): node is Node => !!node && ASKED.test(SyntaxKind[node.kind]))
    const types = this.#checker.getTypeAtLocation(asked)
    for (const [at, type] of types.entries()) {
      if (type === undefined) continue
      if (!this.#names.has(type)) this.#names.set(type, this.#checker.typeToString(type))
      this.#types.set(asked[at]!, this.#names.get(type)!)
    }
  }

  #has(node: Node | undefined): boolean {
    const type = (node && this.#types.get(node)) ?? ""
    return HAS_TEXT.test(type) && !type.includes("=>")
  }

  #look(place: string, call: CallExpression | NewExpression): void {
    const [callee, receiver, ...taken] = partsOf(call)
    const isReceiver = this.#has(receiver)
    if (!isReceiver && !taken.some((node) => this.#has(node))) return
    const name = callee?.getText().split(".").at(-1) ?? ""
    const pattern = isReceiver ? taken[0] : receiver
    if (MATCHES.test(name) && pattern) this.#addPattern(place, pattern)
    if (isReceiver) for (const node of taken) this.#addFunction(node!)
    else if (callee && !MATCHES.test(name))
      this.#addFunction(isPropertyAccessExpression(callee) ? callee.name : callee)
  }

  #declarationOf(node: Node) {
    const symbol = isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined
    const [first] = symbol?.declarations ?? []
    const isAlias = first !== undefined && /^Import/.test(SyntaxKind[first.kind])
    return isAlias ? this.#checker.getAliasedSymbol(symbol!).declarations[0] : first
  }

  #addFunction(node: Node): void {
    const declared = this.#declarationOf(node)
    const place = declared && relative(ROOT, declared.path)
    if (!place?.startsWith("src/")) return
    const type = this.#checker.getTypeAtLocation(node)
    if (type && /=>|typeof/.test(this.#checker.typeToString(type)))
      this.#found.functions.add(`${place}: ${node.getText()}`)
  }

  #addPattern(place: string, node: Node): void {
    const declared = this.#declarationOf(node)?.resolve()
    const written = declared && isVariableDeclaration(declared) ? declared.initializer : node
    if (/RegularExpression|Identifier/.test(SyntaxKind[written!.kind]))
      this.#found.patterns.set(`${place}: ${node.getText()}`, written!.getText())
  }

  #loses(node: Node): boolean {
    if (!IS_TEXT.test(this.#types.get(node) ?? "") || !this.#has(node)) return false
    const wanted = this.#checker.getContextualType(node as never)
    return wanted !== undefined && !HAS_TEXT.test(this.#checker.typeToString(wanted))
  }
}

/** The function that is called, the object that has it, and what is given; or the parts of a text. */
function partsOf(node: CallExpression | NewExpression | TemplateExpression): (Node | undefined)[] {
  if (isTemplateExpression(node)) return node.templateSpans.map(({ expression }) => expression)
  const { expression: callee } = node
  const receiver = isPropertyAccessExpression(callee) ? callee.expression : undefined
  return [callee, receiver, ...(node.arguments ?? [])]
}

/** Values that are kept or given back. */
function keptIn(node: Node): Node[] {
  if (isReturnStatement(node)) return node.expression ? [node.expression] : []
  if (isArrowFunction(node)) return isBlock(node.body) ? [] : [node.body]
  return isPropertyAssignment(node) ? [node.initializer] : []
}
